"""Single rotations: quaternions w, x, y, z, angles about x, y, z, and matrices of columns."""

from __future__ import annotations

import numpy as np
from pxr import Gf

from unibody.isaac_core import convert
from unibody.isaac_core.functions.numpy import rotations as many


def rot_matrix_to_quat(mat: np.ndarray) -> np.ndarray:
    """The quaternion of a matrix."""
    return many.rot_matrices_to_quats(np.asarray(mat)[:3, :3])


def quat_to_rot_matrix(quat: np.ndarray) -> np.ndarray:
    """The matrix of a quaternion."""
    return many.quats_to_rot_matrices(quat)


def matrix_to_euler_angles(
    mat: np.ndarray, degrees: bool = False, extrinsic: bool = True
) -> np.ndarray:
    """The angles of a matrix."""
    return quat_to_euler_angles(rot_matrix_to_quat(mat), degrees, extrinsic)


def euler_to_rot_matrix(
    euler_angles: np.ndarray, degrees: bool = False, extrinsic: bool = True
) -> np.ndarray:
    """The matrix of angles."""
    return quat_to_rot_matrix(euler_angles_to_quat(euler_angles, degrees, extrinsic))


def quat_to_euler_angles(
    quat: np.ndarray, degrees: bool = False, extrinsic: bool = True
) -> np.ndarray:
    """The angles of a quaternion."""
    return many.quats_to_euler_angles(quat, degrees, extrinsic)


def euler_angles_to_quat(
    euler_angles: np.ndarray, degrees: bool = False, extrinsic: bool = True
) -> np.ndarray:
    """The quaternion of angles.

    Args:
        euler_angles: About x, y and z.
        degrees: Whether they are degrees, not radians.
        extrinsic: Whether the axes stay where they are while it turns.
    """
    return many.euler_angles_to_quats(euler_angles, degrees, extrinsic)


def lookat_to_quatf(camera: Gf.Vec3f, target: Gf.Vec3f, up: Gf.Vec3f) -> Gf.Quatf:
    """The rotation of a camera that looks at a target along its own -z, with up above."""
    view = Gf.Matrix4d().SetLookAt(Gf.Vec3d(camera), Gf.Vec3d(target), Gf.Vec3d(up))
    return Gf.Quatf(view.GetInverse().ExtractRotation().GetQuat())


def gf_quat_to_np_array(orientation: Gf.Quatd | Gf.Quatf | Gf.Quaternion) -> np.ndarray:
    """(4,) w, x, y, z of a quaternion of USD."""
    return convert.quat_wxyz(orientation)


def gf_rotation_to_np_array(orientation: Gf.Rotation) -> np.ndarray:
    """(4,) w, x, y, z of a rotation of USD."""
    return convert.quat_wxyz(orientation.GetQuat())
