"""Pairs of a vertex and a triangle, and of two edges, that are near one another."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unibody.core.deform.surface_contact.closest import dot, shares, way
from unibody.core.deform.surface_contact.grid import bucket, cell_of, fill
from unibody.machine_code import numba

_compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")


class Apart(NamedTuple):
    """Which pairs do not count.

    Attributes:
        keys: Sorted keys of vertices too near along the surface: lesser number times count plus
            greater.
        bodies: Which body each particle belongs to.
        alone: Whether this body does not touch itself, for each particle.
        rest: Places at rest of all particles, flat [m].
        exclusion: Pairs of one body that are nearer than that at rest do not count [m].
    """

    keys: Any
    bodies: Any
    alone: Any
    rest: Any
    exclusion: float


@_compiled
def _listed(keys: Any, key: int) -> bool:
    """Whether a key is among sorted ones."""
    place = np.searchsorted(keys, key)
    return bool(place < len(keys) and keys[place] == key)


@_compiled
def _too_near(apart: Apart, count: int, a: int, b: int) -> bool:
    """Whether two vertices are too near along the surface."""
    return _listed(apart.keys, min(a, b) * count + max(a, b))


@_compiled
def _one_body(apart: Apart, a: int, b: int) -> bool:
    """Whether two vertices belong to a body that does not touch itself."""
    return apart.alone[a] and apart.bodies[a] == apart.bodies[b]


@_compiled
def _near_at_rest(apart: Apart, pair: Any, edges: bool) -> bool:
    """Whether a pair of one body is near at rest already."""
    if apart.exclusion <= 0.0 or apart.bodies[pair[0]] != apart.bodies[pair[3]]:
        return False
    return _distance(apart.rest, pair, edges) < apart.exclusion


@_compiled
def _distance(x: Any, pair: Any, edges: bool) -> float:
    between = way(x, pair, shares(x, pair, edges))
    return np.sqrt(dot(between, between))


@_compiled
def _triangle_near(
    x: Any, v: int, triangle: Any, low: Any, high: Any, margin: float, apart: Apart, pair: Any
) -> bool:
    """Whether a vertex is near a triangle, and counts; the four are written to `pair`."""
    for axis in range(3):
        if x[3 * v + axis] < low[axis] or x[3 * v + axis] > high[axis]:
            return False
    pair[0] = v
    for side in range(3):
        if triangle[side] == v:
            return False
        pair[side + 1] = triangle[side]
    if _distance(x, pair, False) >= margin:
        return False
    for side in range(3):
        if _too_near(apart, len(x) // 3, v, triangle[side]):
            return False
    return not _near_at_rest(apart, pair, False)


@_compiled
def vertices_and_triangles(
    x: Any, vertices: Any, triangles: Any, low: Any, high: Any, size: float, mask: int,
    margin: float, apart: Apart, pairs: Any,
) -> int:  # fmt: skip
    """Find vertices within a margin of triangles.

    Args:
        x: Places of all particles, flat [m].
        vertices: Those to look at, (n,).
        triangles: Their corners, (m, 3).
        low: Lower corners of the triangles' boxes, the margin around them included, (m, 3) [m].
        high: Upper corners, (m, 3) [m].
        size: Of a cell [m].
        mask: See `grid.fill`.
        margin: m.
        apart: What does not count.
        pairs: Where the found ones are written, (k, 4).

    Returns:
        How many there are, more than have room included.
    """
    first, boxes = fill(low, high, size, mask)
    pair = np.empty(4, dtype=np.int64)
    seen = np.full(len(triangles), -1, dtype=np.int64)
    found = 0
    for v in vertices:
        i, j, k = (
            cell_of(x[3 * v], size), cell_of(x[3 * v + 1], size), cell_of(x[3 * v + 2], size)
        )  # fmt: skip
        b = bucket(i, j, k, mask)
        for e in range(first[b], first[b + 1]):
            t = boxes[e]
            if seen[t] == v:
                continue
            seen[t] = v
            if _one_body(apart, v, triangles[t, 0]):
                continue
            if _triangle_near(x, v, triangles[t], low[t], high[t], margin, apart, pair):
                if found < len(pairs):
                    pairs[found] = pair
                found += 1
    return found


@_compiled
def _edges_near(
    x: Any, edges: Any, low: Any, high: Any, n: int, m: int, margin: float, apart: Apart, pair: Any
) -> bool:
    """Whether two edges are near, and count; their ends are written to `pair`."""
    for axis in range(3):
        if low[m, axis] > high[n, axis] or high[m, axis] < low[n, axis]:
            return False
    count = len(x) // 3
    if _one_body(apart, edges[n, 0], edges[m, 0]):
        return False
    for side in range(2):
        pair[side], pair[side + 2] = edges[n, side], edges[m, side]
    for side in range(4):
        if pair[side % 2] == pair[2 + side // 2]:
            return False
    if _distance(x, pair, True) >= margin:
        return False
    for side in range(4):
        if _too_near(apart, count, pair[side % 2], pair[2 + side // 2]):
            return False
    return not _near_at_rest(apart, pair, True)


@_compiled
def edges_and_edges(
    x: Any, edges: Any, low: Any, high: Any, size: float, mask: int, margin: float, apart: Apart,
    pairs: Any,
) -> int:  # fmt: skip
    """Find edges within a margin of one another; see `vertices_and_triangles`."""
    first, boxes = fill(low, high, size, mask)
    pair = np.empty(4, dtype=np.int64)
    seen = np.full(len(edges), -1, dtype=np.int64)
    found = 0
    for n in range(len(edges)):
        for i in range(cell_of(low[n, 0], size), cell_of(high[n, 0], size) + 1):
            for j in range(cell_of(low[n, 1], size), cell_of(high[n, 1], size) + 1):
                for k in range(cell_of(low[n, 2], size), cell_of(high[n, 2], size) + 1):
                    b = bucket(i, j, k, mask)
                    for e in range(first[b], first[b + 1]):
                        m = boxes[e]
                        if m <= n or seen[m] == n:
                            continue
                        seen[m] = n
                        if _edges_near(x, edges, low, high, n, m, margin, apart, pair):
                            if found < len(pairs):
                                pairs[found] = pair
                            found += 1
    return found


@_compiled
def planes_between(x: Any, pairs: Any, triangles: int) -> Any:
    """Planes half-way between the closest points of pairs.

    Args:
        x: Places of all particles, flat [m].
        pairs: A vertex and the corners of a triangle, or the ends of two edges, (n, 4).
        triangles: How many have a triangle; these come first.

    Returns:
        Normal towards the first of the pair, and how far along it the plane is, (n, 4) [m]; zero
        where the two meet.
    """
    planes = np.zeros((len(pairs), 4), dtype=np.float32)
    for n in range(len(pairs)):
        share = shares(x, pairs[n], n >= triangles)
        between = way(x, pairs[n], share)
        length = np.sqrt(dot(between, between))
        if length > 0.0:
            first = way(x, pairs[n], (share[0], max(share[1], 0.0), 0.0, 0.0))
            for axis in range(3):
                planes[n, axis] = between[axis] / length
            planes[n, 3] = dot(between, first) / length - 0.5 * length
    return planes
