"""Rays against shapes."""

from __future__ import annotations

import importlib

import numpy as np

from unibody.errors import NotSupportedError
from unibody.isaac_core.functions.numpy.rotations import quats_to_rot_matrices


def ray_cast(
    position: np.ndarray,
    orientation: np.ndarray,
    offset: np.ndarray,
    max_dist: float = 100.0,
) -> tuple[str | None, float]:
    """The first body or collider along the x axis of a pose.

    Args:
        position: Of the pose, in the world.
        orientation: w, x, y, z.
        offset: Of the start of the ray, in the frame of the pose.
        max_dist: Length of the ray.

    Returns:
        Its path and its distance from the start; None and 10000 where there is none.

    Raises:
        NotSupportedError: Nothing is simulated.
    """
    scene = importlib.import_module("unibody.isaac_core.physics").current()
    if scene is None:
        raise NotSupportedError("ray_cast while nothing is simulated", "ray_cast after play()")
    turn = np.asarray(quats_to_rot_matrices(np.asarray(orientation, float)))
    start = np.asarray(position, float) + turn @ np.asarray(offset, float)
    end = start + max_dist * turn[:, 0]
    rays = importlib.import_module("unibody.isaac_core.physics.rays")
    hits = rays.cast(scene, start[None], end[None])
    if not hits.paths[0]:
        return None, 10000.0
    return hits.paths[0], float(hits.distances[0])
