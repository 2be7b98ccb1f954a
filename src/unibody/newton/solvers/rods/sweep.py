"""Rounds over bodies: each color in turn, a tile of bodies at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unibody.newton.solvers.rods import rows
from unibody.newton.solvers.rods.lanes import (
    WIDTH,
    columns,
    compiled,
    float32,
    inlined,
    inverted,
    multiplied,
    rotated,
    rotation_vector,
    spread,
    times,
    turned,
    vectorised,
)
from unibody.newton.solvers.rods.packing import Tiles
from unibody.newton.solvers.rods.rows import Joints, Law, anchor, gap_and_turn

_W = WIDTH
_ONE = float32(1.0)
_ZERO = float32(0.0)
# Rows of a tile of bodies in work: own and other poses, what joints ask for, and the block: force,
# torque, and stiffness, along, about and along (rows about), and about.
_OWN, _OTHER, _E, _F = 0, 7 * _W, 14 * _W, 20 * _W
_FORCE, _TORQUE, _LL, _AL, _AA = 26 * _W, 29 * _W, 32 * _W, 38 * _W, 47 * _W
WORK = 53
INERTIA = 14  # rows: mass over the squared step, inertia over it, and the free pose
FRAMES = 19  # rows: own and other anchor frames, turn at rest, sign


class Bodies(NamedTuple):
    """Bodies as the model and the solver have them.

    Attributes:
        q: Poses, (b, 7), changed.
        free: Where they would be without joints.
        com: Centres of mass, (b, 3) [m].
        mass: (b,) [kg].
        inv_mass: 0 for those that nothing moves.
        inertia: About centres of mass, (b, 3, 3) [kg m^2].
    """

    q: Any
    free: Any
    com: Any
    mass: Any
    inv_mass: Any
    inertia: Any


class Room(NamedTuple):
    """Arrays of a step, without use after it.

    Attributes:
        q: Places of centres and turns, (b + 1, 7), the world's last.
        inertia: Flat from (t, INERTIA, WIDTH).
        frames: Flat from (rounds, FRAMES, WIDTH).
        work: Flat from (WORK, WIDTH).
        joints: See `rows.room`.
        gathered: Likewise.
        values: Likewise.
        asked: Likewise.
    """

    q: Any
    inertia: Any
    frames: Any
    work: Any
    joints: Any
    gathered: Any
    values: Any
    asked: Any


def room(tiles: Tiles, bodies: int, joints: int) -> Room:
    """Room for the steps of a model."""
    q = np.zeros((bodies + 1, 7), np.float32)
    q[bodies, 6] = 1.0
    return Room(
        q,
        np.zeros(len(tiles.bodies) * INERTIA, np.float32),
        np.zeros(len(tiles.joints) * FRAMES, np.float32),
        np.zeros(WORK * _W, np.float32),
        *rows.room(joints),
    )


@compiled
def _centre(pose: Any, com: Any, q: Any) -> None:
    """Write the place of a body's centre of mass, and its turn."""
    x, y, z = rotated(pose[3], pose[4], pose[5], pose[6], com[0], com[1], com[2])
    q[0], q[1], q[2] = pose[0] + x, pose[1] + y, pose[2] + z
    q[3], q[4], q[5], q[6] = pose[3], pose[4], pose[5], pose[6]


@compiled
def _begin_bodies(tiles: Tiles, bodies: Bodies, dt: float, room: Room) -> None:
    """Write what lasts for a step: places, inertia, and where bodies would go."""
    count = len(bodies.mass)
    for b in range(count):
        _centre(bodies.q[b], bodies.com[b], room.q[b])
    over = _ONE / (float32(dt) * float32(dt))
    free = np.zeros(7, np.float32)
    for lane in range(len(tiles.bodies)):
        b = tiles.bodies[lane]
        if b == count:
            continue
        at = lane // _W * INERTIA * _W + lane % _W
        m = bodies.inertia[b]
        for n, value in enumerate((m[0, 0], m[0, 1], m[0, 2], m[1, 1], m[1, 2], m[2, 2])):
            room.inertia[at + (1 + n) * _W] = value * over
        room.inertia[at] = bodies.mass[b] * over
        _centre(bodies.free[b], bodies.com[b], free)
        for n in range(7):
            room.inertia[at + (7 + n) * _W] = free[n]


