# ruff: noqa: PLR0913, PLR0917 - compiled code takes its state as plain arguments
"""What particles touch in a step, and what holds them, as rows for their solver.

Friction grows with the way slid up to its bound (see `core.deform.vbd.touch`). Were that the way of
one step, what friction holds would creep: a way in each step. So a contact goes on with the way of
the step before, but with no more of it than friction grows over: what is beyond is slid for good
(the bristle of Dahl 1968).
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from unibody.core.deform.contacts import (
    DAMPING,
    FRICTION,
    GROWTH,
    HEIGHT,
    HELD,
    MOTION,
    NORMAL,
    STIFFNESS,
)
from unibody.core.engine.soft import contact_stiffness, shape_distance, shapes, touch
from unibody.core.engine.soft.contact_stiffness import GOES, HARD, SHARE, stiffen, turns
from unibody.core.engine.soft.contact_tables import (
    GEOM_BITS,
    Held,
    Meets,
    Particles,
    Rigid,
    Rows,
    Slid,
)
from unibody.core.engine.soft.shapes import Shapes
from unibody.core.engine.soft.touch import DEPTH, distance
from unibody.machine_code.array_calls import array_function
from unibody.machine_code.jit import inlined_kernel, kernel

CREEP = 2e-3
"""Friction grows up to the way of a step at this speed [m/s]."""

_PLANE = int(mujoco.mjtGeom.mjGEOM_PLANE)
_BOX = int(mujoco.mjtGeom.mjGEOM_BOX)
_GEOM_BITS = GEOM_BITS
_NORMAL, _HEIGHT, _STIFFNESS, _DAMPING, _FRICTION = NORMAL, HEIGHT, STIFFNESS, DAMPING, FRICTION
_GROWTH, _MOTION, _HELD = GROWTH, MOTION, HELD


@kernel
def point_speed(rigid: Rigid, body: int, x: float, y: float, z: float) -> Any:
    """Velocity of a point of a body [m/s]."""
    twist, origin = rigid.cvel[body], rigid.subtree_com[rigid.body_rootid[body]]
    rx, ry, rz = x - origin[0], y - origin[1], z - origin[2]
    return (
        twist[3] + twist[1] * rz - twist[2] * ry,
        twist[4] + twist[2] * rx - twist[0] * rz,
        twist[5] + twist[0] * ry - twist[1] * rx,
    )


@kernel
def fastest(cvel: Any) -> float:
    """The largest of all components of rigid bodies' velocities [m/s]."""
    most = 0.0
    for body in range(len(cvel)):
        for k in range(3, 6):
            most = max(most, abs(cvel[body, k]))
    return most


@kernel
def _reach(particles: Particles, p: int, fast: float, dt: float) -> float:
    """How near a shape a particle has to be to be looked at [m]."""
    v = particles.velocities[p]
    speed = math.sqrt(float(v[0]) ** 2 + float(v[1]) ** 2 + float(v[2]) ** 2)
    return particles.radii[p] + dt * (speed + fast)


@kernel
def _beside(rigid: Rigid, g: int, half: Any, low: Any, high: Any) -> bool:
    """Whether a box is beyond a side of a geom that is one, of half sizes (3,)."""
    turn, place = rigid.geom_xmat[g], rigid.geom_xpos[g]
    for a in range(3):
        away, reach = 0.0, half[a]
        for k in range(3):
            away += turn[3 * k + a] * (0.5 * (low[k] + high[k]) - place[k])
            reach += abs(turn[3 * k + a]) * 0.5 * (high[k] - low[k])
        if abs(away) > reach:
            return True
    return False


@kernel
def candidates(
    particles: Particles, rigid: Rigid, shapes: Shapes, geoms: Any, fast: float, dt: float,
    near: Any,
) -> int:  # fmt: skip
    """Which geoms are near the box around all particles; their number.

    The ball around a box alone says little where the box is a floor.
    """
    kinds, reaches = shapes.kinds, shapes.reaches
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for p in range(len(particles.positions)):
        reach = _reach(particles, p, fast, dt)
        for k in range(3):
            low[k] = min(low[k], particles.positions[p, k] - reach)
            high[k] = max(high[k], particles.positions[p, k] + reach)
    found = 0
    for g in geoms:
        away = 0.0
        for k in range(3):
            at = rigid.geom_xpos[g, k]
            away += max(low[k] - at, 0.0, at - high[k]) ** 2
        if kinds[g] != _PLANE and away > reaches[g] ** 2:
            continue
        if kinds[g] != _BOX or not _beside(rigid, g, shapes.sizes[g], low, high):
            near[found] = g
            found += 1
    return found


