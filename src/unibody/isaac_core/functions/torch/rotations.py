"""Rotations of tensors: quaternions w, x, y, z, angles about x, y, z, and matrices of columns."""

from __future__ import annotations

import math
from typing import Any

import torch
from pxr import Gf

from unibody.isaac_core.functions.torch.maths import copysign, normalize

__all__ = [  # with what the original's module imports: scripts take it from here with a star
    "compute_heading_and_up", "compute_rot", "copysign", "deg2rad", "euler_angles_to_quats",
    "get_basis_vector", "get_euler_xyz", "gf_quat_to_tensor", "normalise_quat_in_pose",
    "normalize", "normalize_angle", "quat_apply", "quat_axis", "quat_conjugate", "quat_diff_rad",
    "quat_from_angle_axis", "quat_from_euler_xyz", "quat_mul", "quat_rotate",
    "quat_rotate_inverse", "quat_unit", "quats_to_euler_angles", "quats_to_rot_matrices",
    "rad2deg", "rot_matrices_to_quats", "wxyz2xyzw", "xyzw2wxyz",
]  # fmt: skip


def gf_quat_to_tensor(
    orientation: Gf.Quatd | Gf.Quatf | Gf.Quaternion, device: Any = None
) -> torch.Tensor:
    """(4,) w, x, y, z of a quaternion of USD."""
    parts = [orientation.GetReal(), *orientation.GetImaginary()]
    return torch.tensor(parts, dtype=torch.float32, device=device)


def deg2rad(degree_value: Any, device: Any = None) -> torch.Tensor:
    """Radians of degrees."""
    return torch.deg2rad(_tensor(degree_value, device))


def rad2deg(radian_value: Any, device: Any = None) -> torch.Tensor:
    """Degrees of radians."""
    return torch.rad2deg(_tensor(radian_value, device))


def xyzw2wxyz(q: torch.Tensor) -> torch.Tensor:
    """Quaternions w, x, y, z of x, y, z, w."""
    return torch.roll(q, 1, -1)


def wxyz2xyzw(q: torch.Tensor) -> torch.Tensor:
    """Quaternions x, y, z, w of w, x, y, z."""
    return torch.roll(q, -1, -1)


def quat_mul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Products of quaternions."""
    w1, x1, y1, z1 = a.unbind(-1)
    w2, x2, y2, z2 = b.unbind(-1)
    parts = (
        w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
        w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
        w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
        w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
    )
    return torch.stack(parts, dim=-1)


def quat_conjugate(a: torch.Tensor) -> torch.Tensor:
    """Reverse rotations."""
    return torch.cat([a[..., :1], -a[..., 1:]], dim=-1)


def quat_unit(a: torch.Tensor) -> torch.Tensor:
    """Quaternions at unit length."""
    return a / a.norm(p=2, dim=-1, keepdim=True).clamp(min=1e-9)


def quat_rotate(q: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Vectors (N, 3) turned by quaternions (N, 4)."""
    axis = q[..., 1:]
    twice = 2.0 * torch.cross(axis, v, dim=-1)
    return v + q[..., :1] * twice + torch.cross(axis, twice, dim=-1)


quat_apply = quat_rotate


