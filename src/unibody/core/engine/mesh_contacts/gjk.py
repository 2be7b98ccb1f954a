# ruff: noqa: PLR0913, PLR0917 - kernels take their state as plain arguments
"""Closest points of a triangle and the core of a convex geom, compiled by numba.

The algorithm is that of Gilbert, Johnson and Keerthi, on the difference of the two. All is in the
frame of the geom. Points of the simplex are rows of seven numbers: point of the difference, point
of the geom, corner of the triangle.
"""

from __future__ import annotations

import math

from unibody.core.assets.mesh.types import FloatArray
from unibody.core.engine.mesh_contacts.convex import Convex, support
from unibody.core.engine.mesh_contacts.struct_fields import int64
from unibody.machine_code.jit import kernel

SIMPLEX = 4  # rows
_ROUNDS = 40
_CONVERGED = 1e-12  # share of the squared distance that a further point could take off
_FLAT = 1e-20  # squared sine: a simplex that is flatter has no inside
_OVERLAP = 1e-18  # m^2: closer than this is an overlap


@kernel
def nearest_on_triangle(t: FloatArray) -> tuple[float, float, float]:
    """Shares of the three corners in the point of a triangle that is nearest to the origin.

    Args:
        t: The corners, (9,).
    """
    ux, uy, uz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    vx, vy, vz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    d1, d2 = -(ux * t[0] + uy * t[1] + uz * t[2]), -(vx * t[0] + vy * t[1] + vz * t[2])
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    d3, d4 = -(ux * t[3] + uy * t[4] + uz * t[5]), -(vx * t[3] + vy * t[4] + vz * t[5])
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    third = d1 * d4 - d3 * d2
    if third <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        share = d1 / (d1 - d3)
        return 1.0 - share, share, 0.0
    d5, d6 = -(ux * t[6] + uy * t[7] + uz * t[8]), -(vx * t[6] + vy * t[7] + vz * t[8])
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    second = d5 * d2 - d1 * d6
    if second <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        share = d2 / (d2 - d6)
        return 1.0 - share, 0.0, share
    first = d3 * d6 - d5 * d4
    if first <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        share = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - share, share
    total = 1.0 / (first + second + third)
    b, c = second * total, third * total
    return 1.0 - b - c, b, c


@kernel
def _nearest_on_edge(s: FloatArray, i: int, j: int) -> float:
    """Share of the second end in the point of an edge of the simplex nearest to the origin."""
    along = square = 0.0
    for k in range(3):
        step = s[j, k] - s[i, k]
        along -= s[i, k] * step
        square += step * step
    return min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0


