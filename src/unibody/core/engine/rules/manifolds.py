"""Points of contact without a force: those new to a pair of shapes, and those of caught bodies."""

from __future__ import annotations

import mujoco

from unibody.core.engine.library.layout import Layout
from unibody.machine_code.jit import inlined
from unibody.machine_code.pointers import f64_array, i32_array, int_at, pointer_f64, pointer_i32

BOX, FIELD = int(mujoco.mjtGeom.mjGEOM_BOX), int(mujoco.mjtGeom.mjGEOM_HFIELD)
CAUGHT = 0.1  # of the smaller shape's bounding radius: as deep are contacts of what is caught
TOUCHES = 1e-4  # m: what is not deeper is left alone
OPPOSITE = -0.2  # cosine of the angle between contacts that push against one another
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


@inlined
def is_against_one_that_caught(
    m: int, d: int, lay: Layout, contacts: int, i: int, g1: int, g2: int
) -> bool:
    """Whether contact ``i`` pushes two bodies back into one another, out of which another does.

    Bodies of several shapes that meet fast can catch in one another, so deep that some of the
    contacts point one way and some the other. Bullet's solver does not get to the end of that: the
    contacts it comes to last push the bodies out. Here the first of the deep ones does.
    """
    con = contacts + i * lay.c_size
    if pointer_f64(con + lay.c_dist)[0] > -TOUCHES:
        return False
    body, bound = i32_array(m, lay.m_geom_bodyid), f64_array(m, lay.m_geom_rbound)
    b1, b2 = body[g1], body[g2]
    normal = pointer_f64(con + lay.c_frame)
    j = i - 1
    while j >= 0:
        other = contacts + j * lay.c_size
        geom = pointer_i32(other + lay.c_geom)
        a1, a2 = body[geom[0]], body[geom[1]]
        if not ((a1 == b1 and a2 == b2) or (a1 == b2 and a2 == b1)):
            break
        if pointer_f64(other + lay.c_dist)[0] < -CAUGHT * min(bound[geom[0]], bound[geom[1]]) < 0.0:
            against = pointer_f64(other + lay.c_frame)
            along = normal[0] * against[0] + normal[1] * against[1] + normal[2] * against[2]
            if (along if a1 == b1 else -along) < OPPOSITE:
                return True
        j -= 1
    return False
