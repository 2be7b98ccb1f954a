"""Poses (position, then quaternion xyzw) in rows of NumPy arrays, (..., 7)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]


def rotate(q: Any, v: Any) -> Rows:
    """Vectors turned by unit quaternions xyzw, in Warp's order of operations."""
    axis, w = q[..., :3], q[..., 3:]
    along = 2.0 * _sum(axis * v)
    return v * (2.0 * w * w - 1.0) + axis * along + np.cross(axis, v) * w * 2.0


def multiply(a: Any, b: Any) -> Rows:
    """Pose b in the frame of pose a, as seen from where a is seen.

    The operations are in Warp's order: rows of float32 give the bits of its product of transforms.
    """
    qa, qb = a[..., 3:], b[..., 3:]
    u, v = qa[..., :3], qb[..., :3]
    ahead, behind = [1, 2, 0], [2, 0, 1]
    vector = qa[..., 3:] * v + qb[..., 3:] * u
    vector = vector + u[..., ahead] * v[..., behind] - v[..., ahead] * u[..., behind]
    parts = u * v
    scalar = qa[..., 3:] * qb[..., 3:] - parts[..., :1] - parts[..., 1:2] - parts[..., 2:]
    position = rotate(qa, b[..., :3]) + a[..., :3]
    return np.concatenate([position, vector, scalar], axis=-1)


def _sum(v: Any) -> Rows:
    return v[..., :1] + v[..., 1:2] + v[..., 2:]


def inverse(a: Any) -> Rows:
    """The pose that undoes another."""
    q = a[..., 3:] * np.array([-1.0, -1.0, -1.0, 1.0])
    return np.concatenate([-rotate(q, a[..., :3]), q], axis=-1)


def to_wxyz(q: Any) -> Rows:
    """Quaternions in MuJoCo's order."""
    return np.roll(q, 1, axis=-1)


def to_xyzw(q: Any) -> Rows:
    """Quaternions in Newton's order."""
    return np.roll(q, -1, axis=-1)


def principal(inertia: Any) -> tuple[Rows, Rows]:
    """Principal moments, the largest first, and the quaternions wxyz of their axes."""
    moments, axes = np.linalg.eigh(np.asarray(inertia, dtype=float))
    moments, axes = moments[..., ::-1], axes[..., ::-1].copy()
    axes[..., 2] *= np.sign(np.linalg.det(axes))[..., None]
    return moments, quaternions(axes)


def quaternions(matrices: Any) -> Rows:
    """Quaternions wxyz of rotation matrices: the row of four products that is best conditioned."""
    m = matrices
    x, y, z = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    squares = np.stack([1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z], axis=-1)
    a, b, c = m[..., 2, 1], m[..., 0, 2], m[..., 1, 0]
    d, e, f = m[..., 1, 2], m[..., 2, 0], m[..., 0, 1]
    rows = np.stack(
        [
            np.stack([squares[..., 0], a - d, b - e, c - f], axis=-1),
            np.stack([a - d, squares[..., 1], f + c, b + e], axis=-1),
            np.stack([b - e, f + c, squares[..., 2], a + d], axis=-1),
            np.stack([c - f, b + e, a + d, squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(squares, axis=-1)
    chosen = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    return chosen / np.linalg.norm(chosen, axis=-1, keepdims=True)
