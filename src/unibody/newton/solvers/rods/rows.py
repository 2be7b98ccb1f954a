"""Rows of joints: what they ask for is linear in gaps and turns, and the same for a whole round.

A row's force is ``F - E v`` of a gap or turn v in the parent's anchor frame, and its stiffness E.
E is stiffness and damping over the step, F holds the value at the step's beginning and the row's
multiplier. A joint has three rows along its anchor frame's axes and three about them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from unibody.newton.solvers.rigid_vbd_joint_kernels import FIRMNESS
from unibody.newton.solvers.rigid_vbd_options import COMPLIANT, GROWING, HARD
from unibody.newton.solvers.rods.lanes import (
    WIDTH,
    compiled,
    float32,
    inlined,
    multiplied,
    rotated,
    rotation_vector,
    vectorised,
)

NOTHING, LOCKED, POINT, ROD = range(4)
"""Joints without rows; that hold places and turns; places alone; both, each axis by itself."""

_W = WIDTH
ROWS = 51
# Rows of a tile of joints: stiffness, damping over the step, share and value of multipliers, values
# at the step's beginning, six rows each; then single ones.
_STIFF, _DAMP, _SHARE, _HOLD, _BEFORE = (6 * n * _W for n in range(5))
_LEFT, _RATED, _MOST, _GROWTH, _FRAMES = (n * _W for n in (30, 31, 32, 34, 36))
GATHERED = 26  # rows of poses, E and F of a tile
_E, _F = 14 * _W, 20 * _W
_ZERO, _ONE = float32(0.0), float32(1.0)
_FIRM = float32(FIRMNESS)
_COMPLIANT, _GROWING, _HARD = int(COMPLIANT), int(GROWING), int(HARD)


class Joints(NamedTuple):
    """Joints as the model and the solver have them, as arrays of numbers.

    Attributes:
        kinds: Of `NOTHING`, `LOCKED`, `POINT`, `ROD`.
        enabled: Whether they act.
        parents: Bodies; -1: the world.
        children: Bodies.
        X_p: Anchor frames in parents, (j, 7).
        X_c: In children.
        rest: Turns from the parent's to the child's anchor frame at rest, (j, 4).
        starts: First degrees of freedom.
        stiffness: Along, about, (j, 2).
        most: What they grow to.
        damping: Likewise.
        hard: Whether they leave a share of their first error.
        metric: Likewise.
        hold: Multipliers along, (j, 3).
        hold_turn: About.
        gap_before: Gaps as the step begins, (j, 3) [m].
        bend_before: Rotation vectors as it begins [rad].
        ke: Of degrees of freedom.
        kd: Likewise.
        axis_metric: Likewise.
        axis_hold: Multipliers of drives.
    """

    kinds: Any
    enabled: Any
    parents: Any
    children: Any
    X_p: Any
    X_c: Any
    rest: Any
    starts: Any
    stiffness: Any
    most: Any
    damping: Any
    hard: Any
    metric: Any
    hold: Any
    hold_turn: Any
    gap_before: Any
    bend_before: Any
    ke: Any
    kd: Any
    axis_metric: Any
    axis_hold: Any


class Law(NamedTuple):
    """How rows hold in a step.

    Attributes:
        scheme: Of `rigid_vbd_options`.
        left: The share of first errors that hard joints leave.
        growth: How fast stiffness along and about grows with errors.
        dt: Time step [s].
    """

    scheme: int
    left: float
    growth: tuple[float, float]
    dt: float


@inlined
def _eased(material: Any, metric: Any) -> Any:
    """Of a row with compliance: the share of its multiplier that stays, and its stiffness."""
    if material <= _ZERO or metric <= _ZERO:
        return _ZERO, _ZERO
    if material >= metric:
        share = _ONE / (_ONE + metric / material)
        return share, metric * share
    rest = _ONE / (_ONE + material / metric)
    return material / metric * rest, material * rest


@inlined
def _locked(stiffness: Any, metric: Any, is_hard: Any, scheme: int) -> Any:
    """Of rows that hold bodies together: the share of their multipliers, and their stiffness."""
    if scheme == _COMPLIANT:
        return _eased(stiffness, max(metric, _FIRM * stiffness))
    if scheme == _HARD and is_hard:
        return _ONE, stiffness
    return _ZERO, stiffness


@inlined
def _axis(ke: Any, damping: Any, metric: Any, scheme: int) -> Any:
    """Of a rod's axis: the share of its multiplier, its stiffness, and its damping in the step."""
    if scheme != _COMPLIANT:
        return _ZERO, ke, damping
    stiff = ke + damping
    if stiff <= _ZERO or metric <= _ZERO:
        return _ZERO, _ZERO, _ZERO
    share, act = _eased(stiff, max(metric, _FIRM * stiff))
    return share, act * ke / stiff, act * damping / stiff


