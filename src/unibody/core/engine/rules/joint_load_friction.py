"""Friction of joints as a share of what they carry: PhysX's rule.

The largest friction of a joint is its coefficient times the force and the torque, as magnitudes,
that its parent exerts on its child, about the child's mass centre
(``PxArticulationJointReducedCoordinate::setFrictionCoefficient``). PhysX works them out before it
solves its constraints: by gravity, inertia, the efforts of joints and forces on bodies, without
contacts, drives and limits. A robot that falls freely has therefore nearly none, and an effort on
a light link has much.

Force and torque follow from the accelerations without constraints by the recursive equations of
Newton and Euler (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 5.3), all about the
mass centre of the tree.
"""

from __future__ import annotations

import math

from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.drives import FRICTION_DOF
from unibody.core.engine.rules.impedance import set_limit
from unibody.core.engine.rules.joint_creep import creeping
from unibody.core.engine.rules.smooth_acceleration import smooth_acceleration
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import Pointer, f64_array, i32_array, int_at, pointer_f64

INERTIA_SIZE = 10  # numbers of MuJoCo's cinert: inertia (6), first moment (3), mass


@rule
def apply_loads(m: int, d: int, lay: Layout, params: Pointer, dt: float) -> None:
    """Limit the rows of joint friction; the model's ``dof_frictionloss`` is the coefficient.

    What a joint that it holds creeps by is left in the row's margin, see ``joint_creep``.
    """
    start = int_at(d, lay.d_ne)
    end = start + int_at(d, lay.d_nf)
    efc_type, efc_id = i32_array(d, lay.d_efc_type), i32_array(d, lay.d_efc_id)
    body_of, joint_of = i32_array(m, lay.m_dof_bodyid), i32_array(m, lay.m_dof_jntid)
    user, limits = f64_array(m, lay.m_jnt_user), f64_array(m, lay.m_body_user)
    while start < end and efc_type[start] == FRICTION_DOF:  # they come before those of drives
        if user[t.JOINT_USER_SIZE * joint_of[efc_id[start]] + t.J_BALL] == 0.0:
            break
        start += 1
    if start == end or efc_type[start] != FRICTION_DOF:
        return
    free = transmit(m, d, lay)
    moves, rounds = int(params[t.N_JOINT_MOVES]), int(params[t.N_JOINT_ROUNDS])
    share = f64_array(m, lay.m_dof_frictionloss)
    qvel, weight = f64_array(d, lay.d_qvel), f64_array(d, lay.d_efc_diagA)
    for row in range(start, end):
        if efc_type[row] != FRICTION_DOF:
            continue
        dof = efc_id[row]
        rules = t.JOINT_USER_SIZE * joint_of[dof]
        if user[rules + t.J_DAMPING] == 0.0 and user[rules + t.J_BALL] == 0.0:
            once = share[dof] * _load(m, d, lay, body_of[dof]) / moves
            set_limit(d, lay, row, rounds * once)
            if moves > 1:
                fastest = limits[t.BODY_USER_SIZE * body_of[dof] + t.B_SPEED_LIMIT]
                lost = once * dt * weight[row]
                f64_array(d, lay.d_efc_margin)[row] = creeping(
                    qvel[dof] + dt * free[dof], lost, moves, rounds, fastest
                )


@rule
def transmit(m: int, d: int, lay: Layout) -> Pointer:
    """Write to ``cfrc_int`` what each body gets from its parent, without constraints.

    Torque and force about the mass centre of the tree. ``cacc`` and ``cfrc_int`` serve as scratch:
    MuJoCo fills them only after the constraint solve. Returns the accelerations.
    """
    qacc = smooth_acceleration(m, d, lay)
    qvel = f64_array(d, lay.d_qvel)
    parent = i32_array(m, lay.m_body_parentid)
    dofs, first = i32_array(m, lay.m_body_dofnum), i32_array(m, lay.m_body_dofadr)
    cdof, cdof_dot = f64_array(d, lay.d_cdof), f64_array(d, lay.d_cdof_dot)
    accel, force = f64_array(d, lay.d_cacc), f64_array(d, lay.d_cfrc_int)
    bodies = int_at(m, lay.m_nbody)
    gravity = pointer_f64(m + lay.m_opt + lay.o_gravity)
    for i in range(3):
        accel[i] = force[i] = force[3 + i] = 0.0
        accel[3 + i] = -gravity[i]
    for body in range(1, bodies):
        for i in range(6):
            total = accel[6 * parent[body] + i]
            for dof in range(first[body], first[body] + dofs[body]):
                total += cdof_dot[6 * dof + i] * qvel[dof] + cdof[6 * dof + i] * qacc[dof]
            accel[6 * body + i] = total
        _own_force(m, d, lay, body)
    for body in range(bodies - 1, 0, -1):
        for i in range(6):
            force[6 * parent[body] + i] += force[6 * body + i]
    return qacc


