"""Shapes as PyBullet's TinyRenderer tessellates them.

Round shapes are coarse there: the convex hull of the points that are farthest in 42 directions.
Their normals point away from the shape's centre.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import MeshSource, Shape, ShapeKind, Vec3
from unibody.core.assets.mesh.load import convex_hull, load_mesh
from unibody.core.assets.mesh.types import TriMesh
from unibody.core.render.mesh import Mesh, make_mesh
from unibody.core.render.shapes import join, mesh_of_heightfield

F64 = NDArray[np.float64]
_RING = 32  # points of a circle
_MARGIN = 0.001  # m: the hull of a cylinder or capsule is larger by this
_PLANE_HALF = 128.0  # m, and tiles of the pattern
_GRID = 0.25  # the six sides of a box share one image, cut into 4 x 4 squares
# Faces of a box: outward normal, then corners with their column and row in that image.
_BOX_FACES = (
    ((0, 0, 1), ((-1, -1, 1, 3, 1), (1, -1, 1, 4, 1), (1, 1, 1, 4, 0), (-1, 1, 1, 3, 0))),
    ((0, 0, -1), ((-1, 1, -1, 2, 0), (1, 1, -1, 1, 0), (1, -1, -1, 1, 1), (-1, -1, -1, 2, 1))),
    ((-1, 0, 0), ((-1, -1, 1, 2, 1), (-1, 1, 1, 3, 1), (-1, 1, -1, 3, 0), (-1, -1, -1, 2, 0))),
    ((1, 0, 0), ((1, -1, -1, 1, 2), (1, 1, -1, 1, 1), (1, 1, 1, 0, 1), (1, -1, 1, 0, 2))),
    ((0, -1, 0), ((1, -1, -1, 2, 2), (1, -1, 1, 2, 1), (-1, -1, 1, 1, 1), (-1, -1, -1, 1, 2))),
    ((0, 1, 0), ((-1, 1, -1, 0, 0), (-1, 1, 1, 0, 1), (1, 1, 1, 1, 1), (1, 1, -1, 1, 0))),
)


def mesh_of(shape: Shape) -> Mesh | None:
    """The triangles of a shape in its own frame; None if it has none.

    Raises:
        AssetError: Its mesh cannot be read.
    """
    if shape.kind is ShapeKind.MESH:
        return None if shape.mesh is None else _of_source(shape.mesh)
    if shape.kind is ShapeKind.HEIGHTFIELD:
        return None if shape.heightfield is None else mesh_of_heightfield(shape.heightfield)
    if shape.size and not any(shape.size):
        return None
    return _primitive(shape.kind, tuple(shape.size))


@functools.lru_cache(maxsize=4096)
def _primitive(kind: ShapeKind, size: tuple[float, ...]) -> Mesh:
    match kind:
        case ShapeKind.BOX:
            return _box((0.5 * size[0], 0.5 * size[1], 0.5 * size[2]))
        case ShapeKind.SPHERE:
            return _round(size[0] * _directions())
        case ShapeKind.ELLIPSOID:
            return _round(np.asarray(size) * _directions())
        case ShapeKind.CYLINDER:
            return _round(_farthest(_rings(*size)))
        case ShapeKind.CAPSULE:
            pole = np.array([[0.0, 0.0, 0.5 * size[1] + size[0]]])
            return _round(_farthest(np.vstack([_rings(*size), pole, -pole])))
        case _:
            return _plane()


def _box(half: Vec3) -> Mesh:
    vertices, normals, uvs, faces = [], [], [], []
    for normal, corners in _BOX_FACES:
        first = len(vertices)
        faces += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
        for *corner, column, row in corners:
            vertices.append(np.multiply(corner, half))
            normals.append(normal)
            uvs.append((_GRID * column, _GRID * row))
    return make_mesh(vertices, faces, normals, uvs)


def _plane() -> Mesh:
    half = _PLANE_HALF
    corners = [(half, -half, 0), (half, half, 0), (-half, half, 0), (-half, -half, 0)]
    uvs = [(half, half), (0, half), (0, 0), (half, 0)]
    return make_mesh(corners, [(0, 1, 2), (0, 2, 3)], [(0, 0, 1)] * 4, uvs)


@functools.cache
def _directions() -> F64:
    """Vertices of an icosahedron with a corner up, and the middles of its edges, unit, (42, 3)."""
    height = 1.0 / math.sqrt(5.0)
    turn = 0.4 * math.pi * np.arange(5)
    ring = np.stack([2.0 * height * np.cos(turn), 2.0 * height * np.sin(turn)], axis=1)
    upper = np.column_stack([ring, np.full(5, height)])
    corners = np.vstack([upper, -upper, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    products = corners @ corners.T
    first, second = np.nonzero(np.triu(np.abs(products - height) < 1e-6, k=1))  # neighbours
    middles = corners[first] + corners[second]
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    # what is level has to be exactly so: it meets a circle above and one below at the same time
    return np.asarray(np.round(np.vstack([corners, middles]), 12), dtype=np.float64)


def _rings(radius: float, length: float) -> F64:
    """Points of two circles, above and below by turns, (2 * _RING, 3)."""
    turn = 2.0 * math.pi * np.arange(_RING) / _RING
    x, y, z = radius * np.sin(turn), radius * np.cos(turn), np.full(_RING, 0.5 * length)
    return np.stack([x, y, z, x, y, -z], axis=1).reshape(-1, 3)


def _farthest(points: F64) -> F64:
    """In each direction the point that is farthest, moved outward by the margin."""
    directions = _directions()
    chosen: F64 = points[np.argmax(directions @ points.T, axis=1)]
    return chosen + _MARGIN * directions


def _round(points: F64) -> Mesh:
    """The hull of points with normals away from the centre."""
    hull = convex_hull(TriMesh(np.ascontiguousarray(points), np.zeros((0, 3), dtype=np.int32)))
    lengths = np.linalg.norm(hull.vertices, axis=1, keepdims=True)
    normals = hull.vertices / np.where(lengths > 0.0, lengths, 1.0)
    u = np.arctan2(normals[:, 0], normals[:, 2]) / (2.0 * math.pi) + 0.5
    return make_mesh(
        hull.vertices, hull.faces, normals, np.stack([u, 0.5 * normals[:, 1] + 0.5], axis=1)
    )


def _of_source(source: MeshSource) -> Mesh | None:
    if not source.file:
        return _of_arrays(source)
    parts = tuple(
        part for part in load_mesh(MeshSource(source.file, source.name)) if part.faces.size
    )
    return _joined(parts, source.scale) if parts else None


def _of_arrays(source: MeshSource) -> Mesh | None:
    """Triangles from createVisualShape; normals it was not given point away from the origin."""
    if not source.faces:
        return None
    vertices = np.array(source.vertices, dtype=np.float64)
    normals = np.array(source.normals) if source.normals else vertices
    return make_mesh(vertices * source.scale, source.faces, normals, source.uvs or None)


@functools.lru_cache(maxsize=1024)
def _joined(parts: tuple[TriMesh, ...], scale: Vec3) -> Mesh:
    """The groups of a file as one mesh.

    As in PyBullet the scale changes the vertices alone: normals stay, and a mirrored mesh shows its
    inside.
    """
    mesh = join([make_mesh(part.vertices, part.faces, part.normals, part.uv) for part in parts])
    factors = np.asarray(scale, dtype=np.float32)
    return Mesh(mesh.vertices * factors, mesh.faces, mesh.normals, mesh.uvs)