@compiled
def begin(joints: Joints, com: Any, law: Law, tiles: Any) -> None:
    """Write the rows of a step.

    Args:
        joints: Joints.
        com: Centres of mass of bodies, (b, 3) [m].
        law: How rows hold.
        tiles: Written, flat from (t, ROWS, WIDTH).
    """
    tiles[:] = _ZERO
    dt = float32(law.dt)
    for j in range(len(joints.kinds)):
        at = (j // _W) * ROWS * _W + j % _W
        place(tiles, at + _FRAMES, joints.X_p[j], com, joints.parents[j])
        place(tiles, at + _FRAMES + 7 * _W, joints.X_c[j], com, joints.children[j])
        kind = joints.kinds[j]
        if kind == NOTHING or not joints.enabled[j]:
            continue
        if law.scheme == _HARD and joints.hard[j]:
            tiles[at + _LEFT] = law.left
        if kind == ROD and law.scheme == _COMPLIANT:
            tiles[at + _RATED] = _ONE
        for n in range(3 if kind == POINT else 6):
            turns = n // 3
            axis = n % 3
            row = at + n * _W
            if kind == ROD:
                dof = joints.starts[j] + n
                share, stiff, damping = _axis(
                    joints.ke[dof], joints.kd[dof] / dt, joints.axis_metric[dof], law.scheme
                )
                hold = joints.axis_hold[dof]
            else:
                stiff, metric = joints.stiffness[j, turns], joints.metric[j, turns]
                share, stiff = _locked(stiff, metric, joints.hard[j], law.scheme)
                damping = joints.damping[j, turns] / dt
                hold = joints.hold_turn[j, axis] if turns else joints.hold[j, axis]
                tiles[at + _MOST + turns * _W] = joints.most[j, turns]
                tiles[at + _GROWTH + turns * _W] = law.growth[turns]
            tiles[row + _SHARE], tiles[row + _STIFF], tiles[row + _DAMP] = share, stiff, damping
            tiles[row + _HOLD] = hold
            before = joints.bend_before[j, axis] if turns else joints.gap_before[j, axis]
            tiles[row + _BEFORE] = before


@compiled
def place(tiles: Any, at: int, frame: Any, com: Any, body: int) -> None:
    """Write an anchor frame, from the centre of mass of its body."""
    for n in range(7):
        tiles[at + n * _W] = frame[n]
    if body >= 0:
        for n in range(3):
            tiles[at + n * _W] = frame[n] - com[body, n]


@inlined
def gap_and_turn(p: Any, c: Any, rest: Any) -> Any:
    """From the parent's to the child's anchor, in the parent's anchor frame: places and turns.

    Args:
        p: Of the parent: its anchor's place and its anchor frame's turn.
        c: Of the child.
        rest: The turn back from the child's anchor frame at rest.
    """
    gx, gy, gz = rotated(-p[3], -p[4], -p[5], p[6], c[0] - p[0], c[1] - p[1], c[2] - p[2])
    x, y, z, w = multiplied(-p[3], -p[4], -p[5], p[6], c[3], c[4], c[5], c[6])
    x, y, z, w = multiplied(x, y, z, w, rest[0], rest[1], rest[2], rest[3])
    bx, by, bz = rotation_vector(x, y, z, w)
    return gx, gy, gz, bx, by, bz


@inlined
def anchor(q: Any, a: int, frame: Any, b: int) -> Any:
    """Where an anchor frame is, of a body's pose in rows from a on and its frame's from b on."""
    qx, qy, qz, qw = q[a + 3 * _W], q[a + 4 * _W], q[a + 5 * _W], q[a + 6 * _W]
    x, y, z = rotated(qx, qy, qz, qw, frame[b], frame[b + _W], frame[b + 2 * _W])
    u, v, s, w = multiplied(
        qx, qy, qz, qw,
        frame[b + 3 * _W], frame[b + 4 * _W], frame[b + 5 * _W], frame[b + 6 * _W],
    )  # fmt: skip
    return q[a] + x, q[a + _W] + y, q[a + 2 * _W] + z, u, v, s, w


@vectorised
def ask(t: Any, d: Any) -> None:
    """Write E and F of a tile of joints.

    Args:
        t: Its rows.
        d: E and F are written behind the poses.
    """
    for n in range(6):
        for j in range(_W):
            i = n * _W + j
            d[_E + i] = t[_STIFF + i] + t[_DAMP + i]
            left = t[_STIFF + i] * t[_LEFT + j] + t[_DAMP + i]
            d[_F + i] = left * t[_BEFORE + i] - t[_SHARE + i] * t[_HOLD + i]


@vectorised
def _measure(t: Any, rest: Any, d: Any, v: Any) -> None:
    """Gaps and turns of a tile of joints whose bodies' poses are in d."""
    for j in range(_W):
        p = anchor(d, j, t, _FRAMES + j)
        c = anchor(d, 7 * _W + j, t, _FRAMES + 7 * _W + j)
        back = -rest[j], -rest[_W + j], -rest[2 * _W + j], rest[3 * _W + j]
        found = gap_and_turn(p, c, back)
        v[j], v[_W + j], v[2 * _W + j] = found[0], found[1], found[2]
        v[3 * _W + j], v[4 * _W + j], v[5 * _W + j] = found[3], found[4], found[5]


@vectorised
def _hold(t: Any, v: Any) -> None:
    """Let what rows ask for at gaps and turns become their multipliers."""
    for n in range(6):
        for j in range(_W):
            i = n * _W + j
            before = t[_BEFORE + i]
            held = t[_STIFF + i] * (v[i] - t[_LEFT + j] * before)
            held += t[_RATED + j] * t[_DAMP + i] * (v[i] - before)
            t[_HOLD + i] = held + t[_SHARE + i] * t[_HOLD + i]


@inlined
def _grown(stiffness: Any, more: Any, most: Any) -> Any:
    """A stiffness that grows up to another; rows of rods have none to grow to, and stay."""
    grown = min(stiffness + more, most)
    return grown if most > _ZERO else stiffness


@vectorised
def _stiffen(t: Any, v: Any) -> None:
    """Let rows that hold bodies together grow stiffer with their errors."""
    for n in range(2):
        for j in range(_W):
            i = 3 * n * _W + j
            size = math.sqrt(v[i] * v[i] + v[i + _W] * v[i + _W] + v[i + 2 * _W] * v[i + 2 * _W])
            most, more = t[_MOST + n * _W + j], t[_GROWTH + n * _W + j] * size
            a, b, c = t[_STIFF + i], t[_STIFF + i + _W], t[_STIFF + i + 2 * _W]
            t[_STIFF + i] = _grown(a, more, most)
            t[_STIFF + i + _W] = _grown(b, more, most)
            t[_STIFF + i + 2 * _W] = _grown(c, more, most)


@compiled
def update(joints: Joints, q: Any, law: Law, tiles: Any, d: Any, v: Any, asked: Any) -> None:
    """Let joints hold harder after a round, and write what they ask for in the next.

    Args:
        joints: Joints.
        q: Places and turns of bodies' centres, (b + 1, 7), the last one the world's.
        law: How rows hold.
        tiles: Their rows, as `begin` wrote them.
        d: Room for a tile, (GATHERED + 4) * WIDTH.
        v: Likewise, 6 * WIDTH.
        asked: E and F of each joint, (j + 1, 12), written.
    """
    count, bodies = len(joints.kinds), len(q) - 1
    rest = d[GATHERED * _W :]
    for first in range(0, count, _W):
        size = ROWS * _W
        t = tiles[first // _W * size : (first // _W + 1) * size]
        lanes = min(_W, count - first)
        for j in range(lanes):
            p, c = joints.parents[first + j], joints.children[first + j]
            p = bodies if p < 0 else p
            for n in range(7):
                d[n * _W + j], d[(7 + n) * _W + j] = q[p, n], q[c, n]
            for n in range(4):
                rest[n * _W + j] = joints.rest[first + j, n]
        _measure(t, rest, d, v)
        if law.scheme != _GROWING:
            _hold(t, v)
        if law.growth[0] > 0.0 or law.growth[1] > 0.0:
            _stiffen(t, v)
        tell(t, d, asked, first, lanes)


@compiled
def tell(t: Any, d: Any, asked: Any, first: int, lanes: int) -> None:
    """Write what a tile of joints asks for where bodies read it."""
    ask(t, d)
    for j in range(lanes):
        for n in range(12):
            asked[first + j, n] = d[_E + n * _W + j]


@compiled
def end(joints: Joints, law: Law, tiles: Any) -> None:
    """Write multipliers and stiffness back to where they last over steps."""
    for j in range(len(joints.kinds)):
        at = (j // _W) * ROWS * _W + j % _W
        kind = joints.kinds[j]
        if kind == NOTHING or not joints.enabled[j]:
            continue
        if law.scheme != _GROWING:
            for n in range(6):
                hold = tiles[at + _HOLD + n * _W]
                if kind == ROD:
                    if law.scheme == _COMPLIANT:
                        joints.axis_hold[joints.starts[j] + n] = hold
                elif n < 3:
                    joints.hold[j, n] = hold
                elif kind == LOCKED:
                    joints.hold_turn[j, n - 3] = hold
        if kind != ROD and law.scheme != _COMPLIANT:
            joints.stiffness[j, 0] = tiles[at + _STIFF]
            if kind == LOCKED:
                joints.stiffness[j, 1] = tiles[at + _STIFF + 3 * _W]


def room(joints: int) -> tuple[Any, Any, Any, Any]:
    """What `begin` and `update` write: tiles, two rooms for a tile, and what joints ask for."""
    tiles = -(-max(joints, 1) // _W)
    return (
        np.zeros(tiles * ROWS * _W, np.float32),
        np.zeros((GATHERED + 4) * _W, np.float32),
        np.zeros(6 * _W, np.float32),
        np.zeros((joints + 1, 12), np.float32),
    )
