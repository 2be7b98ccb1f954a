"""The simulation: its loop, what is called in every step, and what it measures."""

from __future__ import annotations

import logging
import math
import os
import statistics
import time
import tracemalloc
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.world import step_observers
from unibody.errors import AssetError, InvalidArgumentError
from unibody.fleet.bodies.assets import asset_folders, read_urdf
from unibody.fleet.bodies.physics_world import close_physics_world, is_open
from unibody.fleet.collisions.collision_system import Pair, pairs_of_keys
from unibody.fleet.foundation.events import SimEvents
from unibody.fleet.foundation.loggers import LogLevelManager, get_lazy_logger
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.config_files import load_yaml_config
from unibody.fleet.parameters.simulation_params import SimulationParams, known_keys
from unibody.fleet.parameters.yaml_reader import ConfigError, Lines, check_keys
from unibody.fleet.simulation.clock import Clock, Pace
from unibody.fleet.simulation.extensions import ExtendedCore
from unibody.fleet.simulation.scenario_check import check_sections
from unibody.fleet.simulation.scenarios import SECTIONS, ScenarioLoader

logger = get_lazy_logger("pybullet_fleet.core_simulation")
_BLUE = (0.0, 0.0, 1.0, 1.0)
_PARTS = (
    "agent_update", "phase1_update", "phase2_pose_flush", "phase3_aabb_grid_flush", "callbacks",
    "step_simulation", "collision_check", "events_pre_step", "events_post_step",
    "events_collision", "monitor_update", "total",
)  # fmt: skip
_MEGABYTE = 1024.0 * 1024.0


