# ruff: noqa: PLR0913, PLR0917 - kernels take their state as plain arguments
"""Inverse kinematics by damped least squares (Buss 2004, "Introduction to Inverse Kinematics").

Every iteration is taken whole, also the last one, and no joint turns more than 45 degrees in one:
with the same start, the result after any number of iterations is that of Buss's own library.
"""

from __future__ import annotations

import functools
import math
import sys
from typing import Any

import numpy as np

from unibody.core.engine.kinematics import algorithms
from unibody.core.engine.kinematics.algorithms import (
    FRAME_SIZE,
    GEOMETRY_SIZE,
    LIMIT_GAIN,
    MAX_STEP,
    NULL_SPACE_DAMPING,
    REST_GAIN,
    TREE_SIZE,
    Array,
    Indices,
    fill_columns,
    mark_path,
    place,
)
from unibody.core.engine.kinematics.compiled import (
    C_DOFS,
    C_FRAMES,
    C_GEOMETRY,
    C_LINKS,
    C_MARKED,
    C_Q,
    C_TREE,
    carray,
)
from unibody.machine_code import numba, pointers, types
from unibody.machine_code.compiled import compiled
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import pointer_f64, pointer_i64

_NO_TURN = 10.0 * np.finfo(np.float64).eps  # squared sine of half an angle without an axis
_compiled = numba.njit(error_model="numpy")
_SIGNATURE = types.void(*[types.int64] * 8, types.float64)


@_compiled
def _solve_linear(a: Array, b: Array) -> None:
    """Solve ``a x = b`` by elimination with row pivots; ``b`` becomes x, ``a`` is destroyed."""
    n = b.shape[0]
    for i in range(n):
        best = i
        for row in range(i + 1, n):
            if abs(a[row, i]) > abs(a[best, i]):
                best = row
        if best != i:
            for k in range(i, n):
                a[i, k], a[best, k] = a[best, k], a[i, k]
            b[i], b[best] = b[best], b[i]
        for row in range(i + 1, n):
            factor = a[row, i] / a[i, i]
            for k in range(i + 1, n):
                a[row, k] -= factor * a[i, k]
            b[row] -= factor * b[i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            b[i] -= a[i, k] * b[k]
        b[i] /= a[i, i]


@_compiled
def _matrix(quat: Array, out: Array) -> None:
    """Rotation matrix of a quaternion (w, x, y, z) of any length, row by row."""
    w, x, y, z = quat[0], quat[1], quat[2], quat[3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    out[0], out[1], out[2] = 1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)
    out[3], out[4], out[5] = s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)
    out[6], out[7], out[8] = s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)


@_compiled
def _quaternion(r: Array, out: Array) -> None:
    """Quaternion (w, x, y, z) of a rotation matrix, by its largest component (Shoemake)."""
    trace = r[0] + r[4] + r[8]
    if trace > 0.0:
        s = math.sqrt(trace + 1.0)
        out[0] = 0.5 * s
        s = 0.5 / s
        out[1], out[2], out[3] = (r[7] - r[5]) * s, (r[2] - r[6]) * s, (r[3] - r[1]) * s
        return
    i = 0
    if r[4] > r[0]:
        i = 1
    if r[8] > r[4 * i]:
        i = 2
    j, k = (i + 1) % 3, (i + 2) % 3
    s = math.sqrt(r[4 * i] - r[4 * j] - r[4 * k] + 1.0)
    out[1 + i] = 0.5 * s
    s = 0.5 / s
    out[0] = (r[3 * k + j] - r[3 * j + k]) * s
    out[1 + j] = (r[3 * j + i] + r[3 * i + j]) * s
    out[1 + k] = (r[3 * k + i] + r[3 * i + k]) * s


