"""Controllers: what a robot is to do next, from what is known and what is wanted of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any

from unibody.errors import InvalidArgumentError, UnibodyError
from unibody.isaac_core.experimental.motion.states import RobotState, combine_robot_states

Options = dict[Any, "BaseController"]


class UnknownControllerError(InvalidArgumentError, LookupError):
    """No controller has such a name."""


class ResetError(UnibodyError, RuntimeError):
    """A controller that was to go on could not begin."""


class BaseController(ABC):
    """What all controllers can do."""

    @abstractmethod
    def forward(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: object,
    ) -> RobotState | None:
        """What the robot is to do next; None if that cannot be said.

        Args:
            estimated_state: What is known of it.
            setpoint_state: What is wanted of it.
            t: Time of the clock [s].
            **kwargs: What a controller wants beside.
        """

    @abstractmethod
    def reset(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: object,
    ) -> bool:
        """Begin anew, right before the first `forward`; whether that could be done.

        Args:
            estimated_state: What is known of the robot.
            setpoint_state: What is wanted of it.
            t: Time of the clock [s].
            **kwargs: What a controller wants beside.
        """


class ControllerContainer(BaseController):
    """Several controllers, of which one is active.

    Args:
        controller_options: Controllers by their names.
        initial_controller_selection: The one that is active after a reset.

    Raises:
        InvalidArgumentError: There are none.
        KeyError: None has that name.
    """

    def __init__(self, controller_options: Options, initial_controller_selection: Enum) -> None:
        if not controller_options:
            raise InvalidArgumentError("controller_options", controller_options, "controllers")
        self._options = controller_options
        self._first = self._active = self._next = initial_controller_selection
        self._controller = controller_options[initial_controller_selection]

    def reset(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: object,
    ) -> bool:
        """Begin anew with the first controller."""
        self._active = self._next = self._first
        self._controller = self._options[self._first]
        return self._controller.reset(estimated_state, setpoint_state, t, **kwargs)

    def forward(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: object,
    ) -> RobotState | None:
        """What the active controller says; one that is new begins before.

        Raises:
            ResetError: It could not begin.
        """
        if self._next != self._active:
            self._active = self._next
            self._controller = self._options[self._active]
            if not self._controller.reset(estimated_state, setpoint_state, t, **kwargs):
                raise ResetError(f"the controller {self._active} could not begin")
        return self._controller.forward(estimated_state, setpoint_state, t, **kwargs)

    def set_next_controller(self, next_controller_selection: Enum) -> None:
        """Choose the controller that is active from the next `forward` on.

        Raises:
            UnknownControllerError: None has that name.
        """
        self.get_controller(next_controller_selection)
        self._next = next_controller_selection

    def get_active_controller_enum(self) -> Enum:
        """Name of the active controller."""
        return self._active

    def get_controller(self, controller_selection: Enum) -> BaseController:
        """A controller by its name.

        Raises:
            UnknownControllerError: None has it.
        """
        if controller_selection not in self._options:
            allowed = f"one of {', '.join(map(str, self._options))}"
            raise UnknownControllerError("controller_selection", controller_selection, allowed)
        return self._options[controller_selection]


class _Several(BaseController):
    """What has at least two controllers."""

    def __init__(self, controllers: list[BaseController]) -> None:
        if len(controllers) < 2:
            raise InvalidArgumentError("controllers", controllers, "two or more")
        self._controllers = controllers

    def reset(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: object,
    ) -> bool:
        """Begin anew with all of them, until one cannot."""
        several = self._controllers
        return all(one.reset(estimated_state, setpoint_state, t, **kwargs) for one in several)


class ParallelController(_Several):
    """Controllers each of which says a part, such as one of an arm and one of a gripper.

    Args:
        controllers: Two or more.

    Raises:
        InvalidArgumentError: There are fewer.
    """

    def forward(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: object,
    ) -> RobotState | None:
        """What all of them say together; None if two say the same part, or one says nothing."""
        whole: RobotState | None = RobotState()
        for one in self._controllers:
            said = one.forward(estimated_state, setpoint_state, t, **kwargs)
            whole = combine_robot_states(whole, said)
            if whole is None:
                return None
        return whole


class SequentialController(_Several):
    """Controllers each of which wants what the one before it says.

    Args:
        controllers: Two or more.

    Raises:
        InvalidArgumentError: There are fewer.
    """

    def forward(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: object,
    ) -> RobotState | None:
        """What the last one says; None if one says nothing."""
        said = setpoint_state
        for one in self._controllers:
            said = one.forward(estimated_state, said, t, **kwargs)
            if said is None:
                return None
        return said
