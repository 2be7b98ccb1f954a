"""Large ground in pieces, so that cameras draw only what is before them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import Shape
from unibody.core.assets.mesh.load import load_mesh
from unibody.core.assets.terrain.grids import points_of, triangles_of
from unibody.core.render.mesh import Mesh, make_mesh
from unibody.core.render.shapes import mesh_of_shape

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]
_TILE = 4000  # triangles
_FLAT = 400_000  # of more triangles corners are shared, which makes their shading smooth


def tiles_of(shape: Shape) -> list[Mesh]:
    """The meshes of a part of the ground, one behind the other in its frame."""
    if shape.heightfield is not None:
        return tiles(points_of(shape.heightfield), triangles_of(shape.heightfield))
    if shape.mesh is not None and not shape.mesh.file:
        (mesh,) = load_mesh(shape.mesh)
        return tiles(mesh.vertices, mesh.faces)
    mesh = mesh_of_shape(shape)
    return [] if mesh is None else [mesh]


def tiles(vertices: Floats, faces: Ints) -> list[Mesh]:
    """Triangles cut into meshes that lie side by side.

    Args:
        vertices: (V, 3) [m].
        faces: (F, 3).
    """
    if not len(faces):
        return []
    normals = _normals(vertices, faces) if len(faces) > _FLAT else None
    middles = vertices[faces].mean(axis=1)
    low, high = middles.min(axis=0), middles.max(axis=0)
    across = np.argsort(high - low, kind="stable")[1:]  # the two axes it reaches farthest along
    width, depth = np.maximum((high - low)[across], 1e-9)
    side = math.sqrt(width * depth * _TILE / len(faces))
    place = ((middles - low)[:, across] / max(side, 1e-9)).astype(np.int64)
    number = place[:, 0] * (int(place[:, 1].max()) + 1) + place[:, 1]
    order = np.argsort(number, kind="stable")
    cuts = np.flatnonzero(np.diff(number[order])) + 1
    found: list[Mesh] = []
    for chosen in np.split(order, cuts):
        used, local = np.unique(faces[chosen], return_inverse=True)
        own = None if normals is None else normals[used]
        found.append(make_mesh(vertices[used], local.reshape(-1, 3), own))
    return found


def _normals(vertices: Floats, faces: Ints) -> Floats:
    """Normals of corners, (V, 3): those of their triangles, by area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    flat = np.cross(b - a, c - a)
    normals = np.zeros((len(vertices), 3))
    for axis in range(3):
        weights = np.repeat(flat[:, axis], 3)
        normals[:, axis] = np.bincount(faces.ravel(), weights, len(vertices))
    return normals
