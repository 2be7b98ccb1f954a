"""What an agent does one after the other."""

from __future__ import annotations

from typing import Any

from unibody.fleet.foundation.events import SimEvents
from unibody.fleet.foundation.types import ActionStatus

_STATUS_LOGS = {
    ActionStatus.COMPLETED: ("info", "{name} completed successfully"),
    ActionStatus.FAILED: ("error", "{name} failed: {reason}"),
    ActionStatus.CANCELLED: ("warning", "{name} was cancelled"),
}


def _announce(agent: Any, event: str, **kwargs: Any) -> None:
    if agent.sim_core is not None:
        agent.sim_core.events.emit(event, agent=agent, **kwargs)
    if agent._events is not None:
        agent._events.emit(event, **kwargs)


def advance(agent: Any, dt: float) -> None:
    """Let an agent do its present action, or the next one, for ``dt`` seconds."""
    if agent._current_action is None:
        if not agent._action_queue:
            return
        agent._current_action = agent._action_queue.pop(0)
        _announce(agent, SimEvents.ACTION_STARTED, action=agent._current_action)
    action = agent._current_action
    if action is None or not action.execute(agent, dt):
        return
    level, words = _STATUS_LOGS.get(action.status, ("info", "{name} ended"))
    text = words.format(name=type(action).__name__, reason=action.error_message)
    getattr(agent._log, level)(text)
    _announce(agent, SimEvents.ACTION_COMPLETED, action=action, status=action.status)
    if agent._current_action is action:
        agent._current_action = None
    agent._changed()
