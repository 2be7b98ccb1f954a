"""Which triangles of a mesh share edges, which way they face and which lie in one plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.mesh.stl import join
from unibody.core.assets.mesh.types import FloatArray, TriMesh

Rows = NDArray[np.int64]

# Corners nearer than this fraction of the mesh's extent are one corner.
_WELD = 1e-6


@dataclass(slots=True)
class Surface:
    """Triangles with shared corners and neighbours.

    Attributes:
        vertices: Positions, (V, 3) [m].
        faces: Triangles without area left out, turned so that neighbours agree, (F, 3).
        normals: Unit normals, (F, 3).
        neighbours: The face across the edge that starts at each corner, (F, 3); -1: none, or
            more than one.
        part: Connected part each face belongs to, (F,).
        closed: Whether each part has a neighbour at every edge, (P,).
    """

    vertices: FloatArray
    faces: Rows
    normals: FloatArray
    neighbours: Rows
    part: Rows
    closed: NDArray[np.bool_]


def surface_of(mesh: TriMesh) -> Surface:
    """Welds the corners of a mesh and works out its neighbourhoods.

    Triangles that disagree with their neighbours are turned over, as their part's larger area
    says.
    """
    extent = float(np.ptp(mesh.vertices, axis=0).max()) or 1.0
    grid, index = join(np.round(mesh.vertices / (_WELD * extent)))
    vertices = np.empty_like(grid)
    vertices[index] = mesh.vertices
    faces = index[mesh.faces].astype(np.int64)
    area = np.linalg.norm(_cross(vertices, faces), axis=1)
    faces = faces[area > (_WELD * extent) ** 2]
    # The same triangle twice would leave its edges without a single neighbour.
    _, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    faces = faces[np.sort(first)]
    neighbours, agree = _neighbours(faces)
    part, turned = _parts(neighbours, agree, np.linalg.norm(_cross(vertices, faces), axis=1))
    if turned.any():
        faces[turned] = faces[turned][:, ::-1]
        neighbours, _ = _neighbours(faces)
    cross = _cross(vertices, faces)
    normals = cross / np.linalg.norm(cross, axis=1, keepdims=True)
    closed = np.ones(int(part.max()) + 1 if len(part) else 0, dtype=bool)
    closed[part[(neighbours < 0).any(axis=1)]] = False
    return Surface(vertices, faces, normals, neighbours, part, closed)


def turn_over(surface: Surface, rows: NDArray[np.bool_]) -> None:
    """Makes whole parts of a surface face the other way."""
    surface.faces[rows] = surface.faces[rows][:, ::-1]
    surface.normals[rows] *= -1.0
    surface.neighbours, _ = _neighbours(surface.faces)


def _cross(vertices: FloatArray, faces: Rows) -> FloatArray:
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    return np.cross(b - a, c - a)


def _neighbours(faces: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """Face across each edge (F, 3), and whether it runs along the edge the other way (F, 3)."""
    begin, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    code = low * (int(faces.max(initial=0)) + 1) + high
    order = np.argsort(code, kind="stable")
    ordered = code[order]
    starts = (
        np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(code) else np.zeros(0, int)
    )
    pairs = starts[np.diff(np.r_[starts, len(code)]) == 2]
    one, two = order[pairs], order[pairs + 1]
    across = np.full(len(code), -1, dtype=np.int64)
    across[one], across[two] = two // 3, one // 3
    agree = np.ones(len(code), dtype=bool)
    agree[one] = agree[two] = begin[one] != begin[two]
    return across.reshape(-1, 3), agree.reshape(-1, 3)


def _parts(
    neighbours: Rows, agree: NDArray[np.bool_], area: FloatArray
) -> tuple[Rows, NDArray[np.bool_]]:
    """Connected part of each face, and the faces to turn over so that each part agrees."""
    part = np.full(len(neighbours), -1, dtype=np.int64)
    turned = np.zeros(len(neighbours), dtype=bool)
    links, same = neighbours.tolist(), agree.tolist()
    count = 0
    for seed in range(len(links)):
        if part[seed] >= 0:
            continue
        part[seed] = count
        members, stack = [seed], [seed]
        while stack:
            face = stack.pop()
            for other, fits in zip(links[face], same[face], strict=True):
                if other >= 0 and part[other] < 0:
                    part[other] = count
                    turned[other] = turned[face] if fits else not turned[face]
                    members.append(other)
                    stack.append(other)
        flipped = turned[members]
        if flipped.any() and area[members][flipped].sum() > area[members].sum() / 2:
            turned[members] = ~flipped
        count += 1
    return part, turned
