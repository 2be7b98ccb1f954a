"""Distances between translations and between rotations; matrices are for column vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf

from unibody.errors import InvalidArgumentError


def weighted_translational_distance(
    t1: np.ndarray | Gf.Matrix4d,
    t2: np.ndarray | Gf.Matrix4d,
    weight_matrix: np.ndarray = np.eye(3),  # noqa: B008
) -> np.ndarray:
    """sqrt(x^T W x) of the difference x of two translations, or of those of transforms."""
    x = _translation(t1) - _translation(t2)
    return np.sqrt(x @ weight_matrix @ x)


def rotational_distance_angle(
    r1: np.ndarray | Gf.Matrix3d | Gf.Matrix4d,
    r2: np.ndarray | Gf.Matrix3d | Gf.Matrix4d,
) -> np.ndarray:
    """Angle [rad] of the rotation between two."""
    difference = _rotation(r1) @ _rotation(r2).T
    # The cosine alone loses half of the digits near 0: there the sine has them.
    sine = 0.5 * np.linalg.norm(
        [
            difference[2, 1] - difference[1, 2],
            difference[0, 2] - difference[2, 0],
            difference[1, 0] - difference[0, 1],
        ]
    )
    return np.arctan2(sine, 0.5 * (np.trace(difference) - 1.0))


def rotational_distance_identity_matrix_deviation(
    r1: np.ndarray | Gf.Matrix4d | Gf.Matrix3d,
    r2: np.ndarray | Gf.Matrix4d | Gf.Matrix3d,
) -> np.ndarray:
    """Frobenius norm of I - R1 R2^T."""
    return np.linalg.norm(np.eye(3) - _rotation(r1) @ _rotation(r2).T)  # type: ignore[return-value]


def rotational_distance_single_axis(
    r1: np.ndarray | Gf.Matrix4d | Gf.Matrix3d,
    r2: np.ndarray | Gf.Matrix4d | Gf.Matrix3d,
    axis: np.ndarray,
) -> np.ndarray:
    """Angle [rad] between an axis turned by one rotation and by the other."""
    a, b = _rotation(r1) @ np.asarray(axis), _rotation(r2) @ np.asarray(axis)
    return np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)


def _translation(value: Any) -> np.ndarray:
    if isinstance(value, Gf.Matrix4d):
        return np.array(value.ExtractTranslation())
    array = np.asarray(value, dtype=np.float64)
    if array.shape not in {(3,), (4, 4)}:
        raise InvalidArgumentError("t", array.shape, "a translation (3,) or a transform (4, 4)")
    return array[:3, 3] if array.ndim == 2 else array


def _rotation(value: Any) -> np.ndarray:
    array = np.array(value, dtype=np.float64)
    if isinstance(value, Gf.Matrix3d | Gf.Matrix4d):
        array = array.T
    if array.shape not in {(3, 3), (4, 4)}:
        raise InvalidArgumentError("r", array.shape, "a matrix (3, 3) or (4, 4)")
    return array[:3, :3]
