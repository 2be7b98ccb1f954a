"""Corrections of positions: those of joint limits leave no speed, those of contacts do not wedge.

A row that corrects a position asks for a speed, which the body would keep. What is outside a limit
is therefore solved for without that: this is what remains. The correction then moves it, and what
it pushes, within what the solution holds (`displacements`). (PhysX iterates with the correction,
and then without it.)

Contacts against one another, of limbs that are hooked, ask for speeds that cannot all be had. What
they press one another with is no load, but it has friction, which holds the limbs where they are.
Their friction is then that of the forces that they have without the correction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.engine.library.jacobian import is_sparse, row_span
from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.contacts import MIN_FRICTION, unilateral_velocity
from unibody.core.engine.rules.displacements import Pushes, displacement
from unibody.core.engine.rules.drives import FRICTION_DOF, FRICTION_TENDON, LIMIT_JOINT
from unibody.core.engine.rules.impedance import HARD, NO_FORCE
from unibody.core.engine.rules.rotation_vectors import beyond_bounds, rotation_component
from unibody.core.engine.rules.slipping import solve_constraints, start_from_solution
from unibody.machine_code import types
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import (
    Pointer,
    address_at,
    f64_array,
    i32_array,
    int_at,
    pointer_f64,
)

SLOW = 1e-3  # rad/s or m/s: a slower correction of a limit may stay
WEDGED = 0.02  # m/s: contacts that slower corrections are asked of are not looked at
MISSED = 0.5  # share of a correction: contacts that miss more of it are against one another
ROUNDS = 3  # of letting go what the corrections take the force from
_SINGLE = 2  # mjtJoint from which joints have one degree of freedom

_ADDRESS = types.int64
_integrate = types.ExternalFunction(
    "mj_integratePos", types.void(_ADDRESS, _ADDRESS, _ADDRESS, types.float64)
)
MUJOCO_FUNCTIONS = ("mj_integratePos",)  # of libmujoco, called by name


@rule
def correct_limits(m: int, d: int, lay: Layout, params: Pointer, dt: float) -> None:
    """Move joints back to their limits; the solution, in which they stay there, is left as is."""
    erp = params[t.N_LIMIT_ERP]
    first, last = int_at(d, lay.d_ne), int_at(d, lay.d_ne) + int_at(d, lay.d_nf)
    last += int_at(d, lay.d_nl)
    wrong = False
    for row in range(first, last):
        if abs(_asked(m, d, lay, row, erp, dt)) > SLOW:
            wrong = True
            break
    if not wrong:
        return
    count = int_at(m, lay.m_nv)
    pushes, loose = Pushes(np.empty(count), np.empty(count)), np.zeros(last, np.int8)
    moved = pushes.force
    for _ in range(ROUNDS):
        for i in range(count):
            pushes.stiffness[i] = pushes.force[i] = 0.0
        for row in range(first, last):
            _push(m, d, lay, row, erp, dt, loose, pushes)
        moved = displacement(m, d, lay, pushes, SLOW / dt)
        changed = False
        for row in range(first, last):
            changed = _let_go(m, d, lay, row, erp, dt, loose, moved) or changed
        if not changed:
            break
    for i in range(count):
        moved[i] *= dt
    _integrate(m, address_at(d, lay.d_qpos), moved.ctypes.data, dt)


@rule
def _dof_of(m: int, d: int, lay: Layout, row: int) -> int:
    """The degree of freedom of a row of a single one; -1: it has several, or is of a ball drive."""
    kind, number = i32_array(d, lay.d_efc_type)[row], i32_array(d, lay.d_efc_id)[row]
    if kind == FRICTION_DOF:
        return number
    if kind == FRICTION_TENDON:
        if number >= int(f64_array(m, lay.m_numeric_data)[t.N_DRIVES]):
            return -1
        joint = i32_array(m, lay.m_wrap_objid)[i32_array(m, lay.m_tendon_adr)[number]]
        return i32_array(m, lay.m_jnt_dofadr)[joint]
    if kind == LIMIT_JOINT and i32_array(m, lay.m_jnt_type)[number] >= _SINGLE:
        return i32_array(m, lay.m_jnt_dofadr)[number]
    return -1


@rule
def _side(m: int, d: int, lay: Layout, row: int, dof: int) -> float:
    """The direction of a row of a limit: 1 at the lower one, -1 at the upper one."""
    start, _ = row_span(m, d, lay, row)
    return f64_array(d, lay.d_efc_J)[start if is_sparse(m, lay) else start + dof]


@rule
def _asked(m: int, d: int, lay: Layout, row: int, erp: float, dt: float) -> float:
    """The speed at which a row's degree of freedom comes back, beyond the one that it has."""
    kind = i32_array(d, lay.d_efc_type)[row]
    if kind == LIMIT_JOINT:
        back = -erp * f64_array(d, lay.d_efc_pos)[row] / dt
        if back <= SLOW:
            return 0.0
        dof = _dof_of(m, d, lay, row)
        if dof < 0:
            return 0.0
        side = _side(m, d, lay, row, dof)
        own = side * (f64_array(d, lay.d_qvel)[dof] + dt * f64_array(d, lay.d_qacc)[dof])
        return side * max(0.0, back - max(0.0, own))
    if kind == FRICTION_DOF:
        dof = i32_array(d, lay.d_efc_id)[row]
        joint, user = i32_array(m, lay.m_dof_jntid)[dof], f64_array(m, lay.m_jnt_user)
        if user[joint * t.JOINT_USER_SIZE + t.J_BALL] < 0.0:
            axis = dof - i32_array(m, lay.m_jnt_dofadr)[joint]
            at = i32_array(m, lay.m_jnt_qposadr)[joint]
            position = rotation_component(f64_array(d, lay.d_qpos), at, axis)
            back = -erp * beyond_bounds(user, joint, axis, position) / dt
            own = f64_array(d, lay.d_qvel)[dof] + dt * f64_array(d, lay.d_qacc)[dof]
            if back > 0.0:
                return max(0.0, back - max(0.0, own))
            return min(0.0, back - min(0.0, own))
    return 0.0


