# ruff: noqa: PLR0913, PLR0917 - compiled code takes its state as plain arguments
"""Which point inside of a triangle is nearest to a convex shape, compiled by numba.

The distance from a convex shape is a convex function of a place. From a point of the triangle the
search goes to the nearest point of the shape, from there to the nearest point of the triangle, and
so on: von Neumann's projections between convex sets (Cheney and Goldstein 1959). It begins below
the middle of the shape, and stays near it where a shape lies flat. Balls and capsules take part
with their centre and their axis, so that it does not matter how deep they are, and their steps go
further while they gain (Nesterov 1983). Of hulls and cylinders tangents tell whether another point
is nearer by more than a little; of boxes they do not, as the point of what is held between two of
them would go to and fro.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from unibody.core.deform.surface_contact.closest import on_triangle
from unibody.core.engine.soft.touch import distance
from unibody.machine_code.jit import kernel

_ROUND = (int(mujoco.mjtGeom.mjGEOM_SPHERE), int(mujoco.mjtGeom.mjGEOM_CAPSULE))
_BOX = int(mujoco.mjtGeom.mjGEOM_BOX)
_ROUNDS = 24
_IDLE = 3  # rounds without gain, then it is over
CORNER = 1e-3
"""A share of a corner below which a point is on the side across."""

FLAT = 0.01
"""Of the reach: a point that is nearer than the corners by less than this is none of its own."""

_LEAST = 0.25  # of the reach: steps from points inside of a shape
_GAIN = 1e-4  # of the reach
_TIE = 0.1  # of the reach: as near as this are all corners of what lies flat on a face
_THIN, _LITTLE = 1e-12, 1e-9
NOWHERE = (False, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""No point of a triangle but a corner is near."""


@kernel
def _mean(w: Any, a: Any, b: Any, c: Any) -> Any:
    """The point of a triangle with given shares of the corners."""
    return (
        w[0] * a[0] + w[1] * b[0] + w[2] * c[0],
        w[0] * a[1] + w[1] * b[1] + w[2] * c[1],
        w[0] * a[2] + w[1] * b[2] + w[2] * c[2],
    )


@kernel
def _unit(x: float, y: float, z: float, otherwise: Any) -> Any:
    """A direction, or another where there is none."""
    size = math.sqrt(x * x + y * y + z * z)
    if size < _THIN:
        return otherwise
    return x / size, y / size, z / size


@kernel
def _across(w: Any, n: Any, a: Any, b: Any, c: Any) -> Any:
    """The part of a normal that is across the side or the face that a point is inside of."""
    p, q, r = a, b, c
    if w[0] < CORNER:
        p, q, r = b, c, a
    elif w[1] < CORNER:
        p, q, r = c, a, b
    ux, uy, uz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    if w[0] >= CORNER and w[1] >= CORNER and w[2] >= CORNER:
        vx, vy, vz = r[0] - p[0], r[1] - p[1], r[2] - p[2]
        fx, fy, fz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        side = math.copysign(1.0, fx * n[0] + fy * n[1] + fz * n[2])
        return _unit(side * fx, side * fy, side * fz, n)
    square = max(ux * ux + uy * uy + uz * uz, _THIN * _THIN)
    along = (ux * n[0] + uy * n[1] + uz * n[2]) / square
    return _unit(n[0] - along * ux, n[1] - along * uy, n[2] - along * uz, n)


@kernel
def _search(
    g: int, a: Any, b: Any, c: Any, shapes: Any, reach: float, most: float, stack: Any
) -> Any:
    """The least distance that projections find, the shares of corners there, and the normal."""
    w = on_triangle((0.0, 0.0, 0.0), a, b, c)
    x = _mean(w, a, b, c)
    gap, nx, ny, nz = distance(g, x[0], x[1], x[2], shapes, most, stack)
    n = (nx, ny, nz)
    best, best_w, best_n = gap, w, n
    idle = 0
    core = shapes.sizes[g, 0] if shapes.kinds[g] in _ROUND else 0.0
    fast, before = 0, x
    for _ in range(_ROUNDS):
        step, last = max(gap + core, _LEAST * reach), gap
        w = on_triangle((x[0] - step * n[0], x[1] - step * n[1], x[2] - step * n[2]), a, b, c)
        x = _mean(w, a, b, c)
        if shapes.kinds[g] in _ROUND:
            more, here = fast / (fast + 3.0), x
            w = on_triangle(
                (
                    x[0] + more * (x[0] - before[0]), x[1] + more * (x[1] - before[1]),
                    x[2] + more * (x[2] - before[2]),
                ), a, b, c,
            )  # fmt: skip
            x, before = _mean(w, a, b, c), here
        gap, nx, ny, nz = distance(g, x[0], x[1], x[2], shapes, most, stack)
        n = (nx, ny, nz)
        fast = fast + 1 if gap <= last else 0
        idle = 0 if gap < best - _GAIN * reach else idle + 1
        if gap < best:
            best, best_w, best_n = gap, w, n
        if idle >= _IDLE:
            break
    return best, best_w, best_n


