"""The ways of ``connect`` that have to do with servers."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING

from unibody.bullet import constants as c
from unibody.bullet.clients.client import Client
from unibody.bullet.errors import error
from unibody.bullet.remote.endpoints import (
    DEFAULT_PORT,
    TOKEN_VARIABLE,
    is_alive,
    kept_token,
    local_endpoint,
    network_endpoint,
)
from unibody.errors import NotSupportedError
from unibody.extras import install_command

if TYPE_CHECKING:
    from unibody.bullet.remote.host import Host

NOT_THERE = -1
LOCAL = frozenset({c.SHARED_MEMORY, c.GRAPHICS_CLIENT, c.SHARED_MEMORY_GUI})
NETWORK = frozenset({c.TCP, c.UDP, c.GRAPHICS_SERVER_TCP})
SERVERS = frozenset(
    {c.SHARED_MEMORY_SERVER, c.GUI_SERVER, c.GRAPHICS_SERVER, c.GRAPHICS_SERVER_MAIN_THREAD}
)


def join_local(method: int, key: int) -> int:
    """Become a client of the server of a key; -1 at once if there is none."""
    endpoint = local_endpoint(key or c.SHARED_MEMORY_KEY)
    if not is_alive(endpoint):
        return NOT_THERE
    _need_transport("connect to a physics server")
    from unibody.bullet.remote.guest import Guest
    from unibody.bullet.remote.messages import ServerGoneError

    try:
        return Guest(method, endpoint, "").id
    except ServerGoneError:
        return NOT_THERE


def join_network(method: int, host: str, port: int) -> int:
    """Become a client of the server on a host; -1 if there is none.

    Raises:
        error: There is one, and it does not take the token in ``UNIBODY_TOKEN``, or without that
            the one that a server of this user keeps.
    """
    _need_transport("connect to a physics server")
    from unibody.bullet.remote.guest import Guest
    from unibody.bullet.remote.messages import ServerGoneError

    port = port if port >= 0 else DEFAULT_PORT
    endpoint = network_endpoint(host or "localhost", port)
    token = os.environ.get(TOKEN_VARIABLE, "") or kept_token(endpoint, port)
    try:
        return Guest(method, endpoint, token).id
    except ServerGoneError as problem:
        if "token" in str(problem) or "refuses" in str(problem):
            raise error(f"{problem} (the one in {TOKEN_VARIABLE})") from None
        return NOT_THERE


def open_to_others(client: Client, key: int) -> Host:
    """Let other processes of this user share a client's world under a key."""
    _need_transport("a physics server")
    from unibody.bullet.remote.host import Host

    host = Host(client.id, local_endpoint(key or c.SHARED_MEMORY_KEY, create=True))
    host.start()
    return host


def _need_transport(what: str) -> None:
    if importlib.util.find_spec("zmq") is None or importlib.util.find_spec("msgpack") is None:
        raise NotSupportedError(
            f"{what} without pyzmq and msgpack", f"install them: {install_command('serve')}"
        )
