"""Poses of many prims at once, as arrays of Warp."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core.functions.numpy import transformations
from unibody.isaac_core.functions.warp.arrays import back, plain
from unibody.isaac_core.functions.warp.rotations import normalise_quat_in_pose

__all__ = [
    "assign_pose", "get_local_from_world", "get_pose", "get_world_from_local",
    "normalise_quat_in_pose", "tf_matrices_from_poses",
]  # fmt: skip


def tf_matrices_from_poses(translations: Any, orientations: Any, device: Any = None) -> Any:
    """(N, 4, 4) matrices for column vectors of (N, 3) positions and (N, 4) w, x, y, z."""
    found = transformations.tf_matrices_from_poses(plain(translations), plain(orientations))
    return back(found, translations, device)


def get_local_from_world(
    parent_transforms: Any, positions: Any, orientations: Any, device: Any
) -> tuple[Any, Any]:
    """Poses to parents, whose matrices are for row vectors, of poses in the world."""
    found = transformations.get_local_from_world(
        plain(parent_transforms), plain(positions), plain(orientations)
    )
    return back(found[0], positions, device), back(found[1], positions, device)


def get_world_from_local(
    parent_transforms: Any, translations: Any, orientations: Any, device: Any
) -> tuple[Any, Any]:
    """Poses in the world, of poses to parents, whose matrices are for row vectors."""
    found = transformations.get_world_from_local(
        plain(parent_transforms), plain(translations), plain(orientations)
    )
    return back(found[0], translations, device), back(found[1], translations, device)


def get_pose(positions: Any, orientations: Any, device: Any) -> Any:
    """(N, 7) positions and quaternions x, y, z, w, as the simulation takes them."""
    found = transformations.get_pose(plain(positions), plain(orientations))
    return back(found, positions, device)


def assign_pose(
    current_positions: Any,
    current_orientations: Any,
    positions: Any,
    orientations: Any,
    indices: Any,
    device: Any,
    pose: Any = None,
) -> Any:
    """(M, 7) poses of all, with new ones for those of the indices; written to ``pose``, if any."""
    found = transformations.assign_pose(
        plain(current_positions),
        plain(current_orientations),
        None if positions is None else plain(positions),
        None if orientations is None else plain(orientations),
        plain(indices),
    )
    if pose is None:
        return back(found, current_positions, device)
    pose.assign(found)
    return pose
