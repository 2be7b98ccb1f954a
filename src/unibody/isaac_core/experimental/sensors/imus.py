"""The interface of IMUs: how their bodies move, from differences of velocities."""

from __future__ import annotations

import functools
from collections import deque
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from pxr import Usd

from unibody.isaac_core.experimental.sensors.interface import (
    F64,
    Mount,
    Sensor,
    SensorInterface,
    body_above,
    is_enabled,
)
from unibody.isaac_core.experimental.sensors.readings import ImuSensorReading
from unibody.isaac_core.simulation.manager import simulation

_WIDTHS = (
    "linearAccelerationFilterWidth", "angularVelocityFilterWidth", "orientationFilterWidth",
)  # fmt: skip
_LEAST_KEPT = 20  # steps; those before the first have no velocity and the time 0, as the original's


class _Step(NamedTuple):
    """After one step: its time, velocity and turning in the sensor's frame, and w, x, y, z."""

    time: float
    velocity: F64
    turning: F64
    orientation: F64


class _Imu(Sensor):
    """One IMU: what it reads are averages of the last steps."""

    def __init__(self, prim: Usd.Prim, mount: Mount) -> None:
        super().__init__(prim)
        self._mount = mount
        self.weight: F64 = np.zeros(3)
        self._steps: deque[_Step] = deque()
        self._widths: tuple[int, ...] = ()

    def fits(self, prim: Usd.Prim) -> bool:
        return super().fits(prim) and body_above(prim) == self._mount.path

    def read(self, dt: float) -> None:
        if not is_enabled(self.prim):
            self.reading = None
            self._steps.clear()
            return
        if not self._steps:
            self._begin()
        _, turn, orientation = self._mount.pose()
        velocity, turning = self._mount.velocities()
        self.weight = turn.T @ -np.asarray(simulation.view.get_gravity(), float)
        step = _Step(simulation.time, turn.T @ velocity, turn.T @ turning, orientation)
        self._steps.appendleft(step)
        moved, turned, aimed = self._widths
        speeds = np.mean([one.turning for one in self._steps_of(turned)], axis=0)
        gained = np.mean([self._gained(i, moved) for i in range(moved)], axis=0)
        aim = np.mean([one.orientation for one in self._steps_of(aimed)], axis=0)
        aim = aim / length if (length := np.linalg.norm(aim)) > 0.0 else orientation
        values = map(float, (*gained, *speeds, *aim))
        self.reading = ImuSensorReading(*values, time=simulation.time, is_valid=True)

    def _begin(self) -> None:
        """Take widths of averages from the stage: those of a run are those of its first step."""
        stated = [self.prim.GetAttribute(name).Get() for name in _WIDTHS]
        self._widths = tuple(max(int(one or 1), 1) for one in stated)
        kept = max(_LEAST_KEPT, 2 * max(self._widths))
        nothing = _Step(0.0, np.zeros(3), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
        self._steps = deque([nothing] * kept, maxlen=kept)

    def _steps_of(self, count: int) -> list[_Step]:
        return [self._steps[i] for i in range(count)]

    def _gained(self, number: int, width: int) -> F64:
        """Acceleration over as many steps as are averaged, up to one of the last [m/s^2]."""
        now, before = self._steps[number], self._steps[number + width]
        passed = now.time - before.time
        return (now.velocity - before.velocity) / passed if passed > 0.0 else np.zeros(3)


class ImuInterface(SensorInterface[_Imu]):
    """Reads IMUs.

    As in Isaac Sim, an acceleration is the change of the velocity of the body's centre of mass,
    seen in the sensor's frame: what holds a body on its way about a centre is not in it.
    """

    _TYPE = "IsaacImuSensor"
    _READING = ImuSensorReading

    def get_sensor_reading(self, path: str, read_gravity: bool = True) -> Any:
        """What a sensor read last.

        Args:
            path: Of its prim.
            read_gravity: Whether one at rest reads what holds it against gravity.
        """
        found = super().get_sensor_reading(path)
        if not (found.is_valid and read_gravity):
            return found
        x, y, z = self._sensors[path].weight
        return replace(
            found,
            linear_acceleration_x=found.linear_acceleration_x + float(x),
            linear_acceleration_y=found.linear_acceleration_y + float(y),
            linear_acceleration_z=found.linear_acceleration_z + float(z),
        )

    def _make(self, prim: Usd.Prim) -> _Imu | None:
        body = body_above(prim)
        return _Imu(prim, Mount(prim, body)) if body else None


@functools.cache
def get_imu_sensor_interface() -> ImuInterface:
    """The interface of the process."""
    return ImuInterface()
