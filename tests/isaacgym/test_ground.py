"""What environments stand on."""

from __future__ import annotations

import numpy as np

from unibody.core.assets.description import ShapeKind
from unibody.isaacgym import gymapi, terrain_utils
from unibody.isaacgym.batch.ground import triangle_mesh


def test_a_long_mesh_of_steep_terrain_becomes_a_height_field_of_its_spacing() -> None:
    field = np.zeros((2000, 40), np.int16)
    field[100:140, 10:20] = 100
    vertices, triangles = terrain_utils.convert_heightfield_to_trimesh(field, 0.1, 0.005, 0.5)
    params = gymapi.TriangleMeshParams()
    params.nb_vertices, params.nb_triangles = len(vertices), len(triangles)
    ground = triangle_mesh(vertices.ravel(), triangles.ravel(), params)
    (shape,) = ground.asset.links[0].collisions
    assert shape.kind is ShapeKind.HEIGHTFIELD
    assert shape.heightfield is not None
    np.testing.assert_allclose(shape.heightfield.spacing, 0.1, rtol=1e-6)
