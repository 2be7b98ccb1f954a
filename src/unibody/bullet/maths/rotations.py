"""PyBullet's quaternion and transform functions as formulas of plain floats.

``math`` checks arguments and calls them; ``shortcuts`` compiles them as they stand. So they use
nothing but arithmetic, the functions of ``math`` and one another, and have no default arguments.
Quaternions are ``(x, y, z, w)``.

The thresholds at which PyBullet switches formula, and the sign it picks for a quaternion, are
kept. Where PyBullet divides by zero and returns ``nan`` or ``inf``, so do these functions.
"""

from __future__ import annotations

from math import acos, asin, atan2, copysign, cos, inf, isnan, nan, pi, sin, sqrt

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float, float, float, float]

# Spacing of float32 at 1. PyBullet's own arithmetic cannot tell values closer than this apart, so
# ties it sees (a half turn, a rotation by 120 degrees) must be ties here too.
_FLOAT32_EPSILON = 2.0**-23
_GIMBAL = 0.99999  # |sin(pitch)| from which roll is taken as zero


def divide(numerator: float, denominator: float) -> float:
    """Return the quotient as IEEE 754 has it, where Python raises ZeroDivisionError."""
    if denominator != 0.0:
        return numerator / denominator
    if numerator == 0.0 or isnan(numerator):
        return nan
    return copysign(inf, numerator) * copysign(1.0, denominator)


def is_negated(x: float, y: float, z: float, w: float, squared_norm: float) -> bool:
    """Tell whether reading the quaternion back from its matrix returns its negative.

    Reading a rotation matrix back gives a positive w where the trace is positive, else a positive
    component that belongs to the largest diagonal element.
    """
    margin = _FLOAT32_EPSILON * squared_norm
    if w * w > 0.25 * squared_norm + margin:
        return w < 0.0
    xx, yy, zz = x * x, y * y, z * z
    if xx < yy - margin:
        return z < 0.0 if yy < zz - margin else y < 0.0
    return z < 0.0 if xx < zz - margin else x < 0.0


def half_angle(w: float) -> float:
    """Angle of a rotation whose quaternion has this w [rad]; beyond 1 it counts as 1."""
    return 2.0 * acos(1.0 if w > 1.0 else -1.0 if w < -1.0 else w)


def quaternion_from_euler(roll: float, pitch: float, yaw: float) -> Quaternion:
    """Rotations by roll, pitch, yaw [rad] about the fixed axes x, y, z; angles are finite."""
    roll *= 0.5
    pitch *= 0.5
    yaw *= 0.5
    sr, cr = sin(roll), cos(roll)
    sp, cp = sin(pitch), cos(pitch)
    sy, cy = sin(yaw), cos(yaw)
    cc, ss, cs, sc = cp * cy, sp * sy, cp * sy, sp * cy
    return (sr * cc - cr * ss, cr * sc + sr * cs, cr * cs - sr * sc, cr * cc + sr * ss)


def euler_from_quaternion(x: float, y: float, z: float, w: float) -> Vector:
    """Roll, pitch, yaw [rad] of a unit quaternion."""
    sin_pitch = -2.0 * (x * z - w * y)
    if sin_pitch <= -_GIMBAL:
        return (0.0, -0.5 * pi, 2.0 * atan2(x, -y))
    if sin_pitch >= _GIMBAL:
        return (0.0, 0.5 * pi, 2.0 * atan2(-x, y))
    xx, yy, zz, ww = x * x, y * y, z * z, w * w
    return (
        atan2(2.0 * (y * z + w * x), ww - xx - yy + zz),
        asin(sin_pitch),
        atan2(2.0 * (x * y + w * z), ww + xx - yy - zz),
    )


