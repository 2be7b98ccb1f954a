"""loadPlugin, unloadPlugin, executePluginCommand, and plugins written in Python.

The plugins PyBullet has built in have its names and ids: ``pdControlPlugin``,
``collisionFilterPlugin``, ``tinyRendererPlugin`` and ``fileIOPlugin``; ``eglRendererPlugin`` is
accepted as well. A plugin of your own is a subclass of `Plugin`::

    from unibody.bullet import plugins

    class Meter(plugins.Plugin):
        def execute(self, text, ints, floats):
            return len(text)

    plugins.register("meter", Meter)

From then on ``p.loadPlugin("meter")`` makes one for a client. A package that brings a plugin names
it in the entry-point group ``unibody.bullet.plugins``, and needs no call of `register`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from unibody.bullet.arguments.kinds import numbers, whole_numbers
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import get_client
from unibody.bullet.plugins.base import Plugin, PluginTable
from unibody.bullet.plugins.control import CollisionFilter, PdControl, Renderer
from unibody.bullet.plugins.files import FileAccess
from unibody.errors import InvalidArgumentError
from unibody.notices import tell

ENTRY_POINTS = "unibody.bullet.plugins"
FAILED = -1  # what PyBullet returns for what it cannot load or run
_BUILT_IN: dict[str, tuple[int, Callable[[int], Plugin]]] = {
    "pdControlPlugin": (0, PdControl),
    "collisionFilterPlugin": (1, CollisionFilter),
    "tinyRendererPlugin": (2, Renderer),
    "fileIOPlugin": (3, FileAccess),
    "eglRendererPlugin": (4, Renderer),
}
_FIRST_ID = 5  # of plugins that are not built in
_RENDERERS = {"eglRenderer": "eglRendererPlugin", "tinyRenderer": "tinyRendererPlugin"}
_registered: dict[str, Callable[[int], Plugin]] = {}


def register(name: str, make: Callable[[int], Plugin]) -> None:
    """Let ``loadPlugin(name)`` load a plugin written in Python.

    Args:
        name: What scripts call it; a name used before means the new one from now on.
        make: Makes one for a client, whose id it gets: a subclass of `Plugin`, or a function.

    Raises:
        InvalidArgumentError: ``name`` is empty or that of a built-in plugin.
    """
    if not name or name in _BUILT_IN:
        raise InvalidArgumentError("name", name, "a name that no built-in plugin has")
    _registered[name] = make


def loadPlugin(pluginPath: str, postFix: str = "", physicsClientId: int = 0) -> int:
    """Load a plugin and return its id, the same one if it is loaded already.

    Args:
        pluginPath: Name of a built-in or registered plugin. The library of PyBullet's EGL renderer
            means ``eglRendererPlugin``; any other library is for Bullet's engine and fails, with
            a line on stderr.
        postFix: Of the names of a library's functions: a plugin in Python has none.
        physicsClientId: The client.

    Returns:
        The id; -1 for what cannot be loaded.

    Raises:
        error: Not connected.
    """
    client = get_client(physicsClientId)
    name = _plain_name(os.fspath(pluginPath))
    table = _table(client)
    loaded = table.find(name)
    if loaded is not None:
        return loaded
    if name in _BUILT_IN:
        number, make = _BUILT_IN[name]
        return table.add(name, make(client.id), number)
    own = _registered.get(name) or _entry_point(name)
    if own is None:
        kind = "a library for Bullet's engine" if os.path.splitext(name)[1] else "no plugin"
        tell(
            f"loadPlugin({name!r}): {kind}; there are "
            f"{', '.join(sorted({*_BUILT_IN, *_registered}))}, and plugins in Python "
            "(unibody.bullet.plugins.register)"
        )
        return FAILED
    return table.add(name, own(client.id), None)


def unloadPlugin(pluginUniqueId: int, physicsClientId: int = 0) -> None:
    """End a plugin; an id that is not in use is ignored, as in PyBullet.

    Raises:
        error: Not connected.
    """
    client = get_client(physicsClientId)
    number = index(pluginUniqueId)
    if client.plugins is not None:
        _table(client).remove(number)


def executePluginCommand(
    pluginUniqueId: int,
    textArgument: str = "",
    intArgs: Sequence[int] = (),
    floatArgs: Sequence[float] = (),
    physicsClientId: int = 0,
) -> int | tuple[int, int, tuple[int, ...]]:
    """Have a plugin do something.

    Args:
        pluginUniqueId: Id of the plugin.
        textArgument: Text for it.
        intArgs: Numbers for it.
        floatArgs: More numbers for it.
        physicsClientId: The client.

    Returns:
        What the plugin returns: a number, or (number, 1, bytes as numbers) if it returns bytes
        too; -1 if there is no such plugin.

    Raises:
        error: Not connected, or what the plugin raises.
    """
    client = get_client(physicsClientId)
    number = index(pluginUniqueId)
    ints = tuple(whole_numbers("intArgs", intArgs))
    floats = tuple(numbers("floatArgs", floatArgs))
    plugin = None if client.plugins is None else _table(client).get(number)
    if plugin is None:
        return FAILED
    result = plugin.execute(textArgument or "", ints, floats)
    if isinstance(result, tuple):
        status, data = result
        return status, 1, tuple(data)
    return result


def _table(client: Client) -> PluginTable:
    plugins = client.plugins
    if not isinstance(plugins, PluginTable):
        plugins = client.plugins = PluginTable(client, _FIRST_ID)
    return plugins


def _plain_name(path: str) -> str:
    """The name of a plugin; that of the renderer for the library of one of PyBullet's."""
    name = os.path.basename(path)
    for part, renderer in _RENDERERS.items():
        if part in name:
            return renderer
    return name if name in _BUILT_IN else path


def _entry_point(name: str) -> Callable[[int], Plugin] | None:
    """A plugin some installed package brings; a faulty one is the package's error."""
    from importlib import metadata

    found: Any = metadata.entry_points(group=ENTRY_POINTS, name=name)
    return next((entry.load() for entry in found), None)
