"""Locks that a forked process finds free.

A fork copies one thread. What another one was in the middle of would never end in the copy, and
its locks would never be given back. So a fork waits until no other thread holds one of these.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any

__all__ = ["fork_safe_lock"]

PATIENCE = 60.0
"""Seconds that a fork waits; a thread that holds a lock for longer may be waiting for the fork."""
_PAUSE = 0.001  # s
_COMPILER = "numba.core.compiler_lock"  # has a lock around all that numba does

_locks: list[Any] = []
_held: list[Any] = []  # while a fork is in progress


def fork_safe_lock() -> Any:
    """A reentrant lock that no thread but that of a fork holds during the fork."""
    lock = threading.RLock()
    _locks.append(lock)
    return lock


def _all_locks() -> list[Any]:
    compiler: Any = getattr(sys.modules.get(_COMPILER), "global_compiler_lock", None)
    return [*_locks] if compiler is None else [*_locks, compiler._lock]


def _take_all() -> None:
    """Take all locks together: each in turn could wait for a thread that waits for another one."""
    end = time.monotonic() + PATIENCE
    while True:
        for lock in _all_locks():
            if not lock.acquire(blocking=False):
                break
            _held.append(lock)
        else:
            return
        if time.monotonic() >= end:
            return
        _give_back()
        time.sleep(_PAUSE)


def _give_back() -> None:
    while _held:
        _held.pop().release()


def _free_all() -> None:
    """In a forked process: locks that a thread held for too long belong to nobody here."""
    held = set(map(id, _held))
    _give_back()
    for lock in _all_locks():
        if id(lock) not in held:
            lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take_all, after_in_parent=_give_back, after_in_child=_free_all)
