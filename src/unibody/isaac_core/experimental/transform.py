"""Functions of rotations; quaternions are w, x, y, z, angles are about x, y, z."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from pxr import Gf

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert
from unibody.isaac_core.experimental.arguments import Array
from unibody.isaac_core.functions.numpy import rotations

_AT_ONE_PLACE = 1e-9
_PARALLEL = 0.999
"""Cosine from which on a view along the up vector takes another one."""


def rotation_matrix_to_quaternion(
    rotation_matrix: Array, *, dtype: Any = None, device: Any = None
) -> wp.array[Any]:
    """(..., 4) quaternions of (..., 3, 3) matrices."""
    matrices = _numbers(rotation_matrix, (3, 3))
    found = rotations.rot_matrices_to_quats(matrices.reshape(-1, 3, 3))
    return _back(found.reshape(*matrices.shape[:-2], 4), rotation_matrix, dtype, device)


def quaternion_to_rotation_matrix(
    quaternion: Array, *, dtype: Any = None, device: Any = None
) -> wp.array[Any]:
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
) -> wp.array[Any]:
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
) -> wp.array[Any]:
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
) -> wp.array[Any]:
    """(..., 3) angles of (..., 4) quaternions; arguments are those of the other way."""
    quats = _numbers(quaternion, (4,))
    found = rotations.quats_to_euler_angles(quats.reshape(-1, 4), degrees, extrinsic)
    return _back(found.reshape(*quats.shape[:-1], 3), quaternion, dtype, device)


def quaternion_multiplication(
    first_quaternion: Array, second_quaternion: Array, *, dtype: Any = None, device: Any = None
) -> wp.array[Any]:
    """(..., 4) products: the second rotation, then the first."""
    one, two = _numbers(first_quaternion, (4,)), _numbers(second_quaternion, (4,))
    one, two = np.broadcast_arrays(one, two)
    found = rotations.multiplied(one.reshape(-1, 4), two.reshape(-1, 4))
    return _back(found.reshape(one.shape), first_quaternion, dtype, device)


def quaternion_conjugate(
    quaternion: Array, *, dtype: Any = None, device: Any = None
) -> wp.array[Any]:
    """(..., 4) quaternions of the rotations back."""
    quats = _numbers(quaternion, (4,))
    return _back(quats * np.array([1.0, -1.0, -1.0, -1.0]), quaternion, dtype, device)


def look_at_quaternion(
    eye: Array, target: Array, up: Array | None = None, *, dtype: Any = None, device: Any = None
) -> wp.array[Any]:
    """(..., 4) quaternions of cameras, whose negative z axes point from ``eye`` to ``target``.

    Args:
        eye: (..., 3) where they are.
        target: (..., 3) what they look at.
        up: (3,) or (..., 3) what is up in their images; None: the z axis. Along it the y axis.
        dtype: Of the numbers; None: as given, float32 for whole numbers.
        device: Of the result; None: that of Warp, or of an array of Warp.

    Raises:
        InvalidArgumentError: One looks at where it is, or the shapes differ.
    """
    places, there = _numbers(eye, (3,)), _numbers(target, (3,))
    if places.shape != there.shape:
        raise InvalidArgumentError("target.shape", there.shape, f"that of eye, {places.shape}")
    back = places - there
    lengths = np.linalg.norm(back, axis=-1, keepdims=True)
    if (lengths < _AT_ONE_PLACE).any():
        raise InvalidArgumentError("target", target, "another point than eye")
    back = back / lengths
    above = np.array([0.0, 0.0, 1.0]) if up is None else _numbers(up, (3,))
    above = np.broadcast_to(above, back.shape)
    size = np.linalg.norm(above, axis=-1)
    along = np.abs(np.sum(back * above, axis=-1)) > _PARALLEL * size
    above = np.where(along[..., None], [0.0, 1.0, 0.0], above)
    right = np.cross(above, back)
    right = right / np.linalg.norm(right, axis=-1, keepdims=True)
    matrices = np.stack([right, np.cross(back, right), back], axis=-1)
    found = rotations.rot_matrices_to_quats(matrices.reshape(-1, 3, 3))
    return _back(found.reshape(*places.shape[:-1], 4), eye, dtype, device)


def look_at_matrix(eye: Any, target: Any, up: Any = None, *, epsilon: float = 1e-5) -> Gf.Matrix4d:
    """The transform of USD of a camera, whose negative z axis points from ``eye`` to ``target``.

    Args:
        eye: (3,) where it is; None: the origin.
        target: (3,) what it looks at; None: the origin.
        up: (3,) what is up in its image; None: the z axis. Along it the y axis takes its place,
            along that the x axis.
        epsilon: Length of the product of both from which on they are not along one another.
    """
    place, there = (_point(one, (0.0, 0.0, 0.0)) for one in (eye, target))
    ahead = there - place
    wished = (_point(up, (0.0, 0.0, 1.0)), Gf.Vec3d(0.0, 1.0, 0.0), Gf.Vec3d(1.0, 0.0, 0.0))
    aside = (one for one in wished if Gf.Cross(ahead, one).GetLength() >= epsilon)
    return Gf.Matrix4d(1.0).SetLookAt(place, there, next(aside, wished[-1])).GetInverse()


def compute_relative_transform(source_to_world: Any, target_to_world: Any) -> np.ndarray:
    """(4, 4) transform of columns from one frame to another.

    Args:
        source_to_world: (4, 4) transform of rows, as USD has it, of the frame that points are in.
        target_to_world: (4, 4) the same of the frame that they are wanted in.
    """
    source, target = (convert.column_matrix(convert.plain(one))
                      for one in (source_to_world, target_to_world))  # fmt: skip
    return np.linalg.inv(target) @ source


def _point(values: Any, otherwise: tuple[float, float, float]) -> Gf.Vec3d:
    plain = otherwise if values is None else np.asarray(convert.plain(values), float).reshape(-1)
    return Gf.Vec3d(*map(float, plain))


def _numbers(values: Array, shape: tuple[int, ...]) -> np.ndarray:
    found = np.asarray(convert.plain(values), dtype=np.float64)
    if found.shape[-len(shape) :] != shape:
        allowed = ", ".join(("...", *(str(n) for n in shape)))
        raise InvalidArgumentError("shape", found.shape, f"({allowed})")
    return found


def _back(values: np.ndarray, like: Any, dtype: Any, device: Any) -> wp.array[Any]:
    if device is None and isinstance(like, wp.array):
        device = like.device
    if dtype is None:
        double = np.asarray(convert.plain(like)).dtype == np.float64
        dtype = wp.float64 if double else wp.float32
    return wp.array(np.ascontiguousarray(values), dtype=dtype, device=device)
