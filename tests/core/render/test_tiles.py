"""Large ground is cut into pieces that are the same ground."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unibody.core.render import tiles


def slope(count: int) -> tuple[Any, Any]:
    """A square of ``count`` by ``count`` points 1 m apart that rises by half along x."""
    x, y = np.meshgrid(np.arange(count, dtype=float), np.arange(count, dtype=float))
    vertices = np.column_stack([x.ravel(), y.ravel(), 0.5 * x.ravel()])
    first = (np.arange(count - 1)[:, None] * count + np.arange(count - 1)).ravel()
    a, b, c, d = first, first + 1, first + count, first + count + 1
    return vertices, np.concatenate([np.column_stack([a, b, c]), np.column_stack([c, b, d])])


def test_the_pieces_have_all_triangles_and_are_small() -> None:
    vertices, faces = slope(120)
    found = tiles.tiles(vertices, faces)
    assert len(found) > 5
    corners = np.concatenate([mesh.vertices[mesh.faces] for mesh in found])
    wanted = vertices[faces].astype(np.float32)
    order = [np.lexsort(part.reshape(-1, 9).T) for part in (corners, wanted)]
    np.testing.assert_array_equal(corners[order[0]], wanted[order[1]])
    sizes = [np.ptp(mesh.vertices[:, :2], axis=0).max() for mesh in found]
    assert max(sizes) <= 120 / 2  # all of it is 119 m wide


def test_small_ground_is_one_piece() -> None:
    assert len(tiles.tiles(*slope(20))) == 1
    assert tiles.tiles(np.zeros((0, 3)), np.zeros((0, 3), np.int64)) == []


@pytest.mark.parametrize("most_flat", [0, 10_000_000])
def test_normals_stand_on_the_ground_however_it_is_shaded(
    monkeypatch: pytest.MonkeyPatch, most_flat: int
) -> None:
    monkeypatch.setattr(tiles, "_FLAT", most_flat)
    normals = np.concatenate([mesh.normals for mesh in tiles.tiles(*slope(60))])
    expected = np.array([-0.5, 0.0, 1.0]) / np.sqrt(1.25)
    np.testing.assert_allclose(normals, np.broadcast_to(expected, normals.shape), atol=1e-6)


def test_a_wall_is_cut_along_the_axes_it_reaches_along() -> None:
    vertices, faces = slope(120)
    upright = vertices[:, [2, 0, 1]] * (0.0, 1.0, 1.0)
    assert len(tiles.tiles(upright, faces)) > 5
