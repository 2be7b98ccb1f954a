# ruff: noqa: PLR0913, PLR0917 - compiled code takes its state as plain arguments
"""Distances from convex shapes between the points of a lattice, as in Bullet's soft bodies."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np

from unibody.core.engine.soft.shapes import Shapes
from unibody.core.engine.soft.touch import distance
from unibody.machine_code.jit import inlined_kernel, kernel

_TINY = 1e-30
_BITS = 4  # of an edge of the block of a lattice that is kept whole
_EDGE, _CELLS = (1 << _BITS) - 1, 1 << 3 * _BITS
_STRIDE = 1237  # odd: from the cells of a geom to those of the next one


class Lattice(NamedTuple):
    """Distances from geoms at the corners of cells, each until another cell needs the place.

    Attributes:
        keys: Geom and place of the cell in its lattice, (n, 4).
        gaps: How far the corners of the cell are from the geom, (n, 8) [m].
    """

    keys: Any
    gaps: Any

    @classmethod
    def room(cls) -> Self:
        """Without any."""
        return cls(np.full((_CELLS, 4), -1, dtype=np.int64), np.zeros((_CELLS, 8)))


@kernel
def _sample(g: int, i: int, j: int, k: int, shapes: Shapes, cell: float, gaps: Any,
            stack: Any) -> None:  # fmt: skip
    """Write how far the corners of a cell of a geom's lattice are from it, (8,) [m]."""
    for corner in range(8):
        x, y, z = i + (corner & 1), j + ((corner >> 1) & 1), k + (corner >> 2)
        gaps[corner], _, _, _ = distance(g, x * cell, y * cell, z * cell, shapes, cell, stack)


@inlined_kernel
def sampled(g: int, x: float, y: float, z: float, shapes: Shapes, cell: float, known: Lattice,
             stack: Any) -> Any:  # fmt: skip
    """How far a point is from a convex geom between the points of a lattice in its frame.

    The distance is convex, so that what comes between samples is never less than the distance. It
    is the same whether the cell is known or not.
    """
    x, y, z = x / cell, y / cell, z / cell
    i, j, k = math.floor(x), math.floor(y), math.floor(z)
    block = (i & _EDGE) + ((j & _EDGE) << _BITS) + ((k & _EDGE) << 2 * _BITS)
    n = (block + _STRIDE * g) & (len(known.gaps) - 1)
    keys, d = known.keys, known.gaps
    if keys[n, 0] != g or keys[n, 1] != i or keys[n, 2] != j or keys[n, 3] != k:
        keys[n, 0], keys[n, 1], keys[n, 2], keys[n, 3] = g, i, j, k
        _sample(g, i, j, k, shapes, cell, d[n], stack)
    u, v, w = x - i, y - j, z - k
    gx = _between(d[n, 1] - d[n, 0], d[n, 3] - d[n, 2], d[n, 5] - d[n, 4], d[n, 7] - d[n, 6], v, w)
    gy = _between(d[n, 2] - d[n, 0], d[n, 3] - d[n, 1], d[n, 6] - d[n, 4], d[n, 7] - d[n, 5], u, w)
    gz = _between(d[n, 4] - d[n, 0], d[n, 5] - d[n, 1], d[n, 6] - d[n, 2], d[n, 7] - d[n, 3], u, v)
    gap = _between(d[n, 0], d[n, 2], d[n, 4], d[n, 6], v, w) + u * gx
    length = max(math.sqrt(gx * gx + gy * gy + gz * gz), _TINY)
    return gap, gx / length, gy / length, gz / length


@inlined_kernel
def _between(a: float, b: float, c: float, d: float, s: float, t: float) -> float:
    """Between four numbers, s from a to b and from c to d, t from these to those."""
    low, high = a + s * (b - a), c + s * (d - c)
    return low + t * (high - low)
