"""The interface of contact sensors."""

from __future__ import annotations

import functools
from typing import Any

from pxr import Usd

from unibody.isaac_core.experimental.sensors.interface import (
    Mount,
    Sensor,
    SensorInterface,
    body_above,
    is_enabled,
)
from unibody.isaac_core.experimental.sensors.readings import ContactSensorReading
from unibody.isaac_core.schemas.physics_schema_tools import sdfPathToInt
from unibody.isaac_core.sensors.felt import feel
from unibody.isaac_core.simulation.manager import simulation

RawContact = dict[str, Any]
"""body0 and body1, numbers of paths; position, normal and impulse with x, y, z; time and dt."""


class _Contact(Sensor):
    def __init__(self, prim: Usd.Prim, mount: Mount) -> None:
        super().__init__(prim)
        self._mount = mount
        self.contacts: list[RawContact] = []

    def fits(self, prim: Usd.Prim) -> bool:
        return super().fits(prim) and body_above(prim) == self._mount.path

    def read(self, dt: float) -> None:
        if not is_enabled(self.prim):
            self.reading, self.contacts = None, []
            return
        least, most = self.prim.GetAttribute("threshold").Get()
        felt = feel(self._mount.path, self._mount.pose()[0], self.prim.GetAttribute("radius").Get())
        force = min(felt.force, most)
        touched = felt.near and felt.force > 0.0 and force >= least
        self.reading = ContactSensorReading(force if touched else 0.0, simulation.time, True)
        self.reading.in_contact = touched
        here = sdfPathToInt(self._mount.path)
        self.contacts = [
            {
                "time": simulation.time,
                "dt": dt,
                "body0": here,
                "body1": sdfPathToInt(felt.others[row]),
                **{
                    name: dict(zip("xyz", map(float, vector), strict=True))
                    for name, vector in felt.contact(row, dt).items()
                },
            }
            for row in felt.pushing
        ]


class ContactInterface(SensorInterface[_Contact]):
    """Reads contact sensors."""

    _TYPE = "IsaacContactSensor"
    _READING = ContactSensorReading

    def get_raw_contacts(self, path: str) -> list[RawContact]:
        """All contacts that push the body of a sensor, after the last step.

        Args:
            path: Of the sensor's prim.
        """
        sensor = self._alive(path)
        return [] if sensor is None else sensor.contacts

    def _make(self, prim: Usd.Prim) -> _Contact | None:
        body = body_above(prim) if prim.GetTypeName() == self._TYPE else ""
        return _Contact(prim, Mount(prim, body)) if body else None


@functools.cache
def get_contact_sensor_interface() -> ContactInterface:
    """The interface of the process."""
    return ContactInterface()
