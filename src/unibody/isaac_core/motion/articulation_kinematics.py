"""ArticulationKinematicsSolver: kinematics of a robot of the stage."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions.types import ArticulationAction
from unibody.isaac_core.motion.kinematics import LulaKinematicsSolver


class ArticulationKinematicsSolver:
    """Kinematics of one frame of a robot, from its positions and to its actions.

    Args:
        robot_articulation: The robot.
        kinematics_solver: Of the same arm.
        end_effector_frame_name: The frame.
    """

    def __init__(
        self,
        robot_articulation: Any,
        kinematics_solver: LulaKinematicsSolver,
        end_effector_frame_name: str,
    ) -> None:
        self._robot, self._solver = robot_articulation, kinematics_solver
        self.set_end_effector_frame(end_effector_frame_name)

    def compute_end_effector_pose(
        self, position_only: bool = False
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Where the frame is in the world: position (3,) and rotation (3, 3)."""
        self._place()
        return self._solver.compute_forward_kinematics(
            self._frame, self._positions(), position_only
        )

    def compute_inverse_kinematics(
        self,
        target_position: Any,
        target_orientation: Any = None,
        position_tolerance: float | None = None,
        orientation_tolerance: float | None = None,
    ) -> tuple[ArticulationAction, bool]:
        """The action that brings the frame to a target in the world.

        Args:
            target_position: [m].
            target_orientation: w, x, y, z; None: any.
            position_tolerance: At which it is reached [m].
            orientation_tolerance: The same [rad].

        Returns:
            The action, and whether the target can be reached.
        """
        self._place()
        found, reached = self._solver.compute_inverse_kinematics(
            self._frame, target_position, target_orientation, self._positions(),
            position_tolerance, orientation_tolerance,
        )  # fmt: skip
        return ArticulationAction(joint_positions=found, joint_indices=self._indices()), reached

    def set_end_effector_frame(self, end_effector_frame_name: str) -> None:
        """Choose the frame.

        Raises:
            InvalidArgumentError: The arm has none of the name.
        """
        known = self._solver.get_all_frame_names()
        if end_effector_frame_name not in known:
            raise InvalidArgumentError(
                "end_effector_frame_name", end_effector_frame_name, f"one of {sorted(known)[:40]}"
            )
        self._frame = end_effector_frame_name

    def get_end_effector_frame(self) -> str:
        """Name of the frame."""
        return self._frame

    def get_kinematics_solver(self) -> LulaKinematicsSolver:
        """The solver."""
        return self._solver

    def _place(self) -> None:
        self._solver.set_robot_base_pose(*self._robot.get_world_pose())

    def _indices(self) -> np.ndarray:
        names = self._solver.get_joint_names()
        return np.array([self._robot.get_dof_index(name) for name in names])

    def _positions(self) -> np.ndarray:
        return np.asarray(self._robot.get_joint_positions(), float)[self._indices()]
