"""Closest points of a triangle and a point, and of two edges (Ericson 2005, section 5.1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.machine_code import numba

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_PARALLEL = np.float32(1e-12)

_compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")

Point = tuple[float, float, float]


@_compiled
def at(x: Any, v: int) -> Any:
    """Place of a particle, of flat places."""
    return x[3 * v], x[3 * v + 1], x[3 * v + 2]


@_compiled
def less(a: Any, b: Any) -> Any:
    """Difference of two points."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@_compiled
def dot(a: Any, b: Any) -> Any:
    """Inner product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@_compiled
def on_triangle(p: Any, a: Any, b: Any, c: Any) -> Any:
    """Shares of the corners in the point of a triangle that is closest to a point.

    Of a triangle without area it is the closest point of its sides that have a length.
    """
    ab, ac, ap = less(b, a), less(c, a), less(p, a)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    if d1 <= _ZERO and d2 <= _ZERO:
        return _ONE, _ZERO, _ZERO
    bp = less(p, b)
    d3, d4 = dot(ab, bp), dot(ac, bp)
    if d3 >= _ZERO and d4 <= d3:
        return _ZERO, _ONE, _ZERO
    vc = d1 * d4 - d3 * d2
    if vc <= _ZERO and d1 >= _ZERO and d3 <= _ZERO and d1 > d3:
        v = d1 / (d1 - d3)
        return _ONE - v, v, _ZERO
    cp = less(p, c)
    d5, d6 = dot(ab, cp), dot(ac, cp)
    if d6 >= _ZERO and d5 <= d6:
        return _ZERO, _ZERO, _ONE
    vb = d5 * d2 - d1 * d6
    if vb <= _ZERO and d2 >= _ZERO and d6 <= _ZERO and d2 > d6:
        w = d2 / (d2 - d6)
        return _ONE - w, _ZERO, w
    va = d3 * d6 - d5 * d4
    side = (d4 - d3) + (d5 - d6)
    if va <= _ZERO and d4 - d3 >= _ZERO and d5 - d6 >= _ZERO and side > _ZERO:
        w = (d4 - d3) / side
        return _ZERO, _ONE - w, w
    doubled = va + vb + vc
    if doubled <= _ZERO:
        return _ONE, _ZERO, _ZERO
    inverse = _ONE / doubled
    v, w = vb * inverse, vc * inverse
    return _ONE - v - w, v, w


@_compiled
def on_edges(p1: Any, q1: Any, p2: Any, q2: Any) -> Any:
    """How far along two edges their closest points are, 0 to 1 each; 0 on one without length."""
    d1, d2, r = less(q1, p1), less(q2, p2), less(p1, p2)
    a, e, f = dot(d1, d1), dot(d2, d2), dot(d2, r)
    b, c = dot(d1, d2), dot(d1, r)
    if e <= _ZERO:
        return min(max(-c / a, _ZERO), _ONE) if a > _ZERO else _ZERO, _ZERO
    if a <= _ZERO:
        return _ZERO, min(max(f / e, _ZERO), _ONE)
    across = a * e - b * b
    s = _ZERO
    if across > _PARALLEL * a * e:
        s = min(max((b * f - c * e) / across, _ZERO), _ONE)
    t = (b * s + f) / e
    if t < _ZERO:
        t, s = _ZERO, min(max(-c / a, _ZERO), _ONE)
    elif t > _ONE:
        t, s = _ONE, min(max((b - c) / a, _ZERO), _ONE)
    return s, t


@_compiled
def shares(x: Any, pair: Any, edges: bool) -> Any:
    """Signed shares of four particles in the way between the closest points of a pair.

    Args:
        x: Places of all particles, flat [m].
        pair: A vertex and the corners of a triangle, or the ends of two edges.
        edges: Which of the two.

    Returns:
        Shares, adding to zero; their sum over the places points to the first from the second.
    """
    a, b, c, d = at(x, pair[0]), at(x, pair[1]), at(x, pair[2]), at(x, pair[3])
    if edges:
        s, t = on_edges(a, b, c, d)
        return _ONE - s, s, t - _ONE, -t
    u, v, w = on_triangle(a, b, c, d)
    return _ONE, -u, -v, -w


@_compiled
def way(x: Any, pair: Any, share: Any) -> Any:
    """The weighted sum of the places of four particles."""
    a, b, c, d = at(x, pair[0]), at(x, pair[1]), at(x, pair[2]), at(x, pair[3])
    return (
        share[0] * a[0] + share[1] * b[0] + share[2] * c[0] + share[3] * d[0],
        share[0] * a[1] + share[1] * b[1] + share[2] * c[1] + share[3] * d[1],
        share[0] * a[2] + share[1] * b[2] + share[2] * c[2] + share[3] * d[2],
    )


@_compiled
def far_along(x: Any, pair: Any, edges: bool, margin: float) -> bool:
    """Whether an axis alone tells that a pair is not within a margin [m]."""
    for axis in range(3):
        a, b = x[3 * pair[0] + axis], x[3 * pair[1] + axis]
        c, d = x[3 * pair[2] + axis], x[3 * pair[3] + axis]
        low, high = min(c, d), max(c, d)
        if edges:
            if low - max(a, b) >= margin or min(a, b) - high >= margin:
                return True
        elif min(low, b) - a >= margin or a - max(high, b) >= margin:
            return True
    return False
