"""Where rays first meet triangles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.machine_code.array_calls import array_function
from unibody.machine_code.jit import kernel

FloatArray = NDArray[np.float64]

_BLOCK = 16  # triangles with one box around them
_EDGE = 1e-12  # share of a triangle that belongs to it beyond its edges: no ray passes between two
_TINY = 1e-300


class SurfaceHits(NamedTuple):
    """Where rays meet a surface.

    Attributes:
        fractions: Of the way from start to end, infinite for a miss, (n,).
        normals: Of the triangles, on the side that the ray comes from, (n, 3).
    """

    fractions: FloatArray
    normals: FloatArray


@kernel
def _block_boxes(places: Any, faces: Any, boxes: Any) -> None:
    """Boxes around blocks of triangles, (blocks, 2, 3)."""
    for b in range(len(boxes)):
        low, high = boxes[b, 0], boxes[b, 1]
        low[:], high[:] = np.inf, -np.inf
        for f in range(_BLOCK * b, min(_BLOCK * (b + 1), len(faces))):
            for corner in range(3):
                for k in range(3):
                    x = places[faces[f, corner], k]
                    low[k], high[k] = min(low[k], x), max(high[k], x)


@kernel
def _meets(box: Any, start: Any, way: Any, most: float) -> bool:
    """Whether a ray meets a box before a fraction of its way."""
    first, last = 0.0, most
    for k in range(3):
        if way[k] == 0.0:
            if not box[0, k] <= start[k] <= box[1, k]:
                return False
            continue
        a, b = (box[0, k] - start[k]) / way[k], (box[1, k] - start[k]) / way[k]
        first, last = max(first, min(a, b)), min(last, max(a, b))
    slack = 1e-9 * (abs(first) + abs(last))
    return first <= last + slack


@kernel
def _cross(u: Any, v: Any) -> Any:
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


@kernel
def _dot(u: Any, v: Any) -> float:
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@kernel
def _on_triangle(places: Any, face: Any, start: Any, way: Any, most: float, normal: Any) -> float:
    """Fraction of its way at which a ray meets a triangle, less than `most`; else `most`.

    The formula is that of Moeller and Trumbore (1997), for both sides.
    """
    a, b, c = places[face[0]], places[face[1]], places[face[2]]
    u = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    v = (c[0] - a[0], c[1] - a[1], c[2] - a[2])
    d = (way[0], way[1], way[2])
    across = _cross(d, v)
    volume = _dot(u, across)
    if abs(volume) < _TINY:
        return most
    s = (start[0] - a[0], start[1] - a[1], start[2] - a[2])
    first = _dot(s, across) / volume
    turned = _cross(s, u)
    second = _dot(d, turned) / volume
    if first < -_EDGE or second < -_EDGE or first + second > 1.0 + _EDGE:
        return most
    fraction = _dot(v, turned) / volume
    if not 0.0 < fraction < most:
        return most
    n = _cross(u, v)
    length = np.sqrt(max(_dot(n, n), _TINY))
    if _dot(n, d) > 0.0:
        length = -length
    normal[0], normal[1], normal[2] = n[0] / length, n[1] / length, n[2] / length
    return fraction


@array_function()
def _cast(places: Any, faces: Any, starts: Any, ways: Any, fractions: Any, normals: Any) -> None:
    """Write where rays first meet triangles; see `first_hits`."""
    boxes = np.empty(((len(faces) + _BLOCK - 1) // _BLOCK, 2, 3))
    _block_boxes(places, faces, boxes)
    around = np.empty((2, 3))
    for k in range(3):
        around[0, k], around[1, k] = boxes[:, 0, k].min(), boxes[:, 1, k].max()
    for r in range(len(starts)):
        most = np.nextafter(1.0, 2.0)
        start, way = starts[r], ways[r]
        fractions[r] = np.inf
        if not _meets(around, start, way, most):
            continue
        for b in range(len(boxes)):
            if not _meets(boxes[b], start, way, most):
                continue
            for f in range(_BLOCK * b, min(_BLOCK * (b + 1), len(faces))):
                found = _on_triangle(places, faces[f], start, way, most, normals[r])
                if found < most:
                    most = fractions[r] = found


def first_hits(places: Any, faces: Any, starts: Any, ends: Any) -> SurfaceHits:
    """Where rays first meet triangles, from either side.

    Args:
        places: Of corners, (p, 3) [m].
        faces: Three corners each, (f, 3).
        starts: Of rays, (n, 3) [m].
        ends: Of rays, (n, 3) [m].

    Returns:
        See `SurfaceHits`.
    """
    begin = np.ascontiguousarray(starts, dtype=np.float64)
    hits = SurfaceHits(np.full(len(begin), np.inf), np.zeros((len(begin), 3)))
    if len(faces) and len(begin):
        _cast(
            np.ascontiguousarray(places, dtype=np.float64),
            np.ascontiguousarray(faces, dtype=np.int64),
            begin, np.ascontiguousarray(ends - begin, dtype=np.float64), *hits,
        )  # fmt: skip
    return hits
