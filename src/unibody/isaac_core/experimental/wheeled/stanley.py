"""Stanley's steering: a car turns towards a path by its angle to it and its distance from it.

The law is that of Hoffmann et al., "Autonomous Automobile Trajectory Tracking for Off-Road
Driving" (2007): ``steering = (path's yaw - yaw) + atan2(k * distance, speed)``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unibody.errors import InvalidArgumentError


class State:
    """A car, by the model of a bicycle whose middle of the back axle is at (x, y).

    Args:
        wheel_base: Distance of the axles [m].
        x: [m].
        y: [m].
        yaw: [rad].
        v: Speed [m/s].
        max_steering_angle: [rad].
    """

    def __init__(
        self,
        wheel_base: float,
        x: float = 0.0,
        y: float = 0.0,
        yaw: float = 0.0,
        v: float = 0.0,
        max_steering_angle: float = float(np.radians(5.0)),
    ) -> None:
        self.wheel_base: float = wheel_base
        self.x: float = x
        self.y: float = y
        self.yaw: float = yaw
        self.v: float = v
        self.w: float = 0.0
        self.max_steering_angle: float = max_steering_angle

    def update(self, acceleration: float, delta: float, dt: float) -> None:
        """Let the car move; the speed changes after it has moved.

        Args:
            acceleration: [m/s^2].
            delta: Steering [rad].
            dt: [s].
        """
        steering = np.clip(delta, -self.max_steering_angle, self.max_steering_angle)
        self.x += self.v * np.cos(self.yaw) * dt
        self.y += self.v * np.sin(self.yaw) * dt
        self.w = self.v * np.tan(steering) / self.wheel_base
        self.yaw = normalize_angle(self.yaw + self.w * dt)
        self.v += acceleration * dt


def pid_control(target: float, current: float, kp: float = 0.1) -> float:
    """Acceleration towards a speed: in proportion to what is missing.

    Args:
        target: [m/s].
        current: [m/s].
        kp: [1/s].
    """
    return kp * (target - current)


def stanley_control(
    state: State,
    cx: Sequence[float],
    cy: Sequence[float],
    cyaw: Sequence[float],
    last_target_idx: int,
    p: float = 0.5,
    i: float = 0.01,
    d: float = 10.0,
    k: float = 0.5,
) -> tuple[float, int]:
    """Steering towards a path, and which of its points that is for.

    Args:
        state: The car.
        cx: Path's x [m].
        cy: Path's y [m].
        cyaw: Path's yaw [rad].
        last_target_idx: Point that was steered for before; none before it is.
        p: Without effect, as in the original.
        i: Without effect, as in the original.
        d: Without effect, as in the original.
        k: How much the distance from the path counts [1/s].
    """
    nearest, aside = calc_target_index(state, cx, cy)
    target = max(nearest, last_target_idx)
    turned = normalize_angle(cyaw[target] - state.yaw)
    # The original keeps the distance in the range of an angle.
    return turned + float(np.arctan2(k * normalize_angle(aside), state.v)), target


def normalize_angle(angle: float) -> float:
    """The same angle from -pi to pi; odd multiples of pi keep their sign.

    Raises:
        InvalidArgumentError: It is not finite.
    """
    if not np.isfinite(angle):
        raise InvalidArgumentError("angle", angle, "a finite number")
    turned = (angle + np.pi) % (2.0 * np.pi) - np.pi
    return float(np.pi if turned == -np.pi and angle > 0.0 else turned)


def calc_target_index(state: State, cx: Sequence[float], cy: Sequence[float]) -> tuple[int, float]:
    """The point of a path nearest to the front axle, and how far that is to its right [m]."""
    ahead = np.array([np.cos(state.yaw), np.sin(state.yaw)])
    axle = np.array([state.x, state.y]) + state.wheel_base * ahead
    away = axle - np.stack([np.asarray(cx, float), np.asarray(cy, float)], axis=1)
    nearest = int(np.argmin(np.hypot(away[:, 0], away[:, 1])))
    return nearest, float(away[nearest] @ np.array([ahead[1], -ahead[0]]))
