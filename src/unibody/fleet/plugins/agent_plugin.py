"""Plugins of agents: something that happens to an agent in every step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from unibody.fleet.parameters.registries import PluginRegistry, from_config_introspect

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent

_registry: PluginRegistry[AgentPlugin] = PluginRegistry("agent_plugin")


def register_agent_plugin(name: str, cls: type[AgentPlugin]) -> None:
    """Let a class be made by name."""
    _registry.register(name, cls)


def create_agent_plugin(
    name: str, agent: Agent, config: dict[str, Any] | None = None
) -> AgentPlugin:
    """Make a plugin by name.

    Raises:
        KeyError: There is none of that name.
    """
    return create_agent_plugin_from_entry({"type": name, "config": config or {}}, agent)


def create_agent_plugin_from_entry(entry: dict[str, Any], agent: Agent) -> AgentPlugin:
    """Make a plugin from an entry of a file: ``type`` or ``class``, and ``config``."""
    cls = _registry.resolve_from_entry(entry, AgentPlugin)
    return cls.from_config(agent, entry.get("config", {}))


def list_agent_plugins() -> dict[str, type[AgentPlugin]]:
    """All classes by name."""
    return _registry.items()


class AgentPlugin:
    """Something that happens to an agent in every step.

    A subclass with a ``_registry_name`` registers itself.

    Args:
        agent: The agent.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _registry.auto_register_subclass(cls)

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.config: dict[str, Any] = {}

    @classmethod
    def from_config(cls, agent: Agent, config: dict[str, Any] | None = None) -> Self:
        """Make one from a dictionary of its arguments; other keys are passed over."""
        return from_config_introspect(cls, (agent,), config or {})

    def on_init(self) -> None:
        """For subclasses: begin."""

    def on_update(self, dt: float) -> None:
        """For subclasses: one step of ``dt`` seconds."""

    def on_reset(self) -> None:
        """For subclasses: start over."""

    def on_destroy(self) -> None:
        """For subclasses: end."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} agent='{self.agent.name}'>"
