"""Tetrahedra that resist stretch, shear and change of volume, seen from one of their vertices.

The energy of a tetrahedron of rest volume V is the stable neo-Hookean one (Smith, de Goes and Kim
2018, section 3):

    V (mu/2 (tr C - 3) - s mu/2 log(tr C + 1) + nu/2 (J - 1 - (1 - s/4) mu/nu)^2),
    C = F'F,  J = det F,  nu = lambda + mu

with the share s of its barrier against collapse. J is linear in one vertex, so that the second
derivative is m |w|^2 1 + 2 s mu / (tr C + 1)^2 Fw Fw' + nu c c' with the vertex's weights w, the
gradient c of J and m = mu (1 - s / (tr C + 1)): it never softens. Damping resists the rate of C,
which no rotation changes.
"""

from __future__ import annotations

from typing import Any

from unibody.core.deform.vbd.lanes import WIDTH, float32, vectorised

OTHERS = 3
PARAMETERS = 21
"""Rows: three weights of each other vertex, mu V, nu V, rest J, 1 / (6 V), damping V, and
C00, C11, C22, C01, C02, C12 at the start of the step; s mu V."""

_MEASURED = 14
_W = WIDTH
_ONE = float32(1.0)
_TWO = float32(2.0)


@vectorised
def measure(d: Any, par: Any, base: int, lanes: int) -> None:
    """Write what damping compares with; see `membrane.measure`."""
    for j in range(lanes):
        ax, ay, az = d[j], d[_W + j], d[2 * _W + j]
        bx, by, bz = d[3 * _W + j], d[4 * _W + j], d[5 * _W + j]
        cx, cy, cz = d[6 * _W + j], d[7 * _W + j], d[8 * _W + j]
        p, q, r = par[base + j], par[base + 3 * _W + j], par[base + 6 * _W + j]
        fx, fy, fz = p * ax + q * bx + r * cx, p * ay + q * by + r * cy, p * az + q * bz + r * cz
        p, q, r = par[base + _W + j], par[base + 4 * _W + j], par[base + 7 * _W + j]
        gx, gy, gz = p * ax + q * bx + r * cx, p * ay + q * by + r * cy, p * az + q * bz + r * cz
        p, q, r = par[base + 2 * _W + j], par[base + 5 * _W + j], par[base + 8 * _W + j]
        hx, hy, hz = p * ax + q * bx + r * cx, p * ay + q * by + r * cy, p * az + q * bz + r * cz
        par[base + _MEASURED * _W + j] = fx * fx + fy * fy + fz * fz
        par[base + (_MEASURED + 1) * _W + j] = gx * gx + gy * gy + gz * gz
        par[base + (_MEASURED + 2) * _W + j] = hx * hx + hy * hy + hz * hz
        par[base + (_MEASURED + 3) * _W + j] = fx * gx + fy * gy + fz * gz
        par[base + (_MEASURED + 4) * _W + j] = fx * hx + fy * hy + fz * hz
        par[base + (_MEASURED + 5) * _W + j] = gx * hx + gy * hy + gz * hz


