"""What a plugin is, and the plugins of one client."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client


class Plugin:
    """A plugin of one client.

    Attributes:
        client_id: The client it was loaded for; calls of the API take it as ``physicsClientId``.

    Args:
        client_id: The client.
    """

    def __init__(self, client_id: int) -> None:
        self.client_id = client_id

    def execute(
        self, text: str, ints: tuple[int, ...], floats: tuple[float, ...]
    ) -> int | tuple[int, bytes]:
        """Carry out a command.

        Returns:
            What executePluginCommand returns; -1 says that it was not understood.
        """
        return -1

    def before_step(self, time_step: float) -> None:
        """Act before every substep of ``time_step`` seconds."""

    def after_step(self, time_step: float) -> None:
        """Act after every substep of ``time_step`` seconds."""

    def close(self) -> None:
        """Give back what the plugin holds: it was unloaded, or its client left."""


class _Ticks:
    """A plugin that wants to know about substeps."""

    def __init__(self, plugin: Plugin) -> None:
        self.plugin = plugin

    def before_tick(self, client: Client) -> None:
        self.plugin.before_step(_substep(client))

    def after_tick(self, client: Client) -> None:
        self.plugin.after_step(_substep(client))


def _substep(client: Client) -> float:
    return client.parameters.fixedTimeStep / (client.parameters.numSubSteps or 1)


class PluginTable:
    """The loaded plugins of a client by id.

    Args:
        client: The client.
        first: The first id for those that have none of their own.
    """

    def __init__(self, client: Client, first: int) -> None:
        self._client = client
        self._next = first
        self._plugins: dict[int, tuple[str, Plugin, _Ticks | None]] = {}

    def find(self, name: str) -> int | None:
        """The id of a plugin that is loaded."""
        return next((number for number, row in self._plugins.items() if row[0] == name), None)

    def get(self, number: int) -> Plugin | None:
        """The plugin with an id."""
        row = self._plugins.get(number)
        return None if row is None else row[1]

    def add(self, name: str, plugin: Plugin, number: int | None) -> int:
        """Take a plugin, under an id of its own or the next one."""
        if number is None:
            number, self._next = self._next, self._next + 1
        own = type(plugin)
        steps = (own.before_step, own.after_step) != (Plugin.before_step, Plugin.after_step)
        ticks = _Ticks(plugin) if steps else None
        if ticks is not None:
            self._client.ticks.append(ticks)
        self._plugins[number] = (name, plugin, ticks)
        return number

    def remove(self, number: int) -> None:
        """End a plugin; an id that is not in use is no error."""
        row = self._plugins.pop(number, None)
        if row is None:
            return
        _, plugin, ticks = row
        if ticks is not None:
            self._client.ticks.remove(ticks)
        plugin.close()

    def close(self) -> None:
        """End all plugins."""
        for number in list(self._plugins):
            self.remove(number)
