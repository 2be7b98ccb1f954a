"""Rotations of arrays of Warp: quaternions w, x, y, z, angles about x, y, z, and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core.functions.numpy import rotations
from unibody.isaac_core.functions.warp.arrays import back, plain

__all__ = [
    "deg2rad", "euler_angles_to_quats", "gf_quat_to_tensor", "normalise_quat_in_pose",
    "quats_to_euler_angles", "quats_to_rot_matrices", "rad2deg", "rot_matrices_to_quats",
    "wxyz2xyzw", "xyzw2wxyz",
]  # fmt: skip


def gf_quat_to_tensor(orientation: Any, device: Any = None) -> Any:
    """(4,) w, x, y, z of a quaternion of USD."""
    return back(rotations.gf_quat_to_tensor(orientation), device=device)


def deg2rad(degree_value: Any, device: Any = None) -> Any:
    """Radians of degrees."""
    return back(np.deg2rad(plain(degree_value)), degree_value, device)


def rad2deg(radian_value: Any, device: Any = None) -> Any:
    """Degrees of radians."""
    return back(np.rad2deg(plain(radian_value)), radian_value, device)


def xyzw2wxyz(q: Any) -> Any:
    """Quaternions w, x, y, z of x, y, z, w."""
    return back(rotations.xyzw2wxyz(plain(q)), q)


def wxyz2xyzw(q: Any) -> Any:
    """Quaternions x, y, z, w of w, x, y, z."""
    return back(rotations.wxyz2xyzw(plain(q)), q)


def euler_angles_to_quats(
    euler_angles: Any, degrees: bool = False, extrinsic: bool = True, device: Any = None
) -> Any:
    """(N, 4) quaternions of angles about x, y and z."""
    found = rotations.euler_angles_to_quats(plain(euler_angles), degrees, extrinsic)
    return back(found, euler_angles, device)


def quats_to_euler_angles(
    quaternions: Any, degrees: bool = False, extrinsic: bool = True, device: Any = None
) -> Any:
    """(N, 3) angles about x, y and z of quaternions."""
    found = rotations.quats_to_euler_angles(plain(quaternions), degrees, extrinsic)
    return back(found, quaternions, device)


def quats_to_rot_matrices(quaternions: Any, device: Any = None) -> Any:
    """(N, 3, 3) matrices of quaternions."""
    return back(rotations.quats_to_rot_matrices(plain(quaternions)), quaternions, device)


def rot_matrices_to_quats(rotation_matrices: Any, device: Any = None) -> Any:
    """(N, 4) quaternions of matrices."""
    found = rotations.rot_matrices_to_quats(plain(rotation_matrices))
    return back(found, rotation_matrices, device)


def normalise_quat_in_pose(pose: Any) -> Any:
    """(N, 7) poses with quaternions at unit length."""
    found = plain(pose).copy()
    found[..., 3:7] /= np.linalg.norm(found[..., 3:7], axis=-1, keepdims=True)
    return back(found, pose)
