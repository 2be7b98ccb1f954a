"""Convex pieces of meshes with bores."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from unibody.core.assets.mesh import prisms as mesh_prisms
from unibody.core.assets.mesh.prisms import bored_pieces
from unibody.core.assets.mesh.types import TriMesh

MM = 1e-3
ERROR = 0.05 * MM
BORE, HIGH = 5.0 * MM, 10 * MM


def ring(inner: NDArray[np.float64], outer: NDArray[np.float64], levels: list[float]) -> TriMesh:
    """A ring whose radii are given by level and angle, (L, N) each, closed at both ends."""
    levels_count, count = inner.shape
    turn = 2 * np.pi * np.arange(count) / count
    shells: list[NDArray[np.float64]] = []
    for radii in (outer, inner):
        z = np.repeat(levels, count).reshape(levels_count, count)
        shells.append(np.stack([radii * np.cos(turn), radii * np.sin(turn), z], axis=2))
    vertices = np.concatenate([shell.reshape(-1, 3) for shell in shells])
    step = levels_count * count
    faces: list[tuple[int, int, int]] = []

    def quad(a: int, b: int, c: int, d: int) -> None:
        faces.extend([(a, b, c), (a, c, d)])

    for k in range(count):
        n = (k + 1) % count
        for level in range(levels_count - 1):
            low, high = level * count, (level + 1) * count
            quad(low + k, low + n, high + n, high + k)
            quad(step + low + n, step + low + k, step + high + k, step + high + n)
        top = (levels_count - 1) * count
        quad(top + k, top + n, step + top + n, step + top + k)
        quad(n, k, step + k, step + n)
    return TriMesh(vertices, np.array(faces, np.int32))


def toothed_ring(teeth: int = 20, a_tooth: int = 32) -> TriMesh:
    """A gear without fillets: teeth of 2 mm on a ring of 9 mm."""
    phase = np.arange(teeth * a_tooth) % a_tooth / a_tooth
    outer = 9 * MM + 2 * MM * np.clip(2.5 - 8 * np.abs(phase - 0.5), 0.0, 1.0)
    radii = np.array([outer, outer])
    return ring(np.full_like(radii, BORE), radii, [0.0, HIGH])


def free_radius(pieces: list[TriMesh]) -> float:
    """How far from the third axis pieces end, found at many points of their edges."""
    share = np.linspace(0.0, 1.0, 101)[:, None, None, None]
    corners = [piece.vertices[piece.faces] for piece in pieces]
    return min(
        float(np.hypot(*np.moveaxis((p + share * (np.roll(p, 1, 1) - p))[..., :2], -1, 0)).min())
        for p in corners
    )


def is_covered(points: NDArray[np.float64], pieces: list[TriMesh]) -> NDArray[np.bool_]:
    covered = np.zeros(len(points), dtype=bool)
    for piece in pieces:
        hull = trimesh.Trimesh(piece.vertices, piece.faces, process=False).convex_hull
        offsets = (hull.face_normals * hull.triangles[:, 0]).sum(axis=1)
        covered |= (points @ hull.face_normals.T - offsets).max(axis=1) < 1e-9
    return covered


def test_a_gear_keeps_its_bore_to_the_error_and_the_gaps_between_its_teeth() -> None:
    pieces = bored_pieces([toothed_ring()], ERROR)
    assert pieces is not None
    # 23 sectors leave 0.05 mm of a bore of 5 mm; a tooth is one piece, its gap may be another.
    assert 23 <= len(pieces) <= 23 + 2 * 20 + 10
    assert free_radius(pieces) == pytest.approx(BORE, abs=ERROR)
    turn = 2 * np.pi * (np.arange(20) + 0.5) / 20
    teeth = np.stack([np.cos(turn), np.sin(turn), np.full(20, 0.5)], axis=1)
    gaps = np.stack(
        [np.cos(turn + np.pi / 20), np.sin(turn + np.pi / 20), np.full(20, 0.5)], axis=1
    )
    assert is_covered(teeth * [10.9 * MM, 10.9 * MM, HIGH], pieces).all()
    assert is_covered(gaps * [8.9 * MM, 8.9 * MM, HIGH], pieces).all()
    assert not is_covered(gaps * [9.2 * MM, 9.2 * MM, HIGH], pieces).any()


def test_the_axis_of_a_gear_may_point_anywhere_along_the_axes() -> None:
    mesh = toothed_ring()
    for axis in (0, 1):
        turned = TriMesh(np.roll(mesh.vertices, axis - 2, axis=1), mesh.faces)
        pieces = bored_pieces([turned], ERROR)
        assert pieces is not None
        back = [TriMesh(np.roll(p.vertices, 2 - axis, axis=1), p.faces) for p in pieces]
        assert free_radius(back) == pytest.approx(BORE, abs=ERROR)


def test_steps_along_the_axis_become_prisms_of_their_own() -> None:
    outer = np.array([[20 * MM] * 96, [20 * MM] * 96, [8 * MM] * 96, [8 * MM] * 96])
    levels = [0.0, 5 * MM, 5 * MM, 15 * MM]
    pieces = bored_pieces([ring(np.full((4, 96), BORE), outer, levels)], ERROR)
    assert pieces is not None
    ends = {tuple(np.round(np.ptp(p.vertices[:, 2:], axis=0) / MM, 6)) for p in pieces}
    assert ends == {(5.0,), (10.0,)}
    assert free_radius(pieces) == pytest.approx(BORE, abs=ERROR)


def test_a_bore_that_is_no_prism_is_kept_where_it_is_narrowest() -> None:
    """The bore opens from its middle to both ends, as a nut's thread does in each turn."""
    inner = np.array([[7 * MM] * 96, [BORE] * 96, [7 * MM] * 96])
    mesh = ring(inner, np.full((3, 96), 12 * MM), [0.0, HIGH / 2, HIGH])
    pieces = bored_pieces([mesh], ERROR)
    assert pieces is not None
    assert len(pieces) == 23  # pi / acos(1 - 0.05 / 5) is 22.2
    assert free_radius(pieces) == pytest.approx(BORE, abs=ERROR)


def test_a_ball_has_no_bore() -> None:
    ball = trimesh.creation.icosphere(3, 10 * MM)
    mesh = TriMesh(np.array(ball.vertices), np.array(ball.faces, np.int32))
    assert bored_pieces([mesh], ERROR) is None


def test_pieces_are_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = bored_pieces([toothed_ring(teeth=12)], ERROR)

    def refuse(*_: object) -> None:
        raise AssertionError("pieces were worked out again")

    monkeypatch.setattr(mesh_prisms, "_prisms", refuse)
    second = bored_pieces([toothed_ring(teeth=12)], ERROR)
    assert first is not None
    assert second is not None
    for one, two in zip(first, second, strict=True):
        np.testing.assert_array_equal(one.vertices, two.vertices)
