"""FollowTarget: a robot whose hand follows a target."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError, UnibodyError
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions import stage as stages
from unibody.isaac_core.functions.rotations import euler_angles_to_quat
from unibody.isaac_core.objects.cuboid import FixedCuboid, VisualCuboid
from unibody.isaac_core.prims.xform import XFormPrim
from unibody.isaac_core.scenes.scene import Scene
from unibody.isaac_core.tasks.base_task import BaseTask
from unibody.isaac_core.tasks.names import free_name, free_path, modifiable

_NEAR = 0.035
"""At which distance a target is reached, and how low one can be [m]."""
_RED, _GREEN = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


class FollowTarget(ABC, BaseTask):
    """A robot and a target; derived classes have `set_robot`.

    Args:
        name: By which a world finds it.
        target_prim_path: Where the target is; None: a free path.
        target_name: By which a scene finds it; None: a free name.
        target_position: Where it stands.
        target_orientation: w, x, y, z.
        offset: By which all that it places is moved.
    """

    def __init__(
        self,
        name: str,
        target_prim_path: str | None = None,
        target_name: str | None = None,
        target_position: np.ndarray | None = None,
        target_orientation: np.ndarray | None = None,
        offset: np.ndarray | None = None,
    ) -> None:
        BaseTask.__init__(self, name, offset)
        self._robot: Any = None
        self._target: Any = None
        self._obstacle_cubes: dict[str, Any] = {}
        if target_position is None:
            target_position = np.array([0.0, 0.1, 0.7]) / stages.get_stage_units()
        self._wanted = (target_prim_path, target_name, target_position, target_orientation)

    @abstractmethod
    def set_robot(self) -> Any:
        """Make the robot: of derived classes."""
        raise NotImplementedError

    def set_up_scene(self, scene: Scene) -> None:
        """Add the ground, the target and the robot."""
        super().set_up_scene(scene)
        scene.add_default_ground_plane()
        path, name, position, orientation = self._wanted
        if orientation is None:
            orientation = euler_angles_to_quat(np.array([-np.pi, 0.0, np.pi]))
        self.set_params(
            path or free_path("/World/TargetCube"), name or free_name("target", scene), position,
            orientation,
        )  # fmt: skip
        self._robot = scene.add(self.set_robot())
        self._task_objects[self._robot.name] = self._robot
        self._move_task_objects_to_their_frame()

    def set_params(
        self,
        target_prim_path: str | None = None,
        target_name: str | None = None,
        target_position: np.ndarray | None = None,
        target_orientation: np.ndarray | None = None,
    ) -> None:
        """Choose another target, or move the one there is.

        Raises:
            UnibodyError: There is none yet.
        """
        if target_prim_path is None:
            if self._target is None:
                raise UnibodyError("there is no target yet: set_up_scene first")
            self._target.set_local_pose(target_position, target_orientation)
            return
        if self._target is not None:
            del self._task_objects[self._target.name]
        name = target_name or free_name("target", self.scene)
        placed: dict[str, Any] = {"position": target_position, "orientation": target_orientation}
        if functions.is_prim_path_valid(target_prim_path):
            made: Any = XFormPrim(target_prim_path, name, **placed)
        else:
            scale = np.full(3, 0.03) / stages.get_stage_units()
            made = VisualCuboid(target_prim_path, name, color=_RED, size=1.0, scale=scale, **placed)
        self._target = self.scene.add(made)
        self._task_objects[name] = made
        self._color(_RED)

    def get_params(self) -> dict[str, Any]:
        """Target and robot."""
        position, orientation = self._target.get_local_pose()
        return {
            "target_prim_path": modifiable(self._target.prim_path),
            "target_name": modifiable(self._target.name),
            "target_position": modifiable(position),
            "target_orientation": modifiable(orientation),
            "robot_name": modifiable(self._robot.name, can_be=False),
        }

    def get_observations(self) -> dict[str, Any]:
        """Joints of the robot, pose of the target."""
        joints = self._robot.get_joints_state()
        position, orientation = self._target.get_local_pose()
        position = np.array(position)
        position[2] = max(position[2], _NEAR / stages.get_stage_units())
        return {
            self._robot.name: {
                "joint_positions": np.array(joints.positions),
                "joint_velocities": np.array(joints.velocities),
            },
            self._target.name: {"position": position, "orientation": np.array(orientation)},
        }

    def target_reached(self) -> bool:
        """Whether the hand is at the target."""
        hand, _ = self._robot.end_effector.get_world_pose()
        target, _ = self._target.get_world_pose()
        away = np.mean(np.abs(np.asarray(hand) - np.asarray(target)))
        return bool(away < _NEAR / stages.get_stage_units())

    def pre_step(self, time_step_index: int, simulation_time: float) -> None:
        """Color the target: green once it is reached."""
        self._color(_GREEN if self.target_reached() else _RED)

    def _color(self, color: np.ndarray) -> None:
        material = self._target.get_applied_visual_material()
        if hasattr(material, "set_color"):
            material.set_color(color)

    def add_obstacle(self, position: np.ndarray | None = None) -> Any:
        """Add a cube that is in the way.

        Args:
            position: Of the cube, from the offset of the task; None: 0.1, 0.1, 1.0 m.
        """
        units = stages.get_stage_units()
        place = np.array([0.1, 0.1, 1.0]) / units if position is None else np.asarray(position)
        cube = FixedCuboid(
            free_path("/World/ObstacleCube"),
            free_name("cube", self.scene),
            position=place + self._offset,
            size=0.1 / units,
            color=np.array([0.0, 0.0, 1.0]),
        )
        self._obstacle_cubes[str(cube.name)] = self.scene.add(cube)
        return cube

    def remove_obstacle(self, name: str | None = None) -> None:
        """Remove a cube; without a name, the last one.

        Raises:
            InvalidArgumentError: There is none.
        """
        name = self.get_obstacle_to_delete().name if name is None else name
        if name not in self._obstacle_cubes:
            raise InvalidArgumentError("name", name, "the name of an obstacle")
        self.scene.remove_object(name)
        del self._obstacle_cubes[name]

    def get_obstacle_to_delete(self) -> Any:
        """The cube that was added last.

        Raises:
            UnibodyError: There is none.
        """
        if not self._obstacle_cubes:
            raise UnibodyError("there is no obstacle")
        return list(self._obstacle_cubes.values())[-1]

    def obstacles_exist(self) -> bool:
        """Whether there are cubes in the way."""
        return bool(self._obstacle_cubes)
