"""Edges between triangles, their angles, and the surface of tetrahedra."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.integer[Any]]

_FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def distinct(keys: IntArray) -> IntArray:
    """Each of the keys, none of which is negative, once and in order.

    ``np.unique`` goes through a table of hashes, which takes many times as long.
    """
    ordered = np.sort(keys)
    return ordered[np.diff(ordered, prepend=-1) > 0]


def _distinct_pairs(pairs: IntArray) -> IntArray:
    """Each of the pairs once and in order, (m, 2)."""
    scale = np.int64(pairs.max(initial=0) + 1)
    return np.stack(np.divmod(distinct(pairs @ np.array([scale, 1])), scale), axis=1)


def inner_edges(triangles: IntArray) -> IntArray:
    """Edges that two triangles have in common.

    Where more than two meet, each but the first makes one with the first.

    Args:
        triangles: (n, 3), particles.

    Returns:
        (m, 4): the corner opposite the edge in the first triangle, that in the second, and the ends
        of the edge in the order of the first.
    """
    corners = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    begin, end, opposite = (
        np.concatenate([corners[:, (k + shift) % 3] for k in range(3)]) for shift in (0, 1, 2)
    )
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    owner = np.tile(np.arange(len(corners)), 3)
    order = np.lexsort((owner, high, low))
    low, high = low[order], high[order]
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    first = order[np.maximum.accumulate(np.where(fresh, np.arange(len(order)), 0))]
    second, first = order[~fresh], first[~fresh]
    return np.stack([opposite[first], opposite[second], begin[first], end[first]], axis=1)


def angles(points: FloatArray, corners: IntArray) -> FloatArray:
    """Angles between triangles at their common edges; zero where they are in one plane.

    Args:
        points: Of all particles, (p, 3) [m].
        corners: (n, 4), as `inner_edges` finds them.

    Returns:
        (n,) [rad], in (-pi, pi].
    """
    x0, x1, x2, x3 = (points[corners[:, k]] for k in range(4))
    edge = x3 - x2
    first, second = np.cross(x2 - x0, x3 - x0), np.cross(x3 - x1, x2 - x1)
    length = np.maximum(np.linalg.norm(edge, axis=1), np.finfo(float).tiny)
    sine = np.einsum("ni,ni->n", np.cross(first, second), edge) / length
    return np.arctan2(sine, np.einsum("ni,ni->n", first, second))


def surface(tetrahedra: IntArray, points: FloatArray) -> IntArray:
    """Triangles that belong to one tetrahedron only, seen counter-clockwise from outside.

    Args:
        tetrahedra: (n, 4), particles in any order.
        points: Of all particles, (p, 3) [m].

    Returns:
        (m, 3), particles.
    """
    corners = np.array(tetrahedra, dtype=np.int64).reshape(-1, 4)
    edges = points[corners[:, 1:]] - points[corners[:, :1]]
    inverted = np.linalg.det(edges) < 0.0
    corners[inverted] = corners[inverted][:, [0, 2, 1, 3]]
    faces = corners[:, _FACES].reshape(-1, 3)
    _, where, counts = np.unique(
        np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True
    )
    return faces[np.sort(where[counts == 1])]


def edges(elements: IntArray) -> IntArray:
    """Pairs of particles that belong to one element, each once.

    Args:
        elements: (n, k), particles.

    Returns:
        (m, 2), the lower particle first, ordered.
    """
    corners = np.asarray(elements, dtype=np.int64)
    sides = range(corners.shape[1])
    pairs = [corners[:, [a, b]] for a in sides for b in sides if a < b]
    return _distinct_pairs(np.sort(np.concatenate(pairs), axis=1))


def across_one(pairs: IntArray) -> IntArray:
    """Pairs of particles that have a neighbour in common and are none themselves.

    Args:
        pairs: (n, 2), neighbours.

    Returns:
        (m, 2), the lower particle first, ordered.
    """
    both = np.concatenate([pairs, pairs[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    first = np.searchsorted(both[:, 0], both[:, 1])
    counts = np.searchsorted(both[:, 0], both[:, 1], side="right") - first
    begin = np.repeat(both[:, 0], counts)
    turn: IntArray = np.arange(len(begin)) - np.repeat(np.cumsum(counts) - counts, counts)
    at: IntArray = np.repeat(first, counts) + turn
    found = np.stack([begin, both[at, 1]], axis=1)
    found = _distinct_pairs(found[found[:, 0] < found[:, 1]])
    scale = np.int64(found.max(initial=0) + 1)
    known = np.sort(pairs, axis=1) @ np.array([scale, 1])
    return found[~np.isin(found @ np.array([scale, 1]), known)]


def components(count: int, elements: Iterable[IntArray]) -> IntArray:
    """The body that each particle is of: those that elements connect are of one, (p,).

    Args:
        count: Of all particles.
        elements: Corners of elements of each kind, (n, k).
    """
    label = np.arange(count)
    pairs = [
        np.stack([part[:, 0], part[:, k]]) for part in elements for k in range(1, part.shape[1])
    ]
    first, second = np.concatenate(pairs, axis=1) if pairs else np.zeros((2, 0), dtype=np.int64)
    while True:
        low = np.minimum(label[first], label[second])
        after = label.copy()
        np.minimum.at(after, label[first], low)
        np.minimum.at(after, label[second], low)
        after = after[after]  # halve the ways to the lowest
        if (after == label).all():
            return np.unique(label, return_inverse=True)[1]
        label = after


def normals(points: FloatArray, triangles: IntArray) -> FloatArray:
    """Normals of a surface at its particles: the mean of the triangles', by their areas.

    Args:
        points: Of all particles, (p, 3) [m].
        triangles: (n, 3), particles.

    Returns:
        (p, 3), of any length; zero where a particle has no triangle.
    """
    sides = points[triangles]
    areas = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
    found = np.zeros((len(points), 3))
    np.add.at(found, triangles.reshape(-1), np.repeat(areas, 3, axis=0))
    return found
