"""Friction that acts on each of two bodies at its own surface.

MuJoCo has one point for both, half-way between their surfaces. What comes in fast is a few
millimetres in another body when its impact is solved, and Bullet's friction then has that much
more of a lever: a thin box is turned by it.
"""

from __future__ import annotations

from unibody.core.engine.library.jacobian import is_sparse, row_span
from unibody.core.engine.library.layout import Layout
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import f64_array, i32_array, int_at, pointer_f64

WORLD = 0  # MuJoCo body
NEAR = 1e-4  # m: surfaces that are no farther apart, or in one another, are one


@inlined
def _last_dof(m: int, lay: Layout, body: int) -> int:
    """The last degree of freedom that moves a body; -1 if nothing does."""
    count = i32_array(m, lay.m_body_dofnum)
    while body != WORLD and count[body] == 0:
        body = i32_array(m, lay.m_body_parentid)[body]
    if body == WORLD:
        return -1
    return i32_array(m, lay.m_body_dofadr)[body] + count[body] - 1


@inlined
def _lengthen(m: int, d: int, lay: Layout, con: int, row: int, body: int, half: float) -> None:
    """Move the point at which two sliding rows act on one body by ``half`` along the normal."""
    frame = pointer_f64(con + lay.c_frame)
    cdof = f64_array(d, lay.d_cdof)
    qvel = f64_array(d, lay.d_qvel)
    parent = i32_array(m, lay.m_dof_parentid)
    jacobian = f64_array(d, lay.d_efc_J)
    columns = i32_array(d, lay.d_efc_J_colind)
    velocity = f64_array(d, lay.d_efc_vel)
    start, count = row_span(m, d, lay, row + 1)
    sparse = is_sparse(m, lay)
    dof = _last_dof(m, lay, body)
    at = start + count - 1
    while dof >= 0:
        if sparse:  # columns rise, and so do the degrees of freedom from root to leaf
            while at > start and columns[at] > dof:
                at -= 1
            if columns[at] != dof:  # MuJoCo leaves out what moves both bodies alike
                dof = parent[dof]
                continue
        else:
            at = start + dof
        x, y, z = cdof[6 * dof], cdof[6 * dof + 1], cdof[6 * dof + 2]
        # the normal's cross products with the first direction are the second, and minus the first
        first = half * (frame[6] * x + frame[7] * y + frame[8] * z)
        second = -half * (frame[3] * x + frame[4] * y + frame[5] * z)
        jacobian[at] += first
        jacobian[at + count] += second
        velocity[row + 1] += first * qvel[dof]
        velocity[row + 2] += second * qvel[dof]
        dof = parent[dof]


@rule
def act_at_surfaces(m: int, d: int, lay: Layout, con: int, row: int, g1: int, g2: int) -> None:
    """Have the sliding rows of a contact act on each body where its own surface is."""
    half = 0.5 * pointer_f64(con + lay.c_dist)[0]
    if abs(half) < NEAR or int_at(con, lay.c_dim) < 3:
        return
    body, tree = i32_array(m, lay.m_geom_bodyid), i32_array(m, lay.m_body_treeid)
    if tree[body[g1]] == tree[body[g2]]:  # links of one robot, which only hold one another
        return
    # The first surface lies half of the distance against the normal, and counts negatively.
    _lengthen(m, d, lay, con, row, body[g1], half)
    _lengthen(m, d, lay, con, row, body[g2], half)
