"""Poses, of many prims at once; USD's matrices are for rows, and so are those of parents here."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core.functions.numpy import rotations

__all__ = [
    "assign_pose", "get_local_from_world", "get_pose", "get_world_from_local",
    "tf_matrices_from_poses",
]  # fmt: skip


def tf_matrices_from_poses(
    translations: np.ndarray, orientations: np.ndarray, device: Any = None
) -> np.ndarray:
    """(N, 4, 4) matrices for column vectors of (N, 3) positions and (N, 4) w, x, y, z."""
    positions = np.asarray(translations)
    matrices = np.zeros((positions.shape[0], 4, 4), dtype=np.float32)
    matrices[:, :3, :3] = rotations.quats_to_rot_matrices(orientations)
    matrices[:, :3, 3] = positions
    matrices[:, 3, 3] = 1.0
    return matrices


def get_local_from_world(
    parent_transforms: Any, positions: Any, orientations: Any, device: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Poses to parents, of poses in the world.

    Args:
        parent_transforms: (N, 4, 4) parents in the world, for row vectors, as USD writes them.
        positions: (N, 3).
        orientations: (N, 4) w, x, y, z.
        device: Not used by NumPy.
    """
    parents = np.swapaxes(np.asarray(parent_transforms, dtype=np.float64), -1, -2)
    return poses_of(np.linalg.inv(parents) @ tf_matrices_from_poses(positions, orientations))


def get_world_from_local(
    parent_transforms: Any, translations: Any, orientations: Any, device: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Poses in the world, of poses to parents; the arguments are those of the reverse."""
    parents = np.swapaxes(np.asarray(parent_transforms, dtype=np.float64), -1, -2)
    return poses_of(parents @ tf_matrices_from_poses(translations, orientations))


def get_pose(positions: Any, orientations: Any, device: Any = None) -> np.ndarray:
    """(N, 7) positions and quaternions x, y, z, w, as the simulation takes them."""
    return np.concatenate([positions, rotations.wxyz2xyzw(orientations)], axis=-1)


def assign_pose(
    current_positions: Any,
    current_orientations: Any,
    positions: Any,
    orientations: Any,
    indices: Any,
    device: Any = None,
    pose: Any = None,
) -> np.ndarray:
    """(M, 7) poses of all, with new ones for some.

    Args:
        current_positions: (M, 3) of all.
        current_orientations: (M, 4) w, x, y, z of all.
        positions: (N, 3) for those of the indices; None: as they are.
        orientations: (N, 4) w, x, y, z for those of the indices; None: as they are.
        indices: Which N of the M.
        device: Not used by NumPy.
        pose: (M, 7) array that is written to; None: a new one.
    """
    merged = get_pose(current_positions, current_orientations)
    if positions is not None:
        merged[indices, :3] = positions
    if orientations is not None:
        merged[indices, 3:] = rotations.wxyz2xyzw(orientations)
    if pose is None:
        return merged
    pose[:] = merged
    return pose


def poses_of(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N, 3) positions and (N, 4) w, x, y, z of matrices for column vectors, scaled or not."""
    turns = matrices[:, :3, :3]
    turns = turns / np.linalg.norm(turns, axis=-2, keepdims=True)  # columns carry the scale
    return matrices[:, :3, 3], rotations.rot_matrices_to_quats(turns)
