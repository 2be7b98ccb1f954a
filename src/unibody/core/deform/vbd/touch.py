"""Forces of contacts on particles.

A contact pushes along its normal with a stiffness times how deep the particle is, and resists the
particle's motion since the start of the step, beyond that of what it touches: along the normal with
a damping, across it with friction, whose force grows over a short way and stays at its bound from
there on (Li et al. 2020, incremental potential contact, section 5). The bound goes with the depth:
damping, which may be many times as much in an impact, adds nothing to it.
"""

from __future__ import annotations

import math
from typing import Any

from unibody.core.deform.contacts import (
    DAMPING,
    FRICTION,
    GROWTH,
    HEIGHT,
    HELD,
    MOTION,
    STIFFNESS,
)
from unibody.core.deform.vbd.lanes import WIDTH, float32
from unibody.machine_code import numba

_W = WIDTH
_ZERO = float32(0.0)
_ONE = float32(1.0)
_TWO = float32(2.0)
_TINY = float32(1e-20)
_HELD = float32(HELD)

_compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")


@_compiled
def point_force(
    px: float, py: float, pz: float, ux: float, uy: float, uz: float, row: Any, rate: float
) -> Any:
    """Force on a point that touches, and the parts of its second derivative.

    Args:
        px: Where it is [m].
        py: Likewise.
        pz: Likewise.
        ux: How far it moved since the start of the step, beyond what it touches [m].
        uy: Likewise.
        uz: Likewise.
        row: The contact; see `contacts.COLUMNS`.
        rate: One over the time step [1/s].

    Returns:
        As `contact_force`.
    """
    nx, ny, nz = row[0], row[1], row[2]
    deep = row[HEIGHT] - (nx * px + ny * py + nz * pz)
    if deep <= _ZERO:
        return 0.0, 0.0, 0.0, _ZERO, _ZERO
    along = nx * ux + ny * uy + nz * uz
    stiff = row[STIFFNESS]
    push = stiff * deep
    bound = row[FRICTION] * push
    if along < _ZERO:  # only what comes nearer is damped
        stiff += row[DAMPING] * rate
        push -= row[DAMPING] * rate * along
    ux, uy, uz = ux - along * nx, uy - along * ny, uz - along * nz
    way = math.sqrt(ux * ux + uy * uy + uz * uz + _TINY)
    grip = _ZERO
    if way < row[GROWTH]:
        grip = bound * (_TWO - way / row[GROWTH]) / row[GROWTH]
    elif way > _ZERO:
        grip = bound / way
    return push * nx - grip * ux, push * ny - grip * uy, push * nz - grip * uz, stiff, grip


@_compiled
def contact_force(x: Any, before: Any, v: int, row: Any, rate: float) -> Any:
    """Force on a particle, and the parts of its second derivative.

    Args:
        x: Places of all particles, flat [m].
        before: The same at the start of the step.
        v: The particle.
        row: The contact; see `contacts.COLUMNS`.
        rate: One over the time step [1/s].

    Returns:
        Force x, y, z [N]; stiffness along the normal and across it [N/m]; all zero without touch.
    """
    if row[FRICTION] == _HELD:
        k = row[STIFFNESS]
        ux = x[3 * v] - before[3 * v] - row[MOTION]
        uy = x[3 * v + 1] - before[3 * v + 1] - row[MOTION + 1]
        uz = x[3 * v + 2] - before[3 * v + 2] - row[MOTION + 2]
        return -k * ux, -k * uy, -k * uz, k, k
    ux = x[3 * v] - before[3 * v] - row[MOTION]
    uy = x[3 * v + 1] - before[3 * v + 1] - row[MOTION + 1]
    uz = x[3 * v + 2] - before[3 * v + 2] - row[MOTION + 2]
    return point_force(x[3 * v], x[3 * v + 1], x[3 * v + 2], ux, uy, uz, row, rate)


@_compiled
def add_stiffness(
    sums: Any, lane: int, along: float, evenly: float, nx: float, ny: float, nz: float
) -> None:
    """Add a stiffness along a direction, and one that is the same in all, to a vertex [N/m].

    Args:
        sums: What is added to, 9 rows.
        lane: The vertex's column.
        along: The stiffness along the direction.
        evenly: That in all directions.
        nx: The direction, a unit vector.
        ny: Its second part.
        nz: Its third part.
    """
    sums[3 * _W + lane] += evenly + along * nx * nx
    sums[4 * _W + lane] += along * nx * ny
    sums[5 * _W + lane] += along * nx * nz
    sums[6 * _W + lane] += evenly + along * ny * ny
    sums[7 * _W + lane] += along * ny * nz
    sums[8 * _W + lane] += evenly + along * nz * nz


@_compiled
def add_reaction(found: Any, row: Any, share: float, sums: Any, lane: int) -> None:
    """Add gradient and second derivative of a contact that a particle has a share of.

    Args:
        found: See `contact_force`.
        row: The contact; see `contacts.COLUMNS`.
        share: Of the place of the point that touches.
        sums: What is added to, 9 rows.
        lane: The particle's column.
    """
    fx, fy, fz, stiff, grip = found
    sums[lane] -= share * fx
    sums[_W + lane] -= share * fy
    sums[2 * _W + lane] -= share * fz
    square = share * share
    add_stiffness(sums, lane, square * (stiff - grip), square * grip, row[0], row[1], row[2])


@_compiled
def write_reaction(found: Any, c: int, forces: Any, stiffness: Any) -> None:
    """Write what a contact does.

    Args:
        found: See `contact_force`.
        c: The contact.
        forces: Gets the force, (n, 3) [N].
        stiffness: Gets that along the normal and that across it, (n, 2) [N/m].
    """
    forces[c, 0], forces[c, 1], forces[c, 2], stiffness[c, 0], stiffness[c, 1] = found


@_compiled
def add_contacts(
    x: Any, before: Any, v: int, lane: int, first: Any, rows: Any, rate: float, sums: Any
) -> None:
    """Add gradient and second derivative of a particle's contacts.

    Args:
        x: Places of all particles, flat [m].
        before: The same at the start of the step.
        v: The particle.
        lane: Where it is in its tile.
        first: The first contact of each particle, and the number of all.
        rows: Contacts, (n, contacts.COLUMNS).
        rate: One over the time step [1/s].
        sums: What is added to, 9 rows.
    """
    for c in range(first[v], first[v + 1]):
        row = rows[c]
        add_reaction(contact_force(x, before, v, row, rate), row, _ONE, sums, lane)


@_compiled
def write_reactions(
    x: Any, before: Any, particles: Any, rows: Any, rate: float, forces: Any, stiffness: Any
) -> None:
    """Write what contacts do to their particles.

    Args:
        x: Places of all particles, flat [m].
        before: The same at the start of the step.
        particles: Of each contact.
        rows: Contacts, (n, contacts.COLUMNS).
        rate: One over the time step [1/s].
        forces: Gets the force on each particle, (n, 3) [N].
        stiffness: Gets that along the normal and that across it, (n, 2) [N/m].
    """
    for c in range(len(rows)):
        found = contact_force(x, before, particles[c], rows[c], rate)
        write_reaction(found, c, forces, stiffness)
