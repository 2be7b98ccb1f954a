"""What springs, bent edges and tetrahedra ask of their particles, many elements at once.

An element with constraint C, gradients g and inverse masses w is pulled by

    s = -(C + a p + gamma dt g v) / ((1 + gamma) sum(w g g) + a),   a = 1 / (k dt^2),

where p is what earlier rounds of the step have pulled, and gamma = damping / (k dt). It asks each
particle for g s, which the particle's inverse mass is multiplied with later (Macklin et al. 2016).
"""

from __future__ import annotations

import math
from typing import Any

from unibody.core.deform.vbd.bending import angle_of
from unibody.core.deform.vbd.lanes import WIDTH, float32, vectorised
from unibody.machine_code import numba

ROWS = 37
"""Most rows of `WIDTH` numbers that a function has: see each for what they are."""

_W = WIDTH
_ZERO = float32(0.0)
_ONE = float32(1.0)
_TWO = float32(2.0)
_THREE = float32(3.0)
_SIX = float32(6.0)
_TINY = float32(1e-30)
_SHORTEST = float32(1e-6)  # edge that bends [m]
_SMALLEST = float32(1e-12)  # square of twice the area of a triangle that bends [m^4]


# A function has its numbers in one array: with more of them a compiler would have to prove that
# they do not overlap, and takes one element after another instead.


@vectorised
def pull_springs(d: Any, n: int, dt: float, damped: int) -> None:
    """Springs.

    Args:
        d: Rows: way from the second end to the first, 3; how fast it grows, 3; sum of the inverse
            masses; length at rest, stiffness, damping; what earlier rounds of the step have pulled.
            The last one changes, and the first three get what the first end is asked for; the
            second is asked for the opposite.
        n: How many.
        dt: Time step [s].
        damped: 1 if any is damped; else the rate is not read.
    """
    for j in range(n):
        x, y, z, w = d[j], d[_W + j], d[2 * _W + j], d[6 * _W + j]
        length = math.sqrt(x * x + y * y + z * z)
        inverse = _ONE / max(length, _TINY)
        x, y, z = x * inverse, y * inverse, z * inverse
        k = d[8 * _W + j]
        soft = _ONE / max(k * dt * dt, _TINY)
        gamma = d[9 * _W + j] / max(k * dt, _TINY)
        rate = x * d[3 * _W + j] + y * d[4 * _W + j] + z * d[5 * _W + j]
        rate = rate if damped else _ZERO
        error = length - d[7 * _W + j] + gamma * dt * rate + soft * d[10 * _W + j]
        size = -error / ((_ONE + gamma) * w + soft)
        there = (length > _ZERO) & (w > _ZERO) & (k > _ZERO)
        size = size if there else _ZERO
        d[10 * _W + j] += size
        d[j], d[_W + j], d[2 * _W + j] = x * size, y * size, z * size


