"""DifferentialWheels: speeds of two wheels of a robot that turns by their difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError


class DifferentialWheels:
    """Two wheels side by side.

    Args:
        wheel_radius: [m].
        wheel_base: Distance of the wheels [m].
        max_linear_speed: Forwards or backwards [m/s].
        max_angular_speed: Turning [rad/s].
        max_wheel_speed: Of a wheel [rad/s].

    Raises:
        InvalidArgumentError: A length is not positive, or a speed is negative.
    """

    def __init__(
        self,
        wheel_radius: float,
        wheel_base: float,
        max_linear_speed: float,
        max_angular_speed: float,
        max_wheel_speed: float,
    ) -> None:
        given = {"wheel_radius": wheel_radius, "wheel_base": wheel_base}
        limits = {"max_linear_speed": max_linear_speed, "max_angular_speed": max_angular_speed,
                  "max_wheel_speed": max_wheel_speed}  # fmt: skip
        for key, value in given.items():
            if not value > 0.0:
                raise InvalidArgumentError(key, value, "a positive length in metres")
        for key, value in limits.items():
            if not value >= 0.0:
                raise InvalidArgumentError(key, value, "a speed of zero or more")
        self.wheel_radius: float = wheel_radius
        self.wheel_base: float = wheel_base
        self.max_linear_speed: float = max_linear_speed
        self.max_angular_speed: float = max_angular_speed
        self.max_wheel_speed: float = max_wheel_speed

    def _speeds(self, command: Any) -> npt.NDArray[np.float64]:
        """(2,) speeds of the left and the right wheel [rad/s].

        Args:
            command: Speed forwards [m/s] and turning [rad/s].

        Raises:
            InvalidArgumentError: They are not two numbers.
        """
        wanted = np.asarray(command, float)
        if wanted.shape != (2,):
            raise InvalidArgumentError("command", command, "speed forwards and turning")
        speed = np.clip(wanted[0], -self.max_linear_speed, self.max_linear_speed)
        turn = np.clip(wanted[1], -self.max_angular_speed, self.max_angular_speed)
        outwards = 0.5 * turn * self.wheel_base
        wheels = np.array([speed - outwards, speed + outwards]) / self.wheel_radius
        return np.clip(wheels, -self.max_wheel_speed, self.max_wheel_speed)
