"""Surfaces: neighbours, the tree, and who keeps them alive."""

from __future__ import annotations

import copy
import gc

import mujoco
import numpy as np
import pytest

from tests.core.engine.mesh_contacts.surfaces import (
    BODY,
    GROUND,
    SHAPES,
    asset_of,
    flat,
    run,
    scene_with,
    shape_of,
    stairs,
    torus,
)
from unibody.core.assets.description import Pose
from unibody.core.assets.mesh.types import TriMesh
from unibody.core.engine.mesh_contacts import registry, surface
from unibody.core.engine.mesh_contacts.surface import surface_of
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.worlds import make_worlds
from unibody.errors import AssetError


def mesh_of(vertices: object, faces: object) -> TriMesh:
    return TriMesh(np.asarray(vertices, np.float64), np.asarray(faces, np.int32))


def test_vertices_at_one_place_are_welded_and_degenerate_triangles_left_out() -> None:
    """So are triangles that are there twice, once from each side."""
    square = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0.0, -0.0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 0)]
    faces = [(0, 1, 2), (3, 4, 5), (2, 1, 0), (0, 2, 6), (0, 0, 1)]
    found = surface_of([mesh_of(square, faces)])
    assert (len(found.vertices), len(found.faces)) == (5, 2)
    assert sorted((found.across >= 0).sum(axis=1).tolist()) == [1, 1]


def test_every_edge_of_a_closed_mesh_has_a_neighbour() -> None:
    """The corner of a neighbour is none of the triangle's own."""
    found = surface_of([mesh_of(*torus(0.5, 0.1))])
    assert (found.across >= 0).all()
    assert not (found.across[:, :, None] == found.faces[:, None, :]).any()
    for v in range(0, len(found.vertices), 37):
        ring = set(found.ring[found.ring_start[v] : found.ring_start[v + 1]].tolist())
        around = found.faces[(found.faces == v).any(axis=1)]
        assert ring == set(around.ravel().tolist()) - {v}


def test_the_tree_holds_every_triangle() -> None:
    """Each box contains those of its children, and leaves contain their triangles."""
    found = surface_of([mesh_of(*torus(0.5, 0.1))])
    tree, leaves = found.tree, found.leaves
    for node in range(leaves - 1):
        for child in (tree[2 * node + 1], tree[2 * node + 2]):
            assert (tree[node, :3] <= child[:3]).all() and (tree[node, 3:] >= child[3:]).all()
    for k, corners in enumerate(found.vertices[found.faces]):
        box = tree[leaves - 1 + k // surface.LEAF]
        assert (corners >= box[:3]).all() and (corners <= box[3:]).all()


def test_a_mesh_without_area_is_refused_and_the_scene_stays_as_it_was() -> None:
    """Nothing of the body is left in the scene."""
    scene = scene_with(flat(), SHAPES["box"], Pose((0.0, 0.0, 0.1)))
    line = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)]), np.array([(0, 1, 2)])
    with pytest.raises(AssetError, match="area"):
        scene.add(7, asset_of(shape_of(line)), BodyOptions(fixed=True))
    assert sorted(scene.bodies) == [GROUND, BODY]
    assert run(scene, 10)[2] == pytest.approx(0.1, abs=1e-4)


def test_a_surface_lives_as_long_as_a_model_or_scene_needs_it() -> None:
    """Taken out and put back, it still collides; forgotten by all, its row is free."""
    mesh = stairs(7, 0.31, 0.11)
    scene = scene_with(mesh, SHAPES["box"], Pose((0.7, 0.1, 0.5)))
    name = scene.world.model.hfield(0).name
    scene.remove(GROUND)
    scene.world.step()
    scene.add(GROUND, asset_of(shape_of(mesh)), BodyOptions(fixed=True))
    surface._cache.clear()
    gc.collect()
    assert run(scene, 200)[2] > 0.3
    assert registry.surface_named(name) is not None
    del scene
    gc.collect()
    assert registry.surface_named(name) is None


def test_many_meshes_find_their_own_surfaces() -> None:
    """Also beyond the room the table starts with."""
    scene = scene_with(flat(), SHAPES["sphere"], Pose((0.0, 0.0, 50.0)))
    for k in range(80):
        vertices, faces = flat(1, 1.0)
        moved = np.add(vertices, (3.0 * k, 0.0, 0.01 * k))
        scene.add(10 + k, asset_of(shape_of((moved, faces))), BodyOptions(fixed=True))
    for k in (0, 41, 79):
        scene.world.data.qpos[:3] = (3.0 * k + 0.1, 0.2, 0.01 * k + 0.12)
        scene.world.data.qvel[:] = 0.0
        scene.world.changed()
        assert run(scene, 120)[2] == pytest.approx(0.01 * k + 0.1, abs=1e-4)


def test_a_batch_of_worlds_collides_as_one_world_does() -> None:
    """On several threads, bit for bit."""
    scene = scene_with(torus(0.5, 0.15), SHAPES["box"], Pose((0.02, 0.51, 0.3)))
    worlds = make_worlds(scene, 16, threads=2)
    worlds.step(100)
    alone = run(scene, 100)
    np.testing.assert_array_equal(np.asarray(worlds.qpos)[:, :7], np.tile(alone, (16, 1)))


def test_a_copy_of_a_model_collides_too() -> None:
    """The name of the height field says what it stands for, not an address."""
    scene = scene_with(flat(), SHAPES["box"], Pose((0.0, 0.0, 0.0999)))
    model = copy.copy(scene.world.model)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.ncon == 4


def test_a_mesh_is_one_geom_and_its_later_compiles_do_not_see_its_triangles() -> None:
    """Nothing in the model grows with the triangles."""
    small, large = (
        scene_with(flat(cells), SHAPES["box"], Pose((0.0, 0.0, 0.2))).world.model
        for cells in (2, 60)
    )
    assert small.ngeom == large.ngeom == 2
    assert small.nbuffer == large.nbuffer


def test_a_mesh_without_parts_is_refused() -> None:
    with pytest.raises(AssetError, match="has no triangles"):
        surface_of([])