@rule
def _push(
    m: int,
    d: int,
    lay: Layout,
    row: int,
    erp: float,
    dt: float,
    loose: Any,
    pushes: Pushes,
) -> None:
    """Add what a row does to its degree of freedom: one that is asked for pushes, others hold."""
    dof = _dof_of(m, d, lay, row)
    if dof < 0 or loose[row] != 0:
        return
    asked = _asked(m, d, lay, row, erp, dt)
    if asked != 0.0:
        stiffness = 1.0 / (HARD * f64_array(d, lay.d_efc_diagA)[row])
        pushes.force[dof] += stiffness * asked / dt
        pushes.stiffness[dof] += stiffness
    elif _holds(d, lay, row, 0.0):
        pushes.stiffness[dof] += f64_array(d, lay.d_efc_D)[row]


@inlined
def _holds(d: int, lay: Layout, row: int, more: float) -> bool:
    """Whether a row can have ``more`` force than that of the solution."""
    force = f64_array(d, lay.d_efc_force)[row] + more
    if i32_array(d, lay.d_efc_type)[row] == LIMIT_JOINT:
        return force > 0.0
    return abs(force) < f64_array(d, lay.d_efc_frictionloss)[row]


@rule
def _let_go(
    m: int,
    d: int,
    lay: Layout,
    row: int,
    erp: float,
    dt: float,
    loose: Any,
    moved: Any,
) -> bool:
    """Mark a row that would have to pull, or to exert more than it can; says whether it did."""
    dof = _dof_of(m, d, lay, row)
    if dof < 0 or loose[row] != 0:
        return False
    asked = _asked(m, d, lay, row, erp, dt)
    if asked != 0.0:
        pulls = (asked / dt - moved[dof]) * asked < 0.0
        loose[row] = 1 if pulls else 0
        return pulls
    if not _holds(d, lay, row, 0.0):
        return False
    way = 1.0
    if i32_array(d, lay.d_efc_type)[row] == LIMIT_JOINT:
        way = _side(m, d, lay, row, dof)
    if _holds(d, lay, row, -f64_array(d, lay.d_efc_D)[row] * way * moved[dof]):
        return False
    loose[row] = 1
    return True


