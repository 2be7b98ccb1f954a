"""PyBullet's view and projection matrices: 16 numbers, column by column, as OpenGL has them.

PyBullet takes and returns float32 values. Results here are rounded to float32 as well, so that a
script that prints or compares them sees the same digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, isfinite, nan, radians, sqrt, tan
from operator import index
from struct import Struct
from struct import error as PackingError  # noqa: N812 - an exception, not a function

from unibody.bullet.errors import error
from unibody.bullet.math import Vector, divide, getQuaternionFromEuler, rotateVector, vector3

__all__ = [
    "computeProjectionMatrix",
    "computeProjectionMatrixFOV",
    "computeViewMatrix",
    "computeViewMatrixFromYawPitchRoll",
]

Matrix4 = tuple[
    float, float, float, float, float, float, float, float,
    float, float, float, float, float, float, float, float,
]  # fmt: skip

_VIEW = "Error in computeViewMatrix."
_TARGET = "Cannot convert cameraTargetPosition."
_PACKINGS = tuple(Struct(f"{count}f") for count in range(17))
_FLOAT32_OVERFLOW = 3.4028235677973366e38  # from here on, rounding to float32 gives infinity
_FLOAT32_PI = 3.1415927410125732
_Y_UP, _Z_UP = 1, 2


def _float32(*values: float) -> tuple[float, ...]:
    """Round every value to the nearest float32.

    Raises:
        TypeError: A value is not a real number.
    """
    packing = _PACKINGS[len(values)]
    try:
        return packing.unpack(packing.pack(*values))
    except OverflowError:
        return tuple(
            inf if v >= _FLOAT32_OVERFLOW else -inf if v <= -_FLOAT32_OVERFLOW else v
            for v in values
        )
    except PackingError:
        strange = next(v for v in values if not hasattr(v, "__float__"))
        raise TypeError(f"must be real number, not {type(strange).__name__}") from None


def _unit(x: float, y: float, z: float) -> Vector:
    length = sqrt(x * x + y * y + z * z)
    k = 1.0 / length if length else nan
    return (x * k, y * k, z * k)


def _cross(a: Vector, b: Vector) -> Vector:
    ax, ay, az = a
    bx, by, bz = b
    return (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)


def _view(eye: Vector, forward: Vector, up: Vector) -> Matrix4:
    """Build the matrix that takes world coordinates to the camera's (x right, y up, z back)."""
    x, y, z = eye
    fx, fy, fz = forward = _unit(*forward)
    sx, sy, sz = side = _unit(*_cross(forward, _unit(*up)))
    ux, uy, uz = _cross(side, forward)
    return _float32(  # type: ignore[return-value] - sixteen in, sixteen out
        *(sx, ux, -fx, 0.0),
        *(sy, uy, -fy, 0.0),
        *(sz, uz, -fz, 0.0),
        *(-(sx * x + sy * y + sz * z), -(ux * x + uy * y + uz * z), fx * x + fy * y + fz * z, 1.0),
    )


def computeViewMatrix(
    cameraEyePosition: Iterable[float],
    cameraTargetPosition: Iterable[float],
    cameraUpVector: Iterable[float],
    physicsClientId: int = 0,
) -> Matrix4:
    """Return the view matrix of a camera at one point that looks at another.

    Args:
        cameraEyePosition: Where the camera is [m], world frame.
        cameraTargetPosition: Where it looks [m], world frame.
        cameraUpVector: Direction that is up in the image, of any length, world frame.
        physicsClientId: Without influence.

    Raises:
        error: An argument is no sequence of three.
    """
    x, y, z = _float32(*vector3(cameraEyePosition, _VIEW))
    tx, ty, tz = _float32(*vector3(cameraTargetPosition, _VIEW))
    ux, uy, uz = _float32(*vector3(cameraUpVector, _VIEW))
    return _view((x, y, z), (tx - x, ty - y, tz - z), (ux, uy, uz))


