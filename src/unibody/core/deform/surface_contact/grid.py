"""Boxes in the cells of a grid, by hash: which boxes are in the cell of a point."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.machine_code import numba

_compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")


@_compiled
def cell_of(number: float, size: float) -> int:
    """Cell of a coordinate."""
    return int(np.floor(number / size))


@_compiled
def bucket(i: int, j: int, k: int, mask: int) -> int:
    """Where the boxes of a cell are listed; cells may share a list."""
    return ((i * 73856093) ^ (j * 19349663) ^ (k * 83492791)) & mask


@_compiled
def fill(low: Any, high: Any, size: float, mask: int) -> Any:
    """List boxes by cell.

    Args:
        low: Lower corners, (n, 3) [m].
        high: Upper corners, (n, 3) [m].
        size: Of a cell [m].
        mask: Number of lists, a power of two, less one.

    Returns:
        The first entry of each list and the number of all, and the boxes.
    """
    first = np.zeros(mask + 2, dtype=np.int64)
    boxes = place = first[:0].copy()
    for turn in range(2):
        if turn == 1:
            for b in range(mask + 1):
                first[b + 1] += first[b]
            boxes = np.empty(first[mask + 1], dtype=np.int64)
            place = first[:-1].copy()
        for n in range(len(low)):
            for i in range(cell_of(low[n, 0], size), cell_of(high[n, 0], size) + 1):
                for j in range(cell_of(low[n, 1], size), cell_of(high[n, 1], size) + 1):
                    for k in range(cell_of(low[n, 2], size), cell_of(high[n, 2], size) + 1):
                        b = bucket(i, j, k, mask)
                        if turn == 0:
                            first[b + 1] += 1
                        else:
                            boxes[place[b]] = n
                            place[b] += 1
    return first, boxes
