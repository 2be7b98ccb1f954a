# ruff: noqa: PLR0913, PLR0917 - compiled code takes its state as plain arguments
"""How stiff contacts of particles with rigid bodies are, so that the exchange of forces is stable.

What particles exert moves a rigid body in the step after. That is stable while the stiffnesses at
a body are less than it resists where they act: a push far from its mass centre turns it, too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.core.deform.contacts import FRICTION, HEIGHT, HELD, NORMAL, STIFFNESS
from unibody.core.engine.soft.contact_tables import Particles, Rigid, Rows
from unibody.core.engine.soft.face_tables import FaceRows
from unibody.machine_code.jit import kernel

HARD = 30.0
"""Stiffness of a contact with what cannot move, in masses of the particle over the step squared."""

SHARE = 0.5
"""The stiffnesses at a rigid body together, in what it resists there over the step squared."""

GOES = 0.2
"""Share of an overlap that goes in a step."""

_TINY = 1e-30  # kg m^2
_POWERS = 12  # of a matrix: its largest eigenvalue is known to some percent
_NORMAL, _HEIGHT, _STIFFNESS, _FRICTION, _HELD = NORMAL, HEIGHT, STIFFNESS, FRICTION, HELD


@kernel
def _arm(rigid: Rigid, body: int, x: float, y: float, z: float) -> Any:
    """From the mass centre of a body to a point, world frame, and the square of its length."""
    centre = rigid.xipos[body]
    ax, ay, az = x - centre[0], y - centre[1], z - centre[2]
    return ax, ay, az, ax * ax + ay * ay + az * az


@kernel
def turns(rigid: Rigid, body: int, x: float, y: float, z: float) -> float:
    """How much a force of 1 N at a point speeds it up by turning the body, at most [1/kg].

    What is joined to a body only makes it turn less than it does alone.
    """
    ax, ay, az, square = _arm(rigid, body, x, y, z)
    turn, alone = rigid.ximat[body], 0.0
    for k in range(3):
        along = turn[k] * ax + turn[3 + k] * ay + turn[6 + k] * az
        alone += max(square - along * along, 0.0) / max(rigid.body_inertia[body, k], _TINY)
    return min(alone, rigid.body_invweight0[body, 1] * square)


@kernel
def _write_response(rigid: Rigid, body: int, point: Any, row: Any, response: Any) -> None:
    """Write how a push of a contact moves a body, so that speeds are products of responses.

    The response to a push at one contact, times that to one at another, is how much the first
    speeds the body up along the second [1/kg]. A joint only makes a body turn less than it does
    alone, and the mean of how it turns is known.

    Args:
        rigid: See `Rigid`.
        body: The body.
        point: Where the contact is [m].
        row: Of the contact.
        response: Along x, y and z, and about the body's principal axes, (6,) [kg^-0.5].
    """
    nx, ny, nz = row[_NORMAL], row[_NORMAL + 1], row[_NORMAL + 2]
    ax, ay, az, _ = _arm(rigid, body, point[0], point[1], point[2])
    mx, my, mz = ay * nz - az * ny, az * nx - ax * nz, ax * ny - ay * nx
    turn, inverse = rigid.ximat[body], rigid.body_invweight0[body]
    light = math.sqrt(inverse[0])
    response[0], response[1], response[2] = light * nx, light * ny, light * nz
    for k in range(3):
        about = turn[k] * mx + turn[3 + k] * my + turn[6 + k] * mz
        alone = 1.0 / max(rigid.body_inertia[body, k], _TINY)
        response[3 + k] = about * math.sqrt(min(alone, 3.0 * inverse[1]))


@kernel
def _largest(gram: Any) -> float:
    """The largest eigenvalue of a matrix (6, 6) that is a sum of squares, by power iteration."""
    found, most = 0.0, 0
    for k in range(1, 6):
        if gram[k, k] > gram[most, most]:
            most = k
    x, y = gram[most].copy(), np.zeros(6)
    for _ in range(_POWERS):
        before = after = 0.0
        for i in range(6):
            y[i] = 0.0
            for j in range(6):
                y[i] += gram[i, j] * x[j]
            before += x[i] * x[i]
            after += y[i] * y[i]
        found = math.sqrt(after / max(before, _TINY))
        x[:] = y / max(math.sqrt(after), _TINY)
    return found


@kernel
def _number_touched(rigid: Rigid, bodies: Any, rows: Any, end: int, touched: int,
                    counts: Any) -> int:  # fmt: skip
    """Number the bodies that rows touch and that move, beside those numbered; how many they are."""
    for row in range(end):
        body = bodies[row]
        free = rigid.body_invweight0[body, 0] > 0.0
        if rows[row, _FRICTION] != _HELD and free and counts[body] < 0:
            counts[body] = touched
            touched += 1
    return touched


@kernel
def _add_responses(
    rigid: Rigid, bodies: Any, points: Any, rows: Any, end: int, counts: Any, grams: Any,
    softness: Any,
) -> None:  # fmt: skip
    """Add what rows do to their bodies to the sums of these; see `_softness_of`."""
    response = np.zeros(6)
    for row in range(end):
        body = bodies[row]
        if rows[row, _FRICTION] == _HELD or counts[body] < 0:
            continue
        _write_response(rigid, body, points[row], rows[row], response)
        gram = grams[counts[body]]
        softness[counts[body], 1] += rigid.body_invweight0[body, 0]
        for i in range(6):
            for j in range(6):
                gram[i, j] += response[i] * response[j]


@kernel
def _finish_softness(grams: Any, softness: Any) -> None:
    """Write the softness of each body from its sums; see `_softness_of`."""
    for t in range(len(grams)):
        without = softness[t, 1]
        softness[t, 0] = max(_largest(grams[t]), without)
        softness[t, 1] = softness[t, 0] / without


@kernel
def _softness_of(rigid: Rigid, found: Rows) -> Any:
    """How much all contacts of a body, equally stiff, speed it up together [1/kg].

    It is the largest eigenvalue of the sum of their responses: contacts side by side add up, those
    that are far from the mass centre turn the body beside moving it.

    Returns:
        That, no less than if none of them turned the body, and its ratio to that, (touched, 2);
        `found.counts` says where that of a body is.
    """
    counts, end = found.counts, found.first[-1]
    counts[:] = -1
    touched = _number_touched(rigid, found.bodies, found.rows, end, 0, counts)
    grams, softness = np.zeros((touched, 6, 6)), np.zeros((touched, 2))
    _add_responses(rigid, found.bodies, found.points, found.rows, end, counts, grams, softness)
    _finish_softness(grams, softness)
    return softness


@kernel
def _softness_with_points(rigid: Rigid, found: Rows, rows: Any, points: FaceRows) -> Any:
    """See `_softness_of`, of contacts of points inside of faces too."""
    counts, end, more = found.counts, found.first[-1], points.number[0]
    counts[:] = -1
    touched = _number_touched(rigid, found.bodies, found.rows, end, 0, counts)
    touched = _number_touched(rigid, points.bodies, rows, more, touched, counts)
    grams, softness = np.zeros((touched, 6, 6)), np.zeros((touched, 2))
    _add_responses(rigid, found.bodies, found.points, found.rows, end, counts, grams, softness)
    _add_responses(rigid, points.bodies, points.points, rows, more, counts, grams, softness)
    _finish_softness(grams, softness)
    return softness


@kernel
def _go_faster(particles: Particles, p: int, point: Any, row: Any, factor: float) -> None:
    """Let more of an overlap go in a step, by a factor, but no more than all of it.

    So that contacts which have to be softer, as they turn a body, carry as much at the same depth.
    """
    gap = 0.0
    for k in range(3):
        gap += row[_NORMAL + k] * (particles.positions[p, k] - point[k])
    more = min(GOES * factor, 1.0) - GOES
    row[_HEIGHT] += more * max(particles.radii[p] - gap, 0.0)


@kernel
def _write_stiffness(
    particles: Particles, rigid: Rigid, found: Rows, softness: Any, dt: float
) -> None:
    """Write the stiffness of contacts of particles."""
    for p in range(len(particles.positions)):
        for row in range(found.first[p], found.first[p + 1]):
            if found.rows[row, _FRICTION] == _HELD:
                continue
            place, stiffness = found.counts[found.bodies[row]], HARD * particles.masses[p]
            if place >= 0:
                stiffness = min(stiffness, SHARE / softness[place, 0])
                _go_faster(particles, p, found.points[row], found.rows[row], softness[place, 1])
            found.rows[row, _STIFFNESS] = stiffness / (dt * dt)


@kernel
def stiffen(particles: Particles, rigid: Rigid, found: Rows, dt: float) -> None:
    """Write the stiffness of all contacts, the same for those of one body unless it is `HARD`."""
    _write_stiffness(particles, rigid, found, _softness_of(rigid, found), dt)


@kernel
def stiffen_with_points(
    particles: Particles, rigid: Rigid, found: Rows, rows: Any, points: FaceRows, dt: float
) -> None:
    """See `stiffen`; with contacts of points inside of faces, which have rows of their own."""
    softness = _softness_with_points(rigid, found, rows, points)
    _write_stiffness(particles, rigid, found, softness, dt)
    for c in range(points.number[0]):
        place, stiffness = found.counts[points.bodies[c]], HARD * points.masses[c]
        if place >= 0:
            stiffness = min(stiffness, SHARE / softness[place, 0])
            more = min(GOES * softness[place, 1], 1.0) - GOES
            rows[c, _HEIGHT] += more * max(-points.gaps[c], 0.0)
        rows[c, _STIFFNESS] = stiffness / (dt * dt)
