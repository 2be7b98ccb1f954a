"""Controllers of ``isaacsim.robot.experimental.wheeled_robots``: they give numbers, not actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.isaac_core.experimental.wheeled.ackermann import AckermannController
from unibody.isaac_core.experimental.wheeled.paths import (
    QuinticPolynomial,
    quintic_polynomials_planner,
)
from unibody.isaac_core.experimental.wheeled.stanley import (
    State,
    calc_target_index,
    normalize_angle,
    pid_control,
    stanley_control,
)
from unibody.isaac_core.wheeled.differential import DifferentialWheels
from unibody.isaac_core.wheeled.holonomic import AHEAD, NO_LIMIT, UP, HolonomicWheels

__all__ = [
    "AckermannController", "DifferentialController", "HolonomicController", "QuinticPolynomial",
    "State", "calc_target_index", "normalize_angle", "pid_control", "quintic_polynomials_planner",
    "stanley_control",
]  # fmt: skip


class DifferentialController(DifferentialWheels):
    """Speeds of the wheels of a robot that turns by their difference.

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
        *,
        wheel_radius: float,
        wheel_base: float,
        max_linear_speed: float = NO_LIMIT,
        max_angular_speed: float = NO_LIMIT,
        max_wheel_speed: float = NO_LIMIT,
    ) -> None:
        super().__init__(
            wheel_radius, wheel_base, max_linear_speed, max_angular_speed, max_wheel_speed
        )

    def forward(self, command: Any) -> npt.NDArray[np.float64]:
        """(2,) speeds of the left and the right wheel [rad/s].

        Args:
            command: Speed forwards [m/s] and turning [rad/s].

        Raises:
            InvalidArgumentError: They are not two numbers.
        """
        return self._speeds(command)


class HolonomicController(HolonomicWheels):
    """Speeds of the wheels of a robot that goes in any direction and turns meanwhile.

    Args:
        wheel_radius: One a wheel, or one for all [m].
        wheel_positions: From the middle of the robot, (wheels, 3) [m].
        wheel_orientations: Frames of the joints there, w x y z, (wheels, 4).
        mecanum_angles: Between a wheel's axis and its push, one a wheel, or one for all [degrees].
        wheel_axis: In the frames of the joints; None: x.
        up_axis: That the robot turns about; None: z.
        max_linear_speed: Of a command [m/s].
        max_angular_speed: The same [rad/s].
        max_wheel_speed: All wheels are slowed down until none is faster [rad/s].
        linear_gain: That speeds of commands are multiplied by.
        angular_gain: That their turning is multiplied by.

    Raises:
        InvalidArgumentError: What describes the wheels is missing, does not fit together, or they
            do not push in all directions.
    """

    def __init__(
        self,
        *,
        wheel_radius: Any = None,
        wheel_positions: Any = None,
        wheel_orientations: Any = None,
        mecanum_angles: Any = None,
        wheel_axis: Any = None,
        up_axis: Any = None,
        max_linear_speed: float = NO_LIMIT,
        max_angular_speed: float = NO_LIMIT,
        max_wheel_speed: float = NO_LIMIT,
        linear_gain: float = 1.0,
        angular_gain: float = 1.0,
    ) -> None:
        super().__init__(
            wheel_radius, wheel_positions, wheel_orientations, mecanum_angles,
            AHEAD if wheel_axis is None else wheel_axis, UP if up_axis is None else up_axis,
            (max_linear_speed, max_angular_speed, max_wheel_speed), (linear_gain, angular_gain),
        )  # fmt: skip

    def forward(self, command: Any) -> npt.NDArray[np.float64]:
        """(wheels,) speeds of all wheels [rad/s].

        Args:
            command: Speed forwards and to the left [m/s], and turning [rad/s].

        Raises:
            InvalidArgumentError: They are not three numbers.
        """
        return self._speeds(command)
