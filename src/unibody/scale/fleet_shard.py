"""One shard of a fleet: it moves the agents of a strip of space, and finds what they collide with.

Every shard builds the whole simulation, so that rows, numbers and shapes are the same in all; then
it forgets all agents but its own, of which others have only their row of ``bodies``. Rows of others
are out of date, but for the halo, which its neighbours send in every step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.agents.agent import Agent
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.bodies.physics_world import close_physics_world
from unibody.fleet.collisions import near_pairs, pair_kernels
from unibody.scale.carried_agents import Kinds
from unibody.scale.carried_agents import drivers as drivers_of
from unibody.scale.forgotten_agents import forget_agents
from unibody.scale.handover import Message, adopt, packed, unpack_near

Array = NDArray[Any]
_NONE = np.zeros(0, dtype=np.int64)
_ROUNDING = 1e-6  # m: more than the reach of an agent is off by


class FleetShard:
    """The agents whose position along x lies between two borders.

    A step of a shard is one call: take over what the others sent after their last step, find the
    collisions of that step, move, and say what each of the others has to know.

    Args:
        build: Makes the simulation, the same one at every call.
        number: Of this shard.
        borders: Between the shards, ascending [m]; None: there is no other one.

    Attributes:
        number: Of this shard.
    """

    def __init__(self, build: Callable[[], Any], number: int, borders: Array | None = None) -> None:
        self._core = core = build()
        self.number: int = number
        self._borders = np.zeros(0) if borders is None else borders
        self._ends = np.concatenate([[-np.inf], self._borders, [np.inf]])
        self._bodies_of = core._tables.bodies
        rows = np.array([agent._row for agent in core.agents], dtype=np.int64)
        others = [obj._row for obj in core.sim_objects if not isinstance(obj, Agent)]
        self._still = np.array(others, dtype=np.int64)
        core._collisions.find_cell()
        count = len(self._bodies_of.data)
        self._collides = np.zeros(count, dtype=bool)
        self._collides[core._collisions.rows] = True
        self._is_still, self._is_mine = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        self._is_still[self._still] = True
        numbers = self._bodies_of.data["user"]
        self._row_of = np.full(int(numbers.max(initial=-1)) + 1, -1, dtype=np.int64)
        known = np.concatenate([rows, self._still])
        self._row_of[numbers[known]] = known
        self._reach = self._largest_reach(rows[self._collides[rows]])
        self._keys, self._left, self._checked, self._due = _NONE, _NONE, 0.0, False
        self._begun = self._handed_over = 0
        self._same = self._digest()
        self._rows = np.sort(rows[self._shard_of(rows) == number])
        self._is_mine[self._rows] = True
        self._agents: dict[int, Agent] = {}
        self._kinds = Kinds(core)
        self._keep_own()

    def _keep_own(self) -> None:
        """Make the agents of this shard anew, and forget all that were built.

        Those that stay would hold whole pieces of memory otherwise, in which most has ended.
        """
        core, bodies = self._core, self._bodies_of.data
        by_row = {agent._row: agent for agent in core.agents}
        own = [by_row[row] for row in self._rows.tolist()]
        drivers = sum(len(drivers_of(agent)) for agent in own)
        kept = packed(bodies, _NONE, own, _NONE, self._kinds)
        del by_row, own
        forget_agents(core, self._kinds.batches, drivers + 1)
        self._take_in(adopt(bodies, kept, self._kinds))

    def _digest(self) -> bytes:
        """What must be the same in all shards, in a few bytes."""
        bodies = self._bodies_of.data
        rows = np.array([obj._row for obj in self._core.sim_objects], dtype=np.int64)
        found = hashlib.sha256(rows.tobytes())
        for name in ("user", "role", "pos"):
            found.update(bodies[name][rows].tobytes())
        return found.digest()

    def _take_in(self, agents: Sequence[Agent]) -> None:
        """Step agents that were made in this shard."""
        objects = self._core._sim_objects_dict
        for agent in agents:
            self._agents[agent._row] = objects[agent.object_id] = agent
            agent._changed()

    def _let_go(self, rows: Array) -> None:
        """End agents of this shard, which another one has now."""
        core, by_batch = self._core, {}
        for row in rows.tolist():
            agent = self._agents.pop(row)
            del core._sim_objects_dict[agent.object_id]
            core._updates.drop(agent.object_id)
            batch = agent._batch_controller
            if batch is not None:
                by_batch.setdefault(id(batch), (batch, []))[1].append(agent)
        for batch, agents in by_batch.values():
            batch.let_go(agents)

    def _shard_of(self, rows: Array) -> Array:
        x = self._bodies_of.data["pos"][rows, 0]
        return np.searchsorted(self._borders, x, side="right")

    def _largest_reach(self, rows: Array) -> float:
        """How far an agent reaches from its position at most, however it is turned [m]."""
        bodies = self._bodies_of.data
        bounding_boxes.renew_bounds(self._core._tables, rows)
        ends = np.stack([bodies["high"][rows], bodies["low"][rows]]) - bodies["pos"][rows]
        farthest = np.linalg.norm(np.abs(ends).max(axis=0), axis=1)
        return float(farthest.max(initial=0.0)) + _ROUNDING

    def about(self) -> bytes:
        """A digest of what must be the same in all shards."""
        return self._same

    # --- one step ------------------------------------------------------------------------------

    def step(self, *messages: Message) -> Any:
        """Take in what the others sent, and do one step.

        Args:
            messages: From the other shards, after their last step; none before the first one.

        Returns:
            A message to each shard, none to this one; no list if it is the only one.
        """
        self.settle(*messages)
        core = self._core
        now = core.sim_time = core._elapsed_sim_time
        core._updates.advance(core.params.timestep, now, core._registered_managers)
        core._elapsed_sim_time += core.params.timestep
        core._step_count += 1
        frequency = core._collision_check_frequency
        self._due = frequency is None or (frequency > 0 and now - self._checked >= 1.0 / frequency)
        if self._due:
            self._checked = now
            own = self._rows[self._collides[self._rows]]
            bounding_boxes.renew_bounds(core._tables, own)
        sent = self._messages()
        return sent if len(sent) > 1 else sent[0]

    def settle(self, *messages: Message) -> None:
        """Take in what the others sent, and find the collisions of the last step."""
        bodies = self._bodies_of.data
        near = [self._left]
        for message in messages:
            near.append(message.near)
            unpack_near(bodies, message)
            self._take_in(adopt(bodies, message, self._kinds))
            self._is_mine[message.rows] = True
        self._left = _NONE
        if any(len(each.rows) for each in messages):
            self._rows = np.sort(np.concatenate([self._rows, *(each.rows for each in messages)]))
            self._keys = np.sort(np.concatenate([self._keys, *(each.keys for each in messages)]))
        if self._due:
            self._due = False
            self._collide(np.concatenate(near))

    def _messages(self) -> list[Message | None]:
        """What each of the others has to know; those that crossed a border are let go."""
        bodies, shards = self._bodies_of.data, len(self._ends) - 1
        if shards == 1:
            return [None]
        homes = self._shard_of(self._rows)
        leaving = homes != self.number
        seen = self._rows[self._collides[self._rows]] if self._due else _NONE
        room = self._core._collisions._margin() + self._reach
        low, high = bodies["low"][seen, 0] - room, bodies["high"][seen, 0] + room
        gone, to = self._rows[leaving], homes[leaving]
        owner = np.full(len(self._keys), self.number)
        if len(gone):
            owners = self._row_of[self._owners(self._keys)]
            there = self._is_still[owners]
            owner = np.where(there, self.number, self._shard_of(owners))
        found: list[Message | None] = []
        for number in range(shards):
            if number == self.number:
                found.append(None)
                continue
            near = seen[(high >= self._ends[number]) & (low <= self._ends[number + 1])]
            rows = gone[to == number]
            if len(rows):
                self._is_mine[rows] = False
                near = near[self._is_mine[near]]
                self._is_mine[rows] = True
            agents = [self._agents[row] for row in rows.tolist()]
            found.append(packed(bodies, near, agents, self._keys[owner == number], self._kinds))
        self._let_go(gone)
        self._is_mine[gone] = False
        self._keys = self._keys[owner == self.number]
        self._rows, self._left = self._rows[~leaving], gone
        self._handed_over += len(gone)
        return found

    # --- collisions ----------------------------------------------------------------------------

    def _collide(self, near: Array) -> None:
        """Find what agents of this shard collide with.

        Args:
            near: Rows of agents of others that they may touch.
        """
        core, bodies = self._core, self._bodies_of.data
        visible = np.concatenate([self._rows, self._still, near])
        rows = np.sort(visible[self._collides[visible]])
        system = core._collisions
        margin, skip = system._margin(), bool(core._ignore_static_collision)
        pairs = near_pairs.pairs_among(bodies, rows, system.cell, margin, skip)
        hits = pairs[near_pairs.closer_than(core._tables, pairs, rows, margin)]
        found = pair_kernels.keys_of(hits, rows, bodies)
        found = found[self._belongs(found)]
        moved = np.ones(len(bodies), dtype=bool)  # who is out of sight has moved
        moved[visible] = bodies["moved"][visible] != 0
        first, second = self._row_of[self._keys >> 32], self._row_of[self._keys & 0xFFFFFFFF]
        kept = self._keys[~(moved[first] | moved[second])]
        self._keys, begun, _ = pair_kernels.changes(self._keys, kept, found)
        self._begun += len(begun)
        bodies["moved"][visible] = 0

    def _owners(self, keys: Array) -> Array:
        """Number of the first agent of each pair, or of the first object where there is none."""
        first, second = keys >> 32, keys & 0xFFFFFFFF
        still = self._is_still[self._row_of[first]] & ~self._is_still[self._row_of[second]]
        return np.where(still, second, first)

    def _belongs(self, keys: Array) -> Array:
        """Which pairs are this shard's; those without an agent are the first one's."""
        owners = self._row_of[self._owners(keys)]
        return np.where(self._is_still[owners], self.number == 0, self._is_mine[owners])

    # --- looks ---------------------------------------------------------------------------------

    def looked(self, *messages: Message) -> dict[str, Any]:
        """Take in what the others sent, and tell of the agents of this shard.

        Returns:
            Numbers, positions, orientations, velocities and actions of the agents; ``keys`` of the
            pairs that collide, ``begun``, how many collisions began, and ``handed_over``.
        """
        self.settle(*messages)
        bodies = self._bodies_of.data
        found: dict[str, Any] = {
            name: bodies[name][self._rows].copy()
            for name in ("user", "pos", "quat", "vel", "spin", "moving")
        }
        agents = [self._agents[row] for row in self._rows.tolist()]
        found["actions"] = np.array(
            [len(a._action_queue) + (a._current_action is not None) for a in agents], dtype=np.int64
        )
        return {
            **found,
            "keys": self._keys.copy(),
            "begun": self._begun,
            "handed_over": self._handed_over,
        }

    def close(self) -> None:
        """End the simulation."""
        close_physics_world(self._core._physics_world)
