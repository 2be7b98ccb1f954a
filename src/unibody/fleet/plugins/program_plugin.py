"""Programs: actions that an agent does one after the other, from a file alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unibody.errors import InvalidArgumentError
from unibody.fleet.actions.action import DropAction, PickAction
from unibody.fleet.actions.action_parser import action_from
from unibody.fleet.foundation.types import ActionStatus
from unibody.fleet.objects.tools import can_be_picked, find_nearest
from unibody.fleet.plugins.agent_plugin import AgentPlugin

if TYPE_CHECKING:
    from unibody.fleet.actions.action_base import Action
    from unibody.fleet.objects.interfaces import AgentInterface as Agent


class ProgramPlugin(AgentPlugin):
    """Lets an agent do actions one after the other, and begin again after the last one.

    A ``pick`` with a ``target_position`` waits until there is something to pick, and a ``drop``
    until its place is free, so robots can hand things on. The original has no such plugin.

    Args:
        agent: The agent.
        actions: What to do: mappings with the ``type`` of an action ("move", "pick", "drop",
            "elevator", "joint", "pose", "wait") and what that takes.
        repeat: Begin again after the last one.
        retry: Seconds after which an action that failed is tried again.
        clearance: How far from a place other things have to lie for it to be free [m].
    """

    _registry_name = "program"

    def __init__(
        self,
        agent: Agent,
        actions: Sequence[Mapping[str, Any]] = (),
        repeat: bool = True,
        retry: float = 1.0,
        clearance: float = 0.1,
    ) -> None:
        super().__init__(agent)
        for name, value in (("retry", retry), ("clearance", clearance)):
            if not 0.0 <= value < float("inf"):
                raise InvalidArgumentError(name, value, "0 or more")
        self._steps = [_checked(step) for step in actions]
        self._repeat, self._retry = bool(repeat), float(retry)
        self._clearance = float(clearance)
        self.on_reset()

    def on_reset(self) -> None:
        """Begin with the first action."""
        self._next = 0
        self._pause = 0.0  # s until the action that failed is tried again
        self._waiting: Action | None = None  # made, and not begun yet
        self._present: Action | None = None

    def on_update(self, dt: float) -> None:
        """Give the agent its next action once it has ended the one before."""
        if not self._steps or not self.agent.is_action_queue_empty():
            return
        if self._present is not None:
            self._end(self._present.status)
        self._pause -= dt
        if self._pause > 0.0 or self._next >= len(self._steps):
            return
        if self._waiting is None:
            self._waiting = action_from(*self._steps[self._next])
        if self._can_begin(self._waiting):
            self._present, self._waiting = self._waiting, None
            self.agent.add_action(self._present)

    def _can_begin(self, action: Action) -> bool:
        """Whether there is what it picks up, or room where it puts something down."""
        if isinstance(action, PickAction) and action.target_position is not None:
            return action.finds_object(self.agent)
        if isinstance(action, DropAction):
            place = action.drop_pose.position
            others = [obj for obj in self.agent.sim_core.sim_objects if obj is not self.agent]
            return find_nearest(others, place, self._clearance, can_be_picked) is None
        return True

    def _end(self, status: ActionStatus) -> None:
        self._present = None
        if status is ActionStatus.FAILED:
            self._pause = self._retry
            return
        self._next += 1
        if self._repeat:
            self._next %= len(self._steps)


def _checked(step: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The type and the parameters of an action, tried once.

    Raises:
        InvalidArgumentError: It is no mapping with a ``type``, or the action cannot be made.
    """
    if not isinstance(step, Mapping) or not isinstance(step.get("type"), str):
        raise InvalidArgumentError("actions", step, "mappings with a type, as {type: wait, ...}")
    params = {key: value for key, value in step.items() if key != "type"}
    try:
        action_from(step["type"], params)
    except (TypeError, ValueError, KeyError, AttributeError) as problem:
        raise InvalidArgumentError("actions", dict(step), str(problem)) from None
    return step["type"], params
