"""Controllers of wheels: DifferentialController, for two, and HolonomicController."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unibody.isaac_core.controllers.base_controller import BaseController
from unibody.isaac_core.functions.types import ArticulationAction
from unibody.isaac_core.wheeled.differential import DifferentialWheels
from unibody.isaac_core.wheeled.holonomic import AHEAD, F64, NO_LIMIT, UP, HolonomicWheels

__all__ = ["DifferentialController", "HolonomicController"]


class DifferentialController(BaseController, DifferentialWheels):
    """Speeds of the wheels of a robot that turns by their difference.

    Args:
        name: Of the controller.
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
        name: str,
        wheel_radius: float,
        wheel_base: float,
        max_linear_speed: float = NO_LIMIT,
        max_angular_speed: float = NO_LIMIT,
        max_wheel_speed: float = NO_LIMIT,
    ) -> None:
        BaseController.__init__(self, name)
        DifferentialWheels.__init__(
            self, wheel_radius, wheel_base, max_linear_speed, max_angular_speed, max_wheel_speed
        )

    def forward(self, command: Any) -> ArticulationAction:
        """Speeds of the left and the right wheel [rad/s].

        Args:
            command: Speed forwards [m/s] and turning [rad/s].

        Raises:
            InvalidArgumentError: They are not two numbers.
        """
        return ArticulationAction(joint_velocities=self._speeds(command))


class HolonomicController(BaseController, HolonomicWheels):
    """Speeds of the wheels of a robot that goes in any direction and turns meanwhile.

    Args:
        name: Of the controller.
        wheel_radius: One a wheel, or one for all [m].
        wheel_positions: From the middle of the robot, (wheels, 3) [m].
        wheel_orientations: Frames of the joints there, w x y z, (wheels, 4).
        mecanum_angles: Between a wheel's axis and its push, one a wheel, or one for all [degrees].
        wheel_axis: In the frames of the joints.
        up_axis: That the robot turns about.
        max_linear_speed: Of a command [m/s].
        max_angular_speed: The same [rad/s].
        max_wheel_speed: All wheels are slowed down until none is faster [rad/s].
        linear_gain, angular_gain: That commands are multiplied by.

    Raises:
        InvalidArgumentError: What describes the wheels is missing, does not fit together, or they
            do not push in all directions.
    """

    def __init__(
        self,
        name: str,
        wheel_radius: Any = None,
        wheel_positions: Any = None,
        wheel_orientations: Any = None,
        mecanum_angles: Any = None,
        wheel_axis: Sequence[float] | F64 = AHEAD,
        up_axis: Sequence[float] | F64 = UP,
        max_linear_speed: float = NO_LIMIT,
        max_angular_speed: float = NO_LIMIT,
        max_wheel_speed: float = NO_LIMIT,
        linear_gain: float = 1.0,
        angular_gain: float = 1.0,
    ) -> None:
        BaseController.__init__(self, name)
        HolonomicWheels.__init__(
            self, wheel_radius, wheel_positions, wheel_orientations, mecanum_angles, wheel_axis,
            up_axis, (max_linear_speed, max_angular_speed, max_wheel_speed),
            (linear_gain, angular_gain),
        )  # fmt: skip

    def build_base(self) -> None:
        """Work out what each wheel does, once what describes them was changed.

        Raises:
            InvalidArgumentError: The wheels do not push in all directions.
        """
        self._build_base()

    def forward(self, command: Any) -> ArticulationAction:
        """Speeds of all wheels [rad/s].

        Args:
            command: Speed forwards and to the left [m/s], and turning [rad/s].

        Raises:
            InvalidArgumentError: They are not three numbers.
        """
        return ArticulationAction(joint_velocities=self._speeds(command))