@inlined
def _momentum(inertia: Pointer, k: int, v: Pointer, i: int) -> tuple[float, ...]:
    """Spatial inertia ``k`` times spatial velocity ``i``: angular, then linear."""
    a, b, c = v[i], v[i + 1], v[i + 2]
    x, y, z = v[i + 3], v[i + 4], v[i + 5]
    h0, h1, h2, mass = inertia[k + 6], inertia[k + 7], inertia[k + 8], inertia[k + 9]
    return (
        inertia[k] * a + inertia[k + 3] * b + inertia[k + 4] * c + h1 * z - h2 * y,
        inertia[k + 3] * a + inertia[k + 1] * b + inertia[k + 5] * c + h2 * x - h0 * z,
        inertia[k + 4] * a + inertia[k + 5] * b + inertia[k + 2] * c + h0 * y - h1 * x,
        mass * x + b * h2 - c * h1,
        mass * y + c * h0 - a * h2,
        mass * z + a * h1 - b * h0,
    )


@inlined
def _own_force(m: int, d: int, lay: Layout, body: int) -> None:
    """Write to ``cfrc_int`` what moves a body as ``cacc`` says, but for forces on it."""
    inertia, v = f64_array(d, lay.d_cinert), f64_array(d, lay.d_cvel)
    force, wrench = f64_array(d, lay.d_cfrc_int), f64_array(d, lay.d_xfrc_applied)
    i = 6 * body
    k = INERTIA_SIZE * body
    n0, n1, n2, f0, f1, f2 = _momentum(inertia, k, f64_array(d, lay.d_cacc), i)
    l0, l1, l2, p0, p1, p2 = _momentum(inertia, k, v, i)
    a, b, c = v[i], v[i + 1], v[i + 2]
    x, y, z = v[i + 3], v[i + 4], v[i + 5]
    floats = f64_array(m, lay.m_body_gravcomp)[body] * inertia[k + 9]
    gravity = pointer_f64(m + lay.m_opt + lay.o_gravity)
    u0 = wrench[i] - floats * gravity[0]
    u1 = wrench[i + 1] - floats * gravity[1]
    u2 = wrench[i + 2] - floats * gravity[2]
    r0, r1, r2 = _arm(m, d, lay, body)
    force[i] = n0 + b * l2 - c * l1 + y * p2 - z * p1 - wrench[i + 3] - r1 * u2 + r2 * u1
    force[i + 1] = n1 + c * l0 - a * l2 + z * p0 - x * p2 - wrench[i + 4] - r2 * u0 + r0 * u2
    force[i + 2] = n2 + a * l1 - b * l0 + x * p1 - y * p0 - wrench[i + 5] - r0 * u1 + r1 * u0
    force[i + 3] = f0 + b * p2 - c * p1 - u0
    force[i + 4] = f1 + c * p0 - a * p2 - u1
    force[i + 5] = f2 + a * p1 - b * p0 - u2


@inlined
def _arm(m: int, d: int, lay: Layout, body: int) -> tuple[float, float, float]:
    """From the mass centre of the tree to that of a body."""
    centre, xipos = f64_array(d, lay.d_subtree_com), f64_array(d, lay.d_xipos)
    root = 3 * i32_array(m, lay.m_body_rootid)[body]
    i = 3 * body
    return xipos[i] - centre[root], xipos[i + 1] - centre[root + 1], xipos[i + 2] - centre[root + 2]


@inlined
def _load(m: int, d: int, lay: Layout, body: int) -> float:
    """Force plus torque that a body gets from its parent, about its mass centre.

    A joint of several axes is a chain of bodies, of which only the last one has a mass.
    """
    mass, bodies = f64_array(m, lay.m_body_mass), int_at(m, lay.m_nbody)
    while mass[body] == 0.0 and body < bodies - 1:
        body += 1
    force = f64_array(d, lay.d_cfrc_int)
    i = 6 * body
    r0, r1, r2 = _arm(m, d, lay, body)
    x, y, z = force[i + 3], force[i + 4], force[i + 5]
    a = force[i] - r1 * z + r2 * y
    b = force[i + 1] - r2 * x + r0 * z
    c = force[i + 2] - r0 * y + r1 * x
    return math.sqrt(x * x + y * y + z * z) + math.sqrt(a * a + b * b + c * c)
