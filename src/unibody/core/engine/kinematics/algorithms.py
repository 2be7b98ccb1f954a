# ruff: noqa: PLR0913, PLR0917 - kernels take their state as plain arguments
"""The recursions over a chain's arrays, compiled by numba.

All quantities are expressed in the chain's reference frame and taken about its origin, so that
nothing is transformed from link to link. Row i of an array belongs to link i; a parent always
comes before its children. Everything is in this one file because numba's cache notices changes of
a function's own file only.

Columns of ``tree``: parent, kind of joint, degree of freedom (-1: none).
Columns of ``geometry``: rotation of ``T_parentlink_joint`` (row by row), its position, joint axis.
Columns of ``inertials``: mass, mass centre and inertia about it (row by row), in the link frame.
Columns of ``frames``: rotation and position of the link, joint axis, in the reference frame.
Columns of ``work``: angular velocity and acceleration, linear acceleration; moment and force.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.machine_code import numba

Vector = tuple[float, float, float]
Array = np.ndarray[Any, np.dtype[np.float64]]
Indices = np.ndarray[Any, np.dtype[np.int64]]

FIXED, REVOLUTE, PRISMATIC = 0, 1, 2
TREE_SIZE = 3
GEOMETRY_SIZE = 15
INERTIAL_SIZE = 13
FRAME_SIZE = 15
WORK_SIZE = 15
BASE_DOFS = 6
MAX_STEP = math.radians(45.0)  # rad: no joint turns further in one iteration of the solver
NULL_SPACE_DAMPING = 0.36  # square of the damping factor used together with a null space
REST_GAIN, LIMIT_GAIN = 0.001, 10.0  # pull of the null space to the rest pose, and into the limits

_compiled = numba.njit(cache=True, error_model="numpy")


@_compiled
def mark_path(tree: Indices, link: int, marked: Indices) -> None:
    """Set ``marked`` to 1 for a link and everything between it and the base."""
    while link >= 0:
        marked[link] = 1
        link = tree[link, 0]


@_compiled
def _turn(frames: Array, i: int, geometry: Array, angle: float) -> None:
    """Turn a link's frame about its own joint axis (Rodrigues' formula)."""
    x, y, z = geometry[i, 12], geometry[i, 13], geometry[i, 14]
    c, s = math.cos(angle), math.sin(angle)
    k = 1.0 - c
    r00, r01, r02 = x * x * k + c, x * y * k - z * s, x * z * k + y * s
    r10, r11, r12 = x * y * k + z * s, y * y * k + c, y * z * k - x * s
    r20, r21, r22 = x * z * k - y * s, y * z * k + x * s, z * z * k + c
    for row in range(3):
        a, b, d = frames[i, 3 * row], frames[i, 3 * row + 1], frames[i, 3 * row + 2]
        frames[i, 3 * row] = a * r00 + b * r10 + d * r20
        frames[i, 3 * row + 1] = a * r01 + b * r11 + d * r21
        frames[i, 3 * row + 2] = a * r02 + b * r12 + d * r22


@_compiled
def place(tree: Indices, geometry: Array, q: Array, marked: Indices, frames: Array) -> None:
    """Forward kinematics of the marked links; ``q`` has one number a joint that moves."""
    for i in range(tree.shape[0]):
        if marked[i] == 0:
            continue
        parent = tree[i, 0]
        if parent < 0:
            for k in range(FRAME_SIZE):
                frames[i, k] = geometry[i, k]
            continue
        for row in range(3):
            start = 3 * row
            a, b, c = frames[parent, start], frames[parent, start + 1], frames[parent, start + 2]
            for column in range(3):
                frames[i, 3 * row + column] = (
                    a * geometry[i, column]
                    + b * geometry[i, 3 + column]
                    + c * geometry[i, 6 + column]
                )
            frames[i, 9 + row] = (
                frames[parent, 9 + row]
                + a * geometry[i, 9]
                + b * geometry[i, 10]
                + c * geometry[i, 11]
            )
            frames[i, 12 + row] = (
                frames[i, 3 * row] * geometry[i, 12]
                + frames[i, 3 * row + 1] * geometry[i, 13]
                + frames[i, 3 * row + 2] * geometry[i, 14]
            )
        if tree[i, 1] == REVOLUTE:
            _turn(frames, i, geometry, float(q[tree[i, 2]]))
        elif tree[i, 1] == PRISMATIC:
            for k in range(3):
                frames[i, 9 + k] += q[tree[i, 2]] * frames[i, 12 + k]


@_compiled
def fill_columns(
    tree: Indices,
    frames: Array,
    link: int,
    point: Array,
    base: int,
    row: int,
    angular: bool,
    out: Array,
) -> None:
    """Three linear rows from ``row`` on, then three angular ones if wanted, of a link's point."""
    x, y, z = point[0], point[1], point[2]
    i = link
    while i >= 0:
        kind, column = tree[i, 1], base + tree[i, 2]
        if kind == REVOLUTE:
            ax, ay, az = frames[i, 12], frames[i, 13], frames[i, 14]
            rx, ry, rz = x - frames[i, 9], y - frames[i, 10], z - frames[i, 11]
            out[row, column] = ay * rz - az * ry
            out[row + 1, column] = az * rx - ax * rz
            out[row + 2, column] = ax * ry - ay * rx
            if angular:
                out[row + 3, column], out[row + 4, column], out[row + 5, column] = ax, ay, az
        elif kind == PRISMATIC:
            for k in range(3):
                out[row + k, column] = frames[i, 12 + k]
        i = tree[i, 0]


