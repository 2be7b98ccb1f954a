"""Round and round from where an agent stands, with a stop at every place."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unibody.errors import InvalidArgumentError
from unibody.fleet.controllers.deciding import DecidingController, wait_bounds
from unibody.fleet.parameters.controller_params import ControllerParams
from unibody.fleet.spatial.geometry import Pose

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent


class CircuitController(DecidingController):
    """Sends an agent round a circuit that is stated from where it began; the one below it drives.

    So one entry of a file moves a whole grid of agents, each round its own place. The original has
    no such controller. The waits come from Python's ``random``: seed that for a run that can be
    repeated.

    Args:
        params: Passed over.
        stops: Places [x, y] or [x, y, z], from where the agent began, along the world's axes [m].
        wait_range: Least and most seconds at a stop, and before the first leg.
    """

    _registry_name = "circuit"

    def __init__(
        self,
        params: ControllerParams | None = None,
        stops: Sequence[Sequence[float]] = (),
        wait_range: Sequence[float] = (0.0, 0.0),
    ) -> None:
        super().__init__(params)
        self._wait_range = wait_bounds(wait_range)
        self._stops = [_offset(stop) for stop in stops]
        self._origin = (0.0, 0.0, 0.0)
        self._begun = False
        self._next = 0

    def _has_begun(self) -> bool:
        return self._begun

    def compute(self, agent: Agent, dt: float) -> bool:
        """Decide where to go next; never moves the agent itself."""
        if not self._begun:
            x, y, z = (float(value) for value in agent.get_pose().position)
            self._origin, self._begun = (x, y, z), True
            self._wait_timer = random.uniform(*self._wait_range)
        elif self._may_leave(agent, dt, self._wait_range) and self._stops:
            x, y, z = self._origin
            dx, dy, dz = self._stops[self._next]
            self._next = (self._next + 1) % len(self._stops)
            agent.set_goal_pose(Pose.from_xyz(x + dx, y + dy, z + dz))
            self._on_way = True
        return False


def _offset(stop: Sequence[float]) -> tuple[float, float, float]:
    """A place as three numbers [m]."""
    numbers = [float(value) for value in stop]
    if len(numbers) not in {2, 3}:
        raise InvalidArgumentError("stops", stop, "places [x, y] or [x, y, z] [m]")
    x, y, z = [*numbers, 0.0][:3]
    return x, y, z
