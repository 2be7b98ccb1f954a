"""The arm UR10 with its suction cup."""

from unibody.isaac_core.manipulators.universal_robots.kinematics_solver import KinematicsSolver
from unibody.isaac_core.manipulators.universal_robots.ur10 import UR10

__all__ = ["UR10", "KinematicsSolver"]
