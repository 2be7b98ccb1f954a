"""Controllers that move many agents in one call."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.controllers.controller import Controller, KinematicController
from unibody.fleet.motion import advance
from unibody.fleet.motion import motion_kernels as kernels
from unibody.fleet.spatial.geometry import Pose

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent

_BUFFERS = ("_object_ids", "_pos_buf", "_orn_buf", "_moved_mask", "_was_moved")

BATCH_CONTROLLER_REGISTRY: dict[str, type[BatchKinematicController]] = {}
"""Batch controllers by name."""


class BatchKinematicController(Controller):
    """Moves the agents registered with it; their own base controllers rest meanwhile.

    For a batch controller of one's own: `batch_advance` fills ``_pos_buf`` and ``_orn_buf`` where
    ``_moved_mask`` is set, calls ``_apply_phase1(dt)``, and returns the mask.

    Attributes:
        _agents: The agents.
        _agent_index: Place of an agent among them, by ``id``.
        _object_ids: Their numbers, (n,).
        _pos_buf: Where they go [m], (n, 3).
        _orn_buf: Orientations (x, y, z, w), (n, 4).
        _moved_mask: Who moves in this step, (n,).
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        name = getattr(cls, "_registry_name", None)
        if name:
            BATCH_CONTROLLER_REGISTRY[name] = cls

    def __init__(self) -> None:
        super().__init__()
        self._state_lock = threading.RLock()
        self._sim_core: Any = None
        self._agents: list[Agent] = []
        self._agent_index: dict[int, int] = {}
        self._object_ids = np.zeros(0, dtype=np.int64)
        self._pos_buf = np.zeros((0, 3))
        self._orn_buf = np.zeros((0, 4))
        self._moved_mask = np.zeros(0, dtype=bool)
        self._was_moved = np.zeros(0, dtype=bool)
        self._room: dict[str, NDArray[Any]] = {}  # what the buffers are the front part of

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Not for batch controllers, whose agents have limits of their own.

        Raises:
            TypeError: Always.
        """
        raise TypeError(
            f"config={config!r} is not allowed: {cls.__name__} takes none, its limits are those of "
            "its agents' controllers; make it with AgentManager(fleet_controller={'type': ...})"
        )

    # --- who is there --------------------------------------------------------------------------

    def register_agent(self, agent: Agent) -> int:
        """Move an agent from now on, and return its place among the others.

        Raises:
            ValueError: It is registered, belongs to no simulation, or to another one.
        """
        if id(agent) in self._agent_index:
            raise ValueError(f"Agent {agent} is already registered with this batch controller.")
        core = getattr(agent, "sim_core", None)
        if core is None:
            raise ValueError(
                f"Agent {agent} has no sim_core; spawn it via Agent.from_params(..., sim_core) "
                "first."
            )
        if self._sim_core is not None and core is not self._sim_core:
            raise ValueError(
                "Agent belongs to a different sim_core than this batch controller's other agents."
            )
        self._sim_core = core
        place = self._agent_index[id(agent)] = len(self._agents)
        self._agents.append(agent)
        pose = agent.get_pose()
        values = (agent.object_id, pose.position, pose.orientation, False, False)
        for name, value in zip(_BUFFERS, values, strict=True):
            setattr(self, name, self._appended(name, value))
        agent._batch_controller = self
        agent._changed()
        self._on_agent_registered(place, agent)
        return place

    def _appended(self, name: str, value: Any) -> NDArray[Any]:
        """A buffer with one more row; room is doubled, so many registrations stay cheap."""
        rows = getattr(self, name)
        count, room = len(rows), self._room.get(name)
        if room is None or rows.base is not room or count == len(room):
            room = np.empty((max(16, 2 * count), *rows.shape[1:]), dtype=rows.dtype)
            room[:count] = rows
            self._room[name] = room
        room[count] = value
        return room[: count + 1]

    def unregister_agent(self, agent: Agent) -> None:
        """Leave an agent to its own controllers; the last one takes its place.

        Raises:
            KeyError: It is not registered.
        """
        if id(agent) not in self._agent_index:
            raise KeyError(f"Agent {agent} is not registered with this batch controller.")
        place = self._agent_index.pop(id(agent))
        last = self._agents.pop()
        if last is not agent:
            self._agents[place] = last
            self._agent_index[id(last)] = place
        for name in _BUFFERS:
            rows = getattr(self, name)
            rows[place] = rows[-1]
            setattr(self, name, rows[:-1].copy())
        agent._batch_controller = None
        agent._changed()
        self._on_agent_unregistered(place, agent)

    @property
    def agents(self) -> list[Agent]:
        """The agents."""
        return list(self._agents)

    def reset(self) -> None:
        """Leave all agents to their own controllers."""
        for agent in self.agents:
            self.unregister_agent(agent)

    def _on_agent_registered(self, idx: int, agent: Agent) -> None:
        """For subclasses: an agent came, at the last place."""

    def _on_agent_unregistered(self, idx: int, agent: Agent) -> None:
        """For subclasses: an agent left, and the last one took its place."""

    def _on_cancel_path(self, idx: int) -> None:
        """For subclasses: an agent shall stand still."""

    def member(self, agent: Agent) -> KinematicController | None:
        """The controller of one agent, if it has its own."""
        return None

    # --- moving --------------------------------------------------------------------------------

    def synchronized_set_path(self, agent: Agent, path: list[Pose], **kwargs: Any) -> None:
        """Let an agent follow a path, from any thread."""
        with self._state_lock:
            self.set_path(agent, path, **kwargs)

    def set_path(self, agent: Agent, path: list[Pose], **kwargs: Any) -> None:
        """For subclasses: let an agent follow a path.

        Raises:
            NotImplementedError: The subclass has no paths.
        """
        raise NotImplementedError(f"{type(self).__name__} follows no paths")

    def synchronized_cancel_path(self, agent: Agent) -> None:
        """Let an agent stand still, from any thread."""
        with self._state_lock:
            place = self._agent_index.get(id(agent))
            if place is not None:
                self._on_cancel_path(place)

    def synchronized_batch_advance(self, dt: float) -> NDArray[np.bool_]:
        """`batch_advance`, from any thread."""
        with self._state_lock:
            return self.batch_advance(dt)

    @abstractmethod
    def batch_advance(self, dt: float) -> NDArray[np.bool_]:
        """Move all agents by one step of ``dt`` seconds; who moved, (n,)."""

    def _apply_phase1(self, dt: float = 0.0) -> None:
        """Put the agents where the buffers say, with velocities to match."""
        mask = self._moved_mask
        bodies = self._sim_core._tables.bodies.data
        rows = np.array([agent._row for agent in self._agents], dtype=np.int64)
        stopped = rows[self._was_moved & ~mask]
        bodies["vel"][stopped] = 0.0
        bodies["spin"][stopped] = 0.0
        self._was_moved = mask.copy()
        if not mask.any():
            return
        moving = rows[mask]
        if dt > 0.0:
            bodies["vel"][moving] = (self._pos_buf[mask] - bodies["pos"][moving]) / dt
            turn = _yaws(self._orn_buf[mask]) - _yaws(bodies["quat"][moving])
            bodies["spin"][moving] = _wrap(turn) / dt
        self._sim_core.set_poses(
            self._object_ids[mask].tolist(), self._pos_buf[mask], self._orn_buf[mask]
        )

    def compute(self, agent: Agent, dt: float) -> bool:
        """Nothing: all agents are moved in one call."""
        return False

    def set_velocity(self, **kwargs: float) -> None:
        """Not for batch controllers.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            "Velocity mode is not supported in batch controllers. Use the per-agent "
            "OmniController / DifferentialController instead."
        )


