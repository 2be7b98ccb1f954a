"""The objects of a simulation, and moving all of them by one step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.agents.agent import Agent
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.bodies.physics_world import PhysicsWorld, close_when_dropped, open_physics_world
from unibody.fleet.collisions.collision_system import CollisionSystem
from unibody.fleet.controllers.deciding import Decisions
from unibody.fleet.foundation.events import EventBus, SimEvents
from unibody.fleet.foundation.garbage_collection import collection_paused
from unibody.fleet.foundation.loggers import get_lazy_logger
from unibody.fleet.foundation.types import CollisionMode, SpatialHashCellSizeMode
from unibody.fleet.motion import advance
from unibody.fleet.motion import motion_kernels as kernels
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.simulation_params import SimulationParams
from unibody.fleet.spatial.pose_checks import check_pose

logger = get_lazy_logger("pybullet_fleet.core_simulation")
if TYPE_CHECKING:
    from unibody.fleet.agents.agent_manager import SimObjectManager

GRAVITY = -9.81  # m/s^2
_NONE = np.zeros(0, dtype=np.int64)


class ObjectCore:
    """Objects, where they are, and what moves them."""

    def __init__(self, params: SimulationParams) -> None:
        self._params = params
        self._physics_world: PhysicsWorld = open_physics_world(
            params.timestep, GRAVITY if params.physics else 0.0
        )
        close_when_dropped(self, self._physics_world)
        self._tables = self._physics_world.tables
        self._client = self._physics_world.session.id
        self._sim_objects: list[SimObject] = []
        self._sim_objects_dict: dict[int, SimObject] = {}
        self._agents: list[Agent] = []
        self._next_object_id = 0
        self._in_step = False
        self._batch_spawning = False
        self._rendering_enabled = False
        self._objects_are_heard = False  # whether one of them has a bus of its own
        self._robot_original_colors: dict[int, list[float]] = {}
        self._registered_managers: list[SimObjectManager[Any]] = []
        self.events = EventBus()
        self.sim_time = 0.0
        self._collisions = CollisionSystem(params, self._physics_world)
        self._collisions.objects = self._sim_objects_dict
        self._busy: dict[int, Any] = {}
        self._plain: dict[int, Agent] = {}
        self._jointed: dict[int, Agent] = {}
        self._carriers: dict[int, Agent] = {}
        self._noted: dict[int, Agent] = {}
        self._listeners: dict[int, Agent] = {}
        self._decisions = Decisions([])
        self._motion_rows = self._heard_rows = _NONE
        self._joint_rows = (_NONE, _NONE)
        self._regroup = False

    # --- who is there --------------------------------------------------------------------------

    @property
    def client(self) -> int:
        """Number of the physics client."""
        return self._client

    @property
    def params(self) -> SimulationParams:
        """The parameters."""
        return self._params

    @property
    def sim_objects(self) -> list[SimObject]:
        """All objects, agents among them."""
        return self._sim_objects

    @property
    def agents(self) -> list[Agent]:
        """All agents."""
        return self._agents

    def get_object_by_id(self, object_id: int) -> SimObject | None:
        """The object with a number; None without one."""
        return self._sim_objects_dict.get(object_id)

    def add_object(self, obj: SimObject) -> None:
        """Take an object in; objects that are made with ``sim_core`` do that themselves."""
        if self._sim_objects_dict.get(obj.object_id) is obj:
            logger.warning(f"Object {obj.object_id} already added to simulation")
            return
        self._sim_objects.append(obj)
        self._sim_objects_dict[obj.object_id] = obj
        if isinstance(obj, Agent):
            self._agents.append(obj)
            self._noted[obj.object_id] = obj
        elif obj._needs_update:
            self._busy[obj.object_id] = obj
            self._regroup = True
        if obj._has_entity_events():
            self._objects_are_heard = True
        self._tables.bodies.data["moved"][obj._row] = (
            obj.collision_mode is not CollisionMode.DISABLED
        )
        self._collisions.changed()
        adaptive = SpatialHashCellSizeMode.AUTO_ADAPTIVE
        if self._params.spatial_hash_cell_size_mode is adaptive and not self._batch_spawning:
            self._collisions.find_cell()
        if obj.body_id not in self._robot_original_colors:
            self._robot_original_colors[obj.body_id] = _color(obj)
        if self.events.has_handlers(SimEvents.OBJECT_SPAWNED):
            self.events.emit(SimEvents.OBJECT_SPAWNED, obj=obj)

    def remove_object(self, obj: SimObject) -> None:
        """Take an object and its body out of the simulation."""
        number = obj.object_id
        if self._sim_objects_dict.get(number) is not obj:
            logger.warning(f"Object {number} not found in sim_objects")
            return
        self._sim_objects.remove(obj)
        del self._sim_objects_dict[number]
        for group in (*self._groups(), self._noted):
            group.pop(number, None)
        self._regroup = True
        self._let_go(obj)
        if isinstance(obj, Agent):
            self._agents.remove(obj)
        self._collisions.forget(number)
        self._collisions.changed()
        self._removed(obj)
        self.events.emit(SimEvents.OBJECT_REMOVED, obj=obj)
        if isinstance(obj, Agent):
            self.events.emit(SimEvents.AGENT_REMOVED, agent=obj)
        self._robot_original_colors.pop(obj.body_id, None)
        self._physics_world.remove(obj.body_id)
        for manager in self._registered_managers:
            if number in manager.object_ids:
                manager.remove_object(obj)
        adaptive = SpatialHashCellSizeMode.AUTO_ADAPTIVE
        if self._params.spatial_hash_cell_size_mode is adaptive:
            self._collisions.find_cell()

    @staticmethod
    def _let_go(obj: SimObject) -> None:
        for carried in list(obj.attached_objects):
            obj.detach_object(carried)
        if obj._attached_to is not None:
            obj._attached_to.detach_object(obj)

    def _removed(self, obj: SimObject) -> None:
        """For what else knows the object."""

    def _update_object_collision_mode(
        self, object_id: int, old_mode: CollisionMode, new_mode: CollisionMode
    ) -> None:
        obj = self._sim_objects_dict.get(object_id)
        if obj is None or old_mode == new_mode:
            return
        self._collisions.changed()
        if new_mode is CollisionMode.DISABLED:
            self._collisions.forget(object_id)
        else:
            self._tables.bodies.data["moved"][obj._row] = 1

    @contextmanager
    def batch_spawn(self) -> Iterator[None]:
        """Spawn many objects: what depends on all of them is done once, at the end."""
        rendering = self._rendering_enabled
        self._batch_spawning = True
        self.disable_rendering()
        try:
            with collection_paused():
                yield
        finally:
            self._batch_spawning = False
            adaptive = SpatialHashCellSizeMode.AUTO_ADAPTIVE
            if self._params.spatial_hash_cell_size_mode is adaptive:
                self.set_collision_spatial_hash_cell_size_mode()
            if rendering:
                self.enable_rendering()

    def set_collision_spatial_hash_cell_size_mode(
        self, mode: SpatialHashCellSizeMode | None = None, cell_size: float | None = None
    ) -> float:
        """Set where the cell size of the grid comes from, and return the size [m].

        Args:
            mode: Constant, or from the objects; None keeps it.
            cell_size: The constant one [m].
        """
        params = self._params
        if mode is not None:
            params.spatial_hash_cell_size_mode = mode
        if cell_size is not None:
            params.spatial_hash_cell_size = cell_size
        constant = params.spatial_hash_cell_size_mode is SpatialHashCellSizeMode.CONSTANT
        if cell_size is not None and not constant:
            logger.warning(
                f"cell_size parameter ({cell_size}) will be ignored in "
                f"{params.spatial_hash_cell_size_mode.value} mode. To use a fixed cell_size, set "
                "mode=SpatialHashCellSizeMode.CONSTANT"
            )
        if constant and params.spatial_hash_cell_size is None:
            logger.error(
                "spatial_hash_cell_size_mode=CONSTANT requires spatial_hash_cell_size to be set. "
                "Falling back to default 1.0m"
            )
        return self._collisions.find_cell()

    def disable_rendering(self) -> None:
        """Draw nothing for the moment; nothing without a window."""
        if self._params.gui:
            self._rendering_enabled = False

    def enable_rendering(self) -> None:
        """Draw again; nothing without a window."""
        if self._params.gui:
            self._rendering_enabled = True

    # --- managers ------------------------------------------------------------------------------

    def register_manager(self, manager: SimObjectManager[Any]) -> None:
        """Let a manager belong to this simulation."""
        if manager not in self._registered_managers:
            manager.sim_core = self
            self._registered_managers.append(manager)

    def unregister_manager(self, manager: SimObjectManager[Any]) -> bool:
        """Undo that; False if it did not belong."""
        if manager not in self._registered_managers:
            return False
        self._registered_managers.remove(manager)
        return True

    def get_manager(self, name: str) -> Any:
        """The manager with a name; None without one."""
        named = (m for m in self._registered_managers if getattr(m, "name", None) == name)
        return next(named, None)

    # --- where they are ------------------------------------------------------------------------

    def _rows_of(self, object_ids: Sequence[int]) -> list[SimObject]:
        found: list[SimObject] = []
        for number in object_ids:
            obj = self._sim_objects_dict.get(number)
            if obj is None:
                raise KeyError(f"object_id {number} not registered in this simulation")
            found.append(obj)
        return found

    def set_poses(
        self,
        object_ids: Sequence[int],
        positions: NDArray[np.float64],
        orientations: NDArray[np.float64],
        *,
        preserve_velocity: bool = True,
    ) -> None:
        """Put many objects somewhere.

        Args:
            object_ids: Their numbers, (n,).
            positions: In m, (n, 3).
            orientations: (x, y, z, w), (n, 4).
            preserve_velocity: Keep the velocity of objects the engine moves.

        Raises:
            KeyError: An unknown number; then nothing is moved.
            ValueError: Another shape, a number that is not finite, or a quaternion of zeros; then
                nothing is moved.
        """
        count = len(object_ids)
        if not count:
            return
        positions, orientations = np.asarray(positions), np.asarray(orientations)
        if positions.shape != (count, 3):
            raise ValueError(f"positions must have shape ({count}, 3), got {positions.shape}")
        if orientations.shape != (count, 4):
            raise ValueError(f"orientations must have shape ({count}, 4), got {orientations.shape}")
        for position, orientation in zip(positions, orientations, strict=True):
            check_pose("pose", position.tolist(), orientation.tolist())
        places = zip(self._rows_of(object_ids), positions, orientations, strict=True)
        for obj, position, orientation in places:
            obj.set_pose_raw(position, orientation, preserve_velocity=preserve_velocity)

    def get_poses(
        self, object_ids: Sequence[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where many objects are: positions (n, 3) [m], orientations (n, 4) (x, y, z, w).

        Raises:
            KeyError: An unknown number.
        """
        self._physics_world.read()
        rows = np.array([obj._row for obj in self._rows_of(object_ids)], dtype=np.int64)
        bodies = self._tables.bodies.data
        return bodies["pos"][rows].copy(), bodies["quat"][rows].copy()

    def get_aabbs(self) -> list[Any]:
        """Bounding boxes of all objects: lower and upper corner [m]."""
        return self._collisions.boxes(self._sim_objects_dict)

    def compute_scene_bounds(self) -> tuple[list[float], list[float]]:
        """Mean position of all objects, and how far they extend along the axes [m]."""
        if not self._sim_objects:
            return [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        positions, _ = self.get_poses(list(self._sim_objects_dict))
        return positions.mean(axis=0).tolist(), np.ptp(positions, axis=0).tolist()

    # --- one step ------------------------------------------------------------------------------

    def _note_agent(self, agent: Agent) -> None:
        """An agent changed in what decides how it is updated."""
        self._noted[agent.object_id] = agent

    def _groups(self) -> tuple[dict[int, Any], ...]:
        """Agents by number: by what has to be done for them in a step."""
        return self._busy, self._plain, self._jointed, self._carriers, self._listeners

    def _group_agents(self) -> None:
        """Sort agents into those the kernels do alone, and those that need more."""
        for number, agent in self._noted.items():
            if self._sim_objects_dict.get(number) is not agent:
                continue
            plain = agent._is_plain()
            for group in self._groups():
                group.pop(number, None)
            if not plain:
                self._busy[number] = agent
                continue
            if agent._batch_controller is None and not agent.use_fixed_base:
                self._plain[number] = agent
                agent._controllers[0].bind(agent)
            if agent._joints_pending():
                self._jointed[number] = agent
            if agent.attached_objects:
                self._carriers[number] = agent
            if agent._hears(SimEvents.POST_UPDATE):
                self._listeners[number] = agent
        self._regroup = self._regroup or bool(self._noted)
        self._noted.clear()
        if not self._regroup:
            return
        self._regroup = False
        self._busy = dict(sorted(self._busy.items()))
        rows = [agent._controllers[0]._m for agent in self._plain.values()]
        self._motion_rows = np.array(rows, dtype=np.int64)
        self._listeners = dict(sorted(self._listeners.items()))
        heard = [agent._controllers[0]._m for agent in self._listeners.values()]
        self._heard_rows = np.array(heard, dtype=np.int64)
        above = [(at, a) for at, a in enumerate(self._plain.values()) if len(a._controllers) > 1]
        self._decisions = Decisions(above)
        jointed = self._jointed.values()
        self._joint_rows = (
            np.array([agent._row for agent in jointed], dtype=np.int64),
            np.array([len(agent.joint_info) for agent in jointed], dtype=np.int64),
        )

    def _advance_agents(self, dt: float) -> None:
        if self._noted or self._regroup:
            self._group_agents()
        for manager in self._registered_managers:
            batch = getattr(manager, "batch_controller", None)
            if batch is not None:
                batch.synchronized_batch_advance(dt)
        deciding, told = self._advance_plain(dt)
        if self._jointed:
            self._advance_joints(dt)
        for carrier in self._carriers.values():
            carrier._carry_along()
        self._call_agents(dt, deciding, told)

    def _advance_plain(self, dt: float) -> tuple[list[Agent], list[tuple[Agent, bool]]]:
        """Let the kernels move agents.

        Returns:
            Those that were left out, because they have a decision to make; and those others with
            listeners, each with whether it is on its way.
        """
        motions, rows, told = self._tables.motions.data, self._motion_rows, []
        deciding: list[Agent] = []
        if len(self._decisions):
            deciding, places = self._decisions.pass_time(self._tables.bodies.data, dt)
            rows = np.delete(rows, places)
        before = motions["mode"][self._heard_rows]
        if len(rows):
            advance.advance(self._tables, rows, self.sim_time, dt)
        if self._listeners:
            after = motions["mode"][self._heard_rows]
            on_way = (before == kernels.POSE) | (before & after == kernels.VELOCITY)
            told = list(zip(self._listeners.values(), on_way.tolist(), strict=True))
            if deciding:
                numbers = {id(agent) for agent in deciding}
                told = [(agent, moved) for agent, moved in told if id(agent) not in numbers]
        return deciding, told

    def _call_agents(
        self, dt: float, deciding: list[Agent], told: list[tuple[Agent, bool]]
    ) -> None:
        """Do what takes Python, in the order of the objects."""
        if not self._busy and not deciding:
            for agent, on_way in told:
                if (bus := agent._events) is not None:
                    bus._emit_updated(dt, on_way)
            return
        turns: list[tuple[int, Any, bool | None]] = [
            *((number, obj, None) for number, obj in self._busy.items()),
            *((agent.object_id, agent, None) for agent in deciding),
            *((agent.object_id, agent, moved) for agent, moved in told),
        ]
        turns.sort(key=itemgetter(0))
        busy = set(self._busy)
        for number, obj, on_way in turns:
            if on_way is not None:
                obj._events._emit_updated(dt, on_way)
                continue
            moved = obj.update(dt) if number in busy else obj._update_heard_base(dt)
            if moved and not obj._simulated:
                self._tables.bodies.data["moved"][obj._row] = 1

    def _advance_joints(self, dt: float) -> None:
        rows, counts = self._joint_rows
        moved = np.zeros(len(rows), dtype=np.uint8)
        busy = np.zeros(len(rows), dtype=np.uint8)
        kernels.move_joints(
            rows, counts, self._tables.bodies.data, self._tables.joints.data, dt, moved, busy
        )
        if not busy.all():
            arrived = [n for n, still in zip(self._jointed, busy, strict=True) if not still]
            for number in arrived:
                del self._jointed[number]
            self._regroup = True

    def _step_world(self) -> None:
        """Let the engine do its step, and take over what it did."""
        physics_world = self._physics_world
        physics_world.refresh()
        world = physics_world.session.scene.world
        world.step()
        physics_world.hold_all_joints()
        physics_world.read()
        rows = self._collisions.all_rows
        moved = rows[self._tables.bodies.data["simulated"][rows] != 0]
        self._tables.bodies.data["moved"][moved] = 1
        self._follow_links()

    def _follow_links(self) -> None:
        """Let what is attached to links of robots the engine moves follow them."""
        for obj in self._busy.values():
            if isinstance(obj, Agent) and obj._simulated and obj.attached_objects:
                obj.update_attached_objects_kinematics()

    def _boxes_of_all(self) -> None:
        bounding_boxes.renew_bounds(self._tables, self._collisions.rows)


def _color(obj: SimObject) -> list[float]:
    """Colour of the first thing that is seen of an object."""
    for link in obj._template.asset.links:
        for shape in link.visuals:
            if shape.rgba is not None:
                return list(shape.rgba)
            return [1.0, 1.0, 1.0, 1.0]
    return [0.0, 0.0, 0.0, 1.0]
