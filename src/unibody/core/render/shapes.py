"""Triangles of shapes, round ones finely divided."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import HeightfieldData, MeshSource, Shape, ShapeKind
from unibody.core.assets.mesh.load import load_mesh
from unibody.core.assets.mesh.types import TriMesh
from unibody.core.assets.terrain.grids import points_of, triangles_of
from unibody.core.render.mesh import Mesh, make_mesh

F64 = NDArray[np.float64]
PLANE_HALF = 128.0  # m: how far a plane reaches
_AROUND, _ALONG = 48, 12  # sections of a circle, and of a quarter of one


def mesh_of_shape(shape: Shape) -> Mesh | None:
    """The triangles of a shape in its own frame; None if it has none.

    A plane is a square with texture coordinates in metres. A height field stretches a texture over
    its whole area.

    Raises:
        AssetError: Its mesh cannot be read.
    """
    if shape.kind is ShapeKind.MESH:
        return None if shape.mesh is None else _mesh_of_source(shape.mesh)
    if shape.kind is ShapeKind.HEIGHTFIELD:
        return None if shape.heightfield is None else mesh_of_heightfield(shape.heightfield)
    return _primitive(shape.kind, tuple(shape.size))


def mesh_of_heightfield(data: HeightfieldData) -> Mesh:
    """A height field; the texture stands upside down and mirrored, as Bullet lays it."""
    vertices = points_of(data)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    uvs = 1.0 - (vertices - low)[:, :2] / (high - low)[:2]
    return make_mesh(vertices, triangles_of(data), None, uvs)


def join(meshes: list[Mesh]) -> Mesh:
    """Several meshes as one."""
    firsts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([m.faces + np.int32(k) for m, k in zip(meshes, firsts, strict=True)]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.uvs for mesh in meshes]),
    )


def _mesh_of_source(source: MeshSource) -> Mesh | None:
    if not source.file:
        if not source.faces:
            return None
        points = np.array(source.vertices) * source.scale
        return make_mesh(points, source.faces, source.normals or None, source.uvs or None)
    parts = tuple(part for part in load_mesh(source) if len(part.faces))
    return _joined(parts) if parts else None


@functools.lru_cache(maxsize=1024)
def _joined(parts: tuple[TriMesh, ...]) -> Mesh:
    return join([make_mesh(part.vertices, part.faces, part.normals, part.uv) for part in parts])


@functools.lru_cache(maxsize=4096)
def _primitive(kind: ShapeKind, size: tuple[float, ...]) -> Mesh | None:
    if size and not any(size):
        return None
    match kind:
        case ShapeKind.BOX:
            return _box(0.5 * np.asarray(size))
        case ShapeKind.SPHERE:
            return _turned(*_quarters(size[0], 0.0))
        case ShapeKind.ELLIPSOID:
            ball = _turned(*_quarters(1.0, 0.0))
            normals = ball.normals / np.maximum(size, 1e-12)
            return make_mesh(ball.vertices * np.asarray(size), ball.faces, normals, ball.uvs)
        case ShapeKind.CAPSULE:
            return _turned(*_quarters(size[0], 0.5 * size[1]))
        case ShapeKind.CYLINDER:
            radius, half = size[0], 0.5 * size[1]
            profile = [(0, -half), (radius, -half), (radius, -half), (radius, half), (radius, half)]
            normals = [(0, -1), (0, -1), (1, 0), (1, 0), (0, 1), (0, 1)]
            return _turned(np.array([*profile, (0, half)]), np.array(normals, dtype=np.float64))
        case _:
            h = PLANE_HALF
            corners = [(-h, -h, 0), (h, -h, 0), (h, h, 0), (-h, h, 0)]
            uvs = [corner[:2] for corner in corners]
            return make_mesh(corners, [(0, 1, 2), (0, 2, 3)], [(0, 0, 1)] * 4, uvs)


def _box(half: F64) -> Mesh:
    """Each side shows the whole texture."""
    corners: list[F64] = []
    normals: list[F64] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal, first, second = (np.roll(np.eye(3)[0], axis + k) for k in range(3))
            first = sign * first
            corners += [
                half * (sign * normal + u * first + v * second)
                for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ]
            normals += [sign * normal] * 4
    sides = 4 * np.arange(6)[:, None]
    faces = np.concatenate([np.add(sides, (0, 1, 2)), np.add(sides, (0, 2, 3))])
    uvs = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] * 6
    return make_mesh(corners, faces, normals, uvs)


def _quarters(radius: float, half: float) -> tuple[F64, F64]:
    """Profile and normals of two quarters of a circle, moved apart by a half length each."""
    angle = 0.5 * np.pi * np.arange(_ALONG + 1) / _ALONG
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    lower = upper[::-1] * (1.0, -1.0)
    profile = np.concatenate([radius * lower - (0.0, half), radius * upper + (0.0, half)])
    return profile, np.concatenate([lower, upper])


def _turned(profile: F64, normals: F64) -> Mesh:
    """What a profile (distance from the axis, height), from below, makes when it turns about z."""
    turn = 2.0 * np.pi * np.arange(_AROUND + 1) / _AROUND
    cosine, sine = np.cos(turn)[:, None], np.sin(turn)[:, None]
    count = len(profile)

    def around(points: F64) -> F64:
        flat = np.broadcast_to(points[:, 1], (len(turn), count))
        return np.stack([cosine * points[:, 0], sine * points[:, 0], flat], axis=-1).reshape(-1, 3)

    row = np.arange(_AROUND)[:, None] * count + np.arange(count - 1)
    a, b, c, d = row, row + count, row + count + 1, row + 1
    faces = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
    v = np.linspace(0.0, 1.0, count)
    uvs = np.stack(np.meshgrid(turn / (2.0 * np.pi), v, indexing="ij"), axis=-1).reshape(-1, 2)
    vertices = around(profile)
    corners = vertices[faces]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    solid = faces[np.linalg.norm(doubled, axis=1) > 1e-12 * np.ptp(vertices) ** 2]
    return make_mesh(vertices, solid, around(normals), uvs)