@kernel
def _hold(particles: Particles, rigid: Rigid, held: Held, a: int, found: Rows, at: int,
          dt: float) -> None:  # fmt: skip
    """Write the row of a particle that a rigid body holds where the body will be."""
    p, body = held.particles[a], held.bodies[a]
    turn, local, place = rigid.xmat[body], held.locals[a], rigid.xpos[body]
    x = place[0] + turn[0] * local[0] + turn[1] * local[1] + turn[2] * local[2]
    y = place[1] + turn[3] * local[0] + turn[4] * local[1] + turn[5] * local[2]
    z = place[2] + turn[6] * local[0] + turn[7] * local[1] + turn[8] * local[2]
    vx, vy, vz = point_speed(rigid, body, x, y, z)
    x, y, z = x + dt * vx, y + dt * vy, z + dt * vz
    row = found.rows[at]
    row[:] = 0.0
    stiffness, inverse = HARD * held.masses[a], rigid.body_invweight0[body, 0]
    if inverse > 0.0:  # a particle may be held far from the centre, where it turns the body
        inverse += turns(rigid, body, x, y, z)
        stiffness = min(stiffness, SHARE / (inverse * found.counts[body]))
    row[_STIFFNESS] = stiffness / (dt * dt)
    row[_FRICTION] = _HELD
    row[_MOTION] = x - particles.positions[p, 0]
    row[_MOTION + 1] = y - particles.positions[p, 1]
    row[_MOTION + 2] = z - particles.positions[p, 2]
    found.points[at, 0], found.points[at, 1], found.points[at, 2] = x, y, z
    found.bodies[at], found.keys[at] = body, p << _GEOM_BITS


@kernel
def write_touch(
    particles: Particles, rigid: Rigid, p: int, g: int, at: Any, gap: float, normal: Any,
    way: Any, dt: float, row: Any,
) -> None:  # fmt: skip
    """Write all but the stiffness of a contact of a particle, or of a point of its face.

    Args:
        particles: See `Particles`.
        rigid: See `Rigid`.
        p: The particle, whose radius and friction count.
        g: The geom.
        at: Where its surface is touched, x, y, z [m].
        gap: How far the particle's centre, or the point, is from the surface [m].
        normal: Of the surface, outwards.
        way: How far the particle or the point slid on the geom, x, y, z [m].
        dt: Time step [s].
        row: Gets it.
    """
    x, y, z = at
    nx, ny, nz = normal
    vx, vy, vz = point_speed(rigid, rigid.geom_bodyid[g], x, y, z)
    vx, vy, vz = dt * vx, dt * vy, dt * vz
    radius = particles.radii[p]
    row[_NORMAL], row[_NORMAL + 1], row[_NORMAL + 2] = nx, ny, nz
    surface = nx * (x + vx) + ny * (y + vy) + nz * (z + vz)
    row[_HEIGHT] = surface + radius - (1.0 - GOES) * max(radius - gap, 0.0)
    row[_DAMPING] = 0.0
    row[_FRICTION] = particles.friction[p] * rigid.geom_friction[g, 0]
    row[_GROWTH] = CREEP * dt
    along = nx * way[0] + ny * way[1] + nz * way[2]
    row[_MOTION] = vx - (way[0] - along * nx)
    row[_MOTION + 1] = vy - (way[1] - along * ny)
    row[_MOTION + 2] = vz - (way[2] - along * nz)


@kernel
def _touch(
    particles: Particles, rigid: Rigid, p: int, g: int, gap: float, normal: Any, way: Any,
    found: Rows, at: int, dt: float,
) -> None:  # fmt: skip
    """Write the row of a particle near a geom; its stiffness is written when all are known.

    Args:
        particles: See `Particles`.
        rigid: See `Rigid`.
        p: The particle.
        g: The geom.
        gap: How far the particle's centre is from the surface [m].
        normal: Of the surface, outwards.
        way: How far the particle slid on the geom, x, y, z [m].
        found: Gets the row.
        at: Its number.
        dt: Time step [s].
    """
    body = rigid.geom_bodyid[g]
    x = particles.positions[p, 0] - gap * normal[0]
    y = particles.positions[p, 1] - gap * normal[1]
    z = particles.positions[p, 2] - gap * normal[2]
    write_touch(particles, rigid, p, g, (x, y, z), gap, normal, way, dt, found.rows[at])
    found.points[at, 0], found.points[at, 1], found.points[at, 2] = x, y, z
    found.bodies[at], found.keys[at] = body, (p << _GEOM_BITS) + g


