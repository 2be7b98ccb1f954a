"""The two ends of a lane, and what they do in Python: what is unusual, and what comes rarely."""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.bullet.errors import error
from unibody.bullet.remote import lane_calls, lane_layout, lane_service, messages, values
from unibody.bullet.remote.lane_layout import WORD
from unibody.bullet.remote.messages import MessageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_REQUEST = slice(lane_layout.REQUEST_AT * WORD, lane_layout.REPLY_AT * WORD)
_PAUSE = 2e-5  # s


def _most_spins(spins: int) -> int:
    """How often to look; not at all where the other side cannot run at the same time."""
    allowed = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))
    return spins if len(allowed(0)) > 1 else 0


def _address_of(memory: mmap.mmap) -> tuple[int, Any]:
    """Where a memory is, and what keeps it there."""
    kept = ctypes.c_char.from_buffer(memory)
    return ctypes.addressof(kept), kept


class ClientLane:
    """A client's end.

    Args:
        memory: Of the lane.
        finish: Waits for the reply to a call, and returns what it returns.
        wake: Wakes the server.
    """

    def __init__(
        self, memory: mmap.mmap, finish: Callable[[], Any], wake: Callable[[], None]
    ) -> None:
        self._memory = memory
        lane, self._kept = _address_of(memory)
        self._shared = memoryview(memory).cast("q")
        self._words = np.zeros(lane_calls.CONNECTION_WORDS, dtype=np.int64)
        self.address: int = int(self._words.ctypes.data)
        self._private = memoryview(self._words.data)
        self._objects: list[Any] = [finish, wake]
        self._patterns = 0
        self._owner = 0  # thread that waits for a reply
        words = self._words
        words[lane_calls.C_LANE] = lane
        words[lane_calls.C_SPINS] = _most_spins(lane_calls.SPINS)
        words[lane_calls.C_BACKOFF] = lane_calls.LEAST_BACKOFF
        words[lane_calls.C_FINISH], words[lane_calls.C_WAKE] = id(finish), id(wake)
        words[lane_calls.C_KNOWN] = values.table().ctypes.data
        self._claim, self._soon, self._sleep, self._publish, self._read = lane_calls.operations()

    @property
    def number(self) -> int:
        """Of the last request."""
        return self._private[lane_calls.C_LAST]

    def claim(self, deadline: float) -> None:
        """Keep other threads from calling.

        Raises:
            TimeoutError: Another one did not end its call in time.
            error: This thread is in the middle of a call.
        """
        while not self._claim(self.address):
            if self._owner == threading.get_ident():
                raise error("A call to the physics server is under way in this thread.")
            if time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(_PAUSE)
        self._owner = threading.get_ident()

    def own(self) -> None:
        """This thread waits for the reply to a call that compiled code has sent."""
        self._owner = threading.get_ident()

    def release(self) -> None:
        """Let other threads call."""
        self._owner = 0
        self._private[lane_calls.C_BUSY] = 0

    def takes(self, data: bytes, deadline: float) -> bool:
        """Whether a request goes through the lane; waits until the one before is out of it.

        Raises:
            TimeoutError: It was not in time.
        """
        if len(data) > lane_layout.REQUEST_WORDS * WORD:
            return False
        while self._shared[lane_layout.TAKEN] != self.number:
            if time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(_PAUSE)
        return True

    def send(self, data: bytes) -> bool:
        """Send a request; True: the server sleeps."""
        start = _REQUEST.start
        self._memory[start : start + len(data)] = data
        self._shared[lane_layout.SIZE] = len(data)
        self._shared[lane_layout.FORM] = lane_layout.PACKED
        self._private[lane_calls.C_LAST] += 1
        return self._publish(self.address)

    def replied_soon(self) -> bool:
        """Whether the reply is there, or comes within some microseconds."""
        return self._soon(self.address)

    def sleep(self) -> bool:
        """Have the server wake this side when it replies; True: it has replied."""
        return self._sleep(self.address)

    def wake_up(self) -> None:
        """Have the server wake this side no more."""
        self._shared[lane_layout.CLIENT_SLEEPS] = 0

    def reply(self) -> tuple[int, Any]:
        """The form of the reply, and what it says, or its bytes.

        Raises:
            MessageError: It is none.
        """
        form, size = self._shared[lane_layout.REPLY_FORM], self._shared[lane_layout.REPLY_SIZE]
        if form == lane_layout.COMPACT:
            result = self._read(self.address)
            if result is NotImplemented:
                raise MessageError("this is no reply")
            return form, result
        if not 0 <= size <= lane_layout.REPLY_WORDS * WORD:
            raise MessageError("this is no reply")
        start = lane_layout.REPLY_AT * WORD
        return form, self._memory[start : start + size]

    def learn(
        self, function: int, positional: int, names: tuple[str, ...], client_at: int, number: int
    ) -> None:
        """Take note of a pattern that the server has learned, under the number it gave.

        Args:
            function: Number of the function.
            positional: How many arguments are given by position.
            names: Of the others, in their order.
            client_at: Which argument is the client id; -1: none.
            number: Of the pattern.
        """
        if not 0 <= number < lane_layout.MAX_PATTERNS or len(names) > lane_layout.MAX_NAMES:
            return
        interned = [sys.intern(name) for name in names]
        self._objects.append(interned)
        first = lane_calls.C_FIRST + function
        row = self._words[lane_calls.C_PATTERNS + number * lane_calls.PATTERN_WORDS :]
        row[lane_calls.P_NEXT] = self._words[first]
        row[lane_calls.P_POSITIONAL], row[lane_calls.P_NAMED] = positional, len(names)
        row[lane_calls.P_CLIENT] = client_at
        row[lane_calls.P_NAMES : lane_calls.P_NAMES + len(names)] = [id(n) for n in interned]
        self._words[first] = number + 1


