"""The angle between two triangles at their common edge, seen from one of the four vertices.

The energy is k/2 (angle - rest)^2, where k has the length of the edge in it. Gradients of the angle
are those of Bridson, Marino and Fedkiw 2003, section 4; of the second derivative the part k g g' is
kept, which never softens. Vertices x0 and x1 lie opposite the edge from x2 to x3. As the angle
stays the same when both pairs are swapped, a vertex is either the first opposite one or the
beginning of the edge.
"""

from __future__ import annotations

import math
from typing import Any

from unibody.core.deform.vbd.lanes import WIDTH, float32, vectorised
from unibody.machine_code import numba

OTHERS = 3
PARAMETERS = 4
"""Rows: stiffness times length, damping times length, rest angle, and the angle at the start of the
step."""

_W = WIDTH
_ZERO = float32(0.0)
_ONE = float32(1.0)
_TINY = float32(1e-20)
_PI = float32(math.pi)
_TURN = float32(2.0 * math.pi)
_QUARTER = float32(0.5 * math.pi)
# Abramowitz and Stegun 4.4.49: the arc tangent on [0, 1] to 2e-8.
_A2, _A4, _A6, _A8 = (
    float32(c) for c in (-0.3333314528, 0.1999355085, -0.1420889944, 0.1065626393)
)
_A10, _A12, _A14, _A16 = (
    float32(c) for c in (-0.0752896400, 0.0429096138, -0.0161657367, 0.0028662257)
)

_inlined: Any = numba.njit(
    forceinline=True, error_model="numpy", fastmath={"contract", "nsz", "nnan", "ninf"}
)


@_inlined
def angle_of(sine: Any, cosine: Any) -> Any:
    """Angle of a point that need not lie on the circle [rad]."""
    s, c = abs(sine), abs(cosine)
    t = min(s, c) / max(s, c, _TINY)
    x = t * t
    high = _A8 + x * (_A10 + x * (_A12 + x * (_A14 + x * _A16)))
    angle = t + t * x * (_A2 + x * (_A4 + x * (_A6 + x * high)))
    angle = _QUARTER - angle if s > c else angle
    angle = _PI - angle if cosine < _ZERO else angle
    return -angle if sine < _ZERO else angle


@_inlined
def _difference(a: Any, b: Any) -> Any:
    """How far one angle is from another, the short way round."""
    d = a - b
    d = d - _TURN if d > _PI else d
    return d + _TURN if d < -_PI else d


@_inlined
def _opposite(d: Any, j: int) -> tuple[float, float, float, float]:
    """Angle and its gradient for the first vertex opposite the edge."""
    ax, ay, az = d[j], d[_W + j], d[2 * _W + j]
    bx, by, bz = d[3 * _W + j], d[4 * _W + j], d[5 * _W + j]
    cx, cy, cz = d[6 * _W + j], d[7 * _W + j], d[8 * _W + j]
    mx, my, mz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    ex, ey, ez = cx - bx, cy - by, cz - bz
    ux, uy, uz = cx - ax, cy - ay, cz - az
    vx, vy, vz = bx - ax, by - ay, bz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    edge = math.sqrt(ex * ex + ey * ey + ez * ez + _TINY)
    sx, sy, sz = my * nz - mz * ny, mz * nx - mx * nz, mx * ny - my * nx
    angle = angle_of((sx * ex + sy * ey + sz * ez) / edge, mx * nx + my * ny + mz * nz)
    scale = -edge / (mx * mx + my * my + mz * mz + _TINY)
    return angle, scale * mx, scale * my, scale * mz


@_inlined
def _beginning(d: Any, j: int) -> tuple[float, float, float, float]:
    """Angle and its gradient for the vertex where the edge begins."""
    ax, ay, az = d[j], d[_W + j], d[2 * _W + j]
    bx, by, bz = d[3 * _W + j], d[4 * _W + j], d[5 * _W + j]
    ex, ey, ez = d[6 * _W + j], d[7 * _W + j], d[8 * _W + j]
    mx, my, mz = ey * az - ez * ay, ez * ax - ex * az, ex * ay - ey * ax
    nx, ny, nz = by * ez - bz * ey, bz * ex - bx * ez, bx * ey - by * ex
    squared = ex * ex + ey * ey + ez * ez + _TINY
    inverse = _ONE / math.sqrt(squared)
    sx, sy, sz = my * nz - mz * ny, mz * nx - mx * nz, mx * ny - my * nx
    sine = (sx * ex + sy * ey + sz * ez) * inverse
    angle = angle_of(sine, mx * nx + my * ny + mz * nz)
    a = (squared - (ax * ex + ay * ey + az * ez)) * inverse / (mx * mx + my * my + mz * mz + _TINY)
    b = (squared - (bx * ex + by * ey + bz * ez)) * inverse / (nx * nx + ny * ny + nz * nz + _TINY)
    return angle, a * mx + b * nx, a * my + b * ny, a * mz + b * nz


@_inlined
def _bend(
    found: tuple[float, float, float, float], par: Any, base: int, rate: float, sums: Any, j: int
) -> None:
    angle, x, y, z = found
    k, damping = par[base + j], par[base + _W + j] * rate
    moment = k * (angle - par[base + 2 * _W + j])
    moment += damping * _difference(angle, par[base + 3 * _W + j])
    sums[j] += moment * x
    sums[_W + j] += moment * y
    sums[2 * _W + j] += moment * z
    k += damping
    sums[3 * _W + j] += k * x * x
    sums[4 * _W + j] += k * x * y
    sums[5 * _W + j] += k * x * z
    sums[6 * _W + j] += k * y * y
    sums[7 * _W + j] += k * y * z
    sums[8 * _W + j] += k * z * z


@vectorised
def measure_opposite(d: Any, par: Any, base: int, lanes: int) -> None:
    """Write what damping compares with; see `membrane.measure`."""
    for j in range(lanes):
        par[base + 3 * _W + j] = _opposite(d, j)[0]


@vectorised
def measure_edge(d: Any, par: Any, base: int, lanes: int) -> None:
    """Write what damping compares with; see `membrane.measure`."""
    for j in range(lanes):
        par[base + 3 * _W + j] = _beginning(d, j)[0]


@vectorised
def add_opposite(d: Any, par: Any, base: int, lanes: int, rate: float, sums: Any) -> None:
    """Add for vertices x0, whose others are x1, x2, x3; see `membrane.add`."""
    for j in range(lanes):
        _bend(_opposite(d, j), par, base, rate, sums, j)


@vectorised
def add_edge(d: Any, par: Any, base: int, lanes: int, rate: float, sums: Any) -> None:
    """Add for vertices x2, whose others are x0, x1, x3; see `membrane.add`."""
    for j in range(lanes):
        _bend(_beginning(d, j), par, base, rate, sums, j)