def computeViewMatrixFromYawPitchRoll(
    cameraTargetPosition: Iterable[float],
    distance: float,
    yaw: float,
    pitch: float,
    roll: float,
    upAxisIndex: int,
    physicsClientId: int = 0,
) -> Matrix4:
    """Return the view matrix of a camera that circles around a point.

    Args:
        cameraTargetPosition: Point the camera looks at [m], world frame.
        distance: From the camera to that point [m].
        yaw: Turn of the camera about the up axis [degrees].
        pitch: Tilt of the camera [degrees]; negative looks down.
        roll: Turn about the direction of view [degrees].
        upAxisIndex: 1 for y, 2 for z.
        physicsClientId: Without influence.

    Raises:
        error: ``cameraTargetPosition`` is no sequence of three, or ``upAxisIndex`` neither 1 nor 2.
    """
    distance, yaw, pitch, roll = _float32(distance, yaw, pitch, roll)
    up_axis = index(upAxisIndex)
    tx, ty, tz = _float32(*vector3(cameraTargetPosition, _TARGET))
    if up_axis == _Z_UP:
        quat = getQuaternionFromEuler((radians(pitch), radians(roll), radians(yaw)))
        forward, up = rotateVector(quat, (0.0, distance, 0.0)), rotateVector(quat, (0.0, 0.0, 1.0))
    elif up_axis == _Y_UP:
        quat = getQuaternionFromEuler((radians(-pitch), radians(yaw), radians(roll)))
        forward, up = rotateVector(quat, (0.0, 0.0, distance)), rotateVector(quat, (0.0, 1.0, 0.0))
    else:
        # PyBullet leaves its result uninitialised here.
        raise error(f"upAxisIndex={upAxisIndex!r} is not allowed: expected 1 (y) or 2 (z)")
    fx, fy, fz = forward
    return _view((tx - fx, ty - fy, tz - fz), forward, up)


def computeProjectionMatrix(
    left: float,
    right: float,
    bottom: float,
    top: float,
    nearVal: float,
    farVal: float,
    physicsClientId: int = 0,
) -> Matrix4:
    """Return the perspective projection of a frustum, given its edges on the near plane [m]."""
    left, right, bottom, top, near, far = _float32(left, right, bottom, top, nearVal, farVal)
    width, height, depth, across, up, along, twice = _float32(
        right - left, top - bottom, far - near, right + left, top + bottom, far + near, 2.0 * far
    )
    (product,) = _float32(twice * near)
    return _float32(  # type: ignore[return-value] - sixteen in, sixteen out
        *(divide(2.0 * near, width), 0.0, 0.0, 0.0),
        *(0.0, divide(2.0 * near, height), 0.0, 0.0),
        *(divide(across, width), divide(up, height), divide(-along, depth), -1.0),
        *(0.0, 0.0, divide(-product, depth), 0.0),
    )


def computeProjectionMatrixFOV(
    fov: float, aspect: float, nearVal: float, farVal: float, physicsClientId: int = 0
) -> Matrix4:
    """Return the perspective projection of a camera with a given field of view.

    Args:
        fov: Vertical field of view [degrees].
        aspect: Width of the image over its height.
        nearVal: Distance of the near plane [m].
        farVal: Distance of the far plane [m].
        physicsClientId: Without influence.
    """
    fov, aspect, near, far = _float32(fov, aspect, nearVal, farVal)
    slope = tan(_FLOAT32_PI / 180.0 * fov / 2.0) if isfinite(fov) else nan
    y_scale, along, depth, twice = _float32(divide(1.0, slope), near + far, near - far, 2.0 * far)
    (product,) = _float32(twice * near)
    return _float32(  # type: ignore[return-value] - sixteen in, sixteen out
        *(divide(y_scale, aspect), 0.0, 0.0, 0.0),
        *(0.0, y_scale, 0.0, 0.0),
        *(0.0, 0.0, divide(along, depth), -1.0),
        *(0.0, 0.0, divide(product, depth), 0.0),
    )
