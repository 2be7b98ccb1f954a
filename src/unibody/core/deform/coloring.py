"""Vertices that may move at the same time: no two of one color share an element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.deform.topology import distinct
from unibody.machine_code import numba

IntArray = npt.NDArray[np.integer[Any]]


def colors(count: int, elements: Sequence[IntArray]) -> IntArray:
    """A color for each vertex, greedily: the least one that no neighbour has, in order of valence.

    Args:
        count: Number of vertices.
        elements: Vertices of elements, each (n, k).

    Returns:
        (count,), from 0 on.
    """
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for corners in elements:
        sides = range(corners.shape[1])
        pairs += [corners[:, [a, b]] for a in sides for b in sides if a != b]
    flat = distinct(np.concatenate(pairs) @ np.array([max(count, 1), 1]))
    source, target = np.divmod(flat, max(count, 1))
    start = np.searchsorted(source, np.arange(count + 1))
    order = np.argsort(-np.diff(start), kind="stable")
    return _greedy(order, start, target)


@numba.njit(cache=True)
def _greedy(order: Any, start: Any, target: Any) -> Any:
    found = np.full(len(order), -1, dtype=np.int64)
    taken = np.full(len(order) + 1, -1, dtype=np.int64)  # by whom a color was last seen
    for v in order:
        for k in range(start[v], start[v + 1]):
            if found[target[k]] >= 0:
                taken[found[target[k]]] = v
        color = 0
        while taken[color] == v:
            color += 1
        found[v] = color
    return found
