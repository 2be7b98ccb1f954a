"""Ways over maps."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fleet.world_files.test_occupancy_map import grids
from unibody.errors import InvalidArgumentError
from unibody.fleet.world_files.occupancy_map import OccupancyMap
from unibody.fleet.world_files.route_planner import plan

places = st.tuples(st.floats(0, 12), st.floats(0, 12))


def room(wall: bool) -> OccupancyMap:
    """Ten metres by ten; a wall at x = 5 m leaves 2 m at the upper end open."""
    occupied = np.zeros((100, 100), dtype=bool)
    if wall:
        occupied[:80, 50] = True
    return OccupancyMap(occupied, ~occupied, 0.1, (0.0, 0.0, 0.0))


def length(start: tuple[float, float], way: list[tuple[float, float]]) -> float:
    return sum(math.dist(a, b) for a, b in itertools.pairwise([start, *way]))


def test_the_way_over_an_empty_map_is_straight() -> None:
    assert plan(room(wall=False), (1.05, 1.05), (8.05, 6.05), 0.3) == [(8.05, 6.05)]


def test_the_way_round_a_wall_is_that_round_its_grown_corner() -> None:
    start, goal, radius = (1.05, 1.05), (9.05, 1.05), 0.5
    way = plan(room(wall=True), start, goal, radius)
    assert all(y > 8.0 + radius - 0.1 for x, y in way if abs(x - 5.05) < radius)
    # straight to the corner of the wall and on, without the room that the disc needs
    shortest = 2.0 * math.hypot(3.95, 7.0)
    # half a circle about the corner for its room; ways over cells are at most 8.3 % longer
    assert shortest < length(start, way) < 1.083 * (shortest + math.pi * radius)


@given(cells=grids, start=places, goal=places)
def test_a_way_crosses_free_cells_only_and_ends_at_the_goal(
    cells: np.ndarray, start: tuple[float, float], goal: tuple[float, float]
) -> None:
    read = OccupancyMap(cells, ~cells, 1.0, (0.0, 0.0, 0.0))
    try:
        way = plan(read, start, goal, 0.0)
    except InvalidArgumentError as problem:
        assert problem.argument in {"start", "goal"}
        return
    assert way[-1] == goal
    middles = [tuple(v + 0.5 for v in read.cell(*p)[::-1]) for p in (start, goal)]
    corners = [middles[0], *way[:-1], middles[1]]  # between the middles of the first and last cells
    for a, b in itertools.pairwise(corners):
        for share in np.linspace(0.0, 1.0, 50):
            x, y = (p + share * (q - p) for p, q in zip(a, b, strict=True))
            # straight lines may graze a corner between two of the points that are looked at
            near = read.free[int(y - 1e-6) : int(y + 1e-6) + 1, int(x - 1e-6) : int(x + 1e-6) + 1]
            assert near.any() or _grazes(cells, x, y)


def _grazes(cells: np.ndarray, x: float, y: float) -> bool:
    """Whether a place is within the distance of two probes of the corner of a cell."""
    return math.hypot(x - round(x), y - round(y)) < 0.25


def test_places_without_room_and_places_that_cannot_be_reached_are_named() -> None:
    read = room(wall=True)
    with pytest.raises(InvalidArgumentError, match=r"start.*free ground"):
        plan(read, (5.05, 1.0), (8.0, 1.0), 0.3)
    with pytest.raises(InvalidArgumentError, match=r"goal.*on the map"):
        plan(read, (1.0, 1.0), (80.0, 1.0), 0.3)
    with pytest.raises(InvalidArgumentError, match=r"goal.*can be reached"):
        plan(read, (2.0, 2.0), (8.0, 2.0), 1.3)  # a disc of 2.6 m does not fit through 2 m
