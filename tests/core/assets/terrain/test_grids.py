"""Height fields, and the meshes that are made of them and recognised again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.terrain.files import read_heights
from unibody.core.assets.terrain.grids import (
    grid_of_mesh,
    points_of,
    shape_of_grid,
    triangles_of,
)
from unibody.core.assets.terrain.surface import mesh_of_heights
from unibody.errors import AssetError

HEIGHTS = np.random.default_rng(5).integers(-20, 20, (7, 5))


def _block() -> np.ndarray:
    field = np.zeros((40, 30), np.int64)
    field[10:20, 10:15] = 100
    return field


@pytest.mark.parametrize(
    ("field", "threshold", "offset"),
    [(HEIGHTS, None, 0.0), (_block(), None, 0.0), (_block(), 0.5, 1.0)],
)
def test_a_mesh_of_heights_is_recognised_as_the_height_field_it_was_made_of(
    field: np.ndarray, threshold: float | None, offset: float
) -> None:
    vertices, triangles = mesh_of_heights(field, 0.1, 0.01, threshold)
    found = grid_of_mesh(vertices.astype(float), triangles.astype(np.int64))
    assert found is not None
    # Vertices are float32: 3e-7 at 4 m, a few millionths of a cell of 0.1 m.
    np.testing.assert_allclose(found.heights, 0.01 * field, atol=1e-6)
    assert found.spacing == pytest.approx((0.1, 0.1), rel=1e-5)
    assert found.start == (0.0, 0.0)
    assert found.offset == pytest.approx(offset, abs=1e-5)


def test_a_mesh_over_no_grid_is_none() -> None:
    vertices, triangles = mesh_of_heights(HEIGHTS, 0.1, 0.01)
    moved = vertices.astype(float)
    moved[8, 0] += 0.3
    assert grid_of_mesh(moved, triangles.astype(np.int64)) is None
    assert grid_of_mesh(vertices.astype(float), triangles[:-1].astype(np.int64)) is None


def test_the_samples_of_a_grid_lie_on_its_points_with_the_first_at_the_origin() -> None:
    shape = shape_of_grid(0.01 * HEIGHTS, (0.1, 0.2))
    assert shape.heightfield is not None
    points = points_of(shape.heightfield) + shape.pose.pos
    order = np.lexsort((points[:, 1], points[:, 0]))
    x, y = np.meshgrid(0.1 * np.arange(7), 0.2 * np.arange(5), indexing="ij")
    expected = np.column_stack([x.ravel(), y.ravel(), 0.01 * HEIGHTS.ravel()])
    np.testing.assert_allclose(points[order], expected, atol=1e-12)


def test_all_triangles_of_a_grid_face_up_and_cover_it() -> None:
    data = shape_of_grid(0.01 * HEIGHTS, (0.1, 0.2)).heightfield
    assert data is not None
    corners = points_of(data)[triangles_of(data)]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2]
    # Two halves of each cell of 0.1 m x 0.2 m.
    np.testing.assert_allclose(doubled, 0.1 * 0.2, rtol=1e-9)
    assert len(doubled) == 2 * 6 * 4


@pytest.mark.parametrize("name", ["heights.txt", "heights.png"])
def test_a_file_of_more_heights_than_the_limit_is_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    if file.suffix == ".png":
        from PIL import Image

        Image.fromarray(np.zeros((4, 5), np.uint8)).save(file)
    else:
        np.savetxt(file, np.zeros((4, 5)), delimiter=",")
    columns, rows, heights = read_heights(str(file))
    assert (columns * rows, len(heights)) == (20, 20)
    with pytest.raises(AssetError, match="the limit is 19"):
        read_heights(str(file), replace(DEFAULT_LIMITS, heights=19))
