"""Functions of ``gymapi`` over single structures, arrays of records, or plain arrays.

Arguments are broadcast against one another. The result is a structure where all arguments were
structures, records where one of them was, and float32 of shape (..., width) otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaacgym.types import records
from unibody.isaacgym.types.fields import Struct
from unibody.isaacgym.types.records import QUAT, TRANSFORM, VEC3, FloatArray


def cross(arg0: Any, arg1: Any) -> Any:
    """Return vector products."""
    (a, b), like = _read(("arg0", arg0, VEC3), ("arg1", arg1, VEC3))
    return _write(np.cross(a, b), VEC3, like)


def dot(arg0: Any, arg1: Any) -> Any:
    """Return inner products, of vectors or of quaternions."""
    kind = QUAT if _is_quat(arg0) else VEC3
    (a, b), like = _read(("arg0", arg0, kind), ("arg1", arg1, kind))
    products = np.sum(a * b, axis=-1)
    return float(products) if like == "object" else products.astype(np.float32)


def rotate(arg0: Any, arg1: Any) -> Any:
    """Return vectors ``arg1`` rotated by quaternions ``arg0``."""
    (q, v), like = _read(("arg0", arg0, QUAT), ("arg1", arg1, VEC3))
    return _write(_rotated(q, v), VEC3, like)


def rotate_inverse(arg0: Any, arg1: Any) -> Any:
    """Return vectors ``arg1`` rotated by the inverses of quaternions ``arg0``."""
    (q, v), like = _read(("arg0", arg0, QUAT), ("arg1", arg1, VEC3))
    return _write(_rotated(q * _CONJUGATE, v), VEC3, like)


def transform(arg0: Any, arg1: Any) -> Any:
    """Return points ``arg1`` of frames ``arg0`` in the frame outside [m]."""
    (t, v), like = _read(("arg0", arg0, TRANSFORM), ("arg1", arg1, VEC3))
    return _write(_rotated(t[..., 3:], v) + t[..., :3], VEC3, like)


def transform_inverse(arg0: Any, arg1: Any) -> Any:
    """Return points ``arg1`` of the frame outside in frames ``arg0`` [m]."""
    (t, v), like = _read(("arg0", arg0, TRANSFORM), ("arg1", arg1, VEC3))
    return _write(_rotated(t[..., 3:] * _CONJUGATE, v - t[..., :3]), VEC3, like)


def eulers_to_quats_zyx(arg0: Any) -> Any:
    """Return the rotations Rz Ry Rx of roll, pitch and yaw [rad] as quaternions xyzw."""
    (angles,), like = _read(("arg0", arg0, VEC3))
    cr, cp, cy = np.moveaxis(np.cos(0.5 * angles), -1, 0)
    sr, sp, sy = np.moveaxis(np.sin(0.5 * angles), -1, 0)
    parts = (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )
    return _write(np.stack(parts, axis=-1), QUAT, like)


def quats_to_eulers_zyx(arg0: Any) -> Any:
    """Return roll, pitch and yaw [rad] of quaternions xyzw, the pitch in [-pi/2, pi/2]."""
    (quats,), like = _read(("arg0", arg0, QUAT))
    x, y, z, w = np.moveaxis(quats, -1, 0)
    parts = (
        np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
        np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0)),
        np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
    )
    return _write(np.stack(parts, axis=-1), VEC3, like)


_CONJUGATE = np.array([-1.0, -1.0, -1.0, 1.0])


def _rotated(q: FloatArray, v: FloatArray) -> FloatArray:
    axis, w = q[..., :3], q[..., 3:]
    along = np.sum(axis * v, axis=-1, keepdims=True)
    return v * (2.0 * w * w - 1.0) + np.cross(axis, v) * (2.0 * w) + axis * (2.0 * along)


def _is_quat(value: Any) -> bool:
    if isinstance(value, Struct):
        return len(value.fields) == 4
    array = records.to_array("arg0", value, "an array of numbers or of records")
    return array.dtype == QUAT or (array.ndim > 0 and array.shape[-1] == 4)


def _read(*arguments: tuple[str, Any, np.dtype[np.void]]) -> tuple[list[FloatArray], str]:
    """Return all arguments as numbers, and what the result should be like."""
    arrays: list[FloatArray] = []
    like = "object"
    for name, value, dtype in arguments:
        array, is_records = records.numbers(name, value, dtype)
        arrays.append(array)
        if is_records:
            like = "records"
        elif not isinstance(value, Struct) and like == "object":
            like = "numbers"
    try:
        np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape[:-1]) for array in arrays)
        names = ", ".join(name for name, _, _ in arguments)
        raise InvalidArgumentError(names, shapes, "shapes that can be broadcast") from None
    return arrays, like


def _write(values: FloatArray, dtype: np.dtype[np.void], like: str) -> Any:
    if like == "records":
        return records.records(values, dtype)
    if like == "numbers":
        return values.astype(np.float32)
    # The structures import this module.
    from unibody.isaacgym.types.rotations import Quat
    from unibody.isaacgym.types.vectors import Vec3

    return (Quat if dtype == QUAT else Vec3)(*values.tolist())
