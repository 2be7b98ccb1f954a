"""Triangles of shapes, against their volumes."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

from unibody.core.assets.description import HeightfieldData, Shape, ShapeKind
from unibody.viewer.parts import triangles_of

# 32 sections fall short of a round shape by (pi/32)^2 * 2/3 of its area: below 2 %
ROUND = 0.02


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        (Shape(ShapeKind.BOX, (1.0, 2.0, 3.0)), 6.0),
        (Shape(ShapeKind.SPHERE, (0.5,)), 4.0 / 3.0 * math.pi * 0.125),
        (Shape(ShapeKind.CYLINDER, (0.5, 2.0)), 0.5 * math.pi),
        (Shape(ShapeKind.CAPSULE, (0.5, 2.0)), 0.5 * math.pi + 4.0 / 3.0 * math.pi * 0.125),
        (Shape(ShapeKind.ELLIPSOID, (0.5, 1.0, 2.0)), 4.0 / 3.0 * math.pi),
    ],
)
def test_primitives_enclose_their_volume_and_are_centred(shape, volume):
    (mesh,) = triangles_of(shape)
    solid = trimesh.Trimesh(mesh.vertices, mesh.faces)
    assert solid.is_watertight
    assert solid.volume == pytest.approx(volume, rel=ROUND)
    np.testing.assert_allclose(solid.bounds.sum(axis=0), 0.0, atol=1e-9)


def test_a_height_field_has_its_heights_at_its_places():
    data = HeightfieldData(2, 3, (0.0, 1.0, 2.0, 3.0, 4.0, 5.0), (0.5, 2.0))
    (mesh,) = triangles_of(Shape(ShapeKind.HEIGHTFIELD, heightfield=data))
    assert len(mesh.faces) == 4
    np.testing.assert_allclose(mesh.vertices[0], [-0.5, -1.0, 0.0])
    np.testing.assert_allclose(mesh.vertices[5], [0.5, 1.0, 5.0])
    normals = trimesh.Trimesh(mesh.vertices, mesh.faces).face_normals
    assert np.all(normals[:, 2] > 0.0)
