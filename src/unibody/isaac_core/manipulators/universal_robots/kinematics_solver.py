"""KinematicsSolver: kinematics of the arm UR10."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core.motion.articulation_kinematics import ArticulationKinematicsSolver
from unibody.isaac_core.motion.config_loader import load_supported_lula_kinematics_solver_config
from unibody.isaac_core.motion.kinematics import LulaKinematicsSolver


class KinematicsSolver(ArticulationKinematicsSolver):
    """Kinematics of the arm.

    Args:
        robot_articulation: The arm.
        end_effector_frame_name: The frame; None: the end of the arm, or of the suction cup.
        attach_gripper: Whether the arm has the suction cup.
    """

    def __init__(
        self,
        robot_articulation: Any,
        end_effector_frame_name: str | None = None,
        attach_gripper: bool | None = False,
    ) -> None:
        end = "ee_suction_link" if attach_gripper else "ee_link"
        solver = LulaKinematicsSolver(**load_supported_lula_kinematics_solver_config("UR10"))
        super().__init__(robot_articulation, solver, end_effector_frame_name or end)
