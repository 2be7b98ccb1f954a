# ruff: noqa: PLR0913, PLR0917 - compiled code takes its state as plain arguments
"""Steps of modal bodies among rigid ones, compiled: impulses at their points, one after the other.

The scheme is that of Bullet's reduced deformable bodies: explicit forces of the modes, contacts at
the places that the frame alone would come to, and sequential impulses that move frame, modes and
rigid bodies.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import mujoco
import numpy as np

from unibody.core.deform.modal import Motion, Shape
from unibody.core.engine.soft import contact_rows, reactions, shape_distance, shapes, touch
from unibody.core.engine.soft.contact_rows import candidates, point_speed
from unibody.core.engine.soft.contact_tables import Particles, Rigid
from unibody.core.engine.soft.reactions import push
from unibody.core.engine.soft.shapes import Shapes
from unibody.core.engine.soft.touch import DEPTH, distance
from unibody.machine_code.array_calls import array_function
from unibody.machine_code.jit import kernel

_ITERATIONS = 50  # of Bullet
_ENOUGH = 1e-7  # (m/s)^2: the largest change of a normal speed in an iteration that ends it
_TINY = 1e-12
_PLANE = int(mujoco.mjtGeom.mjGEOM_PLANE)
_NUMBERS = 29  # of a contact: its normal and two directions across, nine numbers, then
_ARM, _POINT, _RIGID_ARM, _FACTOR, _WANTED, _IMPULSE = 9, 12, 15, 18, 21, 24
_INVERSE_MASS, _INVERSE_INERTIA = 27, 28


class Surface(NamedTuple):
    """How a modal body touches, and how its modes are damped; see `ModalBody`."""

    radius: float
    friction: float
    damping: float
    correction: float
    softness: float


@kernel
def _turned(turn: Any, angular: Any, dt: float) -> Any:
    """A rotation that goes on with an angular velocity for a step, (3, 3)."""
    x, y, z = angular[0], angular[1], angular[2]
    speed = math.sqrt(x * x + y * y + z * z)
    angle = speed * dt
    near = speed < _TINY
    a = dt if near else math.sin(angle) / speed
    b = 0.5 * dt * dt if near else (1.0 - math.cos(angle)) / (speed * speed)
    found = np.empty((3, 3))
    for k in range(3):
        u, v, w = turn[0, k], turn[1, k], turn[2, k]
        p, q, r = y * w - z * v, z * u - x * w, x * v - y * u
        found[0, k] = u + a * p + b * (y * r - z * q)
        found[1, k] = v + a * q + b * (z * p - x * r)
        found[2, k] = w + a * r + b * (x * q - y * p)
    for k in range(3):  # rounding does not add up
        for j in range(k):
            along = 0.0
            for i in range(3):
                along += found[i, j] * found[i, k]
            for i in range(3):
                found[i, k] -= along * found[i, j]
        length = 0.0
        for i in range(3):
            length += found[i, k] ** 2
        for i in range(3):
            found[i, k] /= math.sqrt(length)
    return found


@kernel
def _place_points(
    shape: Shape, motion: Motion, turn: Any, place: Any, points: Any, speeds: Any
) -> None:
    """Write where all points are and how they move, with the frame at a given place."""
    count = len(shape.stiffness)
    local, rate = np.empty(3), np.empty(3)
    for p in range(len(shape.rest)):
        for k in range(3):
            local[k], rate[k] = shape.rest[p, k], 0.0
            for r in range(count):
                local[k] += shape.modes[r, 3 * p + k] * motion.amounts[r]
                rate[k] += shape.modes[r, 3 * p + k] * motion.rates[r]
        x = turn[0, 0] * local[0] + turn[0, 1] * local[1] + turn[0, 2] * local[2]
        y = turn[1, 0] * local[0] + turn[1, 1] * local[1] + turn[1, 2] * local[2]
        z = turn[2, 0] * local[0] + turn[2, 1] * local[1] + turn[2, 2] * local[2]
        points[p, 0], points[p, 1], points[p, 2] = x + place[0], y + place[1], z + place[2]
        w = motion.angular
        change = w[1] * z - w[2] * y, w[2] * x - w[0] * z, w[0] * y - w[1] * x
        for k in range(3):
            turned = turn[k, 0] * rate[0] + turn[k, 1] * rate[1] + turn[k, 2] * rate[2]
            speeds[p, k] = change[k] + turned + motion.linear[k]


@kernel
def _world_rows(turn: Any, local: Any, p: int, rows: Any) -> None:
    """What each mode has at a point, in the world, (r, 3)."""
    for r in range(len(rows)):
        x, y, z = local[r, 3 * p], local[r, 3 * p + 1], local[r, 3 * p + 2]
        for k in range(3):
            rows[r, k] = turn[k, 0] * x + turn[k, 1] * y + turn[k, 2] * z


@kernel
def _answer(inverse: Any, arm: Any, way: Any) -> float:
    """Speed along a direction that an impulse along it gives a turning body at an arm."""
    tx = arm[1] * way[2] - arm[2] * way[1]
    ty = arm[2] * way[0] - arm[0] * way[2]
    tz = arm[0] * way[1] - arm[1] * way[0]
    found = 0.0
    found += tx * (inverse[0, 0] * tx + inverse[0, 1] * ty + inverse[0, 2] * tz)
    found += ty * (inverse[1, 0] * tx + inverse[1, 1] * ty + inverse[1, 2] * tz)
    found += tz * (inverse[2, 0] * tx + inverse[2, 1] * ty + inverse[2, 2] * tz)
    return found


@kernel
def _factor(mass: float, inverse: Any, contact: Any, way: Any, moved: Any, pushed: Any) -> float:
    """Relative speed along a direction that an impulse along it gives."""
    found = 1.0 / mass + _answer(inverse, contact[_ARM : _ARM + 3], way)
    for r in range(len(moved)):
        there = moved[r, 0] * way[0] + moved[r, 1] * way[1] + moved[r, 2] * way[2]
        found += there * (pushed[r, 0] * way[0] + pushed[r, 1] * way[1] + pushed[r, 2] * way[2])
    arm = contact[_RIGID_ARM : _RIGID_ARM + 3]
    tx = arm[1] * way[2] - arm[2] * way[1]
    ty = arm[2] * way[0] - arm[0] * way[2]
    tz = arm[0] * way[1] - arm[1] * way[0]
    turns = contact[_INVERSE_INERTIA] * (tx * tx + ty * ty + tz * tz)
    return found + contact[_INVERSE_MASS] + turns


@kernel
def _directions(contact: Any) -> None:
    """Write two directions across the normal of a contact."""
    least = 0
    for k in range(1, 3):
        if abs(contact[k]) < abs(contact[least]):
            least = k
    i, j = (least + 1) % 3, (least + 2) % 3
    length = math.sqrt(contact[i] ** 2 + contact[j] ** 2)
    contact[3 + least], contact[3 + i], contact[3 + j] = (
        0.0,
        contact[j] / length,
        -contact[i] / length,
    )
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        contact[6 + k] = contact[i] * contact[3 + j] - contact[j] * contact[3 + i]


@kernel
def _prepare(
    contact: Any, mass: float, inverse: Any, moved: Any, pushed: Any, velocity: Any, gap: float,
    surface: Surface, dt: float,
) -> None:  # fmt: skip
    """Write what a contact wants, from the relative velocity at it and its gap."""
    _directions(contact)
    goes = gap if gap > 0.0 else surface.correction * gap
    for d in range(3):
        way = contact[3 * d : 3 * d + 3]
        along = velocity[0] * way[0] + velocity[1] * way[1] + velocity[2] * way[2]
        contact[_FACTOR + d] = _factor(mass, inverse, contact, way, moved, pushed)
        contact[_WANTED + d] = -(along + (goes / dt if d == 0 else 0.0)) / contact[_FACTOR + d]


@kernel
def _change(contact: Any, frame: Any, rates: Any, moved: Any, rigid: Any, way: int) -> float:
    """How far impulses have changed the relative speed along a direction of a contact."""
    arm, other = contact[_ARM : _ARM + 3], contact[_RIGID_ARM : _RIGID_ARM + 3]
    found = 0.0
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        speed = frame[k] + frame[3 + i] * arm[j] - frame[3 + j] * arm[i]
        speed -= rigid[k] + rigid[3 + i] * other[j] - rigid[3 + j] * other[i]
        for r in range(len(rates)):
            speed += moved[r, k] * rates[r]
        found += speed * contact[way + k]
    return found


@kernel
def _apply(
    contact: Any, x: float, y: float, z: float, mass: float, inverse: Any, pushed: Any, frame: Any,
    rigid: Any,
) -> None:  # fmt: skip
    """Give an impulse to the frame, and its opposite to the rigid body."""
    ax, ay, az = contact[_ARM], contact[_ARM + 1], contact[_ARM + 2]
    tx, ty, tz = ay * z - az * y, az * x - ax * z, ax * y - ay * x
    frame[0] += x / mass
    frame[1] += y / mass
    frame[2] += z / mass
    for k in range(3):
        frame[3 + k] += inverse[k, 0] * tx + inverse[k, 1] * ty + inverse[k, 2] * tz
    ax, ay, az = contact[_RIGID_ARM], contact[_RIGID_ARM + 1], contact[_RIGID_ARM + 2]
    m, turns = contact[_INVERSE_MASS], contact[_INVERSE_INERTIA]
    rigid[0] -= m * x
    rigid[1] -= m * y
    rigid[2] -= m * z
    rigid[3] -= turns * (ay * z - az * y)
    rigid[4] -= turns * (az * x - ax * z)
    rigid[5] -= turns * (ax * y - ay * x)


@kernel
def _iterate(
    contacts: Any, bodies: Any, count: int, shape: Shape, motion: Motion, mass: float, inverse: Any,
    moved: Any, pushed: Any, frame: Any, rates: Any, rigid: Any, surface: Surface, dt: float,
) -> float:  # fmt: skip
    """Go through all contacts once; the largest change of a normal speed, squared."""
    most = 0.0
    for c in range(count):
        contact, body = contacts[c], rigid[bodies[c]]
        x, y, z = 0.0, 0.0, 0.0
        for d in range(3):
            factor, before = contact[_FACTOR + d], contact[_IMPULSE + d]
            after = before + contact[_WANTED + d]
            after -= _change(contact, frame, rates, moved[c], body, 3 * d) / factor
            if d == 0:
                after = max(after - before * surface.softness, 0.0)
                most = max(most, ((after - before) * factor) ** 2)
            else:
                bound = surface.friction * contact[_IMPULSE]
                after = min(max(after, -bound), bound)
            contact[_IMPULSE + d] = after
            x += (after - before) * contact[3 * d]
            y += (after - before) * contact[3 * d + 1]
            z += (after - before) * contact[3 * d + 2]
        rows = pushed[c]
        for r in range(len(rates)):
            slows = dt * surface.damping * shape.stiffness[r] * (motion.rates[r] + rates[r])
            rates[r] += rows[r, 0] * x + rows[r, 1] * y + rows[r, 2] * z - slows
        _apply(contact, x, y, z, mass, inverse, rows, frame, body)
    return most


@kernel
def _world_inverse(shape: Shape, turn: Any) -> Any:
    """The inverse inertia in the world, (3, 3)."""
    found = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                for m in range(3):
                    found[i, j] += turn[i, k] * shape.inverse_inertia[k, m] * turn[j, m]
    return found


@kernel
def _find(
    points: Any, speeds: Any, particles: Particles, rigid: Rigid, shapes: Shapes, geoms: Any,
    gravity: Any, reach: float, dt: float,
) -> Any:  # fmt: skip
    """Which points touch which rigid bodies.

    Returns:
        Points and bodies, (n, 2); gap, place of the contact, normal and velocity of the body there,
        (n, 10).
    """
    near = np.zeros(len(geoms), dtype=np.int64)
    stack = np.zeros(DEPTH, dtype=np.int64)
    fast = 0.0
    for body in range(len(rigid.cvel)):
        for k in range(3, 6):
            fast = max(fast, abs(rigid.cvel[body, k]))
    skin = reach + dt * fast
    number = candidates(particles, rigid, shapes, geoms, fast, dt, near)
    pairs = np.zeros((len(points), 2), dtype=np.int64)
    places = np.zeros((len(points), 10))
    count = 0
    for p in range(len(points)):
        for g in near[:number]:
            at, r = rigid.geom_xpos[g], rigid.geom_xmat[g]
            dx, dy, dz = points[p, 0] - at[0], points[p, 1] - at[1], points[p, 2] - at[2]
            away = dx * dx + dy * dy + dz * dz
            if shapes.kinds[g] != _PLANE and away > (shapes.reaches[g] + skin) ** 2:
                continue
            x = r[0] * dx + r[3] * dy + r[6] * dz
            y = r[1] * dx + r[4] * dy + r[7] * dz
            z = r[2] * dx + r[5] * dy + r[8] * dz
            gap, nx, ny, nz = distance(g, x, y, z, shapes, max(4.0 * skin, 0.05), stack)
            if gap > skin:
                continue
            normal = (
                r[0] * nx + r[1] * ny + r[2] * nz,
                r[3] * nx + r[4] * ny + r[5] * nz,
                r[6] * nx + r[7] * ny + r[8] * nz,
            )
            body = rigid.geom_bodyid[g]
            px = points[p, 0] - gap * normal[0]
            py = points[p, 1] - gap * normal[1]
            pz = points[p, 2] - gap * normal[2]
            vx, vy, vz = point_speed(rigid, body, px, py, pz)
            if rigid.body_invweight0[body, 0] > 0.0:
                vx, vy, vz = vx + dt * gravity[0], vy + dt * gravity[1], vz + dt * gravity[2]
            towards = vx * normal[0] + vy * normal[1] + vz * normal[2]
            if gap - dt * towards >= reach:
                continue
            if count == len(pairs):
                more = np.zeros((2 * count, 2), dtype=np.int64)
                more[:count] = pairs
                longer = np.zeros((2 * count, 10))
                longer[:count] = places
                pairs, places = more, longer
            pairs[count, 0], pairs[count, 1] = p, body
            row = places[count]
            row[0], row[1], row[2], row[3] = gap - reach, px, py, pz
            row[4], row[5], row[6] = normal
            row[7], row[8], row[9] = vx, vy, vz
            count += 1
    return pairs[:count], places[:count]


@kernel
def _contacts(
    pairs: Any, places: Any, points: Any, speeds: Any, shape: Shape, mass: float, inverse: Any,
    turn: Any, place: Any, rigid: Rigid, surface: Surface, moved: Any, pushed: Any, dt: float,
) -> Any:  # fmt: skip
    """The contacts of all pairs, (n, _NUMBERS)."""
    contacts = np.zeros((len(pairs), _NUMBERS))
    velocity = np.zeros(3)
    for c in range(len(pairs)):
        p, body = pairs[c, 0], pairs[c, 1]
        contact, row = contacts[c], places[c]
        _world_rows(turn, shape.modes, p, moved[c])
        _world_rows(turn, shape.projected, p, pushed[c])
        for k in range(3):
            contact[k] = row[4 + k]
            contact[_POINT + k] = row[1 + k]
            contact[_ARM + k] = points[p, k] - place[k]
            contact[_RIGID_ARM + k] = row[1 + k] - rigid.xipos[body, k]
            velocity[k] = speeds[p, k] - row[7 + k]
        contact[_INVERSE_MASS] = rigid.body_invweight0[body, 0]
        contact[_INVERSE_INERTIA] = rigid.body_invweight0[body, 1]
        _prepare(contact, mass, inverse, moved[c], pushed[c], velocity, row[0], surface, dt)
    return contacts


@array_function(contact_rows, reactions, shape_distance, shapes, touch, returns=True)
def advance(
    shape: Shape, motion: Motion, points: Any, speeds: Any, particles: Particles, rigid: Rigid,
    shapes: Shapes, geoms: Any, gravity: Any, surface: Surface, dt: float,
) -> int:  # fmt: skip
    """Move a modal body by a step, and push the rigid bodies it touches.

    Args:
        shape: What does not change of it.
        motion: Where it is, and how it moves.
        points: Get the places of its points, (p, 3) [m].
        speeds: Get their velocities, (p, 3) [m/s].
        particles: These arrays as particles.
        rigid: See `contact_tables.Rigid`; gets forces.
        shapes: Of all geoms.
        geoms: Which geoms it may touch, (g,).
        gravity: (3,) [m/s^2].
        surface: How it touches.
        dt: Time step [s].

    Returns:
        How many points touch.
    """
    count, mass = len(shape.stiffness), shape.masses.sum()
    for k in range(3):
        motion.linear[k] += dt * gravity[k]
    for r in range(count):
        force = motion.amounts[r] + surface.damping * motion.rates[r]
        motion.rates[r] -= dt * shape.stiffness[r] * force
    turn = _turned(motion.turn, motion.angular, dt)
    place = motion.place + dt * motion.linear
    _place_points(shape, motion, turn, place, points, speeds)
    pairs, places = _find(
        points, speeds, particles, rigid, shapes, geoms, gravity, surface.radius, dt
    )
    moved, pushed = np.zeros((len(pairs), count, 3)), np.zeros((len(pairs), count, 3))
    inverse = _world_inverse(shape, motion.turn)
    contacts = _contacts(
        pairs, places, points, speeds, shape, mass, inverse, turn, place, rigid, surface, moved,
        pushed, dt,
    )  # fmt: skip
    frame, rates = np.zeros(6), np.zeros(count)
    deltas = np.zeros((len(rigid.xipos), 6))
    for _ in range(_ITERATIONS):
        most = _iterate(
            contacts, pairs[:, 1].copy(), len(pairs), shape, motion, mass, inverse, moved, pushed,
            frame, rates, deltas, surface, dt,
        )  # fmt: skip
        if most <= _ENOUGH:
            break
    for c in range(len(pairs)):
        contact, body = contacts[c], pairs[c, 1]
        if contact[_INVERSE_MASS] > 0.0:
            x, y, z = 0.0, 0.0, 0.0
            for d in range(3):
                force = -contact[_IMPULSE + d] / dt
                x += force * contact[3 * d]
                y += force * contact[3 * d + 1]
                z += force * contact[3 * d + 2]
            push(rigid, body, contact[_POINT : _POINT + 3], x, y, z)
    for k in range(3):
        motion.linear[k] += frame[k]
        motion.angular[k] += frame[3 + k]
    for r in range(count):
        motion.rates[r] += rates[r]
        motion.amounts[r] += dt * motion.rates[r]
    motion.turn[:] = _turned(motion.turn, motion.angular, dt)
    for k in range(3):
        motion.place[k] += dt * motion.linear[k]
    _place_points(shape, motion, motion.turn, motion.place, points, speeds)
    return len(pairs)
