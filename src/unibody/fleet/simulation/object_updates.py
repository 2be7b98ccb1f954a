"""What moves the objects of a simulation in a step: the kernels, or Python for those they leave."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.fleet.agents.agent import Agent
from unibody.fleet.bodies.tables import Tables
from unibody.fleet.controllers.circuit_controller import CircuitController
from unibody.fleet.controllers.controller import DifferentialController, OmniController
from unibody.fleet.controllers.deciding import Decisions
from unibody.fleet.controllers.patrol_controller import PatrolController
from unibody.fleet.controllers.random_walk_controller import RandomWalkController
from unibody.fleet.controllers.route_controller import RouteController
from unibody.fleet.foundation.events import SimEvents
from unibody.fleet.motion import advance
from unibody.fleet.motion import motion_kernels as kernels
from unibody.fleet.objects.sim_object import SimObject

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NONE = np.zeros(0, dtype=np.int64)
_DECIDING = (CircuitController, PatrolController, RandomWalkController, RouteController)


class ObjectUpdates:
    """Who has to be updated in a step, sorted by what does it.

    Args:
        tables: The arrays of the simulation.
        objects: Its objects by number.

    Attributes:
        busy: Objects that are updated in Python, by number.
        plain: Agents whose base a kernel moves.
        jointed: Agents whose joints a kernel moves.
        carriers: Agents that a kernel moves, and what they carry after them.
        listeners: Agents that a kernel moves, and that tell who listens.
        noted: Agents that changed in what decides where they belong.
        regroup: The groups changed since the rows below were worked out.
        motion_rows: Rows of the motions of ``plain``.
        heard_rows: Rows of the motions of ``listeners``.
        joint_rows: Rows of the bodies of ``jointed``, and how many joints each has.
        decisions: Of those of ``plain`` with controllers that decide where they go.
    """

    def __init__(self, tables: Tables, objects: dict[int, SimObject]) -> None:
        self._tables = tables
        self._objects = objects
        self.busy: dict[int, Any] = {}
        self.plain: dict[int, Agent] = {}
        self.jointed: dict[int, Agent] = {}
        self.carriers: dict[int, Agent] = {}
        self.noted: dict[int, Agent] = {}
        self.listeners: dict[int, Agent] = {}
        self.decisions = Decisions([])
        self.motion_rows = self.heard_rows = _NONE
        self.joint_rows = (_NONE, _NONE)
        self.regroup = False

    def add(self, obj: SimObject) -> None:
        """Take in an object of the simulation."""
        if isinstance(obj, Agent):
            self.note(obj)
        elif obj._needs_update:
            self.busy[obj.object_id] = obj
            self.regroup = True

    def note(self, agent: Agent) -> None:
        """An agent changed in what decides how it is updated."""
        self.noted[agent.object_id] = agent

    def drop(self, number: int) -> None:
        """Forget an object."""
        for group in (*self.groups(), self.noted):
            group.pop(number, None)
        self.regroup = True

    def clear(self) -> None:
        """Forget all objects."""
        for group in (*self.groups(), self.noted):
            group.clear()
        self.regroup = True

    def groups(self) -> tuple[dict[int, Any], ...]:
        """Agents by number: by what has to be done for them in a step."""
        return self.busy, self.plain, self.jointed, self.carriers, self.listeners

    def _group_agents(self) -> None:
        """Sort agents into those the kernels do alone, and those that need more."""
        for number, agent in self.noted.items():
            if self._objects.get(number) is not agent:
                continue
            plain = _is_plain(agent)
            for group in self.groups():
                group.pop(number, None)
            if not plain:
                self.busy[number] = agent
                continue
            if agent._batch_controller is None and not agent.use_fixed_base:
                self.plain[number] = agent
                agent._controllers[0].bind(agent)
            if agent._joints_pending():
                self.jointed[number] = agent
            if agent.attached_objects:
                self.carriers[number] = agent
            if _hears(agent, SimEvents.POST_UPDATE):
                self.listeners[number] = agent
        self.regroup = self.regroup or bool(self.noted)
        self.noted.clear()
        if not self.regroup:
            return
        self.regroup = False
        self.busy = dict(sorted(self.busy.items()))
        rows = [agent._controllers[0]._m for agent in self.plain.values()]
        self.motion_rows: NDArray[np.int64] = np.array(rows, dtype=np.int64)
        self.listeners = dict(sorted(self.listeners.items()))
        heard = [agent._controllers[0]._m for agent in self.listeners.values()]
        self.heard_rows: NDArray[np.int64] = np.array(heard, dtype=np.int64)
        above = [(at, a) for at, a in enumerate(self.plain.values()) if len(a._controllers) > 1]
        self.decisions: Decisions = Decisions(above)
        jointed = self.jointed.values()
        self.joint_rows: tuple[NDArray[np.int64], NDArray[np.int64]] = (
            np.array([agent._row for agent in jointed], dtype=np.int64),
            np.array([len(agent.joint_info) for agent in jointed], dtype=np.int64),
        )

    def advance(self, dt: float, sim_time: float, managers: Sequence[Any]) -> None:
        """Update all objects by one step.

        Args:
            dt: Of the step [s].
            sim_time: At its beginning [s].
            managers: Of the simulation; some drive many agents at once.
        """
        if self.noted or self.regroup:
            self._group_agents()
        for manager in managers:
            batch = getattr(manager, "batch_controller", None)
            if batch is not None:
                batch.synchronized_batch_advance(dt)
        deciding, told = self._advance_plain(dt, sim_time)
        if self.jointed:
            self._advance_joints(dt)
        for carrier in self.carriers.values():
            carrier._carry_along()
        self._call_agents(dt, deciding, told)

    def _advance_plain(
        self, dt: float, sim_time: float
    ) -> tuple[list[Agent], list[tuple[Agent, bool]]]:
        """Let the kernels move agents.

        Returns:
            Those that were left out, because they have a decision to make; and those others with
            listeners, each with whether it is on its way.
        """
        motions, rows, told = self._tables.motions.data, self.motion_rows, []
        deciding: list[Agent] = []
        if len(self.decisions):
            deciding, places = self.decisions.pass_time(self._tables.bodies.data, dt)
            rows = np.delete(rows, places)
        before = motions["mode"][self.heard_rows]
        if len(rows):
            advance.advance(self._tables, rows, sim_time, dt)
        if self.listeners:
            after = motions["mode"][self.heard_rows]
            on_way = (before == kernels.POSE) | (before & after == kernels.VELOCITY)
            told = list(zip(self.listeners.values(), on_way.tolist(), strict=True))
            if deciding:
                numbers = {id(agent) for agent in deciding}
                told = [(agent, moved) for agent, moved in told if id(agent) not in numbers]
        return deciding, told

    def _call_agents(
        self, dt: float, deciding: list[Agent], told: list[tuple[Agent, bool]]
    ) -> None:
        """Do what takes Python, in the order of the objects."""
        if not self.busy and not deciding:
            for agent, on_way in told:
                if (bus := agent._events) is not None:
                    bus._emit_updated(dt, on_way)
            return
        turns: list[tuple[int, Any, bool | None]] = [
            *((number, obj, None) for number, obj in self.busy.items()),
            *((agent.object_id, agent, None) for agent in deciding),
            *((agent.object_id, agent, moved) for agent, moved in told),
        ]
        turns.sort(key=itemgetter(0))
        busy = set(self.busy)
        for number, obj, on_way in turns:
            if on_way is not None:
                obj._events._emit_updated(dt, on_way)
                continue
            moved = obj.update(dt) if number in busy else _update_heard_base(obj, dt)
            if moved and not obj._simulated:
                self._tables.bodies.data["moved"][obj._row] = 1

    def _advance_joints(self, dt: float) -> None:
        rows, counts = self.joint_rows
        moved = np.zeros(len(rows), dtype=np.uint8)
        busy = np.zeros(len(rows), dtype=np.uint8)
        kernels.move_joints(
            rows, counts, self._tables.bodies.data, self._tables.joints.data, dt, moved, busy
        )
        if not busy.all():
            arrived = [n for n, still in zip(self.jointed, busy, strict=True) if not still]
            for number in arrived:
                del self.jointed[number]
            self.regroup: bool = True

    def follow_links(self) -> None:
        """Let what is attached to links of robots the engine moves follow them."""
        for obj in self.busy.values():
            if isinstance(obj, Agent) and obj._simulated and obj.attached_objects:
                obj.update_attached_objects_kinematics()


def _is_plain(agent: Agent) -> bool:
    """Whether the kernel alone can do everything this agent does in a step."""
    base = agent._batch_controller is not None or agent.use_fixed_base
    return (
        type(agent).update is Agent.update
        and (base or _has_known_controllers(agent))
        and not (agent._batch_controller is not None and len(agent._controllers) > 1)
        and agent._current_action is None
        and not agent._action_queue
        and not agent._plugins
        and not agent._simulated
        and not _hears(agent, SimEvents.PRE_UPDATE)
        and not (_hears(agent, SimEvents.POST_UPDATE) and (base or agent._joints_pending()))
    )


def _has_known_controllers(agent: Agent) -> bool:
    """Whether one of ours drives the base, and all above it only decide where it goes."""
    kinds = [type(controller) for controller in agent._controllers]
    return (
        bool(kinds)
        and kinds[0] in (OmniController, DifferentialController)
        and all(kind in _DECIDING for kind in kinds[1:])
    )


def _hears(agent: Agent, event: str) -> bool:
    """Whether somebody listens to an event at the object's own bus."""
    return agent._events is not None and agent._events.has_handlers(event)


def _update_heard_base(agent: Agent, dt: float) -> bool:
    """Let the controllers do one step, and tell those who listen to updates."""
    moved = agent._update_base(dt)
    if agent._events is not None:
        agent._events._emit_updated(dt, moved)
    return moved
