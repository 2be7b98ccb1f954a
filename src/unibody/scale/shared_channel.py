"""Values between two processes of one machine: arrays in shared memory, all else in a socket.

A message is written into memory that both processes see, then a few bytes in a socket say so. They
wake who waits for them, order what was written before them (sending and receiving are calls of the
system), and end when the other process does: who waits for one that was killed knows at once.
Memory and sockets have no name in a file system, so that nothing is left of processes that end.
"""

from __future__ import annotations

import array
import mmap
import os
import pickle
import socket
import struct
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.scale.array_forms import Form, arrays_of, put_together, taken_apart

Array = NDArray[Any]
_HEADER = struct.Struct(
    "<iQQ"
)  # number of the form, new memory [bytes], length of the rest [bytes]
_FORMS = 256  # that are told once; values of others travel as bytes
_BYTES = -1  # in place of the number of a form, of a value that is bytes in memory
_ALIGNED = 64  # [bytes]: where an array begins
_FD = array.array("i").itemsize


class SharedChannel:
    """One end of a connection to a process of the same machine, which has the other end.

    Either sends and then receives, in turn.

    Args:
        connection: A stream between sockets of the machine.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._numbers: dict[Form, int] = {}  # of forms that were sent
        self._forms: list[Form] = []  # that were received
        self._written, self._read = _Memory(), _Memory()

    def send(self, value: Any) -> None:
        """Send a value; arrays that were received before are written over from now on.

        Raises:
            OSError: The other process has ended.
        """
        arrays: list[Array] = []
        others: list[Any] = []
        form = taken_apart(value, arrays, others)
        number = self._numbers.get(form)
        text, memory, shared = b"", 0, []
        if number is None and len(self._numbers) == _FORMS:
            self.send_whole(value)
            return
        if number is None:
            number = self._numbers[form] = len(self._numbers)
            memory, shared = self._written.room_for(self._written.lay_out(form))
            text = pickle.dumps((form, others), pickle.HIGHEST_PROTOCOL)
        elif others:
            text = pickle.dumps((None, others), pickle.HIGHEST_PROTOCOL)
        for place, each in zip(self._written.views(number), arrays, strict=True):
            place[...] = each
        self._tell(number, memory, shared, len(text))
        if text:
            self._connection.sendall(text)

    def send_whole(self, value: Any) -> None:
        """Send a value as bytes in shared memory, as suits those whose shapes are always others.

        The other process has a value of its own then, which nothing is written over.

        Raises:
            OSError: The other process has ended.
        """
        text = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        memory, shared = self._written.room_for(len(text))
        self._written.write(text)
        self._tell(_BYTES, memory, shared, len(text))

    def _tell(self, number: int, memory: int, shared: list[int], length: int) -> None:
        header = _HEADER.pack(number, memory, length)
        if not shared:
            self._connection.sendall(header)
            return
        try:
            socket.send_fds(self._connection, [header], shared)
        finally:
            for fd in shared:
                os.close(fd)

    def receive(self) -> Any:
        """Wait for a value.

        Returns:
            The value; its arrays are read-only and stay as they are until the next `send`.

        Raises:
            EOFError: The other process has ended.
            OSError: The connection broke.
        """
        header, shared = self._header()
        number, memory, length = _HEADER.unpack(header)
        if memory:
            self._read.map(shared, memory)
        if number == _BYTES:
            return pickle.loads(self._read.read(length))
        text = self._exactly(length) if length else b""
        form, others = pickle.loads(text) if text else (None, ())
        if form is not None:
            self._forms.append(form)
            self._read.lay_out(form)
        views = iter(self._read.views(number))
        return put_together(self._forms[number], views, iter(others))

    def _header(self) -> tuple[bytes, int]:
        """The beginning of a message, and the file of memory that came with it."""
        room = socket.CMSG_SPACE(_FD)
        found, extra, _, _ = self._connection.recvmsg(_HEADER.size, room, socket.MSG_WAITALL)
        if len(found) < _HEADER.size:
            raise EOFError
        shared = [int.from_bytes(data[:_FD], sys.byteorder) for _, _, data in extra]
        return found, shared[0] if shared else -1

    def _exactly(self, length: int) -> bytes:
        found = bytearray(length)
        view, got = memoryview(found), 0
        while got < length:
            more = self._connection.recv_into(view[got:])
            if not more:
                raise EOFError
            got += more
        return bytes(found)

    def close(self) -> None:
        """End the connection; the other end notices."""
        self._connection.close()


class _Memory:
    """Memory of one direction, and where in it the arrays of each form lie."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, mmap.PAGESIZE)  # of this process alone
        self._size = 0  # [bytes] that are shared
        self._layouts: list[list[tuple[int, str, tuple[int, ...]]]] = []
        self._views: list[list[Array] | None] = []

    def lay_out(self, form: Form) -> int:
        """Decide where the arrays of the next form lie; how much memory they need [bytes]."""
        layout, end = [], 0
        for kind, shape in arrays_of(form):
            layout.append((end, kind, shape))
            size = np.dtype(kind).itemsize * int(np.prod(shape, dtype=np.int64))
            end += -(-size // _ALIGNED) * _ALIGNED
        self._layouts.append(layout)
        self._views.append(None)
        return end

    def room_for(self, size: int) -> tuple[int, list[int]]:
        """Make new memory if there is too little: its size, and its file, to be closed."""
        if size <= self._size:
            return 0, []
        new = -(-max(size, 2 * self._size) // mmap.PAGESIZE) * mmap.PAGESIZE
        shared = os.memfd_create("unibody", os.MFD_CLOEXEC)
        os.ftruncate(shared, new)
        self._memory, self._size = mmap.mmap(shared, new), new
        self._views = [None] * len(self._layouts)
        return new, [shared]

    def map(self, shared: int, size: int) -> None:
        """Take memory of the other process in place of what there is; its file is closed."""
        try:
            self._memory = mmap.mmap(shared, size, prot=mmap.PROT_READ)
        finally:
            os.close(shared)
        self._views = [None] * len(self._layouts)

    def write(self, text: bytes) -> None:
        """Write bytes."""
        self._memory[: len(text)] = text

    def read(self, length: int) -> bytes:
        """Bytes that were written."""
        return self._memory[:length]

    def views(self, number: int) -> list[Array]:
        """The arrays of a form."""
        found = self._views[number]
        if found is None:
            found = self._views[number] = [
                np.empty(shape, kind) if 0 in shape else np.ndarray(shape, kind, self._memory, at)
                for at, kind, shape in self._layouts[number]
            ]
        return found
