"""A few functions of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np


def radians_to_degrees(rad_angles: np.ndarray) -> np.ndarray:
    """Degrees of radians."""
    return np.rad2deg(rad_angles)


def cross(a: np.ndarray | list[Any], b: np.ndarray | list[Any]) -> list[Any]:
    """Cross product of two vectors, as a list."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def normalize(v: Any) -> Any:
    """Bring a vector to unit length where it is; one of length 0 stays."""
    length = np.linalg.norm(v)
    if length != 0:
        v /= length
    return v


def normalized(v: Any) -> Any:
    """A copy of a vector at unit length; of one of length 0, as it is."""
    return None if v is None else normalize(np.array(v, dtype=float))
