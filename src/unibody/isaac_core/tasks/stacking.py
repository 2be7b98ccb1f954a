"""Stacking: a robot that puts cubes on one another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from unibody.isaac_core.functions import stage as stages
from unibody.isaac_core.objects.cuboid import DynamicCuboid
from unibody.isaac_core.scenes.scene import Scene
from unibody.isaac_core.tasks.base_task import BaseTask
from unibody.isaac_core.tasks.names import free_name, free_path, modifiable, open_gripper
from unibody.isaac_core.tasks.pick_place import EDGE


class Stacking(ABC, BaseTask):
    """A robot and cubes; derived classes have `set_robot`.

    Args:
        name: By which a world finds it.
        cube_initial_positions: (N, 3) where the cubes begin.
        cube_initial_orientations: (N, 4) w, x, y, z.
        stack_target_position: Where the stack shall be.
        cube_size: Lengths of the cubes' edges.
        offset: By which all that it places is moved.
    """

    def __init__(
        self,
        name: str,
        cube_initial_positions: np.ndarray,
        cube_initial_orientations: np.ndarray | None = None,
        stack_target_position: np.ndarray | None = None,
        cube_size: np.ndarray | None = None,
        offset: np.ndarray | None = None,
    ) -> None:
        BaseTask.__init__(self, name, offset)
        units = stages.get_stage_units()
        self._robot: Any = None
        self._cubes: list[Any] = []
        self._starts = cube_initial_positions
        turns = cube_initial_orientations
        self._turns = [None] * len(self._starts) if turns is None else turns
        self._cube_size = np.full(3, EDGE) / units if cube_size is None else cube_size
        if stack_target_position is None:
            stack_target_position = np.array([-0.3, -0.3, 0.0]) / units
        self._stack_target_position = stack_target_position + self._offset

    @abstractmethod
    def set_robot(self) -> Any:
        """Make the robot: of derived classes."""
        raise NotImplementedError

    def set_up_scene(self, scene: Scene) -> None:
        """Add the ground, the cubes and the robot."""
        super().set_up_scene(scene)
        scene.add_default_ground_plane()
        for start, turn in zip(self._starts, self._turns, strict=True):
            cube = DynamicCuboid(
                free_path("/World/Cube"),
                free_name("cube", scene),
                position=start,
                orientation=turn,
                scale=self._cube_size,
                size=1.0,
                color=np.random.uniform(size=3),  # noqa: NPY002 - scripts seed this one
            )
            self._cubes.append(scene.add(cube))
        self._robot = scene.add(self.set_robot())
        self._task_objects |= {one.name: one for one in (*self._cubes, self._robot)}
        self._move_task_objects_to_their_frame()

    def set_params(
        self,
        cube_name: str | None = None,
        cube_position: np.ndarray | None = None,
        cube_orientation: np.ndarray | None = None,
        stack_target_position: np.ndarray | None = None,
    ) -> None:
        """Move a cube, or where the stack shall be; what is None stays."""
        if stack_target_position is not None:
            self._stack_target_position = stack_target_position
        if cube_name is not None:
            self._task_objects[cube_name].set_local_pose(cube_position, cube_orientation)

    def get_params(self) -> dict[str, Any]:
        """Place of the stack, and robot."""
        return {
            "stack_target_position": modifiable(self._stack_target_position),
            "robot_name": modifiable(self._robot.name, can_be=False),
        }

    def get_cube_names(self) -> list[str]:
        """Names of the cubes, from the lowest."""
        return [cube.name for cube in self._cubes]

    def get_observations(self) -> dict[str, Any]:
        """Joints and hand of the robot, poses and places of the cubes."""
        robot = {
            "joint_positions": self._robot.get_joints_state().positions,
            "end_effector_position": self._robot.end_effector.get_local_pose()[0],
        }
        found: dict[str, Any] = {self._robot.name: robot}
        height = self._cube_size[2]
        for level, cube in enumerate(self._cubes):
            position, orientation = cube.get_local_pose()
            place = np.array([*self._stack_target_position[:2], height * (level + 0.5)])
            found[cube.name] = {
                "position": position,
                "orientation": orientation,
                "target_position": place,
            }
        return found

    def post_reset(self) -> None:
        """Open the gripper, if the robot has one."""
        open_gripper(self._robot)
