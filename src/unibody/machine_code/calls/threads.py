"""Which thread calls: builtins see that another one does before they do anything."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.machine_code import types

if TYPE_CHECKING:
    from unibody.machine_code.deferred import ExternalFunction

__all__ = [
    "CALLS", "IN_PROGRESS", "ONLY", "OtherThread", "call_from_all", "call_from_here",
    "is_the_only_one", "thread_state",
]  # fmt: skip

ONLY, IN_PROGRESS = range(2)
thread_state: ExternalFunction = types.ExternalFunction("PyThreadState_Get", types.int64())
# The thread whose calls are carried out at once, 0 for all threads; how many of its calls are in
# progress.
_calls = np.zeros(2, dtype=np.int64)
CALLS: int = _calls.ctypes.data
_NOBODY = -1
_PAUSE = 2e-5  # s
_changing = [threading.RLock()]  # another one in a forked process
_reports: list[Callable[[], None]] = []
_thread: list[int] = []  # the one that may call, as `threading` numbers it


def call_from_here(report: Callable[[], None]) -> None:
    """Carry out the calls of this thread at once, and report that another one calls before it does.

    Args:
        report: Called by the other thread, the first time, while no call is in progress.
    """
    get = ctypes.pythonapi.PyThreadState_Get
    get.restype = ctypes.c_void_p
    with _changing[0]:
        _reports[:], _thread[:] = [report], [threading.get_ident()]
        _calls[ONLY] = get()  # the call that asks for it may be counted already


def call_from_all() -> None:
    """Carry out the calls of all threads from now on, once those in progress are over."""
    with _changing[0]:
        if _calls[ONLY] == 0:
            return
        _calls[ONLY] = _NOBODY
        while _calls[IN_PROGRESS] and not is_the_only_one():
            time.sleep(_PAUSE)
        for report in tuple(_reports):
            report()
        _thread.clear()
        _calls[ONLY] = 0


def is_the_only_one() -> bool:
    """Whether this thread is the one whose calls are carried out at once."""
    return _thread == [threading.get_ident()]


class OtherThread:
    """What gets the calls of a builtin that another thread makes, and carries them out.

    Args:
        python: The function behind the builtin.

    Attributes:
        function: The builtin.
    """

    function: Callable[..., Any]

    def __init__(self, python: Callable[..., Any]) -> None:
        self._python = python

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Report the thread, and call the builtin again."""
        if _calls[IN_PROGRESS] and is_the_only_one():
            return self._python(*args, **named)  # part of a call that another thread waits for
        call_from_all()
        return self.function(*args, **named)


def _free_the_lock() -> None:
    """In a forked process: the thread that holds it, or is in a call, is not there."""
    _changing[0] = threading.RLock()
    if not is_the_only_one():
        _calls[IN_PROGRESS] = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_the_lock)
