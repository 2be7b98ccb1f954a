"""Robots on wheels."""

from unibody.isaac_core.wheeled.holonomic_setup import HolonomicRobotUsdSetup
from unibody.isaac_core.wheeled.robot import WheeledRobot

__all__ = ["HolonomicRobotUsdSetup", "WheeledRobot"]
