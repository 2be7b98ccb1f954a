"""Pairs of rows of objects that are near one another, or touch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.bodies.tables import Tables
from unibody.fleet.bodies.templates import templates
from unibody.fleet.collisions import grid_kernels
from unibody.fleet.collisions.contact_kernels import new_scratch, touch
from unibody.fleet.foundation import thread_pool

Rows = NDArray[np.int64]
_SHARE = 2048  # rows that are worth a thread's time
_PAIR_SHARE = 256  # pairs


def find_pairs(
    tables: Tables, rows: Rows, cell: float, margin: float, skip_static: bool
) -> NDArray[np.int64]:
    """Pairs of which one moved, and whose bounding boxes are no farther apart than the margin.

    Args:
        tables: Of the simulation.
        rows: The objects that take part.
        cell: Edge of a cell of the grid [m].
        margin: Distance that counts [m].
        skip_static: Leave pairs with static objects out.

    Returns:
        (n, 2), indices into ``rows``, the smaller one first.
    """
    return pairs_among(tables.bodies.data, rows, cell, margin, skip_static)


def pairs_among(
    bodies: NDArray[Any], rows: Rows, cell: float, margin: float, skip_static: bool
) -> NDArray[np.int64]:
    """`find_pairs`, for rows of any array of objects."""
    n = len(rows)
    s = (
        np.empty((n, 3), dtype=np.int64),  # lowest cell
        np.empty((n, 3), dtype=np.int64),  # number of cells
        np.empty((n, 6)),  # box
        np.empty(n, dtype=np.bool_),  # moved
        np.empty(n, dtype=np.bool_),  # static
        np.empty(n, dtype=np.bool_),  # touches too many cells
    )
    parts = thread_pool.ranges(n, _SHARE)
    thread_pool.run(
        parts,
        lambda first, last: grid_kernels.cover(
            first, last, rows, bodies, cell, margin, skip_static, s
        ),
    )
    frame = np.empty(6, dtype=np.int64)
    start, owner, keys = grid_kernels.enter(s, frame)
    found = thread_pool.run(
        parts,
        lambda first, last: _filled(
            2 * (last - first),
            lambda out: grid_kernels.pairs_in_cells(first, last, s, frame, start, owner, keys, out),
        ),
    )
    if s[5].any():
        found.append(_filled(n, lambda out: grid_kernels.pairs_of_large(s, skip_static, out)))
    return found[0] if len(found) == 1 else np.concatenate(found)


def _filled(guess: int, fill: Callable[[NDArray[np.int64]], int]) -> NDArray[np.int64]:
    """Pairs that a kernel reports; it says how many there are if there is too little room."""
    out = np.empty((max(256, guess), 2), dtype=np.int64)
    count = fill(out)
    if count > len(out):
        out = np.empty((count, 2), dtype=np.int64)
        fill(out)
    return out[:count]


def closer_than(
    tables: Tables, pairs: NDArray[np.int64], rows: Rows, margin: float
) -> NDArray[np.bool_]:
    """Which pairs of indices into ``rows`` are no farther apart than the margin [m], (n,)."""
    hit = np.zeros(len(pairs), dtype=np.uint8)
    state = (
        rows,
        tables.bodies.data,
        *templates.arrays(),
        tables.joints.data,
        margin,
    )

    def check(first: int, last: int) -> None:
        scratch = new_scratch(templates.most_links, templates.most_pieces)
        touch(pairs[first:last], last - first, *state, hit[first:last], scratch)

    if len(pairs):
        thread_pool.run(thread_pool.ranges(len(pairs), _PAIR_SHARE), check)
    return hit.astype(np.bool_)
