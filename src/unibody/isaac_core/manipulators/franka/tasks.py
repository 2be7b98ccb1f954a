"""Tasks of the arm of Franka."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core import tasks
from unibody.isaac_core.functions.stage import get_stage_units
from unibody.isaac_core.manipulators.franka.franka import Franka
from unibody.isaac_core.tasks.names import free_name, free_path


class FollowTarget(tasks.FollowTarget):
    """The hand follows a target; see the task of the same name."""

    def __init__(
        self,
        name: str = "franka_follow_target",
        target_prim_path: str | None = None,
        target_name: str | None = None,
        target_position: np.ndarray | None = None,
        target_orientation: np.ndarray | None = None,
        offset: np.ndarray | None = None,
        franka_prim_path: str | None = None,
        franka_robot_name: str | None = None,
    ) -> None:
        super().__init__(
            name, target_prim_path, target_name, target_position, target_orientation, offset
        )
        self._wanted_robot = (franka_prim_path, franka_robot_name)

    def set_robot(self) -> Franka:
        """Make the arm."""
        path, name = self._wanted_robot
        return _franka(self.scene, path, name)


class PickPlace(tasks.PickPlace):
    """The arm brings a cube elsewhere; see the task of the same name."""

    def __init__(
        self,
        name: str = "franka_pick_place",
        cube_initial_position: np.ndarray | None = None,
        cube_initial_orientation: np.ndarray | None = None,
        target_position: np.ndarray | None = None,
        cube_size: np.ndarray | None = None,
        offset: np.ndarray | None = None,
    ) -> None:
        super().__init__(
            name, cube_initial_position, cube_initial_orientation, target_position, cube_size,
            offset,
        )  # fmt: skip

    def set_robot(self) -> Franka:
        """Make the arm."""
        return _franka(self.scene)


class Stacking(tasks.Stacking):
    """The arm puts two cubes on one another; see the task of the same name."""

    def __init__(
        self,
        name: str = "franka_stacking",
        target_position: np.ndarray | None = None,
        cube_size: np.ndarray | None = None,
        offset: np.ndarray | None = None,
    ) -> None:
        starts = np.array([[0.3, 0.3, 0.3], [0.3, -0.3, 0.3]]) / get_stage_units()
        super().__init__(
            name, starts, stack_target_position=target_position, cube_size=cube_size, offset=offset
        )

    def set_robot(self) -> Franka:
        """Make the arm."""
        return _franka(self.scene)


def _franka(scene: Any, path: str | None = None, name: str | None = None) -> Franka:
    return Franka(path or free_path("/World/Franka"), name or free_name("my_franka", scene))