@kernel
def _crossing(planes: Any, i: int, j: int, k: int, out: Any) -> bool:
    """Write where three planes cross, (3,); False: nowhere."""
    p, q, r = planes[i], planes[j], planes[k]
    x = q[1] * r[2] - q[2] * r[1]
    y = q[2] * r[0] - q[0] * r[2]
    z = q[0] * r[1] - q[1] * r[0]
    size = p[0] * x + p[1] * y + p[2] * z
    if abs(size) < _THIN:
        return False
    for m in range(3):
        n, o = (m + 1) % 3, (m + 2) % 3
        out[m] = (
            p[3] * (x, y, z)[m]
            + q[3] * (r[n] * p[o] - r[o] * p[n])
            + r[3] * (p[n] * q[o] - p[o] * q[n])
        ) / size
    return True


@kernel
def _cut(x: Any, n: Any, gap: float, w: Any, a: Any, b: Any, c: Any, plane: Any) -> None:
    """Write a tangent of the distance at a point, over shares of the second and third corner."""
    along = n[0] * (b[0] - a[0]) + n[1] * (b[1] - a[1]) + n[2] * (b[2] - a[2])
    across = n[0] * (c[0] - a[0]) + n[1] * (c[1] - a[1]) + n[2] * (c[2] - a[2])
    plane[0], plane[1], plane[2] = -along, -across, 1.0
    plane[3] = gap - along * w[1] - across * w[2]


@kernel
def _side(number: int, plane: Any) -> None:
    """Write that the share of the second or third corner, or the first, is not negative."""
    plane[0] = 1.0 if number == 0 else 0.0 if number == 1 else -1.0
    plane[1] = 1.0 if number == 1 else 0.0 if number == 0 else -1.0
    plane[2], plane[3] = 0.0, -1.0 if number == 2 else 0.0


@kernel
def _search_planes(
    g: int, a: Any, b: Any, c: Any, shapes: Any, reach: float, most: float, stack: Any
) -> Any:
    """See `_search`, by cutting planes (Kelley 1960).

    The least value of all tangents so far is where three of them, or of the triangle's sides,
    cross; a tangent there takes the place of one of the three.
    """
    planes, at, tried = np.zeros((4, 4)), np.zeros(3), np.zeros(3)
    w = (1.0, 0.0, 0.0)
    x = a
    gap, nx, ny, nz = distance(g, x[0], x[1], x[2], shapes, most, stack)
    best, best_w, best_n = gap, w, (nx, ny, nz)
    _cut(x, best_n, gap, w, a, b, c, planes[2])
    along, across = -planes[2, 0], -planes[2, 1]
    planes[0, 0] = planes[1, 1] = 1.0  # the shares of b and c are not negative
    if min(along, across) < 0.0:  # b or c is lower: their two sides
        first = along < across
        _side(2, planes[0] if first else planes[1])
        at[0], at[1] = (1.0, 0.0) if first else (0.0, 1.0)
    at[2] = planes[2, 3] + along * at[0] + across * at[1]
    for _ in range(_ROUNDS):
        u, v = at[0], at[1]
        lacks = 0 if u < -_GAIN else 1 if v < -_GAIN else 2 if u + v > 1.0 + _GAIN else -1
        if lacks >= 0:
            _side(lacks, planes[3])
        else:
            w = (max(1.0 - u - v, 0.0), max(u, 0.0), max(v, 0.0))
            x = _mean(w, a, b, c)
            gap, nx, ny, nz = distance(g, x[0], x[1], x[2], shapes, most, stack)
            n = (nx, ny, nz)
            if gap < best:
                best, best_w, best_n = gap, w, n
            if best - at[2] < _GAIN * reach:
                break
            _cut(x, n, gap, w, a, b, c, planes[3])
        leaves, least = -1, np.inf
        for out in range(3):
            i, j = (out + 1) % 3, (out + 2) % 3
            if not _crossing(planes, i, j, 3, tried):
                continue
            row = planes[out]
            inside = row[0] * tried[0] + row[1] * tried[1] + row[2] * tried[2] - row[3]
            if inside >= -_LITTLE and tried[2] < least:
                leaves, least = out, tried[2]
                at[:] = tried
        if leaves < 0:
            break
        planes[leaves] = planes[3]
    return best, best_w, best_n


@kernel
def nearest_inside(
    g: int, a: Any, b: Any, c: Any, at_corner: float, shapes: Any, reach: float, most: float,
    stack: Any,
) -> Any:  # fmt: skip
    """The point of a triangle that is nearest to a convex geom, if it is inside of face or side.

    Args:
        g: The geom.
        a: A corner in the geom's frame [m].
        b: Likewise.
        c: Likewise.
        at_corner: How far the nearest corner is from the geom [m].
        shapes: See `shapes.Shapes`.
        reach: How far the soft surface is from the triangle [m].
        most: Points that are further away do not matter [m].
        stack: Room for a walk.

    Returns:
        Whether there is one; shares of the corners; the distance [m]; the normal, in that frame.
    """
    best, best_w, best_n = _search(g, a, b, c, shapes, reach, most, stack)
    bound = min(most, at_corner - FLAT * reach)
    if shapes.kinds[g] != _BOX and shapes.kinds[g] not in _ROUND:
        least, w, n = _search_planes(g, a, b, c, shapes, reach, most, stack)
        if least < best - _TIE * reach:
            best, best_w, best_n = least, w, n
    if best >= bound:
        return NOWHERE
    if max(best_w[0], best_w[1], best_w[2]) > 1.0 - CORNER:
        return NOWHERE
    n = _across(best_w, best_n, a, b, c)
    return True, best_w[0], best_w[1], best_w[2], best, n[0], n[1], n[2]
