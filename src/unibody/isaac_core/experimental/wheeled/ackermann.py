"""AckermannController: angles and speeds of the wheels of a car, whose wheels share one centre."""

from __future__ import annotations

from typing import Any

import numpy as np

Angles = tuple[float, float]
Speeds = tuple[float, float, float, float]

_STRAIGHT = 0.0157
"""Steering below which the car goes straight ahead [rad], as in the original."""
_SAME_SPEED, _SAME_ANGLE = 1e-4, 1.74533e-3
"""Differences below which speed [m/s] and steering [rad] are held, as in the original."""


class AckermannController:
    """Angles of the two wheels that steer and speeds of all four, by the model of a bicycle.

    All wheels roll about one point: that on the axle without steering which the middle of the
    other axle, turned by the steering, points at. Its distance is ``wheel_base / tan(steering)``.

    Args:
        wheel_base: Distance of the axles [m].
        track_width: Distance of the wheels of an axle [m].
        front_wheel_radius: [m]; 0: that of the back wheels.
        back_wheel_radius: [m]; 0: that of the front wheels.
        max_wheel_velocity: Of all wheels [rad/s]; 0: none.
        invert_steering: Whether the back wheels steer.
        max_wheel_rotation_angle: Of the wheels that steer [rad]; 0: none.
        max_acceleration: [m/s^2]; 0: none.
        max_steering_angle_velocity: [rad/s]; 0: none.
    """

    def __init__(
        self,
        *,
        wheel_base: float,
        track_width: float,
        front_wheel_radius: float = 0.0,
        back_wheel_radius: float = 0.0,
        max_wheel_velocity: float = 0.0,
        invert_steering: bool = False,
        max_wheel_rotation_angle: float = 6.28,
        max_acceleration: float = 0.0,
        max_steering_angle_velocity: float = 0.0,
    ) -> None:
        self.wheel_base: float = abs(wheel_base)
        self.track_width: float = abs(track_width)
        self.front_wheel_radius: float = abs(front_wheel_radius)
        self.back_wheel_radius: float = abs(back_wheel_radius)
        self.max_wheel_velocity: float = abs(max_wheel_velocity)
        self.invert_steering: bool = invert_steering
        self.max_wheel_rotation_angle: float = abs(max_wheel_rotation_angle)
        self.max_acceleration: float = abs(max_acceleration)
        self.max_steering_angle_velocity: float = abs(max_steering_angle_velocity)
        self.prev_linear_velocity: float = 0.0
        self.prev_steering_angle: float = 0.0

    def forward(self, command: Any) -> tuple[Angles | None, Speeds | None]:
        """Angles of the left and the right wheel that steer, and speeds of all wheels.

        Args:
            command: Steering [rad], how fast it changes [rad/s], speed [m/s], how fast that
                changes [m/s^2], and the time since the last command [s]. A rate of 0 lets what
                it is of change at once.

        Returns:
            Angles [rad], and speeds of front left, front right, back left and back right
            [rad/s]; None and None where the command has not five numbers, no radius is known,
            or something is to change at a rate in no time.
        """
        wanted = np.asarray(command, float)
        radii = (self.front_wheel_radius or self.back_wheel_radius,
                 self.back_wheel_radius or self.front_wheel_radius)  # fmt: skip
        if len(wanted) != 5 or not all(radii):
            return None, None
        steering, steering_rate, speed, speed_rate, time = map(float, wanted)
        most = _limit(self.max_wheel_velocity) * max(radii)
        turned = _limit(self.max_wheel_rotation_angle)
        steering, speed = _held(steering, turned), _held(speed, most)
        if self.max_acceleration:
            speed_rate = min(abs(speed_rate), self.max_acceleration)
        if self.max_steering_angle_velocity:
            steering_rate = min(abs(steering_rate), self.max_steering_angle_velocity)
        time = abs(time)
        if time == 0.0 and (steering_rate or speed_rate):
            return None, None
        speed = _moved(self.prev_linear_velocity, speed, speed_rate * time, _SAME_SPEED)
        steering = _moved(self.prev_steering_angle, steering, steering_rate * time, _SAME_ANGLE)
        self.prev_linear_velocity, self.prev_steering_angle = speed, steering
        angles, shares = self._turning(steering)
        limit = _limit(self.max_wheel_velocity)
        by_wheel = (radii[0], radii[0], radii[1], radii[1])
        rolled = [_held(speed * x / r, limit) for x, r in zip(shares, by_wheel, strict=True)]
        left, right = (_held(angle, turned) for angle in angles)
        return (left, right), (rolled[0], rolled[1], rolled[2], rolled[3])

    def _turning(self, steering: float) -> tuple[Angles, Speeds]:
        """Angles of the wheels that steer, and the speed of each wheel over that of the car."""
        if abs(steering) < _STRAIGHT:
            return (0.0, 0.0), (1.0, 1.0, 1.0, 1.0)
        half = 0.5 * self.track_width
        centre = self.wheel_base / np.tan(steering)  # to the left, of the axle without steering
        signed = -centre if self.invert_steering else centre
        angles = (float(np.arctan(self.wheel_base / (signed - half))),
                  float(np.arctan(self.wheel_base / (signed + half))))  # fmt: skip
        away = abs(centre)
        side = half if steering > 0 else -half
        fixed = [(away - side) / away, (away + side) / away]
        turned = [float(np.hypot(x * away, self.wheel_base)) / away for x in fixed]
        front, back = (fixed, turned) if self.invert_steering else (turned, fixed)
        return angles, (front[0], front[1], back[0], back[1])


def _limit(value: float) -> float:
    return value if value > 0.0 else np.inf


def _held(value: float, limit: float) -> float:
    return float(min(max(value, -limit), limit))


def _moved(now: float, wanted: float, most: float, same: float) -> float:
    """What is moved towards what is wanted; at once where ``most`` is 0."""
    if most == 0.0:
        return wanted
    if abs(wanted - now) <= same:
        return now
    return min(now + most, wanted) if wanted > now else max(now - most, wanted)
