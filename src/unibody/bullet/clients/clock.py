"""Worlds that follow the clock while the script makes no call."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable

from unibody.bullet.calls.call_lock import CallLock

_PERIOD = 1.0 / 120.0  # s


class Clock:
    """A thread that lets a client catch up with the clock, in turn with the script's calls.

    Args:
        call_lock: The calls it waits for, and that wait for it.
        catch_up: Steps the client; returns whether it still follows the clock.
    """

    def __init__(self, call_lock: CallLock, catch_up: Callable[[], bool]) -> None:
        self._call_lock = call_lock
        self._catch_up = catch_up
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="unibody clock", daemon=True)
        call_lock.share()
        _running.add(self)
        self._thread.start()

    def _run(self) -> None:
        while not self._over.wait(_PERIOD):
            with self._call_lock.held():
                if self._over.is_set() or not self._catch_up():
                    return

    def stop(self) -> None:
        """Leave the world to the calls of the script; again does no harm."""
        self._over.set()
        _running.discard(self)
        self._call_lock.watch()

    def end(self) -> None:
        """Stop, and wait for a step in progress: the interpreter is about to end."""
        self._over.set()
        self._thread.join(timeout=5.0)


_running: weakref.WeakSet[Clock] = weakref.WeakSet()


def _end_all() -> None:
    for clock in list(_running):
        clock.end()


atexit.register(_end_all)
