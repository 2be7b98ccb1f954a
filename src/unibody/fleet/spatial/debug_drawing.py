"""Lines and texts that scripts draw into the scene."""

from __future__ import annotations

from collections.abc import Sequence
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


items: dict[int, DebugItem] = {}
"""What is drawn at the moment, by number."""
_next = [0]


def _add(mark: DebugItem) -> int:
    number = _next[0]
    _next[0] += 1
    items[number] = mark
    if len(items) > _LIMIT:
        del items[next(iter(items))]
    return number


def line(
    start: Sequence[float],
    end: Sequence[float],
    color: Sequence[float],
    width: float = 1.0,
    lifetime: float = 0.0,
) -> int:
    """Draw a line and return its number."""
    return _add(DebugItem(tuple(start), tuple(end), tuple(color), width, "", lifetime))


def text(
    words: str,
    place: Sequence[float],
    color: Sequence[float],
    size: float = 1.0,
    lifetime: float = 0.0,
) -> int:
    """Write a text and return its number."""
    return _add(DebugItem(tuple(place), None, tuple(color), size, words, lifetime))


def remove(number: int) -> None:
    """Take an item away; an unknown number is no error."""
    items.pop(number, None)
