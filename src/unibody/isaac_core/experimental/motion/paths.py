"""Path: points between which joints move as fast as they may, and stop at each."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert
from unibody.isaac_core.experimental import ops
from unibody.isaac_core.experimental.arguments import Array
from unibody.isaac_core.experimental.motion.states import JointState, RobotState
from unibody.isaac_core.experimental.motion.trajectories import Trajectory

F64 = npt.NDArray[np.float64]


class WaypointError(InvalidArgumentError, IndexError):
    """A path has no point of a number."""


class Path:
    """Points of a space of joints.

    Args:
        waypoints: (points, joints) [rad or m].

    Raises:
        InvalidArgumentError: They are no table.
    """

    def __init__(self, waypoints: Array) -> None:
        self._waypoints = ops.place(waypoints)
        self._points = self._waypoints.numpy()
        if self._points.ndim != 2:
            raise InvalidArgumentError("waypoints.shape", self._points.shape, "(points, joints)")

    def get_waypoints(self) -> wp.array[Any]:
        """(points, joints) all points."""
        return self._waypoints

    def get_waypoints_count(self) -> int:
        """How many points there are."""
        return len(self._points)

    def get_waypoint_by_index(self, index: int) -> npt.NDArray[np.floating]:
        """(joints,) a point by its number from 0.

        Raises:
            WaypointError: There is no such point.
        """
        if not 0 <= index < len(self._points):
            raise WaypointError("index", index, f"a number from 0 to {len(self._points) - 1}")
        return self._points[index]

    def to_minimal_time_joint_trajectory(
        self,
        max_velocities: Array,
        max_accelerations: Array,
        robot_joint_space: list[str],
        active_joints: list[str],
        waypoint_relative_difference_tolerance: float = 1e-6,
        waypoint_absolute_difference_tolerance: float = 1e-10,
    ) -> Trajectory:
        """The fastest way along straight lines between the points, at rest in each.

        Args:
            max_velocities: (joints,) [rad/s or m/s].
            max_accelerations: (joints,) [rad/s^2 or m/s^2].
            robot_joint_space: Names of all joints of the robot.
            active_joints: Names of those of the points.
            waypoint_relative_difference_tolerance: By which points have to differ.
            waypoint_absolute_difference_tolerance: The same, in their units.

        Raises:
            InvalidArgumentError: Limits are not positive or do not fit the points, there are
                fewer than two points, or one is the same as the next one.
        """
        count = self._points.shape[1]
        limits = {}
        for name, values in (("max_velocities", max_velocities),
                             ("max_accelerations", max_accelerations)):  # fmt: skip
            found = np.asarray(convert.plain(values), float)
            if found.shape != (count,) or not (found > 0.0).all():
                raise InvalidArgumentError(name, found.tolist(), f"{count} positive numbers")
            limits[name] = found
        if len(active_joints) != count:
            raise InvalidArgumentError("active_joints", active_joints, f"{count} names")
        tolerances = (
            waypoint_relative_difference_tolerance, waypoint_absolute_difference_tolerance
        )  # fmt: skip
        if not all(one > 0.0 for one in tolerances):
            raise InvalidArgumentError("waypoint_*_difference_tolerance", tolerances, "positive")
        if len(self._points) < 2:
            raise InvalidArgumentError("waypoints", len(self._points), "two points or more")
        for number, (one, two) in enumerate(zip(self._points[:-1], self._points[1:], strict=True)):
            if np.allclose(one, two, *tolerances):
                allowed = f"another point than the next one, {number + 1}"
                raise InvalidArgumentError(f"waypoints[{number}]", one.tolist(), allowed)
        return MinimalTimeJointTrajectory(
            self._points.astype(float), limits["max_velocities"], limits["max_accelerations"],
            robot_joint_space, active_joints,
        )  # fmt: skip


class MinimalTimeJointTrajectory(Trajectory):
    """Speeds up, goes on and slows down along each line; all joints end together.

    The part s of a line that is behind grows at a rate of at most V, which changes at a rate of
    at most A: the least of the joints' limits over their ways. It takes ``1/V + V/A``, or
    ``2/sqrt(A)`` where V is not reached.
    """

    def __init__(
        self,
        points: F64,
        max_velocities: F64,
        max_accelerations: F64,
        robot_joint_space: list[str],
        active_joints: list[str],
    ) -> None:
        self._points, self._space, self._joints = points, robot_joint_space, active_joints
        self._ways = np.diff(points, axis=0)
        lengths = np.abs(self._ways)
        with np.errstate(divide="ignore"):
            fastest = (max_velocities / lengths).min(axis=1)
            self._gains = (max_accelerations / lengths).min(axis=1)
        self._rates = np.minimum(fastest, np.sqrt(self._gains))
        self._rising = self._rates / self._gains
        self._times = 1.0 / self._rates + self._rising
        self._begins = np.concatenate([[0.0], np.cumsum(self._times)])

    @property
    def duration(self) -> float:
        """How long it is [s]."""
        return float(self._begins[-1])

    def get_active_joints(self) -> list[str]:
        """Names of the joints that move."""
        return self._joints

    def get_target_state(self, time: float) -> RobotState:
        """Positions and velocities at a time [s], of the ends before and after."""
        now = float(np.clip(time, 0.0, self.duration))
        last = len(self._times) - 1
        line = int(np.clip(np.searchsorted(self._begins, now) - 1, 0, last))
        part, rate = self._along(line, now - self._begins[line])
        places = self._points[line] + part * self._ways[line]
        found = [wp.array(one, dtype=wp.float64, device="cpu")
                 for one in (places, rate * self._ways[line])]  # fmt: skip
        positions, velocities = ((self._joints, one) for one in found)
        return RobotState(JointState.from_name(self._space, positions, velocities))

    def _along(self, line: int, passed: float) -> tuple[float, float]:
        """The part of a line that is behind, and its rate."""
        gain, rate = self._gains[line], self._rates[line]
        rising, whole = self._rising[line], self._times[line]
        left = whole - passed
        if passed < rising:
            return 0.5 * gain * passed**2, gain * passed
        if left < rising:
            return 1.0 - 0.5 * gain * left**2, gain * left
        return rate * (passed - 0.5 * rising), rate
