"""Convex hulls of meshes, computed by MuJoCo's own compiler and kept in memory and on disk."""

from __future__ import annotations

import hashlib
import itertools
import struct
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from unibody.core.assets.bounded_cache import BoundedCache
from unibody.core.assets.disk_cache import store, stored
from unibody.core.assets.mesh.store import store_meshes, stored_meshes
from unibody.core.assets.mesh.types import FloatArray, IntArray, TriMesh
from unibody.errors import AssetError, InvalidArgumentError

# Part of every key: to be changed together with anything that changes the result.
_VERSION = "1"
# A stored hull: how many points and triangles, then their numbers. Half a millisecond less to read
# than an archive, for each mesh of a robot.
_FOLDER, _SUFFIX = "hulls", ".hull"
_SIZES, _POINT, _TRIANGLE = struct.Struct("<2I"), 24, 12
_MEMORY_ENTRIES = 4096
_MEMORY_BYTES = 24 << 20
_memory: BoundedCache[str, TriMesh] = BoundedCache(_MEMORY_ENTRIES, _MEMORY_BYTES)
_PARTS = "parts"  # the folder of hulls that were widened, those of one shape together
_WIDENED = "2"  # part of their keys, as _VERSION
_parts: BoundedCache[str, list[TriMesh]] = BoundedCache(_MEMORY_ENTRIES, _MEMORY_BYTES)

# Extents below this fraction of the largest one count as none: float32, in which MuJoCo keeps
# vertices, resolves 6e-8 of the largest coordinate.
_FLAT = 1e-6
_DAMPED = 1e-6  # keeps the squares of normals of a flat corner from being singular
_ALIKE = 1e-2  # points of a sharp corner nearer to one another, in margins, are one


def convex_hull(
    mesh: TriMesh, max_vertices: int | None = None, *, remember: bool = True
) -> TriMesh:
    """The convex hull of the vertices of a mesh.

    A flat mesh or a line is thickened to a thousandth of its length, at most 1 mm, so that the
    engine can collide with it. Equal vertices give an equal hull, in any process.

    Args:
        mesh: Any mesh; its faces do not matter.
        max_vertices: Upper bound on the vertices of the hull, at least 4; None: no bound.
        remember: Keep the hull for the next time, in this process and in others.

    Returns:
        Triangles that look outward, with the vertices of the hull only.

    Raises:
        AssetError: A vertex is not finite, or all vertices coincide.
        InvalidArgumentError: ``max_vertices`` is below 4.
    """
    if max_vertices is not None and max_vertices < 4:
        raise InvalidArgumentError("max_vertices", max_vertices, "at least 4, or None")
    if not np.isfinite(mesh.vertices).all():
        raise AssetError(mesh.source, mesh.name, "has a vertex that is not finite")
    if not remember:
        return TriMesh(*_compute(mesh, max_vertices))
    key = _hull_key(mesh.vertices, max_vertices)
    hull = _memory.get(key)
    if hull is None:
        found = _read(key)
        vertices, faces = found or _compute(mesh, max_vertices)
        if found is None:
            _write(key, vertices, faces)
        hull = TriMesh(vertices, faces)
        _memory.put(key, hull, hull.nbytes)
    return hull


def widened_hulls(meshes: Sequence[TriMesh], margin: float) -> list[TriMesh]:
    """The convex hulls of meshes, with their faces moved outward; kept in memory and on disk.

    Args:
        meshes: The parts of a shape; their faces do not matter.
        margin: How far to move the faces [m]; 0: not at all.

    Raises:
        AssetError: As for `convex_hull`.
    """
    digest = hashlib.sha1(f"{_VERSION};{_WIDENED};{margin!r};".encode(), usedforsecurity=False)
    for mesh in meshes:
        digest.update(mesh.key.encode())
    key = digest.hexdigest()
    hulls = _parts.get(key)
    if hulls is None:
        hulls = stored_meshes(_PARTS, key)
        if hulls is None or len(hulls) != len(meshes):
            hulls = [convex_hull(mesh) for mesh in meshes]
            if margin > 0.0:
                hulls = [
                    _widened_for(mesh, hull, margin)
                    for mesh, hull in zip(meshes, hulls, strict=True)
                ]
                store_meshes(_PARTS, key, hulls)
        _parts.put(key, hulls, sum(hull.nbytes for hull in hulls))
    return hulls


def _widened_for(mesh: TriMesh, hull: TriMesh, margin: float) -> TriMesh:
    """`widened`, with the file of the mesh in errors: the hull may be that of several files."""
    try:
        return widened(hull, margin)
    except AssetError as error:
        raise AssetError(mesh.source, mesh.name, error.problem) from error


