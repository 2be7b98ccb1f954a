"""The wire between machines: ZeroMQ over TCP, encrypted where there is a token."""

from __future__ import annotations

import math
import time
from typing import Any

import zmq
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from unibody.bullet.errors import error
from unibody.bullet.remote import messages
from unibody.bullet.remote.endpoints import Endpoint, server_secret
from unibody.bullet.remote.messages import ServerGoneError
from unibody.bullet.remote.wire_local import LocalListener, Turn

_SLICE = 20  # ms between two looks at whether the server is still there
_HEARTBEAT = 2000  # ms between signs of life, which the transport exchanges by itself
_SILENCE = 6000  # ms without one after which the other side is gone
_STANDING = 5.0  # s until a connection stands, to a server that has much to do as well
_FRAME = 1 << 16  # bytes of a part of a request: what a stranger can make a server hold
_OVERHEAD = 1 << 10  # bytes that encryption adds, and more
_MAX_QUEUED = 64  # requests and replies of one client that wait


def _curve(token: str) -> tuple[bytes, bytes]:
    """Public and secret key of the server of a token, as the transport wants them."""
    secret = z85.encode(server_secret(token))
    return zmq.curve_public(secret), secret


def _set_limits(wire: Any, limit: int) -> None:
    wire.linger = 0
    wire.setsockopt(zmq.MAXMSGSIZE, limit)
    wire.setsockopt(zmq.HEARTBEAT_IVL, _HEARTBEAT)
    wire.setsockopt(zmq.HEARTBEAT_TIMEOUT, _SILENCE)
    wire.setsockopt(zmq.IPV6, 1)


class NetworkWire:
    """The client's end; whether there is a server shows when something is sent.

    Args:
        endpoint: Where the server is.
        token: What it asks for; "" for none.
    """

    def __init__(self, endpoint: Endpoint, token: str) -> None:
        self._name = endpoint.name
        self._gone = ""
        self._shaken = False
        self._socket = zmq.Context.instance().socket(zmq.DEALER)
        _set_limits(self._socket, messages.MAX_REPLY)
        self._socket.setsockopt(zmq.IMMEDIATE, 1)
        self._socket.setsockopt(zmq.RECONNECT_IVL, -1)  # another server has another world
        if token:
            self._socket.curve_serverkey = _curve(token)[0]
            self._socket.curve_publickey, self._socket.curve_secretkey = zmq.curve_keypair()
        self._monitor = self._socket.get_monitor_socket(
            zmq.EVENT_DISCONNECTED | zmq.EVENT_CLOSED | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
            | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_FAILED_AUTH
            | zmq.EVENT_HANDSHAKE_SUCCEEDED
        )  # fmt: skip
        self._socket.connect(endpoint.url)

    def send(self, data: bytes, deadline: float) -> None:
        """Send a message; the transport takes none before the connection stands.

        Raises:
            TimeoutError: It did not stand in time.
            ServerGoneError: There is no server.
        """
        latest = time.monotonic() + _STANDING
        parts = [data[at : at + _FRAME] for at in range(0, len(data), _FRAME)]
        while True:
            self._raise_if_gone()
            try:
                self._socket.send_multipart(parts, zmq.NOBLOCK)
            except zmq.Again:
                if not self._shaken and time.monotonic() > latest:
                    raise ServerGoneError(f"No answer from {self._name}.") from None
                if time.monotonic() > deadline:
                    raise TimeoutError from None
                self._look_around()
                self._socket.poll(1, zmq.POLLOUT)
            else:
                return

    def receive(self, deadline: float) -> bytes:
        """The next message.

        Raises:
            TimeoutError: There was none in time.
            ServerGoneError: There is no server any more.
        """
        while True:
            self._raise_if_gone()
            left = max(0, math.ceil(1000 * (deadline - time.monotonic())))
            if self._socket.poll(min(_SLICE, left)):
                return self._socket.recv()
            if left == 0:
                raise TimeoutError
            self._look_around()

    def exchange(self, data: bytes, deadline: float) -> bytes:
        """Send a request, and return the next reply; see `send` and `receive`."""
        self.send(data, deadline)
        return self.receive(deadline)

    def is_alive(self) -> bool:
        """Whether the server is still there, as far as the transport knows."""
        self._look_around()
        return not self._gone

    def _raise_if_gone(self) -> None:
        if self._gone:
            raise ServerGoneError(self._gone)

    def _look_around(self) -> None:
        """Find out whether the connection broke."""
        while not self._gone and self._monitor.poll(0):
            event = recv_monitor_message(self._monitor)["event"]
            if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self._shaken = True
            elif self._shaken:
                self._gone = f"The physics server at {self._name} is gone."
            elif event == zmq.EVENT_CLOSED:
                self._gone = f"There is no physics server at {self._name}."
            elif event == zmq.EVENT_DISCONNECTED:
                self._gone = f"There is no physics server at {self._name} that takes this token"
            else:
                self._gone = f"The physics server at {self._name} refuses the connection"

    def close(self) -> None:
        """End the connection; again does no harm."""
        self._gone = self._gone or "Not connected to physics server."
        if not self._socket.closed:
            self._socket.disable_monitor()
            self._monitor.close(0)
            self._socket.close(0)


