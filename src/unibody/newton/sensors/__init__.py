"""Sensors: readings of a state, or of contacts, as arrays of a device."""

from __future__ import annotations

import importlib
from typing import Any

_SENSORS = {
    "SensorContact": "unibody.newton.sensors.contact",
    "SensorFrameTransform": "unibody.newton.sensors.frame_transform",
    "SensorIMU": "unibody.newton.sensors.imu",
}
_ABSENT = {
    "SensorRaycast": "warp's mesh_query_ray casts rays at meshes",
    "SensorTiledCamera": "the page of unibody.viewer draws what is simulated",
}

__all__ = list(_SENSORS)


def __getattr__(name: str) -> Any:
    if name in _SENSORS:
        return getattr(importlib.import_module(_SENSORS[name]), name)
    if name in _ABSENT:
        from unibody.errors import NotSupportedError

        raise NotSupportedError(f"newton.sensors.{name}", _ABSENT[name])
    raise AttributeError(f"module 'newton.sensors' has no attribute {name!r}")
