"""Rotations and sums of many worlds, number by number: no world changes another's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def row_sum(rows: Array) -> Array:
    """Sums of rows (N, n), column by column: NumPy's own order depends on the number of rows."""
    total = rows[:, 0].copy()
    for column in range(1, rows.shape[1]):
        total += rows[:, column]
    return total


def rotate(quat: Array, vector: Array) -> Array:
    """Vectors (N, 3) turned by unit quaternions wxyz (N, 4)."""
    w, (x, y, z) = quat[:, 0], quat[:, 1:].T
    a, b, c = vector.T
    # v + 2 w (q x v) + 2 q x (q x v)
    i, j, k = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return np.stack(
        [
            a + w * i + y * k - z * j,
            b + w * j + z * i - x * k,
            c + w * k + x * j - y * i,
        ],
        axis=1,
    )


def rotate_back(quat: Array, vector: Array) -> Array:
    """Vectors (N, 3) of the world in frames with orientations wxyz (N, 4)."""
    return rotate(quat * np.array([1.0, -1.0, -1.0, -1.0]), vector)


def up_axis(quat: Array) -> Array:
    """The world's z in frames with orientations wxyz (N, 4), (N, 3)."""
    w, x, y, z = quat.T
    return np.stack(
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)], axis=1
    )


def yaw_of(quat: Array) -> Array:
    """Turn about the world's z of orientations wxyz (N, 4) [rad]."""
    w, x, y, z = quat.T
    return np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def yaw_quat(yaw: Array) -> Array:
    """Orientations wxyz (N, 4) turned about z [rad]."""
    zero = np.zeros_like(yaw)
    return np.stack([np.cos(0.5 * yaw), zero, zero, np.sin(0.5 * yaw)], axis=1)
