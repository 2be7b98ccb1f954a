"""A step in compiled code that Python calls once, or twice where surfaces touch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unibody.core.deform.contacts import FRICTION, HELD
from unibody.core.deform.feature_contacts import FeatureContacts
from unibody.core.deform.surface_contact import closest
from unibody.core.deform.symplectic import damping, forces, pairs, points, settle
from unibody.core.deform.symplectic.damping import damp
from unibody.core.deform.symplectic.forces import Elements, add_forces
from unibody.core.deform.symplectic.pairs import (
    Pairs,
    Touching,
    bound_ways,
    choose,
    settle_all,
)
from unibody.core.deform.symplectic.points import settle_points
from unibody.core.deform.symplectic.settle import Bench
from unibody.core.deform.symplectic.settle import settle as settle_one
from unibody.core.deform.vbd import advance as vbd_advance
from unibody.core.deform.vbd import feature_touch, lanes, sweep, touch
from unibody.core.deform.vbd.advance import Course, write_motion
from unibody.machine_code.array_calls import array_function
from unibody.machine_code.jit import kernel

_FRICTION, _HELD = FRICTION, np.float32(HELD)
# Stiffness and damping of the stiffest motion, in masses over the step (squared). Undamped steps
# are stable to 4, and elements may become stiffer during one. A motion that damping alone acts on
# turns round from 1 on: damping is implicit then, and steps are stable to 4 and twice the damping
# of a motion. What damps does not damp all turns, so that no more than a part of it counts.
_SOFT, _SOFT_DAMPED, _DAMPED = 3.5, 12.0, 1.0
TOO_STIFF, DONE, NEAR = -1, 0, 1
"""What `advance` tells: nothing was done; the step is done; surfaces may touch."""

_EXPLICIT, _IMPLICIT = 0, 1
_SOURCES = (
    closest, damping, feature_touch, forces, lanes, pairs, points, settle, sweep, touch,
    vbd_advance,
)  # fmt: skip


class Grouped(NamedTuple):
    """Which bodies particles belong to.

    Attributes:
        starts: The first particle of each, and the number of all, (b + 1,).
        radii: How far the surface of each particle is from what it touches, (p,) [m].
        itself: Whether a body touches itself, (b,).
        boxes: Room for the corners of the boxes around them, (b, 6) [m].
        labels: Room for which of them may touch one another in a step: those with one label, (b,).
        groups: Room for the label of each particle's body, (p,).
    """

    starts: Any
    radii: Any
    itself: Any
    boxes: Any
    labels: Any
    groups: Any


@kernel
def _way_of(masses: Any, sums: Any, calm: float, dt: float) -> int:
    """How a step can be taken: not at all, with damping as it is at its start, or implicit.

    Only elements that are soft enough where they are at rest have implicit damping.
    """
    way, most = _EXPLICIT, _SOFT_DAMPED if calm * dt * dt < _SOFT else 0.0
    for p in range(len(masses)):
        if masses[p] <= 0.0:
            continue
        lossy, stiff = dt * sums[p, 7], dt * dt * sums[p, 6]
        if stiff + 2.0 * lossy < _SOFT * masses[p] and lossy < _DAMPED * masses[p]:
            continue
        if not stiff < min(_SOFT * masses[p] + lossy, most * masses[p]):
            return TOO_STIFF
        way = _IMPLICIT
    return way


@kernel
def _aim(
    course: Course, e: Elements, sums: Any, drive: Any, first: Any, rows: Any, way: int, dt: float
) -> None:
    """Write where particles begin, and where they would go without contacts.

    What a rigid body holds goes with that body, whatever damps it: as in PyBullet's deformable
    world, where what damps such a particle is not felt by the body.
    """
    each, count = 1 if len(drive) > 1 else 0, len(course.x)
    speeds, kept = course.goal, np.zeros(count, dtype=np.bool_)
    for p in range(count):
        mass = float(course.masses[p])
        kept[p] = first[p] < first[p + 1] and rows[first[p], _FRICTION] == _HELD
        for k in range(3):
            course.before[p, k] = course.x[p, k]
            speeds[p, k] = 0.0
            if mass > 0.0:
                damped = way == _EXPLICIT and not kept[p]
                force = sums[p, k] + sums[p, 3 + k] if damped else sums[p, k]
                faster = dt * (float(drive[each * p, k]) + force / mass)
                speeds[p, k] = float(course.v[p, k]) + faster
    if way == _IMPLICIT:
        damp(e, course.x, speeds, course.masses, sums[:, 7], kept, dt)
    for p in range(count):
        for k in range(3):
            course.goal[p, k] = course.before[p, k] + dt * speeds[p, k]


@kernel
def _write_boxes(course: Course, bodies: Grouped) -> None:
    """Write the boxes in which the particles of each body stay in this step."""
    boxes, starts = bodies.boxes, bodies.starts
    for b in range(len(starts) - 1):
        boxes[b, :3], boxes[b, 3:] = np.inf, -np.inf
        reach = 0.0
        for p in range(starts[b], starts[b + 1]):
            reach = max(reach, bodies.radii[p])
            for k in range(3):
                low = min(course.before[p, k], course.goal[p, k])
                high = max(course.before[p, k], course.goal[p, k])
                boxes[b, k] = min(boxes[b, k], low - (high - low))
                boxes[b, 3 + k] = max(boxes[b, 3 + k], high + (high - low))
        boxes[b, :3] -= reach
        boxes[b, 3:] += reach


@kernel
def _near_one_another(course: Course, bodies: Grouped) -> bool:
    """Whether a body may touch itself or another in this step; those that may get one label."""
    labels, boxes, near = bodies.labels, bodies.boxes, False
    count = len(labels)
    for b in range(count):
        labels[b] = b
        near |= bodies.itself[b]
    if count < 2:
        return near
    _write_boxes(course, bodies)
    for b in range(count):
        for c in range(b):
            apart = False
            for k in range(3):
                apart |= boxes[b, k] > boxes[c, 3 + k] or boxes[c, k] > boxes[b, 3 + k]
            if apart:
                continue
            near = True
            one, other = labels[b], labels[c]
            for d in range(b + 1):
                if labels[d] == one:
                    labels[d] = other
    return near


@kernel
def _end(
    course: Course, x: Any, first: Any, rows: Any, room: Bench, dt: float, still: float
) -> None:
    """Write where particles come to if no surface touches another."""
    ends, before, goal = x.reshape(-1), course.before.reshape(-1), course.goal.reshape(-1)
    rate = np.float32(1.0 / dt)
    for p in range(len(x)):
        for k in range(3):
            x[p, k] = course.goal[p, k]
        if first[p] < first[p + 1] and course.masses[p] > 0.0:
            heavy = course.masses[p] * rate * rate
            settle_one(ends, before, goal, p, heavy, first, rows, rate, still, room)


@array_function(*_SOURCES, returns=True)
def advance(
    course: Course, elements: Elements, bodies: Grouped, how: Touching, pairs: Pairs, sums: Any,
    drive: Any, contacts: Any, features: FeatureContacts, room: Bench, calm: float, dt: float,
    still: float, settled: float, sweeps: int,
) -> int:  # fmt: skip
    """Take a step, but for what surfaces do to one another.

    Args:
        course: Its places change where the step is done.
        elements: See `Elements`.
        bodies: See `Grouped`.
        how: How surfaces touch.
        pairs: Gets how near pairs have to be, where surfaces may touch.
        sums: Room for what elements exert, (p, 8).
        drive: Accelerations of gravity and forces, (1, 3) or (p, 3) [m/s^2].
        contacts: First contact of each particle and the number of all, and rows.
        features: What points inside of faces touch.
        room: See `Bench`.
        calm: See `forces.stiffness_at_rest` [1/s^2].
        dt: Time step [s].
        still: What counts as no move [m].
        settled: The same among particles that share such points [m].
        sweeps: Times over these, at most.

    Returns:
        `TOO_STIFF`, `DONE` or `NEAR`.
    """
    sums[:] = 0.0
    add_forces(elements, course.x, course.v, sums)
    way = _way_of(course.masses, sums, calm, dt)
    if way == TOO_STIFF:
        return TOO_STIFF
    first, rows = contacts
    _aim(course, elements, sums, drive, first, rows, way, dt)
    if len(how.vertices) > 0 and _near_one_another(course, bodies):
        ends = np.empty_like(course.goal)
        _end(course, ends, first, rows, room, dt, still)
        bound_ways(course, ends, bodies.starts, bodies.labels, bodies.groups, how, pairs)
        return NEAR
    _end(course, course.x, first, rows, room, dt, still)
    if features.first[-1] > 0:
        settle_points(course, first, rows, features, room, dt, settled, sweeps)
    write_motion(course, dt)
    return DONE


@array_function(*_SOURCES, returns=True)
def advance_touching(
    course: Course, guess: Any, drive: Any, contacts: Any, features: FeatureContacts, listed: Any,
    groups: Any, how: Touching, pairs: Pairs, room: Bench, dt: float, still: float, sweeps: int,
) -> int:  # fmt: skip
    """Take a step that `advance` began, with surfaces that touch; how many sweeps it took.

    Args:
        course: Its places change.
        guess: See `vbd.advance.Guess`.
        drive: See `advance`.
        contacts: See `advance`.
        features: Likewise.
        listed: Pairs that may be near: with triangles, and of edges.
        groups: See `Grouped`.
        how: How surfaces touch.
        pairs: Room for all of these.
        room: See `Bench`.
        dt: Time step [s].
        still: What counts as no move [m].
        sweeps: At most.
    """
    choose(listed[0], listed[1], groups, how, pairs, 1.0 / dt)
    took = settle_all(course, guess, drive, contacts, features, how, pairs, room, dt, still, sweeps)
    write_motion(course, dt)
    return took
