# ruff: noqa: PLR0913, PLR0917 - compiled code takes its state as plain arguments
"""What particles of position based dynamics touch, found where they come to if nothing holds them.

As in Bullet's soft bodies: a particle touches what it would be in at the end of the step, and
whether it sticks or slides is decided once, before anything is put right.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from unibody.core.deform.pbd import contacts, links, rounds
from unibody.core.deform.pbd.contacts import (
    ARM,
    HARDNESS,
    MASS,
    OFFSET,
    SLIDES,
    Rows,
    Sides,
    point_velocity,
    write_mass,
)
from unibody.core.deform.pbd.contacts import Rigid as Pushed
from unibody.core.deform.pbd.links import Groups
from unibody.core.deform.pbd.rounds import Bodies, box_around, fall, put_right
from unibody.core.engine.soft import (
    pushed_bodies,
    sampled_distance,
    shape_distance,
    shapes,
    touch,
)
from unibody.core.engine.soft.contact_tables import Rigid
from unibody.core.engine.soft.pushed_bodies import Arrays, push_free, write_answers, write_twists
from unibody.core.engine.soft.sampled_distance import Lattice, sampled
from unibody.core.engine.soft.shapes import Shapes
from unibody.core.engine.soft.touch import DEPTH, distance
from unibody.machine_code.array_calls import array_function
from unibody.machine_code.jit import inlined_kernel, kernel

_GEOM = mujoco.mjtGeom
_PLANE = int(_GEOM.mjGEOM_PLANE)
_CONVEX = (
    int(_GEOM.mjGEOM_SPHERE), int(_GEOM.mjGEOM_CAPSULE), int(_GEOM.mjGEOM_ELLIPSOID),
    int(_GEOM.mjGEOM_CYLINDER), int(_GEOM.mjGEOM_BOX), int(_GEOM.mjGEOM_MESH),
)  # fmt: skip
_HARD, _SOFT = 1.0, 0.1  # share of a depth that is put right at what moves, and what does not
_TINY = 1e-30


@kernel
def _slides(x: float, y: float, z: float, nearer: float, friction: float) -> float:
    """Share of a slide (x, y, z) that stays, where a particle comes nearer as stated."""
    bound = nearer * friction
    return 0.0 if x * x + y * y + z * z < bound * bound else 1.0 - friction


@kernel
def _near_box(rigid: Rigid, shapes: Shapes, geoms: Any, low: Any, high: Any, near: Any) -> int:
    """Geoms that are near a box; their number."""
    found = 0
    for g in geoms:
        away = 0.0
        for k in range(3):
            at = rigid.geom_xpos[g, k]
            away += max(low[k] - at, 0.0, at - high[k]) ** 2
        if shapes.kinds[g] == _PLANE or away <= shapes.reaches[g] ** 2:
            near[found] = g
            found += 1
    return found


@inlined_kernel
def _write(
    bodies: Bodies, p: int, gap: float, nx: float, ny: float, nz: float, friction: float,
    moves: bool, rows: Any, c: int,
) -> None:  # fmt: skip
    """Write a contact with what does not move yet; `weigh` goes on with what does."""
    x, start = bodies.x, bodies.start
    rows[c, 0], rows[c, 1], rows[c, 2] = nx, ny, nz
    rows[c, OFFSET] = gap - (nx * x[p, 0] + ny * x[p, 1] + nz * x[p, 2])
    wx, wy, wz = x[p, 0] - start[p, 0], x[p, 1] - start[p, 1], x[p, 2] - start[p, 2]
    nearer = wx * nx + wy * ny + wz * nz
    rows[c, SLIDES] = _slides(
        wx - nearer * nx, wy - nearer * ny, wz - nearer * nz, nearer, friction
    )
    rows[c, HARDNESS] = _HARD if moves else _SOFT
    rows[c, MASS] = friction  # for `weigh`


@inlined_kernel
def _frame(rigid: Rigid, g: int) -> Any:
    """Where a geom is, and how it is turned, row by row."""
    place, r = rigid.geom_xpos[g], rigid.geom_xmat[g]
    return (
        place[0], place[1], place[2], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]
    )  # fmt: skip


@inlined_kernel
def _reach(boxes: Any, g: int, margin: float) -> Any:
    """Middle and half sizes of the box in which particles may touch a geom, in its frame."""
    return (
        boxes[g, 0], boxes[g, 1], boxes[g, 2],
        boxes[g, 3] + margin, boxes[g, 4] + margin, boxes[g, 5] + margin,
    )  # fmt: skip


@inlined_kernel
def _local(points: Any, p: int, frame: Any) -> Any:
    """Where a particle is in a frame."""
    ox, oy, oz, xx, xy, xz, yx, yy, yz, zx, zy, zz = frame
    dx, dy, dz = points[p, 0] - ox, points[p, 1] - oy, points[p, 2] - oz
    return xx * dx + yx * dy + zx * dz, xy * dx + yy * dy + zy * dz, xz * dx + yz * dy + zz * dz


@inlined_kernel
def _gap(
    x: float, y: float, z: float, frame: Any, g: int, shapes: Shapes, margin: float, cell: float,
    known: Lattice, stack: Any,
) -> Any:  # fmt: skip
    """How far a point in a geom's frame is from it, and the normal there, world frame."""
    if cell > 0.0 and shapes.kinds[g] in _CONVEX:
        gap, nx, ny, nz = sampled(g, x, y, z, shapes, cell, known, stack)
    else:
        gap, nx, ny, nz = distance(g, x, y, z, shapes, max(4.0 * margin, 0.05), stack)
    _, _, _, xx, xy, xz, yx, yy, yz, zx, zy, zz = frame
    return (
        gap, xx * nx + xy * ny + xz * nz, yx * nx + yy * ny + yz * nz,
        zx * nx + zy * ny + zz * nz,
    )  # fmt: skip


