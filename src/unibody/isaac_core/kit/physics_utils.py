"""``omni.physx.scripts.physicsUtils``: grounds."""

from __future__ import annotations

from typing import Any

from pxr import Usd

from unibody.isaac_core.schemas.path_numbers import addGroundPlane


def add_ground_plane(
    stage: Usd.Stage, planePath: str, axis: str, size: float, position: Any, color: Any
) -> str:
    """Make a ground: a plane that collides everywhere, and a square that is seen.

    Args:
        stage: The stage.
        planePath: Where; with a number behind it where something is.
        axis: That is up: "X", "Y" or "Z".
        size: From the middle to the edges.
        position: Of the middle.
        color: Red, green, blue from 0 to 1.

    Returns:
        The path.
    """
    return addGroundPlane(stage, planePath, axis, size, position, color)
