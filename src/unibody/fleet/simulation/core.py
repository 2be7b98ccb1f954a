"""The simulation: its loop, what is called in every step, and what it measures."""

from __future__ import annotations

import dataclasses
import math
import os
import time
import tracemalloc
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from unibody.core.engine.world import step_observers
from unibody.errors import AssetError, InvalidArgumentError
from unibody.fleet.bodies.physics_world import close_physics_world, is_open
from unibody.fleet.foundation.events import SimEvents
from unibody.fleet.foundation.loggers import LazyLogger, LogLevelManager, get_lazy_logger
from unibody.fleet.monitoring.camera_controller import camera_of
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.simulation_params import SimulationParams
from unibody.fleet.parameters.yaml_reader import ConfigError
from unibody.fleet.simulation.callbacks import Callbacks
from unibody.fleet.simulation.camera_placement import camera_as_stated
from unibody.fleet.simulation.clock import Clock, Pace
from unibody.fleet.simulation.gui_requests import GuiRequests, set_pacing
from unibody.fleet.simulation.monitor import Monitor
from unibody.fleet.simulation.profile import memory_usage
from unibody.fleet.simulation.recordings import Recordings, film_from_environment
from unibody.fleet.simulation.scenarios import ScenarioLoader, read_scenario
from unibody.fleet.simulation.sim_plugins import SimPlugins
from unibody.fleet.simulation.simulated_objects import SimulatedObjects

if TYPE_CHECKING:
    from unibody.fleet.monitoring.gui_commands import GuiCommand, MonitorFrame
    from unibody.fleet.recording.event_log import EventLogWriter
    from unibody.fleet.recording.snapshot import FleetSnapshot
    from unibody.fleet.window.live import LiveView

logger: LazyLogger = get_lazy_logger("pybullet_fleet.core_simulation")


