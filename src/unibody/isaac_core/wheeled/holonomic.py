"""HolonomicWheels: speeds of wheels that roll sideways, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.rotations import rotations
from unibody.errors import InvalidArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

F64 = npt.NDArray[np.float64]
NO_LIMIT = 1.0e20
"""Greatest speed where none is given."""
AHEAD = (1.0, 0.0, 0.0)
UP = (0.0, 0.0, 1.0)
_SINGULAR = 1e12


class HolonomicWheels:
    """Wheels of a robot that goes in any direction and turns meanwhile.

    Wheel i pushes along d_i, its axis turned about ``up_axis`` by its angle. As in the original
    the pushes of all wheels together are the command: with r_i and p_i, the sums of
    ``r_i w_i d_i`` and ``r_i w_i d_i x p_i`` are the velocity and the turning that were asked for.
    Of several such speeds w those are taken that have the least sum of ``r_i w_i^2``. A robot on
    three wheels so moves at two thirds of the velocity.

    Args:
        wheel_radius: One a wheel, or one for all [m].
        wheel_positions: From the middle of the robot, (wheels, 3) [m].
        wheel_orientations: Frames of the joints there, w x y z, (wheels, 4).
        mecanum_angles: Between a wheel's axis and its push, one a wheel, or one for all [degrees].
        wheel_axis: In the frames of the joints.
        up_axis: That the robot turns about.
        limits: The greatest speed [m/s] and turning [rad/s] of a command, and of a wheel [rad/s]:
            all wheels are slowed down until none is faster.
        gains: That speed and turning of commands are multiplied by.

    Raises:
        InvalidArgumentError: What describes the wheels is missing, does not fit together, or they
            do not push in all directions.
    """

    def __init__(
        self,
        wheel_radius: Any,
        wheel_positions: Any,
        wheel_orientations: Any,
        mecanum_angles: Any,
        wheel_axis: Sequence[float] | F64,
        up_axis: Sequence[float] | F64,
        limits: tuple[float, float, float],
        gains: tuple[float, float],
    ) -> None:
        self.wheel_positions: F64 = _rows("wheel_positions", wheel_positions, (3,))
        self.num_wheels: int = len(self.wheel_positions)
        self.wheel_orientations: F64 = _rows("wheel_orientations", wheel_orientations, (4,))
        self.wheel_radius: F64 = self._each("wheel_radius", wheel_radius)
        self.mecanum_angles: F64 = self._each("mecanum_angles", mecanum_angles)
        if len(self.wheel_orientations) != self.num_wheels:
            count = len(self.wheel_orientations)
            raise InvalidArgumentError("wheel_orientations", count, f"{self.num_wheels} rows")
        if not (self.wheel_radius > 0.0).all():
            raise InvalidArgumentError("wheel_radius", wheel_radius, "positive lengths in metres")
        kinds = ("max_linear_speed", "max_angular_speed", "max_wheel_speed")
        for key, value in zip(kinds, limits, strict=True):
            if not value >= 0.0:
                raise InvalidArgumentError(key, value, "a speed of zero or more")
        self.wheel_axis: NDArray[Any] = np.asarray(wheel_axis, float)
        self.up_axis: NDArray[Any] = np.asarray(up_axis, float)
        self.max_linear_speed: float
        self.max_angular_speed: float
        self.max_wheel_speed: float
        self.max_linear_speed, self.max_angular_speed, self.max_wheel_speed = limits
        self.linear_gain: float
        self.angular_gain: float
        self.linear_gain, self.angular_gain = gains
        self._build_base()

    def _each(self, name: str, value: Any) -> F64:
        found = _rows(name, value, ())
        if len(found) not in {1, self.num_wheels}:
            allowed = f"one number, or {self.num_wheels}"
            raise InvalidArgumentError(name, value, allowed)
        return np.broadcast_to(found, self.num_wheels).copy()

    def _build_base(self) -> None:
        """Work out what each wheel does.

        Raises:
            InvalidArgumentError: The wheels do not push in all directions.
        """
        axes = rotations(self.wheel_orientations) @ self.wheel_axis
        half = np.radians(self.mecanum_angles)[:, None] / 2.0
        up = self.up_axis / np.linalg.norm(self.up_axis)
        turns = rotations(np.concatenate([np.cos(half), np.sin(half) * up], axis=1))
        pushes = np.einsum("wij,wj->wi", turns, axes)
        pushes *= (self.wheel_radius / np.linalg.norm(pushes, axis=1))[:, None]
        turning = pushes[:, 0] * self.wheel_positions[:, 1]
        turning -= pushes[:, 1] * self.wheel_positions[:, 0]
        self.base_dir: NDArray[np.float64] = np.zeros((3, self.num_wheels))
        self.base_dir[:2] = pushes[:, :2].T
        effects = np.stack([pushes[:, 0], pushes[:, 1], turning])
        shared = (effects / self.wheel_radius) @ effects.T
        if not np.linalg.cond(shared) < _SINGULAR:
            allowed = "wheels that push in all directions and turn the robot"
            raise InvalidArgumentError("wheel_positions", self.wheel_positions.tolist(), allowed)
        self._effect = (effects / self.wheel_radius).T @ np.linalg.inv(shared)

    def _speeds(self, command: Any) -> F64:
        """(wheels,) speeds of all wheels [rad/s].

        Args:
            command: Speed forwards and to the left [m/s], and turning [rad/s].

        Raises:
            InvalidArgumentError: They are not three numbers.
        """
        given = np.asarray(command, float)
        if given.shape != (3,) or not np.isfinite(given).all():
            raise InvalidArgumentError("command", command, "speed forwards, to the left, turning")
        wanted = given * (self.linear_gain, self.linear_gain, self.angular_gain)
        speed = float(np.hypot(*wanted[:2]))
        if speed > self.max_linear_speed:
            wanted[:2] *= self.max_linear_speed / speed
        wanted[2] = np.clip(wanted[2], -self.max_angular_speed, self.max_angular_speed)
        wheels = self._effect @ wanted
        fastest = float(np.abs(wheels).max())
        if fastest > self.max_wheel_speed:
            wheels *= self.max_wheel_speed / fastest
        return wheels


def _rows(name: str, value: Any, shape: tuple[int, ...]) -> F64:
    """What describes each wheel, (wheels, *shape)."""
    if value is None:
        raise InvalidArgumentError(name, None, "what the wheels are like")
    found = np.asarray(value, float)
    if not shape:
        found = found.reshape(-1)
    if found.ndim != 1 + len(shape) or found.shape[1:] != shape or not len(found):
        raise InvalidArgumentError(f"{name}.shape", found.shape, f"(wheels, {shape})")
    return found
