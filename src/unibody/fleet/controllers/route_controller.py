"""From place to place on a map, on the shortest free way."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unibody.errors import InvalidArgumentError
from unibody.fleet.controllers.clear_ways import ClearWays, Way
from unibody.fleet.controllers.deciding import DecidingController, wait_bounds
from unibody.fleet.parameters.controller_params import ControllerParams
from unibody.fleet.spatial.geometry import Pose
from unibody.fleet.world_files.route_planner import plan

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent

_AGAIN = 0.5  # s until an agent looks again whether a way is free
_PATIENCE = 30.0  # s of looking, after which it goes


class RouteController(DecidingController):
    """Sends an agent from stop to stop on ways that it plans on the map of the simulation.

    Ways keep clear of what the map says is occupied or unknown. They lead round agents that stand,
    and past those that drive: where these are going to be is foretold from the paths that they
    follow. Where no such way is free an agent waits, and after half a minute goes all the same.
    The original has no such controller. What is random comes from Python's ``random``: seed that
    for a run that can be repeated.

    Args:
        params: Passed over.
        stops: Places [x, y] in the world [m].
        order: ``cycle``: one after the other, again and again; ``random``: any other one next, but
            where another agent with the same stops is or goes to.
        wait_range: Least and most seconds at a stop, and before the first way.
        radius: How much room the agent needs about its middle [m].
        clearance: Least room between it and other agents [m].
        avoid: Mind other agents.
    """

    _registry_name = "route"

    def __init__(
        self,
        params: ControllerParams | None = None,
        stops: Sequence[Sequence[float]] = (),
        order: str = "cycle",
        wait_range: Sequence[float] = (0.0, 0.0),
        radius: float = 0.3,
        clearance: float = 0.1,
        avoid: bool = True,
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
        if not 0.0 <= clearance <= 1e3:
            raise InvalidArgumentError("clearance", clearance, "a length from 0 to 1000 m")
        self._order, self._radius = order, float(radius)
        self._clearance, self._avoid = float(clearance), bool(avoid)
        self._waited = 0.0  # s since it found no free way
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
            stop = self._following(agent)
            way = self._way(agent, self._stops[stop], dt)
            if way is None:
                self._wait_timer, self._waited = _AGAIN, self._waited + _AGAIN
                return False
            self._at, self._waited, self._on_way = stop, 0.0, True
            self._set_out(agent, way)
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

    def _set_out(self, agent: Any, way: Way) -> None:
        z = float(agent.get_pose().position[2])
        agent.set_path([Pose.from_xyz(*place, z) for place in way], auto_approach=True)

    def _way(self, agent: Any, stop: tuple[float, float], dt: float) -> Way | None:
        """Where the way to a stop turns, and the stop; None: it is not free now."""
        read = agent.sim_core.map
        if read is None:
            wanted = "a simulation with `world: {map: FILE}`"
            raise InvalidArgumentError("controller", "route", wanted)
        if not self._avoid or self._waited >= _PATIENCE:
            x, y, _ = (float(value) for value in agent.get_pose().position)
            return plan(read, (x, y), stop, self._radius)
        routes = [(o, o.get_controller_by_type(RouteController)) for o in agent.sim_core.agents]
        radii = {other.object_id: route._radius for other, route in routes if route is not None}
        return ClearWays(agent, self._radius, self._clearance, radii, dt).find(read, stop)