class MultiRobotSimulationCore(SimulatedObjects):
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
        config = read_scenario(yaml_path, headless=headless)
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
        if world and "map" not in world and "enable_floor" not in (simulation or {}):
            params.enable_floor = False
        sim = cls(params)
        try:
            ScenarioLoader(sim).make_managers(list(config.get("managers") or []))
            if world:
                names = [e["name"] for e in entities if e.get("name")]
                sim.load_world(world, skip_models=[*world.get("skip_models", []), *names])
            sim.spawn_robots_from_config(entities)
            sim._sim_plugins.load(sim, config.get("plugins") or [])
            sim._init_plugins()
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
        super().__init__(params, collision_color)
        self._start_time: float | None = None
        self._single_step_requested = False
        self._pacing_rebase_requested = False
        self._camera_configured = False
        self._enable_time_profiling = params.enable_time_profiling
        self._enable_memory_profiling = params.enable_memory_profiling
        self._monitor = Monitor()
        self._requests = GuiRequests()
        self._calls = Callbacks()
        self._sim_plugins = SimPlugins()
        self._recordings = Recordings()
        self.setup_monitor()
        for folder in params.model_paths or []:
            from unibody.fleet.models.robot_models import add_search_path

            add_search_path(folder)
        self._add_floor()

    # --- what a configuration states -----------------------------------------------------------

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
    def enable_memory_profiling(self) -> bool:
        """Whether memory is measured."""
        return self._enable_memory_profiling

    @property
    def last_profiling(self) -> Mapping[str, Any] | None:
        """Where the time of the last step went [ms]; None if it was not measured."""
        return self._profile.last

    def record_profiling(self, name: str, value_ms: float) -> None:
        """Add a duration of one's own to the measurements of this step [ms]."""
        self._profile.add(name, value_ms)

    def get_memory_usage(self) -> dict[str, float] | None:
        """Memory of Python objects, now and at most [MB]; None if it is not measured."""
        return memory_usage() if self._enable_memory_profiling else None

    def _print_profiling_summary(self) -> None:
        self._profile.tell()

    # --- what takes part -----------------------------------------------------------------------

    def register_callback(
        self, callback: Callable[..., Any], frequency: float | None = None
    ) -> None:
        """Have a function of (simulation, seconds since the last call) called.

        Args:
            callback: The function.
            frequency: Calls a second of simulation; None: every step.
        """
        self._calls.add(callback, frequency)

    def unregister_callback(self, callback_func: Callable[..., Any]) -> bool:
        """Undo that; False if it was not registered."""
        return self._calls.remove(callback_func)

    def register_behavior_tree(self, tree: Any) -> Any:
        """Have a behaviour tree ticked in every step.

        Raises:
            TypeError: It has no method ``tick(sim_core, dt)``.
        """
        return self._calls.add_tree(tree)

    def unregister_behavior_tree(self, tree: Any) -> bool:
        """Undo that; False if it was not registered."""
        return self._calls.remove_tree(tree)

    @property
    def behavior_trees(self) -> tuple[Any, ...]:
        """The behaviour trees."""
        return tuple(tree for tree, _ in self._calls.trees)

    def _removed(self, obj: SimObject) -> None:
        self._requests.forget(self, obj.object_id)
        self._calls.forget(obj)

    def register_plugin(
        self,
        plugin_or_cls: Any,
        config: dict[str, Any] | None = None,
        frequency: float | None = None,
    ) -> Any:
        """Add a plugin, or make one of a class and add it.

        Args:
            plugin_or_cls: A `SimPlugin`, or a subclass of it.
            config: Its arguments, if it is made here.
            frequency: Calls a second of simulation; None: every step.

        Raises:
            TypeError: It is neither.
        """
        return self._sim_plugins.add(self, plugin_or_cls, config, frequency)

    @property
    def plugins(self) -> list[Any]:
        """The plugins."""
        return list(self._sim_plugins.plugins)

    def _init_plugins(self) -> None:
        self._sim_plugins.start()

    def _shutdown_plugins(self) -> None:
        self._sim_plugins.shut_down()

    # --- what is kept and shown ----------------------------------------------------------------

    def start_event_log(self, path: str) -> EventLogWriter:
        """Write every step to a file from now on; see `event_log`.

        Args:
            path: The file; one of that name is replaced.
        """
        return self._recordings.start_log(self, path)

    def stop_event_log(self) -> None:
        """End that; without a log nothing happens."""
        self._recordings.stop_log()

    def view(self, *, port: int = 8080, rate: float = 20.0) -> LiveView:
        """Show the simulation on a page in the browser from now on; see `LiveView`.

        Args:
            port: First port to try; 0: any. A page that is there already keeps its own.
            rate: Most pictures a second.

        Raises:
            InvalidArgumentError: The rate is not positive.
            NotSupportedError: viser is not installed.
        """
        return self._recordings.open_page(self, port, rate)

    def stop_view(self) -> None:
        """Close the page; without one nothing happens."""
        self._recordings.close_page()

    def snapshot(self) -> FleetSnapshot:
        """The simulation as it is now, for `restore`; see `FleetSnapshot`.

        Raises:
            InvalidArgumentError: The simulation is over, or in the middle of a step.
            NotSupportedError: An action, plugin or controller holds an iterator.
        """
        from unibody.fleet.recording.snapshot import FleetSnapshot

        return FleetSnapshot(self, SimulatedObjects)

    def restore(self, snapshot: FleetSnapshot) -> None:
        """Put the simulation back to a snapshot, as often as wanted; the same steps follow.

        Raises:
            InvalidArgumentError: It is no snapshot of this simulation, or objects came or went
                since; then nothing is changed.
            NotSupportedError: With physics, objects were attached or detached since; likewise.
        """
        from unibody.fleet.recording.snapshot import FleetSnapshot

        if not isinstance(snapshot, FleetSnapshot):
            raise InvalidArgumentError("snapshot", snapshot, "what snapshot() returned")
        snapshot.put_back(self)

    def start_recording(
        self,
        output: str = "recording.gif",
        width: int = 800,
        height: int = 600,
        fps: int = 15,
        duration: float | None = None,
        camera_mode: str = "auto",
        time_base: str = "sim",
        **kwargs: Any,
    ) -> Any:
        """Begin to film; see `SimulationRecorder`."""
        return self._recordings.start_film(
            self,
            output=output,
            width=width,
            height=height,
            fps=fps,
            duration=duration,
            camera_mode=camera_mode,
            time_base=time_base,
            **kwargs,
        )

    def stop_recording(self) -> str | None:
        """Stop filming and write the film; its path, None if there is no picture."""
        return self._recordings.stop_film()

    # --- watching ------------------------------------------------------------------------------

    def setup_monitor(self) -> None:
        """Make the monitor, if there shall be one."""
        self._monitor.open(self._params, self.enqueue_gui_command)

    @property
    def last_monitor_frame(self) -> MonitorFrame | None:
        """What the monitor showed last."""
        return self._monitor.frame

    def update_monitor(self) -> None:
        """Show the present state."""
        self._monitor.update(self)

    @property
    def selected_entity_id(self) -> int | None:
        """Number of the object that is looked at."""
        return self._requests.selected

    @property
    def gui_follow_enabled(self) -> bool:
        """Whether the camera follows it."""
        return self._requests.follows

    def enqueue_gui_command(self, command: GuiCommand) -> bool:
        """Take a request, from any thread; it is done before the next step.

        Returns:
            False if too many wait.

        Raises:
            TypeError: It is none.
        """
        return self._requests.put(command)

    def request_single_step(self, source: str = "api") -> bool:
        """Let a paused simulation do one step; False if it is not paused."""
        if not self.is_paused:
            return False
        self._single_step_requested = True
        self.events.emit("gui.single_step_requested", source=source)
        return True

    def _set_selected_entity(self, entity_id: int | None, source: str) -> None:
        self._requests.select(self, entity_id, source)

    def setup_camera(
        self,
        camera_config: dict[str, Any] | None = None,
        entity_positions: list[list[float]] | None = None,
    ) -> None:
        """Place the camera; nothing without a picture.

        Args:
            camera_config: ``camera_mode`` "manual" (with ``camera_distance``, ``camera_yaw``,
                ``camera_pitch``, ``camera_target``) or "auto" (with ``camera_view_type``
                "top_down" or "perspective", and ``camera_auto_scale``).
            entity_positions: What to look at; all objects by default [m].
        """
        if not self._params.gui:
            return
        self._camera_configured = True
        config = (self._params.camera_config or {}) if camera_config is None else camera_config
        placed = camera_as_stated(config, entity_positions, self)
        if placed is not None:
            vars(camera_of(self.client)).update(vars(placed))
            logger.info(f"Camera: {self.camera}")

    @property
    def camera(self) -> dict[str, Any]:
        """``distance``, ``yaw``, ``pitch`` and ``target`` of the camera; empty until placed."""
        return dataclasses.asdict(camera_of(self.client)) if self._camera_configured else {}

    # --- one step ------------------------------------------------------------------------------

    def step_once(self, return_profiling: bool = False) -> dict[str, Any] | None:
        """Do one step; nothing while paused, or once the world is closed.

        Args:
            return_profiling: Say where the time went [ms].
        """
        measuring = self._enable_time_profiling or return_profiling
        if not measuring:
            self._profile.last = None
        if not is_open(self._physics_world):
            return None
        self._requests.carry_out(self)
        if self._recordings.page is not None:
            self._recordings.page.follow()
        if self.is_paused and not self._single_step_requested:
            return None
        self._single_step_requested = False
        clock = Clock(self._profile.stats if measuring else None)
        breakdown = self._step(clock)
        if self._enable_memory_profiling and tracemalloc.is_tracing():
            self._profile.note_memory(self._step_count)
        return self._profile.end_step(clock, breakdown, self._step_count, wanted=return_profiling)

    def _step(self, clock: Clock) -> dict[str, float] | None:
        dt = self._params.timestep
        self._in_step = self._physics_world.holding = True
        try:
            self.sim_time = self._elapsed_sim_time
            self.events.emit(SimEvents.PRE_STEP, dt=dt, sim_time=self.sim_time)
            clock.lap("events_pre_step")
            self._updates.advance(dt, self.sim_time, self._registered_managers)
            clock.lap("agent_update", "phase1_update")
            self._calls.call(self, dt)
            clock.lap("callbacks", "phase1_update")
            self._sim_plugins.step(dt)
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
        if self._recordings.log is not None:
            self._recordings.log.step(self._step_count - 1, self._elapsed_sim_time)
        if step_observers.observers:
            step_observers.notify_step(dt, self._collisions.active_count, self)
        if self._monitor.is_due(self._params, self.sim_time):
            self.update_monitor()
            self._monitor.shown_at = self.sim_time
        clock.lap("monitor_update")
        return breakdown

    # --- runs ----------------------------------------------------------------------------------

    def initialize_simulation(self) -> None:
        """Set all counters and clocks to zero; objects stay."""
        self._start_time = time.monotonic()
        self._step_count = 0
        self._collisions.count = 0
        self._collisions.reset()
        self._collisions.moved.clear()
        self.sim_time: float = 0.0
        self._elapsed_sim_time = 0.0
        self._last_collision_check = 0.0
        self._single_step_requested = self._pacing_rebase_requested = False
        self._monitor.reset()
        self._requests.reset()
        self._profile.reset()
        for entry in self._calls.entries:
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
        for tree in self.behavior_trees:
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
        self._sim_plugins.reset()
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
        film = film_from_environment()
        if film is not None and self._recordings.film is None:
            self.start_recording(**film)
        self.initialize_simulation()
        pace = Pace(self)
        try:
            while is_open(self._physics_world) and not self._is_over(length):
                pace.step()
        except KeyboardInterrupt:
            logger.warning("Simulation interrupted by user")
        self.update_monitor()
        if self._recordings.page is not None:
            self._recordings.page.draw()
        self.stop_recording()
        self.stop_event_log()
        self._shutdown_plugins()
        self._monitor.close()
        close_physics_world(self._physics_world)

    def _is_over(self, duration: float) -> bool:
        if duration <= 0:
            return False
        now, slack = self._elapsed_sim_time, self._params.timestep * 1e-9
        return now >= duration or math.isclose(now, duration, rel_tol=0.0, abs_tol=slack)

    # --- state of the parts, under the names of the original -----------------------------------

    _set_simulation_pacing = set_pacing

    @property
    def _callbacks(self) -> list[dict[str, Any]]:
        return self._calls.entries

    @property
    def _recorder(self) -> Any:
        return self._recordings.film

    @property
    def _data_monitor(self) -> Any:
        return self._monitor.window

    @property
    def _profiling_stats(self) -> dict[str, list[float]]:
        return self._profile.stats

    @property
    def _speed_history(self) -> Any:
        return self._monitor.speed_history

    @property
    def _last_logged_collision_count(self) -> int:
        return self._monitor.logged_collisions

    @_last_logged_collision_count.setter
    def _last_logged_collision_count(self, count: int) -> None:
        self._monitor.logged_collisions = count


__all__ = ["MultiRobotSimulationCore", "SimulationParams"]
