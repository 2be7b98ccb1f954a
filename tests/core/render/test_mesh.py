"""Meshes, textures and the stage they are on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from unibody.core.render.camera import look_at
from unibody.core.render.mesh import Mesh, Part, Texture, load_texture, make_mesh
from unibody.core.render.stage import Stage
from unibody.errors import AssetError, InvalidArgumentError

CORNERS = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2)]
FACES = [(0, 2, 1), (0, 1, 3)]


def test_a_mesh_without_normals_is_flat() -> None:
    mesh = make_mesh(CORNERS, FACES)
    assert mesh.normals[mesh.faces].tolist() == [[[0, 0, -1]] * 3, [[0, -1, 0]] * 3]
    assert mesh.vertices[mesh.faces].tolist() == np.array(CORNERS)[np.array(FACES)].tolist()
    assert (mesh.uvs == 0.5).all()


def test_normals_become_unit_vectors_and_missing_ones_those_of_a_face() -> None:
    normals = [(0, 0, 5), (0, 0, 0), (np.nan, 0, 0), (1, 0, 0)]
    mesh = make_mesh(CORNERS, FACES, normals)
    assert mesh.normals.tolist() == [[0, 0, 1], [0, -1, 0], [0, 0, -1], [1, 0, 0]]


@pytest.mark.parametrize(
    "more", [{"faces": [(0, 1, 4)]}, {"faces": [(0, 1, -1)]}, {"normals": [(0, 0, 1)]},
             {"uvs": [(0, 0)] * 5}],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_an_error(more: dict[str, list[tuple[int, ...]]]) -> None:
    with pytest.raises(InvalidArgumentError, match=next(iter(more))):
        make_mesh(**{"vertices": CORNERS, "faces": FACES, **more})


def test_meshes_of_equal_content_are_stored_once() -> None:
    stage = Stage()
    stage.show([Part(make_mesh(CORNERS, FACES)) for _ in range(3)])
    size = len(stage.geometry.faces)
    assert size == len(FACES)
    stage.show([Part(make_mesh(CORNERS, FACES))] * 9)
    assert len(stage.geometry.faces) == size


def test_corners_at_the_same_place_are_one_point() -> None:
    stage = Stage()
    stage.show([Part(make_mesh(CORNERS, FACES))])
    assert len(stage.geometry.points) == 4
    assert len(stage.geometry.normals) == 6


def test_large_meshes_and_textures_that_are_shown_no_more_are_dropped() -> None:
    stage = Stage()
    big = Texture(np.zeros((6000, 6000, 3), dtype=np.uint8))
    stage.show([Part(make_mesh(CORNERS, FACES), texture=big)])
    assert len(stage.textures.texels) == 6000 * 6000 * 3
    stage.show([Part(make_mesh(CORNERS, FACES))])
    assert len(stage.textures.texels) == 0
    assert len(stage.geometry.faces) == len(FACES)


def test_a_texture_is_read_once_and_again_when_its_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    Image.fromarray(np.array([[[1, 2, 3]], [[4, 5, 6]]], np.uint8)).save(file)
    first = load_texture(str(file))
    assert first.texels.tolist() == [[[4, 5, 6]], [[1, 2, 3]]]
    assert load_texture(str(file)) is first
    Image.new("L", (3, 1), 9).save(file)
    assert load_texture(str(file)).texels.shape == (1, 3, 3)


def test_a_broken_image_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    Image.new("RGB", (40, 40)).save(file)
    file.write_bytes(file.read_bytes()[:60])
    with pytest.raises(AssetError, match=r"a\.png"):
        load_texture(str(file))


@pytest.mark.parametrize("shape", [(2, 2), (2, 2, 4), (0, 2, 3)])
def test_texels_of_another_form_are_an_error(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidArgumentError, match="texels"):
        Texture(np.zeros(shape, dtype=np.uint8))


def test_a_mesh_without_triangles_can_be_shown() -> None:
    empty = Mesh(*(np.zeros((0, n), t) for n, t in ((3, "f4"), (3, "i4"), (3, "f4"), (2, "f4"))))
    stage = Stage()
    stage.show([Part(empty)])
    assert stage.most_faces == 0


def test_a_camera_that_looks_along_its_top_is_an_error() -> None:
    with pytest.raises(InvalidArgumentError, match="target"):
        look_at((0, 0, 5), (0, 0, 0))
