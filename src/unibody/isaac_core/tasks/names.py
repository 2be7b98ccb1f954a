"""Names that are free, and how a gripper begins."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions.string import find_unique_string_name
from unibody.isaac_core.scenes.scene import Scene


def free_path(path: str) -> str:
    """A path like this at which there is nothing."""
    return find_unique_string_name(path, lambda one: not functions.is_prim_path_valid(one))


def free_name(name: str, scene: Scene) -> str:
    """A name like this that no object of a scene has."""
    return find_unique_string_name(name, lambda one: not scene.object_exists(one))


def open_gripper(robot: Any) -> None:
    """Put the fingers of a robot, if it has any, where they are open."""
    gripper = getattr(robot, "gripper", None)
    opened = getattr(gripper, "joint_opened_positions", None)
    if gripper is not None and opened is not None:
        gripper.set_joint_positions(opened)


def modifiable(value: Any, can_be: bool = True) -> dict[str, Any]:
    """A parameter of a task."""
    return {"value": value, "modifiable": can_be}
