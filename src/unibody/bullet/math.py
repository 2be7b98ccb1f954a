"""PyBullet's quaternion and transform functions, as pure functions of their arguments.

Quaternions are ``(x, y, z, w)``, angles radians, lengths metres. Any sequence of numbers is
accepted; results are tuples of ``float``. ``physicsClientId`` exists because PyBullet takes it; it
has no influence there either, since nothing here depends on a simulation.

Results are float64 throughout. PyBullet computes all but the Euler and matrix conversions in
float32, so it agrees with these functions to about 1e-6. The thresholds at which it switches
formula, and the sign it picks for a quaternion, are kept. Where PyBullet divides by zero and
returns ``nan`` or ``inf``, so do these functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import acos, asin, atan2, copysign, cos, inf, isnan, nan, pi, sin, sqrt

from unibody.bullet.errors import error

__all__ = [
    "calculateVelocityQuaternion",
    "getAxisAngleFromQuaternion",
    "getAxisDifferenceQuaternion",
    "getDifferenceQuaternion",
    "getEulerFromQuaternion",
    "getMatrixFromQuaternion",
    "getQuaternionFromAxisAngle",
    "getQuaternionFromEuler",
    "getQuaternionSlerp",
    "invertTransform",
    "multiplyTransforms",
    "rotateVector",
]

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float, float, float, float]

_EULER = "Euler angles need a 3 coordinates [roll, pitch, yaw]."
_EULER_QUATERNION = "Quaternion need a 4 components [x,y,z,w]."
_MATRIX = "Couldn't convert quaternion [x,y,z,w]."
_MULTIPLY = (
    "Invalid input: expected positionA [x,y,z], orientationA [x,y,z,w], positionB, orientationB."
)
_INVERT = "Invalid input: expected position [x,y,z] and orientation [x,y,z,w]."
_TWO_QUATERNIONS = "Require start and end quaternion, each with 4 components [x,y,z,w]."
_ROTATE = "Require quaternion with 4 components [x,y,z,w] and a vector [x,y,z]."
_ONE_QUATERNION = "Require a quaternion with 4 components [x,y,z,w]."
_AXIS = "Require axis [x,y,z] and angle."

# Spacing of float32 at 1. PyBullet's own arithmetic cannot tell values closer than this apart, so
# ties it sees (a half turn, a rotation by 120 degrees) must be ties here too.
_FLOAT32_EPSILON = 2.0**-23
_GIMBAL = 0.99999  # |sin(pitch)| from which roll is taken as zero


def vector3(value: Iterable[float], message: str) -> Iterable[float]:
    """Check that ``value`` holds three numbers, and make them ``float`` where they are not.

    Args:
        value: A sequence of three numbers.
        message: Text of the error.

    Raises:
        error: ``value`` is no sequence of three.
        TypeError: An element is not a real number.
    """
    try:
        x, y, z = value
    except (TypeError, ValueError):
        raise error(message) from None
    if x.__class__ is y.__class__ is z.__class__ is float:
        return value
    return _floats(value, message)


def vector4(value: Iterable[float], message: str) -> Iterable[float]:
    """Check that ``value`` holds four numbers, as ``vector3`` does for three."""
    try:
        x, y, z, w = value
    except (TypeError, ValueError):
        raise error(message) from None
    if x.__class__ is y.__class__ is z.__class__ is w.__class__ is float:
        return value
    return _floats(value, message)


def _floats(value: Iterable[float], message: str) -> tuple[float, ...]:
    if not (hasattr(value, "__getitem__") and hasattr(value, "__len__")) or hasattr(value, "keys"):
        raise error(message)
    # copysign(x, x) is x as a float, and refuses what is not a number, which float() does not.
    return tuple(map(copysign, value, value))


def divide(numerator: float, denominator: float) -> float:
    """Return the quotient as IEEE 754 has it, where Python raises ZeroDivisionError."""
    if denominator:
        return numerator / denominator
    if numerator == 0.0 or isnan(numerator):
        return nan
    return copysign(inf, numerator) * copysign(1.0, denominator)


def _is_negated(x: float, y: float, z: float, w: float, squared_norm: float) -> bool:
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


def getQuaternionFromEuler(eulerAngles: Iterable[float], physicsClientId: int = 0) -> Quaternion:
    """Return the unit quaternion of rotations by roll, pitch, yaw about the fixed axes x, y, z.

    Args:
        eulerAngles: Roll, pitch and yaw [rad].
        physicsClientId: Without influence.

    Raises:
        error: ``eulerAngles`` is no sequence of three.
    """
    roll, pitch, yaw = vector3(eulerAngles, _EULER)
    roll *= 0.5
    pitch *= 0.5
    yaw *= 0.5
    try:
        sr, cr = sin(roll), cos(roll)
        sp, cp = sin(pitch), cos(pitch)
        sy, cy = sin(yaw), cos(yaw)
    except ValueError:  # an infinite angle
        return (nan, nan, nan, nan)
    cc, ss, cs, sc = cp * cy, sp * sy, cp * sy, sp * cy
    return (sr * cc - cr * ss, cr * sc + sr * cs, cr * cs - sr * sc, cr * cc + sr * ss)


def getEulerFromQuaternion(quaternion: Iterable[float], physicsClientId: int = 0) -> Vector:
    """Return roll, pitch, yaw [rad] of a unit quaternion; see ``getQuaternionFromEuler``.

    Within 0.26 degrees of a vertical pitch, where only a combination of roll and yaw is
    determined, pitch is exactly plus or minus pi/2, roll is zero and yaw lies in [-2 pi, 2 pi].

    Raises:
        error: ``quaternion`` is no sequence of four.
    """
    x, y, z, w = vector4(quaternion, _EULER_QUATERNION)
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


def getMatrixFromQuaternion(quaternion: Iterable[float], physicsClientId: int = 0) -> Matrix:
    """Return the rotation matrix of a quaternion of any length, row by row.

    Raises:
        error: ``quaternion`` is no sequence of four.
    """
    x, y, z, w = vector4(quaternion, _MATRIX)
    squared_norm = x * x + y * y + z * z + w * w
    s = 2.0 / squared_norm if squared_norm else nan
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


def multiplyTransforms(
    positionA: Iterable[float],
    orientationA: Iterable[float],
    positionB: Iterable[float],
    orientationB: Iterable[float],
    physicsClientId: int = 0,
) -> tuple[Vector, Quaternion]:
    """Return the transform A after B: position [m] and unit quaternion.

    Raises:
        error: A position is no sequence of three, or an orientation no sequence of four.
    """
    px, py, pz = vector3(positionA, _MULTIPLY)
    ax, ay, az, aw = vector4(orientationA, _MULTIPLY)
    vx, vy, vz = vector3(positionB, _MULTIPLY)
    bx, by, bz, bw = vector4(orientationB, _MULTIPLY)
    squared_norm = ax * ax + ay * ay + az * az + aw * aw
    s = 2.0 / squared_norm if squared_norm else nan
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
    k = 1.0 / sqrt(squared_norm) if squared_norm else nan
    if _is_negated(x, y, z, w, squared_norm):
        k = -k
    # + 0.0 turns a negative zero into a zero
    return (position, (x * k + 0.0, y * k + 0.0, z * k + 0.0, w * k + 0.0))


def invertTransform(
    position: Iterable[float], orientation: Iterable[float], physicsClientId: int = 0
) -> tuple[Vector, Quaternion]:
    """Return the inverse transform: position [m] and unit quaternion.

    Raises:
        error: ``position`` is no sequence of three, or ``orientation`` no sequence of four.
    """
    vx, vy, vz = vector3(position, _INVERT)
    x, y, z, w = vector4(orientation, _INVERT)
    squared_norm = x * x + y * y + z * z + w * w
    s = 2.0 / squared_norm if squared_norm else nan
    tx, ty, tz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
    inverse = (
        s * (w * tx - y * tz + z * ty) - vx,
        s * (w * ty - z * tx + x * tz) - vy,
        s * (w * tz - x * ty + y * tx) - vz,
    )
    k = 1.0 / sqrt(squared_norm) if squared_norm else nan
    if _is_negated(-x, -y, -z, w, squared_norm):
        k = -k
    return (inverse, (0.0 - x * k, 0.0 - y * k, 0.0 - z * k, w * k + 0.0))


def rotateVector(
    quaternion: Iterable[float], vector: Iterable[float], physicsClientId: int = 0
) -> Vector:
    """Return ``q v q*``: the rotated vector, times the squared length of the quaternion.

    Raises:
        error: ``quaternion`` is no sequence of four, or ``vector`` no sequence of three.
    """
    x, y, z, w = vector4(quaternion, _ROTATE)
    vx, vy, vz = vector3(vector, _ROTATE)
    tx, ty, tz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
    squared_norm = x * x + y * y + z * z + w * w
    return (
        squared_norm * vx + 2.0 * (w * tx + y * tz - z * ty),
        squared_norm * vy + 2.0 * (w * ty + z * tx - x * tz),
        squared_norm * vz + 2.0 * (w * tz + x * ty - y * tx),
    )


def getQuaternionSlerp(
    quaternionStart: Iterable[float],
    quaternionEnd: Iterable[float],
    interpolationFraction: float,
    physicsClientId: int = 0,
) -> Quaternion:
    """Interpolate between two orientations along the shorter arc.

    Args:
        quaternionStart: Result at fraction 0.
        quaternionEnd: Result at fraction 1, up to its sign.
        interpolationFraction: From 0 to 1; other values extrapolate.
        physicsClientId: Without influence.

    Raises:
        error: A quaternion is no sequence of four.
    """
    ax, ay, az, aw = vector4(quaternionStart, _TWO_QUATERNIONS)
    bx, by, bz, bw = vector4(quaternionEnd, _TWO_QUATERNIONS)
    squared_norms = (ax * ax + ay * ay + az * az + aw * aw) * (
        bx * bx + by * by + bz * bz + bw * bw
    )
    cosine = divide(ax * bx + ay * by + az * bz + aw * bw, sqrt(squared_norms))
    to_end = 1.0 * interpolationFraction
    if not -1.0 < cosine < 1.0:
        return (ax, ay, az, aw)
    sign = -1.0 if cosine < 0.0 else 1.0
    theta = acos(sign * cosine)
    d = 1.0 / sin(theta)
    s0 = sin((1.0 - to_end) * theta) * d
    s1 = sin(sign * to_end * theta) * d
    return (ax * s0 + bx * s1, ay * s0 + by * s1, az * s0 + bz * s1, aw * s0 + bw * s1)


def getQuaternionFromAxisAngle(
    axis: Iterable[float], angle: float, physicsClientId: int = 0
) -> Quaternion:
    """Return the unit quaternion of a rotation about an axis of any length.

    A zero axis stands for the x axis.

    Args:
        axis: Direction of the rotation axis.
        angle: Angle [rad].
        physicsClientId: Without influence.

    Raises:
        error: ``axis`` is no sequence of three.
    """
    x, y, z = vector3(axis, _AXIS)
    half = 0.5 * angle
    try:
        s, c = sin(half), cos(half)
    except ValueError:  # an infinite angle
        return (nan, nan, nan, nan)
    squared_length = x * x + y * y + z * z
    if squared_length < _FLOAT32_EPSILON * _FLOAT32_EPSILON:
        return (s, 0.0, 0.0, c)
    s /= sqrt(squared_length)
    return (x * s, y * s, z * s, c)


def getAxisAngleFromQuaternion(
    quaternion: Iterable[float], physicsClientId: int = 0
) -> tuple[Vector, float]:
    """Return the rotation axis and the angle [rad] in [0, 2 pi] of a unit quaternion.

    Below 2.2 milliradians (or so close to a full turn) the axis is (1, 0, 0).

    Raises:
        error: ``quaternion`` is no sequence of four.
    """
    x, y, z, w = vector4(quaternion, _ONE_QUATERNION)
    angle = _angle(w)
    squared_sine = 1.0 - w * w
    if squared_sine < 10.0 * _FLOAT32_EPSILON:
        return ((1.0, 0.0, 0.0), angle)
    s = 1.0 / sqrt(squared_sine)
    return ((x * s, y * s, z * s), angle)


def _angle(w: float) -> float:
    return 2.0 * acos(1.0 if w > 1.0 else -1.0 if w < -1.0 else w)


def getDifferenceQuaternion(
    quaternionStart: Iterable[float], quaternionEnd: Iterable[float], physicsClientId: int = 0
) -> Quaternion:
    """Return the rotation ``end * conjugate(start)`` by the shorter way, in world coordinates.

    Raises:
        error: A quaternion is no sequence of four.
    """
    ax, ay, az, aw = vector4(quaternionStart, _TWO_QUATERNIONS)
    bx, by, bz, bw = vector4(quaternionEnd, _TWO_QUATERNIONS)
    x = aw * bx - bw * ax - by * az + bz * ay
    y = aw * by - bw * ay - bz * ax + bx * az
    z = aw * bz - bw * az - bx * ay + by * ax
    w = aw * bw + ax * bx + ay * by + az * bz
    if w > _FLOAT32_EPSILON:
        return (x, y, z, w)
    return (0.0 - x, 0.0 - y, 0.0 - z, 0.0 - w)


def getAxisDifferenceQuaternion(
    quaternionStart: Iterable[float], quaternionEnd: Iterable[float], physicsClientId: int = 0
) -> Vector:
    """Return the angles [rad] about x, y, z that turn start into end, in coordinates of start.

    The angles belong to successive rotations about the moving axes x, y and z. Where the second is
    vertical, the third is zero.

    Raises:
        error: A quaternion is no sequence of four.
    """
    ax, ay, az, aw = vector4(quaternionStart, _TWO_QUATERNIONS)
    bx, by, bz, bw = vector4(quaternionEnd, _TWO_QUATERNIONS)
    relative = (
        aw * bx - ax * bw - ay * bz + az * by,
        aw * by - ay * bw - az * bx + ax * bz,
        aw * bz - az * bw - ax * by + ay * bx,
        aw * bw + ax * bx + ay * by + az * bz,
    )
    m00, m01, _, m10, m11, _, m20, m21, m22 = getMatrixFromQuaternion(relative)
    if m20 >= 1.0 - _FLOAT32_EPSILON:
        return (atan2(m01, m11), 0.5 * pi, 0.0)
    if m20 <= -1.0 + _FLOAT32_EPSILON:
        return (-atan2(m01, m11), -0.5 * pi, 0.0)
    return (atan2(-m21, m22), asin(m20), atan2(-m10, m00))


def calculateVelocityQuaternion(
    quaternionStart: Iterable[float],
    quaternionEnd: Iterable[float],
    deltaTime: float,
    physicsClientId: int = 0,
) -> Vector:
    """Return the constant angular velocity [rad/s], world frame, from start to end.

    Args:
        quaternionStart: Unit quaternion at the start.
        quaternionEnd: Unit quaternion at the end.
        deltaTime: Duration [s].
        physicsClientId: Without influence.

    Raises:
        error: A quaternion is no sequence of four.
    """
    start = vector4(quaternionStart, _TWO_QUATERNIONS)
    end = vector4(quaternionEnd, _TWO_QUATERNIONS)
    duration = 1.0 * deltaTime
    if tuple(start) == tuple(end):
        return (0.0, 0.0, 0.0)
    x, y, z, w = getDifferenceQuaternion(start, end)
    angle = _angle(w)
    squared_length = x * x + y * y + z * z
    if squared_length < _FLOAT32_EPSILON * _FLOAT32_EPSILON:
        return (divide(angle, duration), 0.0, 0.0)
    if duration == 0.0:
        return (divide(x * angle, duration), divide(y * angle, duration), divide(z, duration))
    s = angle / (sqrt(squared_length) * duration)
    return (x * s, y * s, z * s)