@_compiled
def jacobian(
    tree: Indices,
    geometry: Array,
    q: Array,
    link: int,
    local: Array,
    base: int,
    marked: Indices,
    frames: Array,
    out: Array,
) -> None:
    """Three linear and three angular rows for a point of a link, (6, base + dofs).

    ``local`` is the point in the link frame, followed by room for it in the reference frame (6,).
    ``base`` is 6 or 0: the columns of a moving base are its angular and linear velocity.
    """
    marked[:] = 0
    mark_path(tree, link, marked)
    place(tree, geometry, q, marked, frames)
    out[:, :] = 0.0
    point = local[3:]
    for k in range(3):
        point[k] = frames[link, 9 + k]
        for column in range(3):
            point[k] += frames[link, 3 * k + column] * local[column]
    fill_columns(tree, frames, link, point, base, 0, True, out)
    if base:
        x, y, z = point[0], point[1], point[2]
        out[1, 0], out[2, 0] = -z, y
        out[0, 1], out[2, 1] = z, -x
        out[0, 2], out[1, 2] = -y, x
        for k in range(3):
            out[3 + k, k] = 1.0
            out[k, 3 + k] = 1.0


@_compiled
def _inertia_in_reference(frames: Array, inertials: Array, i: int, out: Array) -> None:
    """``R I R^T`` of a link, (9,)."""
    for row in range(3):
        a, b, c = frames[i, 3 * row], frames[i, 3 * row + 1], frames[i, 3 * row + 2]
        x = a * inertials[i, 4] + b * inertials[i, 7] + c * inertials[i, 10]
        y = a * inertials[i, 5] + b * inertials[i, 8] + c * inertials[i, 11]
        z = a * inertials[i, 6] + b * inertials[i, 9] + c * inertials[i, 12]
        for column in range(3):
            k = 3 * column
            out[3 * row + column] = x * frames[i, k] + y * frames[i, k + 1] + z * frames[i, k + 2]


@_compiled
def _mass_centre(frames: Array, inertials: Array, i: int, out: Array) -> None:
    """Mass centre of a link in the reference frame."""
    for k in range(3):
        out[k] = frames[i, 9 + k]
        for column in range(3):
            out[k] += frames[i, 3 * k + column] * inertials[i, 1 + column]


@_compiled
def _composites(tree: Indices, frames: Array, inertials: Array) -> Array:
    """Mass, first moment and inertia about the origin of every link with all below it, (n, 13)."""
    n = tree.shape[0]
    composite = np.zeros((n, INERTIAL_SIZE))
    c = np.empty(3)
    inertia = np.empty(9)
    for i in range(n):
        mass = inertials[i, 0]
        _mass_centre(frames, inertials, i, c)
        _inertia_in_reference(frames, inertials, i, inertia)
        square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
        composite[i, 0] = mass
        for row in range(3):
            composite[i, 1 + row] = mass * c[row]
            for column in range(3):
                composite[i, 4 + 3 * row + column] = (
                    inertia[3 * row + column] - mass * c[row] * c[column]
                )
            composite[i, 4 + 4 * row] += mass * square
    for i in range(n - 1, 0, -1):
        for k in range(INERTIAL_SIZE):
            composite[tree[i, 0], k] += composite[i, k]
    return composite


@_compiled
def _twist(tree: Indices, frames: Array, i: int, out: Array) -> None:
    """Angular velocity, and velocity of the point at the origin, for unit speed of a joint."""
    ax, ay, az = frames[i, 12], frames[i, 13], frames[i, 14]
    if tree[i, 1] == PRISMATIC:
        out[0], out[1], out[2], out[3], out[4], out[5] = 0.0, 0.0, 0.0, ax, ay, az
    else:
        x, y, z = frames[i, 9], frames[i, 10], frames[i, 11]
        out[0], out[1], out[2] = ax, ay, az
        out[3], out[4], out[5] = y * az - z * ay, z * ax - x * az, x * ay - y * ax


