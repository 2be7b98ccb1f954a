"""Beams that lidars were asked to draw; the page of the app shows them."""

from __future__ import annotations

import weakref
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]

__all__ = ["Beams", "Segments", "shown"]


class Segments(NamedTuple):
    """Beams that met something.

    Attributes:
        starts: Where they begin, in the world, (n, 3) [m].
        ends: Where they meet it, (n, 3) [m].
    """

    starts: F64
    ends: F64


class Beams:
    """The newest beam of each direction of a lidar.

    Args:
        path: Of the lidar.
        high_lod: Whether all rows of beams are drawn; else the middle one.
        points: Whether places that are met are drawn.
        lines: Whether lines to them are drawn.
    """

    def __init__(self, path: str, *, high_lod: bool, points: bool, lines: bool) -> None:
        self.path = path
        self.high_lod, self.points, self.lines = high_lod, points, lines
        self._starts: F64
        self._ends: F64
        self.forget()
        shown.add(self)

    def note(self, count: int, columns: npt.NDArray[np.int64], starts: F64, ends: F64) -> None:
        """Take what was measured in a step.

        Args:
            count: How many columns a turn has.
            columns: Which of them were measured.
            starts: Where beams begin, (columns, rows, 3) [m].
            ends: Where they meet something, (columns, rows, 3) [m]; NaN for nothing.
        """
        shape = (count, *starts.shape[1:])
        if self._starts.shape != shape:
            self._starts, self._ends = np.full(shape, np.nan), np.full(shape, np.nan)
        self._starts[columns], self._ends[columns] = starts, ends

    def forget(self) -> None:
        """Have none until more is measured."""
        self._starts = self._ends = np.zeros((0, 0, 3))

    def segments(self) -> Segments:
        """Those that are drawn."""
        middle = self._ends.shape[1] // 2
        rows = slice(None) if self.high_lod else slice(middle, middle + 1)
        starts, ends = self._starts[:, rows], self._ends[:, rows]
        met = ~np.isnan(ends[..., 0])
        return Segments(starts[met], ends[met])


shown: weakref.WeakSet[Beams] = weakref.WeakSet()
"""All that are drawn; a lidar that is gone takes its own along."""