@compiled
def _begin_frames(tiles: Tiles, joints: Joints, com: Any, room: Room) -> None:
    """Write the anchor frames of each lane's joints, from the centres of mass."""
    count = len(joints.kinds)
    for lane in range(len(tiles.joints)):
        j = tiles.joints[lane]
        at = lane // _W * FRAMES * _W + lane % _W
        f = room.frames
        f[at + 6 * _W], f[at + 13 * _W], f[at + 17 * _W], f[at + 18 * _W] = _ONE, _ONE, _ONE, _ONE
        if j == count:
            continue
        is_child = tiles.signs[lane] > _ZERO
        own, other = (at, at + 7 * _W) if is_child else (at + 7 * _W, at)
        rows.place(f, own, joints.X_c[j], com, joints.children[j])
        rows.place(f, other, joints.X_p[j], com, joints.parents[j])
        for n in range(3):
            f[at + (14 + n) * _W] = -joints.rest[j, n]
        f[at + 17 * _W] = joints.rest[j, 3]
        f[at + 18 * _W] = tiles.signs[lane]


@vectorised
def _inertia(i: Any, w: Any) -> None:
    """Begin the blocks of a tile with what bodies' own masses ask for."""
    for j in range(_W):
        qx, qy, qz, qw = w[3 * _W + j], w[4 * _W + j], w[5 * _W + j], w[6 * _W + j]
        m = columns(qx, qy, qz, qw)
        heavy = i[j]
        xx, xy, xz = i[_W + j], i[2 * _W + j], i[3 * _W + j]
        yy, yz, zz = i[4 * _W + j], i[5 * _W + j], i[6 * _W + j]
        a = m[0] * xx + m[3] * xy + m[6] * xz, m[1] * xx + m[4] * xy + m[7] * xz, \
            m[2] * xx + m[5] * xy + m[8] * xz  # fmt: skip
        b = m[0] * xy + m[3] * yy + m[6] * yz, m[1] * xy + m[4] * yy + m[7] * yz, \
            m[2] * xy + m[5] * yy + m[8] * yz  # fmt: skip
        c = m[0] * xz + m[3] * yz + m[6] * zz, m[1] * xz + m[4] * yz + m[7] * zz, \
            m[2] * xz + m[5] * yz + m[8] * zz  # fmt: skip
        inertia = (
            a[0] * m[0] + b[0] * m[3] + c[0] * m[6], a[0] * m[1] + b[0] * m[4] + c[0] * m[7],
            a[0] * m[2] + b[0] * m[5] + c[0] * m[8], a[1] * m[1] + b[1] * m[4] + c[1] * m[7],
            a[1] * m[2] + b[1] * m[5] + c[1] * m[8], a[2] * m[2] + b[2] * m[5] + c[2] * m[8],
        )  # fmt: skip
        fx, fy, fz, fw = i[10 * _W + j], i[11 * _W + j], i[12 * _W + j], i[13 * _W + j]
        x, y, z, s = multiplied(qx, qy, qz, qw, -fx, -fy, -fz, fw)
        ax, ay, az = rotation_vector(x, y, z, s)
        tx, ty, tz = times(inertia, ax, ay, az)
        w[_FORCE + j] = (i[7 * _W + j] - w[j]) * heavy
        w[_FORCE + _W + j] = (i[8 * _W + j] - w[_W + j]) * heavy
        w[_FORCE + 2 * _W + j] = (i[9 * _W + j] - w[2 * _W + j]) * heavy
        w[_TORQUE + j], w[_TORQUE + _W + j], w[_TORQUE + 2 * _W + j] = -tx, -ty, -tz
        w[_LL + j], w[_LL + _W + j], w[_LL + 2 * _W + j] = heavy, _ZERO, _ZERO
        w[_LL + 3 * _W + j], w[_LL + 4 * _W + j], w[_LL + 5 * _W + j] = heavy, _ZERO, heavy
        w[_AL + j], w[_AL + _W + j], w[_AL + 2 * _W + j] = _ZERO, _ZERO, _ZERO
        w[_AL + 3 * _W + j], w[_AL + 4 * _W + j], w[_AL + 5 * _W + j] = _ZERO, _ZERO, _ZERO
        w[_AL + 6 * _W + j], w[_AL + 7 * _W + j], w[_AL + 8 * _W + j] = _ZERO, _ZERO, _ZERO
        w[_AA + j], w[_AA + _W + j], w[_AA + 2 * _W + j] = inertia[0], inertia[1], inertia[2]
        w[_AA + 3 * _W + j], w[_AA + 4 * _W + j] = inertia[3], inertia[4]
        w[_AA + 5 * _W + j] = inertia[5]


