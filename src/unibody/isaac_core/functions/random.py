"""Places that are drawn by chance, from NumPy's global generator."""

from __future__ import annotations

import numpy as np
from pxr import Usd

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions import rotations
from unibody.isaac_core.functions.transformations import (
    get_translation_from_target,
    get_world_pose_from_relative,
)


def get_random_values_in_range(min_range: np.ndarray, max_range: np.ndarray) -> np.ndarray:
    """Numbers between lower and upper ends, each drawn for itself."""
    low, high = np.asarray(min_range), np.asarray(max_range)
    return low + (high - low) * np.random.random(low.shape)  # noqa: NPY002 - scripts seed this one


def get_random_translation_from_camera(
    min_distance: float,
    max_distance: float,
    fov_x: float,
    fov_y: float,
    fraction_to_screen_edge: float,
) -> np.ndarray:
    """(3,) a point that a camera sees, in its frame, whose -z looks ahead.

    Args:
        min_distance: Along the line of sight.
        max_distance: Along the line of sight.
        fov_x: Angle of view [rad].
        fov_y: Angle of view [rad].
        fraction_to_screen_edge: How near to the edge it may be, 1 for up to it.

    Raises:
        InvalidArgumentError: The distances are in the wrong order.
    """
    if min_distance > max_distance:
        raise InvalidArgumentError("min_distance", min_distance, f"at most {max_distance}")
    depth = np.random.uniform(min_distance, max_distance)  # noqa: NPY002
    reach = fraction_to_screen_edge * depth * np.tan(0.5 * np.array([fov_x, fov_y]))
    x, y = get_random_values_in_range(-reach, reach)
    return np.array([x, y, -depth])


def get_random_world_pose_in_view(
    camera_prim: Usd.Prim,
    min_distance: float,
    max_distance: float,
    fov_x: float,
    fov_y: float,
    fraction_to_screen_edge: float,
    coord_prim: Usd.Prim,
    min_rotation_range: np.ndarray,
    max_rotation_range: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Position and quaternion w, x, y, z in the world, of a pose that a camera sees.

    Args:
        camera_prim: The camera.
        min_distance: Along the line of sight.
        max_distance: Along the line of sight.
        fov_x: Angle of view [rad].
        fov_y: Angle of view [rad].
        fraction_to_screen_edge: How near to the edge it may be, 1 for up to it.
        coord_prim: To which the rotation is drawn.
        min_rotation_range: Lower ends of the angles about x, y, z [deg].
        max_rotation_range: Upper ends of the angles about x, y, z [deg].
    """
    in_camera = get_random_translation_from_camera(
        min_distance, max_distance, fov_x, fov_y, fraction_to_screen_edge
    )
    place = get_translation_from_target(in_camera, camera_prim, coord_prim)
    angles = get_random_values_in_range(min_rotation_range, max_rotation_range)
    turn = rotations.euler_angles_to_quat(angles, degrees=True)
    return get_world_pose_from_relative(coord_prim, place, turn)
