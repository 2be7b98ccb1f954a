"""Taking a mesh apart into convex pieces by plane cuts, without voxels; kept on disk.

A piece of the surface is cut in two as long as some of it lies deep inside its own convex hull.
Cuts that would leave some of the inside of the mesh outside the hulls are not made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unibody.core.assets.mesh.hull import convex_hull
from unibody.core.assets.mesh.piece_store import keep_pieces, kept_pieces, pieces_name
from unibody.core.assets.mesh.types import FloatArray, TriMesh
from unibody.errors import AssetError

_VERSION = 1  # part of every key: to be changed with anything that changes the pieces
_PLACES = 5  # at which a cut is tried along each axis
_GAIN = 0.05  # of a hull's volume: a cut that saves less is made in the middle of the longest side
_TINY = 1e-3  # of the hull of everything: pieces below this share stay as they are
_EDGE = 1e-9  # of the extent: what is nearer to a plane than this is on it
_FINE = 2000  # triangles: fewer than this are looked at in more places each
_TRIALS = 6  # cuts that are looked at closely
_SLACK = 1e-3  # of the diagonal: by so much the inside may stick out of a hull
_GRID = 4000  # points that tell where the inside is, fewer in large meshes
_WORK = 2e7  # such points times triangles
_PROBES = 500  # triangles that a cut is tried with
_CORNERS = 128  # of the hull that depths are measured in


@dataclass(slots=True)
class _Piece:
    """A part of the mesh.

    Attributes:
        triangles: Of the surface, (N, 3, 3).
        inside: Points inside the mesh that the hull has to cover, (M, 3).
        normals: Of the hull's faces, (F, 3), with their offsets from the origin, (F,).
        volume: Of the hull.
        depth: How deep the surface lies inside the hull.
    """

    triangles: FloatArray
    inside: FloatArray
    normals: FloatArray
    offsets: FloatArray
    volume: float
    depth: float

    def covers(self, slack: float) -> bool:
        """Whether the inside is in the hull."""
        outside = self.inside @ self.normals.T - self.offsets
        return not len(outside) or float(outside.max()) <= slack


def convex_cuts(
    meshes: list[TriMesh],
    concavity: float,
    *,
    most: int,
    max_vertices: int,
    file: object,
) -> list[TriMesh]:
    """Convex meshes that together cover the given ones, largest first.

    They are kept on disk, and found again for equal meshes and numbers.

    Args:
        meshes: The parts of one object.
        concavity: How deep the surface of a piece may lie inside its hull, as a share of the
            diagonal of the whole.
        most: Largest number of pieces.
        max_vertices: Of one piece, at least 4.
        file: Named in an error.

    Raises:
        AssetError: There is no triangle.
    """
    numbers = f"{_VERSION};{concavity};{most};{max_vertices}"
    name = pieces_name(numbers, meshes)
    found = kept_pieces(name)
    if found is not None:
        return found
    pieces = _cut(meshes, concavity, most, max_vertices, file)
    keep_pieces(name, pieces)
    return pieces


def _cut(
    meshes: list[TriMesh], concavity: float, most: int, max_vertices: int, file: object
) -> list[TriMesh]:
    corners = [mesh.vertices[mesh.faces] for mesh in meshes if len(mesh.faces)]
    if not corners:
        raise AssetError(file, "mesh", "has no triangles to take apart")
    triangles = np.concatenate(corners)
    points = triangles.reshape(-1, 3)
    deepest = concavity * float(np.linalg.norm(np.ptp(points, axis=0)))
    whole = _piece(triangles, _inside(triangles))
    slack = _SLACK * float(np.linalg.norm(np.ptp(points, axis=0)))
    done: list[_Piece] = []
    left = [whole]
    while left and len(done) + len(left) < most:
        left.sort(key=lambda piece: piece.volume)
        piece = left.pop()
        shallow = piece.depth <= deepest or piece.volume < _TINY * whole.volume
        parts = [] if shallow else _halves(piece, slack)
        left += parts
        if not parts:
            done.append(piece)
    pieces = sorted([*done, *left], key=lambda piece: -piece.volume)
    return [_hull(piece.triangles.reshape(-1, 3), max_vertices) for piece in pieces]


def _piece(triangles: FloatArray, inside: FloatArray) -> _Piece:
    hull = _hull(triangles.reshape(-1, 3), _CORNERS)
    a, b, c = (hull.vertices[hull.faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    sound = lengths > 1e-12 * lengths.max()
    normals = normals[sound] / lengths[sound, None]
    offsets = np.einsum("ij,ij->i", normals, a[sound])
    depth = 0.0
    for samples in np.array_split(_samples(triangles), max(1, len(triangles) // 1000)):
        depth = max(depth, float((offsets - samples @ normals.T).min(axis=1).max()))
    return _Piece(triangles, inside, normals, offsets, _volume(hull), depth)


def _samples(triangles: FloatArray) -> FloatArray:
    """Points on triangles: corners and middles, and more on few triangles."""
    steps = 6 if len(triangles) < _FINE else 1
    weights = np.array(
        [(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    )
    weights = np.concatenate([weights / steps, np.full((1, 3), 1.0 / 3.0)])
    return np.einsum("wk,nkx->nwx", weights, triangles).reshape(-1, 3)


def _halves(piece: _Piece, slack: float) -> list[_Piece]:
    """The pieces on both sides of the best plane; none where no plane will do."""
    points = piece.triangles.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    probes = piece.triangles[:: max(1, len(piece.triangles) // _PROBES)]
    found: list[tuple[float, int, float]] = []
    for axis in range(3):
        for place in _places(points[:, axis]):
            volume = sum(map(_cloud_volume, _clouds(probes, axis, place)))
            if volume < (1.0 - _GAIN) * piece.volume:
                found.append((volume, axis, place))
        # Later cuts may gain by one in the middle: they come last, the longest side first.
        middle = float(low[axis] + high[axis]) / 2
        found.append((piece.volume * (2.0 - float((high - low)[axis])), axis, middle))
    longest = float((high - low).max())
    found.sort(key=lambda cut: cut[0] if cut[0] < piece.volume else cut[0] + longest)
    for _, axis, place in found[:_TRIALS]:
        parts = _parts(piece, axis, place)
        if len(parts) == 2 and all(part.covers(slack) for part in parts):
            return parts
    return []


def _parts(piece: _Piece, axis: int, place: float) -> list[_Piece]:
    parts: list[_Piece] = []
    for keep in (-1.0, 1.0):
        side = _clipped(piece.triangles, axis, place, keep)
        if len(side) and _extent(side) > 0.0:
            inside = piece.inside[keep * (piece.inside[:, axis] - place) > 0.0]
            parts.append(_piece(side, inside))
    return parts


def _inside(triangles: FloatArray) -> FloatArray:
    """Points of a grid that the surface winds around, (M, 3); a surface may have small holes.

    The winding number is the sum of the solid angles of the triangles (van Oosterom and Strackee,
    1983), and one full turn inside a closed surface.
    """
    points = triangles.reshape(-1, 3)
    low = points.min(axis=0)
    span: FloatArray = points.max(axis=0) - low
    count = min(_GRID, max(_GRID // 20, int(_WORK / len(triangles))))
    step = float(np.prod(np.maximum(span, 1e-3 * span.max())) / count) ** (1.0 / 3.0)
    counts = [max(1, round(side / step)) for side in span.tolist()]
    lines: list[FloatArray] = [
        low[k] + (np.arange(n) + 0.5) * (span[k] / n) for k, n in enumerate(counts)
    ]
    axes: list[FloatArray] = list(np.meshgrid(*lines, indexing="ij"))
    grid: FloatArray = np.stack(axes, axis=-1).reshape(-1, 3)
    turns = np.zeros(len(grid))
    chunk = max(1, int(2e6 / len(triangles)))
    for begin in range(0, len(grid), chunk):
        offset = triangles[None] - grid[begin : begin + chunk, None, None]
        a, b, c = (offset[:, :, k] for k in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
        ab, bc, ca = (np.einsum("ijk,ijk->ij", u, v) for u, v in ((a, b), (b, c), (c, a)))
        volume = np.einsum("ijk,ijk->ij", a, np.cross(b, c))
        angles = np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
        turns[begin : begin + chunk] = angles.sum(axis=1) / (2.0 * np.pi)
    return grid[np.abs(turns) > 0.5]


def _places(values: FloatArray) -> list[float]:
    """Where along an axis a cut is tried: at its vertices where there are few, else evenly."""
    low, high = float(values.min()), float(values.max())
    slack = _EDGE * (high - low)
    if not slack > 0.0:
        return []
    distinct = np.unique(np.round(values / slack) * slack)
    inner = distinct[(distinct > low + slack) & (distinct < high - slack)]
    if len(inner) > _PLACES:
        return np.linspace(low, high, _PLACES + 2)[1:-1].tolist()
    return inner.tolist() or [(low + high) / 2]


def _clouds(triangles: FloatArray, axis: int, place: float) -> list[FloatArray]:
    """Points whose hulls are those of the triangles below and above a plane."""
    points = triangles.reshape(-1, 3)
    start, end = points, np.roll(triangles, -1, axis=1).reshape(-1, 3)
    a, b = start[:, axis] - place, end[:, axis] - place
    crosses = a * b < 0.0
    share = (a[crosses] / (a[crosses] - b[crosses]))[:, None]
    between = start[crosses] + share * (end[crosses] - start[crosses])
    return [np.concatenate([points[side], between]) for side in (a <= 0.0, a >= 0.0)]


def _clipped(triangles: FloatArray, axis: int, place: float, keep: float) -> FloatArray:
    """The parts of triangles below (``keep`` -1) or above (1) a plane."""
    side = keep * (triangles[:, :, axis] - place)
    inside = (side >= 0.0).all(axis=1) & (side > 0.0).any(axis=1)
    parts = [triangles[inside]]
    for corners, heights in zip(
        triangles[~inside & (side > 0.0).any(axis=1)],
        side[~inside & (side > 0.0).any(axis=1)],
        strict=True,
    ):
        polygon: list[FloatArray] = []
        for k in range(3):
            this, following = heights[k], heights[(k + 1) % 3]
            if this >= 0.0:
                polygon.append(corners[k])
            if this * following < 0.0:
                share = this / (this - following)
                polygon.append(corners[k] + share * (corners[(k + 1) % 3] - corners[k]))
        parts += [
            np.array([[polygon[0], polygon[k], polygon[k + 1]]]) for k in range(1, len(polygon) - 1)
        ]
    return np.concatenate(parts)


def _extent(triangles: FloatArray) -> float:
    return float(np.ptp(triangles.reshape(-1, 3), axis=0).max())


def _cloud_volume(points: FloatArray) -> float:
    """About the volume of the hull of points: that of the hull of the outermost of them."""
    if len(points) < 4 or not np.ptp(points, axis=0).max() > 0.0:
        return 0.0
    outermost = np.unique((points @ _DIRECTIONS.T).argmax(axis=0))
    return _volume(_hull(points[outermost])) if len(outermost) >= 4 else 0.0


def _directions(count: int) -> FloatArray:
    """Unit vectors (count, 3), spread evenly along a spiral from pole to pole."""
    z = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    turn = np.arange(count) * (np.pi * (3.0 - np.sqrt(5.0)))
    across = np.sqrt(1.0 - z * z)
    return np.stack([across * np.cos(turn), across * np.sin(turn), z], axis=1)


_DIRECTIONS = np.concatenate([_directions(64), np.eye(3), -np.eye(3)])


def _hull(points: FloatArray, max_vertices: int | None = None) -> TriMesh:
    cloud = TriMesh(points, np.zeros((0, 3), dtype=np.int32))
    return convex_hull(cloud, max_vertices, remember=False)


def _volume(hull: TriMesh) -> float:
    a, b, c = (hull.vertices[hull.faces[:, k]] - hull.vertices[0] for k in range(3))
    return float(abs(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0)