@inlined
def _chosen(sign: Any, a: Any, b: Any) -> Any:
    """One pose where a sign is positive, and another where it is not."""
    return (
        a[0] if sign > _ZERO else b[0], a[1] if sign > _ZERO else b[1],
        a[2] if sign > _ZERO else b[2], a[3] if sign > _ZERO else b[3],
        a[4] if sign > _ZERO else b[4], a[5] if sign > _ZERO else b[5],
        a[6] if sign > _ZERO else b[6],
    )  # fmt: skip


@inlined
def _push(w: Any, j: int, m: Any, r: Any, f: Any, t: Any) -> None:
    """Add a force at an arm and a torque, both in the frame with the columns m, to a block."""
    fx = m[0] * f[0] + m[3] * f[1] + m[6] * f[2]
    fy = m[1] * f[0] + m[4] * f[1] + m[7] * f[2]
    fz = m[2] * f[0] + m[5] * f[1] + m[8] * f[2]
    w[_FORCE + j] += fx
    w[_FORCE + _W + j] += fy
    w[_FORCE + 2 * _W + j] += fz
    turn = m[0] * t[0] + m[3] * t[1] + m[6] * t[2]
    w[_TORQUE + j] += turn + r[1] * fz - r[2] * fy
    turn = m[1] * t[0] + m[4] * t[1] + m[7] * t[2]
    w[_TORQUE + _W + j] += turn + r[2] * fx - r[0] * fz
    turn = m[2] * t[0] + m[5] * t[1] + m[8] * t[2]
    w[_TORQUE + 2 * _W + j] += turn + r[0] * fy - r[1] * fx


@inlined
def _stiffen(w: Any, j: int, k: Any, t: Any, r: Any) -> None:
    """Add the stiffness k of places at an arm and t of turns to a block.

    With [r] for the cross product with the arm: k along, [r] k about and along, and t + [r] k [r]'
    about.
    """
    w[_LL + j] += k[0]
    w[_LL + _W + j] += k[1]
    w[_LL + 2 * _W + j] += k[2]
    w[_LL + 3 * _W + j] += k[3]
    w[_LL + 4 * _W + j] += k[4]
    w[_LL + 5 * _W + j] += k[5]
    a0, a1, a2 = r[1] * k[2] - r[2] * k[1], r[1] * k[4] - r[2] * k[3], r[1] * k[5] - r[2] * k[4]
    a3, a4, a5 = r[2] * k[0] - r[0] * k[2], r[2] * k[1] - r[0] * k[4], r[2] * k[2] - r[0] * k[5]
    a6, a7, a8 = r[0] * k[1] - r[1] * k[0], r[0] * k[3] - r[1] * k[1], r[0] * k[4] - r[1] * k[2]
    w[_AL + j] += a0
    w[_AL + _W + j] += a1
    w[_AL + 2 * _W + j] += a2
    w[_AL + 3 * _W + j] += a3
    w[_AL + 4 * _W + j] += a4
    w[_AL + 5 * _W + j] += a5
    w[_AL + 6 * _W + j] += a6
    w[_AL + 7 * _W + j] += a7
    w[_AL + 8 * _W + j] += a8
    w[_AA + j] += t[0] + r[1] * a2 - r[2] * a1
    w[_AA + _W + j] += t[1] + r[2] * a0 - r[0] * a2
    w[_AA + 2 * _W + j] += t[2] + r[0] * a1 - r[1] * a0
    w[_AA + 3 * _W + j] += t[3] + r[2] * a3 - r[0] * a5
    w[_AA + 4 * _W + j] += t[4] + r[0] * a4 - r[1] * a3
    w[_AA + 5 * _W + j] += t[5] + r[0] * a7 - r[1] * a6


