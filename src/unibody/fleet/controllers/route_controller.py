"""From place to place on a map, on the shortest free way."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unibody.errors import InvalidArgumentError
from unibody.fleet.controllers.deciding import DecidingController, wait_bounds
from unibody.fleet.parameters.controller_params import ControllerParams
from unibody.fleet.spatial.geometry import Pose
from unibody.fleet.world_files.route_planner import plan

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent


class RouteController(DecidingController):
    """Sends an agent from stop to stop on ways that it plans on the map of the simulation.

    Ways keep clear of what the map says is occupied or unknown, and know nothing of other agents.
    The original has no such controller. What is random comes from Python's ``random``: seed that
    for a run that can be repeated.

    Args:
        params: Passed over.
        stops: Places [x, y] in the world [m].
        order: ``cycle``: one after the other, again and again; ``random``: any other one next, but
            where another agent with the same stops is or goes to.
        wait_range: Least and most seconds at a stop, and before the first way.
        radius: How much room the agent needs about its middle [m].
    """

    _registry_name = "route"

    def __init__(
        self,
        params: ControllerParams | None = None,
        stops: Sequence[Sequence[float]] = (),
        order: str = "cycle",
        wait_range: Sequence[float] = (0.0, 0.0),
        radius: float = 0.3,
    ) -> None:
        super().__init__(params)
        self._wait_range = wait_bounds(wait_range)
        for stop in stops:
            if len(stop) != 2:
                raise InvalidArgumentError("stops", stop, "places [x, y] [m]")
        self._stops = [(float(x), float(y)) for x, y in stops]
        if order not in {"cycle", "random"}:
            raise InvalidArgumentError("order", order, "'cycle' or 'random'")
        if not 0.0 <= radius <= 1e3:
            raise InvalidArgumentError("radius", radius, "a radius from 0 to 1000 m")
        self._order, self._radius = order, float(radius)
        self._begun = False
        self._at: int | None = None  # the stop it is at or goes to

    def _has_begun(self) -> bool:
        return self._begun

    def compute(self, agent: Agent, dt: float) -> bool:
        """Decide where to go next; never moves the agent itself."""
        if not self._begun:
            self._begun = True
            self._wait_timer = random.uniform(*self._wait_range)
        elif self._may_leave(agent, dt, self._wait_range) and self._stops:
            self._at = self._following(agent)
            self._send(agent, self._stops[self._at])
            self._on_way = True
        return False

    def _following(self, agent: Agent) -> int:
        if self._order == "cycle" or len(self._stops) == 1:
            return 0 if self._at is None else (self._at + 1) % len(self._stops)
        others = [number for number in range(len(self._stops)) if number != self._at]
        taken = self._taken(agent)
        return random.choice([number for number in others if number not in taken] or others)

    def _taken(self, agent: Agent) -> set[int | None]:
        """Stops where other agents that have the same ones are or go to."""
        core = agent.sim_core
        others = [other for other in core.agents if other is not agent] if core else []
        found = [other.get_controller_by_type(RouteController) for other in others]
        return {route._at for route in found if route is not None and route._stops == self._stops}

    def _send(self, agent: Any, stop: tuple[float, float]) -> None:
        read = agent.sim_core.map
        if read is None:
            wanted = "a simulation with `world: {map: FILE}`"
            raise InvalidArgumentError("controller", "route", wanted)
        x, y, z = (float(value) for value in agent.get_pose().position)
        way = plan(read, (x, y), stop, self._radius)
        agent.set_path([Pose.from_xyz(*place, z) for place in way], auto_approach=True)