class MultiRobotSimulationCore(ExtendedCore):
    """A simulation of many robots.

    Args:
        params: Its parameters.
        collision_color: Of what collides, if colours are to change.
    """

    @classmethod
    def from_yaml(
        cls, yaml_path: str = "config.yaml", *, headless: bool = False
    ) -> MultiRobotSimulationCore:
        """Make one from a YAML file; see `from_dict`.

        Args:
            yaml_path: The file.
            headless: Without windows, and as fast as it goes, whatever the file says.

        Raises:
            FileNotFoundError: There is no such file.
            ConfigError: Something in it is unknown or not allowed; the message names the line.
            AssetError: A robot's file cannot be read; the message names both.
        """
        config = load_yaml_config(yaml_path)
        nested = [key for key in SECTIONS if key in config]
        if isinstance(config, Lines):
            allowed = SECTIONS if nested else known_keys()
            check_keys(config, allowed, "the file" if nested else "the simulation")
            check_sections(config)
            if isinstance(config.get("simulation"), Lines):
                check_keys(config["simulation"], known_keys(), "simulation")
        if headless:
            if nested and config.get("simulation") is None:  # a key without a value
                config["simulation"] = {}
            simulation = config["simulation"] if nested else config
            simulation.update(gui=False, monitor=False, target_rtf=0)
        try:
            return cls.from_dict(config)
        except (ConfigError, InvalidArgumentError) as problem:
            if str(yaml_path) in str(problem):
                raise
            raise ConfigError(f"{yaml_path}: {problem}") from problem
        except AssetError as problem:  # in a file that it names
            raise AssetError(yaml_path, "", str(problem)) from problem

    @classmethod
    def from_dict(cls, config: dict[str, Any]) -> MultiRobotSimulationCore:
        """Make one from a dictionary.

        Args:
            config: Parameters of a simulation, or the sections ``simulation``, ``world``,
                ``entities``, ``managers``, ``plugins`` and ``entity_classes``.

        Raises:
            ConfigError: A value is not allowed.
            KeyError: An unknown type of entity, manager or plugin.
        """
        if config.get("entity_classes"):
            from unibody.fleet.objects.entity_registry import register_entity_classes_from_config

            register_entity_classes_from_config(config["entity_classes"])
        simulation = config.get("simulation")
        world = config.get("world") or {}
        entities = list(config.get("entities") or [])
        if simulation is None and not world and not entities:
            return cls(SimulationParams.from_dict(config))
        params = SimulationParams.from_dict(simulation or {})
        if world and "enable_floor" not in (simulation or {}):
            params.enable_floor = False
        sim = cls(params)
        try:
            sim._init_named_managers(list(config.get("managers") or []))
            if world:
                names = [e["name"] for e in entities if e.get("name")]
                sim.load_world(world, skip_models=[*world.get("skip_models", []), *names])
            sim.spawn_robots_from_config(entities)
            sim._load_and_init_plugins(config)
        except BaseException:
            close_physics_world(sim._physics_world)  # nobody gets to see it
            raise
        return sim

    def __init__(
        self, params: SimulationParams, collision_color: list[float] | None = None
    ) -> None:
        LogLevelManager.set_log_level(params.log_level)
        if os.environ.get("RECORD") and not os.environ.get("RECORD_GUI"):
            params.gui = False  # a film needs no window
        super().__init__(params)
        self._collision_color = list(collision_color or _BLUE)
        self._collision_check_frequency = params.collision_check_frequency
        self._last_collision_check = 0.0
        self._ignore_static_collision = params.ignore_static_collision
        self._enable_time_profiling = params.enable_time_profiling
        self._enable_memory_profiling = params.enable_memory_profiling
        self._profiling_interval = params.profiling_interval
        self._profiling_stats: dict[str, list[float]] = {name: [] for name in _PARTS}
        self._last_profiling: Mapping[str, Any] | None = None
        self._memory: list[float] = []
        for folder in params.model_paths or []:
            from unibody.fleet.models.robot_models import add_search_path

            add_search_path(folder)
        self._add_floor()

    def _add_floor(self) -> None:
        if self._params.enable_floor:
            folder = asset_folders()[-1]
            asset = read_urdf(os.path.join(folder, "plane.urdf"))
            self._physics_world.add(asset, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), fixed=True)

    # --- what a configuration states -----------------------------------------------------------

    def _init_named_managers(self, managers_config: list[dict[str, Any]]) -> None:
        ScenarioLoader(self).make_managers(managers_config)

    def spawn_robots_from_config(self, robots_config: list[dict[str, Any]]) -> list[SimObject]:
        """Spawn the entities of a configuration.

        Args:
            robots_config: Entries with ``type`` ("agent" by default) and what that takes, and
                ``grid`` for many of them, ``manager`` for who manages them.

        Raises:
            KeyError: An unknown type or manager.
            ValueError: A value that is not allowed; from a file, also two entities that overlap.
        """
        return ScenarioLoader(self).spawn(robots_config)

    def load_world(
        self, world_config: dict[str, Any], skip_models: list[str] | None = None
    ) -> list[SimObject]:
        """Load the surroundings: ``world_file``, ``sdf`` or ``mesh_dir``.

        Raises:
            FileNotFoundError: There is no such file or folder.
        """
        return ScenarioLoader(self).load_world(world_config, skip_models)

    # --- figures -------------------------------------------------------------------------------

    @property
    def step_count(self) -> int:
        """Steps so far."""
        return self._step_count

    @property
    def collision_count(self) -> int:
        """Collisions that began so far."""
        return self._collisions.count

    @property
    def enable_memory_profiling(self) -> bool:
        """Whether memory is measured."""
        return self._enable_memory_profiling

    @property
    def last_profiling(self) -> Mapping[str, Any] | None:
        """Where the time of the last step went [ms]; None if it was not measured."""
        return self._last_profiling

    def record_profiling(self, name: str, value_ms: float) -> None:
        """Add a duration of one's own to the measurements of this step [ms]."""
        known = self._profiling_stats.setdefault(name, [])
        if known:
            known[-1] += value_ms
        elif name not in _PARTS:
            known.append(value_ms)

    def get_memory_usage(self) -> dict[str, float] | None:
        """Memory of Python objects, now and at most [MB]; None if it is not measured."""
        if not self._enable_memory_profiling or not tracemalloc.is_tracing():
            return None
        now, most = tracemalloc.get_traced_memory()
        return {"current_mb": now / _MEGABYTE, "peak_mb": most / _MEGABYTE}

    # --- what is called ------------------------------------------------------------------------

    def _call_callbacks(self, dt: float) -> None:
        for entry in list(self._callbacks):
            frequency, last = entry["frequency"], entry["last_exec"]
            if frequency and self.sim_time - last < 1.0 / frequency:
                continue
            entry["func"](self, self.sim_time - last if last > 0 else dt)
            entry["last_exec"] = self.sim_time

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
            self._recolor(changed, collision_color or self._collision_color)
        self._tell_collisions(started, SimEvents.COLLISION_STARTED)
        self._tell_collisions(ended, SimEvents.COLLISION_ENDED)
        timings["total"] = (time.perf_counter() - begin) * 1000
        return timings

    def get_active_collision_pairs(self) -> list[Pair]:
        """Pairs that collide, as object numbers."""
        return self._collisions.active_list()

    def _tell_collisions(self, keys: NDArray[np.int64], event: str) -> None:
        if not len(keys):
            return
        begin = time.perf_counter()
        logged, heard = logger.isEnabledFor(logging.INFO), self.events.has_handlers(event)
        if not (logged or heard or self._objects_are_heard):
            return
        objects = self._sim_objects_dict
        for a, b in pairs_of_keys(keys):
            first, second = objects.get(a), objects.get(b)
            if first is None or second is None:
                continue
            if logged:
                logger.info(f"{event}: object {a} <-> object {b}")
            if heard:
                self.events.emit(event, obj_a=first, obj_b=second)
            if first._has_entity_events():
                first.events.emit(event, other=second)
            if second._has_entity_events():
                second.events.emit(event, other=first)
        measured = self._profiling_stats["events_collision"]
        if measured:
            measured[-1] += (time.perf_counter() - begin) * 1000

    def _recolor(self, changed: list[Pair], color: list[float]) -> None:
        colliding = {number for pair in self._collisions.active_list() for number in pair}
        for number in {number for pair in changed for number in pair}:
            obj = self._sim_objects_dict.get(number)
            if obj is not None:
                original = self._robot_original_colors.get(obj.body_id, [0.0, 0.0, 0.0, 1.0])
                self._physics_world.set_color(
                    obj.body_id, color if number in colliding else original
                )

    # --- one step ------------------------------------------------------------------------------

    def step_once(self, return_profiling: bool = False) -> dict[str, Any] | None:
        """Do one step; nothing while paused, or once the world is closed.

        Args:
            return_profiling: Say where the time went [ms].
        """
        measuring = self._enable_time_profiling or return_profiling
        if not measuring:
            self._last_profiling = None
        if not is_open(self._physics_world):
            return None
        self._consume_gui_commands()
        if self._view is not None:
            self._view.follow()
        if self.is_paused and not self._single_step_requested:
            return None
        self._single_step_requested = False
        clock = Clock(self._profiling_stats if measuring else None)
        breakdown = self._step(clock)
        return self._finish_step(clock, breakdown, return_profiling)

    def _step(self, clock: Clock) -> dict[str, float] | None:
        dt = self._params.timestep
        self._in_step = self._physics_world.holding = True
        try:
            self.sim_time = self._elapsed_sim_time
            self.events.emit(SimEvents.PRE_STEP, dt=dt, sim_time=self.sim_time)
            clock.lap("events_pre_step")
            self._updates.advance(dt, self.sim_time, self._registered_managers)
            clock.lap("agent_update", "phase1_update")
            self._call_callbacks(dt)
            clock.lap("callbacks", "phase1_update")
            self._step_plugins(dt)
            clock.lap("phase1_update")
            self._physics_world.holding = False
            clock.lap("phase2_pose_flush")
            if self._params.physics:
                self._step_world()
            clock.lap("step_simulation")
            self._boxes_of_all()
            clock.lap("phase3_aabb_grid_flush")
            breakdown = self._check_in_step(clock.measuring)
            clock.lap("collision_check")
        finally:
            self._in_step = self._physics_world.holding = False
        self.events.emit(SimEvents.POST_STEP, dt=dt, sim_time=self.sim_time)
        clock.lap("events_post_step")
        self._elapsed_sim_time += dt
        self._step_count += 1
        if self._event_log is not None:
            self._event_log.step(self._step_count - 1, self._elapsed_sim_time)
        if step_observers.observers:
            step_observers.notify_step(dt, self._collisions.active_count)
        self._monitor_in_step()
        clock.lap("monitor_update")
        return breakdown

    def _check_in_step(self, measuring: bool) -> dict[str, float] | None:
        frequency = self._collision_check_frequency
        if frequency is not None and (
            frequency <= 0 or self.sim_time - self._last_collision_check < 1.0 / frequency
        ):
            return None
        breakdown = self._update_collisions()
        self._last_collision_check = self.sim_time
        return breakdown if measuring else None

    def _monitor_in_step(self) -> None:
        if self._data_monitor is None:
            return
        interval = self._params.timestep if self._params.gui else 1.0
        if self.sim_time - self._last_monitor_update > interval:
            self.update_monitor()
            self._last_monitor_update = self.sim_time

    def _finish_step(
        self, clock: Clock, breakdown: dict[str, float] | None, wanted: bool
    ) -> dict[str, Any] | None:
        if self._enable_memory_profiling and tracemalloc.is_tracing():
            self._note_memory()
        if not clock.measuring:
            return None
        clock.end()
        result: dict[str, Any] = {n: d[-1] for n, d in self._profiling_stats.items() if d}
        frozen = dict(result)
        if breakdown is not None:
            result["collision_breakdown"] = breakdown
            frozen["collision_breakdown"] = MappingProxyType(dict(breakdown))
        self._last_profiling = MappingProxyType(frozen)
        if wanted:
            for data in self._profiling_stats.values():
                if data:
                    data.pop()
            return result
        if self._step_count % self._profiling_interval == 0:
            self._print_profiling_summary()
        return None

    def _print_profiling_summary(self) -> None:
        totals = self._profiling_stats["total"]
        if not totals:
            return
        whole = statistics.mean(totals)
        parts = []
        for name, data in self._profiling_stats.items():
            if data:
                mean = statistics.mean(data)
                share = mean / whole * 100 if whole > 0 else 0.0
                parts.append(f"{name}={mean:.2f}ms ({share:.1f}%)")
        logger.info(f"[PROFILING] Last {len(totals)} steps average: " + ", ".join(parts))
        for data in self._profiling_stats.values():
            data.clear()

    def _note_memory(self) -> None:
        now, most = tracemalloc.get_traced_memory()
        self._memory.append(now / _MEGABYTE)
        if self._step_count % self._profiling_interval == 0:
            logger.info(
                f"[MEMORY] Last {len(self._memory)} steps: "
                f"current={statistics.mean(self._memory):.2f}MB "
                f"(min={min(self._memory):.2f}, max={max(self._memory):.2f}), "
                f"peak={most / _MEGABYTE:.2f}MB, "
                f"growth={self._memory[-1] - self._memory[0]:+.2f}MB"
            )
            self._memory.clear()
            tracemalloc.reset_peak()

    # --- runs ----------------------------------------------------------------------------------

    def initialize_simulation(self) -> None:
        """Set all counters and clocks to zero; objects stay."""
        self._start_time = time.monotonic()
        self._step_count = 0
        self._collisions.count = 0
        self._collisions.reset()
        self._collisions.moved.clear()
        self.sim_time = self._elapsed_sim_time = 0.0
        self._last_collision_check = self._last_monitor_update = 0.0
        self._last_logged_collision_count = 0
        self._last_monitor_frame = None
        self._single_step_requested = self._pacing_rebase_requested = False
        self._selected_entity_id = None
        self._gui_follow_enabled = False
        self._speed_history.clear()
        self._last_profiling = None
        self._memory.clear()
        for data in self._profiling_stats.values():
            data.clear()
        for entry in self._callbacks:
            entry["last_exec"] = 0.0
        self.resume()
        self.configure_visualizer()
        self.enable_rendering()
        if self._enable_memory_profiling and not tracemalloc.is_tracing():
            tracemalloc.start(10)
        logger.info(f"Simulation initialized: {len(self._sim_objects)} objects")

    def configure_visualizer(
        self,
        enable_structure_transparency: bool | None = None,
        enable_shadows: bool | None = None,
    ) -> None:
        """Set how the simulation looks; nothing without a picture."""
        if not self._params.gui:
            return
        if enable_structure_transparency is not None:
            self._params.enable_structure_transparency = enable_structure_transparency
        if enable_shadows is not None:
            self._params.enable_shadows = enable_shadows
        if self._params.camera_config and not self._camera_configured:
            self.setup_camera()

    def reset(self) -> None:
        """Remove all objects and start over with the same parameters, callbacks and plugins."""
        for tree, _ in list(self._behavior_trees):
            self.unregister_behavior_tree(tree)
        for manager in self._registered_managers:
            manager.clear()
        self._updates.clear()
        self._sim_objects.clear()
        self._sim_objects_dict.clear()
        self._agents.clear()
        self._robot_original_colors.clear()
        self._camera_configured = False
        self._collisions.changed()
        self._collisions.cell = None
        for plugin in self._plugins:
            self._guarded(plugin, "on_reset")
            plugin._accumulator = 0.0
        self._physics_world.clear()
        self._add_floor()
        self._next_object_id = 0
        self.initialize_simulation()
        logger.info("Simulation reset: all objects removed, world reloaded")

    def run_simulation(self, duration: float | None = None) -> None:
        """Run for a time, then close the world.

        Args:
            duration: In seconds of simulation; None: as the parameters say; 0: until stopped.
        """
        length = self._params.duration if duration is None else duration
        self._record_from_environment()
        self.initialize_simulation()
        pace = Pace(self)
        try:
            while is_open(self._physics_world) and not self._is_over(length):
                pace.step()
        except KeyboardInterrupt:
            logger.warning("Simulation interrupted by user")
        self.update_monitor()
        if self._view is not None:
            self._view.draw()
        self.stop_recording()
        self.stop_event_log()
        self._shutdown_plugins()
        if self._data_monitor is not None:
            self._data_monitor.stop()
        close_physics_world(self._physics_world)

    def _is_over(self, duration: float) -> bool:
        if duration <= 0:
            return False
        now, slack = self._elapsed_sim_time, self._params.timestep * 1e-9
        return now >= duration or math.isclose(now, duration, rel_tol=0.0, abs_tol=slack)

    def _record_from_environment(self) -> None:
        path = os.environ.get("RECORD")
        if not path or self._recorder is not None:
            return
        read = os.environ.get
        self.start_recording(
            output=path,
            duration=float(read("RECORD_DURATION", "4.0")),
            fps=int(read("RECORD_FPS", "15")),
            width=int(read("RECORD_WIDTH", "800")),
            height=int(read("RECORD_HEIGHT", "600")),
            time_base=read("RECORD_TIME_BASE", "sim"),
        )


__all__ = ["MultiRobotSimulationCore", "SimulationParams"]