@vectorised
def _add(f: Any, w: Any) -> None:
    """Add a joint of each lane to its block."""
    for j in range(_W):
        own, other = anchor(w, j, f, j), anchor(w, 7 * _W + j, f, 7 * _W + j)
        sign = f[18 * _W + j]
        p, c = _chosen(sign, other, own), _chosen(sign, own, other)
        rest = f[14 * _W + j], f[15 * _W + j], f[16 * _W + j], f[17 * _W + j]
        v = gap_and_turn(p, c, rest)
        e0, e1, e2 = w[_E + j], w[_E + _W + j], w[_E + 2 * _W + j]
        e3, e4, e5 = w[_E + 3 * _W + j], w[_E + 4 * _W + j], w[_E + 5 * _W + j]
        f0 = sign * (w[_F + j] - e0 * v[0])
        f1 = sign * (w[_F + _W + j] - e1 * v[1])
        f2 = sign * (w[_F + 2 * _W + j] - e2 * v[2])
        t0 = sign * (w[_F + 3 * _W + j] - e3 * v[3])
        t1 = sign * (w[_F + 4 * _W + j] - e4 * v[4])
        t2 = sign * (w[_F + 5 * _W + j] - e5 * v[5])
        m = columns(p[3], p[4], p[5], p[6])
        r = own[0] - w[j], own[1] - w[_W + j], own[2] - w[2 * _W + j]
        _push(w, j, m, r, (f0, f1, f2), (t0, t1, t2))
        _stiffen(w, j, spread(m, e0, e1, e2), spread(m, e3, e4, e5), r)


@vectorised
def _solve(w: Any) -> None:
    """Move the bodies of a tile to where their blocks are at rest."""
    for j in range(_W):
        inverse = inverted(
            w[_LL + j], w[_LL + _W + j], w[_LL + 2 * _W + j],
            w[_LL + 3 * _W + j], w[_LL + 4 * _W + j], w[_LL + 5 * _W + j],
        )  # fmt: skip
        x, y, z = times(inverse, w[_FORCE + j], w[_FORCE + _W + j], w[_FORCE + 2 * _W + j])
        a0, a1, a2 = w[_AL + j], w[_AL + _W + j], w[_AL + 2 * _W + j]
        a3, a4, a5 = w[_AL + 3 * _W + j], w[_AL + 4 * _W + j], w[_AL + 5 * _W + j]
        a6, a7, a8 = w[_AL + 6 * _W + j], w[_AL + 7 * _W + j], w[_AL + 8 * _W + j]
        b0, b1, b2 = times(inverse, a0, a1, a2)
        b3, b4, b5 = times(inverse, a3, a4, a5)
        b6, b7, b8 = times(inverse, a6, a7, a8)
        about = inverted(
            w[_AA + j] - (b0 * a0 + b1 * a1 + b2 * a2),
            w[_AA + _W + j] - (b0 * a3 + b1 * a4 + b2 * a5),
            w[_AA + 2 * _W + j] - (b0 * a6 + b1 * a7 + b2 * a8),
            w[_AA + 3 * _W + j] - (b3 * a3 + b4 * a4 + b5 * a5),
            w[_AA + 4 * _W + j] - (b3 * a6 + b4 * a7 + b5 * a8),
            w[_AA + 5 * _W + j] - (b6 * a6 + b7 * a7 + b8 * a8),
        )
        tx, ty, tz = times(
            about,
            w[_TORQUE + j] - (a0 * x + a1 * y + a2 * z),
            w[_TORQUE + _W + j] - (a3 * x + a4 * y + a5 * z),
            w[_TORQUE + 2 * _W + j] - (a6 * x + a7 * y + a8 * z),
        )
        w[j] += x - (b0 * tx + b3 * ty + b6 * tz)
        w[_W + j] += y - (b1 * tx + b4 * ty + b7 * tz)
        w[2 * _W + j] += z - (b2 * tx + b5 * ty + b8 * tz)
        qx, qy, qz, qw = turned(
            tx, ty, tz, w[3 * _W + j], w[4 * _W + j], w[5 * _W + j], w[6 * _W + j]
        )
        w[3 * _W + j], w[4 * _W + j], w[5 * _W + j], w[6 * _W + j] = qx, qy, qz, qw


