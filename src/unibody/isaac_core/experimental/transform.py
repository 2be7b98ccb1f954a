"""Functions of rotations; quaternions are w, x, y, z, angles are about x, y, z."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert
from unibody.isaac_core.experimental.arguments import Array
from unibody.isaac_core.functions.numpy import rotations

_PARALLEL = 0.999
"""Cosine from which on a view along the up vector takes another one."""


def rotation_matrix_to_quaternion(
    rotation_matrix: Array, *, dtype: Any = None, device: Any = None
) -> wp.array:
    """(..., 4) quaternions of (..., 3, 3) matrices."""
    matrices = _numbers(rotation_matrix, (3, 3))
    found = rotations.rot_matrices_to_quats(matrices.reshape(-1, 3, 3))
    return _back(found.reshape(*matrices.shape[:-2], 4), rotation_matrix, dtype, device)


def quaternion_to_rotation_matrix(
    quaternion: Array, *, dtype: Any = None, device: Any = None
) -> wp.array:
    """(..., 3, 3) matrices of (..., 4) quaternions."""
    quats = _numbers(quaternion, (4,))
    found = rotations.quats_to_rot_matrices(quats.reshape(-1, 4))
    return _back(found.reshape(*quats.shape[:-1], 3, 3), quaternion, dtype, device)


def euler_angles_to_quaternion(
    euler_angles: Array,
    *,
    degrees: bool = False,
    extrinsic: bool = True,
    dtype: Any = None,
    device: Any = None,
) -> wp.array:
    """(..., 4) quaternions of (..., 3) angles.

    Args:
        euler_angles: About x, y and z.
        degrees: Whether they are in degrees, else in radians.
        extrinsic: Whether they are about axes that stay, x first; else about those that turn.
        dtype: Of the numbers; None: as given, float32 for whole numbers.
        device: Of the result; None: that of Warp, or of an array of Warp.
    """
    angles = _numbers(euler_angles, (3,))
    found = rotations.euler_angles_to_quats(angles.reshape(-1, 3), degrees, extrinsic)
    return _back(found.reshape(*angles.shape[:-1], 4), euler_angles, dtype, device)


def euler_angles_to_rotation_matrix(
    euler_angles: Array,
    *,
    degrees: bool = False,
    extrinsic: bool = True,
    dtype: Any = None,
    device: Any = None,
) -> wp.array:
    """(..., 3, 3) matrices of (..., 3) angles; arguments are those of the quaternions."""
    quats = euler_angles_to_quaternion(euler_angles, degrees=degrees, extrinsic=extrinsic)
    matrices = quaternion_to_rotation_matrix(quats.numpy())
    return _back(matrices.numpy(), euler_angles, dtype, device)


def quaternion_to_euler_angles(
    quaternion: Array,
    *,
    degrees: bool = False,
    extrinsic: bool = True,
    dtype: Any = None,
    device: Any = None,
) -> wp.array:
    """(..., 3) angles of (..., 4) quaternions; arguments are those of the other way."""
    quats = _numbers(quaternion, (4,))
    found = rotations.quats_to_euler_angles(quats.reshape(-1, 4), degrees, extrinsic)
    return _back(found.reshape(*quats.shape[:-1], 3), quaternion, dtype, device)


def quaternion_multiplication(
    first_quaternion: Array, second_quaternion: Array, *, dtype: Any = None, device: Any = None
) -> wp.array:
    """(..., 4) products: the second rotation, then the first."""
    one, two = _numbers(first_quaternion, (4,)), _numbers(second_quaternion, (4,))
    one, two = np.broadcast_arrays(one, two)
    found = rotations.multiplied(one.reshape(-1, 4), two.reshape(-1, 4))
    return _back(found.reshape(one.shape), first_quaternion, dtype, device)


def quaternion_conjugate(quaternion: Array, *, dtype: Any = None, device: Any = None) -> wp.array:
    """(..., 4) quaternions of the rotations back."""
    quats = _numbers(quaternion, (4,))
    return _back(quats * np.array([1.0, -1.0, -1.0, -1.0]), quaternion, dtype, device)


def look_at_quaternion(
    eye: Array, target: Array, up: Array | None = None, *, dtype: Any = None, device: Any = None
) -> wp.array:
    """(4,) quaternion of a camera, whose negative z axis points from ``eye`` to ``target``.

    Args:
        eye: (3,) where it is.
        target: (3,) what it looks at.
        up: (3,) what is up in its image; None: the z axis, or along it the y axis.
        dtype: Of the numbers; None: as given, float32 for whole numbers.
        device: Of the result; None: that of Warp, or of an array of Warp.

    Raises:
        InvalidArgumentError: It looks at where it is.
    """
    place, there = _numbers(eye, (3,)), _numbers(target, (3,))
    length = float(np.linalg.norm(there - place))
    if length < 1e-9:
        raise InvalidArgumentError("target", target, "another point than eye")
    back = (place - there) / length
    above = np.array([0.0, 0.0, 1.0]) if up is None else _numbers(up, (3,))
    if abs(float(back @ above)) > _PARALLEL * float(np.linalg.norm(above)):
        above = np.array([0.0, 1.0, 0.0])
    right = np.cross(above, back)
    right /= np.linalg.norm(right)
    matrix = np.stack([right, np.cross(back, right), back], axis=1)
    return _back(rotations.rot_matrices_to_quats(matrix[None])[0], eye, dtype, device)


def _numbers(values: Array, shape: tuple[int, ...]) -> np.ndarray:
    found = np.asarray(convert.plain(values), dtype=np.float64)
    if found.shape[-len(shape) :] != shape:
        allowed = ", ".join(("...", *(str(n) for n in shape)))
        raise InvalidArgumentError("shape", found.shape, f"({allowed})")
    return found


def _back(values: np.ndarray, like: Any, dtype: Any, device: Any) -> wp.array:
    if device is None and isinstance(like, wp.array):
        device = like.device
    if dtype is None:
        double = np.asarray(convert.plain(like)).dtype == np.float64
        dtype = wp.float64 if double else wp.float32
    return wp.array(np.ascontiguousarray(values), dtype=dtype, device=device)
