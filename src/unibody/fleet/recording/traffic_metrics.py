"""How the traffic of a simulation flows: throughput, waiting, near misses, deadlocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.collisions import near_pairs
from unibody.fleet.recording.traffic_map import TrafficMap

_SLOW = 0.01  # m/s and rad/s: slower is standing still
_COLUMNS = (
    "time", "moving", "mean_speed", "arrivals", "collisions", "near_misses", "deadlocks", "waiting",
)  # fmt: skip
_HIGH = 32
Rows = NDArray[np.int64]


class TrafficMetrics:
    """Watches the agents of a simulation that can drive; call `step` after each of its steps.

    Args:
        core: The simulation.
        near: Two agents that come closer than this without a collision are a near miss [m];
            0 counts none.
        stuck_after: An agent that has somewhere to go and neither drives nor turns for so long is
            in a deadlock [s].

    Attributes:
        series: A tuple a step: time [s], agents on their way, their mean speed [m/s], and, since
            the beginning, arrivals, collisions, near misses and deadlocks; last,
            how many of those on their way stand still.
        map: Where agents were while they were on their way.
    """

    columns = _COLUMNS

    def __init__(self, core: Any, near: float = 0.3, stuck_after: float = 10.0) -> None:
        self._core = core
        self._near = near
        self._stuck_after = stuck_after
        self._ids = np.zeros(0, dtype=np.int64)
        self._last = np.zeros((0, 3))
        self._last_turns = np.zeros((0, 4))
        self._was_moving = np.zeros(0, dtype=bool)
        self._still = np.zeros(0)
        self._pairs = np.zeros(0, dtype=np.int64)
        self._time = core.sim_time
        self.distance: float = 0.0
        self.waiting: float = 0.0
        self.busy: float = 0.0
        self.arrivals: int
        self.near_misses: int
        self.deadlocks: int
        self.arrivals = self.near_misses = self.deadlocks = 0
        self.series: list[tuple[float, ...]] = []
        self.map: TrafficMap = TrafficMap()
        self._renew()

    def _renew(self) -> Rows:
        """Rows of the agents that can drive, and what is known of them; of new ones nothing."""
        agents = [agent for agent in self._core.agents if not agent.use_fixed_base]
        rows = np.array([agent._row for agent in agents], dtype=np.int64)
        ids = self._core._tables.bodies.data["user"][rows]
        if not np.array_equal(ids, self._ids):
            self._core._physics_world.read()
            self._ids = ids
            self._last = self._core._tables.bodies.data["pos"][rows].copy()
            self._last_turns = self._core._tables.bodies.data["quat"][rows].copy()
            self._was_moving = np.zeros(len(rows), dtype=bool)
            self._still = np.zeros(len(rows))
        self._moving_now = self._core._tables.bodies.data["moving"][rows] != 0
        return rows

    def step(self) -> None:
        """Take in what the last step did."""
        core = self._core
        core._physics_world.read()
        dt = core.params.timestep
        rows = self._renew()
        positions = self._core._tables.bodies.data["pos"][rows]
        turns = self._core._tables.bodies.data["quat"][rows]
        way = np.linalg.norm(positions - self._last, axis=1)
        moving = self._moving_now
        slow = moving & (way < _SLOW * dt) & (_angles(turns, self._last_turns) < _SLOW * dt)
        self.map.step(positions[moving], dt)
        self.distance += float(way.sum())
        self.busy += dt * float(moving.sum())
        self.waiting += dt * float(slow.sum())
        self.arrivals += int((self._was_moving & ~moving).sum())
        before = self._still
        self._still = np.where(slow, before + dt, 0.0)
        limit = self._stuck_after
        self.deadlocks += int(((self._still >= limit) & (before < limit)).sum())
        if self._near > 0.0:
            self._count_near_misses(rows)
        self._last, self._last_turns, self._was_moving = positions, turns, moving
        self._time += dt
        speed = float(way[moving].mean()) / dt if moving.any() else 0.0
        self.series.append(
            (
                round(self._time, 9), int(moving.sum()), speed, self.arrivals,
                core._collision_count, self.near_misses, self.deadlocks, int(slow.sum()),
            )
        )  # fmt: skip

    def _count_near_misses(self, rows: Rows) -> None:
        bodies = self._core._tables.bodies.data
        taking_part = rows[bodies["role"][rows] == 1]
        if not len(taking_part):
            return
        moved = bodies["moved"][taking_part].copy()
        bodies["moved"][taking_part] = self._moving_now[bodies["role"][rows] == 1]
        bounding_boxes.renew_bounds(self._core._tables, taking_part)
        cell = self._core._collisions.cell or 1.0
        pairs = near_pairs.find_pairs(
            self._core._tables, taking_part, max(cell, self._near), self._near, True
        )
        bodies["moved"][taking_part] = moved
        ids = np.sort(bodies["user"][taking_part[pairs]], axis=1)
        keys = np.unique((ids[:, 0] << _HIGH) | ids[:, 1])
        keys = np.setdiff1d(keys, self._core._collisions._keys, assume_unique=True)
        self.near_misses += len(np.setdiff1d(keys, self._pairs, assume_unique=True))
        self._pairs = keys

    def summary(self) -> dict[str, float]:
        """All figures of the run, by name with their unit."""
        time = self._time or 1.0
        return {
            "agents": len(self._ids),
            "simulated_s": self._time,
            "distance_m": self.distance,
            "arrivals": self.arrivals,
            "throughput_per_min": 60.0 * self.arrivals / time,
            "waiting_share": self.waiting / self.busy if self.busy else 0.0,
            "collisions": self._core._collision_count,
            "near_misses": self.near_misses,
            "deadlocks": self.deadlocks,
        }


def _angles(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angles between unit quaternions (n, 4) [rad]; exact for small ones."""
    apart = np.minimum(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
    return 4.0 * np.arcsin(np.minimum(0.5 * apart, 1.0))
