"""Concave meshes in a scene."""

from __future__ import annotations

import numpy as np
import pytest

from unibody.core.assets.description import Asset, Inertial, Joint, Link, MeshSource, Shape
from unibody.core.assets.description import ShapeKind as Kind
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec import geometry


def hills(cells: int) -> MeshSource:
    """A hilly sheet of 2 * cells**2 triangles."""
    line = np.linspace(-1.0, 1.0, cells + 1)
    x, y = np.meshgrid(line, line, indexing="ij")
    column, row = np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij")
    a = (column * (cells + 1) + row).ravel()
    b, c, d = a + cells + 1, a + cells + 2, a + 1
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    vertices = np.stack([x.ravel(), y.ravel(), 0.2 * np.sin(3 * x * y).ravel()], 1)
    return MeshSource(vertices=tuple(map(tuple, vertices)), faces=tuple(map(tuple, faces)))


def scene_with(mesh: MeshSource) -> Scene:
    """Two bodies made of the mesh, which can move and so are cut into solids."""
    scene = Scene()
    for number in range(2):
        shape = Shape(Kind.MESH, mesh=mesh, concave=True)
        link = Link("hills", -1, Joint(), Inertial(), [], [shape])
        scene.add(number, Asset("hills", [link]), BodyOptions())
    return scene


def test_many_solids_written_in_chunks_are_the_same_geoms(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the same order, with the same attributes, in records and model."""
    mesh = hills(8)
    plain = scene_with(mesh)
    monkeypatch.setattr(geometry, "_CHUNK", 50)
    chunked = scene_with(mesh)
    one, two = plain.world.model, chunked.world.model
    for name in one._all_fields:
        values = getattr(one, name)
        if name.startswith("geom_") and name != "geom_dataid":
            np.testing.assert_array_equal(values, getattr(two, name), err_msg=name)
    state = chunked.bodies[1].links[0]
    assert len(state.spec_geoms) == len(plain.bodies[1].links[0].spec_geoms) > 50
    state.spec_geoms[7].friction = (0.123, 0.0, 0.0)
    chunked.set_pair((0, 0), (1, 0), False)
    assert chunked.world.model.geom_friction[state.geom + 7, 0] == 0.123


def test_a_body_of_chunks_can_be_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all its geoms and meshes; the other one stays."""
    monkeypatch.setattr(geometry, "_CHUNK", 50)
    scene = scene_with(hills(8))
    count = scene.world.model.ngeom // 2
    scene.remove(0)
    assert (scene.world.model.ngeom, scene.world.model.nmesh) == (count, count)