def matrix_from_quaternion(x: float, y: float, z: float, w: float) -> Matrix:
    """Rotation matrix of a quaternion of any length, row by row."""
    squared_norm = x * x + y * y + z * z + w * w
    s = 2.0 / squared_norm if squared_norm != 0.0 else nan
    xs, ys, zs = x * s, y * s, z * s
    wx, wy, wz = w * xs, w * ys, w * zs
    xx, xy, xz = x * xs, x * ys, x * zs
    yy, yz, zz = y * ys, y * zs, z * zs
    return (
        1.0 - (yy + zz),
        xy - wz,
        xz + wy,
        xy + wz,
        1.0 - (xx + zz),
        yz - wx,
        xz - wy,
        yz + wx,
        1.0 - (xx + yy),
    )


def product_of_transforms(
    px: float, py: float, pz: float,
    ax: float, ay: float, az: float, aw: float,
    vx: float, vy: float, vz: float,
    bx: float, by: float, bz: float, bw: float,
) -> tuple[Vector, Quaternion]:  # fmt: skip
    """The transform (p, a) after (v, b): position [m] and unit quaternion."""
    squared_norm = ax * ax + ay * ay + az * az + aw * aw
    s = 2.0 / squared_norm if squared_norm != 0.0 else nan
    tx, ty, tz = ay * vz - az * vy, az * vx - ax * vz, ax * vy - ay * vx
    position = (
        px + vx + s * (aw * tx + ay * tz - az * ty),
        py + vy + s * (aw * ty + az * tx - ax * tz),
        pz + vz + s * (aw * tz + ax * ty - ay * tx),
    )
    x = aw * bx + ax * bw + ay * bz - az * by
    y = aw * by + ay * bw + az * bx - ax * bz
    z = aw * bz + az * bw + ax * by - ay * bx
    w = aw * bw - ax * bx - ay * by - az * bz
    squared_norm = x * x + y * y + z * z + w * w
    k = 1.0 / sqrt(squared_norm) if squared_norm != 0.0 else nan
    if is_negated(x, y, z, w, squared_norm):
        k = -k
    # + 0.0 turns a negative zero into a zero
    return (position, (x * k + 0.0, y * k + 0.0, z * k + 0.0, w * k + 0.0))


def inverse_of_transform(
    vx: float, vy: float, vz: float, x: float, y: float, z: float, w: float
) -> tuple[Vector, Quaternion]:
    """The inverse transform: position [m] and unit quaternion."""
    squared_norm = x * x + y * y + z * z + w * w
    s = 2.0 / squared_norm if squared_norm != 0.0 else nan
    tx, ty, tz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
    inverse = (
        s * (w * tx - y * tz + z * ty) - vx,
        s * (w * ty - z * tx + x * tz) - vy,
        s * (w * tz - x * ty + y * tx) - vz,
    )
    k = 1.0 / sqrt(squared_norm) if squared_norm != 0.0 else nan
    if is_negated(-x, -y, -z, w, squared_norm):
        k = -k
    return (inverse, (0.0 - x * k, 0.0 - y * k, 0.0 - z * k, w * k + 0.0))


def rotated_vector(
    x: float, y: float, z: float, w: float, vx: float, vy: float, vz: float
) -> Vector:
    """``q v q*``: the rotated vector, times the squared length of the quaternion."""
    tx, ty, tz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
    squared_norm = x * x + y * y + z * z + w * w
    return (
        squared_norm * vx + 2.0 * (w * tx + y * tz - z * ty),
        squared_norm * vy + 2.0 * (w * ty + z * tx - x * tz),
        squared_norm * vz + 2.0 * (w * tz + x * ty - y * tx),
    )


def slerp(
    ax: float, ay: float, az: float, aw: float,
    bx: float, by: float, bz: float, bw: float,
    to_end: float,
) -> Quaternion:  # fmt: skip
    """Between two orientations along the shorter arc."""
    squared_norms = (ax * ax + ay * ay + az * az + aw * aw) * (
        bx * bx + by * by + bz * bz + bw * bw
    )
    cosine = divide(ax * bx + ay * by + az * bz + aw * bw, sqrt(squared_norms))
    if not -1.0 < cosine < 1.0:
        return (ax, ay, az, aw)
    if not -inf < to_end < inf:
        return (nan, nan, nan, nan)
    sign = -1.0 if cosine < 0.0 else 1.0
    theta = acos(sign * cosine)
    d = 1.0 / sin(theta)
    s0 = sin((1.0 - to_end) * theta) * d
    s1 = sin(sign * to_end * theta) * d
    return (ax * s0 + bx * s1, ay * s0 + by * s1, az * s0 + bz * s1, aw * s0 + bw * s1)


