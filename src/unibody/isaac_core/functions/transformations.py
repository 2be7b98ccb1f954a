"""Transforms between prims; matrices are for column vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom

from unibody.isaac_core import convert
from unibody.isaac_core.functions.numpy import rotations
from unibody.isaac_core.functions.numpy import transformations as many


def tf_matrix_from_pose(translation: Sequence[float], orientation: Sequence[float]) -> np.ndarray:
    """(4, 4) matrix of a position and a quaternion w, x, y, z."""
    matrix = np.eye(4)
    matrix[:3, :3] = rotations.quats_to_rot_matrices(convert.plain(orientation))
    matrix[:3, 3] = convert.plain(translation)
    return matrix


def pose_from_tf_matrix(
    transformation: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Position and quaternion w, x, y, z of a matrix without scale."""
    matrix = np.asarray(transformation)
    return matrix[:3, 3], rotations.rot_matrices_to_quats(matrix[:3, :3])


def tf_matrices_from_poses(translations: Any, orientations: Any) -> Any:
    """(N, 4, 4) matrices of (N, 3) positions and (N, 4) w, x, y, z, of NumPy or PyTorch."""
    if hasattr(translations, "detach"):
        from unibody.isaac_core.functions.torch import transformations

        return transformations.tf_matrices_from_poses(translations, orientations)
    return many.tf_matrices_from_poses(translations, orientations)


def get_relative_transform(source_prim: Usd.Prim, target_prim: Usd.Prim) -> np.ndarray:
    """(4, 4) matrix that takes points from the frame of one prim to that of another."""
    source, target = _world(source_prim), _world(target_prim)
    return np.linalg.inv(target) @ source


def get_translation_from_target(
    translation_from_source: np.ndarray, source_prim: Usd.Prim, target_prim: Usd.Prim
) -> np.ndarray:
    """(3,) a point that is given in the frame of one prim, in that of another."""
    point = np.append(convert.plain(translation_from_source), 1.0)
    return (get_relative_transform(source_prim, target_prim) @ point)[:3]


def get_world_pose_from_relative(
    coord_prim: Usd.Prim,
    relative_translation: np.ndarray,
    relative_orientation: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Position and quaternion w, x, y, z in the world of a pose in the frame of a prim."""
    local = tf_matrix_from_pose(list(relative_translation), list(relative_orientation))
    matrix = _world(coord_prim) @ local
    return pose_from_tf_matrix(get_transform_with_normalized_rotation(matrix))


def get_transform_with_normalized_rotation(transform: np.ndarray) -> np.ndarray:
    """The matrix without its scale."""
    matrix = np.array(transform, dtype=np.float64)
    lengths = np.linalg.norm(matrix[:3, :3], axis=0)  # of the columns, which are the axes
    matrix[:3, :3] /= np.where(lengths == 0, 1.0, lengths)
    return matrix


def _world(prim: Usd.Prim) -> np.ndarray:
    xform = UsdGeom.Xformable(prim)
    if not xform:
        return np.eye(4)
    return convert.column_matrix(xform.ComputeLocalToWorldTransform(Usd.TimeCode.Default()))