@vectorised
def pull_bends(d: Any, n: int, dt: float, damped: int) -> None:
    """Angles between two triangles.

    Args:
        d: Rows: from the beginning of the edge to the corners opposite it and to its end, 9;
            velocities of opposite corners, beginning and end, 12; their inverse masses, 4; angle at
            rest, stiffness, damping; what earlier rounds of the step have pulled. The last one
            changes, and the first twelve get what these four are asked for.
        n: How many.
        dt: Time step [s].
        damped: See `pull_springs`.
    """
    for j in range(n):
        ax, ay, az = d[j], d[_W + j], d[2 * _W + j]
        bx, by, bz = d[3 * _W + j], d[4 * _W + j], d[5 * _W + j]
        ex, ey, ez = d[6 * _W + j], d[7 * _W + j], d[8 * _W + j]
        mx, my, mz = ey * az - ez * ay, ez * ax - ex * az, ex * ay - ey * ax
        nx, ny, nz = by * ez - bz * ey, bz * ex - bx * ez, bx * ey - by * ex
        length = math.sqrt(ex * ex + ey * ey + ez * ez)
        first, second = mx * mx + my * my + mz * mz, nx * nx + ny * ny + nz * nz
        scale = _ONE / max(length, _TINY)
        ex, ey, ez = ex * scale, ey * scale, ez * scale
        sx, sy, sz = my * nz - mz * ny, mz * nx - mx * nz, mx * ny - my * nx
        angle = angle_of(sx * ex + sy * ey + sz * ez, mx * nx + my * ny + mz * nz)
        scale = _ONE / max(math.sqrt(first), _TINY)
        mx, my, mz = mx * scale, my * scale, mz * scale
        scale = _ONE / max(math.sqrt(second), _TINY)
        nx, ny, nz = nx * scale, ny * scale, nz * scale
        # Unit normals take the place of those of the angle's gradient (Bridson et al. 2003), which
        # are divided by the height of their triangle: so does Newton.
        p = ax * ex + ay * ey + az * ez
        q = bx * ex + by * ey + bz * ez
        r, t = length - p, length - q
        kx, ky, kz = mx * r + nx * t, my * r + ny * t, mz * r + nz * t
        lx, ly, lz = mx * p + nx * q, my * p + ny * q, mz * p + nz * q
        ax, ay, az = -mx * length, -my * length, -mz * length
        bx, by, bz = -nx * length, -ny * length, -nz * length
        give = d[21 * _W + j] * (ax * ax + ay * ay + az * az)
        give += d[22 * _W + j] * (bx * bx + by * by + bz * bz)
        give += d[23 * _W + j] * (kx * kx + ky * ky + kz * kz)
        give += d[24 * _W + j] * (lx * lx + ly * ly + lz * lz)
        rate = ax * d[9 * _W + j] + ay * d[10 * _W + j] + az * d[11 * _W + j]
        rate += bx * d[12 * _W + j] + by * d[13 * _W + j] + bz * d[14 * _W + j]
        rate += kx * d[15 * _W + j] + ky * d[16 * _W + j] + kz * d[17 * _W + j]
        rate += lx * d[18 * _W + j] + ly * d[19 * _W + j] + lz * d[20 * _W + j]
        rate = rate if damped else _ZERO
        k = d[26 * _W + j]
        soft = _ONE / max(k * dt * dt, _TINY)
        gamma = d[27 * _W + j] / max(k * dt, _TINY)
        error = angle - d[25 * _W + j] + gamma * dt * rate + soft * d[28 * _W + j]
        size = -error / ((_ONE + gamma) * give + soft)
        there = (k > _ZERO) & (give > _ZERO) & (length >= _SHORTEST)
        there &= (first >= _SMALLEST) & (second >= _SMALLEST)
        size = size if there else _ZERO
        d[28 * _W + j] += size
        d[j], d[_W + j], d[2 * _W + j] = ax * size, ay * size, az * size
        d[3 * _W + j], d[4 * _W + j], d[5 * _W + j] = bx * size, by * size, bz * size
        d[6 * _W + j], d[7 * _W + j], d[8 * _W + j] = kx * size, ky * size, kz * size
        d[9 * _W + j], d[10 * _W + j], d[11 * _W + j] = lx * size, ly * size, lz * size


_inlined: Any = numba.njit(
    forceinline=True, error_model="numpy", fastmath={"contract", "nsz", "nnan", "ninf"}
)


@_inlined
def _row(d: Any, row: int, j: int) -> Any:
    """Three rows of a lane."""
    return d[row * _W + j], d[(row + 1) * _W + j], d[(row + 2) * _W + j]


@_inlined
def _mix(a: Any, b: Any, c: Any, p: float, q: float, r: float) -> Any:
    return (
        a[0] * p + b[0] * q + c[0] * r,
        a[1] * p + b[1] * q + c[1] * r,
        a[2] * p + b[2] * q + c[2] * r,
    )


@_inlined
def _cross(a: Any, b: Any, scale: float) -> Any:
    return (
        scale * (a[1] * b[2] - a[2] * b[1]),
        scale * (a[2] * b[0] - a[0] * b[2]),
        scale * (a[0] * b[1] - a[1] * b[0]),
    )


