"""What takes part in a simulation besides robots: behaviour trees, plugins, a recorder."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from unibody.errors import InvalidArgumentError
from unibody.fleet.foundation.loggers import get_lazy_logger
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.simulation_params import SimulationParams
from unibody.fleet.simulation.simulated_objects import ObjectCore
from unibody.fleet.simulation.views import ViewedCore

if TYPE_CHECKING:
    from unibody.fleet.recording.event_log import EventLogWriter
    from unibody.fleet.recording.snapshot import FleetSnapshot
    from unibody.fleet.window.live import LiveView

logger = get_lazy_logger("pybullet_fleet.core_simulation")


class ExtendedCore(ViewedCore):
    """A simulation with plugins, behaviour trees and a recorder."""

    def __init__(self, params: SimulationParams) -> None:
        super().__init__(params)
        self._callbacks: list[dict[str, Any]] = []
        self._behavior_trees: list[tuple[Any, Callable[..., Any]]] = []
        self._plugins: list[Any] = []
        self._recorder: Any = None
        self._event_log: EventLogWriter | None = None
        self._view: LiveView | None = None

    def register_callback(
        self, callback: Callable[..., Any], frequency: float | None = None
    ) -> None:
        """Have a function of (simulation, seconds since the last call) called.

        Args:
            callback: The function.
            frequency: Calls a second of simulation; None: every step.
        """
        self._callbacks.append({"func": callback, "frequency": frequency, "last_exec": 0.0})

    def unregister_callback(self, callback_func: Callable[..., Any]) -> bool:
        """Undo that; False if it was not registered."""
        for entry in self._callbacks:
            if entry["func"] is callback_func or entry["func"] == callback_func:
                self._callbacks.remove(entry)
                return True
        return False

    def register_behavior_tree(self, tree: Any) -> Any:
        """Have a behaviour tree ticked in every step.

        Raises:
            TypeError: It has no method ``tick(sim_core, dt)``.
        """
        tick = getattr(tree, "tick", None)
        if not callable(tick):
            raise TypeError("Behavior tree must provide a callable tick(sim_core, dt) method")
        if all(known is not tree for known, _ in self._behavior_trees):
            self.register_callback(tick)
            self._behavior_trees.append((tree, tick))
        return tree

    def unregister_behavior_tree(self, tree: Any) -> bool:
        """Undo that; False if it was not registered."""
        for number, (known, tick) in enumerate(self._behavior_trees):
            if known is tree:
                del self._behavior_trees[number]
                self.unregister_callback(tick)
                return True
        return False

    @property
    def behavior_trees(self) -> tuple[Any, ...]:
        """The behaviour trees."""
        return tuple(tree for tree, _ in self._behavior_trees)

    def _removed(self, obj: SimObject) -> None:
        super()._removed(obj)
        for tree, _ in list(self._behavior_trees):
            if getattr(tree, "agent", None) is obj:
                self.unregister_behavior_tree(tree)

    # --- plugins -------------------------------------------------------------------------------

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
        from unibody.fleet.plugins.sim_plugin import SimPlugin

        plugin = plugin_or_cls
        if isinstance(plugin_or_cls, type) and issubclass(plugin_or_cls, SimPlugin):
            plugin = plugin_or_cls.from_config(self, config or {})
        if not isinstance(plugin, SimPlugin):
            raise TypeError(f"Expected SimPlugin instance or subclass, got {plugin_or_cls!r}")
        plugin.frequency = frequency
        self._plugins.append(plugin)
        return plugin

    @property
    def plugins(self) -> list[Any]:
        """The plugins."""
        return list(self._plugins)

    def _load_and_init_plugins(self, config: dict[str, Any]) -> None:
        from unibody.fleet.plugins.sim_plugin import create_sim_plugin_from_entry

        for entry in config.get("plugins") or []:
            self._plugins.append(create_sim_plugin_from_entry(entry, self))
        self._init_plugins()

    def _init_plugins(self) -> None:
        for plugin in self._plugins:
            plugin.on_init()

    def _step_plugins(self, dt: float) -> None:
        for plugin in self._plugins:
            plugin._accumulator += dt
            if plugin.frequency is not None and plugin._accumulator < 1.0 / plugin.frequency:
                continue
            since, plugin._accumulator = plugin._accumulator, 0.0
            self._guarded(plugin, "on_step", dt if plugin.frequency is None else since)

    def _shutdown_plugins(self) -> None:
        for plugin in self._plugins:
            self._guarded(plugin, "on_shutdown")

    @staticmethod
    def _guarded(plugin: Any, name: str, *args: Any) -> None:
        try:
            getattr(plugin, name)(*args)
        except Exception:  # a faulty plugin must not end a simulation
            logger.error("Plugin %s.%s() failed", type(plugin).__name__, name, exc_info=True)

    # --- event log -----------------------------------------------------------------------------

    def start_event_log(self, path: str) -> EventLogWriter:
        """Write every step to a file from now on; see `event_log`.

        Args:
            path: The file; one of that name is replaced.
        """
        from unibody.fleet.recording.event_log import EventLogWriter

        self.stop_event_log()
        self._event_log = EventLogWriter(self, path)
        return self._event_log

    def stop_event_log(self) -> None:
        """End that; without a log nothing happens."""
        if self._event_log is not None:
            self._event_log.close()
            self._event_log = None

    # --- window --------------------------------------------------------------------------------

    def view(self, *, port: int = 8080, rate: float = 20.0) -> LiveView:
        """Show the simulation on a page in the browser from now on; see `LiveView`.

        Args:
            port: First port to try; 0: any. A page that is there already keeps its own.
            rate: Most pictures a second.

        Raises:
            InvalidArgumentError: The rate is not positive.
            NotSupportedError: viser is not installed.
        """
        from unibody.fleet.window.live import LiveView

        if self._view is None or self._view.closed:
            self._view = LiveView(self, port=port, rate=rate)
        return self._view

    def stop_view(self) -> None:
        """Close the page; without one nothing happens."""
        if self._view is not None:
            self._view.close()
            self._view = None

    # --- snapshots -----------------------------------------------------------------------------

    def snapshot(self) -> FleetSnapshot:
        """The simulation as it is now, for `restore`; see `FleetSnapshot`.

        Raises:
            InvalidArgumentError: The simulation is over, or in the middle of a step.
            NotSupportedError: An action, plugin or controller holds an iterator.
        """
        from unibody.fleet.recording.snapshot import FleetSnapshot

        return FleetSnapshot(self, ObjectCore)

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

    # --- recording -----------------------------------------------------------------------------

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
        from unibody.fleet.recording.recorder import SimulationRecorder

        if self._recorder is not None:
            self.stop_recording()
        self._recorder = SimulationRecorder(
            sim_core=self,
            output=output,
            width=width,
            height=height,
            fps=fps,
            duration=duration,
            camera_mode=camera_mode,
            time_base=time_base,
            **kwargs,
        )
        self._recorder.start()
        return self._recorder

    def stop_recording(self) -> str | None:
        """Stop filming and write the film; its path, None if there is no picture."""
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            return None
        recorder.stop()
        try:
            return recorder.save()
        except ValueError:
            logger.warning("Recording stopped but no frames were captured")
            return None
