"""RmpFlow: motion of an arm towards a target, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core.motion.kinematics import LulaKinematicsSolver
from unibody.isaac_core.motion.obstacles import Obstacles

_RATE = 4.0  # 1/s: of what is left to the target, a second
_SPEED = 1.0  # rad/s or m/s at most


class RmpFlow:
    """Motion towards a target at bounded speeds of joints.

    It goes straight in the space of joints to what inverse kinematics finds, in place of RMPflow's
    sum of policies: it stops before obstacles and does not go around them, and it does not avoid
    the robot itself.

    Args:
        robot_description_path: YAML file with the active joints.
        urdf_path: The arm.
        rmpflow_config_path: Settings of RMPflow; they have no meaning here.
        end_effector_frame_name: The frame that moves to the target.
        maximum_substep_size: Longest part of a step [s]; a step is one part here.
        ignore_robot_state_updates: Whether the robot is taken to be where it was told to be.
    """

    def __init__(
        self,
        robot_description_path: str,
        urdf_path: str,
        rmpflow_config_path: str,
        end_effector_frame_name: str,
        maximum_substep_size: float,
        ignore_robot_state_updates: bool = False,
    ) -> None:
        self._solver = LulaKinematicsSolver(robot_description_path, urdf_path)
        self.end_effector_frame_name = end_effector_frame_name
        self._open_loop = ignore_robot_state_updates
        self._obstacles = Obstacles()
        self.reset()

    def reset(self) -> None:
        """Forget the target and where the robot was told to be."""
        self._told: np.ndarray | None = None
        self._goal: np.ndarray | None = None  # of the target
        self._last: np.ndarray | None = None  # of the last one that can be reached
        self._target: tuple[Any, Any] | None = None

    def set_ignore_state_updates(self, ignore_robot_state_updates: bool) -> None:
        """Choose whether the robot is taken to be where it was told to be."""
        self._open_loop = ignore_robot_state_updates

    def set_robot_base_pose(self, robot_position: Any, robot_orientation: Any) -> None:
        """Say where the base is in the world."""
        before = self._solver._base
        self._solver.set_robot_base_pose(robot_position, robot_orientation)
        if self._solver._base != before:
            self._goal = None

    def set_end_effector_target(
        self, target_position: Any = None, target_orientation: Any = None
    ) -> None:
        """Choose the target in the world; None as a position: there is none."""
        target = None if target_position is None else (target_position, target_orientation)
        if not _same(target, self._target):
            self._goal = None
        self._target = target

    def set_cspace_target(self, active_joint_targets: Any) -> None:
        """Choose positions of joints that the arm rests at where it has no target."""
        self._solver.arm.default = np.asarray(active_joint_targets, float)

    def get_default_cspace_position_target(self) -> np.ndarray:
        """Positions of joints that the arm rests at where it has no target."""
        return self._solver.arm.default.copy()

    def get_active_joints(self) -> list[str]:
        """Names of the joints that it moves."""
        return self._solver.get_joint_names()

    def get_watched_joints(self) -> list[str]:
        """Names of joints that it looks at without moving them: none."""
        return []

    def get_kinematics_solver(self) -> LulaKinematicsSolver:
        """Its solver."""
        return self._solver

    def get_end_effector_pose(self, active_joint_positions: Any) -> tuple[Any, Any]:
        """Where the frame is: position (3,) and rotation (3, 3)."""
        return self._solver.compute_forward_kinematics(
            self.end_effector_frame_name, active_joint_positions
        )

    def compute_joint_targets(
        self,
        active_joint_positions: Any,
        active_joint_velocities: Any,
        watched_joint_positions: Any,
        watched_joint_velocities: Any,
        frame_duration: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of the active joints for the next step.

        Args:
            active_joint_positions: Where they are.
            active_joint_velocities: How fast they are.
            watched_joint_positions: Of joints that it looks at.
            watched_joint_velocities: The same.
            frame_duration: Time of the step [s].
        """
        here = np.asarray(active_joint_positions, float)
        if self._told is None or not self._open_loop:
            near = self._told is not None and np.abs(self._told - here).max() < 0.2
            self._told = self._told if near else here
        assert self._told is not None
        left = self._wanted(here) - self._told
        speed = _RATE * left
        speed *= min(1.0, _SPEED / max(float(np.abs(speed).max()), _SPEED))
        arm = self._solver.arm
        frame = arm.frame(self.end_effector_frame_name)
        speed = self._obstacles.slowed(arm, frame, self._told, speed, self._solver.base())
        self._told = self._told + speed * frame_duration
        return self._told.copy(), speed

    def _wanted(self, here: np.ndarray) -> np.ndarray:
        if self._target is None:
            return self._solver.arm.default
        if self._goal is None:
            found = self._solver.nearest(self.end_effector_frame_name, *self._target, here)
            self._goal = self._last if found is None else found
            self._last = self._goal
        return here if self._goal is None else self._goal

    def update_world(self, updated_obstacles: list[Any] | None = None) -> None:
        """Look where the obstacles are that may move.

        Args:
            updated_obstacles: Which of them; None: all.
        """
        self._obstacles.update(updated_obstacles)

    def add_obstacle(self, obstacle: Any, static: bool = False) -> bool:
        """Stop before an obstacle; whether it is a new one.

        Raises:
            NotSupportedError: It is neither a ground plane nor a cuboid nor a sphere.
        """
        return self._obstacles.add(obstacle, static=static)

    def remove_obstacle(self, obstacle: Any) -> bool:
        """Forget an obstacle."""
        self._obstacles.remove(obstacle)
        return True


def _same(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return all(
        (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))
        for a, b in zip(one, other, strict=True)
    )
