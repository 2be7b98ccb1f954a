"""Ways over a map: A* on its cells, then the corners of the way alone."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError
from unibody.fleet.world_files.occupancy_map import OccupancyMap
from unibody.machine_code import numba

_compiled = numba.njit(cache=True, error_model="numpy", nogil=True)

_STEPS = np.array([(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)])
_DIAGONAL = math.sqrt(2.0)
_PROBE = 0.25  # of a cell: how far apart the points are at which a straight line is looked at

Disc = tuple[float, float, float]
"""A place [x, y] in the world, and how near to it no edge of who plans may come [m]."""


def plan(
    read: OccupancyMap,
    start: tuple[float, float],
    goal: tuple[float, float],
    radius: float,
    taken: Sequence[Disc] = (),
) -> list[tuple[float, float]]:
    """The way of a disc from one place to another.

    Args:
        read: The map.
        start: Where it is, in the world [m].
        goal: Where it goes, in the world [m].
        radius: Of the disc [m].
        taken: Where else it may not go.

    Returns:
        The places at which the way turns, and the goal. The way is the shortest one over
        neighbouring cells, pulled straight where a straight line is free.

    Raises:
        InvalidArgumentError: The disc does not fit at one of the places, or there is no way.
    """
    free = read.reachable(radius)
    if taken:
        free = free & ~_within(read, free.shape, [(x, y, r + radius) for x, y, r in taken])
    cells = [read.cell(*start), read.cell(*goal)]
    for name, place, (row, column) in zip(("start", "goal"), (start, goal), cells, strict=True):
        inside = 0 <= row < free.shape[0] and 0 <= column < free.shape[1]
        if not inside or not free[row, column]:
            where = "is on free ground" if inside else "is on the map"
            wanted = f"a place [x, y] where a disc of radius {radius:g} m {where}"
            raise InvalidArgumentError(name, place, wanted)
    way = _search(free, *cells[0], *cells[1], _STEPS)
    if not len(way):
        raise InvalidArgumentError("goal", goal, f"a place that can be reached from {start}")
    corners = [way[at] for at in _straightened(free, way)]
    turns = np.array(corners[1:-1], dtype=np.float64).reshape(-1, 2).tolist()
    middles = [read.world(row + 0.5, column + 0.5) for row, column in turns]
    return [*middles, goal]


def _within(read: OccupancyMap, shape: tuple[int, ...], discs: Sequence[Disc]) -> NDArray[np.bool_]:
    """Cells whose middles are nearer to a disc's middle than its radius, (rows, columns)."""
    found = np.zeros(shape, dtype=np.bool_)
    for x, y, radius in discs:
        row, column = read.cell(x, y)
        reach = math.ceil(radius / read.resolution) + 1
        rows = np.arange(max(row - reach, 0), min(row + reach + 1, shape[0]))
        columns = np.arange(max(column - reach, 0), min(column + reach + 1, shape[1]))
        if len(rows) and len(columns):
            middles: Any = np.meshgrid(rows + 0.5, columns + 0.5, indexing="ij")
            px, py = read.world(*middles)
            found[np.ix_(rows, columns)] |= np.hypot(px - x, py - y) < radius
    return found


@_compiled
def _search(free: Any, row: int, column: int, last_row: int, last_column: int, steps: Any) -> Any:
    """Cells of the shortest way, (n, 2); none where there is no way. Corners are not cut."""
    rows, columns = free.shape
    length = np.full(rows * columns, np.inf)
    before = np.full(rows * columns, -1, dtype=np.int64)
    start, goal = row * columns + column, last_row * columns + last_column
    length[start] = 0.0
    queue = [(0.0, start)]
    while queue:
        guess, here = heapq.heappop(queue)
        if here == goal:
            break
        y, x = here // columns, here % columns
        if guess > length[here] + _least(y - last_row, x - last_column) + 1e-9:
            continue  # it was reached by a shorter way since
        for step in range(8):
            ny, nx = y + steps[step, 0], x + steps[step, 1]
            if not (0 <= ny < rows and 0 <= nx < columns) or not free[ny, nx]:
                continue
            if step >= 4 and not (free[y, nx] and free[ny, x]):
                continue
            far = length[here] + (1.0 if step < 4 else _DIAGONAL)
            there = ny * columns + nx
            if far < length[there]:
                length[there] = far
                before[there] = here
                heapq.heappush(queue, (far + _least(ny - last_row, nx - last_column), there))
    count = 0
    if length[goal] < np.inf:
        count = 1
        here = goal
        while here != start:
            here = before[here]
            count += 1
    way = np.empty((count, 2), dtype=np.int64)
    here = goal
    for at in range(count - 1, -1, -1):
        way[at, 0], way[at, 1] = here // columns, here % columns
        here = before[here]
    return way


@_compiled
def _least(rows: int, columns: int) -> float:
    """Length of a way over cells with nothing in it."""
    a, b = abs(rows), abs(columns)
    return max(a, b) + (_DIAGONAL - 1.0) * min(a, b)


def _straightened(free: Any, way: Any) -> list[int]:
    """Which cells of a way are left if it goes straight as far as it can."""
    kept = [0]
    while kept[-1] < len(way) - 1:
        here = kept[-1]
        kept.append(_farthest(free, way, here))
    return kept


@_compiled
def _farthest(free: Any, way: Any, here: int) -> int:
    """The last cell of a way to which a straight line from another is free."""
    found = here + 1
    for there in range(here + 2, len(way)):
        dy = float(way[there, 0] - way[here, 0])
        dx = float(way[there, 1] - way[here, 1])
        probes = math.ceil(math.sqrt(dx * dx + dy * dy) / _PROBE)
        for k in range(probes + 1):
            row = math.floor(way[here, 0] + 0.5 + dy * k / probes)
            column = math.floor(way[here, 1] + 0.5 + dx * k / probes)
            if not free[row, column]:
                return found
        found = there
    return found
