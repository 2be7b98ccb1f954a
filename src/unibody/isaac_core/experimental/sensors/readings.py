"""What sensors of the physics read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]


@dataclass
class Quaternion:
    """A quaternion: its parts by name, and as a sequence x, y, z, w."""

    w: float
    x: float
    y: float
    z: float

    def __len__(self) -> int:
        """How many parts it has."""
        return 4

    def __iter__(self) -> Iterator[float]:
        """The parts, x, y, z, w."""
        return iter((self.x, self.y, self.z, self.w))

    def __getitem__(self, index: int) -> float:
        """A part by its number from 0, of x, y, z, w."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        return (self.x, self.y, self.z, self.w)[index]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """(4,) x, y, z, w."""
        return np.array(tuple(self), dtype=dtype)


@dataclass
class ContactSensorReading:
    """What a contact sensor read.

    Attributes:
        value: Length of the sum of the forces [N].
        time: Of the simulation [s].
        is_valid: Whether it read anything.
        in_contact: Whether it feels a contact.
    """

    value: float = 0.0
    time: float = 0.0
    is_valid: bool = False
    in_contact: bool = field(default=False, init=False)


@dataclass
class IMUSensorReading:
    """What an IMU read.

    Attributes:
        linear_acceleration_x: In the sensor's frame [m/s^2].
        linear_acceleration_y: The same.
        linear_acceleration_z: The same.
        angular_velocity_x: In the sensor's frame [rad/s].
        angular_velocity_y: The same.
        angular_velocity_z: The same.
        orientation: In the world.
        time: Of the simulation [s].
        is_valid: Whether it read anything.
    """

    linear_acceleration_x: float = 0.0
    linear_acceleration_y: float = 0.0
    linear_acceleration_z: float = 0.0
    angular_velocity_x: float = 0.0
    angular_velocity_y: float = 0.0
    angular_velocity_z: float = 0.0
    orientation: Quaternion = field(default_factory=lambda: Quaternion(1.0, 0.0, 0.0, 0.0))
    time: float = 0.0
    is_valid: bool = False


@dataclass
class ImuSensorReading:
    """What the interface of IMUs gives: as `IMUSensorReading`, the orientation in four parts."""

    linear_acceleration_x: float = 0.0
    linear_acceleration_y: float = 0.0
    linear_acceleration_z: float = 0.0
    angular_velocity_x: float = 0.0
    angular_velocity_y: float = 0.0
    angular_velocity_z: float = 0.0
    orientation_w: float = 1.0
    orientation_x: float = 0.0
    orientation_y: float = 0.0
    orientation_z: float = 0.0
    time: float = 0.0
    is_valid: bool = False


@dataclass
class IMURawData:
    """How the body of an IMU moves after one step, in the sensor's frame.

    Attributes:
        time: Of the simulation [s].
        dt: Of the step [s].
        linear_velocity_x: [m/s].
        linear_velocity_y: The same.
        linear_velocity_z: The same.
        angular_velocity_x: [rad/s].
        angular_velocity_y: The same.
        angular_velocity_z: The same.
        orientation_w: In the world.
        orientation_x: The same.
        orientation_y: The same.
        orientation_z: The same.
    """

    time: float = 0.0
    dt: float = 0.0
    linear_velocity_x: float = 0.0
    linear_velocity_y: float = 0.0
    linear_velocity_z: float = 0.0
    angular_velocity_x: float = 0.0
    angular_velocity_y: float = 0.0
    angular_velocity_z: float = 0.0
    orientation_w: float = 1.0
    orientation_x: float = 0.0
    orientation_y: float = 0.0
    orientation_z: float = 0.0


@dataclass
class EffortSensorReading:
    """What an effort sensor read.

    Attributes:
        is_valid: Whether it read anything.
        time: Of the simulation [s].
        value: Force or torque [N or Nm].
    """

    is_valid: bool = False
    time: float = 0
    value: float = 0


def _floats() -> F32:
    return np.zeros(0, np.float32)


@dataclass
class JointStateSensorReading:
    """What a sensor of joints read.

    Attributes:
        is_valid: Whether it read anything.
        time: Of the simulation [s].
        dof_names: Names of the degrees of freedom.
        positions: (dofs,) [rad or m].
        velocities: (dofs,) [rad/s or m/s].
        efforts: (dofs,) [Nm or N].
        dof_types: (dofs,) 0 for one that turns, 1 for one that slides.
        stage_meters_per_unit: Length of the stage's unit [m].
    """

    is_valid: bool = False
    time: float = 0.0
    dof_names: list[str] = field(default_factory=list)
    positions: F32 = field(default_factory=_floats)
    velocities: F32 = field(default_factory=_floats)
    efforts: F32 = field(default_factory=_floats)
    dof_types: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    stage_meters_per_unit: float = 0.0


@dataclass
class RaycastSensorReading:
    """What a sensor of rays read.

    Attributes:
        ray_count: How many rays there are.
        time: Of the simulation [s].
        is_valid: Whether it read anything.
        depths: (rays,) distances; the greatest one of the sensor for a ray that meets nothing.
        hit_positions: (rays, 3) in the frame that the sensor is to report in; 0 for a miss.
        hit_normals: (rays, 3) the same.
        hit_prim_paths: Of what was met; "" for a miss. None but where they are asked for.
        ray_origins_world: (rays, 3).
        ray_end_points_world: (rays, 3).
    """

    ray_count: int = 0
    time: float = 0.0
    is_valid: bool = False
    depths: F32 = field(default_factory=_floats)
    hit_positions: F32 = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    hit_normals: F32 = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    hit_prim_paths: list[str] = field(default_factory=list)
    ray_origins_world: F32 = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    ray_end_points_world: F32 = field(default_factory=lambda: np.zeros((0, 3), np.float32))
