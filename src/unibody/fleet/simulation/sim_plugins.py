"""The plugins of a simulation."""

from __future__ import annotations

from typing import Any

from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger
from unibody.fleet.plugins.sim_plugin import SimPlugin, create_sim_plugin_from_entry

logger: LazyLogger = get_lazy_logger("pybullet_fleet.core_simulation")


class SimPlugins:
    """Plugins in the order in which they were added.

    Attributes:
        plugins: The plugins.
    """

    def __init__(self) -> None:
        self.plugins: list[Any] = []

    def add(
        self, core: Any, plugin_or_cls: Any, config: dict[str, Any] | None, frequency: float | None
    ) -> SimPlugin:
        """Add a plugin; see `MultiRobotSimulationCore.register_plugin`."""
        plugin = plugin_or_cls
        if isinstance(plugin_or_cls, type) and issubclass(plugin_or_cls, SimPlugin):
            plugin = plugin_or_cls.from_config(core, config or {})
        if not isinstance(plugin, SimPlugin):
            raise TypeError(f"Expected SimPlugin instance or subclass, got {plugin_or_cls!r}")
        plugin.frequency = frequency
        self.plugins.append(plugin)
        return plugin

    def load(self, core: Any, entries: list[Any]) -> None:
        """Add those a configuration states."""
        for entry in entries:
            self.plugins.append(create_sim_plugin_from_entry(entry, core))

    def start(self) -> None:
        """Tell all that the simulation is there."""
        for plugin in self.plugins:
            plugin.on_init()

    def step(self, dt: float) -> None:
        """Let those whose time has come do their step of ``dt`` seconds, or what passed since."""
        for plugin in self.plugins:
            plugin._accumulator += dt
            if plugin.frequency is not None and plugin._accumulator < 1.0 / plugin.frequency:
                continue
            since, plugin._accumulator = plugin._accumulator, 0.0
            _guarded(plugin, "on_step", dt if plugin.frequency is None else since)

    def reset(self) -> None:
        """Tell all that the simulation starts over."""
        for plugin in self.plugins:
            _guarded(plugin, "on_reset")
            plugin._accumulator = 0.0

    def shut_down(self) -> None:
        """Tell all that the simulation is over."""
        for plugin in self.plugins:
            _guarded(plugin, "on_shutdown")


def _guarded(plugin: Any, name: str, *args: Any) -> None:
    try:
        getattr(plugin, name)(*args)
    except Exception:  # a faulty plugin must not end a simulation
        logger.error("Plugin %s.%s() failed", type(plugin).__name__, name, exc_info=True)
