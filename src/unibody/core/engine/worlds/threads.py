"""Sharing the worlds among threads."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from unibody.mechanisms import cores, is_plain

SMALLEST_SHARE = 64  # worlds: below that, waking a thread costs more than it saves
_SHARES = 4  # of a thread: one that has to wait for its core holds the others up less


class Shares:
    """Runs a kernel over ranges of worlds, on several threads where that pays.

    Attributes:
        threads: Number of threads, the caller's included.
    """

    def __init__(self, count: int, threads: int) -> None:
        self.threads: int = cores() if is_plain("threads") else threads or cores()
        self._count = count
        several = self.threads > 1 and count >= 2 * SMALLEST_SHARE
        self._pool = ThreadPoolExecutor(self.threads - 1) if several else None

    def run(
        self, kernel: Callable[..., None], *arguments: Any, least: int = SMALLEST_SHARE
    ) -> None:
        """Call ``kernel(first, last, *arguments)`` until all worlds are done.

        Args:
            kernel: Lets other threads run meanwhile.
            arguments: The same in all calls.
            least: Worlds that are worth a share of their own.
        """
        parts = min(_SHARES * self.threads, self._count // least)
        if self._pool is None or parts < 2:
            kernel(0, self._count, *arguments)
            return
        edges = [self._count * part // parts for part in range(parts + 1)]
        left = deque(itertools.pairwise(edges))

        def work() -> None:
            while left:
                try:
                    first, last = left.popleft()
                except IndexError:  # another thread was faster
                    return
                kernel(first, last, *arguments)

        others = [self._pool.submit(work) for _ in range(min(self.threads, parts) - 1)]
        work()
        for other in others:
            if not other.cancel():  # one that has not begun has nothing left to do
                other.result()
