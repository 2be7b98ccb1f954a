"""Robots on wheels."""

from unibody.isaac_core.wheeled.robot import WheeledRobot

__all__ = ["WheeledRobot"]
