"""What scripts write for vectors, rotations and poses, as Warp's types.

Newton writes quaternions (x, y, z, w) and poses as position and quaternion, as Warp does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton.enums import Axis


def vec3(argument: str, value: Any) -> wp.vec3:
    """Three numbers as a vector.

    Args:
        argument: Name of the argument, for the error.
        value: A Warp vector or a sequence of three numbers.

    Raises:
        InvalidArgumentError: The value is not three numbers.
    """
    try:
        if len(value) == 3:
            return wp.vec3(float(value[0]), float(value[1]), float(value[2]))
    except (TypeError, ValueError, IndexError):
        pass
    raise InvalidArgumentError(argument, value, "three numbers")


def axis(value: Any) -> wp.vec3:
    """An axis as a vector: an `Axis`, a letter, a number, or three numbers."""
    if isinstance(value, list | tuple | np.ndarray) or wp.types.type_is_vector(type(value)):
        return vec3("axis", value)
    return Axis.from_any(value).to_vec3()


def transform(argument: str, value: Any) -> wp.transform:
    """A pose, copied; None is the identity.

    Args:
        argument: Name of the argument, for the error.
        value: A Warp transform, a pair of position and quaternion, or seven numbers.

    Raises:
        InvalidArgumentError: The value is none of them.
    """
    if value is None:
        return wp.transform()
    try:
        if len(value) in {2, 7}:
            return wp.transform(*value)
        if len(value) == 3:  # the original lets a position stand for a pose
            return wp.transform(tuple(value), wp.quat_identity())
    except (TypeError, ValueError, RuntimeError):
        pass
    raise InvalidArgumentError(argument, value, "a transform: (position, quaternion xyzw)")


def mat33(argument: str, value: Any) -> wp.mat33:
    """Nine numbers, three rows, or a matrix; None is zero."""
    if value is None:
        return wp.mat33()
    if wp.types.type_is_matrix(type(value)):
        return value
    try:
        rows = np.array([[*row] if not np.isscalar(row) else row for row in value], dtype=float)
        if rows.size == 9:
            return wp.mat33(*rows.reshape(-1).tolist())
    except (TypeError, ValueError):
        pass
    raise InvalidArgumentError(argument, value, "a 3x3 matrix")


def rotation(q: Sequence[float]) -> np.ndarray:
    """The rotation matrix of a quaternion (x, y, z, w), shape (3, 3)."""
    numbers = np.array([float(v) for v in q])
    # float32 quaternions miss unit length by 1e-8, which would turn into masses that are no equals
    x, y, z, w = numbers / (np.linalg.norm(numbers) or 1.0)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def plane_pose(plane: Sequence[float]) -> wp.transform:
    """The pose whose z axis is the normal of the plane ``a x + b y + c z + d = 0``.

    Raises:
        InvalidArgumentError: There are not four numbers, or the normal is zero.
    """
    numbers = np.array(plane, dtype=float)
    length = np.linalg.norm(numbers[:3]) if numbers.shape == (4,) else 0.0
    if not length > 0.0:
        raise InvalidArgumentError("plane", plane, "(a, b, c, d) with a normal that is not zero")
    normal = numbers[:3] / length
    turn = wp.quat_between_vectors(wp.vec3(0.0, 0.0, 1.0), wp.vec3(*normal))
    return wp.transform(wp.vec3(*(-numbers[3] / length * normal)), turn)
