"""Contacts of bodies without a sensor: what scripts know as ``_sensor``."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.simulation import seam
from unibody.isaac_core.simulation.manager import simulation

_ROW = np.dtype(
    [
        ("time", "f4"), ("dt", "f4"), ("body0", "u8"), ("body1", "u8"),
        ("position", "f4", 3), ("normal", "f4", 3), ("impulse", "f4", 3),
    ]
)  # fmt: skip


class ContactSensorInterface:
    """Contacts of the last step, body by body."""

    def __init__(self) -> None:
        self._names: list[str] = [""]

    def get_rigid_body_raw_data(self, path: str) -> np.ndarray:
        """The contacts that push a body.

        Args:
            path: Of the body.

        Returns:
            A row for each, with ``time`` [s], ``dt`` [s], ``body0`` and ``body1``, of which
            ``decode_body_name`` gives the paths, ``position``, ``normal`` and ``impulse`` [N s]
            of the contact on the body. None while nothing is simulated.
        """
        if simulation.view is None:
            return np.zeros(0, _ROW)
        found, others = seam.contacts_of(path)
        pushing = np.flatnonzero(found.forces > 0.0)
        rows = np.zeros(len(pushing), _ROW)
        dt = simulation.physics_dt()
        rows["time"], rows["dt"] = simulation.time, dt
        rows["body0"] = self._number(path)
        rows["body1"] = [self._number(others[row]) for row in pushing.tolist()]
        rows["position"], rows["normal"] = found.points[pushing], found.normals[pushing]
        rows["impulse"] = found.normals[pushing] * found.forces[pushing, None] * dt
        return rows

    def decode_body_name(self, body: int) -> str:
        """The path of a body of a row; "" for one of several fixed colliders, which are one body.

        Raises:
            InvalidArgumentError: No row had it.
        """
        if not 0 <= int(body) < len(self._names):
            raise InvalidArgumentError("body", body, "body0 or body1 of a row of contacts")
        return self._names[int(body)]

    def _number(self, name: str) -> int:
        if name not in self._names:
            self._names.append(name)
        return self._names.index(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotSupportedError(f"{name} of the interface of contact sensors", "ContactSensor")


@functools.cache
def acquire_contact_sensor_interface() -> ContactSensorInterface:
    """The one interface of the process."""
    return ContactSensorInterface()


def release_contact_sensor_interface(interface: ContactSensorInterface) -> None:
    """Let go of the interface; the next one is another.

    Raises:
        InvalidArgumentError: It is no interface of this kind.
    """
    if not isinstance(interface, ContactSensorInterface):
        raise InvalidArgumentError("interface", interface, "what the other function gave")
    acquire_contact_sensor_interface.cache_clear()
