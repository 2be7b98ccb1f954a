"""Triangles of shapes, against their closed forms."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from unibody.core.assets.description import (
    Asset,
    HeightfieldData,
    Link,
    MeshSource,
    Shape,
    ShapeKind,
)
from unibody.core.engine.queries.rays import ray_caster
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene
from unibody.core.render.mesh import Mesh
from unibody.core.render.shapes import mesh_of_shape

# A circle of 48 sections lacks 0.3 % of its area, and meridians of 7.5 degrees 0.4 % of a ball.
ROUND = 8e-3
SOLIDS = {
    ShapeKind.BOX: ((0.2, 0.4, 0.6), 0.048),
    ShapeKind.SPHERE: ((0.3,), 4 / 3 * math.pi * 0.3**3),
    ShapeKind.ELLIPSOID: ((0.1, 0.2, 0.3), 4 / 3 * math.pi * 0.006),
    ShapeKind.CYLINDER: ((0.2, 0.5), math.pi * 0.04 * 0.5),
    ShapeKind.CAPSULE: ((0.2, 0.5), math.pi * 0.04 * 0.5 + 4 / 3 * math.pi * 0.008),
}


def shape_mesh(shape: Shape) -> Mesh:
    mesh = mesh_of_shape(shape)
    assert mesh is not None
    return mesh


@pytest.mark.parametrize("kind", SOLIDS)
def test_a_solid_has_its_volume_and_looks_outward(kind: ShapeKind) -> None:
    size, volume = SOLIDS[kind]
    mesh = shape_mesh(Shape(kind, size))
    corners = mesh.vertices[mesh.faces].astype(float)
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.sum(outward * corners[:, 0]) / 6 == pytest.approx(volume, rel=ROUND)
    assert (np.sum(outward * mesh.normals[mesh.faces].mean(axis=1), axis=1) > 0).all()
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-6)
    assert mesh.uvs.min() >= 0
    assert mesh.uvs.max() <= 1


def test_a_plane_has_texture_coordinates_in_metres() -> None:
    mesh = shape_mesh(Shape(ShapeKind.PLANE))
    assert (mesh.normals == (0, 0, 1)).all()
    np.testing.assert_array_equal(mesh.vertices[:, :2], mesh.uvs)


def test_a_height_field_lies_centred_at_its_heights() -> None:
    data = HeightfieldData(2, 3, (0.0, 1.0, 2.0, 3.0, 4.0, 5.0), (0.5, 2.0))
    mesh = shape_mesh(Shape(ShapeKind.HEIGHTFIELD, heightfield=data))
    assert mesh.vertices.min(axis=0).tolist() == [-0.5, -1, 0]
    assert mesh.vertices.max(axis=0).tolist() == [0.5, 1, 5]
    assert (mesh.normals[:, 2] > 0).all()
    assert len(mesh.faces) == 4


@pytest.mark.parametrize("falling", [False, True])
def test_a_height_field_is_drawn_where_rays_meet_what_bodies_collide_with(falling: bool) -> None:
    heights = np.random.default_rng(5).uniform(0.0, 0.4, (4, 5))
    data = HeightfieldData(4, 5, tuple(heights.ravel().tolist()), (0.3, 0.2), falling)
    shape = Shape(ShapeKind.HEIGHTFIELD, heightfield=data)
    scene = Scene(WorldOptions())
    asset = Asset("ground", [Link("ground", collisions=[shape])], fixed_base=True, static=True)
    scene.add(0, asset, BodyOptions(fixed=True))
    corners = shape_mesh(shape).vertices[shape_mesh(shape).faces]
    middles = corners.mean(axis=1).astype(np.float64)
    above, below = (np.column_stack([middles[:, :2], np.full(24, z)]) for z in (1.0, -1.0))
    _, numbers = ray_caster(scene).cast(scene.world, above, below)
    # 1e-6 m: both keep heights in single precision; the other cut is off by centimetres
    np.testing.assert_allclose(numbers[3], middles[:, 2], atol=1e-6)  # z of where they hit


def test_groups_of_a_file_become_one_mesh_and_a_mirrored_one_still_looks_outward(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a.obj"
    file.write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no one\nf 1 3 2\nf 1 2 4\no two\nf 1 4 3\nf 2 3 4\n"
    )
    source = MeshSource(str(file), "a.obj", (1.0, -2.0, 1.0))
    mesh = shape_mesh(Shape(ShapeKind.MESH, mesh=source))
    corners = mesh.vertices[mesh.faces].astype(float)
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.sum(outward * corners[:, 0]) / 6 == pytest.approx(2 / 6)
    assert (np.sum(outward * mesh.normals[mesh.faces[:, 0]], axis=1) > 0).all()


def test_vertices_in_memory_keep_their_normals_and_texture_coordinates() -> None:
    source = MeshSource(
        vertices=((0, 0, 0), (1, 0, 0), (0, 1, 0)), faces=((0, 1, 2),), scale=(2.0, 2.0, 2.0),
        normals=((1, 0, 0),) * 3, uvs=((0, 0), (1, 0), (0, 1)),
    )  # fmt: skip
    mesh = shape_mesh(Shape(ShapeKind.MESH, mesh=source))
    assert mesh.normals.tolist() == [[1, 0, 0]] * 3
    assert mesh.uvs.tolist() == [[0, 0], [1, 0], [0, 1]]
    assert mesh.vertices.max() == 2


@pytest.mark.parametrize(
    "shape", [Shape(ShapeKind.SPHERE, (0.0,)), Shape(ShapeKind.MESH, mesh=MeshSource())]
)
def test_a_shape_without_triangles_has_no_mesh(shape: Shape) -> None:
    assert mesh_of_shape(shape) is None
