"""Convex polygons that together fill an outline, as few as a greedy merge finds."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np

from unibody.core.assets.mesh.outlines import area, sampled
from unibody.core.assets.mesh.types import FloatArray

_SLIVER = 1e-9  # sectors that are narrower are none [rad]
_WIDEST = math.pi / 3  # of a sector [rad]
_NARROW, _SMALL = 6.0, 200.0  # in errors and their squares: less than both is left out
_TOUCH = 1e-9  # of the extent: sides that share less only meet in a corner


@dataclass(slots=True)
class _Polygon:
    """A convex polygon: corners (K, 2), counter-clockwise, its bounds and area."""

    corners: FloatArray
    low: FloatArray = field(init=False)
    high: FloatArray = field(init=False)
    area: float = field(init=False)

    def __post_init__(self) -> None:
        self.low, self.high = self.corners.min(axis=0), self.corners.max(axis=0)
        self.area = area([self.corners])


@dataclass(slots=True, frozen=True)
class _Strip:
    """What lies between two rays: from where to where on the first, and on the second."""

    first: tuple[float, float]
    second: tuple[float, float]


def convex_polygons(loops: list[FloatArray], error: float) -> list[FloatArray]:
    """Cut what outlines enclose into convex polygons.

    Strips along rays from the middle are put together again as long as the outline lies nowhere
    deeper than the error inside the hull of a polygon.

    Args:
        loops: Corners of the outlines, (K, 2) each [m], the inside on the left.
        error: By how much polygons may stick out of the outlines [m].

    Returns:
        The corners of each polygon, (K, 2), counter-clockwise. They may overlap by the error, and
        leave out bits of hollow corners that are narrower than six times the error.
    """
    walls = sampled(loops)
    merged = _merged(*_cut(loops), walls, error)
    return [polygon.corners for polygon in merged if not _is_bit(polygon, error)]


def _cut(loops: list[FloatArray]) -> tuple[list[_Polygon], list[set[int]]]:
    """What outlines enclose, cut by rays to every corner, and which parts share a side.

    A circle that touches the outer outlines from inside cuts too: teeth part from their ring.
    """
    holes = [loop for loop in loops if area([loop]) < 0.0]
    outer = np.concatenate([loop for loop in loops if area([loop]) >= 0.0])
    middle = max(holes, key=lambda loop: -area([loop]), default=outer)
    centre = (middle.min(axis=0) + middle.max(axis=0)) / 2
    begin = np.concatenate(loops) - centre
    end = np.concatenate([np.roll(loop, -1, axis=0) for loop in loops]) - centre
    circle = float(np.linalg.norm(outer - centre, axis=1).min())
    touch = _TOUCH * float(np.ptp(outer, axis=0).max())
    polygons: list[_Polygon] = []
    neighbours: list[set[int]] = []
    rows: list[list[tuple[int, _Strip]]] = []
    for here, there in itertools.pairwise(_rays(begin)):
        row: list[tuple[int, _Strip]] = []
        for strip in _strips(begin, end, here, there, circle):
            corners = _corners(strip, here, there)
            if len(corners) > 2:
                row.append((len(polygons), strip))
                polygons.append(_Polygon(corners + centre))
                neighbours.append(set())
        for (one, lower), (two, upper) in itertools.pairwise(row):
            if lower.first[1] == upper.first[0] and lower.second[1] == upper.second[0]:
                neighbours[one].add(two)
                neighbours[two].add(one)
        rows.append(row)
    for before, after in itertools.pairwise([rows[-1], *rows]):
        for (one, left), (two, right) in itertools.product(before, after):
            common = min(left.second[1], right.first[1]) - max(left.second[0], right.first[0])
            if common > touch and one != two:
                neighbours[one].add(two)
                neighbours[two].add(one)
    return polygons, neighbours


def _rays(points: FloatArray) -> list[float]:
    """Angles of points, ascending, the first again after a full turn, and more where few are."""
    angles = np.unique(np.arctan2(points[:, 1], points[:, 0]))
    angles = angles[np.concatenate([[True], np.diff(angles) > _SLIVER])]
    rays: list[float] = []
    for here, there in itertools.pairwise([*angles.tolist(), float(angles[0]) + 2.0 * math.pi]):
        parts = math.ceil((there - here) / _WIDEST)
        rays += [here + (there - here) * k / parts for k in range(parts)]
    return [*rays, rays[0] + 2.0 * math.pi]


def _strips(
    begin: FloatArray, end: FloatArray, here: float, there: float, circle: float
) -> list[_Strip]:
    """The strips between two rays with no corner between them, outward."""
    x, y = math.cos((here + there) / 2), math.sin((here + there) / 2)
    left, right = x * begin[:, 1] - y * begin[:, 0], x * end[:, 1] - y * end[:, 0]
    rows = np.flatnonzero((left < 0.0) != (right < 0.0))
    share = left[rows] / (left[rows] - right[rows])
    radii = (begin[rows] + share[:, None] * (end[rows] - begin[rows])) @ (x, y)
    rows = rows[radii > 0.0][np.argsort(radii[radii > 0.0])]
    edges = [
        (_reach(begin[row], end[row], here), _reach(begin[row], end[row], there))
        for row in rows.tolist()
    ]
    if len(edges) % 2:  # the centre is inside
        edges.insert(0, (0.0, 0.0))
    strips: list[_Strip] = []
    for (a, b), (c, d) in zip(edges[::2], edges[1::2], strict=True):
        if max(a, b) < circle < min(c, d):
            strips += [_Strip((a, circle), (b, circle)), _Strip((circle, c), (circle, d))]
        else:
            strips.append(_Strip((a, c), (b, d)))
    return strips


def _reach(begin: FloatArray, end: FloatArray, angle: float) -> float:
    """Where a ray meets the line through two points."""
    x, y = math.cos(angle), math.sin(angle)
    (ax, ay), (bx, by) = begin.tolist(), end.tolist()
    left, right = x * ay - y * ax, x * by - y * bx
    share = min(max(left / (left - right), 0.0), 1.0) if left != right else 0.0
    return (ax + share * (bx - ax)) * x + (ay + share * (by - ay)) * y


def _corners(strip: _Strip, here: float, there: float) -> FloatArray:
    places = [(strip.first, here), (strip.second, there)]
    return _hull(
        np.array([(r * math.cos(a), r * math.sin(a)) for radii, a in places for r in radii])
    )


def _merged(
    strips: list[_Polygon], beside: list[set[int]], walls: FloatArray, error: float
) -> list[_Polygon]:
    """Grow one polygon after the other, each by the strip that the outline is least deep with."""
    left = dict(enumerate(strips))
    done: list[_Polygon] = []
    while left:
        start = next(iter(left))
        polygon, reached = left.pop(start), set(beside[start])
        while True:
            found: list[tuple[float, int, _Polygon]] = []
            for other in sorted(reached & left.keys()):
                union = _Polygon(_hull(np.concatenate([polygon.corners, left[other].corners])))
                depth = _depth(union, walls)
                if depth <= error:
                    found.append((depth, other, union))
            if not found:
                break
            _, other, polygon = min(found, key=lambda item: item[:2])
            del left[other]
            reached |= beside[other]
        done.append(polygon)
    return done


def _is_bit(polygon: _Polygon, error: float) -> bool:
    """Whether a polygon is one of the bits that fillets leave, and too small to matter."""
    return _width(polygon) < _NARROW * error and polygon.area < _SMALL * error * error


def _width(polygon: _Polygon) -> float:
    """The least distance between two parallel lines with the polygon between them."""
    normals, offsets = _sides(polygon)
    return float((polygon.corners @ normals.T - offsets).max(axis=0).min())


def _sides(polygon: _Polygon) -> tuple[FloatArray, FloatArray]:
    """Normals of the sides, inward, and their distances from the origin."""
    line = np.roll(polygon.corners, -1, axis=0) - polygon.corners
    normals = np.stack([-line[:, 1], line[:, 0]], axis=1) / np.linalg.norm(line, axis=1)[:, None]
    return normals, (normals * polygon.corners).sum(axis=1)


def _depth(polygon: _Polygon, walls: FloatArray) -> float:
    """How deep the outline lies inside a polygon."""
    near = walls[((walls > polygon.low) & (walls < polygon.high)).all(axis=1)]
    if not len(near):
        return 0.0
    normals, offsets = _sides(polygon)
    return max(float((near @ normals.T - offsets).min(axis=1).max()), 0.0)


def _hull(points: FloatArray) -> FloatArray:
    """Corners of the hull of points in a plane, counter-clockwise (Andrew's monotone chain)."""
    ordered: list[tuple[float, float]] = sorted({(x, y) for x, y in points.tolist()})
    if len(ordered) < 3:
        return np.array(ordered)
    chains: list[list[tuple[float, float]]] = []
    for run in (ordered, ordered[::-1]):
        chain: list[tuple[float, float]] = []
        for x, y in run:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                    break
                chain.pop()
            chain.append((x, y))
        chains.append(chain[:-1])
    return np.array(chains[0] + chains[1])
