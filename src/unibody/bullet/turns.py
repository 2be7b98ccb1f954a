"""Threads of a script that share a client take turns, call by call.

PyBullet keeps the interpreter's lock during a call. Here a call is many steps of Python, and the
engine lets other threads run while it steps, so that calls for one client have to wait for one
another. Looking for them costs time, and is done for a while after threads were started.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from unibody.bullet.intercept import intercept, next_handler, release
from unibody.bullet.remote import joining

_PAUSE = 2e-5  # s
_WATCHED_CALLS = 5000  # in a row of one thread, until the others are taken not to use the client


class Turns:
    """The calls for one client, while other threads run.

    Args:
        client_id: Whose calls. They are handed over until `disconnect`, or until many in a row
            came from one thread.
        method: How the client was connected. A server has turns of its own.
    """

    def __init__(self, client_id: int, method: int) -> None:
        self.lock = threading.RLock()
        self._client = client_id
        self.needless = method in joining.SERVERS
        self._shared = False
        self._thread = 0
        self._waiting: list[int] = []  # threads: a list, which they change in one piece
        self._left = 0
        self._taken = False  # whether calls are handed over
        _all.add(self)

    def _call(self, name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        with self.turn():
            go_on = next_handler(self._client, self._call)
            if not self._shared:
                self._look_for_others()
            if name == "disconnect":
                self.end()
            return go_on(name, function, args, kwargs)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """What a call holds while it is carried out."""
        lock = self.lock
        if not lock.acquire(blocking=False):
            self._waiting.append(threading.get_ident())
            lock.acquire()
            self._waiting.pop()
        try:
            yield
        finally:
            lock.release()
        if self._waiting:  # a thread that calls without a pause would never let others in
            time.sleep(_PAUSE)

    def _look_for_others(self) -> None:
        self._shared = threading.get_ident() != self._thread
        self._left -= 1
        if self._left <= 0 and not self._shared:
            self.end()

    def watched(self) -> AbstractContextManager[None]:
        """Look for other threads from now on, as new ones were started.

        Returns:
            What the call in progress has to hold.
        """
        if self.needless:
            return nullcontext()
        if not self._shared:
            self.watch()
        return self.turn()

    def watch(self) -> None:
        """Look for other threads from the start."""
        if not self._taken:
            intercept(self._client, self._call)
        self._taken, self._shared = True, False
        self._thread = threading.get_ident()
        self._left = _WATCHED_CALLS

    def share(self) -> None:
        """Take it that several threads use the client."""
        self.watch()
        self._shared = True

    def end(self) -> None:
        """Hand over no more calls."""
        self._taken = False
        release(self._client, self._call)


_all: weakref.WeakSet[Turns] = weakref.WeakSet()


def _free_the_locks() -> None:
    """In a forked process: the threads that hold them are not there."""
    for turns in _all:
        turns.lock = threading.RLock()
        turns._waiting.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_the_locks)
