"""Friction that depends on the direction: contacts are turned to its principal directions."""

from __future__ import annotations

import math

from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.tangent_rotation import turn_sliding
from unibody.machine_code.jit import rule
from unibody.machine_code.pointers import f64_array, i32_array, pointer_f64


@rule
def _scaled(
    m: int, d: int, lay: Layout, geom: int, v: tuple[float, float, float]
) -> tuple[float, float, float]:
    """A direction with its components along the axes of a surface multiplied by its factors."""
    user = f64_array(m, lay.m_geom_user)
    at = geom * t.GEOM_USER_SIZE + t.G_ANISOTROPY
    if user[at] == 0.0 and user[at + 1] == 0.0 and user[at + 2] == 0.0:
        return v
    axes = f64_array(d, lay.d_ximat)
    o = 9 * i32_array(m, lay.m_geom_bodyid)[geom]
    x, y, z = v
    for k in range(3):
        a0, a1, a2 = axes[o + k], axes[o + 3 + k], axes[o + 6 + k]
        more = user[at + k] * (a0 * v[0] + a1 * v[1] + a2 * v[2])
        x += more * a0
        y += more * a1
        z += more * a2
    return (x, y, z)


@rule
def turn_friction(
    m: int, d: int, lay: Layout, con: int, row: int, g1: int, g2: int
) -> tuple[float, float]:
    """Turn the two sliding rows of a contact; returns the factors of friction along them.

    Bullet scales each direction of friction by both surfaces, one after the other. The principal
    directions are those of the symmetric part of that map in the tangent plane.
    """
    frame = pointer_f64(con + lay.c_frame)
    p = (frame[3], frame[4], frame[5])
    q = (frame[6], frame[7], frame[8])
    ps = _scaled(m, d, lay, g2, _scaled(m, d, lay, g1, p))
    qs = _scaled(m, d, lay, g2, _scaled(m, d, lay, g1, q))
    pp = p[0] * ps[0] + p[1] * ps[1] + p[2] * ps[2]
    qq = q[0] * qs[0] + q[1] * qs[1] + q[2] * qs[2]
    pq = 0.5 * (
        p[0] * qs[0] + p[1] * qs[1] + p[2] * qs[2] + q[0] * ps[0] + q[1] * ps[1] + q[2] * ps[2]
    )
    if pq == 0.0:
        return (pp, qq)
    angle = 0.5 * math.atan2(2.0 * pq, pp - qq)
    c, s = math.cos(angle), math.sin(angle)
    turn_sliding(m, d, lay, con, row, c, s)
    half, spread = 0.5 * (pp + qq), math.sqrt(0.25 * (pp - qq) ** 2 + pq * pq)
    return (half + spread, half - spread)
