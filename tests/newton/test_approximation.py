"""Simpler shapes in the place of meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import NotSupportedError
from unibody.newton.builder import piece_cache


def _two_boxes() -> newton.Mesh:
    """Two boxes of 1 m that are 2 m apart, as one mesh."""
    box = newton.Mesh.create_box(0.5, 0.5, 0.5)
    vertices = np.concatenate([box.vertices, box.vertices + np.float32(3.0)])
    indices = np.concatenate([box.indices, box.indices + len(box.vertices)])
    return newton.Mesh(vertices, indices)


def _with(mesh: newton.Mesh, **config: object) -> newton.ModelBuilder:
    builder = newton.ModelBuilder()
    body = builder.add_body()
    cfg = newton.ModelBuilder.ShapeConfig(mu=0.9, **config)  # type: ignore[arg-type]
    builder.add_shape_mesh(body, mesh=mesh, cfg=cfg, key="part")
    return builder


def test_a_mesh_becomes_its_convex_hull() -> None:
    builder = _with(_two_boxes())
    mass = builder.body_mass[0]
    assert builder.approximate_meshes() == {0}
    assert builder.shape_type == [newton.GeoType.CONVEX_MESH]
    # the hull of two opposite cubes of 1 m along the diagonal (2, 2, 2)... has their far corners
    found = builder.shape_source[0].vertices
    assert found.min() == pytest.approx(-0.5)
    assert found.max() == pytest.approx(3.5)
    assert builder.body_mass[0] == mass


@pytest.mark.parametrize("method", ["coacd", "vhacd"])
def test_what_hangs_apart_becomes_convex_pieces_like_the_shape(method: str) -> None:
    builder = _with(_two_boxes())
    assert builder.approximate_meshes(method, raise_on_failure=True) == {0}
    assert builder.shape_type == [newton.GeoType.CONVEX_MESH] * 2
    assert builder.shape_key == ["part", "part_convex_1"]
    assert builder.shape_material_mu == [0.9, 0.9]
    # voxels of V-HACD: 1 % of the size
    spans = sorted(s.vertices.min() for s in builder.shape_source)
    assert np.allclose(spans, [-0.5, 2.5], atol=0.05)


def test_a_turned_box_of_triangles_becomes_a_box() -> None:
    turn = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.5)
    box = newton.Mesh.create_box(0.1, 0.2, 0.3)
    points = [wp.quat_rotate(turn, wp.vec3(*p.tolist())) + wp.vec3(1.0, 0, 0) for p in box.vertices]
    builder = _with(newton.Mesh(np.array(points), box.indices))
    builder.approximate_meshes("bounding_box")
    assert builder.shape_type == [newton.GeoType.BOX]
    assert np.allclose(sorted(builder.shape_scale[0]), [0.1, 0.2, 0.3], atol=1e-5)
    assert np.allclose(builder.shape_transform[0].p, [1.0, 0.0, 0.0], atol=1e-5)


def test_a_mesh_becomes_a_ball_around_its_points_and_stays_to_be_seen() -> None:
    builder = _with(newton.Mesh.create_box(0.1, 0.2, 0.2))
    builder.approximate_meshes("bounding_sphere", keep_visual_shapes=True)
    assert builder.shape_type == [newton.GeoType.SPHERE, newton.GeoType.MESH]
    assert builder.shape_scale[0][0] == pytest.approx(0.3)
    visible, collides = newton.ShapeFlags.VISIBLE, newton.ShapeFlags.COLLIDE_SHAPES
    assert not builder.shape_flags[0] & visible
    assert builder.shape_flags[1] & visible
    assert not builder.shape_flags[1] & collides


def test_pieces_are_kept_in_a_folder_and_worked_out_again_where_the_file_is_damaged(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "pieces"
    for _ in range(2):
        first = _with(_two_boxes())
        first.approximate_meshes("vhacd", raise_on_failure=True, cache_dir=folder)
    (file,) = folder.iterdir()
    assert piece_cache.read(folder, file.name.partition(".")[0]) is not None
    file.write_bytes(b"damaged")
    with pytest.warns(UserWarning, match="worked out again"):
        _with(_two_boxes()).approximate_meshes("vhacd", cache_dir=folder)
    assert len(piece_cache.read(folder, file.name.partition(".")[0]) or []) == 2


def test_what_cannot_be_approximated_is_named() -> None:
    with pytest.raises(ValueError, match=r"Unsupported remeshing method.*convex_hull"):
        _with(_two_boxes()).approximate_meshes("magic")
    with pytest.raises(NotSupportedError, match="quadratic"):
        _with(_two_boxes()).approximate_meshes("quadratic")
    with pytest.raises(ValueError, match="SDF / hydroelastic"):
        _with(_two_boxes(), sdf_max_resolution=64).approximate_meshes()
