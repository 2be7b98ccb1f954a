"""All grippers, under one name of the original."""

from unibody.isaac_core.manipulators.grippers import Gripper, ParallelGripper
from unibody.isaac_core.manipulators.surface_gripper import SurfaceGripper

__all__ = ["Gripper", "ParallelGripper", "SurfaceGripper"]
