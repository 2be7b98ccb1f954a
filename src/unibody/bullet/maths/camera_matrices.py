"""PyBullet's view and projection matrices: 16 numbers, column by column, as OpenGL has them.

PyBullet takes and returns float32 values. Results here are rounded to float32 as well, so that a
script that prints or compares them sees the same digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import copysign, nan
from operator import index

from unibody.bullet.errors import error
from unibody.bullet.maths import projections
from unibody.bullet.maths.projections import Matrix4
from unibody.bullet.maths.transforms import vector3

__all__ = [
    "computeProjectionMatrix",
    "computeProjectionMatrixFOV",
    "computeViewMatrix",
    "computeViewMatrixFromYawPitchRoll",
]

_VIEW = "Error in computeViewMatrix."
_TARGET = "Cannot convert cameraTargetPosition."


def _numbers(*values: float) -> Iterable[float]:
    """Every value as a float.

    Raises:
        TypeError: A value is not a real number.
    """
    return map(copysign, values, values)


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
    x, y, z = vector3(cameraEyePosition, _VIEW)
    tx, ty, tz = vector3(cameraTargetPosition, _VIEW)
    ux, uy, uz = vector3(cameraUpVector, _VIEW)
    return projections.view_from_points(x, y, z, tx, ty, tz, ux, uy, uz)


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
    distance, yaw, pitch, roll = _numbers(distance, yaw, pitch, roll)
    up_axis = index(upAxisIndex)
    x, y, z = vector3(cameraTargetPosition, _TARGET)
    if up_axis not in (projections.Y_UP, projections.Z_UP):
        # PyBullet leaves its result uninitialised here.
        raise error(f"upAxisIndex={upAxisIndex!r} is not allowed: expected 1 (y) or 2 (z)")
    try:
        return projections.view_around_point(x, y, z, distance, yaw, pitch, roll, up_axis)
    except ValueError:  # an infinite angle
        return projections.view_around_point(x, y, z, distance, nan, nan, nan, up_axis)


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
    return projections.frustum(*_numbers(left, right, bottom, top, nearVal, farVal))


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
    return projections.field_of_view(*_numbers(fov, aspect, nearVal, farVal))
