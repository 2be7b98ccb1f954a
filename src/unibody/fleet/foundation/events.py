"""Events, and who wants to hear of them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

logger: logging.Logger = logging.getLogger(__name__)

Handler = Callable[..., Any]


class SimEvents:
    """Names of the events a simulation emits, with their arguments."""

    PRE_STEP = "pre_step"  # dt, sim_time
    POST_STEP = "post_step"  # dt, sim_time
    PAUSED = "paused"
    RESUMED = "resumed"
    OBJECT_SPAWNED = "object_spawned"  # obj
    OBJECT_REMOVED = "object_removed"  # obj
    AGENT_SPAWNED = "agent_spawned"  # agent
    AGENT_REMOVED = "agent_removed"  # agent
    COLLISION_STARTED = "collision_started"  # obj_a, obj_b; at an object's own bus: other
    COLLISION_ENDED = "collision_ended"  # the same
    PRE_UPDATE = "pre_update"  # at an agent's own bus: dt
    POST_UPDATE = "post_update"  # at an agent's own bus: dt, moved
    ACTION_STARTED = "action_started"  # agent, action; at an agent's own bus: action
    ACTION_COMPLETED = "action_completed"  # the same, and status


class EventBus:
    """Calls handlers when an event is emitted, those of a lower priority number first."""

    __slots__ = ("_handlers", "_note")

    def __init__(self) -> None:
        self._handlers: dict[str, list[tuple[int, Handler]]] = {}
        self._note: Callable[[], None] | None = None  # called when listeners come or go

    def on(self, event: str, handler: Handler, priority: int = 0) -> None:
        """Have ``handler`` called with the arguments of ``event``.

        Args:
            event: Name of the event; any name is allowed.
            handler: Called with keyword arguments.
            priority: Lower numbers come first, equal ones in the order they were added.
        """
        known = self._handlers.get(event, [])
        # a new list: one that is being called from at the moment stays as it is
        self._handlers[event] = sorted([*known, (priority, handler)], key=lambda item: item[0])
        self._changed()

    def off(self, event: str, handler: Handler) -> None:
        """Take a handler off an event; one that is not on it is no error."""
        known = self._handlers.get(event, [])
        self._handlers[event] = [item for item in known if item[1] is not handler]
        self._changed()

    def emit(self, event: str, **kwargs: Any) -> None:
        """Call the handlers of an event; one that fails is logged, and the others still called."""
        for _, handler in self._handlers.get(event, ()):
            try:
                handler(**kwargs)
            except Exception:  # a faulty observer must not end a simulation
                logger.exception("EventBus handler error for event '%s'", event)

    def _emit_updated(self, dt: float, moved: bool) -> None:
        """`emit` of `SimEvents.POST_UPDATE`, which many objects do in every step."""
        for _, handler in self._handlers.get(SimEvents.POST_UPDATE, ()):
            try:
                handler(dt=dt, moved=moved)
            except Exception:  # as in `emit`
                logger.exception("EventBus handler error for event '%s'", SimEvents.POST_UPDATE)

    def clear(self, event: str | None = None) -> None:
        """Take all handlers off one event, or off all."""
        if event:
            self._handlers.pop(event, None)
        else:
            self._handlers.clear()
        self._changed()

    def _changed(self) -> None:
        if self._note is not None:
            self._note()

    def has_handlers(self, event: str) -> bool:
        """Whether anybody listens to an event."""
        return bool(self._handlers.get(event))
