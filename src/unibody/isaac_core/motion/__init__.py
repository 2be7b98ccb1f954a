"""Motion of arms: inverse kinematics of the project's own under the names of Lula and RMPflow."""

from unibody.isaac_core.motion.articulation_kinematics import ArticulationKinematicsSolver
from unibody.isaac_core.motion.controllers import ArticulationMotionPolicy, MotionPolicyController
from unibody.isaac_core.motion.kinematics import LulaKinematicsSolver
from unibody.isaac_core.motion.policies import RmpFlow

__all__ = [
    "ArticulationKinematicsSolver",
    "ArticulationMotionPolicy",
    "LulaKinematicsSolver",
    "MotionPolicyController",
    "RmpFlow",
]
