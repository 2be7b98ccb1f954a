"""Splits a surface into flat convex polygons, as few as a greedy merge finds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from unibody.core.assets.mesh.topology import Surface
from unibody.core.assets.mesh.types import FloatArray

# Two triangles are in one plane when the far corner of each is this near to the plane of the
# other, as a fraction of the surface's extent.
_PLANE = 1e-6


@dataclass(slots=True)
class Patch:
    """A flat convex polygon.

    Attributes:
        corners: Indices of its corners in the surface's vertices, counter-clockwise, K of them.
        face: One of the triangles it is made of.
        across: For the edge that starts at each corner, a triangle beyond it; -1: none.
    """

    corners: list[int]
    face: int
    across: list[int]


def patches_of(surface: Surface) -> list[Patch]:
    """Merges neighbouring triangles of a surface as long as they form a flat convex polygon."""
    polygons: list[dict[int, tuple[int, int]]] = []  # start of an edge -> its end, face beyond
    for face, across in zip(surface.faces.tolist(), surface.neighbours.tolist(), strict=True):
        polygons.append({face[k]: (face[(k + 1) % 3], across[k]) for k in range(3)})
    owner = list(range(len(polygons)))
    edges = _flat_edges(surface)
    while edges:  # a merge can make room for another one that failed before
        left = [edge for edge in edges if not _merge(edge, polygons, owner, surface)]
        if len(left) == len(edges):
            break
        edges = [edge for edge in left if _root(owner, edge[0]) != _root(owner, edge[1])]
    return [_patch(polygon, face) for face, polygon in enumerate(polygons) if owner[face] == face]


def _patch(polygon: dict[int, tuple[int, int]], face: int) -> Patch:
    start = next(iter(polygon))
    corners = [start]
    while polygon[corners[-1]][0] != start:
        corners.append(polygon[corners[-1]][0])
    return Patch(corners, face, [polygon[corner][1] for corner in corners])


def _flat_edges(surface: Surface) -> list[tuple[int, int]]:
    """Pairs of faces that lie in one plane: across long edges first, then along lines.

    That order turns the two halves of a square into the square and a row of squares into a bar.
    """
    vertices, faces = surface.vertices, surface.faces
    extent = float(np.ptp(vertices, axis=0).max()) if len(vertices) else 1.0
    face, corner = np.nonzero(surface.neighbours > np.arange(len(faces))[:, None])
    other = surface.neighbours[face, corner]
    begin, end = faces[face, corner], faces[face, (corner + 1) % 3]
    aligned = np.einsum("ij,ij->i", surface.normals[face], surface.normals[other]) > 0.999
    flat = np.ones(len(face), dtype=bool)
    for one, two in ((face, other), (other, face)):
        offsets = vertices[faces[two]] - vertices[begin][:, None]
        height = np.abs(np.einsum("ikj,ij->ik", offsets, surface.normals[one])).max(axis=1)
        flat &= height < _PLANE * extent
    keep = aligned & flat
    along: FloatArray = vertices[end[keep]] - vertices[begin[keep]]
    distance: FloatArray = np.sqrt((along * along).sum(axis=1))
    length = np.round(distance / extent, 6)
    direction = np.round(np.abs(along) / extent, 6)
    middle = np.round((vertices[end[keep]] + vertices[begin[keep]]) / extent, 6)
    order = np.lexsort((*middle.T, *direction.T, -length))
    return list(zip(face[keep][order].tolist(), other[keep][order].tolist(), strict=True))


def _root(owner: list[int], face: int) -> int:
    while owner[face] != face:
        owner[face] = owner[owner[face]]
        face = owner[face]
    return face


def _merge(
    edge: tuple[int, int],
    polygons: list[dict[int, tuple[int, int]]],
    owner: list[int],
    surface: Surface,
) -> bool:
    """Joins the polygons on both sides of an edge if the result is one convex polygon."""
    one, two = _root(owner, edge[0]), _root(owner, edge[1])
    if one == two:
        return True
    a, b = polygons[one], polygons[two]
    joined = {start: item for start, item in a.items() if b.get(item[0], (-1, 0))[0] != start}
    rest = {start: item for start, item in b.items() if a.get(item[0], (-1, 0))[0] != start}
    if joined.keys() & rest.keys() or not _is_coplanar(surface, one, two):
        return False
    joined.update(rest)
    if not _is_convex(joined, surface.vertices, surface.normals[one]):
        return False
    polygons[one] = joined
    owner[two] = one
    return True


def _is_coplanar(surface: Surface, one: int, two: int) -> bool:
    """Whether two polygons are parallel; drift along a gently curved strip ends the merge."""
    return float(surface.normals[one] @ surface.normals[two]) > 1.0 - 1e-9


def _is_convex(
    polygon: dict[int, tuple[int, int]], vertices: FloatArray, normal: FloatArray
) -> bool:
    """Whether the edges form one loop that never turns right, seen against the normal."""
    nx, ny, nz = normal.tolist()
    start = next(iter(polygon))
    here, count, turn = start, 0, 0.0
    px, py, pz = vertices[here].tolist()
    ends = polygon[here][0]
    qx, qy, qz = vertices[ends].tolist()
    ux, uy, uz = qx - px, qy - py, qz - pz
    while True:
        count += 1
        here = ends
        item = polygon.get(here)
        if item is None or count > len(polygon):
            return False
        ends = item[0]
        px, py, pz = qx, qy, qz
        qx, qy, qz = vertices[ends].tolist()
        vx, vy, vz = qx - px, qy - py, qz - pz
        sine = nx * (uy * vz - uz * vy) + ny * (uz * vx - ux * vz) + nz * (ux * vy - uy * vx)
        cosine = ux * vx + uy * vy + uz * vz
        scale = math.sqrt((ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz))
        if sine < -1e-7 * scale or (cosine < 0 and sine < 1e-7 * scale):
            return False
        turn += math.atan2(sine, cosine)
        ux, uy, uz = vx, vy, vz
        if here == start:
            return count == len(polygon) and abs(turn - 2 * math.pi) < 1e-3
