"""Points that follow the particles of another mesh: each is a weighted sum of a few particles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.integer[Any]]

_CHUNK = 1 << 20  # pairs of a point and an element that are looked at at a time


@dataclass(frozen=True)
class Embedding:
    """Points that follow particles.

    Attributes:
        particles: Three or four for each point, (n, k).
        weights: Of them; each row sums to one, (n, k).
        heights: How far a point is above the triangle of its three particles, (n,) [m]; zero where
            there are four.
    """

    particles: IntArray
    weights: FloatArray
    heights: FloatArray

    def places(self, positions: Any) -> FloatArray:
        """Where the points are now, (n, 3) [m].

        Args:
            positions: Of all particles, (p, 3) [m].
        """
        corners = np.asarray(positions, dtype=np.float64)[self.particles]
        found = np.einsum("nk,nki->ni", self.weights, corners)
        return found + self.heights[:, None] * _normals(corners) if self.heights.any() else found


def in_tetrahedra(points: Any, positions: Any, tetrahedra: Any) -> Embedding:
    """Points that follow the tetrahedra they are in; those in none, the one they are least out of.

    Args:
        points: (n, 3) [m].
        positions: Of all particles, where the points are, (p, 3) [m].
        tetrahedra: (m, 4), particles.
    """
    points = np.asarray(points, dtype=np.float64)
    corners = np.asarray(positions, dtype=np.float64)[tetrahedra]
    inverse = np.linalg.inv((corners[:, 1:] - corners[:, :1]).transpose(0, 2, 1))
    offset = np.einsum("mij,mj->mi", inverse, corners[:, 0])
    chosen = np.zeros(len(points), dtype=np.int64)
    weights = np.zeros((len(points), 4))
    step = max(_CHUNK // len(tetrahedra), 1)
    for begin in range(0, len(points), step):
        some = slice(begin, begin + step)
        rest = np.einsum("mij,nj->nmi", inverse, points[some]) - offset
        first = 1.0 - rest.sum(axis=2)
        best = np.minimum(first, rest.min(axis=2)).argmax(axis=1)
        row = np.arange(len(best))
        chosen[some], weights[some, 0] = best, first[row, best]
        weights[some, 1:] = rest[row, best]
    return Embedding(np.asarray(tetrahedra)[chosen], weights, np.zeros(len(points)))


def on_triangles(points: Any, positions: Any, faces: Any) -> Embedding:
    """Points that follow the triangles they are nearest to, beside and above them as they are.

    Args:
        points: (n, 3) [m].
        positions: Of all particles, where the points are, (p, 3) [m].
        faces: (m, 3), particles.
    """
    points = np.asarray(points, dtype=np.float64)
    corners = np.asarray(positions, dtype=np.float64)[faces]
    first, u, v = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    uu, uv, vv = (np.einsum("mi,mi->m", a, b) for a, b in ((u, u), (u, v), (v, v)))
    area = np.maximum(uu * vv - uv * uv, np.finfo(float).tiny)
    dual_u = (vv[:, None] * u - uv[:, None] * v) / area[:, None]
    dual_v = (uu[:, None] * v - uv[:, None] * u) / area[:, None]
    chosen = np.zeros(len(points), dtype=np.int64)
    step = max(_CHUNK // len(corners), 1)
    for begin in range(0, len(points), step):
        some = points[begin : begin + step, None] - first
        s, t = np.einsum("nmi,mi->nm", some, dual_u), np.einsum("nmi,mi->nm", some, dual_v)
        chosen[begin : begin + step] = _distances(some, s, t, u, v).argmin(axis=1)
    away = points - first[chosen]
    s, t = (np.einsum("ni,ni->n", away, dual[chosen]) for dual in (dual_u, dual_v))
    heights = np.einsum("ni,ni->n", away, _normals(corners[chosen]))
    return Embedding(np.asarray(faces)[chosen], np.stack([1.0 - s - t, s, t], axis=1), heights)


def _distances(away: FloatArray, s: FloatArray, t: FloatArray, u: Any, v: Any) -> FloatArray:
    """Squares of distances of points to triangles: inside of each, and to its three edges."""
    inside = (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0)
    flat = away - s[..., None] * u - t[..., None] * v
    best = np.where(inside, np.einsum("nmi,nmi->nm", flat, flat), np.inf)
    for start, edge in ((0.0 * u, u), (0.0 * v, v), (u, v - u)):
        long = np.maximum(np.einsum("mi,mi->m", edge, edge), np.finfo(float).tiny)
        along = np.clip(np.einsum("nmi,mi->nm", away - start, edge) / long, 0.0, 1.0)
        beside = away - start - along[..., None] * edge
        best = np.minimum(best, np.einsum("nmi,nmi->nm", beside, beside))
    return best


def _normals(corners: FloatArray) -> FloatArray:
    """Of triangles, (n, 3)."""
    found = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(found, axis=1, keepdims=True)
    return found / np.maximum(length, np.finfo(float).tiny)