@_compiled
def _momentum(composite: Array, i: int, s: Array, out: Array) -> None:
    """Angular momentum about the origin and linear momentum of a composite with velocity ``s``."""
    mass, hx, hy, hz = composite[i, 0], composite[i, 1], composite[i, 2], composite[i, 3]
    out[0] = hy * s[5] - hz * s[4]
    out[1] = hz * s[3] - hx * s[5]
    out[2] = hx * s[4] - hy * s[3]
    for row in range(3):
        for column in range(3):
            out[row] += composite[i, 4 + 3 * row + column] * s[column]
    out[3] = mass * s[3] - (hy * s[2] - hz * s[1])
    out[4] = mass * s[4] - (hz * s[0] - hx * s[2])
    out[5] = mass * s[5] - (hx * s[1] - hy * s[0])


@_compiled
def mass_matrix(
    tree: Indices,
    geometry: Array,
    inertials: Array,
    q: Array,
    base: int,
    marked: Indices,
    frames: Array,
    out: Array,
) -> None:
    """Composite-rigid-body algorithm (Featherstone 2008, section 6.2), (base + dofs) squared."""
    marked[:] = 1
    place(tree, geometry, q, marked, frames)
    composite = _composites(tree, frames, inertials)
    out[:, :] = 0.0
    s, f = np.zeros(6), np.empty(6)
    for column in range(base):
        s[:] = 0.0
        s[column] = 1.0
        _momentum(composite, 0, s, f)
        for row in range(column + 1):
            out[row, column] = f[row]
            out[column, row] = f[row]
    for i in range(tree.shape[0]):
        if tree[i, 2] < 0:
            continue
        column = base + tree[i, 2]
        _twist(tree, frames, i, s)
        _momentum(composite, i, s, f)
        j = i
        while j >= 0:
            if tree[j, 2] >= 0:
                row = base + tree[j, 2]
                _twist(tree, frames, j, s)
                value = 0.0
                for k in range(6):
                    value += s[k] * f[k]
                out[row, column] = value
                out[column, row] = value
            j = tree[j, 0]
        for row in range(base):
            out[row, column] = f[row]
            out[column, row] = f[row]


@_compiled
def _cross(a: Vector, b: Vector) -> Vector:
    """``a x b``."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@_compiled
def _sum(a: Vector, b: Vector) -> Vector:
    """``a + b``."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@_compiled
def _scaled(k: float, a: Vector) -> Vector:
    """``k a``."""
    return (k * a[0], k * a[1], k * a[2])


@_compiled
def _row(array: Array, i: int, k: int) -> Vector:
    """Three numbers of a row."""
    return (array[i, k], array[i, k + 1], array[i, k + 2])


@_compiled
def _set_row(array: Array, i: int, k: int, value: Vector) -> None:
    array[i, k], array[i, k + 1], array[i, k + 2] = value


@_compiled
def _add_row(array: Array, i: int, k: int, value: Vector) -> None:
    array[i, k] += value[0]
    array[i, k + 1] += value[1]
    array[i, k + 2] += value[2]


@_compiled
def _turned(rows: Array, i: int, k: int, v: Vector) -> Vector:
    """A vector times the matrix that starts at column ``k`` of a row."""
    return (
        rows[i, k] * v[0] + rows[i, k + 1] * v[1] + rows[i, k + 2] * v[2],
        rows[i, k + 3] * v[0] + rows[i, k + 4] * v[1] + rows[i, k + 5] * v[2],
        rows[i, k + 6] * v[0] + rows[i, k + 7] * v[1] + rows[i, k + 8] * v[2],
    )


@_compiled
def _turned_back(frames: Array, i: int, v: Vector) -> Vector:
    """A vector of the reference frame in the frame of a link."""
    return (
        frames[i, 0] * v[0] + frames[i, 3] * v[1] + frames[i, 6] * v[2],
        frames[i, 1] * v[0] + frames[i, 4] * v[1] + frames[i, 7] * v[2],
        frames[i, 2] * v[0] + frames[i, 5] * v[1] + frames[i, 8] * v[2],
    )


@_compiled
def _about(point: Vector, angular: Vector, angular_acceleration: Vector) -> Vector:
    """Acceleration of a point of a rigid body against the point it turns about."""
    return _sum(_cross(angular_acceleration, point), _cross(angular, _cross(angular, point)))


