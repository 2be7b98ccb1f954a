"""Which objects are near one another: bounding boxes in a grid of cells.

Where the objects fill the space they span, the cells are a dense array in space order, which caches
like; where they are far apart, a hash table.

An object is entered in every cell its box touches, and a pair is reported in one of the cells the
two share, the one that holds the larger of their lower corners. So every pair is found once,
whatever the size of the cells.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.machine_code import numba
from unibody.machine_code.pointers import borrowed

_compiled = numba.njit(cache=True, error_model="numpy", nogil=True)

_FARTHEST_CELL = 2.0**40  # from the origin, along an axis
MANY_CELLS = 64  # an object that touches more is compared with all others instead


@_compiled
def _key(x: int, y: int, z: int) -> int:
    return ((x & 0x1FFFFF) << 42) | ((y & 0x1FFFFF) << 21) | (z & 0x1FFFFF)


@_compiled
def _bucket(key: int, mask: int) -> np.int64:
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(20)) & np.uint64(mask))


@_compiled
def _report(a: int, b: int, found: int, out: Any) -> int:
    if found < len(out):
        out[found, 0], out[found, 1] = min(a, b), max(a, b)
    return found + 1


@_compiled
def cover(
    first: int, last: int, rows: Any, bodies: Any, cell: float, margin: float, skip_static: bool,
    s: Any,
) -> None:  # fmt: skip
    """The cells each object's box touches, for a range of the objects."""
    low, span, box = borrowed(s[0]), borrowed(s[1]), borrowed(s[2])
    moved, static, large = borrowed(s[3]), borrowed(s[4]), borrowed(s[5])
    rows, bodies = borrowed(rows), borrowed(bodies)
    for i in range(first, last):
        b = bodies[rows[i]]
        moved[i] = b.moved != 0
        static[i] = b.role == 2
        large[i] = False
        cells = 1.0
        for k in range(3):
            box[i, k], box[i, 3 + k] = b.low[k] - 0.5 * margin, b.high[k] + 0.5 * margin
            cells *= math.floor(box[i, 3 + k] / cell) - math.floor(box[i, k] / cell) + 1.0
        if skip_static and static[i]:
            span[i, 0] = 0
        elif not cells <= MANY_CELLS or not _countable(box, i, cell):
            span[i, 0] = 0
            large[i] = True
        else:
            for k in range(3):
                low[i, k] = math.floor(box[i, k] / cell)
                span[i, k] = math.floor(box[i, 3 + k] / cell) - low[i, k] + 1


@_compiled
def _countable(box: Any, i: int, cell: float) -> bool:
    """Whether the cells of a box have numbers that whole numbers can say, with room to spare."""
    for k in range(6):  # noqa: SIM110 - a compiled loop
        if not abs(box[i, k]) < _FARTHEST_CELL * cell:
            return False
    return True


@_compiled
def _frame(low: Any, span: Any, frame: Any) -> None:
    """Lowest cell and number of cells along each axis."""
    for k in range(3):
        frame[k], frame[3 + k] = 1 << 62, -(1 << 62)
    for i in range(len(low)):
        if span[i, 0] == 0:
            continue
        for k in range(3):
            frame[k] = min(frame[k], low[i, k])
            frame[3 + k] = max(frame[3 + k], low[i, k] + span[i, k])
    for k in range(3):
        frame[3 + k] -= frame[k]


@_compiled
def _flatten(low: Any, span: Any, frame: Any) -> int:
    """Make one cell of an axis that has two: it would part few; the number of entries that remain.

    Robots on a floor reach a little below it and fill two layers of cells otherwise.
    """
    for k in range(3):
        if frame[3 + k] == 2:
            frame[3 + k] = 1
            for i in range(len(low)):
                if span[i, 0] > 0:
                    low[i, k], span[i, k] = frame[k], 1
    entries = 0
    for i in range(len(low)):
        entries += span[i, 0] * span[i, 1] * span[i, 2]
    return entries


@_compiled
def _buckets(entries: int, frame: Any) -> int:
    """The number of buckets; the frame is emptied if they are those of a hash table."""
    cells = 1.0
    for k in range(3):
        cells *= float(frame[3 + k])
    if 0.0 < cells <= 4.0 * entries + 1024.0:
        return int(cells)
    frame[3] = 0  # a hash table
    size = 1024
    while size < 2 * entries:
        size *= 2
    return size


@_compiled
def _place(x: int, y: int, z: int, frame: Any, size: int) -> tuple[np.int64 | int, int]:
    """Bucket and key of a cell."""
    if frame[3] > 0:
        at = ((z - frame[2]) * frame[4] + y - frame[1]) * frame[3] + x - frame[0]
        return at, at
    key = _key(x, y, z)
    return _bucket(key, size - 1), key


