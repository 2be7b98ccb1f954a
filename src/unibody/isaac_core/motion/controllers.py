"""Controllers that follow a motion policy."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core.controllers.base_controller import BaseController
from unibody.isaac_core.functions.types import ArticulationAction
from unibody.isaac_core.motion.policies import RmpFlow


class ArticulationMotionPolicy:
    """A motion policy of a robot of the stage.

    Args:
        robot_articulation: The robot.
        motion_policy: The policy.
        default_physics_dt: Time of a step [s].
    """

    def __init__(
        self,
        robot_articulation: Any,
        motion_policy: RmpFlow,
        default_physics_dt: float = 1 / 60.0,
    ) -> None:
        self._robot_articulation = robot_articulation
        self.motion_policy: RmpFlow = motion_policy
        self.physics_dt = default_physics_dt

    def get_next_articulation_action(self, physics_dt: float | None = None) -> ArticulationAction:
        """The action of the next step.

        Args:
            physics_dt: Time of the step [s]; None: that by default.
        """
        indices = np.array(
            [
                self._robot_articulation.get_dof_index(name)
                for name in self.motion_policy.get_active_joints()
            ]
        )
        here = np.asarray(self._robot_articulation.get_joint_positions(), float)[indices]
        speeds = np.asarray(self._robot_articulation.get_joint_velocities(), float)[indices]
        nothing = np.zeros(0)
        positions, velocities = self.motion_policy.compute_joint_targets(
            here, speeds, nothing, nothing, physics_dt or self.physics_dt
        )
        return ArticulationAction(
            joint_positions=positions, joint_velocities=velocities, joint_indices=indices
        )

    def move(self, physics_dt: float | None = None) -> None:
        """Apply the action of the next step."""
        action = self.get_next_articulation_action(physics_dt)
        self._robot_articulation.get_articulation_controller().apply_action(action)

    def get_robot_articulation(self) -> Any:
        """The robot."""
        return self._robot_articulation

    def get_motion_policy(self) -> RmpFlow:
        """The policy."""
        return self.motion_policy

    def get_default_physics_dt(self) -> float:
        """Time of a step [s]."""
        return self.physics_dt

    def set_default_physics_dt(self, physics_dt: float) -> None:
        """Set the time of a step [s]."""
        self.physics_dt: float = physics_dt


class MotionPolicyController(BaseController):
    """A controller that moves the hand of a robot to a target.

    Args:
        name: Of the controller.
        articulation_motion_policy: What moves it.
    """

    def __init__(self, name: str, articulation_motion_policy: ArticulationMotionPolicy) -> None:
        super().__init__(name)
        self._articulation_motion_policy = articulation_motion_policy
        self._motion_policy = articulation_motion_policy.get_motion_policy()
        self._place()

    def _place(self) -> None:
        robot = self._articulation_motion_policy.get_robot_articulation()
        self._motion_policy.set_robot_base_pose(*robot.get_world_pose())

    def forward(
        self, target_end_effector_position: Any, target_end_effector_orientation: Any = None
    ) -> ArticulationAction:
        """The action of the next step on the way to a target.

        Args:
            target_end_effector_position: In the world [m].
            target_end_effector_orientation: w, x, y, z; None: any.
        """
        self._motion_policy.set_end_effector_target(
            target_end_effector_position, target_end_effector_orientation
        )
        return self._articulation_motion_policy.get_next_articulation_action()

    def add_obstacle(self, obstacle: Any, static: bool = False) -> None:
        """Stop before an obstacle.

        Raises:
            NotSupportedError: It is neither a ground plane nor a cuboid nor a sphere.
        """
        self._motion_policy.add_obstacle(obstacle, static)

    def remove_obstacle(self, obstacle: Any) -> None:
        """Forget an obstacle."""
        self._motion_policy.remove_obstacle(obstacle)

    def reset(self) -> None:
        """Begin again."""
        self._motion_policy.reset()
        self._place()

    def get_articulation_motion_policy(self) -> ArticulationMotionPolicy:
        """What moves the robot."""
        return self._articulation_motion_policy

    def get_motion_policy(self) -> RmpFlow:
        """The policy."""
        return self._motion_policy
