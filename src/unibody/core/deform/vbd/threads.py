"""Threads that do a search together: where they meet in compiled code, and who they are."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from unibody.machine_code import intrinsic, types
from unibody.machine_code.jit import rule

_PATIENCE = 100  # looks at a counter before the core is left to others
_yield: Any = types.ExternalFunction(
    "SwitchToThread" if os.name == "nt" else "sched_yield", types.int32()
)
_lock = threading.Lock()
_helpers: dict[tuple[int, int], ThreadPoolExecutor] = {}  # by process and number


@intrinsic
def _add(typing_context: Any, words: Any, index: Any, value: Any) -> Any:
    """Add to a number of an array, as one act for all threads; what was there before."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        numpy_arrays: Any = importlib.import_module("numba.np.arrayobj")
        array = numpy_arrays.make_array(signature.args[0])(context, builder, args[0])
        place = builder.gep(array.data, [args[1]])
        return builder.atomic_rmw("add", place, args[2], "seq_cst")

    return types.int64(words, types.int64, types.int64), codegen


@rule
def meet(counters: Any, parts: int) -> None:
    """Wait until all threads are here.

    Args:
        counters: How many are here, and how often all were, apart from one another in memory.
        parts: How many threads there are.
    """
    if parts == 1:
        return
    half = len(counters) // 2
    now = _add(counters, half, 0)
    if _add(counters, 0, 1) == parts - 1:
        _add(counters, 0, -parts)
        _add(counters, half, 1)
        return
    looks = 0
    while _add(counters, half, 0) == now:
        looks += 1
        if looks > _PATIENCE:
            _yield()


def fresh_counters() -> Any:
    """For `meet`; nobody is here."""
    return np.zeros(32, dtype=np.int64)


def together(parts: int, part: Callable[[int], int]) -> int | None:
    """Do all parts of a task at the same time.

    Args:
        parts: How many, at least two.
        part: Does one, by its number; they wait for one another.

    Returns:
        What the first part came to; None, and nothing is done, where the threads are at work on
        another task.
    """
    if not _lock.acquire(blocking=False):
        return None
    try:
        key = os.getpid(), parts - 1  # a forked process has none of the threads
        if key not in _helpers:
            _helpers[key] = ThreadPoolExecutor(parts - 1, thread_name_prefix="unibody-deform")
        others = [_helpers[key].submit(part, number) for number in range(1, parts)]
        result = part(0)
        for other in others:
            other.result()
    finally:
        _lock.release()
    return result
