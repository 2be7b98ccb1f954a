"""Cameras, under one name of the original."""

from unibody.isaac_core.sensors.camera import Camera, get_all_camera_objects

__all__ = ["Camera", "get_all_camera_objects"]