@vectorised
def add(d: Any, par: Any, base: int, lanes: int, rate: float, sums: Any) -> None:
    """Add gradient and second derivative of a round of tetrahedra; see `membrane.add`."""
    for j in range(lanes):
        ax, ay, az = d[j], d[_W + j], d[2 * _W + j]
        bx, by, bz = d[3 * _W + j], d[4 * _W + j], d[5 * _W + j]
        cx, cy, cz = d[6 * _W + j], d[7 * _W + j], d[8 * _W + j]
        p, q, r = par[base + j], par[base + 3 * _W + j], par[base + 6 * _W + j]
        m0 = -(p + q + r)
        fx, fy, fz = p * ax + q * bx + r * cx, p * ay + q * by + r * cy, p * az + q * bz + r * cz
        p, q, r = par[base + _W + j], par[base + 4 * _W + j], par[base + 7 * _W + j]
        m1 = -(p + q + r)
        gx, gy, gz = p * ax + q * bx + r * cx, p * ay + q * by + r * cy, p * az + q * bz + r * cz
        p, q, r = par[base + 2 * _W + j], par[base + 5 * _W + j], par[base + 8 * _W + j]
        m2 = -(p + q + r)
        hx, hy, hz = p * ax + q * bx + r * cx, p * ay + q * by + r * cy, p * az + q * bz + r * cz
        mu, nu = par[base + 9 * _W + j], par[base + 10 * _W + j]
        rest, sixth = par[base + 11 * _W + j], par[base + 12 * _W + j]
        # b x c, and the gradient of six volumes: -(b x c + c x a + a x b) = -(b - a) x (c - a).
        kx, ky, kz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
        stress = nu * (sixth * (ax * kx + ay * ky + az * kz) - rest)
        bx, by, bz, cx, cy, cz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        kx, ky, kz = bz * cy - by * cz, bx * cz - bz * cx, by * cx - bx * cy
        kx, ky, kz = sixth * kx, sixth * ky, sixth * kz
        # Gradients of C00, C11, C22, halved, and of C01, C02, C12.
        c = _TWO * rate * par[base + 13 * _W + j]
        c00, c11, c22 = (
            fx * fx + fy * fy + fz * fz,
            gx * gx + gy * gy + gz * gz,
            hx * hx + hy * hy + hz * hz,
        )
        inverse = _ONE / (c00 + c11 + c22 + _ONE)
        barrier = par[base + 20 * _W + j] * inverse
        mu -= barrier
        r0 = mu + c * (c00 - par[base + 14 * _W + j])
        r1 = mu + c * (c11 - par[base + 15 * _W + j])
        r2 = mu + c * (c22 - par[base + 16 * _W + j])
        s0 = c * (fx * gx + fy * gy + fz * gz - par[base + 17 * _W + j])
        s1 = c * (fx * hx + fy * hy + fz * hz - par[base + 18 * _W + j])
        s2 = c * (gx * hx + gy * hy + gz * hz - par[base + 19 * _W + j])
        a0, a1, a2 = (
            r0 * m0 + s0 * m1 + s1 * m2,
            r1 * m1 + s0 * m0 + s2 * m2,
            r2 * m2 + s1 * m0 + s2 * m1,
        )
        sums[j] += a0 * fx + a1 * gx + a2 * hx + stress * kx
        sums[_W + j] += a0 * fy + a1 * gy + a2 * hy + stress * ky
        sums[2 * _W + j] += a0 * fz + a1 * gz + a2 * hz + stress * kz
        own = mu * (m0 * m0 + m1 * m1 + m2 * m2)
        # The damping's part is c (|m|^2 F F' + (F m)(F m)'): the sum over all gradients of C.
        tx, ty, tz = (
            m0 * fx + m1 * gx + m2 * hx,
            m0 * fy + m1 * gy + m2 * hy,
            m0 * fz + m1 * gz + m2 * hz,
        )
        e = c * (m0 * m0 + m1 * m1 + m2 * m2)
        c += _TWO * barrier * inverse
        sums[3 * _W + j] += own + nu * kx * kx + e * (fx * fx + gx * gx + hx * hx) + c * tx * tx
        sums[4 * _W + j] += nu * kx * ky + e * (fx * fy + gx * gy + hx * hy) + c * tx * ty
        sums[5 * _W + j] += nu * kx * kz + e * (fx * fz + gx * gz + hx * hz) + c * tx * tz
        sums[6 * _W + j] += own + nu * ky * ky + e * (fy * fy + gy * gy + hy * hy) + c * ty * ty
        sums[7 * _W + j] += nu * ky * kz + e * (fy * fz + gy * gz + hy * hz) + c * ty * tz
        sums[8 * _W + j] += own + nu * kz * kz + e * (fz * fz + gz * gz + hz * hz) + c * tz * tz