def widened(hull: TriMesh, margin: float) -> TriMesh:
    """A convex hull whose faces are moved outward.

    A vertex goes to where its faces then meet, in the sense of least squares where these are more
    than three, and at most twice the margin away: the tip of a needle stays where it is needed.
    Where they meet farther out, as at the edge of a ramp, the vertex becomes several: one more for
    each of its faces, so that these are moved by the margin there too, and are not turned.

    Args:
        hull: From `convex_hull`.
        margin: How far to move the faces [m].

    Returns:
        As many vertices and triangles, in the same order, where no corner is sharp.
    """
    corners = hull.vertices[hull.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
    count, corner = len(hull.vertices), hull.faces.T.ravel()

    def of_vertices(values: FloatArray) -> FloatArray:
        """Sums of a number of each face over the faces of each vertex, (count,)."""
        return np.asarray(np.bincount(corner, np.tile(values, 3), count), dtype=np.float64)

    sums = np.stack([of_vertices(normals[:, i]) for i in range(3)], axis=1)
    squares = np.empty((count, 3, 3))
    for i, j in itertools.combinations_with_replacement(range(3), 2):
        squares[:, i, j] = squares[:, j, i] = of_vertices(normals[:, i] * normals[:, j])
    squares += _DAMPED * np.eye(3)
    moves = np.linalg.solve(squares, margin * sums[:, :, None])[:, :, 0]
    far = np.linalg.norm(moves, axis=1, keepdims=True) / (2.0 * margin)
    moved = hull.vertices + moves / np.maximum(far, 1.0)
    sharp = (far[:, 0] > 1.0)[hull.faces.T]
    if not sharp.any():
        return TriMesh(moved, hull.faces)
    on_faces = np.concatenate(
        [
            hull.vertices[vertices[at]] + margin * normals[at]
            for vertices, at in zip(hull.faces.T, sharp, strict=True)
        ]
    )
    alike = np.unique(np.round(on_faces / (_ALIKE * margin)), axis=0, return_index=True)[1]
    points = np.concatenate([moved, on_faces[alike]])
    return convex_hull(TriMesh(points, hull.faces), remember=False)


def _hull_key(vertices: FloatArray, max_vertices: int | None) -> str:
    digest = hashlib.sha1(f"{_VERSION};{max_vertices};".encode(), usedforsecurity=False)
    digest.update(np.ascontiguousarray(vertices).data)
    return digest.hexdigest()


def _compute(mesh: TriMesh, max_vertices: int | None) -> tuple[FloatArray, IntArray]:
    points = np.unique(mesh.vertices, axis=0)
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    extent = float(np.ptp(points, axis=0).max())
    if not extent > 0:
        raise AssetError(mesh.source, mesh.name, f"all vertices are at {points[0].tolist()}")
    # Coordinates of order one: thresholds inside MuJoCo and its float32 do not see the scale.
    unit = _thickened((points - centre) / extent, extent)
    try:
        used, faces = _mujoco_hull(unit, max_vertices)
    except ValueError as error:
        raise AssetError(mesh.source, mesh.name, f"has no convex hull: {error}") from error
    return unit[used] * extent + centre, _outward(unit[used], faces)


def _thickened(unit: FloatArray, extent: float) -> FloatArray:
    """Points with a copy on either side along each principal axis they do not extend along."""
    middle = unit.mean(axis=0)
    spread = (unit - middle).T @ (unit - middle) / len(unit)
    thickness = 1e-3 * min(1.0, 1.0 / extent)
    for axis in np.linalg.eigh(spread).eigenvectors.T:
        if np.ptp(unit @ axis) < _FLAT:
            flat = unit - np.outer((unit - middle) @ axis, axis)
            unit = np.concatenate([flat - axis * thickness / 2, flat + axis * thickness / 2])
    return unit


def _mujoco_hull(points: FloatArray, max_vertices: int | None) -> tuple[IntArray, IntArray]:
    """Rows of ``points`` on the hull (N,), and its triangles over those rows (F, 3)."""
    mujoco: Any = import_module("mujoco")
    spec = mujoco.MjSpec()
    asset = spec.add_mesh(name="hull", uservert=points.ravel())
    asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    asset.maxhullvert = -1 if max_vertices is None else max_vertices
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="hull")
    graph: IntArray = np.array(spec.compile().mesh_graph, dtype=np.int32)
    count, triangles = int(graph[0]), int(graph[1])
    rows = graph[2 + count : 2 + 2 * count]
    begin = 2 + 3 * count + 3 * triangles
    corners = graph[begin : begin + 3 * triangles].reshape(-1, 3)
    order = np.argsort(rows, kind="stable")
    return rows[order], np.searchsorted(rows[order], corners).astype(np.int32)


def _outward(vertices: FloatArray, faces: IntArray) -> IntArray:
    a, b, c = (vertices[faces[:, column]] for column in range(3))
    inside = vertices.mean(axis=0)
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - inside) < 0
    faces[inward] = faces[inward][:, ::-1]
    return np.ascontiguousarray(faces, dtype=np.int32)


def _read(key: str) -> tuple[FloatArray, IntArray] | None:
    """A stored hull; None where there is none or the file is damaged."""
    data = stored(_FOLDER, key + _SUFFIX)
    if data is None or len(data) < _SIZES.size:
        return None
    points, triangles = _SIZES.unpack_from(data)
    end = _SIZES.size + points * _POINT
    if min(points, triangles) < 4 or len(data) != end + triangles * _TRIANGLE:
        return None
    vertices = np.frombuffer(data, "<f8", 3 * points, _SIZES.size).reshape(-1, 3)
    faces = np.frombuffer(data, "<i4", 3 * triangles, end).reshape(-1, 3)
    sound = np.isfinite(vertices).all() and faces.min() >= 0 and faces.max() < points
    return (vertices.copy(), faces.copy()) if sound else None


def _write(key: str, vertices: FloatArray, faces: IntArray) -> None:
    sizes = _SIZES.pack(len(vertices), len(faces))
    data = sizes + vertices.astype("<f8").tobytes() + faces.astype("<i4").tobytes()
    store(_FOLDER, key + _SUFFIX, data)
