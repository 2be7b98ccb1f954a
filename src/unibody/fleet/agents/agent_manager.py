"""Managers: spawning many objects and agents, and speaking to all of them."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import random
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from unibody.fleet.agents import copies
from unibody.fleet.agents.agent import Agent
from unibody.fleet.agents.grid_spawn_params import GridSpawnParams
from unibody.fleet.objects.sim_object import ENTITY_REGISTRY, SimObject
from unibody.fleet.objects.tools import grid_to_world, places_of_cells
from unibody.fleet.parameters.controller_params import ControllerParams
from unibody.fleet.parameters.spawn_params import SimObjectSpawnParams
from unibody.fleet.spatial.geometry import Pose

logger: logging.Logger = logging.getLogger("pybullet_fleet.agent_manager")
T = TypeVar("T", bound=SimObject)


class SimObjectManager(Generic[T]):
    """Spawns objects of a class and keeps them.

    Args:
        sim_core: The simulation.
        object_class: Of what it spawns.
        enable_profiling: Log how long spawning took.

    Attributes:
        objects: What it keeps.
        body_ids: The same by number of the body.
        object_ids: The same by number of the object.
    """

    def __init__(
        self,
        sim_core: Any = None,
        object_class: type = SimObject,
        enable_profiling: bool = False,
    ) -> None:
        self.sim_core = sim_core
        self._object_class: Any = object_class
        self.enable_profiling = enable_profiling
        self.objects: list[T] = []
        self.body_ids: dict[int, T] = {}
        self.object_ids: dict[int, T] = {}

    def add_object(self, obj: T) -> None:
        """Keep an object that belongs to a simulation."""
        if obj.object_id < 0:
            logger.warning(
                "object (body_id=%d) has invalid object_id=%d. Was it created without sim_core?  "
                "Skipping add_object().",
                obj.body_id,
                obj.object_id,
            )
            return
        self.objects.append(obj)
        self.body_ids[obj.body_id] = obj
        self.object_ids[obj.object_id] = obj

    def remove_object(self, obj: T) -> bool:
        """Keep it no longer; False if it was not kept. It stays in the simulation."""
        if obj.object_id not in self.object_ids:
            return False
        self.objects.remove(obj)
        self.body_ids.pop(obj.body_id, None)
        del self.object_ids[obj.object_id]
        return True

    def clear(self) -> None:
        """Keep nothing."""
        self.objects.clear()
        self.body_ids.clear()
        self.object_ids.clear()

    # --- spawning ------------------------------------------------------------------------------

    def _batch(self) -> Any:
        batch = getattr(self.sim_core, "batch_spawn", None)
        return contextlib.nullcontext() if batch is None else batch()

    def _spawn(self, params: SimObjectSpawnParams, cell: list[int], grid: GridSpawnParams) -> T:
        turn = (
            [0.0, 0.0, 0.0, 1.0]
            if params.initial_pose is None
            else (params.initial_pose.orientation)
        )
        pose = Pose(grid_to_world(cell, grid.spacing, grid.offset), turn)
        placed = dataclasses.replace(params, initial_pose=pose)
        return self._object_class.from_params(spawn_params=placed, sim_core=self.sim_core)

    def _timed(self, begin: float, what: str, count: int) -> None:
        if self.enable_profiling:
            logger.info("%s: %d objects in %.3f sec", what, count, time.perf_counter() - begin)

    def spawn_objects_grid(
        self,
        num_objects: int,
        grid_params: GridSpawnParams,
        spawn_params: SimObjectSpawnParams,
        *,
        name_prefix: str | None = None,
    ) -> list[T]:
        """Spawn objects in random cells of a grid; with a name prefix in the order of the cells.

        Raises:
            ValueError: There are fewer cells.
        """
        counts = [(spawn_params, num_objects)]
        return self.spawn_grid_counts(grid_params, counts, name_prefix=name_prefix)

    def spawn_grid_counts(
        self,
        grid_params: GridSpawnParams,
        spawn_params_count_list: list[tuple[Any, int]],
        *,
        name_prefix: str | None = None,
    ) -> list[T]:
        """Spawn so many of each kind, mixed; see `spawn_objects_grid`.

        Raises:
            ValueError: There are fewer cells.
        """
        total = sum(count for _, count in spawn_params_count_list)
        cells = grid_params.cells()
        if total > len(cells):
            raise ValueError(f"Total spawn count ({total}) exceeds grid cell count ({len(cells)})")
        begin = time.perf_counter()
        kinds = [params for params, count in spawn_params_count_list for _ in range(count)]
        if name_prefix is None:
            random.shuffle(kinds)
            random.shuffle(cells)
        kept = list(zip(kinds, cells, strict=False))
        spawned = self._spawn_all(kept, grid_params, name_prefix, len(spawn_params_count_list))
        self._timed(begin, "spawn_grid_counts", len(spawned))
        return spawned

    def _spawn_all(
        self,
        kept: list[tuple[Any, list[int]]],
        grid: GridSpawnParams,
        name_prefix: str | None,
        kinds: int,
    ) -> list[T]:
        """Spawn what is stated for cells; if all is of one kind, the first and copies of it."""
        spawned: list[T] = []
        usual = type(self) in (SimObjectManager, AgentManager)
        with self._batch():
            for params, cell in kept:
                self._keep(self._spawn(params, cell, grid), spawned, name_prefix)
                alike = usual and len(spawned) == kinds == 1 and len(kept) > 1
                if not alike or not copies.can_be_copied(spawned[0], params):
                    continue
                cells = [cell for _, cell in kept[1:]]
                places = places_of_cells(cells, grid.spacing, grid.offset)
                if not np.isfinite(places).all():
                    continue  # the one that is nowhere is named
                made = copies.copies_of(spawned[0], places, name_prefix)
                self.objects += made
                self.body_ids.update((obj.body_id, obj) for obj in made)
                self.object_ids.update((obj.object_id, obj) for obj in made)
                return spawned + made
        return spawned

    def _keep(self, obj: T, spawned: list[T], name_prefix: str | None) -> None:
        if name_prefix is not None:
            obj.set_name(f"{name_prefix}_{len(spawned)}")
        self.add_object(obj)
        spawned.append(obj)

    def spawn_grid_mixed(
        self,
        num_objects: int,
        grid_params: GridSpawnParams,
        spawn_params_list: list[tuple[Any, float]],
        *,
        name_prefix: str | None = None,
    ) -> list[T]:
        """Fill cells in order, each with one kind by probability, or with nothing.

        Args:
            num_objects: How many cells.
            grid_params: The grid.
            spawn_params_list: Kinds and probabilities; what is missing to 1 stays empty.
            name_prefix: Of their names, before their numbers.
        """
        begin = time.perf_counter()
        total = sum(share for _, share in spawn_params_list)
        if total > 1.0:
            logger.warning("Total probability %.2f > 1.0, normalizing to 1.0", total)
            spawn_params_list = [(params, share / total) for params, share in spawn_params_list]
        cells = grid_params.cells()
        if num_objects > len(cells):
            logger.warning(
                "Grid exhausted after %d iterations (requested %d)", len(cells), num_objects
            )
        drawn = [(_choose(spawn_params_list), cell) for cell in cells[:num_objects]]
        kept = [(params, cell) for params, cell in drawn if params is not None]
        spawned = self._spawn_all(kept, grid_params, name_prefix, len(spawn_params_list))
        self._timed(begin, "spawn_grid_mixed", len(spawned))
        return spawned

    def spawn_objects_batch(self, params_list: list[Any]) -> list[T]:
        """Spawn objects where their parameters say."""
        begin = time.perf_counter()
        spawned: list[T] = []
        with self._batch():
            for params in params_list:
                obj = self._object_class.from_params(params, sim_core=self.sim_core)
                self._keep(obj, spawned, None)
        self._timed(begin, "spawn_objects_batch", len(spawned))
        return spawned

    def spawn_from_config(self, entities_yaml: list[dict[str, Any]]) -> list[T]:
        """Spawn entities of a configuration.

        Raises:
            KeyError: An unknown type.
        """
        spawned: list[Any] = []
        with self._batch():
            for entry in entities_yaml:
                kind = entry.get("type", "agent")
                if kind not in ENTITY_REGISTRY:
                    available = list(ENTITY_REGISTRY)
                    raise KeyError(f"Unknown entity type: {kind!r}. Available: {available}")
                obj: Any = ENTITY_REGISTRY[kind].from_dict(entry, sim_core=self.sim_core)
                self._keep(obj, spawned, None)
        return spawned

    def spawn_from_yaml(self, yaml_path: str, key: str = "entities") -> list[T]:
        """Spawn the entities of a section of a YAML file."""
        from unibody.fleet.parameters.config_files import load_yaml_config

        return self.spawn_from_config(load_yaml_config(yaml_path).get(key, []))

    # --- all of them ---------------------------------------------------------------------------

    def get_pose(self, object_index: int) -> Pose | None:
        """Where the object at a place of the list is; None if there is none."""
        if 0 <= object_index < len(self.objects):
            return self.objects[object_index].get_pose()
        logger.warning("Invalid object index %d", object_index)
        return None

    def get_all_poses(self) -> list[Pose]:
        """Where all of them are."""
        return [obj.get_pose() for obj in self.objects]

    def get_poses_dict(self) -> dict[int, Pose]:
        """Where all of them are, by number of the body."""
        return {obj.body_id: obj.get_pose() for obj in self.objects}

    def set_pose_all(self, pose_factory: Callable[[T], Pose]) -> None:
        """Put each where a function of it says."""
        for obj in self.objects:
            obj.set_pose(pose_factory(obj))

    def get_object_count(self) -> int:
        """How many there are."""
        return len(self.objects)

    def __repr__(self) -> str:
        return f"SimObjectManager(total={len(self.objects)})"


def _choose(shares: list[tuple[Any, float]]) -> Any:
    number, so_far = random.random(), 0.0
    for params, share in shares:
        so_far += share
        if number < so_far:
            return params
    return None


class AgentManager(SimObjectManager[Agent]):
    """Spawns agents and speaks to all of them.

    Args:
        sim_core: The simulation.
        name: To find it by.
        update_frequency: Of callbacks that do not say [Hz].
        object_class: Of what it spawns.
        enable_profiling: Log how long spawning took.
        fleet_controller: Limits of agents that do not state theirs, and ``type`` of a batch
            controller.
    """

    def __init__(
        self,
        sim_core: Any = None,
        name: str | None = None,
        update_frequency: float = 10.0,
        object_class: type = Agent,
        enable_profiling: bool = False,
        fleet_controller: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(sim_core, object_class, enable_profiling)
        self.name = name
        self._update_frequency = update_frequency
        self._callbacks: list[dict[str, Any]] = []
        self._batch_controller: Any = None
        settings = dict(fleet_controller or {})
        kind = settings.pop("type", None)
        self._fleet_params = ControllerParams.from_dict(settings) if settings else None
        if sim_core is not None:
            sim_core.register_manager(self)
        if kind is not None:
            self.enable_batch(kind)

    @property
    def batch_controller(self) -> Any:
        """What moves all agents in one call; None if they have their own."""
        return self._batch_controller

    def enable_batch(self, mode: str) -> Any:
        """Let a batch controller move the agents, by name or dotted path.

        Raises:
            ValueError: There is no such controller.
        """
        from unibody.fleet.controllers.batch_base import resolve_batch_controller_key

        cls = resolve_batch_controller_key(mode)
        self.disable_batch()
        self._batch_controller = cls()
        for agent in self.objects:
            if agent._batch_controller is None:
                self._batch_controller.register_agent(agent)
        return self._batch_controller

    def disable_batch(self) -> None:
        """Let the agents move themselves."""
        batch, self._batch_controller = self._batch_controller, None
        for agent in self.objects:
            if batch is not None and agent._batch_controller is batch:
                batch.unregister_agent(agent)

    def add_object(self, obj: Agent) -> None:
        """Keep an agent, fill in limits it does not state, let the batch controller move it."""
        super().add_object(obj)
        if self._fleet_params is not None:
            for item in dataclasses.fields(ControllerParams):
                common = getattr(self._fleet_params, item.name)
                if getattr(obj.controller_params, item.name) is None and common is not None:
                    setattr(obj.controller_params, item.name, common)
        if self._batch_controller is None:
            return
        if obj._batch_controller is None:
            self._batch_controller.register_agent(obj)
        else:
            logger.warning(
                "Agent %r is already registered with batch controller %r; skipping registration "
                "with %r.",
                obj,
                obj._batch_controller,
                self._batch_controller,
            )

    def remove_object(self, obj: Agent) -> bool:
        """Keep it no longer; False if it was not kept."""
        kept = super().remove_object(obj)
        batch = self._batch_controller
        if kept and batch is not None and obj._batch_controller is batch:
            batch.unregister_agent(obj)
        return kept

    def clear(self) -> None:
        """Keep nothing."""
        if self._batch_controller is not None:
            self._batch_controller.reset()
        super().clear()

    def spawn_agents_grid(
        self,
        num_agents: int,
        grid_params: GridSpawnParams,
        spawn_params: Any,
        *,
        name_prefix: str | None = None,
    ) -> list[Agent]:
        """`spawn_objects_grid`, for agents."""
        return self.spawn_objects_grid(
            num_agents, grid_params, spawn_params, name_prefix=name_prefix
        )

    def spawn_agents_grid_mixed(
        self,
        num_agents: int,
        grid_params: GridSpawnParams,
        spawn_params_list: list[tuple[Any, float]],
        *,
        name_prefix: str | None = None,
    ) -> list[Agent]:
        """`spawn_grid_mixed`, for agents."""
        return self.spawn_grid_mixed(
            num_agents, grid_params, spawn_params_list, name_prefix=name_prefix
        )

    def spawn_agent_grid_counts(
        self,
        grid_params: GridSpawnParams,
        spawn_params_count_list: list[tuple[Any, int]],
        *,
        name_prefix: str | None = None,
    ) -> list[Agent]:
        """`spawn_grid_counts`, for agents."""
        return self.spawn_grid_counts(grid_params, spawn_params_count_list, name_prefix=name_prefix)

    # --- goals ---------------------------------------------------------------------------------

    def set_goal_pose(self, agent_index: int, goal: Pose) -> None:
        """Send the agent at a place of the list to a pose."""
        if 0 <= agent_index < len(self.objects):
            self.objects[agent_index].set_goal_pose(goal)
        else:
            logger.warning("Invalid agent index %d", agent_index)

    def set_goal_pose_by_body_id(self, body_id: int, goal: Pose) -> None:
        """Send an agent to a pose, by number of its body."""
        if body_id in self.body_ids:
            self.body_ids[body_id].set_goal_pose(goal)
        else:
            logger.warning("Unknown agent body_id %d", body_id)

    def set_goal_pose_by_object_id(self, object_id: int, goal: Pose) -> None:
        """Send an agent to a pose, by its number."""
        if object_id in self.object_ids:
            self.object_ids[object_id].set_goal_pose(goal)
        else:
            logger.warning("Unknown agent object_id %d", object_id)

    def set_goal_pose_all(self, goal_factory: Callable[[Agent], Pose]) -> None:
        """Send each where a function of it says."""
        for agent in self.objects:
            agent.set_goal_pose(goal_factory(agent))

    def stop_all(self) -> None:
        """Let all of them stand still."""
        for agent in self.objects:
            agent.stop()

    def set_joints_targets_all(
        self, targets_factory: Callable[[Agent], Any], max_force: float = 500.0
    ) -> None:
        """Send the joints of each where a function of it says."""
        for agent in self.objects:
            agent.set_joints_targets(targets_factory(agent), max_force=max_force)

    def add_action_sequence_all(self, action_factory: Callable[[Agent], list[Any]]) -> None:
        """Give each the actions a function of it says."""
        for agent in self.objects:
            agent.add_action_sequence(action_factory(agent))

    def add_action_all(self, action_factory: Callable[[Agent], Any]) -> None:
        """Give each the action a function of it says."""
        for agent in self.objects:
            agent.add_action(action_factory(agent))

    def get_moving_count(self) -> int:
        """How many are on their way."""
        return sum(agent.is_moving for agent in self.objects)

    def register_callback(
        self, callback: Callable[[AgentManager, float], None], frequency: float | None = None
    ) -> None:
        """Have a function of (manager, seconds since the last call) called.

        Args:
            callback: The function.
            frequency: Calls a second of simulation; None: ``update_frequency``.
        """
        rate = self._update_frequency if frequency is None else frequency
        self._callbacks.append({"func": callback, "frequency": rate})
        if self.sim_core is None:
            logger.warning(
                "sim_core not set, callback registered but not active. Total: %d callback(s)",
                len(self._callbacks),
            )
            return
        self.sim_core.register_callback(lambda _core, dt: callback(self, dt), frequency=rate)

    def setup_camera(self, camera_config: dict[str, Any] | None = None) -> None:
        """Point the simulation's camera at all of them."""
        if self.sim_core is None:
            logger.warning("Cannot setup camera - sim_core is not set")
        elif not self.objects:
            logger.warning("No objects to setup camera for")
        else:
            positions = [pose.position for pose in self.get_all_poses()]
            self.sim_core.setup_camera(
                camera_config=camera_config or {}, entity_positions=positions
            )

    def __repr__(self) -> str:
        return f"AgentManager(total={len(self.objects)}, moving={self.get_moving_count()})"
