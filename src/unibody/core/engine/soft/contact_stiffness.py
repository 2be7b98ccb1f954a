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
def _softness_of(rigid: Rigid, found: Rows) -> Any:
    """How much all contacts of a body, equally stiff, speed it up together [1/kg].

    It is the largest eigenvalue of the sum of their responses: contacts side by side add up, those
    that are far from the mass centre turn the body beside moving it.

    Returns:
        That, no less than if none of them turned the body, and its ratio to that, (touched, 2);
        `found.counts` says where that of a body is.
    """
    counts = found.counts
    touched = 0
    counts[:] = -1
    for row in range(found.first[-1]):
        body = found.bodies[row]
        free = rigid.body_invweight0[body, 0] > 0.0
        if found.rows[row, _FRICTION] != _HELD and free and counts[body] < 0:
            counts[body] = touched
            touched += 1
    grams, response = np.zeros((touched, 6, 6)), np.zeros(6)
    softness = np.zeros((touched, 2))
    for row in range(found.first[-1]):
        body = found.bodies[row]
        if found.rows[row, _FRICTION] == _HELD or counts[body] < 0:
            continue
        _write_response(rigid, body, found.points[row], found.rows[row], response)
        gram = grams[counts[body]]
        softness[counts[body], 1] += rigid.body_invweight0[body, 0]
        for i in range(6):
            for j in range(6):
                gram[i, j] += response[i] * response[j]
    for t in range(touched):
        without = softness[t, 1]
        softness[t, 0] = max(_largest(grams[t]), without)
        softness[t, 1] = softness[t, 0] / without
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
def stiffen(particles: Particles, rigid: Rigid, found: Rows, dt: float) -> None:
    """Write the stiffness of all contacts, the same for those of one body unless it is `HARD`."""
    softness = _softness_of(rigid, found)
    for p in range(len(particles.positions)):
        for row in range(found.first[p], found.first[p + 1]):
            if found.rows[row, _FRICTION] == _HELD:
                continue
            place, stiffness = found.counts[found.bodies[row]], HARD * particles.masses[p]
            if place >= 0:
                stiffness = min(stiffness, SHARE / softness[place, 0])
                _go_faster(particles, p, found.points[row], found.rows[row], softness[place, 1])
            found.rows[row, _STIFFNESS] = stiffness / (dt * dt)
