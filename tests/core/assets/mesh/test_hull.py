"""Convex hulls: closed forms, scipy's hull as oracle, and the store on disk."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.spatial import ConvexHull

from unibody.core.assets.mesh import hull as mesh_hull
from unibody.core.assets.mesh.hull import widened
from unibody.core.assets.mesh.load import convex_hull
from unibody.core.assets.mesh.types import TriMesh
from unibody.errors import AssetError, InvalidArgumentError

NO_FACES = np.zeros((0, 3), dtype=np.int32)
CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=np.float64)


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    mesh_hull._memory.clear()
    return tmp_path / "unibody" / "hulls"


def cloud(points: np.ndarray) -> TriMesh:
    return TriMesh(np.asarray(points, dtype=np.float64), NO_FACES)


def volume(mesh: TriMesh) -> float:
    a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def compiles(hull: TriMesh) -> bool:
    spec = mujoco.MjSpec()
    spec.add_mesh(name="m", uservert=hull.vertices.ravel(), userface=hull.faces.ravel())
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="m")
    return spec.compile().nmesh == 1


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("offset", [0.0, 10.0])
def test_vertices_and_volume_equal_those_of_scipys_hull(scale: float, offset: float) -> None:
    points = (np.random.default_rng(0).normal(size=(500, 3)) + offset) * scale
    hull, expected = convex_hull(cloud(points)), ConvexHull(points)
    wanted = {tuple(point) for point in points[expected.vertices]}
    # The coordinates go through a scaling and back: a few rounding errors of float64.
    for vertex in hull.vertices:
        assert min(np.abs(np.array(list(wanted)) - vertex).max(axis=1)) <= 1e-12 * scale * 20
    assert len(hull.vertices) == len(wanted)
    assert volume(hull) == pytest.approx(expected.volume, rel=1e-9)


def test_points_inside_and_doubled_points_do_not_change_a_hull() -> None:
    inside = np.random.default_rng(1).uniform(0.1, 0.9, size=(50, 3))
    hull = convex_hull(cloud(np.concatenate([CUBE, inside, CUBE])))
    assert sorted(map(tuple, hull.vertices)) == sorted(map(tuple, CUBE))
    assert volume(hull) == pytest.approx(1.0)


def test_a_bound_on_the_vertices_holds() -> None:
    points = np.random.default_rng(2).normal(size=(500, 3))
    assert len(convex_hull(cloud(points), max_vertices=12).vertices) <= 12


@pytest.mark.parametrize(
    "points",
    [
        CUBE * [1, 1, 0],
        CUBE * [1, 0, 0] + [5, 5, 5],
        CUBE * [50, 70, 0],
        CUBE[:3],
        CUBE[:2],
        np.concatenate([CUBE[:3], CUBE[:3]]),
        CUBE @ np.array([[1, 1, 0], [1, 1, 0], [0, 0.5, 1]]),
        CUBE * [1, 1, 1e-9],
        CUBE * 1e-7,
        CUBE * 1e7,
        CUBE * [1, 1e-5, 1e-5],
    ],
    ids=[
        "flat",
        "line",
        "large",
        "three",
        "two",
        "doubled",
        "tilted",
        "thin",
        "tiny",
        "huge",
        "rod",
    ],
)
def test_a_degenerate_cloud_has_a_hull_that_the_engine_takes(points: np.ndarray) -> None:
    hull = convex_hull(cloud(points))
    assert volume(hull) > 0
    if np.ptp(points) > 1e-3:  # the engine itself takes no mesh of a micrometre
        assert compiles(hull)
    # The thickening is at most 1 mm, half of it on either side.
    excess = max(
        np.abs(hull.vertices.max(axis=0) - points.max(axis=0)).max(),
        np.abs(hull.vertices.min(axis=0) - points.min(axis=0)).max(),
    )
    assert excess <= min(5.1e-4, 5.1e-4 * np.ptp(points, axis=0).max())


@pytest.mark.parametrize(
    ("points", "part"),
    [
        (np.ones((5, 3)), "all vertices"),
        (np.array([[0, 0, 0], [1, 0, 0], [0, np.nan, 0], [0, 0, 1]]), "finite"),
    ],
)
def test_a_cloud_without_a_hull_is_an_error(points: np.ndarray, part: str) -> None:
    with pytest.raises(AssetError, match=part):
        convex_hull(cloud(points))


def test_a_bound_below_four_vertices_is_an_error() -> None:
    with pytest.raises(InvalidArgumentError, match="max_vertices=3"):
        convex_hull(cloud(CUBE), max_vertices=3)


def test_the_triangles_of_a_hull_look_outward() -> None:
    points = np.random.default_rng(3).normal(size=(60, 3))
    hull = convex_hull(cloud(points))
    a, b, c = hull.vertices[hull.faces].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    heights = (
        np.einsum("fj,vj->fv", normals, hull.vertices) - np.einsum("ij,ij->i", normals, a)[:, None]
    )
    assert heights.max() < 1e-9


def test_equal_vertices_share_one_hull_whatever_their_faces() -> None:
    faces = np.array([[0, 1, 2]], dtype=np.int32)
    assert convex_hull(cloud(CUBE)) is convex_hull(TriMesh(CUBE.copy(), faces))


def test_a_hull_is_read_from_the_store_by_the_next_process(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = convex_hull(cloud(CUBE))
    mesh_hull._memory.clear()
    monkeypatch.setattr(mesh_hull, "_compute", lambda *_: pytest.fail("computed again"))
    again = convex_hull(cloud(CUBE))
    assert again is not first
    assert again.key == first.key
    assert [file.suffix for file in store.iterdir()] == [".hull"]


@pytest.mark.parametrize("damage", ["empty", "cut", "other", "size", "index", "number"])
def test_a_damaged_file_in_the_store_is_replaced(store: Path, damage: str) -> None:
    key = convex_hull(cloud(CUBE)).key
    (file,) = store.iterdir()
    good = file.read_bytes()
    if damage == "empty":
        file.write_bytes(b"")
    elif damage == "cut":
        file.write_bytes(good[: len(good) // 2])
    elif damage == "other":
        file.write_bytes(b"something else")
    elif damage == "size":
        file.write_bytes(b"\xff" * 8 + good[8:])
    elif damage == "index":
        file.write_bytes(good[:-4] + (99).to_bytes(4, "little"))
    else:
        file.write_bytes(good[:8] + np.array([np.nan]).tobytes() + good[16:])
    mesh_hull._memory.clear()
    assert convex_hull(cloud(CUBE)).key == key
    assert len(file.read_bytes()) == len(good)


def test_a_store_that_cannot_be_written_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert len(convex_hull(cloud(CUBE)).vertices) == 8


def test_a_widened_cube_is_a_larger_cube() -> None:
    hull = convex_hull(cloud(CUBE))
    wide = widened(hull, 0.25)
    middle = 0.5 * (CUBE.min(axis=0) + CUBE.max(axis=0))
    half = 0.5 * (CUBE.max(axis=0) - CUBE.min(axis=0))
    # the squares of normals are damped by 1e-6
    assert np.abs(wide.vertices - middle) == pytest.approx(
        np.broadcast_to(half + 0.25, wide.vertices.shape), rel=1e-5
    )
    assert (wide.faces == hull.faces).all()


def test_no_corner_of_a_widened_needle_goes_farther_than_twice_the_margin() -> None:
    points = np.array([[0, 0, 0], [0.01, 0, 0], [0, 0.01, 0], [0, 0, 1.0]])
    wide = widened(convex_hull(cloud(points)), 0.1).vertices
    away = np.linalg.norm(wide[:, None] - points, axis=2).min(axis=1)
    assert away.max() == pytest.approx(0.2)
    assert away.min() > 0.1 - 1e-6


def test_faces_that_meet_at_a_sharp_edge_are_moved_and_not_turned() -> None:
    points = np.array([[0, y, z] for y in (0, 1.0) for z in (0, 0.1)] + [[1, 0, 0], [1, 1, 0]])
    wide = widened(convex_hull(cloud(points)), 0.01)
    slope = np.array([0.1, 0, 1]) / np.hypot(0.1, 1)
    for normal, at in ((slope, 0.1 * slope[2]), (np.array([0, 0, -1.0]), 0.0)):
        heights = wide.vertices @ normal - at
        assert heights.max() == pytest.approx(0.01, abs=1e-7)
        assert np.sum(heights > 0.01 - 1e-7) >= 4
