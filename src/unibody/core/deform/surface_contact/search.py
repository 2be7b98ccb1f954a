"""Pairs of a vertex and a triangle, and of two edges, that are near one another."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from unibody.core.deform.surface_contact.closest import dot, far_along, shares, way
from unibody.core.deform.surface_contact.grid import bucket, cell_of, fill
from unibody.machine_code import numba

_compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")


class Apart(NamedTuple):
    """Which pairs do not count.

    Attributes:
        first: The first entry of each vertex in `near`, and the number of all, (p + 1,).
        near: Vertices too near to each along the surface, itself among them.
        bodies: Which body each particle belongs to.
        alone: Whether this body does not touch itself, for each particle.
        rest: Places at rest of all particles, flat [m].
        exclusion: Pairs of one body that are nearer than that at rest do not count [m].
    """

    first: Any
    near: Any
    bodies: Any
    alone: Any
    rest: Any
    exclusion: float


@_compiled
def _mark(apart: Apart, v: int, marks: Any, number: int) -> None:
    """Give vertices too near to one along the surface a number."""
    for n in range(apart.first[v], apart.first[v + 1]):
        marks[apart.near[n]] = number


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
def vertices_and_triangles(
    x: Any, vertices: Any, triangles: Any, low: Any, high: Any, size: float, mask: int,
    apart: Apart, pairs: Any,
) -> int:  # fmt: skip
    """Find vertices in boxes of triangles, in the order of vertices, then of triangles.

    Args:
        x: Places of all particles, flat [m].
        vertices: Those to look at, (n,).
        triangles: Their corners, (m, 3).
        low: Lower corners of the triangles' boxes, (m, 3) [m].
        high: Upper corners, (m, 3) [m].
        size: Of a cell [m].
        mask: See `grid.fill`.
        apart: What does not count.
        pairs: Where the found ones are written, (k, 4).

    Returns:
        How many there are, more than have room included.
    """
    first, boxes = fill(low, high, size, mask)
    pair = np.empty(4, dtype=np.int64)
    seen = np.full(len(triangles), -1, dtype=np.int64)
    marks = np.full(len(x) // 3, -1, dtype=np.int64)
    found = 0
    for v in vertices:
        _mark(apart, v, marks, v)
        i, j, k = (
            cell_of(x[3 * v], size), cell_of(x[3 * v + 1], size), cell_of(x[3 * v + 2], size)
        )  # fmt: skip
        cell = bucket(i, j, k, mask)
        for e in range(first[cell], first[cell + 1]):
            t = boxes[e]
            if seen[t] == v:
                continue
            seen[t] = v
            a, b, c = triangles[t]
            if marks[a] == v or marks[b] == v or marks[c] == v:
                continue
            if _one_body(apart, v, a) or not _within(x, v, low[t], high[t]):
                continue
            pair[0] = v
            pair[1:] = triangles[t]
            if not _near_at_rest(apart, pair, False):
                if found < len(pairs):
                    pairs[found] = pair
                found += 1
    return found


@_compiled
def _within(x: Any, v: int, low: Any, high: Any) -> bool:
    """Whether a particle is in a box."""
    for axis in range(3):
        if x[3 * v + axis] < low[axis] or x[3 * v + axis] > high[axis]:
            return False
    return True


@_compiled
def _overlap(low: Any, high: Any, n: int, m: int) -> bool:
    """Whether two boxes have a point in common."""
    for axis in range(3):
        if low[m, axis] > high[n, axis] or high[m, axis] < low[n, axis]:
            return False
    return True


@_compiled
def edges_and_edges(
    x: Any, edges: Any, low: Any, high: Any, size: float, mask: int, apart: Apart, pairs: Any
) -> int:
    """Find edges whose boxes overlap, in the order of both; see `vertices_and_triangles`."""
    first, boxes = fill(low, high, size, mask)
    pair = np.empty(4, dtype=np.int64)
    seen = np.full(len(edges), -1, dtype=np.int64)
    others = np.empty(len(edges), dtype=np.int64)
    marks = np.full(len(x) // 3, -1, dtype=np.int64)
    found = 0
    for n in range(len(edges)):
        number = 0
        _mark(apart, edges[n, 0], marks, n)
        _mark(apart, edges[n, 1], marks, n)
        for i in range(cell_of(low[n, 0], size), cell_of(high[n, 0], size) + 1):
            for j in range(cell_of(low[n, 1], size), cell_of(high[n, 1], size) + 1):
                for k in range(cell_of(low[n, 2], size), cell_of(high[n, 2], size) + 1):
                    b = bucket(i, j, k, mask)
                    for e in range(first[b], first[b + 1]):
                        m = boxes[e]
                        if m <= n or seen[m] == n:
                            continue
                        seen[m] = n
                        if marks[edges[m, 0]] == n or marks[edges[m, 1]] == n:
                            continue
                        if _overlap(low, high, n, m) and not _one_body(
                            apart, edges[n, 0], edges[m, 0]
                        ):
                            others[number] = m
                            number += 1
        # The order must not depend on the cells, which differ from one search to the next.
        for m in np.sort(others[:number]):
            pair[:2], pair[2:] = edges[n], edges[m]
            if not _near_at_rest(apart, pair, True):
                if found < len(pairs):
                    pairs[found] = pair
                found += 1
    return found


@_compiled
def nearer(x: Any, pairs: Any, edges: bool, margin: float, found: Any) -> int:
    """Choose the pairs within a margin, in their order.

    Args:
        x: Places of all particles, flat [m].
        pairs: A vertex and the corners of a triangle, or the ends of two edges, (n, 4).
        edges: Which of the two.
        margin: m.
        found: Where those are written, (n, 4).

    Returns:
        How many there are.
    """
    count = 0
    for n in range(len(pairs)):
        pair = pairs[n]
        if not far_along(x, pair, edges, margin) and _distance(x, pair, edges) < margin:
            found[count] = pair
            count += 1
    return count


@_compiled
def spread(x: Any, start: Any, vertices: Any) -> Any:
    """How differently vertices have moved, and how far at most.

    Args:
        x: Places of all particles, flat [m].
        start: Where they were, flat [m].
        vertices: Those to look at, (n,).

    Returns:
        The most that the ways of two differ along an axis, and the longest way along one [m]; nan
        where a place is no number.
    """
    most, longest = np.float32(0.0), np.float32(0.0)
    for axis in range(3):
        low, high = np.float32(np.inf), np.float32(-np.inf)
        for v in vertices:
            way = x[3 * v + axis] - start[3 * v + axis]
            if not math.isfinite(way):
                return np.float32(np.nan), np.float32(np.nan)
            low, high = min(low, way), max(high, way)
        most, longest = max(most, high - low), max(longest, abs(low), abs(high))
    return most, longest


@_compiled
def by_particle(particles: Any, count: int) -> Any:
    """Places of particles in a list, by particle and in their order.

    Args:
        particles: The list, (n,).
        count: Of all particles.

    Returns:
        The first of the places of each particle and the number of all, and the places.
    """
    first = np.zeros(count + 1, dtype=np.int64)
    for v in particles:
        first[v + 1] += 1
    for v in range(count):
        first[v + 1] += first[v]
    order, ahead = np.empty(len(particles), dtype=np.int64), first.copy()
    for n in range(len(particles)):
        order[ahead[particles[n]]] = n
        ahead[particles[n]] += 1
    return first, order


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
