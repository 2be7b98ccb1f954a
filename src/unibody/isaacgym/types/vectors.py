"""Small vectors and matrices."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from unibody.isaacgym.types import records
from unibody.isaacgym.types.fields import Float, Int, Nested, Struct, to_float


def _factor(value: Any) -> float | None:
    """Return a scalar operand as a float; None for what is no number."""
    if isinstance(value, Struct) or not (
        hasattr(value, "__float__") or hasattr(value, "__index__")
    ):
        return None
    return to_float("factor", value)


class Vec2(Struct):
    """A vector in the plane."""

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.VEC2
    x: Float = Float()
    y: Float = Float()

    def __init__(self, x: float = 0.0, y: float = 0.0) -> None:
        self.x = x
        self.y = y

    @staticmethod
    def from_buffer(arg0: Any) -> Any:
        """Read vectors from memory; see ``records.from_buffer``."""
        return records.from_buffer(Vec2, records.VEC2, arg0)

    def __add__(self, arg0: Vec2) -> Vec2:
        if not isinstance(arg0, Vec2):
            return NotImplemented
        return Vec2(self.x + arg0.x, self.y + arg0.y)

    def __sub__(self, arg0: Vec2) -> Vec2:
        if not isinstance(arg0, Vec2):
            return NotImplemented
        return Vec2(self.x - arg0.x, self.y - arg0.y)

    def __mul__(self, arg0: float) -> Vec2:
        factor = _factor(arg0)
        return NotImplemented if factor is None else Vec2(self.x * factor, self.y * factor)

    def __truediv__(self, arg0: float) -> Vec2:
        factor = _factor(arg0)
        if factor is None:
            return NotImplemented
        return Vec2(_divide(self.x, factor), _divide(self.y, factor))

    def __neg__(self) -> Vec2:
        return Vec2(-self.x, -self.y)

    def __repr__(self) -> str:
        return f"Vec2({self.x:f}, {self.y:f})"


class Vec3(Struct):
    """A vector in space."""

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.VEC3
    x: Float = Float()
    y: Float = Float()
    z: Float = Float()

    def __init__(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        self.x = x
        self.y = y
        self.z = z

    @staticmethod
    def from_buffer(arg0: Any) -> Any:
        """Read vectors from memory; see ``records.from_buffer``."""
        return records.from_buffer(Vec3, records.VEC3, arg0)

    def dot(self, arg0: Vec3) -> float:
        """Return the inner product."""
        other = _vec3(arg0)
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, arg0: Vec3) -> Vec3:
        """Return the vector product."""
        other = _vec3(arg0)
        return Vec3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def length(self) -> float:
        """Return the Euclidean norm."""
        return math.sqrt(self.length_sq())

    def length_sq(self) -> float:
        """Return the square of the norm."""
        return self.dot(self)

    def normalize(self) -> Vec3:
        """Return the vector of length one in this direction; the null vector stays what it is."""
        length = self.length()
        return self / length if length > 0.0 else Vec3()

    def __add__(self, arg0: Vec3) -> Vec3:
        if not isinstance(arg0, Vec3):
            return NotImplemented
        return Vec3(self.x + arg0.x, self.y + arg0.y, self.z + arg0.z)

    def __sub__(self, arg0: Vec3) -> Vec3:
        if not isinstance(arg0, Vec3):
            return NotImplemented
        return Vec3(self.x - arg0.x, self.y - arg0.y, self.z - arg0.z)

    def __mul__(self, arg0: float) -> Vec3:
        factor = _factor(arg0)
        if factor is None:
            return NotImplemented
        return Vec3(self.x * factor, self.y * factor, self.z * factor)

    def __truediv__(self, arg0: float) -> Vec3:
        factor = _factor(arg0)
        if factor is None:
            return NotImplemented
        return Vec3(_divide(self.x, factor), _divide(self.y, factor), _divide(self.z, factor))

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __repr__(self) -> str:
        return f"Vec3({self.x:f}, {self.y:f}, {self.z:f})"


def _vec3(value: Any) -> Vec3:
    if isinstance(value, Vec3):
        return value
    vector = Vec3()
    vector.assign("arg0", value)
    return vector


def _divide(value: float, divisor: float) -> float:
    # The rules of C: a script that divides by nothing gets infinities, not an exception.
    if divisor != 0.0:
        return value / divisor
    if value == 0.0 or math.isnan(value):
        return math.nan
    return math.copysign(math.inf, value) * math.copysign(1.0, divisor)


class Int2(Struct):
    """Two integers."""

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.INT2
    x: Int = Int()
    y: Int = Int()

    def __init__(self, x: int = 0, y: int = 0) -> None:
        self.x = x
        self.y = y


class Int3(Struct):
    """Three integers."""

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.INT3
    x: Int = Int()
    y: Int = Int()
    z: Int = Int()

    def __init__(self, x: int = 0, y: int = 0, z: int = 0) -> None:
        self.x = x
        self.y = y
        self.z = z


class Mat33(Struct):
    """A 3x3 matrix: ``x``, ``y`` and ``z`` are its rows."""

    __slots__ = ()
    x: Nested[Vec3] = Nested(Vec3)
    y: Nested[Vec3] = Nested(Vec3)
    z: Nested[Vec3] = Nested(Vec3)
