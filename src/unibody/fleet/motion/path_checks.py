"""What is asked of poses and paths before a robot takes them on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError
from unibody.fleet.convert import euler_from_quat
from unibody.fleet.motion import motion_kernels as kernels
from unibody.fleet.parameters.controller_params import UNITS, ControllerParams
from unibody.fleet.spatial.geometry import Pose
from unibody.fleet.spatial.heading_kernels import heading, length
from unibody.fleet.spatial.pose_checks import WANTED_POSE


def check_velocity(*values: float) -> None:
    """See that a velocity is one, linear and angular [m/s, rad/s].

    Raises:
        InvalidArgumentError: A number is not finite.
    """
    if not math.isfinite(sum(values)):
        raise InvalidArgumentError("velocity", values, "six finite numbers [m/s, rad/s]")


def rows_of_path(path: Sequence[Pose]) -> NDArray[np.float64]:
    """Waypoints as rows of numbers, (n, 7): position [m], quaternion (x, y, z, w).

    Raises:
        InvalidArgumentError: There are none, a number is not finite, or a quaternion is all zeros.
    """
    if not path:
        raise InvalidArgumentError("path", path, "at least one pose")
    rows = [[*point.position, *point.orientation] for point in path]
    for point, row in zip(path, rows, strict=True):
        if not (all(map(math.isfinite, row)) and any(row[3:])):
            raise InvalidArgumentError("waypoint", point, WANTED_POSE)
    return np.array(rows, dtype=np.float64)


def check_limits(
    params: ControllerParams,
    motion: Any,
    body: Any,
    rows: NDArray[np.float64],
    *,
    align: bool,
    wanted: int,
) -> None:
    """See that a path asks for nothing that a limit of zero forbids.

    Args:
        params: The limits.
        motion: The controller's record.
        body: The object's record.
        rows: The path, see `rows_of_path`.
        align: Whether it turns to the last orientation at the end.
        wanted: Which side goes first, as the kernels number it.

    Raises:
        InvalidArgumentError: A limit is zero along an axis that is needed.
    """
    if params.all_positive():
        return
    turns = motion["turn_vel"] > 0.0 and motion["turn_accel"] > 0.0
    axes = {"max_linear_vel": motion["vel"], "max_linear_accel": motion["accel"]}
    if turns and all(limits.min() > 0.0 for limits in axes.values()):
        return
    here, quat = body["pos"].copy(), body["quat"].copy()
    for row in rows:
        way = row[:3] - here
        if motion["flat"]:
            way[2] = 0.0
        here += way
        distance = length(way)
        ahead = np.array([1.0, 0.0, 0.0])
        if motion["kind"] == kernels.OMNI:
            target = quat
            ahead = np.array(kernels.rotated_back(quat, way))
        else:
            target = _target(wanted, quat, way, distance, row[3:])
        if distance > kernels.WAY_EPS:
            for name, limits in axes.items():
                if not (limits[ahead != 0.0] > 0.0).all():
                    _refuse(params, name, "along each axis of its own that it has to move along")
        _check_turn(params, motion, quat, target)
        quat = target
    if align:
        _check_turn(params, motion, quat, rows[-1, 3:])


def _target(
    wanted: int, quat: NDArray[Any], way: NDArray[Any], distance: float, goal: NDArray[Any]
) -> NDArray[Any]:
    """Where a differential base turns to before it drives."""
    if distance <= kernels.WAY_EPS:
        return goal
    back = wanted == kernels.BACKWARD
    if wanted == kernels.AUTO:
        turn = math.atan2(way[1], way[0]) - euler_from_quat(quat.tolist())[2]
        back = math.cos(turn) < 0.0
    target = np.empty(4)
    heading((-way if back else way) / distance, goal, target)
    return target


def _check_turn(params: ControllerParams, motion: Any, quat: Any, target: Any) -> None:
    cosine = abs(float(quat @ target)) / (length(quat) * length(target))
    if 2.0 * math.acos(min(1.0, cosine)) <= kernels.TURN_EPS:
        return
    for name, field in (("max_angular_vel", "turn_vel"), ("max_angular_accel", "turn_accel")):
        if not motion[field] > 0.0:
            _refuse(params, name, "about the axis of the turns it has to make")


def _refuse(params: ControllerParams, name: str, where: str) -> None:
    allowed = f"a positive limit [{UNITS[name]}] for the robot to follow this path, {where}"
    raise InvalidArgumentError(name, params.limit(name), allowed)
