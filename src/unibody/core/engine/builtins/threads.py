"""Which thread calls: builtins see that another one does before they do anything."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

__all__ = ["ONLY", "OtherThread", "call_from_here", "thread_state"]

thread_state = types.ExternalFunction("PyThreadState_Get", types.int64())
_only = np.zeros(1, dtype=np.int64)  # whose calls are carried out at once; 0: those of any thread
ONLY: int = _only.ctypes.data
_reports: list[Callable[[], None]] = []


def call_from_here(report: Callable[[], None] | None) -> None:
    """Carry out the calls of this thread at once, and report that another one calls before it does.

    Args:
        report: Called by the other thread, the first time. None: all threads may call from now on.
    """
    _reports[:] = [] if report is None else [report]
    get = ctypes.pythonapi.PyThreadState_Get
    get.restype = ctypes.c_void_p
    _only[0] = 0 if report is None else get()


class OtherThread:
    """What gets the calls of a builtin that another thread makes, and carries them out.

    Attributes:
        function: The builtin.
    """

    function: Callable[..., Any]

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Report the thread, and call the builtin again."""
        _only[0] = 0
        for report in tuple(_reports):
            report()
        return self.function(*args, **named)
