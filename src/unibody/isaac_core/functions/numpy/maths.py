"""Products of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["cos", "inverse", "matmul", "sin", "transpose_2d"]


def matmul(matrix_a: Any, matrix_b: Any) -> np.ndarray:
    """Product of matrices."""
    return np.matmul(matrix_a, matrix_b)


def sin(data: Any) -> np.ndarray:
    """Sine of angles [rad]."""
    return np.sin(data)


def cos(data: Any) -> np.ndarray:
    """Cosine of angles [rad]."""
    return np.cos(data)


def transpose_2d(data: Any) -> np.ndarray:
    """Transpose of matrices."""
    return np.swapaxes(np.asarray(data), -1, -2)


def inverse(data: Any) -> np.ndarray:
    """Inverse of matrices."""
    return np.linalg.inv(data)