@_compiled
def _enter(low: Any, span: Any, frame: Any, start: Any, owner: Any, keys: Any) -> None:
    """Enter every object in its cells: those of bucket k are ``start[k]`` to ``start[k + 1]``."""
    size = len(start) - 1
    for i in range(len(low)):
        if span[i, 0] == 0:
            continue
        for z in range(low[i, 2], low[i, 2] + span[i, 2]):
            for y in range(low[i, 1], low[i, 1] + span[i, 1]):
                for x in range(low[i, 0], low[i, 0] + span[i, 0]):
                    start[_place(x, y, z, frame, size)[0] + 1] += 1
    for k in range(size):
        start[k + 1] += start[k]
    fill = start[:-1].copy()
    for i in range(len(low)):
        if span[i, 0] == 0:
            continue
        for z in range(low[i, 2], low[i, 2] + span[i, 2]):
            for y in range(low[i, 1], low[i, 1] + span[i, 1]):
                for x in range(low[i, 0], low[i, 0] + span[i, 0]):
                    at, key = _place(x, y, z, frame, size)
                    owner[fill[at]], keys[fill[at]] = i, key
                    fill[at] += 1


@_compiled
def _first_shared(low: Any, i: int, j: int, x: int, y: int, z: int) -> bool:
    """Whether a cell holds the larger of the lower corners of two objects."""
    return (
        x == max(low[i, 0], low[j, 0])
        and y == max(low[i, 1], low[j, 1])
        and z == max(low[i, 2], low[j, 2])
    )


@_compiled
def pairs_in_cells(
    first: int, last: int, s: Any, frame: Any, start: Any, owner: Any, keys: Any, out: Any
) -> int:
    """Pairs that share a cell, of a range of the objects with all others; how many."""
    low, span, box, moved = borrowed(s[0]), borrowed(s[1]), borrowed(s[2]), borrowed(s[3])
    frame, start, owner = borrowed(frame), borrowed(start), borrowed(owner)
    keys, out = borrowed(keys), borrowed(out)
    size = len(start) - 1
    found = 0
    for i in range(first, last):
        if span[i, 0] == 0 or not moved[i]:
            continue
        for z in range(low[i, 2], low[i, 2] + span[i, 2]):
            for y in range(low[i, 1], low[i, 1] + span[i, 1]):
                for x in range(low[i, 0], low[i, 0] + span[i, 0]):
                    at, key = _place(x, y, z, frame, size)
                    for e in range(start[at], start[at + 1]):
                        j = owner[e]
                        if keys[e] != key or j == i or (moved[j] and j < i):
                            continue
                        if _first_shared(low, i, j, x, y, z) and not _apart(box, i, j):
                            found = _report(i, j, found, out)
    return found


@_compiled
def pairs_of_large(s: Any, skip_static: bool, out: Any) -> int:
    """Pairs of objects that touch many cells with all others; how many."""
    span, box, moved = borrowed(s[1]), borrowed(s[2]), borrowed(s[3])
    static, large, out = borrowed(s[4]), borrowed(s[5]), borrowed(out)
    found = 0
    for i in range(len(large)):
        if not large[i]:
            continue
        for j in range(len(large)):
            if j == i or not (moved[i] or moved[j]) or (skip_static and static[j]):
                continue
            if span[j, 0] == 0 and j < i:
                continue  # both are large: reported from the other side
            if not _apart(box, i, j):
                found = _report(i, j, found, out)
    return found


@_compiled
def enter(s: Any, frame: Any) -> tuple[Any, Any, Any]:
    """Enter all objects in their cells.

    Args:
        s: The objects, see `cover`.
        frame: (6,): lowest cell and number of cells along each axis, filled.

    Returns:
        Where the entries of a bucket begin; whose they are; and of which cell.
    """
    low, span, frame = borrowed(s[0]), borrowed(s[1]), borrowed(frame)
    _frame(low, span, frame)
    entries = _flatten(low, span, frame)
    start = np.zeros(_buckets(entries, frame) + 1, dtype=np.int32)
    owner = np.empty(entries, dtype=np.int32)
    keys = np.empty(entries, dtype=np.int64)
    _enter(low, span, frame, start, owner, keys)
    return start, owner, keys


@_compiled
def _apart(box: Any, i: int, j: int) -> bool:
    for k in range(3):  # noqa: SIM110 - a compiled loop
        if box[i, 3 + k] < box[j, k] or box[i, k] > box[j, 3 + k]:
            return True
    return False