@_compiled
def _turn_error(rotation: Array, frame: Array, target: Array, out: Array) -> None:
    """Rotation vector from the effector's frame, given in its link's, to the target [rad]."""
    r, q = np.zeros(9), np.empty(4)
    for row in range(3):
        for column in range(3):
            for k in range(3):
                r[3 * row + column] += rotation[3 * row + k] * frame[3 * k + column]
    _quaternion(r, q)
    w = target[0] * q[0] + target[1] * q[1] + target[2] * q[2] + target[3] * q[3]
    x = -target[0] * q[1] + target[1] * q[0] - target[2] * q[3] + target[3] * q[2]
    y = -target[0] * q[2] + target[1] * q[3] + target[2] * q[0] - target[3] * q[1]
    z = -target[0] * q[3] - target[1] * q[2] + target[2] * q[1] + target[3] * q[0]
    # the original rounds the angle to single precision; unfinished solutions show the difference
    angle = np.float64(np.float32(2.0 * math.acos(min(1.0, max(-1.0, w)))))
    if angle > math.pi:
        angle = np.float64(np.float32(angle - 2.0 * math.pi))
    if 1.0 - w * w < _NO_TURN:
        x, y, z = 1.0, 0.0, 0.0
    factor = angle / math.sqrt(x * x + y * y + z * z)
    out[0], out[1], out[2] = factor * x, factor * y, factor * z


@_compiled
def _damped_step(rows: Array, error: Array, damping: Array, used: Indices, step: Array) -> None:
    """``(J^T J + diag(damping)) step = J^T error``; joints off the path to an effector rest."""
    m, n = rows.shape[0], used.shape[0]
    a, b = np.empty((n, n)), np.empty(n)
    for i in range(n):
        for j in range(i, n):
            total = 0.0
            for k in range(m):
                total += rows[k, used[i]] * rows[k, used[j]]
            a[i, j] = a[j, i] = total
        a[i, i] += damping[used[i]]
        b[i] = 0.0
        for k in range(m):
            b[i] += rows[k, used[i]] * error[k]
    _solve_linear(a, b)
    step[:] = 0.0
    for i in range(n):
        step[used[i]] = b[i]


@_compiled
def _null_space_step(rows: Array, error: Array, q: Array, null: Array, step: Array) -> None:
    """``v + J^T (J J^T + 0.36 I)^-1 (error - J v)`` with v, the velocity wanted."""
    m, n = rows.shape
    for i in range(n):
        step[i] = REST_GAIN * (null[3, i] - q[i])
        if q[i] > null[1, i]:
            step[i] += LIMIT_GAIN * (null[1, i] - q[i]) / null[2, i]
        if q[i] < null[0, i]:
            step[i] += LIMIT_GAIN * (null[0, i] - q[i]) / null[2, i]
    a, b = np.empty((m, m)), error.copy()
    for i in range(m):
        for j in range(m):
            a[i, j] = NULL_SPACE_DAMPING if i == j else 0.0
            for k in range(n):
                a[i, j] += rows[i, k] * rows[j, k]
        for k in range(n):
            b[i] -= rows[i, k] * step[k]
    _solve_linear(a, b)
    for k in range(n):
        for i in range(m):
            step[k] += rows[i, k] * b[i]


@_compiled
def _limit_step(step: Array, q: Array) -> None:
    """Add a step to ``q``, scaled down if a joint would turn too far."""
    largest = 0.0
    for i in range(step.shape[0]):
        largest = max(largest, abs(step[i]))
    factor = MAX_STEP / largest if largest > MAX_STEP else 1.0
    for i in range(step.shape[0]):
        q[i] += factor * step[i]