@compiled
def _color(tiles: Tiles, color: int, bodies: Bodies, room: Room) -> None:
    """Move the bodies of a color."""
    w, q, asked, count = room.work, room.q, room.asked, len(bodies.mass)
    for tile in range(tiles.colors[color], tiles.colors[color + 1]):
        for j in range(_W):
            b = tiles.bodies[tile * _W + j]
            for n in range(7):
                w[_OWN + n * _W + j] = q[b, n]
        _inertia(room.inertia[tile * INERTIA * _W : (tile + 1) * INERTIA * _W], w)
        for turn in range(tiles.first[tile], tiles.first[tile + 1]):
            for j in range(_W):
                o, k = tiles.others[turn * _W + j], tiles.joints[turn * _W + j]
                for n in range(7):
                    w[_OTHER + n * _W + j] = q[o, n]
                for n in range(12):
                    w[_E + n * _W + j] = asked[k, n]
            _add(room.frames[turn * FRAMES * _W : (turn + 1) * FRAMES * _W], w)
        _solve(w)
        for j in range(_W):
            b = tiles.bodies[tile * _W + j]
            if b < count and bodies.inv_mass[b] != _ZERO:
                for n in range(7):
                    q[b, n] = w[_OWN + n * _W + j]


@compiled
def move(
    tiles: Tiles, bodies: Bodies, joints: Joints, law: Law, iterations: int, room: Room
) -> None:
    """Move bodies by the rounds of a step.

    Args:
        tiles: Which lane moves which body.
        bodies: Their poses change.
        joints: Their multipliers and stiffness change.
        law: How rows hold.
        iterations: Rounds.
        room: See `Room`.
    """
    _begin_bodies(tiles, bodies, law.dt, room)
    _begin_frames(tiles, joints, bodies.com, room)
    rows.begin(joints, bodies.com, law, room.joints)
    count, size = len(joints.kinds), rows.ROWS * _W
    for first in range(0, count, _W):
        t = room.joints[first // _W * size : (first // _W + 1) * size]
        rows.tell(t, room.gathered, room.asked, first, min(_W, count - first))
    for _ in range(iterations):
        for color in range(len(tiles.colors) - 1):
            _color(tiles, color, bodies, room)
        rows.update(joints, room.q, law, room.joints, room.gathered, room.values, room.asked)
    rows.end(joints, law, room.joints)
    for b in range(len(bodies.mass)):
        if bodies.inv_mass[b] == _ZERO:
            continue
        q, pose, com = room.q[b], bodies.q[b], bodies.com[b]
        x, y, z = rotated(q[3], q[4], q[5], q[6], com[0], com[1], com[2])
        pose[0], pose[1], pose[2] = q[0] - x, q[1] - y, q[2] - z
        pose[3], pose[4], pose[5], pose[6] = q[3], q[4], q[5], q[6]