class _ServerLane:
    """A lane, seen from the server."""

    __slots__ = ("kept", "memory", "objects", "peer", "shared", "words")

    def __init__(self, memory: mmap.mmap, peer: Any) -> None:
        self.memory: mmap.mmap = memory
        self.peer: Any = peer
        self.shared: memoryview[int] = memoryview(memory).cast("q")
        self.words: NDArray[np.int64] = np.zeros(lane_service.LANE_WORDS, dtype=np.int64)
        self.kept: Any
        self.words[lane_service.L_MEMORY], self.kept = _address_of(memory)
        self.objects: list[Any] = []


class ServerLanes:
    """The server's end of all lanes.

    Args:
        most: How many there can be.
        client_id: The client that calls are for.
        send: Sends bytes to a peer through its socket; none: only wakes it.
    """

    def __init__(self, most: int, client_id: int, send: Callable[[Any, bytes], None]) -> None:
        self._lanes: list[_ServerLane] = []
        self._send = send
        self._table = np.zeros(most, dtype=np.int64)
        self._buffer = np.zeros(lane_layout.REQUEST_WORDS, dtype=np.int64)
        self._state = np.zeros(lane_service.SERVICE_WORDS, dtype=np.int64)
        self._objects = (client_id, self._answer_unusual, self._wake)
        state, most_spins = self._state, _most_spins(lane_service.SPINS)
        state[lane_service.S_LANES] = self._table.ctypes.data
        state[lane_service.S_BUFFER] = self._buffer.ctypes.data
        state[lane_service.S_SPINS] = state[lane_service.S_MOST_SPINS] = most_spins
        state[lane_service.S_KNOWN] = values.table().ctypes.data
        state[lane_service.S_CLIENT] = id(client_id)
        state[lane_service.S_ANSWER] = id(self._objects[1])
        state[lane_service.S_WAKE] = id(self._objects[2])
        self._address = int(state.ctypes.data)
        (self._serve, self._look, self._sleep, self._publish,
         self._wait) = lane_service.operations()  # fmt: skip

    def __len__(self) -> int:
        """How many there are."""
        return len(self._lanes)

    def open(self, peer: Any) -> int | None:
        """The file descriptor of a new lane for a peer; None: there can be none."""
        found = lane_layout.new_memory()
        if found is None or len(self._lanes) == len(self._table):
            return None
        self._lanes.append(_ServerLane(found[1], peer))
        self._count()
        return found[0]

    def close(self, peer: Any) -> None:
        """End the lane of a peer, if it has one; not while a request is carried out."""
        self._lanes = [lane for lane in self._lanes if lane.peer is not peer]
        self._count()

    def _count(self) -> None:
        addresses = [lane.words.ctypes.data for lane in self._lanes]
        self._table[: len(addresses)] = addresses
        self._state[lane_service.S_COUNT] = len(addresses)

    def learn(self, peer: Any, function: Any, total: int, names: tuple[str, ...], own: bool) -> int:
        """Number of a new pattern of calls of a peer; -1: it has too many.

        Args:
            peer: Whose.
            function: What is called.
            total: How many arguments come from the client.
            names: Of the last of all arguments.
            own: Whether the id of the server's client comes behind them.
        """
        lane = next((lane for lane in self._lanes if lane.peer is peer), None)
        if lane is None or not len(names) <= total + own <= lane_layout.MAX_NAMES:
            return -1
        number = int(lane.words[lane_service.L_COUNT])
        if number == lane_layout.MAX_PATTERNS:
            return -1
        start = lane_service.L_PATTERNS + number * lane_service.PATTERN_WORDS
        row = lane.words[start : start + lane_service.PATTERN_WORDS]
        row[:] = id(function), total, id(names) if names else 0, own
        lane.objects.append((function, names))
        lane.words[lane_service.L_COUNT] += 1
        return number

    def wait(self) -> bool:
        """Whether a request comes within some microseconds, in which other threads can run."""
        return self._wait(self._address)

    def serve(self, *, wait: bool) -> tuple[_ServerLane, bytes] | bool:
        """Carry out requests, or wait for one for some microseconds.

        Returns:
            One that Python has to carry out; False if there was none; else True.
        """
        try:
            found = (self._serve if wait else self._look)(self._address)
        except Exception as problem:  # a caller's fault must not end the server
            self._answer(messages.answer(-self._current_number(), problem))
            return True
        if found < 0:
            return found == lane_service.DONE
        size = int(self._state[lane_service.S_BYTES])
        data = self._buffer.view(np.uint8)[: max(0, size)].tobytes()
        compact = self._state[lane_service.S_FORM] == lane_layout.COMPACT
        return self._lanes[found], b"" if compact else data

    def _current(self) -> _ServerLane:
        return self._lanes[self._state[lane_service.S_CURRENT]]

    def _current_number(self) -> int:
        return int(self._current().words[lane_service.L_LAST])

    def _answer_unusual(self, result: Any) -> None:
        number = -self._current_number()
        try:
            data = messages.pack((number, True, result), messages.MAX_REPLY)
        except MessageError as problem:
            data = messages.answer(number, problem)
        self._answer(data)

    def _answer(self, data: bytes) -> None:
        self.answer(self._current(), data)

    def answer(self, lane: _ServerLane, data: bytes) -> None:
        """Reply to the request that was taken last; what is too long goes through the socket."""
        fits = len(data) <= lane_layout.REPLY_WORDS * WORD
        if fits:
            start = lane_layout.REPLY_AT * WORD
            lane.memory[start : start + len(data)] = data
        else:
            self._send(lane.peer, data)
        lane.shared[lane_layout.REPLY_SIZE] = len(data) if fits else 0
        lane.shared[lane_layout.REPLY_FORM] = lane_layout.PACKED if fits else lane_layout.ELSEWHERE
        self._publish(self._address)

    def _wake(self, index: int) -> None:
        self._send(self._lanes[index].peer, b"")

    def sleep(self) -> bool:
        """Have clients wake this side; False: there is a request already."""
        return self._sleep(self._address, 1)

    def wake_up(self) -> None:
        """Have clients wake this side no more."""
        self._sleep(self._address, 0)
