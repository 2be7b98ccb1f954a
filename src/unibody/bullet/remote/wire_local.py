"""The wire between processes of one user on one machine: a socket in a private folder.

Messages have their length in front. Nothing stands between the two ends but the kernel, so that a
call takes a fifth of the time it takes through the transport for networks. The server never waits
for a client: what is incomplete, or cannot be sent yet, waits in a buffer of its own.
"""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import socket
import struct
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from unibody.bullet.errors import error
from unibody.bullet.remote import messages
from unibody.bullet.remote.lane_ends import ClientLane, ServerLanes
from unibody.bullet.remote.lane_layout import ELSEWHERE
from unibody.bullet.remote.messages import ServerGoneError
from unibody.machine_code.calls import functions

_LENGTH = struct.Struct("<Q")
_NOTHING = _LENGTH.pack(0)
_PEER = struct.Struct("3i")  # process, user, group
_BLOCK = 1 << 16  # bytes read at once
_SLICE = 20_000  # us between two looks at the clock while a client waits
_MAX_PEERS = 256
_MOST_HELD = 2 * messages.MAX_REQUEST  # bytes of unfinished requests of all clients
Turn = Callable[[], AbstractContextManager[Any]]


def _is_bare(path: str) -> bool:
    """Whether a name is that of no file."""
    return path.startswith("\0")


