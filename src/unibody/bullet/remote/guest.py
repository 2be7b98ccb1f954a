"""A client whose world lives in a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unibody.bullet.calls.interception import intercept, release, without_client
from unibody.bullet.clients.registry import close_client, open_client
from unibody.bullet.errors import error
from unibody.bullet.remote.endpoints import Endpoint
from unibody.bullet.remote.host import OWN
from unibody.bullet.remote.link import Link
from unibody.bullet.remote.messages import ServerGoneError
from unibody.bullet.remote.notes import READS, Notes
from unibody.bullet.remote.patterns import Patterns


class Guest:
    """Sends the calls for a client of this process to a server.

    Args:
        method: What `connect` was called with.
        endpoint: Where the server is.
        token: What it asks for; "" for none.

    Raises:
        ServerGoneError: There is no server.
    """

    def __init__(self, method: int, endpoint: Endpoint, token: str) -> None:
        self._link = Link(endpoint, token)
        self._link.on_loss = self._leave
        self._patterns: Patterns | None = None
        try:
            client = open_client(method)
        except error:
            self._link.close()
            raise
        self.id: int = client.id
        try:
            self._link.come_near()
            self._link.call("syncUserData", (), {})
            self._notes = Notes(client, self._link.call)
            if self._link.open_lane():
                self._patterns = Patterns(self.id, self._link)
        except BaseException:
            self._link.close()
            close_client(self.id)
            raise
        intercept(self.id, self._call)
        if self._patterns is not None:
            self._patterns.start()

    def _call(self, name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if name in OWN:
            return self._own(name, function, args, kwargs)
        if name in READS:
            return function(*args, **kwargs)
        own_args, own_kwargs = without_client(name, args, kwargs)
        try:
            result = self._link.call(name, own_args, own_kwargs)
            self._notes.follow(name, own_args, own_kwargs, result)
            if self._patterns is not None:
                self._patterns.learn(name, args, kwargs)
            return result
        except ServerGoneError:
            self._leave()
            raise

    def _own(self, name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """A call about the connection itself."""
        if name == "setTimeOut":
            function(*args, **kwargs)
            self._link.timeout = float(args[0] if args else kwargs["timeOutInSeconds"])
            return None
        if name == "disconnect" or not self._link.is_alive():
            self._leave()
            if name == "disconnect":
                return None
        return function(*args, **kwargs)

    def _leave(self) -> None:
        release(self.id, self._call)
        if self._patterns is not None:
            self._patterns.forget()
        self._link.close()
        close_client(self.id)
