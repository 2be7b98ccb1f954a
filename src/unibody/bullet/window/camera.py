"""The visualizer's camera: distance, yaw and pitch against positions."""

from __future__ import annotations

import math
from collections.abc import Sequence


def eye_of(
    distance: float, yaw: float, pitch: float, target: Sequence[float], *, y_up: bool = False
) -> tuple[float, float, float]:
    """Where the camera stands [m].

    Args:
        distance: From the target [m].
        yaw: [deg]; at 0 it looks along y, or along z if y is up.
        pitch: [deg]; negative looks down.
        target: What it looks at [m].
        y_up: Whether y is up; else z is.
    """
    turn, tilt = math.radians(yaw), math.radians(pitch)
    away = (math.sin(turn) * math.cos(tilt), -math.cos(turn) * math.cos(tilt), -math.sin(tilt))
    if y_up:
        away = (-away[0], away[2], away[1])
    x, y, z = (t + distance * a for t, a in zip(target, away, strict=True))
    return x, y, z


def angles_of(
    position: Sequence[float], target: Sequence[float], *, y_up: bool = False
) -> tuple[float, float, float]:
    """Distance [m], yaw and pitch [deg] of a camera that stands at a place and looks at another."""
    x, y, z = (t - p for t, p in zip(target, position, strict=True))
    if y_up:
        x, y, z = -x, z, y
    distance = math.sqrt(x * x + y * y + z * z)
    if distance == 0.0:
        return 0.0, 0.0, 0.0
    pitch = math.degrees(math.asin(max(-1.0, min(1.0, z / distance))))
    return distance, math.degrees(math.atan2(-x, y)), pitch
