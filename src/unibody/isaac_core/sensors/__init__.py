"""Sensors of the physics."""

from unibody.isaac_core.sensors.contact import ContactSensor
from unibody.isaac_core.sensors.effort import EffortSensor, EsSensorReading
from unibody.isaac_core.sensors.imu import IMUSensor

__all__ = ["ContactSensor", "EffortSensor", "EsSensorReading", "IMUSensor"]
