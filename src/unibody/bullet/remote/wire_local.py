"""The wire between processes of one user on one machine: a socket in a private folder.

Messages have their length in front. Nothing stands between the two ends but the kernel, so that a
call takes a fifth of the time it takes through the transport for networks. The server never waits
for a client: what is incomplete, or cannot be sent yet, waits in a buffer of its own.
"""

from __future__ import annotations

import select
import selectors
import socket
import struct
import time
from collections import deque
from pathlib import Path
from typing import Any

from unibody.bullet.errors import error
from unibody.bullet.remote import messages
from unibody.bullet.remote.messages import ServerGoneError

_LENGTH = struct.Struct("<Q")
_BLOCK = 1 << 16  # bytes read at once
_SLICE = 20_000  # us between two looks at the clock while a client waits
_MAX_PEERS = 256


class LocalWire:
    """The client's end.

    Args:
        path: Of the server's socket.
        name: Of the server, for messages.

    Raises:
        ServerGoneError: Nobody listens there.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._gone = f"The physics server at {name} is gone."
        self._received = bytearray()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(str(path))
        except OSError as problem:
            self._socket.close()
            raise ServerGoneError(f"There is no physics server at {name}: {problem}") from None
        # one wait in the kernel, without the calls that a time-out of Python's costs each time
        slice_ = struct.pack("ll", 0, _SLICE)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, slice_)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, slice_)

    def send(self, data: bytes, deadline: float) -> None:
        """Send a message.

        Raises:
            TimeoutError: It did not go out in time, and the connection is of no more use.
            ServerGoneError: There is no server any more.
        """
        left = memoryview(_LENGTH.pack(len(data)) + data)
        try:
            while left:
                left = left[self._send_some(left, deadline) :]
        except TimeoutError:
            self.close()
            raise
        except OSError:
            self.close()
            raise ServerGoneError(self._gone) from None
        except BaseException:  # half a message would make nonsense of the next one
            self.close()
            raise

    def _send_some(self, data: memoryview, deadline: float) -> int:
        try:
            return self._socket.send(data)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError from None
            return 0

    def receive(self, deadline: float) -> bytes:
        """The next message.

        Raises:
            TimeoutError: There was none in time.
            ServerGoneError: There is no server any more.
        """
        received = self._received
        while True:
            if len(received) >= _LENGTH.size:
                end = _LENGTH.size + _LENGTH.unpack_from(received)[0]
                if len(received) >= end:
                    data = bytes(received[_LENGTH.size : end])
                    del received[:end]
                    return data
            try:
                block = self._socket.recv(_BLOCK)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError from None
                continue
            except OSError:
                block = b""
            if not block:
                self.close()
                raise ServerGoneError(self._gone)
            received += block

    def is_alive(self) -> bool:
        """Whether the server is still there."""
        try:
            if select.select([self._socket], [], [], 0)[0]:
                return bool(self._socket.recv(1, socket.MSG_PEEK))
        except (OSError, ValueError):
            return False
        return True

    def close(self) -> None:
        """End the connection; again does no harm."""
        self._socket.close()


class _Peer:
    """A client, seen from the server."""

    __slots__ = ("received", "socket", "waiting")

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.received = bytearray()
        self.waiting = bytearray()  # to be sent


class LocalListener:
    """The server's end.

    Args:
        path: Where to put the socket; one that a server left behind is replaced.

    Raises:
        error: It cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._requests: deque[tuple[_Peer, bytes]] = deque()
        self._selector = selectors.DefaultSelector()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            path.unlink(missing_ok=True)
            self._socket.bind(str(path))
            path.chmod(0o600)
            self._socket.listen(_MAX_PEERS)
        except OSError as problem:
            self._socket.close()
            raise error(f"Cannot listen at {path}: {problem}") from None
        self._socket.setblocking(False)
        self._selector.register(self._socket, selectors.EVENT_READ)

    def receive(self, timeout: float) -> tuple[_Peer, bytes] | None:
        """A request and who sent it; None if none came within some seconds."""
        if not self._requests:
            for key, events in self._selector.select(timeout):
                if key.data is None:
                    self._accept()
                    continue
                if events & selectors.EVENT_WRITE:
                    self._flush(key.data)
                if events & selectors.EVENT_READ and key.data.socket.fileno() >= 0:
                    self._read(key.data)
        return self._requests.popleft() if self._requests else None

    def _accept(self) -> None:
        try:
            connection, _ = self._socket.accept()
        except OSError:
            return
        if len(self._selector.get_map()) > _MAX_PEERS:
            connection.close()
            return
        connection.setblocking(False)
        self._selector.register(connection, selectors.EVENT_READ, _Peer(connection))

    def _read(self, peer: _Peer) -> None:
        try:
            block = peer.socket.recv(_BLOCK)
        except BlockingIOError:
            return
        except OSError:
            block = b""
        if not block:
            self._drop(peer)
            return
        peer.received += block
        while len(peer.received) >= _LENGTH.size:
            size = _LENGTH.unpack_from(peer.received)[0]
            if size > messages.MAX_REQUEST:
                self._drop(peer)
                return
            end = _LENGTH.size + size
            if len(peer.received) < end:
                return
            self._requests.append((peer, bytes(peer.received[_LENGTH.size : end])))
            del peer.received[:end]

    def send(self, peer: _Peer, data: bytes) -> None:
        """Answer; a client that is gone, or lets its answers pile up, gets none."""
        if peer.socket.fileno() < 0:
            return
        if len(peer.waiting) + len(data) > 2 * messages.MAX_REPLY:
            self._drop(peer)
            return
        peer.waiting += _LENGTH.pack(len(data))
        peer.waiting += data
        self._flush(peer)

    def _flush(self, peer: _Peer) -> None:
        if peer.socket.fileno() < 0:
            return
        try:
            del peer.waiting[: peer.socket.send(peer.waiting)]
        except BlockingIOError:
            pass
        except OSError:
            self._drop(peer)
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if peer.waiting else 0)
        if self._selector.get_key(peer.socket).events != events:
            self._selector.modify(peer.socket, events, peer)

    def _drop(self, peer: _Peer) -> None:
        self._selector.unregister(peer.socket)
        peer.socket.close()

    def close(self) -> None:
        """End all connections and take the socket away."""
        for key in list(self._selector.get_map().values()):
            self._selector.unregister(key.fileobj)
            connection: Any = key.fileobj
            connection.close()
        self._selector.close()
        self._path.unlink(missing_ok=True)
