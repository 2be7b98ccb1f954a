"""Kinematics, Jacobians and mass matrices of many worlds, compiled by numba.

A world is one row of every array; parameters that all worlds share come with a stride of zero.
Quaternions are ``wxyz``. Kernels release the interpreter lock, so that threads share the worlds.
Arrays come as addresses and vectors are tuples: numba counts references to arrays, and that would
cost more than the arithmetic. All functions are in this one file because numba's cache notices
changes of a function's own file only.
"""

from __future__ import annotations

import math

import numpy as np

from unibody.core.engine.worlds.arguments import Field, Frames, Masses, Poses, State, Tree
from unibody.machine_code import numba
from unibody.machine_code.pointers import Pointer, pointer_f64, pointer_i32, pointer_i64

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]

FREE, BALL, SLIDE, HINGE = 0, 1, 2, 3  # mjtJoint
SINGULAR = 1e-15

_compiled = numba.njit(cache=True, nogil=True, error_model="numpy")
_inlined = numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
# Large for a compiler, which would rather call it: a third of the time goes by that.
_merged = numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=True)


@_inlined
def _at(f: Field, w: int) -> Pointer:
    return pointer_f64(f.address + w * f.stride)


@_inlined
def _vector(f: Field, w: int, i: int) -> Vec3:
    p = _at(f, w)
    return (p[3 * i], p[3 * i + 1], p[3 * i + 2])


@_inlined
def _quaternion(f: Field, w: int, i: int) -> Quat:
    p = _at(f, w)
    return (p[4 * i], p[4 * i + 1], p[4 * i + 2], p[4 * i + 3])


@_inlined
def _put(f: Field, w: int, i: int, v: Vec3) -> None:
    p = _at(f, w)
    p[3 * i], p[3 * i + 1], p[3 * i + 2] = v


@_inlined
def _of(address: int, i: int) -> int:
    """Number ``i`` of an array of a tree."""
    return pointer_i32(address)[i]


