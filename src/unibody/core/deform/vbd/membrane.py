"""Triangles that resist stretch and shear, seen from one of their vertices.

The energy of a triangle of rest area A with the deformation gradient F = [f0, f1] is the stable
neo-Hookean one (Smith, de Goes and Kim 2018, section 3, written for surfaces):

    A (mu/2 (tr C - 2) + nu/2 (J - 1 - mu/nu)^2),   C = F'F,  J = |f0 x f1|,  nu = lambda + mu

With n = f0 x f1 / J, the vertex's own weights p and q in f0 and f1, and w = p f1 - q f0, the
gradient of J is w x n, and its second derivative |w|^2/J n n': one direction, kept where it does
not soften. Damping resists the rate of C, which no rotation changes.

The other law is that of Saint Venant and Kirchhoff, linear in the strain G = (C - 1)/2:

    A (mu |G|^2 + lambda/2 (tr G)^2)

With m = (p, q) and S = 2 mu G + lambda tr(G), its gradient is F S m, and its second derivative m'Sm
1 + mu |m|^2 FF' + (mu + lambda) (F m)(F m)', the first part kept where it does not soften.
"""

from __future__ import annotations

import math
from typing import Any

from unibody.core.deform.vbd.lanes import WIDTH, float32, vectorised

OTHERS = 2
PARAMETERS = 11
"""Rows: p and q of one other vertex, p and q of the second, mu A, nu A (lambda A), rest J, damping
A, and C00, C01, C11 at the start of the step."""

_MEASURED = 8
_W = WIDTH
_ZERO = float32(0.0)
_ONE = float32(1.0)
_HALF = float32(0.5)
_TWO = float32(2.0)
_TINY = float32(1e-20)


@vectorised
def measure(d: Any, par: Any, base: int, lanes: int) -> None:
    """Write what damping compares with.

    Args:
        d: From the vertex to the others, 6 rows [m].
        par: Parameters of all rounds.
        base: Where those of this round begin.
        lanes: How many lanes have a vertex.
    """
    for j in range(lanes):
        ax, ay, az = d[j], d[_W + j], d[2 * _W + j]
        bx, by, bz = d[3 * _W + j], d[4 * _W + j], d[5 * _W + j]
        p1, q1 = par[base + j], par[base + _W + j]
        p2, q2 = par[base + 2 * _W + j], par[base + 3 * _W + j]
        fx, fy, fz = p1 * ax + p2 * bx, p1 * ay + p2 * by, p1 * az + p2 * bz
        gx, gy, gz = q1 * ax + q2 * bx, q1 * ay + q2 * by, q1 * az + q2 * bz
        par[base + _MEASURED * _W + j] = fx * fx + fy * fy + fz * fz
        par[base + (_MEASURED + 1) * _W + j] = fx * gx + fy * gy + fz * gz
        par[base + (_MEASURED + 2) * _W + j] = gx * gx + gy * gy + gz * gz


