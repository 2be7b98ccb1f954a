"""Corrections of positions: those of joint limits leave no speed, those of contacts do not wedge.

A row that corrects a position asks for a speed, which the body would keep. What is outside a
limit is therefore solved for twice, with and without the correction: the difference moves it, the
second solution is what remains. (PhysX iterates with the correction, and then without it.)

Contacts against one another, of limbs that are hooked, ask for speeds that cannot all be had. What
they press one another with is no load, but it has friction, which holds the limbs where they are.
Their friction is then that of the forces that they have without the correction.
"""

from __future__ import annotations

import numpy as np

from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.contacts import MIN_FRICTION, unilateral_velocity
from unibody.core.engine.rules.drives import LIMIT_JOINT
from unibody.core.engine.rules.impedance import NO_FORCE
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

_ADDRESS = types.int64
_integrate = types.ExternalFunction(
    "mj_integratePos", types.void(_ADDRESS, _ADDRESS, _ADDRESS, types.float64)
)
MUJOCO_FUNCTIONS = ("mj_integratePos",)  # of libmujoco, called by name


@rule
def correct_limits(m: int, d: int, lay: Layout, params: Pointer, dt: float) -> None:
    """Move joints back to their limits, and take the speed of that away."""
    if not _has_correction(d, lay, dt, params[t.N_LIMIT_ERP]):
        return
    count = int_at(m, lay.m_nv)
    qacc = f64_array(d, lay.d_qacc)
    moved = np.empty(count)
    for i in range(count):
        moved[i] = qacc[i]
    _drop_limit_corrections(d, lay, dt)
    start_from_solution(m, d, lay)
    solve_constraints(m, d)
    for i in range(count):
        moved[i] = dt * (moved[i] - qacc[i])
    _integrate(m, address_at(d, lay.d_qpos), moved.ctypes.data, dt)


@inlined
def _has_correction(d: int, lay: Layout, dt: float, erp: float) -> bool:
    efc_type, pos = i32_array(d, lay.d_efc_type), f64_array(d, lay.d_efc_pos)
    start = int_at(d, lay.d_ne) + int_at(d, lay.d_nf)
    for row in range(start, start + int_at(d, lay.d_nl)):
        if efc_type[row] == LIMIT_JOINT and -erp * pos[row] > SLOW * dt:
            return True
    return False


@inlined
def _drop_limit_corrections(d: int, lay: Layout, dt: float) -> None:
    efc_type, pos = i32_array(d, lay.d_efc_type), f64_array(d, lay.d_efc_pos)
    velocity, aref = f64_array(d, lay.d_efc_vel), f64_array(d, lay.d_efc_aref)
    start = int_at(d, lay.d_ne) + int_at(d, lay.d_nf)
    for row in range(start, start + int_at(d, lay.d_nl)):
        if efc_type[row] == LIMIT_JOINT and pos[row] < 0.0:
            aref[row] = -velocity[row] / dt


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
