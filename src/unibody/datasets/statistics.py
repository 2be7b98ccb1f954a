"""Least, greatest, mean and standard deviation of columns, over frames that are not kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


class Statistics:
    """Of one column, which may have many numbers.

    Args:
        size: How many.
    """

    def __init__(self, size: int) -> None:
        self._low, self._high = np.full(size, np.inf), np.full(size, -np.inf)
        self._mean, self._squares = np.zeros(size), np.zeros(size)
        self._count = 0

    def add(self, rows: F64) -> None:
        """Take rows in, (n, size)."""
        if len(rows):
            mean = rows.mean(axis=0)
            squares = ((rows - mean) ** 2).sum(axis=0)
            self._merge(len(rows), rows.min(axis=0), rows.max(axis=0), mean, squares)

    def merge(self, other: dict[str, Any]) -> None:
        """Take in what ``told`` gave of other rows."""
        low, high, mean, std = (np.ravel(other[name]) for name in ("min", "max", "mean", "std"))
        count = int(np.ravel(other["count"])[0])
        self._merge(count, low, high, mean, count * std**2)

    def _merge(self, count: int, low: F64, high: F64, mean: F64, squares: F64) -> None:
        # the parallel form of Chan, Golub and LeVeque (1983)
        total = self._count + count
        apart = mean - self._mean
        self._squares += squares + apart**2 * (self._count * count / total)
        self._mean += apart * (count / total)
        self._low, self._high = np.minimum(self._low, low), np.maximum(self._high, high)
        self._count = total

    def told(self, shape: tuple[int, ...]) -> dict[str, Any]:
        """As LeRobot writes them, in a shape."""
        deviation = np.sqrt(self._squares / self._count)
        found = {"min": self._low, "max": self._high, "mean": self._mean, "std": deviation}
        told: dict[str, Any] = {name: v.reshape(shape).tolist() for name, v in found.items()}
        return {**told, "count": [self._count]}
