"""What reads sensors: IMUSensor, ContactSensor, EffortSensor, JointStateSensor, RaycastSensor."""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar

import numpy as np

from unibody.isaac_core.experimental.sensors.contacts import (
    RawContact,
    get_contact_sensor_interface,
)
from unibody.isaac_core.experimental.sensors.imus import get_imu_sensor_interface
from unibody.isaac_core.experimental.sensors.joints import (
    get_effort_sensor_interface,
    get_joint_state_sensor_interface,
)
from unibody.isaac_core.experimental.sensors.prims import IMU, Contact, Raycast, SensorPrim
from unibody.isaac_core.experimental.sensors.rays import get_raycast_sensor_interface
from unibody.isaac_core.experimental.sensors.readings import (
    ContactSensorReading,
    EffortSensorReading,
    ImuSensorReading,
    JointStateSensorReading,
    RaycastSensorReading,
)
from unibody.isaac_core.schemas.physics_schema_tools import intToSdfPath
from unibody.isaac_core.simulation.simulation_manager import SimulationManager

Frame = dict[str, Any]


class SensorRuntime:
    """Reads one sensor, by an interface that knows all of its kind.

    Args:
        path: Of the sensor's prim.
    """

    _INTERFACE: ClassVar[Any]  # a function that gives it

    def __init__(self, path: str) -> None:
        self._prim_path = path
        self._iface: Any = self._INTERFACE()
        self._sensor_created = False

    def reset(self) -> None:
        """Begin anew: the next reading finds the sensor again."""
        if self._sensor_created and self._iface is not None:
            self._iface.remove_sensor(self._prim_path)
        self._sensor_created = False

    def on_physics_step(self, step_dt: float) -> None:
        """Do nothing: the interface reads after each step."""

    def on_timeline_stop(self) -> None:
        """Forget what was read in the run that has ended."""
        self.reset()
        self._iface = None

    def _known(self) -> Any:
        """The interface, with the sensor in it where it can be read."""
        if self._iface is None:
            self._iface = self._INTERFACE()
        self._sensor_created = self._iface.create_sensor(self._prim_path)
        return self._iface

    def _stage_open_callback_fn(self, event: Any = None) -> None:
        """Let go of the sensor of a stage that is closed."""
        self.reset()

    def _read(self, *arguments: Any) -> Any:
        return self._known().get_sensor_reading(self._prim_path, *arguments)


class _OfPrim(SensorRuntime):
    """Reads a sensor that has a prim."""

    _PRIM: ClassVar[Any]  # the class of its prim

    def __init__(self, path: str | SensorPrim) -> None:
        self._authoring = path if isinstance(path, SensorPrim) else self._PRIM(path)
        super().__init__(self._authoring.paths[0])

    @property
    def authoring_object(self) -> Any:
        """The prim of the sensor."""
        return self._authoring


class IMUSensor(_OfPrim):
    """Reads an IMU.

    Args:
        path: Of its prim, or that.
    """

    _PRIM = IMU
    _INTERFACE = staticmethod(get_imu_sensor_interface)

    def __init__(self, path: str | IMU) -> None:
        super().__init__(path)
        self._frame: Frame = {
            "time": 0.0,
            "physics_step": 0.0,
            "linear_acceleration": np.zeros(3, np.float32),
            "angular_velocity": np.zeros(3, np.float32),
            "orientation": np.array([1.0, 0.0, 0.0, 0.0], np.float32),
        }

    @property
    def imu(self) -> IMU:
        """The prim of the sensor."""
        return self.authoring_object

    def get_sensor_reading(self, read_gravity: bool = True) -> ImuSensorReading:
        """What it read last.

        Args:
            read_gravity: Whether a sensor at rest reads what holds it against gravity.
        """
        return self._read(read_gravity)

    def get_data(self, read_gravity: bool = True) -> Frame:
        """What it read last that is valid, in the same dictionary each time.

        Args:
            read_gravity: Whether a sensor at rest reads what holds it against gravity.

        Returns:
            time [s], physics_step, linear_acceleration [m/s^2] and angular_velocity [rad/s] in
            the sensor's frame, and orientation w, x, y, z in the world.
        """
        reading = self.get_sensor_reading(read_gravity)
        if reading.is_valid:
            for name, parts in (("linear_acceleration", "xyz"), ("angular_velocity", "xyz"),
                                ("orientation", "wxyz")):  # fmt: skip
                self._frame[name][:] = [getattr(reading, f"{name}_{part}") for part in parts]
            self._frame["time"] = reading.time
            self._frame["physics_step"] = float(SimulationManager.get_num_physics_steps())
        return self._frame


