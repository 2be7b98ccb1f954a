"""The wire between a client and its server, seen from the client."""

from __future__ import annotations

import itertools
import os
import threading
import time
from typing import Any

import zmq
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from unibody.bullet.errors import error
from unibody.bullet.remote import messages
from unibody.bullet.remote.endpoints import Endpoint, server_secret

DEFAULT_TIMEOUT = 60.0  # s: a call that takes longer than this has failed
CONNECT_TIMEOUT = 5.0  # s
_SLICE = 20  # ms between two looks at whether the server is still there
_HEARTBEAT = 2000  # ms between signs of life, which the transport exchanges by itself
_SILENCE = 6000  # ms without one after which the other side is gone


class ServerGoneError(error):
    """The server ended, or the connection to it broke."""


def curve_of(token: str) -> tuple[bytes, bytes]:
    """Public and secret key of the server of a token, as the transport wants them."""
    secret = z85.encode(server_secret(token))
    return zmq.curve_public(secret), secret


def set_limits(socket: Any, limit: int) -> None:
    """Limits that both ends of the wire have."""
    socket.linger = 0
    socket.setsockopt(zmq.MAXMSGSIZE, limit)
    socket.setsockopt(zmq.HEARTBEAT_IVL, _HEARTBEAT)
    socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, _SILENCE)
    socket.setsockopt(zmq.IPV6, 1)


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
        self._endpoint = endpoint
        self._token = token
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._gone = ""
        self._socket = zmq.Context.instance().socket(zmq.DEALER)
        set_limits(self._socket, messages.MAX_REPLY)
        self._socket.setsockopt(zmq.IMMEDIATE, 1)
        self._socket.setsockopt(zmq.RECONNECT_IVL, -1)  # another server has another world
        if token:
            self._socket.curve_serverkey = curve_of(token)[0]
            self._socket.curve_publickey, self._socket.curve_secretkey = zmq.curve_keypair()
        self._monitor = self._socket.get_monitor_socket(
            zmq.EVENT_DISCONNECTED | zmq.EVENT_CLOSED | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
            | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_FAILED_AUTH
            | zmq.EVENT_HANDSHAKE_SUCCEEDED
        )  # fmt: skip
        self._shaken = False
        try:
            self._socket.connect(endpoint.url)
            self._greet()
        except BaseException:
            self.close()
            raise

    def _greet(self) -> None:
        version = self.call("hello", (), {}, timeout=CONNECT_TIMEOUT)
        if version != messages.VERSION:
            raise error(
                f"The physics server at {self._endpoint.name} speaks version {version} of the "
                f"protocol, this client version {messages.VERSION}."
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
        with self._lock:
            answer = self._exchange(number, message, self.timeout if timeout is None else timeout)
        if answer[1] is True:
            return answer[2]
        raise messages.revive(answer[2])

    def _exchange(self, number: int, message: bytes, timeout: float) -> tuple[Any, ...]:
        deadline = time.monotonic() + timeout
        sent = False
        while True:
            if self._gone:
                raise ServerGoneError(self._gone)
            left = max(0, round(1000 * (deadline - time.monotonic())))
            if not sent:  # the transport takes nothing before the connection stands
                sent = self._send(message)
            if self._socket.poll(min(_SLICE if sent else 1, left)):
                answer = messages.unpack(self._socket.recv())
                if len(answer) == 3 and answer[0] == number:
                    return answer  # any other belongs to a call that was given up
            elif left == 0:
                raise error(
                    f"The physics server at {self._endpoint.name} did not answer within "
                    f"{timeout:g} s."
                )
            else:
                self._look_around()

    def _send(self, message: bytes) -> bool:
        try:
            self._socket.send(message, zmq.NOBLOCK)
        except zmq.Again:
            self._look_around()
            return False
        return True

    def is_alive(self) -> bool:
        """Whether the server is still there, as far as the transport knows."""
        if self._pid == os.getpid() and not self._gone and self._lock.acquire(blocking=False):
            try:
                self._look_around()
            finally:
                self._lock.release()
        return not self._gone

    def _look_around(self) -> None:
        """Find out whether the connection broke."""
        while not self._gone and self._monitor.poll(0):
            event = recv_monitor_message(self._monitor)["event"]
            if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self._shaken = True
            elif self._shaken:
                self._gone = f"The physics server at {self._endpoint.name} is gone."
            elif event in (zmq.EVENT_CLOSED, zmq.EVENT_DISCONNECTED):
                self._gone = f"There is no physics server at {self._endpoint.name}"
                if event == zmq.EVENT_DISCONNECTED:
                    self._gone += " that takes this token"
            else:
                self._gone = f"The physics server at {self._endpoint.name} refuses the connection"

    def close(self) -> None:
        """End the connection; again does no harm."""
        self._gone = self._gone or "Not connected to physics server."
        if self._pid == os.getpid() and not self._socket.closed:
            self._socket.disable_monitor()
            self._monitor.close(0)
            self._socket.close(0)