@_compiled
def _least_squares(
    tree: Indices,
    geometry: Array,
    q: Array,
    links: Indices,
    targets: Array,
    turn: Array,
    damping: Array,
    null: Array,
    iterations: int,
    threshold: float,
    marked: Indices,
    frames: Array,
) -> None:
    """Solve for ``q``, in place.

    Args:
        tree: Of the chain.
        geometry: Of the chain.
        q: Where to start from; becomes the solution [rad or m].
        links: The effectors, (k,).
        targets: Where the origins of their link frames should be [m], reference frame, (k, 3).
        turn: (0, 4), or the orientation the effector should have and the frame, in its link, that
            should have it, as quaternions (w, x, y, z); then k is 1.
        damping: Diagonal of the damping matrix, (dofs,); without influence together with ``null``.
        null: (0, dofs), or rows lower limit, upper limit, range, rest pose for the null space.
        iterations: At most so many.
        threshold: Stop after the iteration that began with all effectors closer than this [m].
        marked: Memory of the chain.
        frames: Memory of the chain.
    """
    marked[:] = 0
    for link in links:
        mark_path(tree, link, marked)
    used = np.empty(q.shape[0], np.int64)
    count = 0
    for i in range(tree.shape[0]):
        if marked[i] and tree[i, 2] >= 0:
            used[count] = tree[i, 2]
            count += 1
    turning = turn.shape[0] > 0
    m = 3 * links.shape[0] + 3 * turning
    rows, error, step = np.zeros((m, q.shape[0])), np.empty(m), np.empty(q.shape[0])
    frame, target = np.empty(9), np.empty(4)
    if turning:
        _matrix(turn[0], frame)
        _quaternion(frame, target)
        _matrix(turn[1], frame)
    distance = np.inf
    for _ in range(iterations):
        if not distance > threshold:
            break
        place(tree, geometry, q, marked, frames)
        distance = 0.0
        for e in range(links.shape[0]):
            origin = frames[links[e], 9:12]
            fill_columns(tree, frames, links[e], origin, 0, 3 * e, turning, rows)
            square = 0.0
            for k in range(3):
                error[3 * e + k] = targets[e, k] - origin[k]
                square += error[3 * e + k] ** 2
            distance = max(distance, math.sqrt(square))
        if turning:
            _turn_error(frames[links[0]], frame, target, error[3:])
        if null.shape[0] > 0:
            _null_space_step(rows, error, q, null, step)
        else:
            _damped_step(rows, error, damping, used[:count], step)
        _limit_step(step, q)


def _build(digest: str) -> Any:
    @kept_entry(_SIGNATURE)
    def entry(
        chain: int, links: int, effectors: int, targets: int, turn: int, damping: int, null: int,
        iterations: int, threshold: float,
    ) -> None:  # fmt: skip
        c = pointer_i64(chain)
        n, dofs = c[C_LINKS], c[C_DOFS]
        if len(digest) > 0:
            _least_squares(
                carray(pointer_i64(c[C_TREE]), (n, TREE_SIZE)),
                carray(pointer_f64(c[C_GEOMETRY]), (n, GEOMETRY_SIZE)),
                carray(pointer_f64(c[C_Q]), (dofs,)),
                carray(pointer_i64(links), (effectors,)),
                carray(pointer_f64(targets), (effectors, 3)),
                carray(pointer_f64(turn), (2 if turn != 0 else 0, 4)),
                carray(pointer_f64(damping), (dofs,)),
                carray(pointer_f64(null), (4 if null != 0 else 0, dofs)),
                iterations,
                threshold,
                carray(pointer_i64(c[C_MARKED]), (n,)),
                carray(pointer_f64(c[C_FRAMES]), (n, FRAME_SIZE)),
            )

    return entry.ctypes


@functools.cache
def damped_least_squares() -> Any:
    """The compiled function.

    Its arguments: addresses of the numbers of a chain, whose ``q`` becomes the solution, of the
    links (k,), their number, and addresses of the targets (k, 3), of ``turn`` or 0, of the damping,
    and of ``null`` or 0; then how many iterations at most, and the threshold; see `_least_squares`.
    """
    sources = (sys.modules[__name__], algorithms, pointers)
    return compiled("inverse kinematics", _build, *sources)