@_inlined
def _add(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@_inlined
def _less(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@_inlined
def _times(s: float, a: Vec3) -> Vec3:
    return (s * a[0], s * a[1], s * a[2])


@_inlined
def _cross(a: Vec3, b: Vec3) -> Vec3:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@_inlined
def _turned(q: Quat, v: Vec3) -> Vec3:
    """A vector turned by a unit quaternion."""
    imaginary = (q[1], q[2], q[3])
    t = _times(2.0, _cross(imaginary, v))
    return _add(_add(v, _times(q[0], t)), _cross(imaginary, t))


@_inlined
def _unit(q: Quat, k: int) -> Vec3:
    """Axis ``k`` of a frame."""
    return _turned(q, (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2)))


@_inlined
def _product(a: Quat, b: Quat) -> Quat:
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@_inlined
def _normal(q: Quat) -> Quat:
    n = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if n < SINGULAR:
        return (1.0, 0.0, 0.0, 0.0)
    n = 1.0 / n
    return (q[0] * n, q[1] * n, q[2] * n, q[3] * n)


@_merged
def _place_joint(
    w: int, joint: int, x: Vec3, q: Quat, tree: Tree, frames: Frames, state: State, out: Poses
) -> tuple[Vec3, Quat]:
    """Where one joint takes the frame of a body."""
    axis = _vector(frames.joint_axis, w, joint)
    anchor = _vector(frames.joint_pos, w, joint)
    address = _of(tree.joint_qpos, joint)
    unit = _turned(q, axis)
    centred = anchor[0] == 0.0 and anchor[1] == 0.0 and anchor[2] == 0.0
    point = x if centred else _add(x, _turned(q, anchor))
    _put(out.xaxis, w, joint, unit)
    _put(out.xanchor, w, joint, point)
    kind = _of(tree.joint_type, joint)
    qpos = _at(state.qpos, w)
    moved = qpos[address] - _at(frames.qpos0, w)[address]
    if kind == SLIDE:
        return _add(x, _times(moved, unit)), q
    if kind == HINGE:
        half = 0.5 * moved
        s = math.sin(half)
        turn = (math.cos(half), axis[0] * s, axis[1] * s, axis[2] * s)
    else:
        turn = _normal((qpos[address], qpos[address + 1], qpos[address + 2], qpos[address + 3]))
    q = _product(q, turn)
    return point if centred else _less(point, _turned(q, anchor)), q


@_merged
def _place_body(w: int, body: int, tree: Tree, frames: Frames, state: State, out: Poses) -> None:
    start = _of(tree.joint_first, body)
    mocap = _of(tree.mocap, body)
    if mocap >= 0:
        x = _vector(state.mocap_pos, w, mocap)
        q = _quaternion(state.mocap_quat, w, mocap)
    elif _of(tree.joint_count, body) == 1 and _of(tree.joint_type, start) == FREE:
        i, v = _of(tree.joint_qpos, start), _at(state.qpos, w)
        x = (v[i], v[i + 1], v[i + 2])
        q = (v[i + 3], v[i + 4], v[i + 5], v[i + 6])
    else:
        parent = _of(tree.parent, body)
        p = _quaternion(out.xquat, w, parent)
        offset = _turned(p, _vector(frames.body_pos, w, body))
        x = _add(_vector(out.xpos, w, parent), offset)
        turn = _quaternion(frames.body_quat, w, body)
        q = p if turn[0] == 1.0 else _product(p, turn)
        for joint in range(start, start + _of(tree.joint_count, body)):
            x, q = _place_joint(w, joint, x, q, tree, frames, state, out)
    q = _normal(q)
    _put(out.xpos, w, body, x)
    quat, i = _at(out.xquat, w), 4 * body
    quat[i], quat[i + 1], quat[i + 2], quat[i + 3] = q
    _put(out.xipos, w, body, _add(x, _turned(q, _vector(frames.body_ipos, w, body))))


@_merged
def _move_body(w: int, body: int, tree: Tree, state: State, out: Poses) -> None:
    """Velocity of a body's mass centre, and its angular velocity, from its parent's."""
    com = _vector(out.xipos, w, body)
    v, spin = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if _of(tree.mocap, body) < 0:
        parent = _of(tree.parent, body)
        spin = _vector(out.angular, w, parent)
        arm = _less(com, _vector(out.xipos, w, parent))
        v = _add(_vector(out.linear, w, parent), _cross(spin, arm))
        start = _of(tree.joint_first, body)
        speed = _at(state.qvel, w)
        for joint in range(start, start + _of(tree.joint_count, body)):
            kind, dof = _of(tree.joint_type, joint), _of(tree.joint_dof, joint)
            anchor = _vector(out.xanchor, w, joint)
            if kind == SLIDE:
                v = _add(v, _times(speed[dof], _vector(out.xaxis, w, joint)))
                continue
            if kind == FREE:
                v = _add(v, (speed[dof], speed[dof + 1], speed[dof + 2]))
                anchor = _vector(out.xpos, w, body)
                dof += 3
            if kind == HINGE:
                turn = _times(speed[dof], _vector(out.xaxis, w, joint))
            else:
                own = (speed[dof], speed[dof + 1], speed[dof + 2])
                turn = _turned(_quaternion(out.xquat, w, body), own)
            spin = _add(spin, turn)
            v = _add(v, _cross(turn, _less(com, anchor)))
    _put(out.linear, w, body, v)
    _put(out.angular, w, body, spin)


@_inlined
def _field(numbers: Pointer, i: int) -> Field:
    return Field(numbers[i], numbers[i + 1])


@_compiled
def place(first: int, last: int, numbers: int) -> None:
    """Poses and velocities of all bodies in the worlds ``first`` to ``last`` - 1.

    ``numbers``: address of those of a ``Tree``, ``Frames``, ``State`` and ``Poses``, packed.
    """
    n = pointer_i64(numbers)
    tree = Tree(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7])
    frames = Frames(
        _field(n, 8), _field(n, 10), _field(n, 12), _field(n, 14), _field(n, 16), _field(n, 18)
    )
    state = State(_field(n, 20), _field(n, 22), _field(n, 24), _field(n, 26))
    out = Poses(
        _field(n, 28),
        _field(n, 30),
        _field(n, 32),
        _field(n, 34),
        _field(n, 36),
        _field(n, 38),
        _field(n, 40),
    )
    for w in range(first, last):
        for body in range(1, tree.bodies):
            _place_body(w, body, tree, frames, state, out)
            _move_body(w, body, tree, state, out)


