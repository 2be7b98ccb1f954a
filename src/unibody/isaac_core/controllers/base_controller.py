"""BaseController: what makes actions of observations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions.types import ArticulationAction


class BaseController(ABC):
    """A controller; derived classes have `forward`.

    Args:
        name: Of the controller.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    @abstractmethod
    def forward(self, *args: Any, **kwargs: Any) -> ArticulationAction:
        """The action of an observation."""
        raise NotImplementedError

    def reset(self) -> None:  # noqa: B027 - derived classes may leave it
        """Begin again: what derived classes do."""


class BaseGripperController(BaseController):
    """A controller of a gripper; derived classes have `open` and `close`."""

    def forward(self, action: str, current_joint_positions: Any) -> ArticulationAction:
        """The action that opens or closes.

        Args:
            action: "open" or "close".
            current_joint_positions: Where the joints are.
        """
        made = {"open": self.open, "close": self.close}
        if action not in made:
            raise InvalidArgumentError("action", action, "'open' or 'close'")
        return made[action](current_joint_positions)

    @abstractmethod
    def open(self, current_joint_positions: Any) -> ArticulationAction:
        """The action that opens."""
        raise NotImplementedError

    @abstractmethod
    def close(self, current_joint_positions: Any) -> ArticulationAction:
        """The action that closes."""
        raise NotImplementedError
