"""Ways over a map on which an agent meets no other."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.controllers.controller import KinematicController, direction_number
from unibody.fleet.motion import foretelling
from unibody.fleet.motion.path_checks import rows_of_path
from unibody.fleet.spatial.geometry import Pose
from unibody.fleet.world_files.occupancy_map import OccupancyMap
from unibody.fleet.world_files.route_planner import Disc, plan

Places = NDArray[np.float64]
Way = list[tuple[float, float]]
_NEAR = 0.5  # m: an agent begins its path where it stands, if the first waypoint is farther
_TRIES = 4  # ways that are looked at in one step
_BETWEEN = 0.2  # m between the discs that stand for the way of another one


class ClearWays:
    """Plans the ways of one agent round those that stand, and past those that drive.

    Where others are going to be is foretold from the paths that they follow now, step by step.

    Args:
        agent: The agent.
        radius: How much room it needs about its middle [m].
        clearance: Least room between it and others [m].
        radii: How much room others need, by their object number [m]; of those that are not
            there, half the diagonal of the bounding box counts.
        dt: Length of a step [s].
    """

    def __init__(
        self, agent: Any, radius: float, clearance: float, radii: dict[int, float], dt: float
    ) -> None:
        self._agent, self._radius, self._dt = agent, radius, dt
        x, y, self._z = (float(value) for value in agent.get_pose().position)
        self._here: tuple[float, float] = (x, y)
        self._others: list[tuple[Places, float]] = []
        for other in agent.sim_core.agents:
            if other is agent or other.use_fixed_base:
                continue
            places = self._ahead(other)
            apart = math.dist(places[0], self._here)
            size = radii[other.object_id] if other.object_id in radii else _half_diagonal(other)
            # Two that begin closer to one another than that may not come closer still.
            self._others.append((places, min(radius + clearance + size, apart)))

    def find(self, read: OccupancyMap, goal: tuple[float, float]) -> Way | None:
        """The way to a place; None: there is none now on which nobody is met.

        Args:
            read: The map.
            goal: The place [m].

        Raises:
            InvalidArgumentError: The map alone has no such way.
        """
        way = plan(read, self._here, goal, self._radius)
        avoided = {at for at, (places, _) in enumerate(self._others) if len(places) == 1}
        met = self._met(way)
        for _ in range(_TRIES):
            if not met:
                return way
            avoided |= met
            discs = [disc for at in sorted(avoided) for disc in self._discs(at)]
            with contextlib.suppress(InvalidArgumentError):
                way = plan(read, self._here, goal, self._radius, discs)
                met = self._met(way)
                continue
            return None
        return None

    def _ahead(self, other: Any) -> Places:
        driver = other._driver()
        if not other.is_moving or not isinstance(driver, KinematicController):
            return np.array([other.get_pose().position[:2]], dtype=np.float64)
        now = self._agent._now()
        return foretelling.places_ahead(other._tables, driver._m, now, self._dt)

    def _own(self, way: Way) -> Places:
        """Where the agent is going to be on a way."""
        driver = self._agent._driver()
        path = [Pose.from_xyz(*place, self._z) for place in way]
        if math.dist(way[0], self._here) > _NEAR:
            path.insert(0, self._agent.get_pose())
        if not isinstance(driver, KinematicController):
            return np.array(way)
        return foretelling.places_on(
            self._agent._tables,
            driver._m,
            rows_of_path(path),
            direction_number(driver.params.default_direction),
            self._agent._now(),
            self._dt,
        )

    def _met(self, way: Way) -> set[int]:
        """Numbers of the others that would come too near on a way."""
        own = self._own(way)
        return {
            at for at, (places, apart) in enumerate(self._others) if _nearest(own, places) < apart
        }

    def _discs(self, at: int) -> Sequence[Disc]:
        """Discs that cover where another one is and goes."""
        places, apart = self._others[at]
        steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
        ways = np.floor(np.concatenate([[0.0], np.cumsum(steps)]) / _BETWEEN)
        kept = places[np.unique(ways, return_index=True)[1]].tolist()
        return [(x, y, apart - self._radius) for x, y in [*kept, places[-1].tolist()]]


def _nearest(own: Places, other: Places) -> float:
    """The least distance of two that move, a step earlier or later counted in [m]."""
    count = max(len(own), len(other)) + 2
    times = np.arange(count)
    mine = own[np.minimum(times, len(own) - 1)]
    least = math.inf
    for shift in (-1, 0, 1):
        theirs = other[np.clip(times + shift, 0, len(other) - 1)]
        least = min(least, float(np.linalg.norm(mine - theirs, axis=1).min()))
    return least


def _half_diagonal(agent: Any) -> float:
    """Half the diagonal of the bounding box along the floor [m]."""
    tables, row = agent._tables, agent._row
    bounding_boxes.renew_bounds(tables, np.array([row]))
    body = tables.bodies.data[row]
    return 0.5 * float(np.hypot(*(body["high"] - body["low"])[:2]))
