"""Quaternions."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from unibody.isaacgym.types import records
from unibody.isaacgym.types.fields import Float, Nested, Struct, to_float
from unibody.isaacgym.types.vectors import Vec3


class Quat(Struct):
    """A rotation: a unit quaternion in the order x, y, z, w."""

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.QUAT
    x: Float = Float()
    y: Float = Float()
    z: Float = Float()
    w: Float = Float(1.0)

    def __init__(self, x: float = 0.0, y: float = 0.0, z: float = 0.0, w: float = 1.0) -> None:
        self.x = x
        self.y = y
        self.z = z
        self.w = w

    @staticmethod
    def from_buffer(arg0: Any) -> Any:
        """Read quaternions from memory; see ``records.from_buffer``."""
        return records.from_buffer(Quat, records.QUAT, arg0)

    @staticmethod
    def from_axis_angle(arg0: Vec3, arg1: float) -> Quat:
        """Return the rotation about an axis.

        Args:
            arg0: The axis, of any length; the null vector gives no axis part.
            arg1: The angle [rad].
        """
        axis = Vec3()
        axis.assign("arg0", arg0)
        axis = axis.normalize()
        half = 0.5 * to_float("arg1", arg1)
        sine = math.sin(half)
        return Quat(axis.x * sine, axis.y * sine, axis.z * sine, math.cos(half))

    @staticmethod
    def from_euler_zyx(arg0: float, arg1: float, arg2: float) -> Quat:
        """Return the rotation Rz(arg2) Ry(arg1) Rx(arg0): roll, pitch and yaw [rad]."""
        roll, pitch, yaw = (
            0.5 * to_float(f"arg{i}", angle) for i, angle in enumerate((arg0, arg1, arg2))
        )
        cr, sr = math.cos(roll), math.sin(roll)
        cp, sp = math.cos(pitch), math.sin(pitch)
        cy, sy = math.cos(yaw), math.sin(yaw)
        return Quat(
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
            cr * cp * cy + sr * sp * sy,
        )

    def to_euler_zyx(self) -> tuple[float, float, float]:
        """Return roll, pitch and yaw [rad]: the inverse of ``from_euler_zyx``.

        Pitch is in [-pi/2, pi/2]; there only the sum or difference of the others counts.
        """
        x, y, z, w = self.x, self.y, self.z, self.w
        roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
        pitch = math.asin(max(-1.0, min(1.0, 2.0 * (w * y - z * x))))
        yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        return roll, pitch, yaw

    def inverse(self) -> Quat:
        """Return the conjugate, which is the inverse of a unit quaternion."""
        return Quat(-self.x, -self.y, -self.z, self.w)

    def normalize(self) -> Quat:
        """Return the unit quaternion of this direction; the identity for the null quaternion."""
        x, y, z, w = self.x, self.y, self.z, self.w
        length = math.sqrt(x * x + y * y + z * z + w * w)
        return Quat(x / length, y / length, z / length, w / length) if length > 0.0 else Quat()

    def rotate(self, arg0: Vec3) -> Vec3:
        """Return a vector rotated by this quaternion."""
        vector = Vec3()
        vector.assign("arg0", arg0)
        axis = Vec3(self.x, self.y, self.z)
        along = 2.0 * axis.dot(vector)
        return (
            vector * (2.0 * self.w * self.w - 1.0)
            + axis.cross(vector) * (2.0 * self.w)
            + axis * along
        )

    def __mul__(self, arg0: Quat) -> Quat:
        """Return the product: the rotation by ``arg0``, then by this one."""
        if not isinstance(arg0, Quat):
            return NotImplemented
        a, b = self, arg0
        return Quat(
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        )

    def __repr__(self) -> str:
        return f"Quat({self.x:f}, {self.y:f}, {self.z:f}, {self.w:f})"


def _zero() -> Quat:
    return Quat(0.0, 0.0, 0.0, 0.0)


class Mat44(Struct):
    """A 4x4 matrix of four rows, each with the components of a ``Quat``."""

    __slots__ = ()
    x: Nested[Quat] = Nested(_zero)
    y: Nested[Quat] = Nested(_zero)
    z: Nested[Quat] = Nested(_zero)
    w: Nested[Quat] = Nested(_zero)
