"""Orientations to turn to, rounded as the original rounds them.

Which way a robot turns by 180 degrees is decided by the last bit of a dot product that is zero but
for rounding. So what goes into it is worked out here in the order, and with the roundings, of what
the original calls: Bullet's matrices for the pose an object is made with, SciPy's rotations for the
heading, and OpenBLAS's dot product, which multiplies and adds with one rounding.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.machine_code import numba

_compiled = numba.njit(cache=True, error_model="numpy")
_ALIGNED = 0.95  # cosine: the goal's own heading is taken if it points the way
_PARALLEL = 1e-6
_SPLIT = 134217729.0  # 2^27 + 1: halves of a double (Veltkamp)


@_compiled
def _fused(a: float, b: float, c: float) -> float:
    """``a b + c`` with one rounding (Dekker's product, Knuth's sum)."""
    product = a * b
    high = _SPLIT * a - (_SPLIT * a - a)
    other = _SPLIT * b - (_SPLIT * b - b)
    low, rest = a - high, b - other
    lost = ((high * other - product) + high * rest + low * other) + low * rest
    total = product + c
    back = total - product
    return total + (lost + ((product - (total - back)) + (c - back)))


@_compiled
def dot(a: Any, b: Any) -> float:
    """Dot product as OpenBLAS rounds it."""
    total = 0.0
    for k in range(len(a)):
        total = _fused(a[k], b[k], total)
    return total


@_compiled
def length(a: Any) -> float:
    """Length of a vector as NumPy rounds it."""
    return math.sqrt(dot(a, a))


@_compiled
def _axes(quat: Any, x: Any, z: Any) -> None:
    """First and third column of a rotation."""
    n = math.sqrt(quat[0] ** 2 + quat[1] ** 2 + quat[2] ** 2 + quat[3] ** 2)
    a, b, c, w = quat[0] / n, quat[1] / n, quat[2] / n, quat[3] / n
    x[0] = a * a - b * b - c * c + w * w
    x[1] = 2.0 * (a * b + c * w)
    x[2] = 2.0 * (a * c - b * w)
    z[0] = 2.0 * (a * c + b * w)
    z[1] = 2.0 * (b * c - a * w)
    z[2] = -a * a - b * b + c * c + w * w


@_compiled
def _cross(a: Any, b: Any, out: Any) -> None:
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@_compiled
def _quat_of_axes(x: Any, y: Any, z: Any, out: Any) -> None:
    """Quaternion of the rotation with these columns, by its largest component (Shoemake)."""
    trace = x[0] + y[1] + z[2]
    best, i = x[0], 0
    if y[1] > best:
        best, i = y[1], 1
    if z[2] > best:
        best, i = z[2], 2
    if trace > best:
        out[0], out[1], out[2] = y[2] - z[1], z[0] - x[2], x[1] - y[0]
        out[3] = 1.0 + trace
    elif i == 0:
        out[0] = 1.0 - trace + 2.0 * x[0]
        out[1], out[2], out[3] = x[1] + y[0], x[2] + z[0], y[2] - z[1]
    elif i == 1:
        out[1] = 1.0 - trace + 2.0 * y[1]
        out[0], out[2], out[3] = x[1] + y[0], y[2] + z[1], z[0] - x[2]
    else:
        out[2] = 1.0 - trace + 2.0 * z[2]
        out[0], out[1], out[3] = x[2] + z[0], y[2] + z[1], x[1] - y[0]
    n = math.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2 + out[3] ** 2)
    for k in range(4):
        out[k] /= n


@_compiled
def heading(x: Any, goal: Any, out: Any) -> None:
    """The orientation whose x axis is ``x`` (3,), and whose z axis is nearest the goal's.

    The goal's own orientation is taken if it points that way within 18 degrees.
    """
    own = np.empty(3)
    up = np.empty(3)
    _axes(goal, own, up)
    if dot(own, x) > _ALIGNED:
        for k in range(4):
            out[k] = goal[k]
        return
    y = np.empty(3)
    _cross(up, x, y)
    n = length(y)
    if n < _PARALLEL:
        up[0] = up[1] = up[2] = 0.0
        up[2 if abs(x[2]) < 0.9 else 1] = 1.0
        _cross(up, x, y)
        n = length(y)
    for k in range(3):
        y[k] /= n
    z = np.empty(3)
    _cross(x, y, z)
    _quat_of_axes(x, y, z, out)


def through_bullet(quat: Any) -> tuple[float, float, float, float]:
    """A quaternion (x, y, z, w) as PyBullet gives it back for a body that was made with it.

    It goes through a rotation matrix twice on the way.
    """
    out = np.array(quat, dtype=np.float64)
    _through_matrix(out)
    _through_matrix(out)
    x, y, z, w = out.tolist()
    return x, y, z, w


@_compiled
def _through_matrix(q: Any) -> None:
    """From a quaternion to a matrix and back, with the roundings of Bullet's two functions."""
    s = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    xs, ys, zs = q[0] * s, q[1] * s, q[2] * s
    wx, wy, wz = q[3] * xs, q[3] * ys, q[3] * zs
    xx, xy, xz = q[0] * xs, q[0] * ys, q[0] * zs
    yy, yz, zz = q[1] * ys, q[1] * zs, q[2] * zs
    m = np.empty((3, 3))
    m[0, 0], m[0, 1], m[0, 2] = 1.0 - (yy + zz), xy - wz, xz + wy
    m[1, 0], m[1, 1], m[1, 2] = xy + wz, 1.0 - (xx + zz), yz - wx
    m[2, 0], m[2, 1], m[2, 2] = xz - wy, yz + wx, 1.0 - (xx + yy)
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    if trace > 0.0:
        s = math.sqrt(trace + 1.0)
        q[3] = 0.5 * s
        s = 0.5 / s
        q[0], q[1], q[2] = (
            (m[2, 1] - m[1, 2]) * s,
            (m[0, 2] - m[2, 0]) * s,
            (m[1, 0] - m[0, 1]) * s,
        )
        return
    i = 0
    if m[0, 0] < m[1, 1]:
        i = 2 if m[1, 1] < m[2, 2] else 1
    elif m[0, 0] < m[2, 2]:
        i = 2
    j, k = (i + 1) % 3, (i + 2) % 3
    s = math.sqrt(m[i, i] - m[j, j] - m[k, k] + 1.0)
    q[i] = 0.5 * s
    s = 0.5 / s
    q[3] = (m[k, j] - m[j, k]) * s
    q[j] = (m[j, i] + m[i, j]) * s
    q[k] = (m[k, i] + m[i, k]) * s
