"""What all actions have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from unibody.fleet.foundation.loggers import get_named_lazy_logger
from unibody.fleet.foundation.types import ActionStatus

DEFAULT_MOVE_SKIP_THRESHOLD: float = 0.05
"""An agent closer than this to where it picks or drops does not move there [m]."""
DEFAULT_MAX_FORCE: float = 500.0
"""Of joint motors [Nm or N]."""
DEFAULT_JOINT_TOLERANCE: float = 0.01
"""Of a joint at its target [rad or m]."""
DEFAULT_EE_TOLERANCE: float = 0.02
"""Of an end effector at its target [m]."""
_ENDED = frozenset({ActionStatus.COMPLETED, ActionStatus.FAILED, ActionStatus.CANCELLED})


class PickPhase(Enum):
    """What a `PickAction` does at the moment."""

    INIT = "init"
    APPROACHING = "approaching"
    MOVING_TO_PICK = "moving_to_pick"
    PICKING = "picking"
    RETREATING = "retreating"


class DropPhase(Enum):
    """What a `DropAction` does at the moment."""

    INIT = "init"
    APPROACHING = "approaching"
    MOVING_TO_DROP = "moving_to_drop"
    DROPPING = "dropping"
    RETREATING = "retreating"


class Action(ABC):
    """Something an agent does over several steps.

    Attributes:
        status: Where it stands.
        start_time: When it began [s of simulation]; None before.
        end_time: When it ended.
        error_message: Why it failed.
    """

    def __init__(self) -> None:
        self.status = ActionStatus.NOT_STARTED
        self.start_time: float | None = None
        self.end_time: float | None = None
        self.error_message: str | None = None
        self._log = get_named_lazy_logger(__name__, prefix=f"[{type(self).__name__}]")

    @abstractmethod
    def execute(self, agent: Any, dt: float) -> bool:
        """Do one step of ``dt`` seconds; True once it has ended."""

    def reset(self) -> None:
        """Make it ready to be done again."""
        self.status = ActionStatus.NOT_STARTED
        self.start_time = self.end_time = self.error_message = None

    def cancel(self) -> None:
        """End it."""
        self.status = ActionStatus.CANCELLED
        if self.start_time is not None and self.end_time is None:
            self.end_time = self.start_time

    def get_duration(self) -> float | None:
        """How long it took [s of simulation]; None before its end."""
        if self.start_time is None or self.end_time is None:
            return None
        return self.end_time - self.start_time

    def is_complete(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.status in _ENDED

    # --- for subclasses ------------------------------------------------------------------------

    def _begin(self, agent: Any) -> bool:
        """Start it if it has not started; True if that was so."""
        if self.status is not ActionStatus.NOT_STARTED:
            return False
        self.status = ActionStatus.IN_PROGRESS
        self.start_time = _now(agent)
        self._log_start(agent)
        return True

    def _complete(self, agent: Any) -> bool:
        self.status = ActionStatus.COMPLETED
        self.end_time = _now(agent)
        self._log_end()
        return True

    def _fail(self, agent: Any, reason: str) -> bool:
        self.status: ActionStatus = ActionStatus.FAILED
        self.end_time = _now(agent)
        self._log_failure(reason, agent)
        return True

    def _update_log_prefix(self, agent: Any = None) -> None:
        name = type(self).__name__
        of = agent._log.prefix.strip().strip("[]") if hasattr(agent, "_log") else ""
        self._log.set_prefix(f"[{of}:{name}] " if of else f"[{name}] ")

    def _log_start(self, agent: Any = None) -> None:
        self._update_log_prefix(agent)
        self._log.info(lambda: f"START{self._stated()}")

    def _stated(self) -> str:
        if not is_dataclass(self):
            return ""
        names = [f.name for f in fields(self) if f.init and not f.name.startswith("_")]
        return " - " + ", ".join(f"{name}={getattr(self, name)}" for name in names)

    def _log_failure(self, reason: str, agent: Any = None) -> None:
        self.error_message = reason
        self._log.error(f"Action failed: {reason}")

    def _log_phase_transition(self, phase: Enum, agent: Any = None) -> None:
        self._log.info(lambda: f"Phase transition -> {phase.value.upper()}")

    def _log_end(self) -> None:
        took = self.get_duration()
        self._log.info("END" if took is None else f"END - duration={took:.2f}s")


def _now(agent: Any) -> float:
    return agent.sim_core.sim_time if agent.sim_core else 0.0
