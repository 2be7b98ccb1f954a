"""The visualizer's camera: distance, yaw and pitch against positions."""

from __future__ import annotations

import math
from collections.abc import Sequence


def eye_of(
    distance: float, yaw: float, pitch: float, target: Sequence[float]
) -> tuple[float, float, float]:
    """Where the camera stands [m]; yaw and pitch [deg], z is up, yaw 0 looks along y."""
    turn, tilt = math.radians(yaw), math.radians(pitch)
    forward = (-math.sin(turn) * math.cos(tilt), math.cos(turn) * math.cos(tilt), math.sin(tilt))
    x, y, z = (t - distance * f for t, f in zip(target, forward, strict=True))
    return x, y, z


def angles_of(position: Sequence[float], target: Sequence[float]) -> tuple[float, float, float]:
    """Distance [m], yaw and pitch [deg] of a camera that stands at a place and looks at another."""
    x, y, z = (t - p for t, p in zip(target, position, strict=True))
    distance = math.sqrt(x * x + y * y + z * z)
    if distance == 0.0:
        return 0.0, 0.0, 0.0
    pitch = math.degrees(math.asin(max(-1.0, min(1.0, z / distance))))
    return distance, math.degrees(math.atan2(-x, y)), pitch