class ContactSensor(_OfPrim):
    """Reads a contact sensor.

    Args:
        path: Of its prim, or that.
    """

    _PRIM = Contact
    _INTERFACE = staticmethod(get_contact_sensor_interface)

    def __init__(self, path: str | Contact) -> None:
        super().__init__(path)
        self._frame: Frame = {
            "time": 0.0, "physics_step": 0.0, "in_contact": False, "force": 0.0,
            "number_of_contacts": 0,
        }  # fmt: skip

    @property
    def contact(self) -> Contact:
        """The prim of the sensor."""
        return self.authoring_object

    def get_sensor_reading(self) -> ContactSensorReading:
        """What it read last."""
        return self._read()

    def get_raw_data(self) -> list[RawContact]:
        """All contacts that push the body of the sensor.

        Returns:
            body0 and body1, of which ``PhysicsSchemaTools.intToSdfPath`` gives the paths;
            position, normal and impulse [N s], each with x, y and z; time and dt [s].
        """
        return self._known().get_raw_contacts(self._prim_path)

    def get_data(self) -> Frame:
        """What it read last that is valid, in the same dictionary each time.

        Returns:
            time [s], physics_step, in_contact, force [N], number_of_contacts of the whole body,
            and contacts one by one if they are asked for.
        """
        reading = self.get_sensor_reading()
        if not reading.is_valid:
            return self._frame
        contacts = self.get_raw_data()
        self._frame |= {
            "in_contact": reading.in_contact,
            "force": float(reading.value),
            "time": float(reading.time),
            "physics_step": float(SimulationManager.get_num_physics_steps()),
            "number_of_contacts": len(contacts),
        }
        if "contacts" in self._frame:
            self._frame["contacts"] = [_contact(one) for one in contacts]
        return self._frame

    def add_raw_contact_data_to_frame(self) -> None:
        """Let frames have the contacts one by one."""
        self._frame["contacts"] = []

    def remove_raw_contact_data_from_frame(self) -> None:
        """Let frames not have the contacts one by one."""
        del self._frame["contacts"]


def _contact(raw: RawContact) -> Frame:
    vectors = {
        name: np.array([raw[name][axis] for axis in "xyz"], np.float32)
        for name in ("position", "normal", "impulse")
    }
    return {name: str(intToSdfPath(raw[name])) for name in ("body0", "body1")} | vectors


class EffortSensor(SensorRuntime):
    """Reads the effort along a joint.

    Args:
        path: Of the joint.
        enabled: Whether it reads.
    """

    _INTERFACE = staticmethod(get_effort_sensor_interface)

    def __init__(self, path: str, enabled: bool = True) -> None:
        super().__init__(path)
        self.enabled: bool = enabled
        self.body_prim_path: str
        self.dof_name: str
        self.body_prim_path, _, self.dof_name = path.rpartition("/")
        self.data_buffer_size: int = 10
        self.sensor_reading_buffer: deque[EffortSensorReading] = deque()
        self.change_buffer_size(self.data_buffer_size)

    def get_sensor_reading(self) -> EffortSensorReading:
        """What it read last; not valid while it is not enabled."""
        reading = self._read() if self.enabled else EffortSensorReading()
        if reading.is_valid:
            self.sensor_reading_buffer.appendleft(reading)
        return reading

    def get_data(self) -> Frame:
        """The last reading: value [N or Nm], is_valid, time [s] and physics_step."""
        reading = self.get_sensor_reading()
        return {
            "value": float(reading.value),
            "is_valid": reading.is_valid,
            "time": float(reading.time),
            "physics_step": SimulationManager.get_num_physics_steps(),
        }

    def update_dof_name(self, dof_name: str) -> None:
        """Read another joint beside the one of now."""
        self.reset()
        self.dof_name: str = dof_name
        self._prim_path = f"{self.body_prim_path}/{dof_name}"

    def change_buffer_size(self, new_buffer_size: int) -> None:
        """Keep another number of readings, the newest first."""
        kept = list(self.sensor_reading_buffer)[:new_buffer_size]
        empty = [EffortSensorReading() for _ in range(new_buffer_size - len(kept))]
        self.sensor_reading_buffer = deque([*kept, *empty], maxlen=new_buffer_size)
        self.data_buffer_size = new_buffer_size

    def on_timeline_stop(self) -> None:
        """Forget what was read in the run that has ended."""
        super().on_timeline_stop()
        self.sensor_reading_buffer.clear()
        self.change_buffer_size(self.data_buffer_size)


class JointStateSensor(SensorRuntime):
    """Reads all joints of an articulation.

    Args:
        path: Of the articulation.
        enabled: Whether it reads.
    """

    _INTERFACE = staticmethod(get_joint_state_sensor_interface)

    def __init__(self, path: str, enabled: bool = True) -> None:
        super().__init__(path)
        self.enabled: bool = enabled

    def get_sensor_reading(self) -> JointStateSensorReading:
        """What it read last; not valid while it is not enabled."""
        return self._read() if self.enabled else JointStateSensorReading()

    def get_data(self) -> Frame:
        """The last reading: what `JointStateSensorReading` has, by name, and physics_step."""
        reading = self.get_sensor_reading()
        return vars(reading) | {"physics_step": SimulationManager.get_num_physics_steps()}


class RaycastSensor(_OfPrim):
    """Reads a sensor of rays.

    Args:
        path: Of its prim, or that.
    """

    _PRIM = Raycast
    _INTERFACE = staticmethod(get_raycast_sensor_interface)

    @property
    def raycast(self) -> Raycast:
        """The prim of the sensor."""
        return self.authoring_object

    def get_sensor_reading(self) -> RaycastSensorReading:
        """What it read last."""
        return self._read()

    def get_data(self) -> Frame:
        """The last reading.

        Returns:
            depths (rays,), hit_positions and hit_normals (rays, 3), hit_prim_paths, time [s] and
            physics_step; empty before the first one that is valid.
        """
        reading = self.get_sensor_reading()
        names = ("depths", "hit_positions", "hit_normals", "hit_prim_paths", "time")
        found = {name: getattr(reading, name) for name in names}
        return found | {"physics_step": SimulationManager.get_num_physics_steps()}
