"""KinematicsSolver: kinematics of the arm of Franka."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core.motion.articulation_kinematics import ArticulationKinematicsSolver
from unibody.isaac_core.motion.config_loader import load_supported_lula_kinematics_solver_config
from unibody.isaac_core.motion.kinematics import LulaKinematicsSolver


class KinematicsSolver(ArticulationKinematicsSolver):
    """Kinematics of the arm.

    Args:
        robot_articulation: The arm.
        end_effector_frame_name: The frame; None: between the fingers.
    """

    def __init__(self, robot_articulation: Any, end_effector_frame_name: str | None = None) -> None:
        solver = LulaKinematicsSolver(**load_supported_lula_kinematics_solver_config("Franka"))
        super().__init__(robot_articulation, solver, end_effector_frame_name or "right_gripper")