def _is_same_user(connection: socket.socket) -> bool:
    """Whether the other end is a process of this user, as far as the kernel says."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # sockets are files in a folder of this user then
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return _PEER.unpack(found)[1] == os.getuid()


class LocalWire:
    """The client's end.

    Args:
        path: Of the server's socket.
        name: Of the server, for messages.

    Raises:
        ServerGoneError: Nobody listens there.
    """

    def __init__(self, path: str, name: str) -> None:
        self._gone = f"The physics server at {name} is gone."
        self._received = bytearray()
        self._lane: ClientLane | None = None
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(path)
            if not _is_same_user(self._socket):
                raise PermissionError("it is another user's")
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
        while True:
            data = self._take()
            if data is not None:
                return data
            self._read(deadline)

    def _take(self) -> bytes | None:
        """The next message, if it is there; those without content only wake."""
        received = self._received
        while len(received) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(received)[0]
            if len(received) < end:
                break
            data = bytes(received[_LENGTH.size : end])
            del received[:end]
            if data:
                return data
        return None

    def _read(self, deadline: float) -> None:
        """Wait for something to read, for a slice of time."""
        try:
            block = self._socket.recv(_BLOCK)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError from None
            return
        except OSError:
            block = b""
        if not block:
            self.close()
            raise ServerGoneError(self._gone)
        self._received += block

    def ask_for_lane(self, request: bytes, deadline: float) -> tuple[bytes, int | None]:
        """Send a request, and receive the reply with the file descriptor that may come along."""
        self.send(request, deadline)
        handles: list[int] = []
        while True:
            data = self._take()
            if data is not None:
                return data, handles[0] if handles else None
            try:
                block, found, _, _ = socket.recv_fds(self._socket, _BLOCK, 1)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError from None
                continue
            if not block:
                self.close()
                raise ServerGoneError(self._gone)
            handles += found
            self._received += block

    def take_lane(self, lane: ClientLane) -> None:
        """Send what fits through a lane from now on."""
        self._lane = lane

    def exchange(self, data: bytes, deadline: float) -> bytes:
        """Send a request, and return the next reply.

        Raises:
            TimeoutError: One of the two took too long.
            ServerGoneError: There is no server any more.
        """
        lane = self._lane
        if lane is None or not lane.takes(data, deadline):
            self.send(data, deadline)
            return self.receive(deadline)
        if lane.send(data):
            self.wake()
        return self.lane_reply(deadline)[1]

    def wake(self) -> None:
        """Wake the server; one that has much to read is awake."""
        try:
            self._socket.send(_NOTHING, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            self.close()
            raise ServerGoneError(self._gone) from None

    def lane_reply(self, deadline: float) -> tuple[int, Any]:
        """The form of the reply to the last request in the lane, and its bytes or what it says.

        Raises:
            TimeoutError: There was none in time.
            ServerGoneError: There is no server any more.
        """
        lane = self._lane
        if lane is None:
            raise ServerGoneError(self._gone)
        if not lane.replied_soon():
            try:
                while not lane.sleep():
                    self._read(deadline)
            finally:
                lane.wake_up()
        form, content = lane.reply()
        return (form, self.receive(deadline)) if form == ELSEWHERE else (form, content)

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
        self._lane = None
        self._socket.close()


class _Peer:
    """A client, seen from the server."""

    __slots__ = ("has_lane", "received", "socket", "waiting")

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.received = bytearray()
        self.waiting = bytearray()  # to be sent
        self.has_lane = False


class LocalListener:
    """The server's end.

    Args:
        path: Where to put the socket; one that a server left behind is replaced. A name that
            begins with a zero is no file's, and can be used by processes of this user.
        client_id: Of this process: the one that calls through lanes are for.

    Raises:
        error: It cannot be made.
    """

    def __init__(self, path: str, client_id: int) -> None:
        self._path = path
        self._requests: deque[tuple[Any, bytes]] = deque()
        self._lanes = None  # compiled, if need be, before anybody waits for an answer
        if functions.builtins_work():
            self._lanes = ServerLanes(_MAX_PEERS, client_id, self._send_beside)
        self._leaving: list[_Peer] = []  # those whose lanes have to be ended
        self._selector = selectors.DefaultSelector()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if not _is_bare(path):
                Path(path).unlink(missing_ok=True)
            self._socket.bind(path)
            if not _is_bare(path):
                Path(path).chmod(0o600)
            self._socket.listen(_MAX_PEERS)
        except OSError as problem:
            self._socket.close()
            raise error(f"Cannot listen at {path}: {problem}") from None
        self._socket.setblocking(False)
        self._selector.register(self._socket, selectors.EVENT_READ)

    def receive(self, timeout: float, turn: Turn | None = None) -> tuple[Any, bytes] | None:
        """A request and who sent it; None if none came within some seconds.

        Args:
            timeout: How long to wait.
            turn: See `serve`.
        """
        busy = self.serve(turn)
        if not self._requests:
            if busy:
                self.look(0)
            else:
                if self.sleep():
                    self.look(timeout)
                self.wake_up()
        return self.next_request()

    def next_request(self) -> tuple[Any, bytes] | None:
        """One of the requests that are there, and who sent it."""
        return self._requests.popleft() if self._requests else None

    def serve(self, turn: Turn | None) -> bool:
        """Carry out what comes through lanes, for some microseconds: whether something came.

        Args:
            turn: Held while requests are carried out, where other threads of this process call.
        """
        self._sweep()
        lanes = self._lanes
        if not lanes:
            return False
        if turn is None:
            found = lanes.serve(wait=True)
        elif lanes.wait():
            with turn():
                found = lanes.serve(wait=False)
        else:
            return False
        if isinstance(found, tuple):
            self._requests.append(found)
        return bool(found)

    def sleep(self) -> bool:
        """Have clients wake this side; False: there is a request already."""
        return self._lanes is None or self._lanes.sleep()

    def wake_up(self) -> None:
        """Have clients wake this side no more."""
        if self._lanes is not None:
            self._lanes.wake_up()

    def fileno(self) -> int:
        """What can be waited for, together with other things."""
        return self._selector.fileno()

    def look(self, timeout: float) -> None:
        """Wait some seconds for whatever comes through sockets, and take it."""
        for key, events in self._selector.select(timeout):
            if key.data is None:
                self._accept()
                continue
            if events & selectors.EVENT_WRITE:
                self._flush(key.data)
            if events & selectors.EVENT_READ and key.data.socket.fileno() >= 0:
                self._read(key.data)

    def open_lane(self, peer: Any) -> int | None:
        """The file descriptor of a new lane for a client; None: there is none."""
        if self._lanes is None or not isinstance(peer, _Peer) or peer.has_lane:
            return None
        handle = self._lanes.open(peer)
        peer.has_lane = handle is not None
        return handle

    def learn(self, peer: Any, function: Any, total: int, names: tuple[str, ...], own: bool) -> int:
        """Number of a new pattern of a client's calls; -1: none. See `ServerLanes.learn`."""
        who = getattr(peer, "peer", peer)  # of its lane
        return -1 if self._lanes is None else self._lanes.learn(who, function, total, names, own)

    def _send_beside(self, peer: _Peer, data: bytes) -> None:
        """Send to a client that has a lane; what only wakes it is not sent behind other data."""
        if data or not peer.waiting:
            self._send(peer, data)

    def _sweep(self) -> None:
        for peer in self._leaving:
            if self._lanes is not None:
                self._lanes.close(peer)
        self._leaving.clear()

    def _accept(self) -> None:
        try:
            connection, _ = self._socket.accept()
        except OSError:
            return
        if len(self._selector.get_map()) > _MAX_PEERS or not _is_same_user(connection):
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
        if len(peer.received) > _BLOCK and self._held() > _MOST_HELD:
            self._drop(peer)
            return
        while len(peer.received) >= _LENGTH.size:
            size = _LENGTH.unpack_from(peer.received)[0]
            if size > messages.MAX_REQUEST:
                self._drop(peer)
                return
            end = _LENGTH.size + size
            if len(peer.received) < end:
                return
            if size:  # what has no content only wakes
                self._requests.append((peer, bytes(peer.received[_LENGTH.size : end])))
            del peer.received[:end]

    def _held(self) -> int:
        """Bytes of requests of all clients that are not complete."""
        peers = (key.data for key in self._selector.get_map().values())
        return sum(len(peer.received) for peer in peers if peer is not None)

    def send(self, peer: Any, data: bytes, handle: int | None = None) -> None:
        """Answer; a client that is gone, or lets its answers pile up, gets none.

        Args:
            peer: The client, or its lane.
            data: The answer.
            handle: A file descriptor that goes with it; it is closed here.
        """
        if isinstance(peer, _Peer):
            self._send(peer, data, handle)
        elif self._lanes is not None:
            self._lanes.answer(peer, data)

    def _send(self, peer: _Peer, data: bytes, handle: int | None = None) -> None:
        if handle is not None:
            with contextlib.suppress(OSError):
                socket.send_fds(peer.socket, [_NOTHING], [handle], socket.MSG_DONTWAIT)
            os.close(handle)
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
        self._leaving.append(peer)
        self._selector.unregister(peer.socket)
        peer.socket.close()

    def close(self) -> None:
        """End all connections and take the socket away."""
        for key in list(self._selector.get_map().values()):
            self._selector.unregister(key.fileobj)
            connection: Any = key.fileobj
            connection.close()
        self._selector.close()
        if not _is_bare(self._path):
            Path(self._path).unlink(missing_ok=True)