@rule
def loosen_wedged(m: int, d: int, lay: Layout, params: Pointer, dt: float) -> None:
    """Give contacts that are against one another the friction of the loads they carry."""
    if not _is_wedged(d, lay, params, dt):
        return
    contacts, count = address_at(d, lay.d_contact), int_at(d, lay.d_ncon)
    force = f64_array(d, lay.d_efc_force)
    pressed = np.zeros(count)
    for i in range(count):
        row = int_at(contacts + i * lay.c_size, lay.c_efc_address)
        if _correction(d, lay, params, contacts + i * lay.c_size, dt) > WEDGED:
            pressed[i] = force[row]
    _shift_targets(d, lay, params, -1.0, dt)
    start_from_solution(m, d, lay)
    solve_constraints(m, d)
    for i in range(count):
        con = contacts + i * lay.c_size
        row = int_at(con, lay.c_efc_address)
        if pressed[i] > 0.0 and int_at(con, lay.c_dim) > 1 and force[row] < pressed[i]:
            _scale_friction(d, lay, con, row, force[row] / pressed[i], dt)
    _shift_targets(d, lay, params, 1.0, dt)
    start_from_solution(m, d, lay)
    solve_constraints(m, d)


@inlined
def _correction(d: int, lay: Layout, params: Pointer, con: int, dt: float) -> float:
    """The speed that is asked of a contact for its depth [m/s]."""
    row = int_at(con, lay.c_efc_address)
    if row < 0 or f64_array(d, lay.d_efc_R)[row] == NO_FORCE:
        return 0.0
    depth = pointer_f64(con + lay.c_dist)[0] + params[t.N_SLOP]
    speed = unilateral_velocity(depth, params[t.N_CONTACT_ERP], params[t.N_PARTING_SPEED], dt)
    return max(0.0, speed)


@inlined
def _is_wedged(d: int, lay: Layout, params: Pointer, dt: float) -> bool:
    """Whether a contact misses its target by its softness: so much is against it."""
    contacts = address_at(d, lay.d_contact)
    force, softness = f64_array(d, lay.d_efc_force), f64_array(d, lay.d_efc_R)
    for i in range(int_at(d, lay.d_ncon)):
        con = contacts + i * lay.c_size
        speed = _correction(d, lay, params, con, dt)
        row = int_at(con, lay.c_efc_address)
        if speed > WEDGED and softness[row] * force[row] * dt > MISSED * speed:
            return True
    return False


@inlined
def _shift_targets(d: int, lay: Layout, params: Pointer, sign: float, dt: float) -> None:
    """Take what contacts ask for their depth away from their targets, or give it back."""
    contacts = address_at(d, lay.d_contact)
    aref = f64_array(d, lay.d_efc_aref)
    for i in range(int_at(d, lay.d_ncon)):
        con = contacts + i * lay.c_size
        speed = _correction(d, lay, params, con, dt)
        if speed > 0.0:
            aref[int_at(con, lay.c_efc_address)] += sign * speed / dt


@inlined
def _scale_friction(d: int, lay: Layout, con: int, row: int, share: float, dt: float) -> None:
    """Multiply the coefficients of a contact, its cone's slope, and what it was lowered by.

    The softness of its rows is that of their ratios, and stays.
    """
    friction = pointer_f64(con + lay.c_friction)
    least = MIN_FRICTION / max(friction[0], MIN_FRICTION)
    kept = max(share, least)
    for j in range(int_at(con, lay.c_dim) - 1):
        friction[j] = max(MIN_FRICTION, kept * friction[j])
    pointer_f64(con + lay.c_mu)[0] *= kept
    foreseen = f64_array(d, lay.d_efc_margin)
    f64_array(d, lay.d_efc_aref)[row] += (1.0 - kept) * foreseen[row + 1] / dt
    foreseen[row + 1] *= kept