@kernel
def _find_contacts(
    bodies: Bodies, free: Any, meets: Any, friction: Any, rigid: Rigid, shapes: Shapes, boxes: Any,
    geoms: Any, cell: float, known: Lattice, rows: Rows, fallen: Any,
) -> int:  # fmt: skip
    """Find particles that are in rigid bodies.

    Args:
        bodies: See `Bodies`.
        free: 0 for particles that touch nothing, (p,).
        meets: 0 for soft and rigid bodies that do not touch, (b, nbody).
        friction: Coefficient of each soft body, (b,).
        rigid: See `contact_tables.Rigid`.
        shapes: Of all geoms.
        boxes: Around each geom in its frame, middle and half sizes, (ngeom, 6) [m].
        geoms: Which geoms are looked at, (g,).
        cell: Width of the lattice that distances from convex shapes are sampled on; 0: they are
            exact [m].
        known: Samples of that lattice.
        rows: Gets contacts with numbers of bodies in the compiled model, -1 for those that do not
            move.
        fallen: Gets the boxes around soft bodies, wider by their margins, (b, 2, 3) [m].

    Returns:
        How many there are; if more than there is room for, rows are not complete.
    """
    number = 0
    stack, near = np.zeros(DEPTH, dtype=np.int64), np.zeros(len(geoms), dtype=np.int64)
    points = bodies.x
    for b in range(len(bodies.first) - 1):
        rows.first[b] = number
        margin, low, high = bodies.margins[b], fallen[b, 0], fallen[b, 1]
        box_around(bodies, b, margin, low, high)
        count = _near_box(rigid, shapes, geoms, low, high, near)
        for n in range(count):
            g = near[n]
            body = rigid.geom_bodyid[g]
            moves = rigid.body_invweight0[body, 0] > 0.0
            if meets[b, body] == 0:
                continue
            mu = friction[b] * rigid.geom_friction[g, 0]
            frame, box = _frame(rigid, g), _reach(boxes, g, margin)
            for p in range(bodies.first[b], bodies.first[b + 1]):
                if free[p] == 0 or (points[p, 3] <= 0.0 and not moves):
                    continue
                x, y, z = _local(points, p, frame)
                if abs(x - box[0]) > box[3] or abs(y - box[1]) > box[4] or abs(z - box[2]) > box[5]:
                    continue
                gap, nx, ny, nz = _gap(x, y, z, frame, g, shapes, margin, cell, known, stack)
                if gap >= margin:
                    continue
                if number < len(rows.particles):
                    rows.particles[number], rows.bodies[number] = p, body if moves else -1
                    _write(bodies, p, gap - margin, nx, ny, nz, mu, moves, rows.numbers, number)
                number += 1
    rows.first[-1] = number
    return number