@_compiled
def _link_motion(
    tree: Indices, frames: Array, i: int, speed: float, acceleration: float, work: Array
) -> None:
    """Angular velocity and acceleration, linear acceleration of a link frame (columns 0 to 8)."""
    parent, kind = tree[i, 0], tree[i, 1]
    start, end = _row(frames, parent, 9), _row(frames, i, 9)
    r = (end[0] - start[0], end[1] - start[1], end[2] - start[2])
    w, dw = _row(work, parent, 0), _row(work, parent, 3)
    a = _sum(_row(work, parent, 6), _about(r, w, dw))
    if kind != FIXED:
        axis = _row(frames, i, 12)
        turning = _cross(w, axis)
        if kind == REVOLUTE:
            dw = _sum(dw, _sum(_scaled(acceleration, axis), _scaled(speed, turning)))
            w = _sum(w, _scaled(speed, axis))
        else:
            a = _sum(a, _sum(_scaled(acceleration, axis), _scaled(2.0 * speed, turning)))
    _set_row(work, i, 0, w)
    _set_row(work, i, 3, dw)
    _set_row(work, i, 6, a)


@_compiled
def _link_wrench(frames: Array, inertials: Array, i: int, work: Array) -> None:
    """Moment about the origin and force that a link's motion needs (columns 9 to 14)."""
    mass = inertials[i, 0]
    w, dw = _row(work, i, 0), _row(work, i, 3)
    arm = _turned(frames, i, 0, _row(inertials, i, 1))
    force = _scaled(mass, _sum(_row(work, i, 6), _about(arm, w, dw)))
    local_w = _turned_back(frames, i, w)
    momentum = _turned(inertials, i, 4, local_w)
    needed = _turned(inertials, i, 4, _turned_back(frames, i, dw))
    moment = _turned(frames, i, 0, _sum(needed, _cross(local_w, momentum)))
    place = _sum(_row(frames, i, 9), arm)
    _set_row(work, i, 9, _sum(moment, _cross(place, force)))
    _set_row(work, i, 12, force)


@_compiled
def _base_motion(
    frames: Array, speeds: Array, accelerations: Array, base: int, work: Array
) -> None:
    """Motion of the base's link, given that of the origin."""
    if base == 0:
        return
    w, dw = (
        (speeds[0], speeds[1], speeds[2]),
        (accelerations[0], accelerations[1], accelerations[2]),
    )
    _set_row(work, 0, 0, w)
    _set_row(work, 0, 3, dw)
    _add_row(work, 0, 6, (accelerations[3], accelerations[4], accelerations[5]))
    _add_row(work, 0, 6, _about(_row(frames, 0, 9), w, dw))


@_compiled
def inverse_dynamics(
    tree: Indices,
    geometry: Array,
    inertials: Array,
    motion_in: Array,
    base: int,
    marked: Indices,
    frames: Array,
    work: Array,
    out: Array,
) -> None:
    """Recursive Newton-Euler algorithm (Featherstone 2008, section 5.3).

    ``motion_in`` holds q, the velocities (of the base first: angular, linear), the accelerations
    in the same order, and gravity. ``work`` is room for the motion and the wrench of each link.
    ``out`` gets the forces in the order of the velocities: moment and force at the base, then
    joints.
    """
    n = tree.shape[0]
    dofs = out.shape[0]
    speeds = motion_in[dofs - base :]
    accelerations, gravity = speeds[dofs:], speeds[2 * dofs :]
    marked[:] = 1
    place(tree, geometry, motion_in, marked, frames)
    for k in range(WORK_SIZE):
        work[0, k] = 0.0
    _set_row(work, 0, 6, (-gravity[0], -gravity[1], -gravity[2]))
    _base_motion(frames, speeds, accelerations, base, work)
    for i in range(n):
        if i > 0:
            dof = tree[i, 2]
            speed = float(speeds[base + dof]) if dof >= 0 else 0.0
            acceleration = float(accelerations[base + dof]) if dof >= 0 else 0.0
            _link_motion(tree, frames, i, speed, acceleration, work)
        _link_wrench(frames, inertials, i, work)
    for i in range(n - 1, 0, -1):
        moment, force = _row(work, i, 9), _row(work, i, 12)
        if tree[i, 2] >= 0:
            axis = _row(frames, i, 12)
            along = force
            if tree[i, 1] == REVOLUTE:  # moment about the axis through the joint
                lever = _cross(_row(frames, i, 9), force)
                along = (moment[0] - lever[0], moment[1] - lever[1], moment[2] - lever[2])
            out[base + tree[i, 2]] = axis[0] * along[0] + axis[1] * along[1] + axis[2] * along[2]
        _add_row(work, tree[i, 0], 9, moment)
        _add_row(work, tree[i, 0], 12, force)
    for k in range(base):
        out[k] = work[0, 9 + k]
