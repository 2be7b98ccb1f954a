"""vhacd writes convex pieces that fill the mesh it was given."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import DATA, connected
from unibody.core.assets.description import MeshSource
from unibody.core.assets.mesh.load import convex_hull, load_mesh

L_SHAPE = """
v 0 0 0
v 2 0 0
v 2 1 0
v 1 1 0
v 1 2 0
v 0 2 0
v 0 0 1
v 2 0 1
v 2 1 1
v 1 1 1
v 1 2 1
v 0 2 1
f 1 6 5 4
f 1 4 3 2
f 7 8 9 10
f 7 10 11 12
f 1 2 8 7
f 2 3 9 8
f 3 4 10 9
f 4 5 11 10
f 5 6 12 11
f 6 1 7 12
"""


@pytest.fixture
def p() -> Any:
    with connected(unibody.bullet) as module:
        yield module


def volume(mesh: Any) -> float:
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return abs(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def decomposed(p: Any, name: str, folder: Path, **options: Any) -> list[Any]:
    out = folder / "out.obj"
    assert p.vhacd(name, str(out), str(folder / "log.txt"), **options) is None
    assert "V-HACD" in (folder / "log.txt").read_text()
    return load_mesh(MeshSource(str(out)))


def test_an_l_is_two_boxes(p: Any, tmp_path: Path) -> None:
    source = tmp_path / "l.obj"
    source.write_text(L_SHAPE)
    pieces = decomposed(p, str(source), tmp_path, resolution=100_000)
    assert [piece.name for piece in pieces] == [f"convex_{k}" for k in range(len(pieces))]
    assert len(pieces) == 2
    # three cubes; a voxel is 0.03 wide and all six sides may be off by one
    assert sum(map(volume, pieces)) == pytest.approx(3.0, rel=0.05)


def test_pieces_are_convex_and_have_few_corners(p: Any, tmp_path: Path) -> None:
    pieces = decomposed(
        p, os.path.join(DATA, "duck.obj"), tmp_path, maxNumVerticesPerCH=16, resolution=20_000
    )
    assert len(pieces) > 1
    for piece in pieces:
        assert len(piece.vertices) <= 16
        assert volume(piece) == pytest.approx(volume(convex_hull(piece)), rel=0.02)


def test_more_concavity_means_fewer_pieces(p: Any, tmp_path: Path) -> None:
    name = os.path.join(DATA, "duck.obj")
    fine = decomposed(p, name, tmp_path, concavity=0.002, resolution=20_000)
    coarse = decomposed(p, name, tmp_path, concavity=0.02, resolution=20_000)
    assert len(coarse) < len(fine)


def test_what_comes_out_can_be_loaded_as_a_shape(p: Any, tmp_path: Path) -> None:
    source = tmp_path / "l.obj"
    source.write_text(L_SHAPE)
    decomposed(p, str(source), tmp_path, resolution=20_000)
    shape = p.createCollisionShape(p.GEOM_MESH, fileName=str(tmp_path / "out.obj"))
    body = p.createMultiBody(0, shape)
    hit = p.rayTest((1.5, 1.5, 5), (1.5, 1.5, -5))[0][0]
    assert hit == -1
    assert p.rayTest((0.5, 0.5, 5), (0.5, 0.5, -5))[0][0] == body


@pytest.mark.parametrize(
    "names", [("none.obj", "out.obj", "log.txt"), ("l.obj", "none/out.obj", "log.txt")]
)
def test_a_file_that_cannot_be_read_or_written_is_an_error(
    p: Any, tmp_path: Path, names: tuple[str, str, str]
) -> None:
    (tmp_path / "l.obj").write_text(L_SHAPE)
    with pytest.raises(p.error, match="none"):
        p.vhacd(*(str(tmp_path / name) for name in names), resolution=10_000)


def test_an_option_without_a_counterpart_is_said_so_once(
    p: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "l.obj"
    source.write_text(L_SHAPE)
    for _ in range(2):
        decomposed(p, str(source), tmp_path, alpha=0.1, resolution=10_000)
    assert capsys.readouterr().err.count("vhacd(alpha=0.1)") == 1