@vectorised
def add(d: Any, par: Any, base: int, lanes: int, rate: float, sums: Any) -> None:
    """Add gradient and second derivative of a round of triangles.

    Args:
        d: From the vertex to the others, 6 rows [m].
        par: Parameters of all rounds.
        base: Where those of this round begin.
        lanes: How many lanes have a vertex.
        rate: One over the time step [1/s].
        sums: What is added to, 9 rows.
    """
    for j in range(lanes):
        ax, ay, az = d[j], d[_W + j], d[2 * _W + j]
        bx, by, bz = d[3 * _W + j], d[4 * _W + j], d[5 * _W + j]
        p1, q1 = par[base + j], par[base + _W + j]
        p2, q2 = par[base + 2 * _W + j], par[base + 3 * _W + j]
        mu, nu = par[base + 4 * _W + j], par[base + 5 * _W + j]
        rest, damping = par[base + 6 * _W + j], par[base + 7 * _W + j] * rate
        fx, fy, fz = p1 * ax + p2 * bx, p1 * ay + p2 * by, p1 * az + p2 * bz
        gx, gy, gz = q1 * ax + q2 * bx, q1 * ay + q2 * by, q1 * az + q2 * bz
        nx, ny, nz = fy * gz - fz * gy, fz * gx - fx * gz, fx * gy - fy * gx
        area = math.sqrt(nx * nx + ny * ny + nz * nz + _TINY)
        inverse = _ONE / area
        nx, ny, nz = nx * inverse, ny * inverse, nz * inverse
        p, q = -(p1 + p2), -(q1 + q2)
        wx, wy, wz = p * gx - q * fx, p * gy - q * fy, p * gz - q * fz
        hx, hy, hz = wy * nz - wz * ny, wz * nx - wx * nz, wx * ny - wy * nx
        stress = nu * (area - rest)
        c = _TWO * damping
        r0 = mu + c * (fx * fx + fy * fy + fz * fz - par[base + 8 * _W + j])
        r1 = c * (fx * gx + fy * gy + fz * gz - par[base + 9 * _W + j])
        r2 = mu + c * (gx * gx + gy * gy + gz * gz - par[base + 10 * _W + j])
        a0, a1 = r0 * p + r1 * q, r2 * q + r1 * p
        sums[j] += a0 * fx + a1 * gx + stress * hx
        sums[_W + j] += a0 * fy + a1 * gy + stress * hy
        sums[2 * _W + j] += a0 * fz + a1 * gz + stress * hz
        own = mu * (p * p + q * q)
        k = max(stress, _ZERO) * inverse * (wx * wx + wy * wy + wz * wz)
        # The damping's part is c (|m|^2 F F' + (F m)(F m)'), m = (p, q): the sum over all gradients
        # of C.
        tx, ty, tz = p * fx + q * gx, p * fy + q * gy, p * fz + q * gz
        e = c * (p * p + q * q)
        sums[3 * _W + j] += own + nu * hx * hx + k * nx * nx + e * (fx * fx + gx * gx) + c * tx * tx
        sums[4 * _W + j] += nu * hx * hy + k * nx * ny + e * (fx * fy + gx * gy) + c * tx * ty
        sums[5 * _W + j] += nu * hx * hz + k * nx * nz + e * (fx * fz + gx * gz) + c * tx * tz
        sums[6 * _W + j] += own + nu * hy * hy + k * ny * ny + e * (fy * fy + gy * gy) + c * ty * ty
        sums[7 * _W + j] += nu * hy * hz + k * ny * nz + e * (fy * fz + gy * gz) + c * ty * tz
        sums[8 * _W + j] += own + nu * hz * hz + k * nz * nz + e * (fz * fz + gz * gz) + c * tz * tz


@vectorised
def add_green(d: Any, par: Any, base: int, lanes: int, rate: float, sums: Any) -> None:
    """Add triangles of the second law; see `add`."""
    for j in range(lanes):
        ax, ay, az = d[j], d[_W + j], d[2 * _W + j]
        bx, by, bz = d[3 * _W + j], d[4 * _W + j], d[5 * _W + j]
        p1, q1 = par[base + j], par[base + _W + j]
        p2, q2 = par[base + 2 * _W + j], par[base + 3 * _W + j]
        mu, nu = par[base + 4 * _W + j], par[base + 5 * _W + j]
        damping = par[base + 7 * _W + j] * rate
        fx, fy, fz = p1 * ax + p2 * bx, p1 * ay + p2 * by, p1 * az + p2 * bz
        gx, gy, gz = q1 * ax + q2 * bx, q1 * ay + q2 * by, q1 * az + q2 * bz
        p, q = -(p1 + p2), -(q1 + q2)
        c = _TWO * damping
        c00, c01, c11 = (
            fx * fx + fy * fy + fz * fz,
            fx * gx + fy * gy + fz * gz,
            gx * gx + gy * gy + gz * gz,
        )
        swelling = _HALF * nu * (c00 + c11 - _TWO)
        s00, s01, s11 = mu * (c00 - _ONE) + swelling, mu * c01, mu * (c11 - _ONE) + swelling
        k = max(p * p * s00 + _TWO * p * q * s01 + q * q * s11, _ZERO)
        s00 += c * (c00 - par[base + 8 * _W + j])
        s01 += c * (c01 - par[base + 9 * _W + j])
        s11 += c * (c11 - par[base + 10 * _W + j])
        a0, a1 = s00 * p + s01 * q, s11 * q + s01 * p
        sums[j] += a0 * fx + a1 * gx
        sums[_W + j] += a0 * fy + a1 * gy
        sums[2 * _W + j] += a0 * fz + a1 * gz
        tx, ty, tz = p * fx + q * gx, p * fy + q * gy, p * fz + q * gz
        e = (mu + c) * (p * p + q * q)
        c += mu + nu
        sums[3 * _W + j] += k + e * (fx * fx + gx * gx) + c * tx * tx
        sums[4 * _W + j] += e * (fx * fy + gx * gy) + c * tx * ty
        sums[5 * _W + j] += e * (fx * fz + gx * gz) + c * tx * tz
        sums[6 * _W + j] += k + e * (fy * fy + gy * gy) + c * ty * ty
        sums[7 * _W + j] += e * (fy * fz + gy * gz) + c * ty * tz
        sums[8 * _W + j] += k + e * (fz * fz + gz * gz) + c * tz * tz
