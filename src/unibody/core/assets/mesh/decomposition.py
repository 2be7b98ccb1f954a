"""Taking a mesh apart into convex pieces: V-HACD's cuts, and merging what belongs together."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from unibody.core.assets.mesh.hull import convex_hull
from unibody.core.assets.mesh.types import TriMesh
from unibody.errors import AssetError

_MOST_CUTS = 5  # one after the other: 2^6 pieces
_GAP = 4.0  # voxels between pieces that were one
_SLIVER = 1e-2  # of the largest piece: smaller ones are what cuts along a surface leave
_SLACK = 2.5  # what all pieces together may add to the mesh, in units of the concavity


@dataclass(slots=True, frozen=True)
class Decomposition:
    """How finely a mesh is taken apart.

    Attributes:
        resolution: Largest number of voxels.
        concavity: Two pieces become one where that adds no more volume than this share of the
            volume of the mesh's hull.
        depth: Largest number of cuts one after the other.
        max_vertices: Of one piece.
    """

    resolution: int = 100_000
    concavity: float = 0.02
    depth: int = _MOST_CUTS - 1
    max_vertices: int = 64


def convex_pieces(meshes: list[TriMesh], how: Decomposition, file: object) -> list[TriMesh]:
    """Convex meshes that together fill what the given ones enclose, largest first.

    V-HACD 4 cuts to whatever depth it is told, and loses the voxels along its cuts. So the depth
    grows until the pieces add little to the mesh, and merging closes the gaps and finds out which
    cuts were not needed.

    Args:
        meshes: The parts of one object.
        how: The options.
        file: Named in an error.

    Raises:
        AssetError: There is nothing to take apart.
    """
    counts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [mesh.faces + first for mesh, first in zip(meshes, counts, strict=False)]
    if not sum(len(part) for part in faces):
        raise AssetError(file, "mesh", "has no triangles to take apart")
    whole = TriMesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(faces))
    enough = _volume(whole) * (1.0 + _SLACK * how.concavity)
    pieces: list[_Piece] = []
    for depth in range(1, min(max(how.depth, 1), _MOST_CUTS) + 1):
        pieces = _cut(whole, how, depth)
        if sum(piece.volume for piece in pieces) <= enough:
            break
    least = _SLIVER * max(piece.volume for piece in pieces)
    hulls = [_hull(p.points, how.max_vertices) for p in pieces if p.volume >= least]
    return sorted(hulls, key=_volume, reverse=True)


def _cut(whole: TriMesh, how: Decomposition, depth: int) -> list[_Piece]:
    vhacdx: Any = import_module("vhacdx")

    found: list[tuple[Any, Any]] = vhacdx.compute_vhacd(
        whole.vertices,
        whole.faces.astype(np.uint32),
        resolution=how.resolution,
        maxRecursionDepth=depth,
        maxConvexHulls=2 ** (_MOST_CUTS + 1),
        asyncACD=False,
    )
    size = _volume(_hull(whole.vertices))
    reach = _GAP * (size / how.resolution) ** (1.0 / 3.0)
    return _merged([np.array(points) for points, _ in found], how.concavity * size, reach)


class _Piece:
    """Vertices of a convex piece, with its volume and bounds."""

    def __init__(self, points: Any) -> None:
        hull = _hull(points)
        self.points = hull.vertices
        self.volume = _volume(hull)
        self.low, self.high = hull.vertices.min(axis=0), hull.vertices.max(axis=0)

    def near(self, other: _Piece, reach: float) -> bool:
        """Whether the bounds of two pieces touch within a distance."""
        return bool(((self.low - reach <= other.high) & (other.low - reach <= self.high)).all())

    def gap(self, other: _Piece) -> float:
        """Volume between two pieces that a cut across an axis has parted."""
        common = np.minimum(self.high, other.high) - np.maximum(self.low, other.low)
        axis = int(common.argmin())
        return max(0.0, -float(common[axis])) * float(np.prod(np.delete(common, axis)))


def _merged(parts: list[Any], allowed: float, reach: float) -> list[_Piece]:
    """Merge the pair that adds the least volume, again and again, while it is allowed."""
    pieces = dict(enumerate(map(_Piece, parts)))
    unions: dict[tuple[int, int], tuple[float, _Piece]] = {}

    def consider(a: int, b: int) -> None:
        one, two = pieces[a], pieces[b]
        if one.near(two, reach):
            union = _Piece(np.concatenate([one.points, two.points]))
            added = union.volume - one.volume - two.volume - one.gap(two)
            unions[a, b] = added, union

    for a, b in itertools.combinations(pieces, 2):
        consider(a, b)
    while unions:
        (a, b), (added, union) = min(unions.items(), key=lambda item: item[1][0])
        if added > allowed:
            break
        del pieces[a], pieces[b]
        unions = {key: value for key, value in unions.items() if not {a, b} & set(key)}
        number = max((a, b, *pieces)) + 1
        others = list(pieces)
        pieces[number] = union
        for other in others:
            consider(other, number)
    return list(pieces.values())


def _hull(points: Any, max_vertices: int | None = None) -> TriMesh:
    cloud = TriMesh(points, np.zeros((0, 3), dtype=np.int32))
    return convex_hull(cloud, max_vertices, remember=False)


def _volume(mesh: TriMesh) -> float:
    """Enclosed volume of a closed mesh [m^3]."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float(abs(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0)
