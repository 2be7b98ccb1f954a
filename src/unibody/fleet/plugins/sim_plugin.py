"""Plugins of simulations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from unibody.fleet.parameters.registries import PluginRegistry, from_config_introspect

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import SimulationInterface as MultiRobotSimulationCore

_registry: PluginRegistry[SimPlugin] = PluginRegistry("sim_plugin")


def register_sim_plugin(name: str, cls: type[SimPlugin]) -> None:
    """Let a class be made by name."""
    _registry.register(name, cls)


def create_sim_plugin(
    name: str,
    sim_core: MultiRobotSimulationCore,
    config: dict[str, Any] | None = None,
    frequency: float | None = None,
) -> SimPlugin:
    """Make a plugin by name.

    Raises:
        KeyError: There is none of that name.
    """
    entry: dict[str, Any] = {"type": name, "config": config or {}, "frequency": frequency}
    return create_sim_plugin_from_entry(entry, sim_core)


def create_sim_plugin_from_entry(
    entry: dict[str, Any], sim_core: MultiRobotSimulationCore
) -> SimPlugin:
    """Make a plugin from an entry of a file: ``type`` or ``class``, ``config``, ``frequency``."""
    cls = _registry.resolve_from_entry(entry, SimPlugin)
    plugin = cls.from_config(sim_core, entry.get("config", {}))
    plugin.frequency = entry.get("frequency")
    return plugin


def list_sim_plugins() -> dict[str, type[SimPlugin]]:
    """All classes by name."""
    return _registry.items()


class SimPlugin:
    """Something that happens to a simulation in every step.

    A subclass with a ``_registry_name`` registers itself.

    Args:
        sim_core: The simulation.

    Attributes:
        frequency: Calls a second of simulation; None: every step.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _registry.auto_register_subclass(cls)

    def __init__(self, sim_core: Any) -> None:
        self.sim_core: MultiRobotSimulationCore = sim_core  # None where a plugin is tried by itself
        self.config: dict[str, Any] = {}
        self.frequency: float | None = None
        self._accumulator = 0.0

    @classmethod
    def from_config(
        cls, sim_core: MultiRobotSimulationCore, config: dict[str, Any] | None = None
    ) -> Self:
        """Make one from a dictionary of its arguments; other keys are passed over."""
        return from_config_introspect(cls, (sim_core,), config or {})

    def on_init(self) -> None:
        """For subclasses: begin."""

    def on_step(self, dt: float) -> None:
        """For subclasses: so many seconds have passed."""

    def on_reset(self) -> None:
        """For subclasses: start over."""

    def on_shutdown(self) -> None:
        """For subclasses: end."""
