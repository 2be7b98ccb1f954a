"""Pairs of shapes that do not collide, as a set that is an array."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from operator import index
from typing import Any, SupportsIndex

import numpy as np


class FilterPairs(Set[tuple[int, int]]):
    """Pairs of indices of shapes, the lower one first, in order; it does not change.

    Args:
        pairs: In any order.
    """

    def __init__(self, pairs: Iterable[tuple[int, int]] = ()) -> None:
        rows = np.array(sorted({(min(a, b), max(a, b)) for a, b in pairs}), np.int64)
        self._rows = rows.reshape(-1, 2).astype(np.int32)
        self._rows.flags.writeable = False
        self._keys = _keys(self._rows)

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> Any:
        return set(it)

    def __contains__(self, pair: object) -> bool:
        try:
            first, second = (index(v) for v in pair)  # type: ignore[attr-defined]
        except (TypeError, ValueError):
            return False
        return first <= second and self.holds(first, second)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((first, second) for first, second in self._rows.tolist())

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"FilterPairs({self._rows.tolist()})"

    @property
    def rows(self) -> np.ndarray:
        """All pairs in order, shape (pairs, 2), read-only."""
        return self._rows

    def holds(self, first: SupportsIndex, second: SupportsIndex) -> bool:
        """Whether two shapes do not collide, in either order.

        Raises:
            TypeError: One is no whole number.
        """
        pair = sorted((index(first), index(second)))
        return bool(self.mask(np.array([pair], np.int64))[0])

    def mask(self, pairs: Any) -> np.ndarray:
        """Which of some pairs do not collide, in either order.

        Args:
            pairs: Shape (n, 2), whole numbers.

        Raises:
            TypeError: They are no whole numbers.
        """
        rows = np.asarray(pairs)
        if rows.dtype.kind not in "iu":
            raise TypeError(f"pairs have the type {rows.dtype}: expected whole numbers")
        return np.isin(_keys(np.sort(rows.reshape(-1, 2).astype(np.int64), axis=1)), self._keys)


def _keys(rows: np.ndarray) -> np.ndarray:
    """One number for each pair."""
    wide = rows.astype(np.int64)
    return (wide[:, 0] << 32) + wide[:, 1]
