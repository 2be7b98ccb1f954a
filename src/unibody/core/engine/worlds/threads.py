"""Sharing the worlds among threads."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class Shares:
    """Runs a kernel over ranges of worlds, on several threads where that pays.

    Attributes:
        threads: Number of threads, the caller's included.
    """

    def __init__(self, count: int, threads: int) -> None:
        self.threads = threads or _cores()
        self._count = count
        parts = min(self.threads, max(1, count // SMALLEST_SHARE))
        edges = [count * part // parts for part in range(parts + 1)]
        self._ranges = list(itertools.pairwise(edges))
        self._pool = ThreadPoolExecutor(parts - 1) if parts > 1 else None

    def run(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Call ``kernel(first, last, *arguments)`` until all worlds are done."""
        if self._pool is None:
            kernel(0, self._count, *arguments)
            return
        others = [
            self._pool.submit(kernel, first, last, *arguments) for first, last in self._ranges[1:]
        ]
        kernel(*self._ranges[0], *arguments)
        for other in others:
            other.result()


SMALLEST_SHARE = 64  # worlds: below that, waking a thread costs more than it saves


def _cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
