"""PyBullet's view and projection matrices as formulas of plain floats; see ``rotations``.

PyBullet takes and returns float32 values, and keeps some of those in between as float32.
"""

from __future__ import annotations

from math import inf, isfinite, nan, pi, sqrt, tan
from struct import Struct

from unibody.bullet.maths.rotations import Vector, divide, quaternion_from_euler, rotated_vector

Matrix4 = tuple[
    float, float, float, float, float, float, float, float,
    float, float, float, float, float, float, float, float,
]  # fmt: skip

_FLOAT32 = Struct("=f")
_FLOAT32_OVERFLOW = 3.4028235677973366e38  # from here on, rounding to float32 gives infinity
_FLOAT32_PI = 3.1415927410125732
_DEGREE = pi / 180.0  # rad
Y_UP, Z_UP = 1, 2


def float32(value: float) -> float:
    """The nearest float32."""
    if -_FLOAT32_OVERFLOW < value < _FLOAT32_OVERFLOW:
        return _FLOAT32.unpack(_FLOAT32.pack(value))[0]
    return inf if value > 0.0 else -inf if value < 0.0 else nan


def unit(x: float, y: float, z: float) -> Vector:
    """A vector of length 1; of no length, nan."""
    length = sqrt(x * x + y * y + z * z)
    k = 1.0 / length if length != 0.0 else nan
    return (x * k, y * k, z * k)


def cross(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> Vector:
    """``a x b``."""
    return (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)


def view(
    x: float, y: float, z: float,
    fx: float, fy: float, fz: float,
    ux: float, uy: float, uz: float,
) -> Matrix4:  # fmt: skip
    """From world coordinates to the camera's (x right, y up, z back), column by column.

    (x, y, z) is the eye, f looks forward and u up; both of any length.
    """
    fx, fy, fz = unit(fx, fy, fz)
    ux, uy, uz = unit(ux, uy, uz)
    ux, uy, uz = cross(fx, fy, fz, ux, uy, uz)
    sx, sy, sz = unit(ux, uy, uz)
    ux, uy, uz = cross(sx, sy, sz, fx, fy, fz)
    return (
        float32(sx), float32(ux), float32(-fx), 0.0,
        float32(sy), float32(uy), float32(-fy), 0.0,
        float32(sz), float32(uz), float32(-fz), 0.0,
        float32(-(sx * x + sy * y + sz * z)),
        float32(-(ux * x + uy * y + uz * z)),
        float32(fx * x + fy * y + fz * z),
        1.0,
    )  # fmt: skip


def view_from_points(
    x: float, y: float, z: float,
    tx: float, ty: float, tz: float,
    ux: float, uy: float, uz: float,
) -> Matrix4:  # fmt: skip
    """Of a camera at (x, y, z) that looks at t, with u up."""
    x, y, z = float32(x), float32(y), float32(z)
    tx, ty, tz = float32(tx), float32(ty), float32(tz)
    return view(x, y, z, tx - x, ty - y, tz - z, float32(ux), float32(uy), float32(uz))


def view_around_point(
    tx: float, ty: float, tz: float,
    distance: float, yaw: float, pitch: float, roll: float,
    up_axis: float,
) -> Matrix4:  # fmt: skip
    """Of a camera that circles around t at a distance [m]; finite angles in degrees."""
    tx, ty, tz = float32(tx), float32(ty), float32(tz)
    distance = float32(distance)
    yaw, pitch, roll = float32(yaw) * _DEGREE, float32(pitch) * _DEGREE, float32(roll) * _DEGREE
    if up_axis == Z_UP:
        x, y, z, w = quaternion_from_euler(pitch, roll, yaw)
        fx, fy, fz = rotated_vector(x, y, z, w, 0.0, distance, 0.0)
        ux, uy, uz = rotated_vector(x, y, z, w, 0.0, 0.0, 1.0)
    else:
        x, y, z, w = quaternion_from_euler(-pitch, yaw, roll)
        fx, fy, fz = rotated_vector(x, y, z, w, 0.0, 0.0, distance)
        ux, uy, uz = rotated_vector(x, y, z, w, 0.0, 1.0, 0.0)
    return view(tx - fx, ty - fy, tz - fz, fx, fy, fz, ux, uy, uz)


def has_up_axis(
    tx: float, ty: float, tz: float,
    distance: float, yaw: float, pitch: float, roll: float,
    up_axis: float,
) -> bool:  # fmt: skip
    """Tell whether ``view_around_point`` knows the axis that is up."""
    return up_axis in (Y_UP, Z_UP)


def frustum(
    left: float, right: float, bottom: float, top: float, near: float, far: float
) -> Matrix4:
    """The perspective projection of a frustum, given its edges on the near plane [m]."""
    left, right, bottom, top = float32(left), float32(right), float32(bottom), float32(top)
    near, far = float32(near), float32(far)
    width, height, depth = float32(right - left), float32(top - bottom), float32(far - near)
    across, up, along = float32(right + left), float32(top + bottom), float32(far + near)
    product = float32(float32(2.0 * far) * near)
    return (
        float32(divide(2.0 * near, width)), 0.0, 0.0, 0.0,
        0.0, float32(divide(2.0 * near, height)), 0.0, 0.0,
        float32(divide(across, width)), float32(divide(up, height)),
        float32(divide(-along, depth)), -1.0,
        0.0, 0.0, float32(divide(-product, depth)), 0.0,
    )  # fmt: skip


def field_of_view(fov: float, aspect: float, near: float, far: float) -> Matrix4:
    """The perspective projection of a camera with a vertical field of view [degrees]."""
    fov, aspect, near, far = float32(fov), float32(aspect), float32(near), float32(far)
    slope = tan(_FLOAT32_PI / 180.0 * fov / 2.0) if isfinite(fov) else nan
    y_scale, depth = float32(divide(1.0, slope)), float32(near - far)
    along, product = float32(near + far), float32(float32(2.0 * far) * near)
    return (
        float32(divide(y_scale, aspect)), 0.0, 0.0, 0.0,
        0.0, y_scale, 0.0, 0.0,
        0.0, 0.0, float32(divide(along, depth)), -1.0,
        0.0, 0.0, float32(divide(product, depth)), 0.0,
    )  # fmt: skip
