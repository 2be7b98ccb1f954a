"""Controllers of wheels: DifferentialController, for two, and HolonomicController."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.controllers.base_controller import BaseController
from unibody.isaac_core.functions.types import ArticulationAction
from unibody.isaac_core.wheeled.holonomic import HolonomicController

__all__ = ["DifferentialController", "HolonomicController"]

_NO_LIMIT = 1.0e20


class DifferentialController(BaseController):
    """Speeds of the wheels of a robot that turns by their difference.

    Args:
        name: Of the controller.
        wheel_radius: [m].
        wheel_base: Distance of the wheels [m].
        max_linear_speed: Forwards or backwards [m/s].
        max_angular_speed: Turning [rad/s].
        max_wheel_speed: Of a wheel [rad/s].

    Raises:
        InvalidArgumentError: One of them is not positive.
    """

    def __init__(
        self,
        name: str,
        wheel_radius: float,
        wheel_base: float,
        max_linear_speed: float = _NO_LIMIT,
        max_angular_speed: float = _NO_LIMIT,
        max_wheel_speed: float = _NO_LIMIT,
    ) -> None:
        super().__init__(name)
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
        self.max_wheel_speed = max_wheel_speed

    def forward(self, command: Any) -> ArticulationAction:
        """Speeds of the left and the right wheel [rad/s].

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
        wheels = np.clip(wheels, -self.max_wheel_speed, self.max_wheel_speed)
        return ArticulationAction(joint_velocities=wheels)
