"""Sensors of the physics."""

from unibody.isaac_core.sensors.effort import EffortSensor, EsSensorReading
from unibody.isaac_core.sensors.imu import IMUSensor

__all__ = ["EffortSensor", "EsSensorReading", "IMUSensor"]
