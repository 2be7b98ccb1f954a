"""Where order and frames change between this surface and core.

Here quaternions are xyzw and angular velocities in the axes of the environment; in core they are
wxyz, and the angular velocity of a free body is in the body's own axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.rotations import Quat
from unibody.isaacgym.types.vectors import Vec3

FloatArray = npt.NDArray[np.floating[Any]]


def to_wxyz(quat_xyzw: FloatArray) -> FloatArray:
    """Reorder quaternions (..., 4) for core."""
    return np.roll(quat_xyzw, 1, axis=-1)


def to_xyzw(quat_wxyz: FloatArray) -> FloatArray:
    """Reorder quaternions (..., 4) of core."""
    return np.roll(quat_wxyz, -1, axis=-1)


def to_body_axes(quat_xyzw: FloatArray, vector_w: FloatArray) -> FloatArray:
    """Turn vectors (..., 3) from the world's axes into those of bodies at ``quat_xyzw``."""
    return _turned(quat_xyzw, vector_w, -1.0)


def to_world_axes(quat_xyzw: FloatArray, vector_b: FloatArray) -> FloatArray:
    """Turn vectors (..., 3) from the axes of bodies at ``quat_xyzw`` into the world's."""
    return _turned(quat_xyzw, vector_b, 1.0)


def to_pose(transform: Transform) -> tuple[FloatArray, FloatArray]:
    """Return position [m] and unit quaternion wxyz, float64, of a pose for core."""
    p, r = transform.p, transform.r.normalize()
    return np.array([p.x, p.y, p.z]), np.array([r.w, r.x, r.y, r.z])


def to_transform(position: FloatArray, quat_wxyz: FloatArray) -> Transform:
    """Return a pose of core: position (3,) [m], quaternion wxyz (4,)."""
    w, x, y, z = (float(part) for part in quat_wxyz)
    return Transform(Vec3(*(float(part) for part in position)), Quat(x, y, z, w))


def _turned(quat_xyzw: FloatArray, vector: FloatArray, sign: float) -> FloatArray:
    axis, w = quat_xyzw[..., :3] * sign, quat_xyzw[..., 3:]
    twice = 2.0 * np.cross(axis, vector)
    return vector + w * twice + np.cross(axis, twice)
