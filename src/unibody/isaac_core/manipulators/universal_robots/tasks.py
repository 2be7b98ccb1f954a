"""Tasks of the arm UR10."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core import tasks
from unibody.isaac_core.functions.rotations import euler_angles_to_quat
from unibody.isaac_core.functions.stage import get_stage_units
from unibody.isaac_core.manipulators.universal_robots.bin_filling import START, BinFilling
from unibody.isaac_core.manipulators.universal_robots.ur10 import UR10
from unibody.isaac_core.tasks.names import free_name, free_path

__all__ = ["BinFilling", "FollowTarget", "PickPlace", "Stacking"]


class FollowTarget(tasks.FollowTarget):
    """The end follows a target; see the task of the same name."""

    def __init__(
        self,
        name: str = "ur10_follow_target",
        target_prim_path: str | None = None,
        target_name: str | None = None,
        target_position: np.ndarray | None = None,
        target_orientation: np.ndarray | None = None,
        offset: np.ndarray | None = None,
        ur10_prim_path: str | None = None,
        ur10_robot_name: str | None = None,
        attach_gripper: bool = False,
    ) -> None:
        if target_orientation is None:
            target_orientation = euler_angles_to_quat(np.array([0.0, np.pi / 2.0, 0.0]))
        super().__init__(
            name, target_prim_path, target_name, target_position, target_orientation, offset
        )
        self._wanted_robot = (ur10_prim_path, ur10_robot_name)
        self._attach_gripper = attach_gripper

    def set_robot(self) -> UR10:
        """Make the arm."""
        path, name = self._wanted_robot
        return _ur10(self.scene, path, name, attach_gripper=self._attach_gripper)


class PickPlace(tasks.PickPlace):
    """The arm brings a cube elsewhere; see the task of the same name."""

    def __init__(
        self,
        name: str = "ur10_pick_place",
        cube_initial_position: np.ndarray | None = None,
        cube_initial_orientation: np.ndarray | None = None,
        target_position: np.ndarray | None = None,
        cube_size: np.ndarray | None = None,
        offset: np.ndarray | None = None,
    ) -> None:
        units = get_stage_units()
        if cube_size is None:
            cube_size = np.full(3, 0.0515) / units
        if target_position is None:
            target_position = np.array([0.7 / units, 0.7 / units, cube_size[2] / 2.0])
        super().__init__(
            name, cube_initial_position, cube_initial_orientation, target_position, cube_size,
            offset,
        )  # fmt: skip

    def set_robot(self) -> UR10:
        """Make the arm."""
        return _ur10(self.scene)


class Stacking(tasks.Stacking):
    """The arm puts two cubes on one another; see the task of the same name."""

    def __init__(
        self,
        name: str = "ur10_stacking",
        target_position: np.ndarray | None = None,
        cube_size: np.ndarray | None = None,
        offset: np.ndarray | None = None,
    ) -> None:
        units = get_stage_units()
        starts = np.array([[0.3, 0.3, 0.3], [0.3, -0.3, 0.3]]) / units
        if target_position is None:
            target_position = np.array([0.7, 0.7, 0.0]) / units
        super().__init__(
            name, starts, stack_target_position=target_position, cube_size=cube_size, offset=offset
        )

    def set_robot(self) -> UR10:
        """Make the arm."""
        return _ur10(self.scene, "/World/ur10")


def _ur10(
    scene: Any, path: str | None = None, name: str | None = None, *, attach_gripper: bool = True
) -> UR10:
    arm = UR10(
        free_path(path or "/World/UR10"), name or free_name("my_ur10", scene),
        attach_gripper=attach_gripper,
    )  # fmt: skip
    arm.set_joints_default_state(positions=np.array(START))
    return arm
