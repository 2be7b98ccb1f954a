"""Controllers that decide where an agent goes, and which of them have something to decide."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError
from unibody.fleet.controllers.controller import Controller
from unibody.fleet.parameters.controller_params import ControllerParams

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent


def wait_bounds(wait_range: Sequence[float]) -> tuple[float, float]:
    """Least and most seconds to wait, checked.

    Raises:
        InvalidArgumentError: One is negative, or the first is more than the second.
    """
    low, high = (float(value) for value in wait_range)
    if not 0.0 <= low <= high:
        raise InvalidArgumentError("wait_range", wait_range, "seconds, 0 <= least <= most")
    return low, high


class DecidingController(Controller):
    """Sends an agent on once it has arrived and waited; the controller below it drives.

    Between two decisions a step does nothing but let the timer run. The timers of a simulation's
    agents lie in one array, see `Decisions`.

    Attributes:
        held: It sends nobody anywhere for now: something else does.
    """

    def __init__(self, params: ControllerParams | None = None) -> None:
        super().__init__(params)
        self._timers: NDArray[np.float64] = np.zeros(1)
        self._place = 0
        self._on_way = False
        self.held = False

    @property
    def _wait_timer(self) -> float:
        """Seconds until it may decide again."""
        return float(self._timers[self._place])

    @_wait_timer.setter
    def _wait_timer(self, value: float) -> None:
        self._timers[self._place] = value

    @abstractmethod
    def _has_begun(self) -> bool:
        """Whether it has made its first decision, which waits for nothing."""

    def _may_leave(self, agent: Agent, dt: float, wait_range: tuple[float, float]) -> bool:
        """Whether the agent has arrived and stood at its stop for as long as it has to.

        Args:
            agent: The agent.
            dt: Length of the step [s].
            wait_range: Least and most seconds at a stop.
        """
        if self._wait_timer > 0:
            self._wait_timer -= dt
            return False
        if self.held or agent.is_moving:
            return False
        if self._on_way:
            self._on_way = False
            self._wait_timer = random.uniform(*wait_range)
        return self._wait_timer <= 0.0


class Decisions:
    """The timers of controllers that decide, and which of the agents have a decision due.

    Args:
        agents: Each with its place in an order, and controllers above the first one that decide.
    """

    def __init__(self, agents: Iterable[tuple[int, Agent]]) -> None:
        pairs = [
            (place, agent, controller)
            for place, agent in agents
            for controller in agent._controllers[1:]
        ]
        self._agents = [agent for _, agent, _ in pairs]
        self._controllers = [controller for _, _, controller in pairs]
        self._places = np.array([place for place, _, _ in pairs], dtype=np.int64)
        self._rows = np.array([agent._row for agent in self._agents], dtype=np.int64)
        self._timers = np.array([controller._wait_timer for controller in self._controllers])
        self._fresh = np.ones(len(pairs), dtype=bool)  # has not made its first decision
        for at, controller in enumerate(self._controllers):
            controller._timers, controller._place = self._timers, at

    def __len__(self) -> int:
        return len(self._agents)

    def pass_time(self, bodies: NDArray[Any], dt: float) -> tuple[list[Any], NDArray[np.int64]]:
        """Let the timers run, but for those of agents that have a decision due.

        Args:
            bodies: All objects.
            dt: Length of the step [s].

        Returns:
            The agents that have one due, in order, and their places.
        """
        for at in np.flatnonzero(self._fresh).tolist():
            self._fresh[at] = not self._controllers[at]._has_begun()
        waiting = self._timers > 0.0
        due = ~waiting & (self._fresh | (bodies["moving"][self._rows] == 0))
        if not due.any():
            self._timers[waiting] -= dt
            return [], self._places[:0]
        asked = np.isin(self._rows, self._rows[due])  # all controllers of an agent step together
        self._timers[waiting & ~asked] -= dt
        found = [self._agents[at] for at in np.flatnonzero(asked).tolist()]
        return list(dict.fromkeys(found)), self._places[asked]
