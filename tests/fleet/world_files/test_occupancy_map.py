"""Maps of ROS's map_server."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from unibody.fleet.parameters.yaml_reader import ConfigError
from unibody.fleet.world_files.occupancy_map import OccupancyMap, read_map

SAID = "image: map.pgm\nresolution: 0.5\norigin: [1.0, 2.0, 0.0]\n"
THRESHOLDS = "occupied_thresh: 0.65\nfree_thresh: 0.196\nnegate: 0\n"


def write(
    folder: Path, pixels: object, said: str = SAID + THRESHOLDS, name: str = "map.pgm"
) -> Path:
    Image.fromarray(np.array(pixels, dtype=np.uint8)).save(folder / name)
    (folder / "map.yaml").write_text(said, encoding="utf-8")
    return folder / "map.yaml"


def grid(rows: int, columns: int, set_cells: set[tuple[int, int]]) -> np.ndarray:
    cells = np.zeros((rows, columns), dtype=bool)
    for row, column in set_cells:
        cells[row % rows, column % columns] = True
    return cells


grids = st.builds(
    grid,
    st.integers(1, 12),
    st.integers(1, 12),
    st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40),
)


def test_dark_pixels_are_occupied_bright_ones_free_and_the_upper_edge_has_the_most_y(
    tmp_path: Path,
) -> None:
    read = read_map(write(tmp_path, [[0, 205], [254, 255]]))
    assert read.occupied.tolist() == [[False, False], [True, False]]
    assert read.free.tolist() == [[True, True], [False, False]]  # 205 is unknown: (255-205)/255


def test_cells_of_a_few_radii_are_kept_and_the_oldest_go_first() -> None:
    free = np.ones((5, 5), dtype=bool)
    here = OccupancyMap(~free, free, 1.0, (0.0, 0.0, 0.0))
    first, second = here.reachable(0.0), here.reachable(0.125)
    for radius in np.arange(2, 9) * 0.125:
        here.reachable(float(radius))
    assert here.reachable(0.125) is second
    assert here.reachable(0.0) is not first
    assert np.array_equal(here.reachable(0.0), first)


def test_negated_maps_are_occupied_where_they_are_bright(tmp_path: Path) -> None:
    read = read_map(write(tmp_path, [[0, 255]], SAID + THRESHOLDS.replace("0\n", "1\n")))
    assert read.occupied.tolist() == [[False, True]]


def test_raw_maps_say_percent_and_unknown_beyond_a_hundred(tmp_path: Path) -> None:
    read = read_map(write(tmp_path, [[0, 100, 255]], SAID + THRESHOLDS + "mode: raw\n"))
    assert read.occupied.tolist() == [[False, True, False]]
    assert read.free.tolist() == [[True, False, False]]


def test_transparent_pixels_are_unknown(tmp_path: Path) -> None:
    said = SAID.replace("pgm", "png") + THRESHOLDS
    read = read_map(write(tmp_path, [[[0, 0, 0, 0], [0, 0, 0, 255]]], said, "map.png"))
    assert read.occupied.tolist() == [[False, True]]
    assert not read.free.any()


@given(x=st.floats(-50, 50), y=st.floats(-50, 50), yaw=st.floats(-3, 3))
def test_a_place_is_in_the_cell_whose_middle_is_within_half_a_diagonal(
    x: float, y: float, yaw: float
) -> None:
    cells = np.zeros((4, 4), dtype=bool)
    read = OccupancyMap(cells, ~cells, 0.5, (1.0, 2.0, yaw))
    row, column = read.cell(x, y)
    middle = read.world(row + 0.5, column + 0.5)
    # the corner of a cell of 0.5 m is 0.3536 m from its middle
    assert np.hypot(middle[0] - x, middle[1] - y) <= 0.5 * np.sqrt(0.5) + 1e-9


@given(cells=grids)
def test_rectangles_cover_every_occupied_cell_once_and_nothing_else(cells: np.ndarray) -> None:
    covered = np.zeros(cells.shape, dtype=int)
    for row, column, last_row, last_column in OccupancyMap(
        cells, ~cells, 1.0, (0, 0, 0)
    ).rectangles():
        covered[row:last_row, column:last_column] += 1
    assert (covered == cells).all()


@given(cells=grids, radius=st.floats(0.0, 4.0))
def test_a_disc_reaches_the_cells_whose_middle_is_that_far_from_all_that_is_not_free(
    cells: np.ndarray, radius: float
) -> None:
    read = OccupancyMap(cells, ~cells, 1.0, (0, 0, 0))
    rows, columns = cells.shape
    blocked = {tuple(cell) for cell in np.argwhere(cells)}
    reach = range(-6, 7)
    for row in range(rows):
        for column in range(columns):
            near = [
                np.hypot(max(abs(dy) - 0.5, 0), max(abs(dx) - 0.5, 0))
                for dy in reach
                for dx in reach
                if (row + dy, column + dx) in blocked
                or not (0 <= row + dy < rows and 0 <= column + dx < columns)
            ]
            distance = min(near, default=np.inf)
            if abs(distance - radius) > 1e-9:
                assert read.reachable(radius)[row, column] == (distance > radius)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (SAID.replace("0.5", "0"), "resolution=0"),
        (SAID.replace("0.5", ".nan"), "resolution=nan"),
        (SAID.replace("[1.0, 2.0, 0.0]", "[1, x]"), "origin="),
        (SAID + "negate: 2\n", "negate=2"),
        (SAID + "mode: half\n", "mode='half'"),
        (SAID.replace("map.pgm", "../map.pgm"), "leads out of the folder"),
        (SAID.replace("map.pgm", "gone.pgm"), "no picture"),
        (SAID.replace("map.pgm", "map.yaml"), "no readable picture"),
        (SAID + "imagge: x\n", "imagge"),
    ],
)
def test_what_a_map_may_not_say_is_refused_with_its_line(
    tmp_path: Path, said: str, expected: str
) -> None:
    with pytest.raises(ConfigError, match=r"map\.yaml:\d+.*") as caught:
        read_map(write(tmp_path, [[0]], said))
    assert expected in str(caught.value)
