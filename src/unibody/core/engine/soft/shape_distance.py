# ruff: noqa: PLR0913, PLR0917 - compiled code takes its state as plain arguments
"""How far a point is from a shape, compiled by numba.

All in the shape's own frame. The answer is the distance, negative inside, and the outward normal
of the surface at the point nearest to it.
"""

from __future__ import annotations

import math
from typing import Any

from unibody.machine_code.jit import rule

FAR = 1e30
_TINY = 1e-12


@rule
def of_ball(x: float, y: float, z: float, radius: float) -> Any:
    """A ball about the origin."""
    length = math.sqrt(x * x + y * y + z * z)
    if length < _TINY:
        return -radius, 0.0, 0.0, 1.0
    return length - radius, x / length, y / length, z / length


@rule
def of_capsule(x: float, y: float, z: float, radius: float, half: float) -> Any:
    """A capsule whose axis is z, from -half to half."""
    along = min(max(z, -half), half)
    length = math.sqrt(x * x + y * y + (z - along) * (z - along))
    if length < _TINY:
        return -radius, 1.0, 0.0, 0.0
    return length - radius, x / length, y / length, (z - along) / length


@rule
def of_cylinder(x: float, y: float, z: float, radius: float, half: float) -> Any:
    """A cylinder whose axis is z, from -half to half."""
    out = math.sqrt(x * x + y * y)
    ux, uy = 1.0, 0.0
    if out > _TINY:
        ux, uy = x / out, y / out
    side, end = out - radius, abs(z) - half
    up = math.copysign(1.0, z)
    if side <= 0.0 and end <= 0.0:
        if side > end:
            return side, ux, uy, 0.0
        return end, 0.0, 0.0, up
    if end <= 0.0:
        return side, ux, uy, 0.0
    if side <= 0.0:
        return end, 0.0, 0.0, up
    length = math.sqrt(side * side + end * end)
    return length, side / length * ux, side / length * uy, end / length * up


@rule
def of_box(x: float, y: float, z: float, sx: float, sy: float, sz: float) -> Any:
    """A box of half sizes ``sx``, ``sy``, ``sz``."""
    dx, dy, dz = abs(x) - sx, abs(y) - sy, abs(z) - sz
    ax, ay, az = math.copysign(1.0, x), math.copysign(1.0, y), math.copysign(1.0, z)
    if dx <= 0.0 and dy <= 0.0 and dz <= 0.0:
        if dx >= dy and dx >= dz:
            return dx, ax, 0.0, 0.0
        if dy >= dz:
            return dy, 0.0, ay, 0.0
        return dz, 0.0, 0.0, az
    ox, oy, oz = max(dx, 0.0), max(dy, 0.0), max(dz, 0.0)
    length = math.sqrt(ox * ox + oy * oy + oz * oz)
    return length, ax * ox / length, ay * oy / length, az * oz / length


@rule
def of_ellipsoid(x: float, y: float, z: float, a: float, b: float, c: float) -> Any:
    """An ellipsoid; the distance is exact on the surface, and to first order next to it."""
    f = math.sqrt((x / a) ** 2 + (y / b) ** 2 + (z / c) ** 2)
    if f < _TINY:
        return -min(a, b, c), 0.0, 0.0, 1.0
    gx, gy, gz = x / (a * a * f), y / (b * b * f), z / (c * c * f)
    slope = math.sqrt(gx * gx + gy * gy + gz * gz)
    return (f - 1.0) / slope, gx / slope, gy / slope, gz / slope


@rule
def nearest_on_triangle(p: Any, a: Any, b: Any, c: Any) -> Any:
    """The point of a triangle that is nearest to ``p`` (Ericson 2005, section 5.1.5)."""
    abx, aby, abz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    acx, acy, acz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    apx, apy, apz = p[0] - a[0], p[1] - a[1], p[2] - a[2]
    d1 = abx * apx + aby * apy + abz * apz
    d2 = acx * apx + acy * apy + acz * apz
    if d1 <= 0.0 and d2 <= 0.0:
        return a[0], a[1], a[2]
    bpx, bpy, bpz = p[0] - b[0], p[1] - b[1], p[2] - b[2]
    d3 = abx * bpx + aby * bpy + abz * bpz
    d4 = acx * bpx + acy * bpy + acz * bpz
    if d3 >= 0.0 and d4 <= d3:
        return b[0], b[1], b[2]
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 <= d1 and d3 <= 0.0:
        t = d1 / max(d1 - d3, _TINY * _TINY)
        return a[0] + t * abx, a[1] + t * aby, a[2] + t * abz
    cpx, cpy, cpz = p[0] - c[0], p[1] - c[1], p[2] - c[2]
    d5 = abx * cpx + aby * cpy + abz * cpz
    d6 = acx * cpx + acy * cpy + acz * cpz
    if d6 >= 0.0 and d5 <= d6:
        return c[0], c[1], c[2]
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 <= d2 and d6 <= 0.0:
        t = d2 / max(d2 - d6, _TINY * _TINY)
        return a[0] + t * acx, a[1] + t * acy, a[2] + t * acz
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        t = (d4 - d3) / max((d4 - d3) + (d5 - d6), _TINY * _TINY)
        return b[0] + t * (c[0] - b[0]), b[1] + t * (c[1] - b[1]), b[2] + t * (c[2] - b[2])
    share = 1.0 / max(va + vb + vc, _TINY * _TINY)
    v, w = vb * share, vc * share
    return a[0] + v * abx + w * acx, a[1] + v * aby + w * acy, a[2] + v * abz + w * acz
