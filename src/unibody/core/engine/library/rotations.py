"""MuJoCo's conversions of rotations, for callers that do not import it."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from unibody.core.assets.description import Quat


def quat_of_matrix(matrix: ArrayLike) -> Quat:
    """The unit quaternion wxyz of a rotation matrix (3, 3)."""
    quat = np.empty(4)
    flat = np.ascontiguousarray(matrix, dtype=np.float64).ravel()
    mujoco.mju_mat2Quat(quat, flat)
    w, x, y, z = quat.tolist()
    return w, x, y, z
