"""Names of ``isaacsim.sensors.experimental.physics``."""

from __future__ import annotations

from unibody.isaac_core.experimental.sensors.contacts import get_contact_sensor_interface
from unibody.isaac_core.experimental.sensors.imus import get_imu_sensor_interface
from unibody.isaac_core.experimental.sensors.joints import (
    get_effort_sensor_interface,
    get_joint_state_sensor_interface,
)
from unibody.isaac_core.experimental.sensors.prims import IMU, Contact, Raycast
from unibody.isaac_core.experimental.sensors.rays import get_raycast_sensor_interface
from unibody.isaac_core.experimental.sensors.readings import (
    ContactSensorReading,
    EffortSensorReading,
    IMURawData,
    IMUSensorReading,
    JointStateSensorReading,
)
from unibody.isaac_core.experimental.sensors.runtime import (
    ContactSensor,
    EffortSensor,
    IMUSensor,
    JointStateSensor,
    RaycastSensor,
)

__all__ = [
    "IMU", "Contact", "ContactSensor", "ContactSensorReading", "EffortSensor",
    "EffortSensorReading", "IMURawData", "IMUSensor", "IMUSensorReading", "JointStateSensor",
    "JointStateSensorReading", "Raycast", "RaycastSensor", "get_contact_sensor_interface",
    "get_effort_sensor_interface", "get_imu_sensor_interface", "get_joint_state_sensor_interface",
    "get_raycast_sensor_interface",
]  # fmt: skip
