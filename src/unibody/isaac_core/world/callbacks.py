"""Callbacks of a simulation by name: physics, stage, timeline, render."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.kit import app, context, timeline
from unibody.isaac_core.simulation.manager import IsaacEvents, simulation


class Callbacks:
    """Four families of callbacks; a name is taken once in each."""

    def __init__(self) -> None:
        self._physics_numbers: dict[str, int] = {}
        self._streams: dict[str, dict[str, Any]] = {"stage": {}, "timeline": {}, "render": {}}

    def add_physics_callback(
        self, callback_name: str, callback_fn: Callable[[float], None]
    ) -> None:
        """Call a function before each step of the physics.

        Args:
            callback_name: By which it is found.
            callback_fn: Called with the time of the step [s].
        """
        _check(callback_name, self._physics_numbers)
        event = IsaacEvents.PRE_PHYSICS_STEP
        self._physics_numbers[callback_name] = simulation.add_listener(event, callback_fn)

    def remove_physics_callback(self, callback_name: str) -> None:
        """Call a function no more."""
        simulation.remove_listener(_taken(callback_name, self._physics_numbers))

    def physics_callback_exists(self, callback_name: str) -> bool:
        """Whether there is a callback of that name."""
        return callback_name in self._physics_numbers

    def clear_physics_callbacks(self) -> None:
        """Call none of them any more."""
        for name in list(self._physics_numbers):
            self.remove_physics_callback(name)

    def add_stage_callback(self, callback_name: str, callback_fn: Callable[[Any], None]) -> None:
        """Call a function with each event of the stage."""
        stream = context.get_context().get_stage_event_stream()
        self._subscribe("stage", stream, callback_name, callback_fn)

    def remove_stage_callback(self, callback_name: str) -> None:
        """Call a function no more."""
        _taken(callback_name, self._streams["stage"])

    def stage_callback_exists(self, callback_name: str) -> bool:
        """Whether there is a callback of that name."""
        return callback_name in self._streams["stage"]

    def clear_stage_callbacks(self) -> None:
        """Call none of them any more."""
        self._streams["stage"].clear()

    def add_timeline_callback(self, callback_name: str, callback_fn: Callable[[Any], None]) -> None:
        """Call a function with each event of the timeline."""
        stream = timeline.get_timeline_interface().get_timeline_event_stream()
        self._subscribe("timeline", stream, callback_name, callback_fn)

    def remove_timeline_callback(self, callback_name: str) -> None:
        """Call a function no more."""
        _taken(callback_name, self._streams["timeline"])

    def timeline_callback_exists(self, callback_name: str) -> bool:
        """Whether there is a callback of that name."""
        return callback_name in self._streams["timeline"]

    def clear_timeline_callbacks(self) -> None:
        """Call none of them any more."""
        self._streams["timeline"].clear()

    def add_render_callback(self, callback_name: str, callback_fn: Callable[[Any], None]) -> None:
        """Call a function with the event of each frame, after the physics."""
        stream = app.get_app().get_update_event_stream()
        self._subscribe("render", stream, callback_name, callback_fn)

    def remove_render_callback(self, callback_name: str) -> None:
        """Call a function no more."""
        _taken(callback_name, self._streams["render"])

    def render_callback_exists(self, callback_name: str) -> bool:
        """Whether there is a callback of that name."""
        return callback_name in self._streams["render"]

    def clear_render_callbacks(self) -> None:
        """Call none of them any more."""
        self._streams["render"].clear()

    def clear_all_callbacks(self) -> None:
        """Call none of all any more."""
        self.clear_physics_callbacks()
        for family in self._streams.values():
            family.clear()

    def _subscribe(self, family: str, stream: Any, name: str, function: Any) -> None:
        held = self._streams[family]
        _check(name, held)
        held[name] = stream.create_subscription_to_pop(function, name=name)


def _check(name: str, taken: dict[str, Any]) -> None:
    if name in taken:
        raise InvalidArgumentError("callback_name", name, "a name that is not taken yet")


def _taken(name: str, held: dict[str, Any]) -> Any:
    if name not in held:
        raise InvalidArgumentError("callback_name", name, f"one of {', '.join(held) or 'none'}")
    return held.pop(name)