@kernel
def _number_pushed(rows: Rows, holders: Any, found: Any) -> int:
    """Number the rigid bodies that particles touch or that hold them, and that move.

    Args:
        rows: With numbers of bodies in the compiled model; gets those among the found ones.
        holders: Bodies that move and hold particles, (h,).
        found: Gets the bodies, in ascending order, (nbody,).

    Returns:
        How many there are.
    """
    marks = np.zeros(len(found), dtype=np.int64)
    for body in holders:
        marks[body] = 1
    for c in range(rows.first[-1]):
        if rows.bodies[c] >= 0:
            marks[rows.bodies[c]] = 1
    count = 0
    for body in range(len(found)):
        if marks[body] != 0:
            found[count] = body
            marks[body] = count
            count += 1
    for c in range(rows.first[-1]):
        if rows.bodies[c] >= 0:
            rows.bodies[c] = marks[rows.bodies[c]]
    return count


@array_function(sampled_distance, shape_distance, shapes, touch, rounds, returns=True)
def approach(
    bodies: Bodies, gravity: Any, dt: float, free: Any, meets: Any, friction: Any, rigid: Rigid,
    shapes: Shapes, boxes: Any, geoms: Any, cell: float, known: Lattice, rows: Rows, holders: Any,
    found: Any, pushed: Any, fallen: Any,
) -> int:  # fmt: skip
    """Begin a step, and find what particles come to touch.

    Args:
        bodies: See `rounds.fall`.
        gravity: (3,) [m/s^2].
        dt: Time step [s].
        free: See `_find_contacts`.
        meets: Likewise.
        friction: Likewise.
        rigid: Likewise.
        shapes: Likewise.
        boxes: Likewise.
        geoms: Likewise.
        cell: Likewise.
        known: Likewise.
        rows: Gets contacts, with numbers of bodies among the found ones.
        holders: See `_number_pushed`.
        found: Likewise.
        pushed: Gets how many of these there are, (1,).
        fallen: See `_find_contacts`.

    Returns:
        How many contacts there are; if more than there is room for, nothing else counts.
    """
    fall(bodies, gravity, dt)
    number = _find_contacts(
        bodies, free, meets, friction, rigid, shapes, boxes, geoms, cell, known, rows, fallen
    )
    if number <= len(rows.particles):
        pushed[0] = _number_pushed(rows, holders, found)
    return number


