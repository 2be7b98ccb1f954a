"""The rays a script casts, on the page."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from unibody.viewer.items import Line

_SHOWN_FOR = 0.25  # s
_MOST = 2000  # rays
_HIT, _MISS = (1.0, 0.1, 0.1), (0.1, 0.8, 0.1)


class Rays:
    """Rays of the last moment: red as far as what they hit, green where they hit nothing.

    Attributes:
        wanted: Whether the page shows them; else nothing is kept.
    """

    def __init__(self) -> None:
        self.wanted = False
        self._cast: deque[tuple[float, Any, Any, Sequence[Any]]] = deque(maxlen=_MOST)

    def take(self, starts: Any, ends: Any, hits: Sequence[Any]) -> None:
        """Take note of rays (n, 3) [m] and their results."""
        if self.wanted:
            count = min(len(starts), _MOST)
            self._cast.append(
                (time.monotonic(), np.array(starts[:count]), np.array(ends[:count]), hits[:count])
            )

    def lines(self) -> Iterator[Line]:
        """What is to be drawn now."""
        left = _MOST
        for when, starts, ends, hits in reversed(list(self._cast)):
            if time.monotonic() - when > _SHOWN_FOR:
                return
            # with reportHitNumber there may be other than one result for each ray
            for start, end, hit in zip(starts.tolist(), ends.tolist(), hits, strict=False):
                if left == 0:
                    return
                left -= 1
                is_hit = hit[0] >= 0
                yield Line(
                    tuple(start), tuple(hit[3] if is_hit else end), _HIT if is_hit else _MISS
                )