class NetworkListener:
    """The server's end.

    Args:
        endpoint: Where to listen.
        token: What clients have to know; "" for nothing.
        near: For clients of this machine, once they have come by the network.

    Raises:
        error: It cannot listen there.
    """

    def __init__(self, endpoint: Endpoint, token: str, near: LocalListener | None = None) -> None:
        self._near = near
        self._poller = zmq.Poller()
        self._socket = zmq.Context.instance().socket(zmq.ROUTER)
        _set_limits(self._socket, _FRAME + _OVERHEAD)
        self._socket.setsockopt(zmq.SNDHWM, _MAX_QUEUED)
        self._socket.setsockopt(zmq.RCVHWM, _MAX_QUEUED)
        if token:
            self._socket.curve_server = True
            self._socket.curve_publickey, self._socket.curve_secretkey = _curve(token)
        try:
            self._socket.bind(endpoint.url)
        except zmq.ZMQError as problem:
            self._socket.close(0)
            if near is not None:
                near.close()
            raise error(f"Cannot listen at {endpoint.name}: {problem}") from None
        self._poller.register(self._socket, zmq.POLLIN)
        if near is not None:
            self._poller.register(near.fileno(), zmq.POLLIN)

    def receive(self, timeout: float, turn: Turn | None = None) -> tuple[Any, bytes] | None:
        """A request and who sent it; None if none came within some seconds.

        Args:
            timeout: How long to wait.
            turn: Held while requests of this machine are carried out; see `LocalListener.serve`.
        """
        near = self._near
        if near is not None:
            busy = near.serve(turn)
            found = near.next_request()
            if found is not None:
                return found
            if busy or near.sleep():
                self._poller.poll(0 if busy else round(1000 * timeout))
            near.wake_up()
            near.look(0)
        elif not self._socket.poll(round(1000 * timeout)):
            return None
        try:
            frames = self._socket.recv_multipart(zmq.NOBLOCK)
        except zmq.Again:
            return None if near is None else near.next_request()
        if len(frames) < 2 or sum(map(len, frames)) > messages.MAX_REQUEST:
            return None
        return frames[0], b"".join(frames[1:])

    def open_lane(self, peer: Any) -> int | None:
        """The file descriptor of a new lane for a client of this machine; None: there is none."""
        return None if self._near is None else self._near.open_lane(peer)

    def learn(self, peer: Any, function: Any, total: int, names: tuple[str, ...], own: bool) -> int:
        """Number of a new pattern of a client's calls; -1: none. See `ServerLanes.learn`."""
        return -1 if self._near is None else self._near.learn(peer, function, total, names, own)

    def send(self, peer: Any, data: bytes, handle: int | None = None) -> None:
        """Answer; a client that is gone, or lets its answers pile up, gets none."""
        if not isinstance(peer, bytes):
            if self._near is not None:
                self._near.send(peer, data, handle)
            return
        try:
            self._socket.send_multipart([peer, data], zmq.NOBLOCK)
        except zmq.ZMQError:
            return

    def close(self) -> None:
        """Stop listening."""
        if self._near is not None:
            self._near.close()
        self._socket.close(0)
