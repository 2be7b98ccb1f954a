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
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Indices = np.ndarray[Any, np.dtype[np.int64]]

FIXED, REVOLUTE, PRISMATIC = 0, 1, 2
TREE_SIZE = 3
GEOMETRY_SIZE = 15
INERTIAL_SIZE = 13
FRAME_SIZE = 15
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
        for column in range(3):
            total = 0.0
            for a in range(3):
                for b in range(3):
                    total += (
                        frames[i, 3 * row + a]
                        * inertials[i, 4 + 3 * a + b]
                        * frames[i, 3 * column + b]
                    )
            out[3 * row + column] = total


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
def _cross(a: Array, i: int, b: Array, j: int, out: Array) -> None:
    """``out = a[i:i+3] x b[j:j+3]``."""
    ax, ay, az, bx, by, bz = a[i], a[i + 1], a[i + 2], b[j], b[j + 1], b[j + 2]
    out[0], out[1], out[2] = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@_compiled
def _link_motion(
    tree: Indices,
    frames: Array,
    i: int,
    speed: float,
    acceleration: float,
    scratch: Array,
    motion: Array,
) -> None:
    """Angular velocity and acceleration, linear acceleration of a link frame (rows of 9)."""
    parent, kind = tree[i, 0], tree[i, 1]
    r, w_x_r, out = scratch[0], scratch[1], scratch[2]
    for k in range(3):
        r[k] = frames[i, 9 + k] - frames[parent, 9 + k]
    up, own, axis = motion[parent], motion[i], frames[i, 12:]
    for k in range(9):
        own[k] = up[k]
    _cross(up, 3, r, 0, out)
    _cross(up, 0, r, 0, w_x_r)
    for k in range(3):
        own[6 + k] += out[k]
    _cross(up, 0, w_x_r, 0, out)
    for k in range(3):
        own[6 + k] += out[k]
    if kind == FIXED:
        return
    _cross(up, 0, axis, 0, out)
    if kind == REVOLUTE:
        for k in range(3):
            own[k] += speed * axis[k]
            own[3 + k] += acceleration * axis[k] + speed * out[k]
    else:
        for k in range(3):
            own[6 + k] += acceleration * axis[k] + 2.0 * speed * out[k]


@_compiled
def _link_wrench(
    frames: Array, inertials: Array, i: int, motion: Array, scratch: Array, wrench: Array
) -> None:
    """Moment about the origin and force that a link's motion needs."""
    mass, own = inertials[i, 0], motion[i]
    c, r, a, b, inertia = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    momentum, moment, force = scratch[5], wrench[i, :3], wrench[i, 3:]
    _mass_centre(frames, inertials, i, c)
    _inertia_in_reference(frames, inertials, i, inertia)
    for k in range(3):
        r[k] = c[k] - frames[i, 9 + k]
        momentum[k] = moment[k] = 0.0
        for column in range(3):
            momentum[k] += inertia[3 * k + column] * own[column]
            moment[k] += inertia[3 * k + column] * own[3 + column]
    _cross(own, 0, momentum, 0, a)
    for k in range(3):
        moment[k] += a[k]
    _cross(own, 3, r, 0, a)
    _cross(own, 0, r, 0, b)
    for k in range(3):
        force[k] = own[6 + k] + a[k]
    _cross(own, 0, b, 0, a)
    for k in range(3):
        force[k] = mass * (force[k] + a[k])
    _cross(c, 0, force, 0, a)
    for k in range(3):
        moment[k] += a[k]


@_compiled
def inverse_dynamics(
    tree: Indices,
    geometry: Array,
    inertials: Array,
    motion_in: Array,
    base: int,
    marked: Indices,
    frames: Array,
    out: Array,
) -> None:
    """Recursive Newton-Euler algorithm (Featherstone 2008, section 5.3).

    ``motion_in`` holds q, the velocities (of the base first: angular, linear), the accelerations
    in the same order, and gravity. ``out`` gets the forces in the order of the velocities: moment
    and force at the base, then joints.
    """
    n = tree.shape[0]
    dofs = out.shape[0]
    q, speeds = motion_in, motion_in[dofs - base :]
    accelerations, gravity = speeds[dofs:], speeds[2 * dofs :]
    marked[:] = 1
    place(tree, geometry, q, marked, frames)
    motion, wrench, scratch = np.zeros((n, 9)), np.zeros((n, 6)), np.empty((6, 9))
    angular, about = np.zeros(6), np.empty(3)
    for k in range(3):
        motion[0, 6 + k] = -gravity[k]
        if base:
            angular[k] = motion[0, k] = speeds[k]
            angular[3 + k] = motion[0, 3 + k] = accelerations[k]
            motion[0, 6 + k] += accelerations[3 + k]
    # the base's velocity is that of the origin: carry it to the frame of its link
    swing = scratch[0]
    _cross(angular, 0, frames[0], 9, swing)
    _cross(angular, 3, frames[0], 9, about)
    for k in range(3):
        motion[0, 6 + k] += about[k]
    _cross(angular, 0, swing, 0, about)
    for k in range(3):
        motion[0, 6 + k] += about[k]
    for i in range(n):
        dof = tree[i, 2]
        if i > 0:
            speed = float(speeds[base + dof]) if dof >= 0 else 0.0
            acceleration = float(accelerations[base + dof]) if dof >= 0 else 0.0
            _link_motion(tree, frames, i, speed, acceleration, scratch, motion)
        _link_wrench(frames, inertials, i, motion, scratch, wrench)
    s = np.empty(6)
    for i in range(n - 1, 0, -1):
        force = 0.0
        _twist(tree, frames, i, s)
        for k in range(6):
            wrench[tree[i, 0], k] += wrench[i, k]
            force += s[k] * wrench[i, k]
        if tree[i, 2] >= 0:
            out[base + tree[i, 2]] = force
    for k in range(base):
        out[k] = wrench[0, k]
