"""The objects of a simulation, and moving all of them by one step."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.agents.agent import Agent
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.bodies.assets import asset_folders, read_urdf
from unibody.fleet.bodies.physics_world import PhysicsWorld, close_when_dropped, open_physics_world
from unibody.fleet.collisions.collision_system import CollisionSystem, MovedSet, Pair, pairs_of_keys
from unibody.fleet.foundation.events import EventBus, SimEvents
from unibody.fleet.foundation.garbage_collection import collection_paused
from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger
from unibody.fleet.foundation.types import CollisionMode, SpatialHashCellSizeMode
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.simulation_params import SimulationParams
from unibody.fleet.simulation import collision_reports, views
from unibody.fleet.simulation.object_updates import ObjectUpdates
from unibody.fleet.simulation.profile import Profile
from unibody.fleet.spatial.pose_checks import check_pose

logger: LazyLogger = get_lazy_logger("pybullet_fleet.core_simulation")
if TYPE_CHECKING:
    from unibody.fleet.agents.agent_manager import SimObjectManager
    from unibody.fleet.world_files.occupancy_map import OccupancyMap

GRAVITY = -9.81  # m/s^2
_BLUE = (0.0, 0.0, 1.0, 1.0)


class SimulatedObjects:
    """The objects of a simulation: who is there, where they are, and what collides.

    Its subclass has the loop. What moves the objects in a step, finds what collides and measures
    how long that takes are parts of it.

    Args:
        params: Parameters of the simulation.
        collision_color: Of what collides, if colours are to change.
    """

    def __init__(
        self, params: SimulationParams, collision_color: list[float] | None = None
    ) -> None:
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
        self.map: OccupancyMap | None = None  # of the surroundings, if one was loaded
        self.events: EventBus = EventBus()
        self.sim_time: float
        self.sim_time = self._elapsed_sim_time = 0.0
        self._step_count = 0
        self._simulation_paused = False
        self._collisions = CollisionSystem(params, self._physics_world)
        self._collisions.objects = self._sim_objects_dict
        self._collision_color = list(collision_color or _BLUE)
        self._collision_check_frequency = params.collision_check_frequency
        self._last_collision_check = 0.0
        self._ignore_static_collision = params.ignore_static_collision
        self._profile = Profile(params.profiling_interval)
        self._updates = ObjectUpdates(self._tables, self._sim_objects_dict)

    def _add_floor(self) -> None:
        if self._params.enable_floor:
            folder = asset_folders()[-1]
            asset = read_urdf(os.path.join(folder, "plane.urdf"))
            self._physics_world.add(asset, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), fixed=True)

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

    @property
    def step_count(self) -> int:
        """Steps so far."""
        return self._step_count

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
        self._updates.add(obj)
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

    @property
    def adds_objects_plainly(self) -> bool:
        """Whether `add_object` is the one above, so that many can be taken in at once."""
        return type(self).add_object is SimulatedObjects.add_object and self._batch_spawning

    def _add_like(self, first: SimObject, made: Sequence[Any]) -> None:
        """Take in copies of an object that is in already; see `add_object`."""
        self._sim_objects.extend(made)
        self._sim_objects_dict.update((obj.object_id, obj) for obj in made)
        if isinstance(first, Agent):
            self._agents.extend(made)
            self._updates.noted.update((agent.object_id, agent) for agent in made)
        color = self._robot_original_colors[first.body_id]
        self._robot_original_colors.update((obj.body_id, color) for obj in made)
        self._collisions.changed()

    def remove_object(self, obj: SimObject) -> None:
        """Take an object and its body out of the simulation."""
        number = obj.object_id
        if self._sim_objects_dict.get(number) is not obj:
            logger.warning(f"Object {number} not found in sim_objects")
            return
        self._sim_objects.remove(obj)
        del self._sim_objects_dict[number]
        self._updates.drop(number)
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

    # --- collisions ----------------------------------------------------------------------------

    def set_collision_check_frequency(self, frequency: float | None = None) -> None:
        """Set how often collisions are checked: None every step, 0 never, else per second."""
        self._collision_check_frequency = frequency
        logger.info(f"Collision check frequency: {frequency} Hz (None: every step, 0: never)")

    def filter_aabb_pairs(
        self,
        ignore_static: bool | None = None,
        moved_objects: set[int] | None = None,
        return_profiling: bool = False,
    ) -> tuple[list[Pair], dict[str, float] | None]:
        """Pairs whose bounding boxes are closer than the margin.

        Args:
            ignore_static: Leave pairs with static objects out; None: as the parameters say.
            moved_objects: The objects to look at; None: those that moved.
            return_profiling: Say where the time went [ms].
        """
        ignore = bool(self._ignore_static_collision if ignore_static is None else ignore_static)
        timings: dict[str, float] = {}
        before = set(self._collisions.moved)
        if moved_objects is not None:
            self._collisions.moved.clear()
            for number in moved_objects:
                self._collisions.moved.add(number)
        pairs = self._collisions.ids(self._collisions.candidates(ignore, timings))
        if moved_objects is not None:
            self._collisions.moved.clear()
            for number in before:
                self._collisions.moved.add(number)
        return pairs, timings if return_profiling else None

    def check_collisions(
        self,
        collision_color: list[float] | None = None,
        ignore_static: bool | None = None,
        return_profiling: bool = False,
    ) -> tuple[list[Pair], dict[str, float] | None]:
        """Check what moved since the last check.

        Args:
            collision_color: Of what collides, if colours are to change.
            ignore_static: Leave pairs with static objects out; None: as the parameters say.
            return_profiling: Say where the time went [ms].

        Returns:
            All pairs that collide, as object numbers, and the times.
        """
        timings = self._update_collisions(collision_color, ignore_static)
        return self._collisions.active_list(), timings if return_profiling else None

    def _update_collisions(
        self, collision_color: list[float] | None = None, ignore_static: bool | None = None
    ) -> dict[str, float]:
        """Check what moved, and tell who wants to know; where the time went [ms]."""
        begin = time.perf_counter()
        timings: dict[str, float] = {}
        ignore = bool(self._ignore_static_collision if ignore_static is None else ignore_static)
        started, ended = self._collisions.check(ignore, timings)
        if self._params.enable_collision_color_change and (len(started) or len(ended)):
            changed = pairs_of_keys(np.concatenate([started, ended]))
            collision_reports.recolor(self, changed, collision_color or self._collision_color)
        collision_reports.tell(self, started, SimEvents.COLLISION_STARTED)
        collision_reports.tell(self, ended, SimEvents.COLLISION_ENDED)
        timings["total"] = (time.perf_counter() - begin) * 1000
        return timings

    @property
    def collision_count(self) -> int:
        """Collisions that began so far."""
        return self._collisions.count

    def get_active_collision_pairs(self) -> list[Pair]:
        """Pairs that collide, as object numbers."""
        return self._collisions.active_list()

    def _check_in_step(self, measuring: bool) -> dict[str, float] | None:
        frequency = self._collision_check_frequency
        if frequency is not None and (
            frequency <= 0 or self.sim_time - self._last_collision_check < 1.0 / frequency
        ):
            return None
        breakdown = self._update_collisions()
        self._last_collision_check = self.sim_time
        return breakdown if measuring else None

    # --- pause ---------------------------------------------------------------------------------

    @property
    def is_paused(self) -> bool:
        """Whether steps do nothing."""
        return self._simulation_paused

    def pause(self) -> None:
        """Let steps do nothing."""
        self._simulation_paused = True
        self.events.emit(SimEvents.PAUSED)

    def resume(self) -> None:
        """Let steps do something again."""
        self._simulation_paused = False
        self.events.emit(SimEvents.RESUMED)

    # --- one step ------------------------------------------------------------------------------

    def _note_agent(self, agent: Agent) -> None:
        """An agent changed in what decides how it is updated."""
        self._updates.note(agent)

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
        self._updates.follow_links()

    def _boxes_of_all(self) -> None:
        bounding_boxes.renew_bounds(self._tables, self._collisions.rows)

    # --- what the arrays hold, under the names of the original ---------------------------------

    _kinematic_objects = property(views.kinematic_objects)
    _physics_objects = property(views.physics_objects)
    _static_collision_objects = property(views.static_collision_objects)
    _disabled_collision_objects = property(views.disabled_collision_objects)
    _dynamic_collision_objects = property(views.dynamic_collision_objects)
    _cached_collision_modes = property(views.collision_modes)
    _cached_aabbs_dict = property(views.aabbs)
    _cached_object_to_cell = property(views.CellsOfObjects)
    _cached_spatial_grid = property(views.spatial_grid)
    _pending_pose_ids = property(views.pending_pose_ids)

    @property
    def _cached_cell_size(self) -> float | None:
        return self._collisions.cell

    @property
    def _moved_this_step(self) -> MovedSet:
        return self._collisions.moved

    @_moved_this_step.setter
    def _moved_this_step(self, numbers: set[int]) -> None:
        wanted = set(numbers)
        self._collisions.moved.clear()
        for number in wanted:
            self._collisions.moved.add(number)

    @property
    def _active_collision_pairs(self) -> set[Pair]:
        return self._collisions.active

    @_active_collision_pairs.setter
    def _active_collision_pairs(self, pairs: set[Pair]) -> None:
        self._collisions.active = pairs

    @property
    def _collision_count(self) -> int:
        return self._collisions.count

    @_collision_count.setter
    def _collision_count(self, count: int) -> None:
        self._collisions.count = count


def _color(obj: SimObject) -> list[float]:
    """Colour of the first thing that is seen of an object."""
    for link in obj._template.asset.links:
        for shape in link.visuals:
            if shape.rgba is not None:
                return list(shape.rgba)
            return [1.0, 1.0, 1.0, 1.0]
    return [0.0, 0.0, 0.0, 1.0]
