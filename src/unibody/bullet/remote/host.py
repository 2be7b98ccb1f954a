"""The server: a world of this process that clients far away call functions of."""

from __future__ import annotations

import atexit
import functools
import hmac
import inspect
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unibody.bullet.api import MODULE_OF
from unibody.bullet.calls import front_door
from unibody.bullet.calls.interception import intercept, next_handler, release
from unibody.bullet.calls.written_files import WRITERS, confined
from unibody.bullet.clients.registry import find_client, follows_clock
from unibody.bullet.errors import error
from unibody.bullet.remote import messages
from unibody.bullet.remote.endpoints import Endpoint, is_alive
from unibody.bullet.remote.wire_local import LocalListener

OWN = frozenset(
    {"connect", "disconnect", "isConnected", "getConnectionInfo", "getAPIVersion",
     "isNumpyEnabled", "setTimeOut"}
)  # fmt: skip
"""Functions about a connection: everybody answers them for their own."""
_IDLE = 0.05  # s between two looks at whether to end
_CLOCKED = 0.005  # s between two looks at the clock, for a world that follows it


@functools.cache
def _takes_client(name: str) -> bool:
    """Whether a function takes a client; one that does not is about client 0."""
    return "physicsClientId" in inspect.signature(front_door.function(name)).parameters


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or name not in MODULE_OF or name in OWN:
        raise error(f"{str(name)[:40]!r} is no function that a physics server has")


class Host:
    """A server for one client of this process.

    One request is carried out after the other, whole: what became of who asked makes no
    difference to the world.

    Args:
        client_id: The client that the calls go to.
        endpoint: Where to listen.
        token: What clients have to know; "" for nothing.
        files: The only folder calls may write files to, made with the first of them; None:
            wherever this process may.

    Raises:
        error: Another server listens there, or it is a port and there is no token.
    """

    def __init__(
        self, client_id: int, endpoint: Endpoint, token: str = "", files: Path | None = None
    ) -> None:
        if endpoint.path is None and not token:
            raise error(f"{endpoint.name} can be reached by other users: that needs a token")
        if is_alive(endpoint):
            raise error(f"A physics server for {endpoint.name} is running already.")
        self.endpoint = endpoint
        self._client = client_id
        self._token = token
        self._files = None if files is None else files.resolve()
        if self._files is not None and self._files.is_dir():
            self._show(self._files)
        self._turn = threading.Lock()
        self._wanted = False  # the server waits for its turn
        self._nested = threading.local()
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()
        self._near = ""  # name of the socket for clients of this machine, who first came by network
        self._listener = self._listening()

    def _listening(self) -> Any:
        if self.endpoint.path is not None:
            return LocalListener(str(self.endpoint.path), self._client)
        from unibody.bullet.remote.wire_network import NetworkListener

        near = None
        if sys.platform == "linux":  # elsewhere names are those of files
            self._near = f"unibody-{secrets.token_hex(16)}"
            near = LocalListener(f"\0{self._near}", self._client)
        return NetworkListener(self.endpoint, self._token, near)

    def serve(self, is_over: Callable[[], bool]) -> None:
        """Carry out requests until it is over, or until `close` or disconnecting ends it."""
        while not (self._ended.is_set() or is_over()):
            clocked = follows_clock(self._client)
            turn = None if self._thread is None else self._holding
            request = self._listener.receive(_CLOCKED if clocked else _IDLE, turn)
            if request is not None:
                self._serve_one(*request)
            elif clocked:
                with self._turn:
                    find_client(self._client)
            if find_client(self._client) is None:
                break
        self._listener.close()

    def start(self) -> None:
        """Serve in a thread of its own, next to the calls of this process."""
        client = find_client(self._client)
        if client is not None:
            client.call_lock.leave()
        intercept(self._client, self._own_call)
        self._thread = threading.Thread(
            target=self.serve, args=(lambda: False,), name="physics server", daemon=True
        )
        self._thread.start()
        atexit.register(self.close)

    def close(self) -> None:
        """Stop serving; again does no harm."""
        self._ended.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            release(self._client, self._own_call)
            self._thread.join()
            atexit.unregister(self.close)

    def _own_call(self, name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """A call of this process, while no other one is carried out."""
        go_on = next_handler(self._client, self._own_call)
        if name == "disconnect":
            self.close()
            return go_on(name, function, args, kwargs)
        if getattr(self._nested, "inside", False):
            return go_on(name, function, args, kwargs)
        with self._turn:
            self._nested.inside = True
            try:
                result = go_on(name, function, args, kwargs)
            finally:
                self._nested.inside = False
        while self._wanted:  # a script that calls without a pause would never let others in
            self._ended.wait(1e-4)
        return result

    def _serve_one(self, sender: Any, data: bytes) -> None:
        number: Any = 0
        try:
            number, token, name, args, kwargs = messages.unpack(data)
            if not hmac.compare_digest(str(token).encode(), self._token.encode()):
                raise error("The physics server does not take this token.")
            if name == "lane":
                self._open_lane(sender, number)
                return
            result = (
                self._learn(sender, *args)
                if name == "learn"
                else self._carry_out(name, args, kwargs)
            )
            reply = messages.pack((number, True, result), messages.MAX_REPLY)
        except Exception as problem:  # a caller's fault must not end the server
            reply = messages.answer(number if isinstance(number, int) else 0, problem)
        self._listener.send(sender, reply)

    def _open_lane(self, sender: Any, number: Any) -> None:
        handle = self._listener.open_lane(sender)
        reply = messages.pack((number, True, handle is not None), messages.MAX_REPLY)
        self._listener.send(sender, reply, handle)

    def _learn(self, sender: Any, name: Any, positional: Any, names: Any) -> int:
        """Number of a pattern of calls; -1: these calls have to come one by one."""
        _check_name(name)
        parameters = list(inspect.signature(front_door.function(name)).parameters)
        named = [key for key in names if key in parameters and key != "physicsClientId"]
        if len({*named}) != len(names) or not isinstance(positional, int) or positional < 0:
            raise messages.MessageError("these are no arguments")
        if self._files is not None and name in WRITERS:
            return -1
        own = _takes_client(name)
        last = tuple(map(sys.intern, [*named, "physicsClientId"] if own else named))
        total = positional + len(named)
        return self._listener.learn(sender, front_door.function(name), total, last, own)

    def _carry_out(self, name: Any, args: Any, kwargs: Any) -> Any:
        if name == "hello":
            return messages.VERSION
        if name == "near":
            return self._near
        _check_name(name)
        if not (isinstance(args, tuple) and isinstance(kwargs, dict)):
            raise messages.MessageError("this is no call")
        function = front_door.function(name)
        call = {**kwargs, "physicsClientId": self._client} if _takes_client(name) else kwargs
        if self._files is not None and name in WRITERS:
            self._files.mkdir(mode=0o700, exist_ok=True)
            self._show(self._files)
            bound = confined(function, args, call, self._files, "this server")
            args, call = bound.args, bound.kwargs
        with self._holding():
            return function(*args, **call)

    def _show(self, folder: Path) -> None:
        """Have what clients wrote found when it is loaded."""
        client = find_client(self._client)
        if client is not None:
            client.files = str(folder)

    @contextmanager
    def _holding(self) -> Iterator[None]:
        """No call of this process is carried out meanwhile."""
        self._wanted = True
        with self._turn:
            self._wanted = False
            self._nested.inside = True
            try:
                yield
            finally:
                self._nested.inside = False
