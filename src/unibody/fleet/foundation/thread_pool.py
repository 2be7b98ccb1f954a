"""Sharing a pass over many rows among threads.

A pass is cut into ranges of rows that know nothing of one another, so that the result does not
depend on how many threads there are, nor on which of them does what.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from unibody.mechanisms import cores, is_plain

VARIABLE = "UNIBODY_FLEET_THREADS"
_RANGES = 2  # of a thread: one that has to wait for its core holds the others up less
_MOST = 64
_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}  # threads do not survive a fork


def threads() -> int:
    """Threads of a pass, the caller's included: the variable's, else one a core."""
    stated = os.environ.get(VARIABLE, "")
    if stated and not is_plain("threads"):
        if not stated.isdecimal() or not 1 <= int(stated) <= _MOST:
            raise ValueError(f"{VARIABLE}={stated!r} is not allowed: expected 1 to {_MOST}")
        return int(stated)
    return min(_MOST, cores())


def ranges(count: int, least: int) -> list[tuple[int, int]]:
    """Ranges of rows for the threads there are.

    Args:
        count: Number of rows.
        least: Rows that are worth a range of their own.
    """
    if count < 2 * least:
        return [(0, count)]
    number = threads()
    parts = min(_RANGES * number, count // least) if number > 1 else 1
    edges = [count * part // parts for part in range(parts + 1)]
    return list(itertools.pairwise(edges))


def run(parts: list[tuple[int, int]], kernel: Callable[[int, int], Any]) -> list[Any]:
    """Call ``kernel(first, last)`` for all ranges; what they return, in the order of the ranges."""
    if len(parts) == 1:
        return [kernel(*parts[0])]
    key = os.getpid(), threads() - 1
    pool = _pools.get(key)
    if pool is None:
        pool = _pools[key] = ThreadPoolExecutor(key[1], thread_name_prefix="fleet")
    results: list[Any] = [None] * len(parts)
    left = iter(enumerate(parts))  # one step of it is never cut in two by another thread

    def work() -> None:
        for number, part in left:
            results[number] = kernel(*part)

    others = [pool.submit(work) for _ in range(min(key[1], len(parts) - 1))]
    try:
        work()
    finally:
        for other in others:
            if not other.cancel():  # one that has not begun has nothing left to do
                other.result()
    return results
