"""All sensors, under the older name of the original."""

from unibody.isaac_core.sensors import ContactSensor, EffortSensor, IMUSensor
from unibody.isaac_core.sensors.camera import Camera
from unibody.isaac_core.sensors.lidar import RotatingLidarPhysX

__all__ = ["Camera", "ContactSensor", "EffortSensor", "IMUSensor", "RotatingLidarPhysX"]
