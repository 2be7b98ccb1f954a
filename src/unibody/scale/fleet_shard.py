"""One shard of a fleet: it moves the agents of a strip of space, and finds what they collide with.

Every shard builds the whole simulation, so that rows, numbers and shapes are the same in all; it
steps only what it owns. What it does not own is out of date, but for the halo, which its neighbours
send in every step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.recfunctions import repack_fields
from numpy.typing import NDArray

from unibody.fleet.agents.agent import Agent
from unibody.fleet.bodies.physics_world import close_physics_world
from unibody.fleet.collisions import near_pairs, pair_kernels
from unibody.fleet.controllers.deciding import DecidingController
from unibody.fleet.motion import motion_kernels

Array = NDArray[Any]
Passenger = dict[str, Any]
"""An agent on its way to another shard: its row, its controllers and its actions."""

_KEPT = ("_timers", "_place", "params")  # of a controller that decides: its own in every shard
_HALO = ("pos", "quat", "vel", "spin", "low", "high", "moving", "moved", "stale")


class FleetShard:
    """The agents whose position along x lies between two borders.

    Args:
        build: Makes the simulation, the same one at every call.
        number: Of this shard.
        borders: Between the shards, ascending [m]; None: there is no other one.
    """

    def __init__(self, build: Callable[[], Any], number: int, borders: Array | None = None) -> None:
        self._core = core = build()
        self._number = number
        self._borders = np.zeros(0) if borders is None else borders
        self._bodies_of = core._tables.bodies
        self._agents: dict[int, Agent] = {agent._row: agent for agent in core.agents}
        rows = np.array(list(self._agents), dtype=np.int64)
        mine = self._shard_of(rows) == number
        self._rows = np.sort(rows[mine])
        others = [obj._row for obj in core.sim_objects if not isinstance(obj, Agent)]
        self._still = np.array(others, dtype=np.int64)
        core._collisions.find_cell()
        self._collides = np.zeros(len(self._bodies_of.data), dtype=bool)
        self._collides[core._collisions.rows] = True
        for row in rows[~mine].tolist():
            self._release(self._agents[row])

    def _shard_of(self, rows: Array) -> Array:
        x = self._bodies_of.data["pos"][rows, 0]
        return np.searchsorted(self._borders, x, side="right")

    def about(self) -> tuple[Array, Any]:
        """Positions of the agents along x [m], and what must be the same in all shards."""
        bodies = self._bodies_of.data
        rows = np.array([obj._row for obj in self._core.sim_objects], dtype=np.int64)
        same = [bodies[name][rows].tobytes() for name in ("user", "role", "pos")]
        agents = np.array(list(self._agents), dtype=np.int64)
        return bodies["pos"][agents, 0], (rows.tobytes(), *same)

    # --- one step ------------------------------------------------------------------------------

    def advance(self, arrivals: list[Passenger]) -> tuple[float, float]:
        """Take agents over and move all by one step; from where to where they reach along x [m]."""
        self.take(arrivals)
        core = self._core
        core.sim_time = core._elapsed_sim_time
        core._updates.advance(core.params.timestep, core.sim_time, core._registered_managers)
        core._elapsed_sim_time += core.params.timestep
        core._step_count += 1
        core._collisions.all_rows_now()
        core._boxes_of_all()
        bodies = self._bodies_of.data
        taking_part = self._rows[self._collides[self._rows]]
        margin = core._collisions._margin()
        low = float(bodies["low"][taking_part, 0].min(initial=np.inf)) - margin
        return low, float(bodies["high"][taking_part, 0].max(initial=-np.inf)) + margin

    def halo(self, reaches: list[tuple[float, float]]) -> list[tuple[Array, Array]]:
        """What others may touch: for each shard rows and where they are.

        Args:
            reaches: Of all shards.
        """
        bodies = self._bodies_of.data
        rows = self._rows[self._collides[self._rows]]
        found: list[tuple[Array, Array]] = []
        for number, (low, high) in enumerate(reaches):
            seen = (bodies["high"][rows, 0] >= low) & (bodies["low"][rows, 0] <= high)
            near = rows[seen & (number != self._number)]
            found.append((near, repack_fields(bodies[list(_HALO)][near])))
        return found

    def collide(self, halo: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        """Find what agents of this shard collide with.

        Args:
            halo: From all shards.

        Returns:
            Keys of the pairs that belong to this shard, and numbers of what moved here.
        """
        core, bodies = self._core, self._bodies_of.data
        for near, values in halo:
            for name in _HALO:
                bodies[name][near] = values[name]
        ghosts = np.concatenate([near for near, _ in halo]) if halo else self._rows[:0]
        rows = np.concatenate([self._rows, self._still, ghosts])
        rows = np.sort(rows[self._collides[rows]])
        system = core._collisions
        margin, skip = system._margin(), bool(core._ignore_static_collision)
        pairs = near_pairs.pairs_among(bodies, rows, system.cell, margin, skip)
        hits = pairs[near_pairs.closer_than(core._tables, pairs, rows, margin)]
        keys = pair_kernels.keys_of(hits[self._belongs(rows[hits])], rows, bodies)
        seen = np.concatenate([self._rows, self._still])
        moved = bodies["user"][seen[bodies["moved"][seen] != 0]]
        bodies["moved"][seen] = 0
        return keys, moved

    def _belongs(self, pairs: Array) -> Array:
        """Which pairs of rows are this shard's: by the first agent; those without, the first's."""
        user = self._bodies_of.data["user"]
        still = np.isin(pairs, self._still)
        first = np.where(user[pairs[:, 0]] <= user[pairs[:, 1]], 0, 1)
        at = np.arange(len(pairs))
        first = np.where(still[at, first], 1 - first, first)
        own = np.isin(pairs[at, first], self._rows)
        return np.where(still.all(axis=1), self._number == 0, own)

    # --- borders -------------------------------------------------------------------------------

    def depart(self) -> list[tuple[int, Passenger]]:
        """Let go of the agents that crossed a border: to which shard each goes, and what it is."""
        shards = self._shard_of(self._rows)
        leaving = shards != self._number
        found: list[tuple[int, Passenger]] = []
        for row, shard in zip(self._rows[leaving].tolist(), shards[leaving].tolist(), strict=True):
            agent = self._agents[row]
            found.append((shard, self._passenger(agent)))
            self._release(agent)
        self._rows = self._rows[~leaving]
        return found

    def _passenger(self, agent: Agent) -> Passenger:
        batch = agent._batch_controller
        return {
            "row": agent._row,
            "body": repack_fields(self._bodies_of.data[list(_HALO)][agent._row : agent._row + 1]),
            "drivers": [(*each._held(), each._path) for each in _drivers(agent)],
            "rested": batch is not None and batch.member(agent)._m in batch._busy,
            "deciding": [_decided(each) for each in _deciding(agent)],
            "actions": (agent._current_action, agent._action_queue),
        }

    def _release(self, agent: Agent) -> None:
        """Leave an agent to another shard."""
        for driver in _drivers(agent):
            driver._motion["mode"] = motion_kernels.IDLE
        agent._current_action, agent._action_queue = None, []
        self._core._updates.drop(agent.object_id)

    def _adopt(self, passenger: Passenger) -> None:
        """Take an agent over from another shard."""
        row = passenger["row"]
        agent, body = self._agents[row], self._bodies_of.data[row : row + 1]
        for name in _HALO:
            body[name] = passenger["body"][name]
        for driver, (motion, points, path) in zip(
            _drivers(agent), passenger["drivers"], strict=True
        ):
            driver._put_back(motion, points)
            driver.bind(agent)
            driver._path = path
        batch = agent._batch_controller
        if batch is not None and passenger["rested"]:
            batch._busy = np.union1d(batch._busy, [batch.member(agent)._m])
        for controller, (attributes, wait) in zip(
            _deciding(agent), passenger["deciding"], strict=True
        ):
            vars(controller).update(attributes)
            controller._timers, controller._place = np.array([wait]), 0
        agent._current_action, agent._action_queue = passenger["actions"]
        self._core._note_agent(agent)

    def take(self, arrivals: list[Passenger]) -> None:
        """Take agents over from other shards."""
        for passenger in arrivals:
            self._adopt(passenger)
        rows = [passenger["row"] for passenger in arrivals]
        self._rows = np.sort(np.append(self._rows, rows).astype(np.int64))

    # --- looks ---------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Numbers, positions, orientations, velocities and actions of the agents of this shard."""
        bodies = self._bodies_of.data
        found: dict[str, Any] = {
            name: bodies[name][self._rows].copy()
            for name in ("user", "pos", "quat", "vel", "spin", "moving")
        }
        agents = [self._agents[row] for row in self._rows.tolist()]
        found["actions"] = np.array(
            [len(a._action_queue) + (a._current_action is not None) for a in agents], dtype=np.int64
        )
        return found

    def close(self) -> None:
        """End the simulation."""
        close_physics_world(self._core._physics_world)


def _drivers(agent: Agent) -> list[Any]:
    """Controllers that have a row: of the base, and that of a batch controller."""
    batch = agent._batch_controller
    return [*agent._controllers[:1], *([] if batch is None else [batch.member(agent)])]


def _deciding(agent: Agent) -> list[DecidingController]:
    return [each for each in agent._controllers if isinstance(each, DecidingController)]


def _decided(controller: DecidingController) -> tuple[dict[str, Any], float]:
    held = {name: value for name, value in vars(controller).items() if name not in _KEPT}
    return held, controller._wait_timer