def quaternion_from_axis_angle(x: float, y: float, z: float, angle: float) -> Quaternion:
    """Of a rotation about an axis of any length; zero stands for x. Infinite angles [rad]: NaN."""
    half = 0.5 * angle
    s, c = sin(half), cos(half)
    squared_length = x * x + y * y + z * z
    if squared_length < _FLOAT32_EPSILON * _FLOAT32_EPSILON:
        zero = 0.0 * abs(s)  # NaN like the others
        return (s, zero, zero, c)
    s /= sqrt(squared_length)
    return (x * s, y * s, z * s, c)


def axis_angle_from_quaternion(x: float, y: float, z: float, w: float) -> tuple[Vector, float]:
    """Axis and angle [rad] in [0, 2 pi] of a unit quaternion."""
    angle = half_angle(w)
    squared_sine = 1.0 - w * w
    if squared_sine < 10.0 * _FLOAT32_EPSILON:
        return ((1.0, 0.0, 0.0), angle)
    s = 1.0 / sqrt(squared_sine)
    return ((x * s, y * s, z * s), angle)


def difference_quaternion(
    ax: float, ay: float, az: float, aw: float, bx: float, by: float, bz: float, bw: float
) -> Quaternion:
    """``b * conjugate(a)`` by the shorter way."""
    x = aw * bx - bw * ax - by * az + bz * ay
    y = aw * by - bw * ay - bz * ax + bx * az
    z = aw * bz - bw * az - bx * ay + by * ax
    w = aw * bw + ax * bx + ay * by + az * bz
    if w > _FLOAT32_EPSILON:
        return (x, y, z, w)
    return (0.0 - x, 0.0 - y, 0.0 - z, 0.0 - w)


def axis_difference(
    ax: float, ay: float, az: float, aw: float, bx: float, by: float, bz: float, bw: float
) -> Vector:
    """Angles [rad] about the moving x, y, z axes that turn a into b."""
    m00, m01, _, m10, m11, _, m20, m21, m22 = matrix_from_quaternion(
        aw * bx - ax * bw - ay * bz + az * by,
        aw * by - ay * bw - az * bx + ax * bz,
        aw * bz - az * bw - ax * by + ay * bx,
        aw * bw + ax * bx + ay * by + az * bz,
    )
    if m20 >= 1.0 - _FLOAT32_EPSILON:
        return (atan2(m01, m11), 0.5 * pi, 0.0)
    if m20 <= -1.0 + _FLOAT32_EPSILON:
        return (-atan2(m01, m11), -0.5 * pi, 0.0)
    return (atan2(-m21, m22), asin(m20), atan2(-m10, m00))


def angular_velocity(
    ax: float, ay: float, az: float, aw: float,
    bx: float, by: float, bz: float, bw: float,
    duration: float,
) -> Vector:  # fmt: skip
    """The constant angular velocity [rad/s] that turns a into b within a duration [s]."""
    if ax == bx and ay == by and az == bz and aw == bw:
        return (0.0, 0.0, 0.0)
    x, y, z, w = difference_quaternion(ax, ay, az, aw, bx, by, bz, bw)
    angle = half_angle(w)
    squared_length = x * x + y * y + z * z
    if squared_length < _FLOAT32_EPSILON * _FLOAT32_EPSILON:
        return (divide(angle, duration), 0.0, 0.0)
    if duration == 0.0:
        return (divide(x * angle, duration), divide(y * angle, duration), divide(z, duration))
    s = angle / (sqrt(squared_length) * duration)
    return (x * s, y * s, z * s)


def anything(*numbers: float) -> bool:
    """True: a formula for all numbers."""
    return True