def quat_rotate_inverse(q: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Vectors turned back by quaternions."""
    return quat_rotate(quat_conjugate(q), v)


def get_basis_vector(q: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Vectors (N, 3) turned by quaternions (N, 4)."""
    return quat_rotate(q, v)


def quat_axis(q: torch.Tensor, axis: int = 0) -> torch.Tensor:
    """The axis x, y or z (0, 1, 2) turned by quaternions (N, 4)."""
    return quats_to_rot_matrices(q)[..., axis]


def normalize_angle(x: torch.Tensor) -> torch.Tensor:
    """Angles [rad] in [-pi, pi]."""
    return torch.atan2(torch.sin(x), torch.cos(x))


def quat_diff_rad(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Angles [rad] between rotations."""
    between = quat_mul(a, quat_conjugate(b))
    return 2.0 * torch.asin(between[..., 1:].norm(p=2, dim=-1).clamp(max=1.0))


def quat_from_angle_axis(angle: torch.Tensor, axis: torch.Tensor) -> torch.Tensor:
    """Quaternions of angles [rad] (N,) about axes (N, 3)."""
    half = (angle / 2).unsqueeze(-1)
    unit = axis / axis.norm(p=2, dim=-1, keepdim=True).clamp(min=1e-9)
    return quat_unit(torch.cat([half.cos(), unit * half.sin()], dim=-1))


def euler_angles_to_quats(
    euler_angles: torch.Tensor, degrees: bool = False, extrinsic: bool = True, device: Any = None
) -> torch.Tensor:
    """(N, 4) quaternions of angles about x, y and z.

    Args:
        euler_angles: (N, 3).
        degrees: Whether they are degrees, not radians.
        extrinsic: Whether the axes stay where they are while it turns.
        device: Of the result; None: that of the angles.
    """
    angles = _tensor(euler_angles, device)
    half = 0.5 * (torch.deg2rad(angles) if degrees else angles)
    turns = []
    for axis in range(3):
        parts = [torch.zeros_like(half[..., 0]) for _ in range(4)]
        parts[0], parts[axis + 1] = half[..., axis].cos(), half[..., axis].sin()
        turns.append(torch.stack(parts, dim=-1))
    x, y, z = turns
    return quat_mul(z, quat_mul(y, x)) if extrinsic else quat_mul(x, quat_mul(y, z))


def quat_from_euler_xyz(
    roll: torch.Tensor, pitch: torch.Tensor, yaw: torch.Tensor, extrinsic: bool = True
) -> torch.Tensor:
    """Quaternions of angles [rad] (N,) about x, y and z."""
    return euler_angles_to_quats(torch.stack([roll, pitch, yaw], dim=-1), extrinsic=extrinsic)


def quats_to_rot_matrices(quats: torch.Tensor) -> torch.Tensor:
    """(..., 3, 3) matrices of quaternions."""
    w, x, y, z = quat_unit(quats).unbind(-1)
    first = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)]
    second = [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)]
    third = [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    rows = [torch.stack(first, dim=-1), torch.stack(second, dim=-1), torch.stack(third, dim=-1)]
    return torch.stack(rows, dim=-2)


def get_euler_xyz(
    q: torch.Tensor, extrinsic: bool = True
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Angles [rad] about x, y and z of quaternions; the first and last in [0, 2 pi)."""
    m = quats_to_rot_matrices(q)
    if extrinsic:
        roll = torch.atan2(m[..., 2, 1], m[..., 2, 2])
        pitch = torch.asin((-m[..., 2, 0]).clamp(-1.0, 1.0))
        yaw = torch.atan2(m[..., 1, 0], m[..., 0, 0])
    else:
        roll = torch.atan2(-m[..., 1, 2], m[..., 2, 2])
        pitch = torch.asin(m[..., 0, 2].clamp(-1.0, 1.0))
        yaw = torch.atan2(-m[..., 0, 1], m[..., 0, 0])
    whole = 2 * math.pi
    return roll % whole, pitch % whole, yaw % whole


def compute_heading_and_up(
    torso_rotation: torch.Tensor,
    inv_start_rot: torch.Tensor,
    to_target: torch.Tensor,
    vec0: torch.Tensor,
    vec1: torch.Tensor,
    up_idx: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """How upright robots are, and how much they face their targets.

    Args:
        torso_rotation: Rotations of the robots (N, 4).
        inv_start_rot: Those they began with, reversed (N, 4).
        to_target: Vectors to the targets (N, 3).
        vec0: What is ahead of a robot that is not turned (N, 3).
        vec1: What is above it (N, 3).
        up_idx: Number of the vertical axis.

    Returns:
        Rotations since the start (N, 4), how much of what is above points up (N,), the cosine of
        the angle between what is ahead and the target (N,), what is above and ahead (N, 3).
    """
    turned = quat_mul(torso_rotation, inv_start_rot)
    above, ahead = quat_rotate(turned, vec1), quat_rotate(turned, vec0)
    distance = to_target.norm(p=2, dim=-1, keepdim=True).clamp(min=1e-9)
    facing = (ahead * to_target / distance).sum(dim=-1)
    return turned, above[:, up_idx], facing, above, ahead


def compute_rot(
    torso_quat: torch.Tensor,
    velocity: torch.Tensor,
    ang_velocity: torch.Tensor,
    targets: torch.Tensor,
    torso_positions: torch.Tensor,
    extrinsic: bool = True,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Velocities in the frames of robots, their angles, and those to their targets.

    Args:
        torso_quat: Rotations of the robots (N, 4).
        velocity: Linear velocities (N, 3).
        ang_velocity: Angular velocities (N, 3).
        targets: Places of the targets (N, 3).
        torso_positions: Those of the robots (N, 3).
        extrinsic: Whether the angles are about axes that stand still.

    Returns:
        Linear (N, 3) and angular velocities (N, 3), angles about x, y and z (N,), and the angles to
        the targets less those about z (N,); as in the original, a target's angle is of z over x.
    """
    roll, pitch, yaw = get_euler_xyz(torso_quat, extrinsic)
    away = targets - torso_positions
    angle = torch.atan2(away[:, 2], away[:, 0]) - yaw
    linear = quat_rotate_inverse(torso_quat, velocity)
    return linear, quat_rotate_inverse(torso_quat, ang_velocity), roll, pitch, yaw, angle


def quats_to_euler_angles(
    quaternions: torch.Tensor, degrees: bool = False, extrinsic: bool = True, device: Any = None
) -> torch.Tensor:
    """(N, 3) angles about x, y and z of quaternions."""
    angles = torch.stack(get_euler_xyz(_tensor(quaternions, device), extrinsic), dim=-1)
    angles = torch.where(angles > math.pi, angles - 2 * math.pi, angles)
    return torch.rad2deg(angles) if degrees else angles


def rot_matrices_to_quats(rotation_matrices: torch.Tensor, device: Any = None) -> torch.Tensor:
    """(..., 4) quaternions of matrices."""
    from unibody.isaac_core.functions.numpy import rotations

    matrices = _tensor(rotation_matrices, device)
    found = rotations.rot_matrices_to_quats(matrices.detach().cpu().numpy())
    return torch.as_tensor(found, dtype=matrices.dtype, device=matrices.device)


def normalise_quat_in_pose(pose: torch.Tensor) -> torch.Tensor:
    """(N, 7) poses with quaternions at unit length."""
    return torch.cat([pose[..., :3], quat_unit(pose[..., 3:7])], dim=-1)


def _tensor(value: Any, device: Any) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        return value if device is None else value.to(device)
    return torch.tensor(value, dtype=torch.float32, device=device)
