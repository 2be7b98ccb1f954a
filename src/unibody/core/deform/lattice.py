"""Tetrahedra that fill a closed surface: cubes of a lattice, each cut into five."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_MOST_CELLS = 200_000
_PAIRS = 1 << 20  # of a point and a triangle that are looked at at a time
# Corners of a cube are numbered by the bits x, y, z; cubes beside one another are cut as mirror
# images, so that the diagonals of their common faces are the same.
_EVEN = ((0, 3, 5, 6), (1, 0, 3, 5), (2, 0, 6, 3), (4, 0, 5, 6), (7, 3, 6, 5))
_ODD = ((1, 2, 4, 7), (0, 1, 2, 4), (3, 1, 7, 2), (5, 1, 4, 7), (6, 2, 7, 4))


def lattice(points: Any, faces: Any, resolution: int) -> tuple[FloatArray, IntArray]:
    """Tetrahedra in the cells of a lattice whose middles are inside a surface.

    Cells are as wide as the box around the surface has room for a whole number of them, along each
    axis about as wide as along the longest.

    Args:
        points: Of the surface, (p, 3) [m].
        faces: Its triangles, counter-clockwise from outside, (f, 3).
        resolution: Cells along the longest side of the box around it.

    Returns:
        Points, (n, 3) [m], and tetrahedra of positive volume, (m, 4).

    Raises:
        InvalidArgumentError: There would be too many cells, or none is inside.
    """
    points, faces = np.asarray(points, dtype=np.float64), np.asarray(faces, dtype=np.int64)
    low, high = points.min(axis=0), points.max(axis=0)
    width = float((high - low).max()) / resolution
    counts = np.maximum(np.rint((high - low) / width), 1).astype(np.int64)
    if counts.prod() > _MOST_CELLS:
        raise InvalidArgumentError("resolution", resolution, f"at most {_MOST_CELLS} cells")
    cell = (high - low) / counts
    cells = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 3)
    turns = winding_numbers(low + (cells + 0.5) * cell, points, faces)
    cells = cells[np.abs(turns) > 0.5]
    if not len(cells):
        raise InvalidArgumentError("resolution", resolution, "cells inside of a closed surface")
    bits = np.array([[n & 1, n >> 1 & 1, n >> 2 & 1] for n in range(8)])
    sizes = counts + 1
    corners = cells[:, None] + bits
    numbers = (corners[..., 0] * sizes[1] + corners[..., 1]) * sizes[2] + corners[..., 2]
    odd = cells.sum(axis=1) % 2 == 1
    found = np.concatenate(
        [numbers[~odd][:, np.array(_EVEN)], numbers[odd][:, np.array(_ODD)]]
    ).reshape(-1, 4)
    kept, found = np.unique(found, return_inverse=True)
    found = found.reshape(-1, 4)
    z, y, x = kept % sizes[2], kept // sizes[2] % sizes[1], kept // (sizes[1] * sizes[2])
    places = low + np.stack([x, y, z], axis=1) * cell
    edges = places[found[:, 1:]] - places[found[:, :1]]
    inverted = np.linalg.det(edges) < 0.0
    found[inverted] = found[inverted][:, [0, 2, 1, 3]]
    return places, found


def winding_numbers(queries: Any, points: Any, faces: Any) -> FloatArray:
    """How often a surface goes around points: 1 inside of a closed one, 0 outside, (n,).

    The sum of the solid angles of its triangles over that of the sphere (van Oosterom and Strackee
    1983, equation 8).

    Args:
        queries: (n, 3) [m].
        points: Of the surface, (p, 3) [m].
        faces: Its triangles, (f, 3).
    """
    corners = np.asarray(points, dtype=np.float64)[np.asarray(faces)]
    queries = np.asarray(queries, dtype=np.float64)
    found = np.zeros(len(queries))
    step = max(_PAIRS // max(len(corners), 1), 1)
    for begin in range(0, len(queries), step):
        away = corners[None] - queries[begin : begin + step, None, None]
        a, b, c = away[:, :, 0], away[:, :, 1], away[:, :, 2]
        la, lb, lc = (np.linalg.norm(one, axis=2) for one in (a, b, c))
        volume = np.einsum("nfi,nfi->nf", a, np.cross(b, c))
        ab, bc, ca = (np.einsum("nfi,nfi->nf", p, q) for p, q in ((a, b), (b, c), (c, a)))
        angle = 2.0 * np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
        found[begin : begin + step] = angle.sum(axis=1) / (4.0 * np.pi)
    return found
