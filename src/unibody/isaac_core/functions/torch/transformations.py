"""Poses of many prims at once; USD's matrices are for rows, and so are those of parents here."""

from __future__ import annotations

from typing import Any

import torch

from unibody.isaac_core.functions.torch import rotations
from unibody.isaac_core.functions.torch.rotations import normalise_quat_in_pose

__all__ = [
    "assign_pose", "get_local_from_world", "get_pose", "get_world_from_local",
    "get_world_from_local_position", "normalise_quat_in_pose", "tf_apply", "tf_combine",
    "tf_inverse", "tf_matrices_from_poses", "tf_vector",
]  # fmt: skip


def tf_matrices_from_poses(
    translations: torch.Tensor, orientations: torch.Tensor, device: Any = None
) -> torch.Tensor:
    """(N, 4, 4) matrices for column vectors of (N, 3) positions and (N, 4) w, x, y, z."""
    kind = {"dtype": translations.dtype, "device": device or translations.device}
    matrices = torch.zeros((translations.shape[0], 4, 4), **kind)
    matrices[:, :3, :3] = rotations.quats_to_rot_matrices(orientations)
    matrices[:, :3, 3] = translations
    matrices[:, 3, 3] = 1.0
    return matrices


def get_local_from_world(
    parent_transforms: Any, positions: torch.Tensor, orientations: torch.Tensor, device: Any
) -> tuple[torch.Tensor, torch.Tensor]:
    """Poses to parents, of poses in the world.

    Args:
        parent_transforms: (N, 4, 4) parents in the world, for row vectors, as USD writes them.
        positions: (N, 3).
        orientations: (N, 4) w, x, y, z.
        device: Of the result.
    """
    world = tf_matrices_from_poses(positions, orientations, device)
    return _poses(torch.linalg.inv(_parents(parent_transforms, world)) @ world)


def get_world_from_local(
    parent_transforms: Any, translations: torch.Tensor, orientations: torch.Tensor, device: Any
) -> tuple[torch.Tensor, torch.Tensor]:
    """Poses in the world, of poses to parents; the arguments are those of the reverse."""
    local = tf_matrices_from_poses(translations, orientations, device)
    return _poses(_parents(parent_transforms, local) @ local)


def get_pose(positions: torch.Tensor, orientations: torch.Tensor, device: Any) -> torch.Tensor:
    """(N, 7) positions and quaternions x, y, z, w, as the simulation takes them."""
    return torch.cat([positions, rotations.wxyz2xyzw(orientations)], dim=-1)


def assign_pose(
    current_positions: torch.Tensor,
    current_orientations: torch.Tensor,
    positions: Any,
    orientations: Any,
    indices: Any,
    device: Any,
    pose: Any = None,
) -> torch.Tensor:
    """(M, 7) poses of all, with new ones for some.

    Args:
        current_positions: (M, 3) of all.
        current_orientations: (M, 4) w, x, y, z of all.
        positions: (N, 3) for those of the indices; None: as they are.
        orientations: (N, 4) w, x, y, z for those of the indices; None: as they are.
        indices: Which N of the M.
        device: Of the result.
        pose: (M, 7) tensor that is written to; None: a new one.
    """
    merged = get_pose(current_positions, current_orientations, device)
    if positions is not None:
        merged[indices, :3] = positions.to(merged)
    if orientations is not None:
        merged[indices, 3:] = rotations.wxyz2xyzw(orientations).to(merged)
    if pose is None:
        return merged
    pose[:] = merged
    return pose


def get_world_from_local_position(
    pos_offset_local: torch.Tensor, pose_global: torch.Tensor
) -> torch.Tensor:
    """(N, 3) points in the world, of points in frames of poses (N, 7), w, x, y, z."""
    return pose_global[:, :3] + rotations.quat_rotate(pose_global[:, 3:7], pos_offset_local)


def tf_combine(
    q1: torch.Tensor, t1: torch.Tensor, q2: torch.Tensor, t2: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """One pose after another: quaternions and positions."""
    return rotations.quat_mul(q1, q2), rotations.quat_rotate(q1, t2) + t1


def tf_inverse(q: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The reverse of poses."""
    back = rotations.quat_conjugate(q)
    return back, -rotations.quat_rotate(back, t)


def tf_apply(q: torch.Tensor, t: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Points taken by poses."""
    return rotations.quat_rotate(q, v) + t


def tf_vector(q: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Vectors turned by quaternions."""
    return rotations.quat_rotate(q, v)


def _parents(transforms: Any, like: torch.Tensor) -> torch.Tensor:
    matrices = torch.as_tensor(transforms, dtype=like.dtype, device=like.device)
    return matrices.transpose(-1, -2)


def _poses(matrices: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    turns = matrices[:, :3, :3]
    turns = turns / turns.norm(dim=-2, keepdim=True)  # columns carry the scale
    return matrices[:, :3, 3], rotations.rot_matrices_to_quats(turns)
