"""Points of contact that a pair of shapes has not had before."""

from __future__ import annotations

import mujoco

from unibody.core.engine.layout import Layout
from unibody.core.engine.rows.jit import inlined
from unibody.core.engine.rows.pointers import f64_array, i32_array, int_at, pointer_f64, pointer_i32

BOX, FIELD = int(mujoco.mjtGeom.mjGEOM_BOX), int(mujoco.mjtGeom.mjGEOM_HFIELD)
AT_ONCE = 0.02  # of what a point moves in a step: as deep as the deepest one


@inlined
def is_shallow_and_new(
    m: int, d: int, lay: Layout, contacts: int, i: int, g1: int, g2: int, dt: float
) -> bool:
    """Whether contact ``i``, of geoms ``g1`` and ``g2``, was not there and is not the deepest.

    Bullet finds the deepest point of a pair in each step and keeps those of before: what lands on
    a corner is turned by it first, and hits with the others after that. Only of two boxes it finds
    all points at once, and of a height field those of each cell.
    """
    con = contacts + i * lay.c_size
    kind = i32_array(m, lay.m_geom_type)
    if kind[g1] == FIELD or (kind[g1] == BOX and kind[g2] == BOX):
        return False
    moved = f64_array(d, lay.d_efc_vel)[int_at(con, lay.c_efc_address)] * dt
    distance = pointer_f64(con + lay.c_dist)[0]
    margin = f64_array(m, lay.m_geom_margin)
    if distance - moved <= margin[g1] + margin[g2]:
        return False
    limit = distance + AT_ONCE * moved
    for step in (-1, 1):
        j = i + step
        while 0 <= j < int_at(d, lay.d_ncon):
            other = contacts + j * lay.c_size
            geom = pointer_i32(other + lay.c_geom)
            if geom[0] != g1 or geom[1] != g2:
                break
            if pointer_f64(other + lay.c_dist)[0] < limit:
                return True
            j += step
    return False
