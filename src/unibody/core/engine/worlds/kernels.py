"""Kinematics, Jacobians and mass matrices of many worlds, compiled by numba.

A world is one row of every array; parameters that all worlds share come with a stride of zero.
Quaternions are ``wxyz``. Kernels release the interpreter lock, so that threads share the worlds.
Everything is in this one file because numba's cache notices changes of a function's own file only.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Indices = np.ndarray[Any, np.dtype[np.int32]]

FREE, BALL, SLIDE, HINGE = 0, 1, 2, 3  # mjtJoint
SINGULAR = 1e-15

_compiled = numba.njit(cache=True, nogil=True, error_model="numpy")
_inlined = numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")


class Tree(NamedTuple):
    """Who hangs on whom; the same in all worlds."""

    parent: Indices  # (nbody,)
    mocap: Indices  # (nbody,)
    joint_count: Indices  # (nbody,)
    joint_first: Indices  # (nbody,)
    joint_type: Indices  # (njnt,)
    joint_qpos: Indices  # (njnt,)
    joint_dof: Indices  # (njnt,)


class Frames(NamedTuple):
    """Where things are fixed, (N, ...) each."""

    body_pos: Array
    body_quat: Array
    body_ipos: Array
    joint_axis: Array
    joint_pos: Array
    qpos0: Array


class State(NamedTuple):
    """Coordinates, (N, ...) each."""

    qpos: Array
    qvel: Array
    mocap_pos: Array
    mocap_quat: Array


class Poses(NamedTuple):
    """Results, (N, ...) each: body frames, mass centres, joint axes and anchors, velocities."""

    xpos: Array
    xquat: Array
    xipos: Array
    xaxis: Array
    xanchor: Array
    linear: Array
    angular: Array


@_inlined
def _turned(q: Array, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector turned by a unit quaternion."""
    w, a, b, c = q[0], q[1], q[2], q[3]
    u = 2.0 * (b * z - c * y)
    v = 2.0 * (c * x - a * z)
    t = 2.0 * (a * y - b * x)
    return (x + w * u + b * t - c * v, y + w * v + c * u - a * t, z + w * t + a * v - b * u)


@_inlined
def _multiply(q: Array, w: float, x: float, y: float, z: float, out: Array) -> None:
    """``out = q * (w, x, y, z)``; ``out`` may be ``q``."""
    a, b, c, d = q[0], q[1], q[2], q[3]
    out[0] = a * w - b * x - c * y - d * z
    out[1] = a * x + b * w + c * z - d * y
    out[2] = a * y - b * z + c * w + d * x
    out[3] = a * z + b * y - c * x + d * w


@_inlined
def _normalise(q: Array) -> None:
    n = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if n < SINGULAR:
        q[0], q[1], q[2], q[3] = 1.0, 0.0, 0.0, 0.0
    else:
        for k in range(4):
            q[k] /= n


@_compiled
def _place_joint(
    w: int, joint: int, body: int, tree: Tree, frames: Frames, state: State, out: Poses
) -> None:
    """Move a body's frame by one of its joints."""
    x, q = out.xpos[w, body], out.xquat[w, body]
    axis, anchor = frames.joint_axis[w, joint], frames.joint_pos[w, joint]
    address = tree.joint_qpos[joint]
    unit = _turned(q, axis[0], axis[1], axis[2])
    before = _turned(q, anchor[0], anchor[1], anchor[2])
    for k in range(3):
        out.xaxis[w, joint, k] = unit[k]
        out.xanchor[w, joint, k] = x[k] + before[k]
    kind = tree.joint_type[joint]
    if kind == SLIDE:
        distance = state.qpos[w, address] - frames.qpos0[w, address]
        for k in range(3):
            x[k] += unit[k] * distance
        return
    if kind == HINGE:
        half = 0.5 * (state.qpos[w, address] - frames.qpos0[w, address])
        s = math.sin(half)
        _multiply(q, math.cos(half), axis[0] * s, axis[1] * s, axis[2] * s, q)
    else:
        v = state.qpos[w, address : address + 4]
        n = max(math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2 + v[3] ** 2), SINGULAR)
        _multiply(q, v[0] / n, v[1] / n, v[2] / n, v[3] / n, q)
    after = _turned(q, anchor[0], anchor[1], anchor[2])
    for k in range(3):
        x[k] += before[k] - after[k]


