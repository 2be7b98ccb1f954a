"""PickPlace: a robot that takes a cube to a place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from unibody.isaac_core.functions import stage as stages
from unibody.isaac_core.objects.cuboid import DynamicCuboid
from unibody.isaac_core.scenes.scene import Scene
from unibody.isaac_core.tasks.base_task import BaseTask
from unibody.isaac_core.tasks.names import free_name, free_path, modifiable, open_gripper

EDGE = 0.0515
"""Length of the edges of a cube [m]."""


class PickPlace(ABC, BaseTask):
    """A robot and a cube; derived classes have `set_robot`.

    Args:
        name: By which a world finds it.
        cube_initial_position: Where the cube begins.
        cube_initial_orientation: w, x, y, z.
        target_position: Where it shall be.
        cube_size: Lengths of its edges.
        offset: By which all that it places is moved.
    """

    def __init__(
        self,
        name: str,
        cube_initial_position: np.ndarray | None = None,
        cube_initial_orientation: np.ndarray | None = None,
        target_position: np.ndarray | None = None,
        cube_size: np.ndarray | None = None,
        offset: np.ndarray | None = None,
    ) -> None:
        BaseTask.__init__(self, name, offset)
        units = stages.get_stage_units()
        self._robot: Any = None
        self._cube: Any = None
        self._cube_size = np.full(3, EDGE) / units if cube_size is None else cube_size
        start, turn = cube_initial_position, cube_initial_orientation
        self._start = np.full(3, 0.3) / units if start is None else start
        self._turn = np.array([1.0, 0.0, 0.0, 0.0]) if turn is None else turn
        if target_position is None:
            target_position = np.array([-0.3 / units, -0.3 / units, self._cube_size[2] / 2.0])
        self._target_position = target_position + self._offset

    @abstractmethod
    def set_robot(self) -> Any:
        """Make the robot: of derived classes."""
        raise NotImplementedError

    def set_up_scene(self, scene: Scene) -> None:
        """Add the ground, the cube and the robot."""
        super().set_up_scene(scene)
        scene.add_default_ground_plane()
        cube = DynamicCuboid(
            free_path("/World/Cube"),
            free_name("cube", scene),
            position=self._start,
            orientation=self._turn,
            scale=self._cube_size,
            size=1.0,
            color=np.array([0.0, 0.0, 1.0]),
        )
        self._cube, self._robot = scene.add(cube), scene.add(self.set_robot())
        self._task_objects |= {one.name: one for one in (self._cube, self._robot)}
        self._move_task_objects_to_their_frame()

    def set_params(
        self,
        cube_position: np.ndarray | None = None,
        cube_orientation: np.ndarray | None = None,
        target_position: np.ndarray | None = None,
    ) -> None:
        """Move the cube, or where it shall be; what is None stays."""
        if target_position is not None:
            self._target_position = target_position
        if cube_position is not None or cube_orientation is not None:
            self._cube.set_local_pose(cube_position, cube_orientation)

    def get_params(self) -> dict[str, Any]:
        """Cube, place and robot."""
        position, orientation = self._cube.get_local_pose()
        return {
            "cube_position": modifiable(position),
            "cube_orientation": modifiable(orientation),
            "target_position": modifiable(self._target_position),
            "cube_name": modifiable(self._cube.name, can_be=False),
            "robot_name": modifiable(self._robot.name, can_be=False),
        }

    def get_observations(self) -> dict[str, Any]:
        """Joints and hand of the robot, pose and place of the cube."""
        position, orientation = self._cube.get_local_pose()
        robot = {"joint_positions": self._robot.get_joints_state().positions}
        hand = getattr(self._robot, "end_effector", None)
        if hand is not None:
            robot["end_effector_position"] = hand.get_local_pose()[0]
        cube = {
            "position": position,
            "orientation": orientation,
            "target_position": self._target_position,
        }
        return {self._cube.name: cube, self._robot.name: robot}

    def post_reset(self) -> None:
        """Open the gripper, if the robot has one."""
        open_gripper(self._robot)