@_compiled
def _motion(w: int, joint: int, body: int, kind: int, poses: Poses, k: int) -> tuple[Vec3, Vec3]:
    """Degree of freedom ``k`` of a joint at unit speed: spin, velocity of the centre."""
    zero = (0.0, 0.0, 0.0)
    if kind == FREE and k < 3:
        return zero, (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
    axis = _vector(poses.xaxis, w, joint)
    if kind == SLIDE:
        return zero, axis
    anchor = _vector(poses.xanchor, w, joint)
    if kind == FREE:
        anchor, k = _vector(poses.xpos, w, body), k - 3
    if kind != HINGE:
        axis = _unit(_quaternion(poses.xquat, w, body), k)
    return axis, _cross(axis, _less(_vector(poses.xipos, w, body), anchor))


@_inlined
def _dofs(kind: int) -> int:
    if kind == FREE:
        return 6
    return 3 if kind == BALL else 1


@_compiled
def jacobians(
    first: int,
    last: int,
    root: int,
    links: int,
    dof0: int,
    dofs: int,
    tree: Tree,
    poses: Poses,
    out: Field,
) -> None:
    """Jacobians of the mass centres of a body's links; ``out`` is (N, links, 6, nv), of zeros."""
    for w in range(first, last):
        rows = _at(out, w)
        for link in range(links):
            com = _vector(poses.xipos, w, root + link)
            body = root + link
            while body >= root:
                arm = _less(com, _vector(poses.xipos, w, body))
                start = _of(tree.joint_first, body)
                for joint in range(start, start + _of(tree.joint_count, body)):
                    kind = _of(tree.joint_type, joint)
                    for k in range(_dofs(kind)):
                        spin, v = _motion(w, joint, body, kind, poses, k)
                        v = _add(v, _cross(spin, arm))
                        dof = _of(tree.joint_dof, joint) + k - dof0
                        for i in range(3):
                            rows[(6 * link + i) * dofs + dof] = v[i]
                            rows[(6 * link + 3 + i) * dofs + dof] = spin[i]
                body = _of(tree.parent, body)


@_compiled
def mass_matrices(
    first: int,
    last: int,
    root: int,
    links: int,
    dof0: int,
    dofs: int,
    tree: Tree,
    poses: Poses,
    masses: Masses,
    out: Field,
) -> None:
    """Joint-space inertia by composite rigid bodies; ``out`` is (N, nv, nv), of zeros."""
    memory = np.zeros(10 * links)
    body = pointer_f64(memory.ctypes.data)
    for w in range(first, last):
        _compose(w, root, links, tree, poses, masses, body)
        for link in range(links):
            _fill_rows(w, root, link, dof0, dofs, tree, poses, masses.armature, body, out)


@_compiled
def _own_inertia(w: int, body: int, masses: Masses, poses: Poses, out: Pointer, row: int) -> None:
    """A body's row: mass, mass centre, inertia about it (xx, yy, zz, xy, xz, yz), world frame."""
    row *= 10
    centre = _vector(poses.xipos, w, body)
    out[row] = _at(masses.mass, w)[body]
    for i in range(3):
        out[row + 1 + i] = centre[i]
    for i in range(4, 10):
        out[row + i] = 0.0
    q = _product(_quaternion(poses.xquat, w, body), _quaternion(masses.iquat, w, body))
    for k in range(3):
        a, b, c = _unit(q, k)
        s = _at(masses.inertia, w)[3 * body + k]
        out[row + 4] += s * a * a
        out[row + 5] += s * b * b
        out[row + 6] += s * c * c
        out[row + 7] += s * a * b
        out[row + 8] += s * a * c
        out[row + 9] += s * b * c


@_compiled
def _compose(
    w: int, root: int, links: int, tree: Tree, poses: Poses, masses: Masses, body: Pointer
) -> None:
    """Every link with all that hangs on it, as one rigid body."""
    for link in range(links):
        _own_inertia(w, root + link, masses, poses, body, link)
    for link in range(links - 1, 0, -1):
        parent = _of(tree.parent, root + link) - root
        total = body[10 * parent + 0] + body[10 * link + 0]
        if parent < 0 or total <= 0.0:
            continue
        share = body[10 * link + 0] / total
        x = body[10 * link + 1] - body[10 * parent + 1]
        y = body[10 * link + 2] - body[10 * parent + 2]
        z = body[10 * link + 3] - body[10 * parent + 3]
        m = body[10 * parent + 0] * share  # reduced mass
        for i in range(4, 10):
            body[10 * parent + i] += body[10 * link + i]
        body[10 * parent + 4] += m * (y * y + z * z)
        body[10 * parent + 5] += m * (x * x + z * z)
        body[10 * parent + 6] += m * (x * x + y * y)
        body[10 * parent + 7] -= m * x * y
        body[10 * parent + 8] -= m * x * z
        body[10 * parent + 9] -= m * y * z
        body[10 * parent + 1] += share * x
        body[10 * parent + 2] += share * y
        body[10 * parent + 3] += share * z
        body[10 * parent + 0] = total


@_compiled
def _fill_rows(
    w: int,
    root: int,
    link: int,
    dof0: int,
    dofs: int,
    tree: Tree,
    poses: Poses,
    armature: Field,
    composite: Pointer,
    out: Field,
) -> None:
    """The rows of a link's own degrees of freedom, up to the diagonal, and their columns."""
    body = root + link
    com = _vector(poses.xipos, w, body)
    b, row = composite, 10 * link
    centre = (b[row + 1], b[row + 2], b[row + 3])
    start = _of(tree.joint_first, body)
    for joint in range(start, start + _of(tree.joint_count, body)):
        kind = _of(tree.joint_type, joint)
        for k in range(_dofs(kind)):
            i = _of(tree.joint_dof, joint) + k
            s, v = _motion(w, joint, body, kind, poses, k)
            force = _times(b[row], _add(v, _cross(s, _less(centre, com))))
            torque = (
                b[row + 4] * s[0] + b[row + 7] * s[1] + b[row + 8] * s[2],
                b[row + 7] * s[0] + b[row + 5] * s[1] + b[row + 9] * s[2],
                b[row + 8] * s[0] + b[row + 9] * s[1] + b[row + 6] * s[2],
            )
            rows = _at(out, w)
            _project(w, root, body, dof0, dofs, i, tree, poses, centre, force, torque, rows)
            rows[(i - dof0) * (dofs + 1)] += _at(armature, w)[i]


@_compiled
def _project(
    w: int,
    root: int,
    body: int,
    dof0: int,
    dofs: int,
    i: int,
    tree: Tree,
    poses: Poses,
    centre: Vec3,
    force: Vec3,
    torque: Vec3,
    rows: Pointer,
) -> None:
    """Row ``i`` of the mass matrix: the momentum seen by every degree of freedom above."""
    while body >= root:
        arm = _less(centre, _vector(poses.xipos, w, body))
        start = _of(tree.joint_first, body)
        for joint in range(start, start + _of(tree.joint_count, body)):
            kind = _of(tree.joint_type, joint)
            for k in range(_dofs(kind)):
                j = _of(tree.joint_dof, joint) + k
                if j > i:
                    continue
                s, v = _motion(w, joint, body, kind, poses, k)
                v = _add(v, _cross(s, arm))
                total = v[0] * force[0] + v[1] * force[1] + v[2] * force[2]
                total += s[0] * torque[0] + s[1] * torque[1] + s[2] * torque[2]
                rows[(i - dof0) * dofs + j - dof0] = total
                rows[(j - dof0) * dofs + i - dof0] = total
        body = _of(tree.parent, body)
