"""Lines and texts that scripts draw into the scene."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_LIMIT = 100_000  # items kept; older ones go


@dataclass(slots=True)
class DebugItem:
    """One line (``end`` is given) or one text."""

    start: tuple[float, ...]
    end: tuple[float, ...] | None
    color: tuple[float, ...]
    size: float
    text: str
    lifetime: float  # s, 0: until removed


class DebugDrawings:
    """What is drawn into one scene at the moment.

    Attributes:
        items: Lines and texts by number, the oldest first.
    """

    def __init__(self) -> None:
        self.items: dict[int, DebugItem] = {}
        self._next = 0

    def _add(self, mark: DebugItem) -> int:
        number = self._next
        self._next += 1
        self.items[number] = mark
        if len(self.items) > _LIMIT:
            del self.items[next(iter(self.items))]
        return number

    def line(
        self,
        start: Sequence[float],
        end: Sequence[float],
        color: Sequence[float],
        width: float = 1.0,
        lifetime: float = 0.0,
    ) -> int:
        """Draw a line and return its number."""
        return self._add(DebugItem(tuple(start), tuple(end), tuple(color), width, "", lifetime))

    def lines(
        self, points: Iterable[Sequence[float]], color: Sequence[float], width: float
    ) -> list[int]:
        """Draw lines from each point to the next and return their numbers."""
        return [self.line(a, b, color, width) for a, b in itertools.pairwise(points)]

    def text(
        self,
        words: str,
        place: Sequence[float],
        color: Sequence[float],
        size: float = 1.0,
        lifetime: float = 0.0,
    ) -> int:
        """Write a text and return its number."""
        return self._add(DebugItem(tuple(place), None, tuple(color), size, words, lifetime))

    def remove(self, numbers: Iterable[int]) -> None:
        """Take items away; an unknown number is no error."""
        for number in numbers:
            self.items.pop(number, None)


without_simulation: DebugDrawings = DebugDrawings()
"""What is drawn by a path that belongs to no simulation."""
