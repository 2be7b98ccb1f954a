"""The connection between a client and its server, seen from the client."""

from __future__ import annotations

import itertools
import os
import threading
import time
from typing import Any

from unibody.bullet.errors import error
from unibody.bullet.remote import messages
from unibody.bullet.remote.endpoints import Endpoint
from unibody.bullet.remote.wire_local import LocalWire

DEFAULT_TIMEOUT = 60.0  # s: a call that takes longer than this has failed
CONNECT_TIMEOUT = 5.0  # s


class Link:
    """A connection to a server.

    Attributes:
        timeout: Seconds that a call may take.

    Args:
        endpoint: Where the server is.
        token: What it asks for; "" for none.

    Raises:
        ServerGoneError: There is no server, or it does not take the token.
        error: It speaks another version of the protocol.
    """

    def __init__(self, endpoint: Endpoint, token: str = "") -> None:
        self.timeout = DEFAULT_TIMEOUT
        self._name = endpoint.name
        self._token = token
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._wire = _wire(endpoint, token)
        try:
            self._greet()
        except BaseException:
            self.close()
            raise

    def _greet(self) -> None:
        version = self.call("hello", (), {}, timeout=CONNECT_TIMEOUT)
        if version != messages.VERSION:
            raise error(
                f"The physics server at {self._name} speaks version {version} of the protocol, "
                f"this client version {messages.VERSION}."
            )

    def call(self, name: str, args: Any, kwargs: Any, *, timeout: float | None = None) -> Any:
        """Have the server call a function.

        Returns:
            What it returns.

        Raises:
            ServerGoneError: There is no server any more.
            error: It did not answer in time. Whether the call is still made is not known.
            Exception: What the function raises.
        """
        if self._pid != os.getpid():
            raise error("A connection to a physics server does not survive a fork: connect again.")
        number = next(self._numbers)
        message = messages.pack((number, self._token, name, args, kwargs), messages.MAX_REQUEST)
        seconds = self.timeout if timeout is None else timeout
        with self._lock:
            answer = self._exchange(number, message, seconds)
        if answer[1] is True:
            return answer[2]
        raise messages.revive(answer[2])

    def _exchange(self, number: int, message: bytes, seconds: float) -> tuple[Any, ...]:
        deadline = time.monotonic() + seconds
        try:
            self._wire.send(message, deadline)
            while True:
                answer = messages.unpack(self._wire.receive(deadline))
                if len(answer) == 3 and answer[0] == number:
                    return answer  # any other belongs to a call that was given up
        except TimeoutError:
            raise error(
                f"The physics server at {self._name} did not answer within {seconds:g} s."
            ) from None

    def is_alive(self) -> bool:
        """Whether the server is still there, as far as is known."""
        if self._pid != os.getpid() or not self._lock.acquire(blocking=False):
            return True  # a call is under way, or it is another process's connection
        try:
            return self._wire.is_alive()
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the connection; again does no harm."""
        if self._pid == os.getpid():
            self._wire.close()


def _wire(endpoint: Endpoint, token: str) -> Any:
    if endpoint.path is not None:
        return LocalWire(endpoint.path, endpoint.name)
    from unibody.bullet.remote.wire_network import NetworkWire

    return NetworkWire(endpoint, token)