@kernel
def _outside(s: FloatArray, i: int, j: int, k: int, other: int) -> bool:
    """Whether the origin is not on the side of a face of the simplex where its other corner is."""
    ux, uy, uz = s[j, 0] - s[i, 0], s[j, 1] - s[i, 1], s[j, 2] - s[i, 2]
    vx, vy, vz = s[k, 0] - s[i, 0], s[k, 1] - s[i, 1], s[k, 2] - s[i, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    origin = -(nx * s[i, 0] + ny * s[i, 1] + nz * s[i, 2])
    mx, my, mz = s[other, 0] - s[i, 0], s[other, 1] - s[i, 1], s[other, 2] - s[i, 2]
    inner = nx * mx + ny * my + nz * mz
    flat = _FLAT * (nx * nx + ny * ny + nz * nz) * (mx * mx + my * my + mz * mz)
    return inner * inner <= flat or origin * inner <= 0.0


@kernel
def _of_face(
    s: FloatArray, t: FloatArray, i: int, j: int, k: int
) -> tuple[float, float, float, float]:
    """Shares of three points of the simplex in their nearest point, and its squared distance."""
    for n in range(3):
        t[n], t[3 + n], t[6 + n] = s[i, n], s[j, n], s[k, n]
    a, b, c = nearest_on_triangle(t)
    square = 0.0
    for n in range(3):
        value = a * t[n] + b * t[3 + n] + c * t[6 + n]
        square += value * value
    return a, b, c, square


@kernel
def _share_out(s: FloatArray, shares: FloatArray, t: FloatArray, count: int) -> bool:
    """Shares of the points of a simplex in its point nearest to the origin.

    Returns:
        Whether the origin is outside.
    """
    if count == 1:
        shares[0] = 1.0
    elif count == 2:
        shares[1] = _nearest_on_edge(s, 0, 1)
        shares[0] = 1.0 - shares[1]
    elif count == 3:
        shares[0], shares[1], shares[2], _ = _of_face(s, t, int64(0), int64(1), int64(2))
    else:
        best = math.inf
        for i, j, k, other in ((0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 3, 1), (1, 2, 3, 0)):
            if _outside(s, i, j, k, other):
                a, b, c, square = _of_face(s, t, i, j, k)
                if square < best:
                    best = square
                    shares[i], shares[j], shares[k], shares[other] = a, b, c, 0.0
        return best < math.inf
    return True


@kernel
def _reduce(s: FloatArray, shares: FloatArray, t: FloatArray, count: int) -> int:
    """Keep of the simplex what its point nearest to the origin lies on.

    Returns:
        How many points are left, in the first rows, and their shares; 0: the origin is inside.
    """
    if not _share_out(s, shares, t, count):
        return int64(0)
    left = int64(0)
    for n in range(count):
        if shares[n] > 0.0:
            if left < n:
                for k in range(7):
                    s[left, k] = s[n, k]
                shares[left] = shares[n]
            left += 1
    return left


@kernel
def _note(s: FloatArray, shares: FloatArray, count: int, result: FloatArray) -> None:
    """Write the point on the core, and the shares of the corners in that on the triangle."""
    for n in range(3, 9):
        result[n] = 0.0
    for n in range(count):
        for k in range(3):
            result[3 + k] += shares[n] * s[n, 3 + k]
        result[6 + int(s[n, 6])] += shares[n]


@kernel
def nearest(
    geom: Convex, level: int, t: FloatArray, s: FloatArray, shares: FloatArray, spare: FloatArray,
    result: FloatArray,
) -> float:  # fmt: skip
    """Distance of a triangle and a core.

    Args:
        geom: The geom.
        level: How far its core is drawn in, see ``convex.support``.
        t: Corners of the triangle, (9,).
        s: Room for the simplex, (SIMPLEX, 7).
        shares: Room, (SIMPLEX,).
        spare: Room, (9,).
        result: (9,): gets the vector from the point on the triangle to that on the core, the point
            on the core, and the shares of the three corners in that on the triangle.

    Returns:
        The distance [m]; 0 where they overlap.
    """
    a, b, c = nearest_on_triangle(t)
    x = -(a * t[0] + b * t[3] + c * t[6])
    y = -(a * t[1] + b * t[4] + c * t[7])
    z = -(a * t[2] + b * t[5] + c * t[8])
    count, square = int64(0), math.inf
    for _ in range(_ROUNDS):
        px, py, pz = support(geom, level, -x, -y, -z)
        corner, most = 0, -math.inf
        for n in range(3):
            along = t[3 * n] * x + t[3 * n + 1] * y + t[3 * n + 2] * z
            if along > most:
                most, corner = along, n
        wx, wy, wz = px - t[3 * corner], py - t[3 * corner + 1], pz - t[3 * corner + 2]
        if count and square - (x * wx + y * wy + z * wz) <= _CONVERGED * square:
            break
        known = False
        for n in range(count):
            known = known or (s[n, 0] == wx and s[n, 1] == wy and s[n, 2] == wz)
        if known:
            break
        s[count, 0], s[count, 1], s[count, 2] = wx, wy, wz
        s[count, 3], s[count, 4], s[count, 5], s[count, 6] = px, py, pz, float(corner)
        count = _reduce(s, shares, spare, count + 1)
        u = v = w = 0.0
        for n in range(count):
            u, v, w = u + shares[n] * s[n, 0], v + shares[n] * s[n, 1], w + shares[n] * s[n, 2]
        closer = u * u + v * v + w * w
        if count == 0 or closer <= _OVERLAP:
            return 0.0
        if closer >= square:
            break
        x, y, z, square = u, v, w, closer
        _note(s, shares, count, result)
    result[0], result[1], result[2] = x, y, z
    return math.sqrt(square)
