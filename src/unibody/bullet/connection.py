"""Connecting to and leaving a physics world."""

from __future__ import annotations

import importlib.util
import webbrowser

from unibody.bullet import constants as c
from unibody.bullet import load_everything
from unibody.bullet.client import (
    Client,
    clients,
    close_client,
    find_client,
    get_client,
    open_client,
)
from unibody.bullet.errors import error
from unibody.bullet.window_options import SWITCH, parse_options, viewer_wanted
from unibody.errors import NotSupportedError
from unibody.notices import tell

_API_VERSION = 202010061  # PyBullet 3.2.7 reports this
_WINDOWED = frozenset({c.GUI, c.GUI_MAIN_THREAD})
_SERVERS = frozenset(
    {c.SHARED_MEMORY_SERVER, c.GUI_SERVER, c.SHARED_MEMORY_GUI, c.TCP, c.UDP,
     c.GRAPHICS_CLIENT, c.GRAPHICS_SERVER, c.GRAPHICS_SERVER_TCP, c.GRAPHICS_SERVER_MAIN_THREAD}
)  # fmt: skip


def connect(
    method: int,
    key: int | str = 0,
    options: str = "",
    *,
    hostName: str = "",
    port: int = -1,
) -> int:
    """Make a physics world and return the id of the client that owns it.

    ``GUI`` opens a page in the viewer and prints its address on stderr. ``SHARED_MEMORY``
    returns -1 where no server runs, as scripts that try it first expect.

    Args:
        method: ``DIRECT``, ``GUI``, ``SHARED_MEMORY``.
        key: Shared-memory key, or the host name of a server.
        options: The original's window options, and ``--browser`` to open the page at once.
        hostName: Host of a server.
        port: Port of a server.

    Raises:
        error: ``method`` is none of PyBullet's.
        NotSupportedError: A connection to, or as, a physics server.
    """
    load_everything()
    if method == c.SHARED_MEMORY:
        return -1
    if method in _SERVERS:
        raise NotSupportedError(
            f"connect({method}) to a physics server (key={key!r}, hostName={hostName!r}, "
            f"port={port})",
            "use connect(DIRECT): the world then lives in this process",
        )
    if method == c.DIRECT:
        return open_client(c.DIRECT).id
    if method in _WINDOWED:
        client = open_client(c.GUI)
        _open_window(client, options)
        return client.id
    raise error("connectPhysicsServer unexpected argument")


_said_windowless: list[bool] = []


def _open_window(client: Client, text: str) -> None:
    """Open the viewer's page for a client; without viser the world runs unseen, and says so."""
    options = parse_options(text)
    if options.ignored:
        tell(f"connect(GUI): {' '.join(options.ignored)} have nothing to act on here")
    reason = "" if viewer_wanted() else f"{SWITCH} is off"
    if not reason and importlib.util.find_spec("viser") is None:
        reason = 'the viewer is not installed: pip install "unibody[viewer]"'
    if reason:
        if not _said_windowless:
            _said_windowless.append(True)
            tell(f"connect(GUI) runs without a window ({reason})")
        return
    from unibody.bullet.window.page import Window

    client.window = Window(client, options)
    tell(f"viewer: {client.window.viewer.url}")
    if options.browser:
        webbrowser.open(client.window.viewer.url)


def disconnect(physicsClientId: int = 0) -> None:
    """Leave a world; its id may be given out again.

    Raises:
        error: Not connected.
    """
    close_client(physicsClientId)  # a world that follows the clock makes no last steps


def isConnected(physicsClientId: int = 0) -> int:
    """1 if a client with this id exists, else 0."""
    if physicsClientId in clients:
        return 1
    return int(find_client(physicsClientId) is not None)


def getConnectionInfo(physicsClientId: int = 0) -> dict[str, int]:
    """``isConnected`` and ``connectionMethod`` of a client."""
    client = find_client(physicsClientId)
    if client is None:
        return {"isConnected": 0, "connectionMethod": 0}
    return {"isConnected": 1, "connectionMethod": client.method}


def isNumpyEnabled(physicsClientId: int = 0) -> int:
    """1: arrays are accepted everywhere, and NumPy is always there."""
    return 1


def syncBodyInfo(physicsClientId: int = 0) -> None:
    """Take over bodies that other clients made: a world in this process has no other client.

    Raises:
        error: Not connected.
    """
    get_client(physicsClientId)


def getAPIVersion(physicsClientId: int = 0) -> int:
    """PyBullet's API version number that this surface speaks."""
    return _API_VERSION
