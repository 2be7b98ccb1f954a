"""The arm of Franka with its gripper."""

from unibody.isaac_core.manipulators.franka.franka import Franka
from unibody.isaac_core.manipulators.franka.kinematics_solver import KinematicsSolver

__all__ = ["Franka", "KinematicsSolver"]
