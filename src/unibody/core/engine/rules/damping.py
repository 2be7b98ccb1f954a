"""Linear and angular damping of bodies, as forces on the whole tree."""

from __future__ import annotations

import math

from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.machine_code.jit import inlined
from unibody.machine_code.pointers import Pointer, f64_array, i32_array, int_at


@inlined
def _body_drag(
    m: int,
    d: int,
    lay: Layout,
    body: int,
    linear: float,
    angular: float,
    quadratic: float,
    cap: float,
    out: Pointer,
) -> None:
    """Add the drag wrench of one body to ``out[6*body:]`` (torque, force about the tree's centre).

    Bullet's law: force ``-m v (c + c |v|)`` at the centre of mass and torque
    ``-I w (c + c |w|)``. PhysX has it without the second terms: ``quadratic`` is 0. The rate is
    capped at ``cap`` = 1/dt, where drag would stop the body within a step.
    """
    cvel = f64_array(d, lay.d_cvel)
    xipos = f64_array(d, lay.d_xipos)
    ximat = f64_array(d, lay.d_ximat)
    centre = f64_array(d, lay.d_subtree_com)
    inertia = f64_array(m, lay.m_body_inertia)
    mass = f64_array(m, lay.m_body_mass)[body]
    root = i32_array(m, lay.m_body_rootid)[body]
    w0, w1, w2 = cvel[6 * body], cvel[6 * body + 1], cvel[6 * body + 2]
    r0 = xipos[3 * body] - centre[3 * root]
    r1 = xipos[3 * body + 1] - centre[3 * root + 1]
    r2 = xipos[3 * body + 2] - centre[3 * root + 2]
    v0 = cvel[6 * body + 3] + w1 * r2 - w2 * r1
    v1 = cvel[6 * body + 4] + w2 * r0 - w0 * r2
    v2 = cvel[6 * body + 5] + w0 * r1 - w1 * r0
    k = -mass * min(cap, linear * (1.0 + quadratic * math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)))
    f0, f1, f2 = k * v0, k * v1, k * v2
    k = -min(cap, angular * (1.0 + quadratic * math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)))
    t0, t1, t2 = 0.0, 0.0, 0.0
    for axis in range(3):
        a0 = ximat[9 * body + axis]
        a1 = ximat[9 * body + 3 + axis]
        a2 = ximat[9 * body + 6 + axis]
        s = k * inertia[3 * body + axis] * (a0 * w0 + a1 * w1 + a2 * w2)
        t0 += s * a0
        t1 += s * a1
        t2 += s * a2
    out[6 * body] += t0 + r1 * f2 - r2 * f1
    out[6 * body + 1] += t1 + r2 * f0 - r0 * f2
    out[6 * body + 2] += t2 + r0 * f1 - r1 * f0
    out[6 * body + 3] += f0
    out[6 * body + 4] += f1
    out[6 * body + 5] += f2


@inlined
def apply_damping(m: int, d: int, lay: Layout, dt: float) -> None:
    """Add the drag of all bodies to ``qfrc_passive``.

    ``cfrc_int`` serves as scratch: MuJoCo fills it only after the constraint solve.
    """
    bodies = int_at(m, lay.m_nbody)
    user = f64_array(m, lay.m_body_user)
    parent = i32_array(m, lay.m_body_parentid)
    tree = i32_array(m, lay.m_body_treeid)
    dofs = i32_array(m, lay.m_body_dofnum)
    dof_adr = i32_array(m, lay.m_body_dofadr)
    cdof = f64_array(d, lay.d_cdof)
    passive = f64_array(d, lay.d_qfrc_passive)
    wrench = f64_array(d, lay.d_cfrc_int)
    for i in range(6 * bodies):
        wrench[i] = 0.0
    for body in range(bodies - 1, 0, -1):
        if tree[body] < 0:
            continue
        linear = user[t.BODY_USER_SIZE * body + t.B_LINEAR_DAMPING]
        angular = user[t.BODY_USER_SIZE * body + t.B_ANGULAR_DAMPING]
        if linear != 0.0 or angular != 0.0:
            quadratic = user[t.BODY_USER_SIZE * body + t.B_QUADRATIC_DAMPING]
            _body_drag(m, d, lay, body, linear, angular, quadratic, 1.0 / dt, wrench)
        for dof in range(dof_adr[body], dof_adr[body] + dofs[body]):
            total = 0.0
            for i in range(6):
                total += cdof[6 * dof + i] * wrench[6 * body + i]
            passive[dof] += total
        for i in range(6):
            wrench[6 * parent[body] + i] += wrench[6 * body + i]
