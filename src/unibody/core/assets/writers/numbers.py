"""Numbers as text, without a loss: reading gives the same bits."""

from __future__ import annotations

import math
from collections.abc import Iterable

from unibody.core.assets.description import Quat, Vec3
from unibody.core.assets.mass.properties import rotation


def text_of(values: Iterable[float]) -> str:
    """Numbers, separated by spaces."""
    return " ".join(repr(float(value)) for value in values)


def rpy_of(quat: Quat) -> Vec3:
    """Roll, pitch and yaw [rad] of a unit quaternion; the inverse of ``quat_from_rpy``.

    The yaw follows from what is left after roll, so that the rotation is right to rounding where
    the pitch is a right angle, too.
    """
    (_, r01, r02), (_, r11, r12), (r20, r21, r22) = rotation(quat).tolist()
    roll = math.atan2(r21, r22)
    pitch = math.atan2(-r20, math.hypot(r21, r22))
    s, c = math.sin(roll), math.cos(roll)
    yaw = math.atan2(s * r02 - c * r01, c * r11 - s * r12)
    return roll, pitch, yaw
