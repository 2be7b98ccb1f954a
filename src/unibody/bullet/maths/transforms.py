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
from math import copysign, nan

from unibody.bullet.errors import error
from unibody.bullet.maths import rotations
from unibody.bullet.maths.rotations import Matrix, Quaternion, Vector

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
    try:
        # copysign(x, x) is x as a float, and refuses what is not a number, which float() does not.
        return tuple(map(copysign, value, value))
    except TypeError as problem:
        raise TypeError(f"{message} {problem}") from None


def getQuaternionFromEuler(eulerAngles: Iterable[float], physicsClientId: int = 0) -> Quaternion:
    """Return the unit quaternion of rotations by roll, pitch, yaw about the fixed axes x, y, z.

    Args:
        eulerAngles: Roll, pitch and yaw [rad].
        physicsClientId: Without influence.

    Raises:
        error: ``eulerAngles`` is no sequence of three.
    """
    roll, pitch, yaw = vector3(eulerAngles, _EULER)
    try:
        return rotations.quaternion_from_euler(roll, pitch, yaw)
    except ValueError:  # an infinite angle
        return (nan, nan, nan, nan)


def getEulerFromQuaternion(quaternion: Iterable[float], physicsClientId: int = 0) -> Vector:
    """Return roll, pitch, yaw [rad] of a unit quaternion; see ``getQuaternionFromEuler``.

    Within 0.26 degrees of a vertical pitch, where only a combination of roll and yaw is
    determined, pitch is exactly plus or minus pi/2, roll is zero and yaw lies in [-2 pi, 2 pi].

    Raises:
        error: ``quaternion`` is no sequence of four.
    """
    x, y, z, w = vector4(quaternion, _EULER_QUATERNION)
    return rotations.euler_from_quaternion(x, y, z, w)


def getMatrixFromQuaternion(quaternion: Iterable[float], physicsClientId: int = 0) -> Matrix:
    """Return the rotation matrix of a quaternion of any length, row by row.

    Raises:
        error: ``quaternion`` is no sequence of four.
    """
    x, y, z, w = vector4(quaternion, _MATRIX)
    return rotations.matrix_from_quaternion(x, y, z, w)


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
    return rotations.product_of_transforms(
        px, py, pz, ax, ay, az, aw, vx, vy, vz, bx, by, bz, bw
    )  # fmt: skip


def invertTransform(
    position: Iterable[float], orientation: Iterable[float], physicsClientId: int = 0
) -> tuple[Vector, Quaternion]:
    """Return the inverse transform: position [m] and unit quaternion.

    Raises:
        error: ``position`` is no sequence of three, or ``orientation`` no sequence of four.
    """
    vx, vy, vz = vector3(position, _INVERT)
    x, y, z, w = vector4(orientation, _INVERT)
    return rotations.inverse_of_transform(vx, vy, vz, x, y, z, w)


def rotateVector(
    quaternion: Iterable[float], vector: Iterable[float], physicsClientId: int = 0
) -> Vector:
    """Return ``q v q*``: the rotated vector, times the squared length of the quaternion.

    Raises:
        error: ``quaternion`` is no sequence of four, or ``vector`` no sequence of three.
    """
    x, y, z, w = vector4(quaternion, _ROTATE)
    vx, vy, vz = vector3(vector, _ROTATE)
    return rotations.rotated_vector(x, y, z, w, vx, vy, vz)


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
    return rotations.slerp(
        ax, ay, az, aw, bx, by, bz, bw, copysign(interpolationFraction, interpolationFraction)
    )


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
    try:
        return rotations.quaternion_from_axis_angle(x, y, z, copysign(angle, angle))
    except ValueError:  # an infinite angle
        return (nan, nan, nan, nan)


def getAxisAngleFromQuaternion(
    quaternion: Iterable[float], physicsClientId: int = 0
) -> tuple[Vector, float]:
    """Return the rotation axis and the angle [rad] in [0, 2 pi] of a unit quaternion.

    Below 2.2 milliradians (or so close to a full turn) the axis is (1, 0, 0).

    Raises:
        error: ``quaternion`` is no sequence of four.
    """
    x, y, z, w = vector4(quaternion, _ONE_QUATERNION)
    return rotations.axis_angle_from_quaternion(x, y, z, w)


def getDifferenceQuaternion(
    quaternionStart: Iterable[float], quaternionEnd: Iterable[float], physicsClientId: int = 0
) -> Quaternion:
    """Return the rotation ``end * conjugate(start)`` by the shorter way, in world coordinates.

    Raises:
        error: A quaternion is no sequence of four.
    """
    ax, ay, az, aw = vector4(quaternionStart, _TWO_QUATERNIONS)
    bx, by, bz, bw = vector4(quaternionEnd, _TWO_QUATERNIONS)
    return rotations.difference_quaternion(ax, ay, az, aw, bx, by, bz, bw)


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
    return rotations.axis_difference(ax, ay, az, aw, bx, by, bz, bw)


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
    ax, ay, az, aw = vector4(quaternionStart, _TWO_QUATERNIONS)
    bx, by, bz, bw = vector4(quaternionEnd, _TWO_QUATERNIONS)
    return rotations.angular_velocity(
        ax, ay, az, aw, bx, by, bz, bw, copysign(deltaTime, deltaTime)
    )