@kernel
def way_at(slid: Slid, at: int, key: int) -> Any:
    """The way slid at a place, x, y, z, if it is that of a key; else none [m]."""
    if at < len(slid.keys) and slid.keys[at] == key:
        return slid.ways[at, 0], slid.ways[at, 1], slid.ways[at, 2]
    return 0.0, 0.0, 0.0


@inlined_kernel
def find_particles(
    particles: Particles, rigid: Rigid, shapes: Shapes, near: Any, count: int, fast: float,
    meets: Meets, held: Held, slid: Slid, found: Rows, dt: float,
) -> int:  # fmt: skip
    """See `find`; of `near` so many geoms are looked at, and stiffnesses are not written."""
    room, number, a, known = len(found.keys), 0, 0, 0
    stack = np.zeros(DEPTH, dtype=np.int64)
    found.counts[:] = 0
    for body in held.bodies:
        found.counts[body] += 1
    for p in range(len(particles.positions)):
        found.first[p] = number
        before = a
        while a < len(held.particles) and held.particles[a] == p:
            if number < room:
                _hold(particles, rigid, held, a, found, number, dt)
            a += 1
            number += 1
        if a > before:
            continue
        skin = _reach(particles, p, fast, dt)
        allowed = meets.allowed[meets.owners[p]]
        for g in near[:count]:
            place, r = rigid.geom_xpos[g], rigid.geom_xmat[g]
            dx = particles.positions[p, 0] - place[0]
            dy = particles.positions[p, 1] - place[1]
            dz = particles.positions[p, 2] - place[2]
            bound = np.inf if shapes.kinds[g] == _PLANE else shapes.reaches[g] + skin
            away = dx * dx + dy * dy + dz * dz
            if away > bound * bound or allowed[rigid.geom_bodyid[g]] == 0:
                continue
            x = r[0] * dx + r[3] * dy + r[6] * dz
            y = r[1] * dx + r[4] * dy + r[7] * dz
            z = r[2] * dx + r[5] * dy + r[8] * dz
            gap, nx, ny, nz = distance(g, x, y, z, shapes, max(4.0 * skin, 0.05), stack)
            if gap > skin:
                continue
            if number < room:
                normal = (
                    r[0] * nx + r[1] * ny + r[2] * nz,
                    r[3] * nx + r[4] * ny + r[5] * nz,
                    r[6] * nx + r[7] * ny + r[8] * nz,
                )
                key = (p << _GEOM_BITS) + g
                while known < len(slid.keys) and slid.keys[known] < key:
                    known += 1
                way = way_at(slid, known, key)
                _touch(particles, rigid, p, g, gap, normal, way, found, number, dt)
            number += 1
    found.first[-1] = number
    return number


@array_function(contact_stiffness, shape_distance, shapes, touch, returns=True)
def find(
    particles: Particles, rigid: Rigid, shapes: Shapes, geoms: Any, meets: Meets, held: Held,
    slid: Slid, found: Rows, dt: float,
) -> int:  # fmt: skip
    """Find particles that are near a shape, or will be at the end of a step, and those held.

    Args:
        particles: See `Particles`.
        rigid: See `Rigid`.
        shapes: Of all geoms.
        geoms: Which geoms are looked at, in ascending order, (g,).
        meets: See `Meets`.
        held: See `Held`; they touch nothing.
        slid: Ways of the step before.
        found: Gets rows, ordered by particle and geom.
        dt: Time step [s].

    Returns:
        How many rows there are; if more than there is room for, rows are not complete.
    """
    near = np.zeros(len(geoms), dtype=np.int64)
    fast = fastest(rigid.cvel)
    count = candidates(particles, rigid, shapes, geoms, fast, dt, near)
    number = find_particles(
        particles, rigid, shapes, near, count, fast, meets, held, slid, found, dt
    )
    if number <= len(found.keys):
        stiffen(particles, rigid, found, dt)
    return number
