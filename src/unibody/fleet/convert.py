"""Pose maths, and the border to the engine.

The fleet API writes quaternions (x, y, z, w), the engine (w, x, y, z). This is the only place where
that changes. A pose is a pair (position, quaternion); all of it plain Python numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from unibody.core.assets.description import Pose as EnginePose

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]
IDENTITY_QUAT: Quat = (0.0, 0.0, 0.0, 1.0)
_GIMBAL = 0.99999  # sine of the pitch from which on Bullet reads no roll


def quat_product(a: Sequence[float], b: Sequence[float]) -> Quat:
    """Hamilton product: ``b`` is applied first."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def quat_apply(q: Sequence[float], v: Sequence[float]) -> Vec3:
    """Rotate a vector by a unit quaternion."""
    x, y, z, w = q
    vx, vy, vz = v
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


def pose_product(
    pos_a: Sequence[float], quat_a: Sequence[float], pos_b: Sequence[float], quat_b: Sequence[float]
) -> tuple[Vec3, Quat]:
    """``T_a T_b``."""
    x, y, z = quat_apply(quat_a, pos_b)
    return (pos_a[0] + x, pos_a[1] + y, pos_a[2] + z), quat_product(quat_a, quat_b)


def pose_inverse(pos: Sequence[float], quat: Sequence[float]) -> tuple[Vec3, Quat]:
    """The inverse transform."""
    back = (-quat[0], -quat[1], -quat[2], quat[3])
    x, y, z = quat_apply(back, pos)
    return (-x, -y, -z), back


def quat_from_euler(roll: float, pitch: float, yaw: float) -> Quat:
    """Quaternion of fixed-axis angles: roll about x, then pitch about y, then yaw about z [rad]."""
    cr, sr = math.cos(0.5 * roll), math.sin(0.5 * roll)
    cp, sp = math.cos(0.5 * pitch), math.sin(0.5 * pitch)
    cy, sy = math.cos(0.5 * yaw), math.sin(0.5 * yaw)
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


def euler_from_quat(quat: Sequence[float]) -> Vec3:
    """Roll, pitch and yaw [rad] as PyBullet reads them off a quaternion."""
    x, y, z, w = quat
    sine = -2.0 * (x * z - w * y)
    if sine <= -_GIMBAL:
        return 0.0, -0.5 * math.pi, 2.0 * math.atan2(x, -y)
    if sine >= _GIMBAL:
        return 0.0, 0.5 * math.pi, 2.0 * math.atan2(-x, y)
    return (
        math.atan2(2.0 * (y * z + w * x), w * w - x * x - y * y + z * z),
        math.asin(sine),
        math.atan2(2.0 * (x * y + w * z), w * w + x * x - y * y - z * z),
    )


def quat_normalized(quat: Sequence[float]) -> Quat:
    """A quaternion of length 1.

    Raises:
        ValueError: Its length is zero.
    """
    x, y, z, w = quat
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if length == 0.0:
        raise ValueError("zero-norm quaternion is not allowed")
    return x / length, y / length, z / length, w / length


def to_engine(pos: Sequence[float], quat: Sequence[float]) -> EnginePose:
    """A pose as the engine writes it."""
    x, y, z, w = (float(value) for value in quat)
    px, py, pz = (float(value) for value in pos)
    return EnginePose((px, py, pz), (w, x, y, z))


def from_engine(pose: EnginePose) -> tuple[Vec3, Quat]:
    """A pose of the engine as the fleet API writes it."""
    w, x, y, z = pose.quat
    return pose.pos, (x, y, z, w)