class KernelBatchController(BatchKinematicController):
    """Moves all agents with the kernel that also moves agents on their own."""

    _member: type[KinematicController]

    def __init__(self) -> None:
        super().__init__()
        self._members: dict[int, KinematicController] = {}
        self._rows = np.zeros(0, dtype=np.int64)
        self._busy = self._rows
        self._stale = False

    def _on_agent_registered(self, idx: int, agent: Agent) -> None:
        member = self._member(agent.controller_params)
        member.bind(agent)
        self._members[id(agent)] = member
        self._stale = True

    def register_like(
        self, agents: Sequence[Agent], members: Sequence[KinematicController], first: Agent
    ) -> None:
        """Move agents from now on that are copies of one that is registered.

        Args:
            agents: The agents.
            members: The controller of each, a copy of the first one's.
            first: The one that is registered.
        """
        with self._state_lock:
            rows = [agent._row for agent in agents]
            bodies = first._tables.bodies.data[rows]
            none = np.zeros(len(agents), dtype=bool)
            values = (bodies["user"], bodies["pos"], bodies["quat"], none, none)
            for name, value in zip(_BUFFERS, values, strict=True):
                setattr(self, name, np.concatenate([getattr(self, name), value]))
            numbers = list(map(id, agents))
            places = range(len(self._agents), len(self._agents) + len(agents))
            self._agent_index.update(zip(numbers, places, strict=True))
            self._agents.extend(agents)
            self._members.update(zip(numbers, members, strict=True))
            self._stale = True

    def _on_agent_unregistered(self, idx: int, agent: Agent) -> None:
        del self._members[id(agent)]
        self._stale = True

    # --- agents that go to other processes and come from there ----------------------------------

    def forget_all(self) -> None:
        """Leave all agents, which end in this process."""
        self._agents, self._agent_index, self._members, self._room = [], {}, {}, {}
        for name in _BUFFERS:
            setattr(self, name, getattr(self, name)[:0].copy())
        self._rows = self._busy = np.zeros(0, dtype=np.int64)
        self._stale = False

    def let_go(self, agents: Sequence[Agent]) -> None:
        """Leave agents that end in this process, and have no controllers in it any more."""
        if self._stale:
            self._collect()
        gone = np.array([self._members.pop(id(agent))._m for agent in agents], dtype=np.int64)
        for agent in agents:
            place, last = self._agent_index.pop(id(agent)), self._agents.pop()
            if last is not agent:
                self._agents[place] = last
                self._agent_index[id(last)] = place
                self._rows[place] = self._rows[len(self._agents)]
        self._rows = self._rows[: len(self._agents)]
        stays = np.ones(len(self._sim_core._tables.motions.data), dtype=bool)
        stays[gone] = False
        self._busy = self._busy[stays[self._busy]]

    def take_over(self, agents: Sequence[Agent], members: Sequence[KinematicController]) -> None:
        """Move agents that were just made in this process, each by a controller."""
        if self._stale:
            self._collect()
        numbers = list(map(id, agents))
        places = range(len(self._agents), len(self._agents) + len(agents))
        self._agent_index.update(zip(numbers, places, strict=True))
        self._agents.extend(agents)
        self._members.update(zip(numbers, members, strict=True))
        self._rows = np.append(self._rows, np.array([each._m for each in members], np.int64))

    def _collect(self) -> None:
        rows = [self._members[id(agent)]._m for agent in self._agents]
        self._rows = np.array(rows, dtype=np.int64)
        self._stale = False

    def member(self, agent: Agent) -> KinematicController | None:
        """The controller of one agent; None if it is not registered."""
        return self._members.get(id(agent))

    def set_path(self, agent: Agent, path: list[Pose], **kwargs: Any) -> None:
        """Let an agent follow a path; see `KinematicController.set_path`.

        Raises:
            RuntimeError: No agent was ever registered.
            ValueError: The path is empty.
            KeyError: This agent is not registered.
        """
        if self._sim_core is None:
            raise RuntimeError(
                f"{type(self).__name__} must be attached to a sim_core before set_path."
            )
        if not path:
            raise ValueError("path must be a non-empty list of Poses.")
        member = self.member(agent)
        if member is None:
            raise KeyError(f"Agent {agent} is not registered with this batch controller.")
        member.set_path(agent, path, **kwargs)

    def _on_cancel_path(self, idx: int) -> None:
        self._members[id(self._agents[idx])].reset()

    def batch_advance(self, dt: float) -> NDArray[np.bool_]:
        """Move all agents by one step of ``dt`` seconds; who is on the way, (n,)."""
        if self._stale:
            self._collect()
        if not self._agents:
            return np.zeros(0, dtype=bool)
        motions = self._sim_core._tables.motions.data
        rows = self._rows
        active = motions["mode"][rows] != kernels.IDLE
        self._moved_mask = active
        busy = rows[active]
        self._rest(busy)
        if not active.any():
            return active
        now = float(self._sim_core.sim_time)
        advance.advance_measured(self._sim_core._tables, busy, now, dt)
        self._settle(np.flatnonzero(active))
        return active

    def _rest(self, busy: NDArray[np.int64]) -> None:
        """Take the velocity off those who arrived in the last step; ``busy`` are on their way."""
        resting = self._busy[
            self._sim_core._tables.motions.data["mode"][self._busy] == kernels.IDLE
        ]
        if len(resting):
            rows = self._sim_core._tables.motions.data["body"][resting]
            self._sim_core._tables.bodies.data["vel"][rows] = 0.0
            self._sim_core._tables.bodies.data["spin"][rows] = 0.0
        self._busy = busy

    def _settle(self, places: NDArray[np.int64]) -> None:
        rows = self._rows[places]
        carriers = (
            self._sim_core._tables.bodies.data["carries"][
                self._sim_core._tables.motions.data["body"][rows]
            ]
            != 0
        )
        ended = self._sim_core._tables.motions.data["ended"][rows] != 0
        for place in places[carriers | ended].tolist():
            agent = self._agents[place]
            self._members[id(agent)].settle(agent)


def _yaws(quats: NDArray[Any]) -> NDArray[Any]:
    x, y, z, w = quats.T
    return np.arctan2(2.0 * (x * y + w * z), w * w + x * x - y * y - z * z)


def _wrap(angle: NDArray[Any]) -> NDArray[Any]:
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


def resolve_batch_controller_key(entry: str) -> type[BatchKinematicController]:
    """The batch controller with a name, or at a dotted path.

    Raises:
        ValueError: There is none.
    """
    found = BATCH_CONTROLLER_REGISTRY.get(entry.lower())
    if found is not None:
        return found
    if "." in entry:
        from unibody.fleet.parameters.config_files import resolve_class

        cls = resolve_class(entry)
        if not (isinstance(cls, type) and issubclass(cls, BatchKinematicController)):
            raise ValueError(
                f"Batch controller class {entry!r} must be a BatchKinematicController subclass, "
                f"got {cls!r}"
            )
        return cls
    available = list(BATCH_CONTROLLER_REGISTRY)
    raise ValueError(
        f"Unknown batch controller {entry!r}. Available: {available}. Use one of these names or a "
        "dotted 'module.ClassName' path."
    )