@array_function(contacts, pushed_bodies)
def weigh(
    bodies: Bodies, rows: Rows, numbers: Any, free: Any, arrays: Arrays, centres: Any,
    pushed: Pushed, dt: float,
) -> None:  # fmt: skip
    """Go on with contacts of bodies that move: arms, masses, and which of them slide.

    Args:
        bodies: See `Bodies`.
        rows: Whose bodies are numbers of `pushed`.
        numbers: Of the pushed bodies in the compiled model, (n,).
        free: See `pushed_bodies.write_answers`.
        arrays: Likewise.
        centres: Gets the mass centre of each pushed body, (n, 3) [m].
        pushed: Gets answers and twists at the begin of the step of those that move freely; has
            those of the others.
        dt: Time step [s].
    """
    write_answers(numbers, free, arrays, pushed, centres)
    none = np.zeros((6, 6))
    for b in range(len(bodies.first) - 1):
        for c in range(rows.first[b], rows.first[b + 1]):
            body, p, row = rows.bodies[c], rows.particles[c], rows.numbers[c]
            if body < 0:
                continue
            x, start, friction = bodies.x[p], bodies.start[p], row[MASS]
            for k in range(3):
                row[ARM + k] = x[k] - centres[body, k]
            if pushed.whole[body] == 0:
                write_mass(row, x[3], none)
                continue
            write_mass(row, x[3], pushed.answers[body])
            vx, vy, vz = point_velocity(pushed.twists[body], row[ARM : ARM + 3])
            wx = x[0] - start[0] - dt * vx
            wy = x[1] - start[1] - dt * vy
            wz = x[2] - start[2] - dt * vz
            nearer = wx * row[0] + wy * row[1] + wz * row[2]
            row[SLIDES] = _slides(
                wx - nearer * row[0], wy - nearer * row[1], wz - nearer * row[2], nearer,
                friction,
            )  # fmt: skip


@kernel
def _place_of(numbers: Any, body: int) -> int:
    """Where a body is among some, -1 for none of them."""
    for n in range(len(numbers)):
        if numbers[n] == body:
            return n
    return -1


@kernel
def _hold(bodies: Bodies, rows: Rows, holders: Any, places: Any, numbers: Any, rigid: Rigid,
          pushed: Pushed) -> None:  # fmt: skip
    """Write where rigid bodies hold particles, and the masses of what they hold.

    Args:
        bodies: See `Bodies`.
        rows: With the particles; get all else.
        holders: What holds each, numbers in the compiled model, (n,).
        places: Where it holds it, in its frame, (n, 3) [m].
        numbers: Those bodies of the compiled model that are pushed.
        rigid: See `contact_tables.Rigid`.
        pushed: What is pushed.
    """
    for c in range(len(rows.particles)):
        row, body, local = rows.numbers[c], holders[c], places[c]
        turn = rigid.xmat[body]
        for k in range(3):
            way = turn[3 * k] * local[0] + turn[3 * k + 1] * local[1] + turn[3 * k + 2] * local[2]
            row[k] = rigid.xpos[body, k] + way
            row[ARM + k] = row[k] - rigid.xipos[body, k]
        n = _place_of(numbers, body)
        rows.bodies[c] = n
        if n >= 0:
            write_mass(row, bodies.x[rows.particles[c], 3], pushed.answers[n])


@array_function(contacts, links, pushed_bodies, rounds)
def finish(
    bodies: Bodies, groups: Groups, held: Rows, rows: Rows, sides: Sides, holders: Any,
    places: Any, numbers: Any, free: Any, arrays: Arrays, rigid: Rigid, pushed: Pushed,
    iterations: int, dt: float,
) -> None:  # fmt: skip
    """Put particles right, and push rigid bodies that move freely.

    Args:
        bodies: See `rounds.put_right`.
        groups: Likewise.
        held: See `_hold`.
        rows: What particles touch.
        sides: Particles on faces of other bodies.
        holders: See `_hold`.
        places: Likewise.
        numbers: Likewise.
        free: See `pushed_bodies.write_answers`.
        arrays: Likewise.
        rigid: See `_hold`.
        pushed: What is pushed; has the twists of bodies that do not move freely.
        iterations: See `rounds.put_right`.
        dt: Time step [s].
    """
    write_twists(numbers, free, arrays, pushed.twists)
    _hold(bodies, held, holders, places, numbers, rigid, pushed)
    put_right(bodies, groups, held, rows, sides, pushed, iterations, dt)
    push_free(numbers, free, arrays, pushed)
