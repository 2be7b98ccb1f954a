"""Which meshes the page draws from both sides."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from unibody.core.assets.description import Shape, ShapeKind
from unibody.core.render.mesh import Mesh, make_mesh
from unibody.core.render.parts import parts_of
from unibody.core.render.shapes import mesh_of_shape
from unibody.core.render.visual_shapes import VisualShape
from unibody.viewer.stage import _textured, is_solid

SHEET = make_mesh([(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], [(0, 1, 2), (0, 2, 3)])


@pytest.mark.parametrize(
    "shape",
    [
        Shape(ShapeKind.BOX, (4.0, 4.0, 0.02)),
        Shape(ShapeKind.SPHERE, (0.01,)),
        Shape(ShapeKind.CYLINDER, (0.01, 3.0)),
    ],
)
def test_what_has_an_inside_is_drawn_from_outside(shape):
    mesh = mesh_of_shape(shape)
    moved = Mesh(mesh.vertices + np.float32(50.0), mesh.faces, mesh.normals, mesh.uvs)
    assert is_solid(mesh)
    assert is_solid(moved)


def test_sheets_and_meshes_that_are_inside_out_are_drawn_from_both_sides():
    ball = mesh_of_shape(Shape(ShapeKind.SPHERE, (0.3,)))
    assert not is_solid(SHEET)
    assert not is_solid(Mesh(ball.vertices, ball.faces[:, ::-1], ball.normals, ball.uvs))
    assert not is_solid(make_mesh(np.zeros((0, 3)), np.zeros((0, 3))))


@pytest.mark.parametrize(("side", "kind"), [(32, b"image/png"), (600, b"image/jpeg")])
def test_large_textures_travel_as_jpeg_and_small_ones_exact(tmp_path, side, kind):
    file = tmp_path / "texture.png"
    Image.fromarray(np.full((side, side, 3), 90, dtype=np.uint8)).save(file)
    part = VisualShape(0, Shape(ShapeKind.BOX, (1.0, 1.0, 1.0)), texture=str(file))
    (drawn,) = parts_of(part)
    assert drawn.texture is not None
    made = _textured(drawn, drawn.texture, double_sided=False).export(file_type="glb")
    assert kind in made
