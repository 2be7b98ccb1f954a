"""One description of how bodies look becomes what cameras, films and pages draw."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from unibody.core.assets.description import Link, MeshSource, Pose, Shape, ShapeKind
from unibody.core.render.mesh import Texture
from unibody.core.render.parts import by_material, in_tiles, parts_of, texture_of_pixels, whole
from unibody.core.render.visual_shapes import VisualShape, shapes_of_link

BOX = Shape(ShapeKind.BOX, (1.0, 2.0, 3.0), Pose((0.1, 0.2, 0.3)))
RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.5)


def test_a_part_has_the_mesh_pose_colour_texture_and_label_of_its_shape() -> None:
    image = Texture(np.zeros((2, 2, 3), np.uint8))
    visual = VisualShape(3, BOX, BLUE, image, (7, 1), label=9, double_sided=True)
    (part,) = parts_of(visual)
    assert np.ptp(part.mesh.vertices, axis=0).tolist() == [1.0, 2.0, 3.0]
    assert (part.frame, part.pose, part.rgba, part.texture) == (3, BOX.pose, BLUE, image)
    assert (part.label, part.double_sided) == (9, True)


def _two_colours(tmp_path: Path) -> Shape:
    Image.fromarray(np.full((2, 3, 3), 90, np.uint8)).save(tmp_path / "skin.png")
    (tmp_path / "two.mtl").write_text("newmtl a\nKd 0 0 1\nd 0.5\nnewmtl b\nmap_Kd skin.png\n")
    (tmp_path / "two.obj").write_text(
        "mtllib two.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
        "g first\nusemtl a\nf 1 2 3\ng second\nusemtl b\nf 1 3 4\n"
    )
    return Shape(ShapeKind.MESH, mesh=MeshSource(str(tmp_path / "two.obj")))


def test_a_mesh_is_drawn_whole_in_its_own_colour_or_by_materials_in_theirs(tmp_path: Path) -> None:
    visual = VisualShape(0, _two_colours(tmp_path), RED)
    (part,) = parts_of(visual, whole)
    assert (len(part.mesh.faces), part.rgba, part.texture) == (2, RED, None)
    first, second = parts_of(visual, by_material)
    assert (len(first.mesh.faces), first.rgba, first.texture) == (1, BLUE, None)
    assert second.texture is not None
    assert second.texture.texels.shape == (2, 3, 3)


def test_ground_in_tiles_has_all_of_its_triangles() -> None:
    (part,) = parts_of(VisualShape(-1, BOX), in_tiles)
    assert part.frame == -1
    assert len(part.mesh.faces) == 12


def test_what_cannot_be_read_is_told_and_the_rest_is_drawn(tmp_path: Path) -> None:
    said: list[str] = []
    missing = Shape(ShapeKind.MESH, mesh=MeshSource(str(tmp_path / "missing.obj")))
    assert parts_of(VisualShape(0, missing), say=said.append) == []
    (part,) = parts_of(VisualShape(0, BOX, RED, str(tmp_path / "no.png")), say=said.append)
    assert (part.rgba, part.texture) == (RED, None)
    assert ["missing.obj" in said[0], "texture" in said[1]] == [True, True]


def test_pixels_from_the_top_are_a_texture_from_the_bottom() -> None:
    pixels = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
    np.testing.assert_array_equal(texture_of_pixels(pixels).texels, pixels[::-1, :, :3])


@pytest.mark.parametrize(
    ("visuals", "collisions", "seen"),
    [([BOX], False, 0), ([BOX], True, 1), ([], False, 1), ([], True, 1)],
)
def test_a_link_without_visual_shapes_looks_like_its_collision_shapes(
    visuals: list[Shape], collisions: bool, seen: int
) -> None:
    ball = Shape(ShapeKind.SPHERE, (1.0,))
    link = Link("a", visuals=visuals, collisions=[ball])
    found = shapes_of_link(link, collisions=collisions)
    assert found == [[BOX], [ball]][seen]
