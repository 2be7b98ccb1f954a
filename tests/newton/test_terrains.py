"""Meshes of terrain."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
import warp as wp

from unibody import newton
from unibody.errors import InvalidArgumentError


def test_a_mesh_below_heights_is_closed_and_has_their_volume() -> None:
    heights = np.array([[0.5, 0.5, 0.5], [0.5, 1.5, 0.5], [0.5, 0.5, 0.5]])
    mesh = newton.Mesh.create_heightfield(heights, 2.0, 2.0, center_x=3.0)
    solid = trimesh.Trimesh(mesh.vertices, mesh.indices.reshape(-1, 3))
    assert solid.is_watertight
    # two of the four cells have their diagonal through the peak: 2 triangles each that reach it,
    # the others 1: six triangles of area 1/2 with a mean height 1/3 above the slab of 4 * 0.5
    assert solid.volume == pytest.approx(2.0 + 6 * 0.5 / 3.0, rel=1e-5)
    assert mesh.mass == pytest.approx(3.0, rel=1e-5)
    assert mesh.vertices[:, 0].mean() == pytest.approx(3.0)


@pytest.mark.parametrize("kind", ["pyramid_stairs", "random_grid", "wave", "gap"])
def test_a_block_of_terrain_has_faces_outwards_and_its_size(kind: str) -> None:
    mesh = newton.Mesh.create_terrain((1, 1), (4.0, 6.0), kind, seed=1)
    solid = trimesh.Trimesh(mesh.vertices, mesh.indices.reshape(-1, 3))
    assert solid.volume > 0.0
    np.testing.assert_allclose(solid.bounds[:, :2], [[0.0, 0.0], [4.0, 6.0]], atol=1e-6)


def test_blocks_stand_side_by_side_and_random_ones_follow_the_seed() -> None:
    kinds = ["flat", "random_grid"]
    one, same, other = (
        newton.Mesh.create_terrain((2, 2), (3.0, 3.0), kinds, seed=s).vertices for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.allclose(one, other)
    np.testing.assert_allclose(one.max(axis=0)[:2], [6.0, 6.0], atol=1e-6)


def test_heights_and_kinds_that_are_none_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="at least 2x2"):
        newton.Mesh.create_heightfield(np.zeros((1, 3)), 1.0, 1.0)
    with pytest.raises(InvalidArgumentError, match="pyramid_stairs"):
        newton.Mesh.create_terrain(terrain_types="lava")


def test_a_mesh_becomes_a_height_field_that_has_its_heights_and_place() -> None:
    x, y = np.meshgrid(np.linspace(1.0, 5.0, 5), np.linspace(-2.0, 6.0, 9))
    points = np.stack([x, y, 0.5 * x + 0.25 * y], axis=-1).reshape(-1, 3)
    a = (np.arange(8)[:, None] * 5 + np.arange(4)).reshape(-1)
    cells = np.stack([a, a + 1, a + 6, a, a + 6, a + 5], axis=1)
    mesh = wp.Mesh(
        points=wp.array(points, dtype=wp.vec3, device="cpu"),
        indices=wp.array(cells.reshape(-1), dtype=wp.int32, device="cpu"),
    )
    field, pose = newton.Heightfield.create_from_mesh(mesh, resolution=0.5)
    assert (field.ncol, field.nrow, field.hx, field.hy) == (9, 17, 2.0, 4.0)
    assert tuple(pose)[:3] == pytest.approx((3.0, 2.0, 0.0))
    placed = field.vertices + np.array(tuple(pose)[:3])
    # rays along the edges of the mesh may pass it by: those inside have the plane's height
    inside = (np.abs(field.vertices[:, :2]) < (1.99, 3.99)).all(axis=1)
    expected = 0.5 * placed[inside, 0] + 0.25 * placed[inside, 1]
    assert placed[inside, 2] == pytest.approx(expected, abs=1e-4)
    coarse, _ = newton.Heightfield.create_from_mesh(mesh, 0.5, max_cells_per_axis=5)
    assert (coarse.ncol, coarse.nrow) == (5, 5)
    for wrong in ({"resolution": 0.0}, {"resolution": 0.5, "max_cells_per_axis": 1}):
        with pytest.raises(InvalidArgumentError):
            newton.Heightfield.create_from_mesh(mesh, **wrong)
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_heightfield(xform=pose, heightfield=field)
    assert builder.finalize(device="cpu").heightfield_count == 1
    assert newton.Model(device="cpu").heightfield_count == 0