@_compiled
def _place_body(w: int, body: int, tree: Tree, frames: Frames, state: State, out: Poses) -> None:
    x, q = out.xpos[w, body], out.xquat[w, body]
    start = tree.joint_first[body]
    mocap = tree.mocap[body]
    if mocap >= 0:
        x[:] = state.mocap_pos[w, mocap]
        q[:] = state.mocap_quat[w, mocap]
    elif tree.joint_count[body] == 1 and tree.joint_type[start] == FREE:
        address = tree.joint_qpos[start]
        x[:] = state.qpos[w, address : address + 3]
        q[:] = state.qpos[w, address + 3 : address + 7]
    else:
        parent = tree.parent[body]
        p, b = out.xquat[w, parent], frames.body_pos[w, body]
        offset = _turned(p, b[0], b[1], b[2])
        for k in range(3):
            x[k] = out.xpos[w, parent, k] + offset[k]
        b = frames.body_quat[w, body]
        _multiply(p, b[0], b[1], b[2], b[3], q)
        for joint in range(start, start + tree.joint_count[body]):
            _place_joint(w, joint, body, tree, frames, state, out)
    _normalise(q)
    i = frames.body_ipos[w, body]
    centre = _turned(q, i[0], i[1], i[2])
    for k in range(3):
        out.xipos[w, body, k] = x[k] + centre[k]


@_inlined
def _add_spin(v: Array, a: float, b: float, c: float, x: float, y: float, z: float) -> None:
    """``v += (a, b, c) x (x, y, z)``."""
    v[0] += b * z - c * y
    v[1] += c * x - a * z
    v[2] += a * y - b * x


@_compiled
def _move_body(w: int, body: int, tree: Tree, state: State, out: Poses) -> None:
    """Velocity of a body's mass centre, and its angular velocity, from its parent's."""
    v, spin = out.linear[w, body], out.angular[w, body]
    com = out.xipos[w, body]
    if tree.mocap[body] >= 0:
        v[:] = 0.0
        spin[:] = 0.0
        return
    parent = tree.parent[body]
    v[:] = out.linear[w, parent]
    spin[:] = out.angular[w, parent]
    far = out.xipos[w, parent]
    _add_spin(v, spin[0], spin[1], spin[2], com[0] - far[0], com[1] - far[1], com[2] - far[2])
    start = tree.joint_first[body]
    for joint in range(start, start + tree.joint_count[body]):
        dof = tree.joint_dof[joint]
        kind = tree.joint_type[joint]
        anchor = out.xanchor[w, joint]
        if kind == FREE:
            v += state.qvel[w, dof : dof + 3]
            anchor = out.xpos[w, body]
            dof += 3
        if kind == SLIDE:
            v += out.xaxis[w, joint] * state.qvel[w, dof]
            continue
        if kind == HINGE:
            speed = state.qvel[w, dof]
            u = out.xaxis[w, joint]
            turn = (u[0] * speed, u[1] * speed, u[2] * speed)
        else:
            own = state.qvel[w, dof : dof + 3]
            turn = _turned(out.xquat[w, body], own[0], own[1], own[2])
        for k in range(3):
            spin[k] += turn[k]
        dx, dy, dz = com[0] - anchor[0], com[1] - anchor[1], com[2] - anchor[2]
        _add_spin(v, turn[0], turn[1], turn[2], dx, dy, dz)


@_compiled
def place(first: int, last: int, tree: Tree, frames: Frames, state: State, out: Poses) -> None:
    """Poses and velocities of all bodies in the worlds ``first`` to ``last`` - 1."""
    for w in range(first, last):
        for body in range(1, tree.parent.shape[0]):
            _place_body(w, body, tree, frames, state, out)
            _move_body(w, body, tree, state, out)


