"""The physics clients of this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from operator import index

from unibody.bullet.calls.call_lock import CallLock
from unibody.bullet.clients.client import Client, new_scene
from unibody.bullet.constants import DIRECT
from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.core.engine.model_cache.in_memory import CompiledModels
from unibody.core.engine.scene.sessions import Session, close_session, find_session, open_session
from unibody.errors import EngineError, UnibodyError

on_open: list[Callable[[Client], None]] = []
"""Called with every client that is opened."""
_clients: dict[int, Client] = {}
clients: dict[int, Client] = {}
"""The clients that need nothing done before a call; ``get_client`` finds the others too.

Functions that cost less than a call look here themselves first.
"""
_clocked: dict[int, float] = {}  # clients that step by the clock: id -> time caught up to [s]
MAX_BACKLOG = 0.5  # s: what a client that was not asked for longer than this catches up at most


def step_by_clock(client: Client, enabled: bool) -> None:
    """Let a client follow the clock: at every call that reaches it, and between calls.

    No call ever meets a world in the middle of a step.
    """
    client.parameters.useRealTimeSimulation = int(enabled)
    if client.clock is not None:
        client.clock.stop()
        client.clock = None
    if enabled:
        _clocked[client.id] = time.perf_counter()
        clients.pop(client.id, None)
        if not client.call_lock.needless:
            from unibody.bullet.clients.clock import Clock

            client.clock = Clock(client.call_lock, lambda: _keep_up(client))
    else:
        _clocked.pop(client.id, None)
        clients[client.id] = client


def follows_clock(client_id: int) -> bool:
    """Whether a client steps by the clock."""
    return client_id in _clocked


def _keep_up(client: Client) -> bool:
    """Catch up, if the client follows the clock still."""
    if _clients.get(client.id) is not client or client.id not in _clocked:
        return False
    try:
        _catch_up(client.id)
    except UnibodyError:  # which the next call of the script meets, too
        return False
    return True


def _catch_up(client_id: int) -> None:
    begin = _clocked.get(client_id)
    if begin is None:
        return
    client = _clients[client_id]
    step = client.parameters.fixedTimeStep
    now = time.perf_counter()
    begin = max(begin, now - MAX_BACKLOG)
    count = int((now - begin) / step)
    _clocked[client_id] = begin + count * step
    for _ in range(count):
        client.step()
        if client.commands is not None:
            client.commands.step()


def get_client(client_id: int) -> Client:
    """The client with an id, for a call that is meant for it.

    Raises:
        error: There is none.
        TypeError: The id is no integer.
    """
    try:
        return clients[client_id]
    except (KeyError, TypeError):
        client = find_client(index(client_id))
    if client is None:
        raise error("Not connected to physics server.")
    return client


def find_client(client_id: int) -> Client | None:
    """The client with an id, or None."""
    if client_id in _clocked:
        _catch_up(client_id)
    session = find_session(client_id)
    if session is None:
        return None
    client = _clients.get(client_id)
    if client is None or client.session is not session:
        client = _client_of(session, DIRECT)
    if session.before_use:
        session.refresh()
        client.take_over()
    return client


def _client_of(session: Session, method: int) -> Client:
    client = Client(
        session.id, method, session, session.scene, session.body_ids, CallLock(session.id)
    )
    client.parameters.fixedTimeStep = session.time_step
    _clients[session.id] = client
    session.on_watched.append(lambda: _drop_fast(client))
    if not session.before_use:
        clients[session.id] = client
    return client


def _drop_fast(client: Client) -> None:
    """Let every call for a client go through `find_client`."""
    if clients.get(client.id) is client:
        del clients[client.id]


def open_client(method: int) -> Client:
    """A new client under the lowest free id."""
    try:
        session = open_session(new_scene(CompiledModels()))
    except EngineError:
        raise error("Exceeding maximum number of physics connections.") from None
    client = _client_of(session, method)
    for told in tuple(on_open):
        told(client)
    return client


def close_client(client_id: int) -> None:
    """Forget a client and its world.

    Raises:
        error: There is none.
    """
    if close_session(client_id) is None:
        raise error("Not connected to physics server.")
    client = _clients.pop(client_id, None)
    clients.pop(client_id, None)
    _clocked.pop(client_id, None)
    if client is None:
        return
    if client.clock is not None:
        client.clock.stop()
    client.call_lock.close()
    if client.logs is not None:
        client.logs.close()
    for film in tuple(client.films):
        film.close()
    if client.window is not None:
        client.window.close()
    if client.plugins is not None:
        client.plugins.close()


def get_body(body_id: int, client_id: int, message: str) -> Body:
    """The body of a client.

    Raises:
        error: No such client, or no such body; then ``message`` is PyBullet's.
        TypeError: An id is no integer.
    """
    number = index(body_id)
    body = get_client(client_id).bodies.get(number)
    if body is None:
        raise error(message)
    return body
