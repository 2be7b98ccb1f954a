"""Connecting to and leaving a physics world."""

from __future__ import annotations

import importlib.util
import webbrowser
from operator import index

from unibody.bullet import constants as c
from unibody.bullet.calls.front_door import load_everything
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import (
    clients,
    close_client,
    find_client,
    get_client,
    open_client,
)
from unibody.bullet.errors import error
from unibody.bullet.remote import joining
from unibody.errors import NotSupportedError, UnibodyError
from unibody.extras import install_command
from unibody.notices import tell

_API_VERSION = 202010061  # PyBullet 3.2.7 reports this
_WINDOWED = frozenset({c.GUI, c.GUI_MAIN_THREAD})


def connect(
    method: int,
    key: int | str = 0,
    options: str | int = "",
    *,
    hostName: str = "",
    port: int = -1,
) -> int:
    """Make a physics world, or join one, and return the id of the client that has it.

    - ``DIRECT``: a world of this process. ``GUI``: with a page in the viewer, whose address is
      printed on stderr.
    - ``SHARED_MEMORY``: the world of a server of this user on this machine. ``TCP``: of a server
      on a host; the token it asks for is in the environment variable ``UNIBODY_TOKEN``. ``UDP``
      is another name for it: there is no lossy transport.
    - ``SHARED_MEMORY_SERVER``, ``GUI_SERVER``: a world of this process that others can join
      under ``key`` while it lasts. ``unibody serve`` makes one in a process of its own.
    - ``GRAPHICS_SERVER`` is a ``GUI_SERVER`` that ``GRAPHICS_CLIENT`` (under its key) joins. In
      PyBullet the world stays with the client, and the server draws it; here both are there.
      ``GRAPHICS_SERVER_TCP`` joins a server on a host.

    Args:
        method: One of the above.
        key: Shared-memory key, ``SHARED_MEMORY_KEY`` if 0; or the host name of a server.
        options: The original's window options, such as ``--mp4=FILE`` for a video and
            ``--mp4fps=N``, and ``--browser`` to open the page at once. The port, behind a host
            name.
        hostName: Host of a server; this machine if empty.
        port: Port of a server, 6667 if negative.

    Returns:
        The id, or -1 at once where no server runs, as scripts that try a server first expect.

    Raises:
        error: ``method`` is none of PyBullet's, a server refuses, or another has the key.
        NotSupportedError: The transport of servers is not installed.
        OSError: The video cannot be written.
    """
    load_everything()
    if method in joining.LOCAL:
        return joining.join_local(method, _number(key))
    if method in joining.NETWORK:
        if isinstance(key, str):
            hostName, key = key, 0
            port, options = (options, "") if isinstance(options, int) else (port, options)
        return joining.join_network(method, hostName, index(port))
    if method in joining.SERVERS:
        return _open_server(method, _number(key), str(options))
    if method == c.DIRECT:
        return open_client(c.DIRECT).id
    if method in _WINDOWED:
        client = open_client(c.GUI)
        try:
            _open_window(client, str(options))
        except (UnibodyError, OSError):
            disconnect(client.id)
            raise
        return client.id
    raise error("connectPhysicsServer unexpected argument")


def _open_server(method: int, key: int, options: str) -> int:
    client = open_client(method)
    try:
        joining.open_to_others(client, key)
        if method != c.SHARED_MEMORY_SERVER:
            _open_window(client, options)
    except (UnibodyError, OSError):
        disconnect(client.id)
        raise
    return client.id


def _number(key: int | str) -> int:
    try:
        return index(key)  # type: ignore[arg-type]
    except TypeError:
        raise error(f"key={key!r} is not allowed: expected a number") from None


_said_windowless: list[bool] = []


def _open_window(client: Client, text: str) -> None:
    """Open the viewer's page for a client; without viser the world runs unseen, and says so."""
    from unibody.bullet.window.options import SWITCH, parse_options, viewer_wanted

    options = parse_options(text)
    if options.ignored:
        tell(f"connect(GUI): {' '.join(options.ignored)} have nothing to act on here")
    client.camera.update(options.camera())
    if options.mp4:
        from unibody.bullet.window.film import FilmLog

        try:
            client.ticks.append(FilmLog(client, options.mp4, options.mp4fps))
        except NotSupportedError as problem:
            tell(f"connect(GUI) writes no video: {problem}")
    reason = "" if viewer_wanted() else f"{SWITCH} is off"
    if not reason and importlib.util.find_spec("viser") is None:
        reason = f"the viewer is not installed: {install_command('viewer')}"
    if reason:
        if not _said_windowless:
            _said_windowless.append(True)
            tell(f"connect(GUI) runs without a window ({reason})")
        return
    from unibody.bullet.window.page import Window
    from unibody.viewer.notebook import show_inline

    window = client.window = Window(client, options)
    tell(f"viewer: {window.viewer.url}")
    show_inline(window.viewer.inline_url)
    if options.browser:
        webbrowser.open(window.viewer.url)


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
    try:
        client = clients[physicsClientId]
    except (KeyError, TypeError):
        client = find_client(physicsClientId)
    if client is None:
        return {"isConnected": 0, "connectionMethod": 0}
    return {"isConnected": 1, "connectionMethod": client.method}


def isNumpyEnabled(physicsClientId: int = 0) -> int:
    """1: arrays are accepted everywhere, and NumPy is always there."""
    return 1


def syncBodyInfo(physicsClientId: int = 0) -> None:
    """Take over bodies that other clients made: nothing to do, since they are there at once.

    Raises:
        error: Not connected.
    """
    get_client(physicsClientId)


def getAPIVersion(physicsClientId: int = 0) -> int:
    """PyBullet's API version number that this surface speaks."""
    return _API_VERSION
