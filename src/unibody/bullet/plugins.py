"""loadPlugin and unloadPlugin: renderers that scripts load, and that are not needed here."""

from __future__ import annotations

import os
from operator import index

from unibody.bullet.client import get_client
from unibody.errors import NotSupportedError

# What the file or name of a plugin contains, and the id it gets.
_RENDERERS = {"tinyRenderer": 2, "eglRenderer": 4}


def loadPlugin(pluginPath: str, postFix: str = "", physicsClientId: int = 0) -> int:
    """Take note of a renderer plugin and return its id: cameras work without.

    Args:
        pluginPath: File or name of the plugin, one of PyBullet's renderers.
        postFix: Of its functions' names.
        physicsClientId: The client.

    Raises:
        error: Not connected.
        NotSupportedError: Any other plugin.
    """
    get_client(physicsClientId)
    name = os.path.basename(os.fspath(pluginPath))
    for known, number in _RENDERERS.items():
        if known in name:
            return number
    raise NotSupportedError(
        f"loadPlugin({name!r}, {postFix!r})",
        "of plugins only renderers have a meaning here; PD control is setJointMotorControl2",
    )


def unloadPlugin(pluginUniqueId: int, physicsClientId: int = 0) -> None:
    """Forget a plugin; an unknown id is passed over, as in PyBullet.

    Raises:
        error: Not connected.
        TypeError: The id is no integer.
    """
    get_client(physicsClientId)
    index(pluginUniqueId)
