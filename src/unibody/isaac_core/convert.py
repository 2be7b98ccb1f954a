"""Between numbers of scripts and types of USD: quaternions are w, x, y, z on both sides."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf


def plain(value: Any) -> NDArray[Any]:
    """An array of NumPy from one of NumPy, PyTorch or Warp, or from a sequence."""
    if hasattr(value, "detach"):
        return value.detach().cpu().numpy()
    if hasattr(value, "numpy"):
        return value.numpy()
    return np.asarray(value)


def quat_wxyz(value: Any) -> NDArray[np.float64]:
    """(4,) w, x, y, z of a quaternion of USD."""
    return np.array([value.GetReal(), *value.GetImaginary()], dtype=np.float64)


def gf_quat(quat_wxyz: Any) -> Gf.Quatd:
    """The quaternion of USD of w, x, y, z, at unit length."""
    w, x, y, z = (float(c) for c in plain(quat_wxyz))
    return Gf.Quatd(w, x, y, z).GetNormalized()


def gf_rotation(quat: Gf.Quatd | Gf.Quatf) -> Gf.Rotation:
    """The rotation of a quaternion of USD.

    ``Gf.Rotation`` takes the angle from w alone, and that of a float32 is 1 up to 5e-4 rad.
    """
    return Gf.Rotation(Gf.Quatd(quat).GetNormalized())


def column_matrix(matrix: Any) -> NDArray[np.float64]:
    """The matrix for column vectors of one of USD, whose vectors are rows."""
    return np.array(matrix, dtype=np.float64).T


def pose_matrix(translation: Any, quat_wxyz: Any) -> Gf.Matrix4d:
    """The transform of USD of a position and a quaternion w, x, y, z."""
    matrix = Gf.Matrix4d().SetRotate(gf_quat(quat_wxyz))
    return matrix.SetTranslateOnly(Gf.Vec3d(*(float(c) for c in plain(translation))))
