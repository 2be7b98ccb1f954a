"""Lidars, under one name of the original."""

from unibody.isaac_core.sensors.lidar import RotatingLidarPhysX

__all__ = ["RotatingLidarPhysX"]