@_inlined
def _dot(a: Any, b: Any) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@_inlined
def _give(d: Any, j: int, g: Any) -> float:
    """How far corners give way along gradients of three of them."""
    all_three = _mix(g[0], g[1], g[2], _ONE, _ONE, _ONE)  # the first corner has the opposite
    found = d[9 * _W + j] * _dot(all_three, all_three) + d[10 * _W + j] * _dot(g[0], g[0])
    return found + d[11 * _W + j] * _dot(g[1], g[1]) + d[12 * _W + j] * _dot(g[2], g[2])


@_inlined
def _rate(d: Any, j: int, g: Any) -> float:
    """How fast corners move along gradients of three of them, relative to the first corner."""
    found = _dot(g[0], _row(d, 27, j)) + _dot(g[1], _row(d, 30, j))
    return found + _dot(g[2], _row(d, 33, j))


@vectorised
def pull_tetrahedra(d: Any, n: int, dt: float, relaxation: float, damped: int) -> None:
    """Shapes, tr F'F = 3, and volumes, det F = 1 - activation: each by itself, as in Newton.

    Args:
        d: Rows: from the first corner to the others, 9; inverse masses, 4; inverse of the edges at
            rest, row by row, 9; shear and bulk modulus, and activation; what earlier rounds of the
            step have pulled, 2; velocities of the other corners less that of the first, 9; damping.
            What was pulled changes, and the first nine get what the other corners are asked for;
            the first corner is asked for the opposite of all.
        n: How many.
        dt: Time step [s].
        relaxation: Share of the pull that is done.
        damped: See `pull_springs`.
    """
    for j in range(n):
        a, b, c = _row(d, 0, j), _row(d, 3, j), _row(d, 6, j)
        p, q, r = _row(d, 13, j), _row(d, 16, j), _row(d, 19, j)
        f = _mix(a, b, c, p[0], q[0], r[0])  # columns of F
        g = _mix(a, b, c, p[1], q[1], r[1])
        h = _mix(a, b, c, p[2], q[2], r[2])
        shrink = _dot(p, _cross(q, r, _ONE))
        # Gradients of both for the other corners.
        shapes = (
            _mix(f, g, h, _TWO * p[0], _TWO * p[1], _TWO * p[2]),
            _mix(f, g, h, _TWO * q[0], _TWO * q[1], _TWO * q[2]),
            _mix(f, g, h, _TWO * r[0], _TWO * r[1], _TWO * r[2]),
        )
        volumes = _cross(b, c, shrink), _cross(c, a, shrink), _cross(a, b, shrink)
        shear, bulk = d[22 * _W + j], d[23 * _W + j]
        scale = _SIX * shrink / (dt * dt)
        soft, firm = scale / max(shear, _TINY), scale / max(bulk, _TINY)
        shear_gamma = d[36 * _W + j] / max(shear * dt, _TINY)
        bulk_gamma = d[36 * _W + j] / max(bulk * dt, _TINY)
        rate, more_rate = _rate(d, j, shapes), _rate(d, j, volumes)
        rate, more_rate = (rate, more_rate) if damped else (_ZERO, _ZERO)
        squares = _dot(f, f) + _dot(g, g) + _dot(h, h)
        first = squares - _THREE + soft * d[25 * _W + j] + shear_gamma * dt * rate
        second = _dot(a, volumes[0]) - _ONE + d[24 * _W + j]
        second += firm * d[26 * _W + j] + bulk_gamma * dt * more_rate
        there = (shear > _ZERO) & (bulk > _ZERO) & (shrink > _ZERO)
        size = -relaxation * first / ((_ONE + shear_gamma) * _give(d, j, shapes) + soft)
        more = -relaxation * second / ((_ONE + bulk_gamma) * _give(d, j, volumes) + firm)
        size = size if there else _ZERO
        more = more if there else _ZERO
        d[25 * _W + j] += size
        d[26 * _W + j] += more
        for k in range(3):
            d[k * _W + j] = shapes[0][k] * size + volumes[0][k] * more
            d[(3 + k) * _W + j] = shapes[1][k] * size + volumes[1][k] * more
            d[(6 + k) * _W + j] = shapes[2][k] * size + volumes[2][k] * more