@_compiled
def _axes(w: int, joint: int, body: int, kind: int, poses: Poses, k: int, out: Array) -> None:
    """Motion of degree of freedom ``k`` of a joint: axis, velocity at the body's mass centre."""
    com = poses.xipos[w, body]
    anchor = poses.xanchor[w, joint]
    out[:] = 0.0
    if kind == FREE and k < 3:
        out[3 + k] = 1.0
        return
    if kind == SLIDE:
        out[3:6] = poses.xaxis[w, joint]
        return
    if kind == HINGE:
        out[0:3] = poses.xaxis[w, joint]
    else:
        if kind == FREE:
            anchor, k = poses.xpos[w, body], k - 3
        unit = _turned(poses.xquat[w, body], 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
        for i in range(3):
            out[i] = unit[i]
    dx, dy, dz = com[0] - anchor[0], com[1] - anchor[1], com[2] - anchor[2]
    _add_spin(out[3:6], out[0], out[1], out[2], dx, dy, dz)


@_inlined
def _dofs(kind: int) -> int:
    if kind == FREE:
        return 6
    return 3 if kind == BALL else 1


@_compiled
def jacobians(
    first: int, last: int, root: int, links: int, dof0: int, tree: Tree, poses: Poses, out: Array
) -> None:
    """Jacobians of the mass centres of a body's links; ``out`` is (N, links, 6, nv), of zeros."""
    column = np.empty(6)
    for w in range(first, last):
        for link in range(links):
            com = poses.xipos[w, root + link]
            body = root + link
            while body >= root:
                own = poses.xipos[w, body]
                dx, dy, dz = com[0] - own[0], com[1] - own[1], com[2] - own[2]
                start = tree.joint_first[body]
                for joint in range(start, start + tree.joint_count[body]):
                    kind = tree.joint_type[joint]
                    for k in range(_dofs(kind)):
                        _axes(w, joint, body, kind, poses, k, column)
                        _add_spin(column[3:6], column[0], column[1], column[2], dx, dy, dz)
                        dof = tree.joint_dof[joint] + k - dof0
                        for i in range(3):
                            out[w, link, i, dof] = column[3 + i]
                            out[w, link, 3 + i, dof] = column[i]
                body = tree.parent[body]


@_compiled
def _own_inertia(
    w: int, body: int, mass: Array, inertia: Array, iquat: Array, poses: Poses, out: Array
) -> None:
    """Inertia about the mass centre in the world frame: xx, yy, zz, xy, xz, yz."""
    q = np.empty(4)
    i = iquat[w, body]
    _multiply(poses.xquat[w, body], i[0], i[1], i[2], i[3], q)
    out[:] = 0.0
    for k in range(3):
        a, b, c = _turned(q, 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
        s = inertia[w, body, k]
        out[0] += s * a * a
        out[1] += s * b * b
        out[2] += s * c * c
        out[3] += s * a * b
        out[4] += s * a * c
        out[5] += s * b * c


@_compiled
def _shift(out: Array, m: float, x: float, y: float, z: float) -> None:
    """Add the inertia of a point mass at (x, y, z)."""
    out[0] += m * (y * y + z * z)
    out[1] += m * (x * x + z * z)
    out[2] += m * (x * x + y * y)
    out[3] -= m * x * y
    out[4] -= m * x * z
    out[5] -= m * y * z


@_compiled
def _momentum(
    composite: Array, centre: Array, mass: float, own: Array, motion: Array, out: Array
) -> None:
    """Momentum of a composite body (about its own centre), moving as ``motion`` at ``own``."""
    a, b, c = motion[0], motion[1], motion[2]
    v = np.empty(3)
    v[:] = motion[3:6]
    _add_spin(v, a, b, c, centre[0] - own[0], centre[1] - own[1], centre[2] - own[2])
    out[0] = composite[0] * a + composite[3] * b + composite[4] * c
    out[1] = composite[3] * a + composite[1] * b + composite[5] * c
    out[2] = composite[4] * a + composite[5] * b + composite[2] * c
    for k in range(3):
        out[3 + k] = mass * v[k]


@_compiled
def mass_matrices(
    first: int,
    last: int,
    root: int,
    links: int,
    dof0: int,
    tree: Tree,
    poses: Poses,
    mass: Array,
    inertia: Array,
    iquat: Array,
    armature: Array,
    out: Array,
) -> None:
    """Joint-space inertia by composite rigid bodies; ``out`` is (N, nv, nv), of zeros."""
    own, other = np.empty(6), np.empty(6)
    momentum = np.empty(6)
    weight = np.empty(links)
    centre, composite = np.empty((links, 3)), np.empty((links, 6))
    for w in range(first, last):
        _composites(w, root, links, tree, poses, mass, inertia, iquat, weight, centre, composite)
        for link in range(links):
            body = root + link
            start = tree.joint_first[body]
            for joint in range(start, start + tree.joint_count[body]):
                kind = tree.joint_type[joint]
                for k in range(_dofs(kind)):
                    i = tree.joint_dof[joint] + k - dof0
                    _axes(w, joint, body, kind, poses, k, own)
                    com = poses.xipos[w, body]
                    _momentum(composite[link], centre[link], weight[link], com, own, momentum)
                    _project(
                        w, root, body, dof0, i, tree, poses, centre[link], momentum, other, out
                    )
                    out[w, i, i] += armature[w, dof0 + i]


@_compiled
def _composites(
    w: int,
    root: int,
    links: int,
    tree: Tree,
    poses: Poses,
    mass: Array,
    inertia: Array,
    iquat: Array,
    weight: Array,
    centre: Array,
    composite: Array,
) -> None:
    """Mass, mass centre and inertia about it of every link with all that hangs on it."""
    for link in range(links):
        weight[link] = mass[w, root + link]
        centre[link] = poses.xipos[w, root + link]
        _own_inertia(w, root + link, mass, inertia, iquat, poses, composite[link])
    for link in range(links - 1, 0, -1):
        parent = tree.parent[root + link] - root
        if parent < 0:
            continue
        total = weight[parent] + weight[link]
        if total <= 0.0:
            continue
        share = weight[link] / total
        dx = centre[link, 0] - centre[parent, 0]
        dy = centre[link, 1] - centre[parent, 1]
        dz = centre[link, 2] - centre[parent, 2]
        composite[parent] += composite[link]
        _shift(composite[parent], weight[parent] * share, dx, dy, dz)
        centre[parent, 0] += share * dx
        centre[parent, 1] += share * dy
        centre[parent, 2] += share * dz
        weight[parent] = total


@_compiled
def _project(
    w: int,
    root: int,
    body: int,
    dof0: int,
    i: int,
    tree: Tree,
    poses: Poses,
    centre: Array,
    momentum: Array,
    motion: Array,
    out: Array,
) -> None:
    """Row ``i`` of the mass matrix: the momentum seen by every degree of freedom above."""
    while body >= root:
        own = poses.xipos[w, body]
        start = tree.joint_first[body]
        for joint in range(start, start + tree.joint_count[body]):
            kind = tree.joint_type[joint]
            for k in range(_dofs(kind)):
                j = tree.joint_dof[joint] + k - dof0
                if j > i:
                    continue
                _axes(w, joint, body, kind, poses, k, motion)
                a, b, c = motion[0], motion[1], motion[2]
                dx, dy, dz = centre[0] - own[0], centre[1] - own[1], centre[2] - own[2]
                _add_spin(motion[3:6], a, b, c, dx, dy, dz)
                total = 0.0
                for n in range(6):
                    total += motion[n] * momentum[n]
                out[w, i, j] = total
                out[w, j, i] = total
        body = tree.parent[body]
