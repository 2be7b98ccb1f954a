"""Surfaces are cut into convex pieces that follow them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from unibody.core.assets.disk_cache import cache_directory
from unibody.core.assets.mesh.cuts import convex_cuts
from unibody.core.assets.mesh.types import TriMesh
from unibody.errors import AssetError


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def prism(outline: list[tuple[float, float]], height: float, quads: list[list[int]]) -> TriMesh:
    """A prism over a polygon that ``quads`` of its corners make up."""
    count = len(outline)
    vertices = [(x, y, z) for z in (0.0, height) for x, y in outline]
    faces: list[tuple[int, int, int]] = []
    for a, b, c, d in quads:
        faces += [(a, c, b), (a, d, c)]
        faces += [(count + a, count + b, count + c), (count + a, count + c, count + d)]
    for k in range(count):
        n = (k + 1) % count
        faces += [(k, n, count + n), (k, count + n, count + k)]
    return TriMesh(np.array(vertices), np.array(faces, np.int32))


def ring(inner: float, outer: float, height: float, count: int) -> TriMesh:
    """A ring of quadrilateral sectors, closed."""
    angles = 2.0 * math.pi * np.arange(count) / count
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    corners = [
        np.column_stack([circle * r, np.full(count, z)])
        for r in (inner, outer) for z in (0.0, height)
    ]  # fmt: skip
    faces: list[tuple[int, int, int]] = []
    for k in range(count):
        n = (k + 1) % count
        for one, two in ((0, 1), (1, 3), (3, 2), (2, 0)):
            a, b, c, d = one * count + k, one * count + n, two * count + n, two * count + k
            faces += [(a, b, c), (a, c, d)]
    return TriMesh(np.concatenate(corners), np.array(faces, np.int32))


def volume(mesh: TriMesh) -> float:
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def cut(mesh: TriMesh, most: int = 64) -> list[TriMesh]:
    return convex_cuts([mesh], 0.003, most=most, max_vertices=64, file="m")


def test_a_convex_mesh_stays_one_piece() -> None:
    box = prism([(0, 0), (2, 0), (2, 1), (0, 1)], 1.0, [[0, 1, 2, 3]])
    (piece,) = cut(box)
    assert volume(piece) == pytest.approx(2.0)


def test_an_angle_is_cut_along_its_inner_edge() -> None:
    outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    angle = prism([(float(x), float(y)) for x, y in outline], 1.0, [[0, 1, 2, 3], [0, 3, 4, 5]])
    pieces = cut(angle)
    assert [volume(piece) for piece in pieces] == pytest.approx([2.0, 1.0])


def test_the_pieces_of_a_ring_leave_its_hole_open() -> None:
    pieces = cut(ring(0.8, 1.0, 0.5, 24))
    angles = np.linspace(0.0, 2.0 * math.pi, 500)
    hole = np.stack([0.75 * np.cos(angles), 0.75 * np.sin(angles), np.full(500, 0.25)], axis=1)
    for piece in pieces:
        a, b, c = (piece.vertices[piece.faces[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        heights = hole @ normals.T - np.einsum("ij,ij->i", normals, a)
        assert (heights > 0.0).any(axis=1).all()
    exact = 0.5 * 12 * math.sin(math.pi / 12) * (1.0 - 0.64)
    # Slivers between the points that tell the inside may be lost; chords of the arcs add little.
    assert exact * 0.95 < sum(map(volume, pieces)) < exact * 1.15


def test_no_more_pieces_are_made_than_allowed() -> None:
    assert len(cut(ring(0.8, 1.0, 0.5, 12), most=5)) == 5


def test_an_open_surface_is_cut_too() -> None:
    whole = ring(0.8, 1.0, 0.5, 24)
    pieces = cut(TriMesh(whole.vertices, whole.faces[::2]))
    assert len(pieces) > 8


def test_pieces_are_found_again() -> None:
    first = cut(ring(0.8, 1.0, 0.5, 5))
    (stored,) = (cache_directory("pieces")).glob("*.npz")
    second = cut(ring(0.8, 1.0, 0.5, 5))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one.vertices, other.vertices)
        np.testing.assert_array_equal(one.faces, other.faces)
    assert stored.is_file()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 damaged"])
def test_a_damaged_store_is_made_anew(content: bytes) -> None:
    first = cut(ring(0.8, 1.0, 0.5, 5))
    (stored,) = (cache_directory("pieces")).glob("*.npz")
    stored.write_bytes(content)
    second = cut(ring(0.8, 1.0, 0.5, 5))
    assert len(first) == len(second)


def test_a_mesh_without_triangles_is_refused() -> None:
    with pytest.raises(AssetError, match="no triangles"):
        cut(TriMesh(np.zeros((3, 3)), np.zeros((0, 3), np.int32)))
