"""Threads of a script that share a client take turns, call by call.

PyBullet keeps the interpreter's lock during a call. Here a call is many steps of Python, and the
engine lets other threads run while it steps, so that calls for one client have to wait for one
another. In most scripts one thread makes all calls, and they are carried out at once. The first
call of another thread is noticed before it does anything, and waits for the call in progress. An
interpreter that has no builtins of ours has nothing to notice it: there all calls take turns.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from unibody.bullet.calls.interception import intercept, next_handler, release
from unibody.machine_code.calls import functions, threads

_PAUSE = 2e-5  # s
_WATCHED_CALLS = 5000  # in a row of one thread, until the others are taken not to use the client


class CallLock:
    """The calls for one client. Once a second thread calls they are handed over.

    They are, until `disconnect` or until many in a row came from one thread.

    Args:
        client_id: Whose calls.

    Attributes:
        lock: Whoever has it may step the world.
        needless: True for a server.
    """

    def __init__(self, client_id: int) -> None:
        self.lock: threading.RLock = threading.RLock()
        self.needless = False
        self._client = client_id
        self._shared = False
        self._thread = 0
        self._waiting: list[int] = []  # threads: a list, which they change in one piece
        self._left = 0
        self._taken = False  # whether calls are handed over
        self._noticed = functions.builtins_work()  # whether another thread's first call is
        alone = not _all
        _all.add(self)
        if not self._noticed:
            self.watch()
        elif alone:
            threads.call_from_here(_watch_all)
        elif not threads.is_the_only_one():
            self.watch()

    def _call(self, name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        with self.held():
            go_on = next_handler(self._client, self._call)
            if self._noticed and not self._shared:
                self._look_for_others()
            if name == "disconnect":
                self.end()
            return go_on(name, function, args, kwargs)

    @contextmanager
    def held(self) -> Iterator[None]:
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
        if self._left <= 0 and not (self._shared or self._waiting):
            self.end()
            if all(one.is_over(self._thread) for one in _all):
                threads.call_from_here(_watch_all)

    def is_over(self, thread: int) -> bool:
        """Whether calls are not handed over any more, and one thread made the last of them."""
        return not (self.needless or self._taken) and self._thread == thread

    def watch(self) -> None:
        """Look for other threads from the start."""
        if self.needless:
            return
        if not self._taken:
            intercept(self._client, self._call)
        self._taken, self._shared = True, False
        self._thread = threading.get_ident()
        self._left = _WATCHED_CALLS

    def share(self) -> None:
        """Take it that several threads use the client."""
        threads.call_from_all()
        self.watch()
        self._shared = True

    def leave(self) -> None:
        """Hand over no calls: a server has a lock of its own."""
        threads.call_from_all()
        self.needless: bool = True
        self.end()

    def end(self) -> None:
        """Hand over no more calls."""
        self._taken = False
        release(self._client, self._call)

    def close(self) -> None:
        """The client is gone."""
        self.end()
        _all.discard(self)


_all: weakref.WeakSet[CallLock] = weakref.WeakSet()


def _watch_all() -> None:
    for one in list(_all):
        if not one._shared:
            one.watch()


def _free_the_locks() -> None:
    """In a forked process: the threads that hold them are not there."""
    for one in _all:
        one.lock = threading.RLock()
        one._waiting.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_the_locks)
