# ruff: noqa: PLR0913, PLR0917 - kernels take their state as plain arguments
"""Where a feature of a convex geom lies over a triangle, compiled by numba.

Seen along the normal of a contact both are convex polygons in a plane, with a height above it.
Rows of polygons are two coordinates in the plane and the height.
"""

from __future__ import annotations

import math

from unibody.core.assets.mesh.types import FloatArray
from unibody.core.engine.mesh_contacts.convex import MOST
from unibody.core.engine.mesh_contacts.struct_fields import int64
from unibody.machine_code.jit import inlined, kernel

ROOM = MOST + 4  # a polygon gains a corner at each edge it is cut with
STEEP = 0.2  # cosine between triangle and normal below which the triangle is seen as an edge
LEVEL = 1e-4  # the same of the side of a geom


@kernel
def axes_across(nx: float, ny: float, nz: float) -> tuple[float, float, float, float, float, float]:
    """Two unit vectors that are right-handed with a third."""
    if abs(nx) < 0.6:
        length = math.sqrt(ny * ny + nz * nz)
        ux, uy, uz = 0.0, nz / length, -ny / length
    else:
        length = math.sqrt(nx * nx + nz * nz)
        ux, uy, uz = -nz / length, 0.0, nx / length
    return ux, uy, uz, ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux


@kernel
def cut_with_edge(
    polygon: FloatArray, count: int, ax: float, ay: float, bx: float, by: float, out: FloatArray
) -> int:
    """The part of a polygon, segment or point to the left of a line from a to b.

    Returns:
        Corners of ``out``.
    """
    ex, ey = bx - ax, by - ay
    slack = 1e-9 * (ex * ex + ey * ey)
    made = 0
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        here = ex * (polygon[i, 1] - ay) - ey * (polygon[i, 0] - ax)
        there = ex * (polygon[j, 1] - ay) - ey * (polygon[j, 0] - ax)
        if here >= -slack:
            for k in range(3):
                out[made, k] = polygon[i, k]
            made += 1
        crosses = (here >= -slack) != (there >= -slack)
        if crosses and (count > 2 or i == 0):
            share = min(max(here / (here - there), 0.0), 1.0)
            for k in range(3):
                out[made, k] = polygon[i, k] + share * (polygon[j, k] - polygon[i, k])
            made += 1
    return made


@kernel
def over_triangle(
    side: FloatArray, count: int, t: FloatArray, slope: tuple[float, float, float],
    spare: FloatArray, out: FloatArray,
) -> int:  # fmt: skip
    """The part of a side above a triangle.

    Args:
        side: The side's corners as rows, (., 3); written.
        count: How many.
        t: The triangle's corners as rows, (3, 3).
        slope: Of the triangle: its height is ``slope[0] + slope[1] x + slope[2] y``.
        spare: Room for a polygon.
        out: Gets rows of both coordinates, height of the side and height of the triangle.

    Returns:
        Rows of ``out``.
    """
    area = (t[1, 0] - t[0, 0]) * (t[2, 1] - t[0, 1]) - (t[1, 1] - t[0, 1]) * (t[2, 0] - t[0, 0])
    for k in range(3):
        i, j = (k, (k + 1) % 3) if area > 0.0 else ((k + 1) % 3, k)
        source, target = (spare, side) if k == 1 else (side, spare)
        count = cut_with_edge(source, count, t[i, 0], t[i, 1], t[j, 0], t[j, 1], target)
    for i in range(count):
        out[i, 0], out[i, 1], out[i, 2] = spare[i, 0], spare[i, 1], spare[i, 2]
        out[i, 3] = slope[0] + slope[1] * spare[i, 0] + slope[2] * spare[i, 1]
    return count


@kernel
def under_side(
    side: FloatArray, count: int, edge: FloatArray, spare: FloatArray, out: FloatArray
) -> int:
    """The part of an edge, two rows, below a side of three corners or more; see over_triangle."""
    slope = _plane(side, count)
    if slope[3] == 0.0:
        return 0
    left = int64(2)
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        a, b = (i, j) if slope[3] > 0.0 else (j, i)
        source, target = (edge, spare) if i % 2 == 0 else (spare, edge)
        left = cut_with_edge(source, left, side[a, 0], side[a, 1], side[b, 0], side[b, 1], target)
    last = edge if count % 2 == 0 else spare
    for i in range(left):
        out[i, 0], out[i, 1], out[i, 3] = last[i, 0], last[i, 1], last[i, 2]
        out[i, 2] = slope[0] + slope[1] * last[i, 0] + slope[2] * last[i, 1]
    return left


@kernel
def _plane(side: FloatArray, count: int) -> tuple[float, float, float, float]:
    """Height at the origin and its two slopes of a polygon, and its signed area; 0: it is upright.

    The normal is the sum of the cross products of neighbouring corners (Newell).
    """
    nx = ny = nz = mx = my = mz = 0.0
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        nx += (side[i, 1] - side[j, 1]) * (side[i, 2] + side[j, 2])
        ny += (side[i, 2] - side[j, 2]) * (side[i, 0] + side[j, 0])
        nz += (side[i, 0] - side[j, 0]) * (side[i, 1] + side[j, 1])
        mx, my, mz = mx + side[i, 0] / count, my + side[i, 1] / count, mz + side[i, 2] / count
    if abs(nz) <= LEVEL * math.sqrt(nx * nx + ny * ny + nz * nz):
        return 0.0, 0.0, 0.0, 0.0
    sx, sy = -nx / nz, -ny / nz
    return mz - sx * mx - sy * my, sx, sy, nz


@inlined
def is_steep(cosine: float) -> bool:
    """Whether a triangle is seen as an edge, by the cosine between its normal and the contact's."""
    return abs(cosine) < STEEP
