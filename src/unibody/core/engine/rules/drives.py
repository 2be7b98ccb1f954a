"""The drive rules, joint limits and joint friction."""

from __future__ import annotations

import math

from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.ball_drives import ball_rows
from unibody.core.engine.rules.contacts import unilateral_velocity
from unibody.core.engine.rules.impedance import HARD, set_impedance, set_limit
from unibody.core.engine.rules.rotation_vectors import (
    largest_speed,
    least_speed,
    pressed_side,
    rotation_component,
)
from unibody.core.engine.rules.smooth_acceleration import moved_inertia, smooth_acceleration
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import Pointer, f64_array, i32_array, int_at

UNLIMITED = 1e12  # N or Nm
FRICTION_DOF, FRICTION_TENDON, LIMIT_JOINT = 1, 2, 3  # mjtConstraint
MODE_MOTOR = int(t.DriveMode.MOTOR)
MODE_PD = int(t.DriveMode.PD)
MODE_ACCELERATION = int(t.DriveMode.ACCELERATION)


@inlined
def limit_erp(params: Pointer) -> float:
    """The share of an error that limits ask for as a speed; `position_corrections` ask for none."""
    return params[t.N_LIMIT_ERP] if params[t.N_CORRECTIONS] == 0.0 else 0.0


@inlined
def motor_velocity(
    position: float,
    velocity: float,
    kp: float,
    kd: float,
    target: float,
    target_v: float,
    dt: float,
) -> float:
    """Bullet's joint motor: the velocity to reach at the end of the step, at erp 1.

    ``velocity`` is what the joint would have at the end of the step without constraints; it
    matters where ``kd`` is not 1.
    """
    return kp * (target - position) / dt + velocity + kd * (target_v - velocity)


@inlined
def pd_gain(rule: Pointer, base: int, column: int) -> float:
    """A gain of a spring and damper: that of a drive of accelerations acts on what it moves."""
    gain = rule[base + column]
    if rule[base + t.D_MODE] == MODE_ACCELERATION:
        gain *= rule[base + t.D_INERTIA]
    return gain


@inlined
def drive_row(
    d: int,
    lay: Layout,
    row: int,
    rule: Pointer,
    base: int,
    position: float,
    smooth: float,
    dt: float,
) -> None:
    """Write the row of a drive; ``smooth`` is its joint's acceleration without constraints."""
    velocity = f64_array(d, lay.d_efc_vel)[row]
    mode = int(rule[base + t.D_MODE])
    kp = pd_gain(rule, base, t.D_KP)
    kd = pd_gain(rule, base, t.D_KD)
    limit = rule[base + t.D_LIMIT]
    aref = f64_array(d, lay.d_efc_aref)
    if mode == MODE_MOTOR:
        wanted = motor_velocity(
            position,
            velocity + smooth * dt,
            kp,
            kd,
            rule[base + t.D_POSITION],
            rule[base + t.D_VELOCITY],
            dt,
        )
        cap = rule[base + t.D_SPEED_LIMIT]
        wanted = min(max(wanted, -cap), cap)
        aref[row] = (wanted - velocity) / dt
        set_impedance(d, lay, row, HARD * f64_array(d, lay.d_efc_diagA)[row])
    elif mode in (MODE_PD, MODE_ACCELERATION) and kp * dt + kd > 0.0:
        r = 1.0 / (dt * (kd + dt * kp))
        force = kp * (rule[base + t.D_POSITION] - position) + kd * rule[base + t.D_VELOCITY]
        aref[row] = r * force - velocity / dt
        set_impedance(d, lay, row, r)
    else:
        limit = 0.0
    set_limit(d, lay, row, limit)


@inlined
def hold(d: int, lay: Layout, row: int, side: float, speed: float, dt: float) -> None:
    """Have the row of a drive hold its joint at a speed that is the largest (side 1) or least one.

    MuJoCo does not read position and margin of such a row again: they are speed and side.
    """
    f64_array(d, lay.d_efc_margin)[row] = side
    f64_array(d, lay.d_efc_pos)[row] = speed
    f64_array(d, lay.d_efc_aref)[row] = (speed - f64_array(d, lay.d_efc_vel)[row]) / dt
    set_impedance(d, lay, row, HARD * f64_array(d, lay.d_efc_diagA)[row])
    set_limit(d, lay, row, UNLIMITED)


@inlined
def _dof_row(d: int, lay: Layout, row: int, damping: float, dt: float) -> None:
    """Write the row of a joint's friction, or of its implicit damping."""
    f64_array(d, lay.d_efc_aref)[row] = -f64_array(d, lay.d_efc_vel)[row] / dt
    if damping > 0.0:
        set_impedance(d, lay, row, 1.0 / (dt * damping))
        set_limit(d, lay, row, UNLIMITED)
    else:
        set_impedance(d, lay, row, HARD * f64_array(d, lay.d_efc_diagA)[row])


@rule
def _vector_row(m: int, d: int, lay: Layout, row: int, joint: int, erp: float, dt: float) -> None:
    """Write the row of one drive of a ball joint's rotation vector."""
    rule, user = f64_array(d, lay.d_userdata), f64_array(m, lay.m_jnt_user)
    axis = i32_array(d, lay.d_efc_id)[row] - i32_array(m, lay.m_jnt_dofadr)[joint]
    number = axis - 1 - int(user[joint * t.JOINT_USER_SIZE + t.J_BALL])
    base = number * t.DRIVE_SIZE
    rule[base + t.D_ROW] = float(row)
    if rule[base + t.D_MODE] == MODE_ACCELERATION:
        dof = i32_array(d, lay.d_efc_id)[row]
        rule[base + t.D_INERTIA] = moved_inertia(m, d, lay, dof)
    qpos = f64_array(d, lay.d_qpos)
    position = rotation_component(qpos, i32_array(m, lay.m_jnt_qposadr)[joint], axis)
    drive_row(d, lay, row, rule, base, position, 0.0, dt)
    side = pressed_side(user, joint, axis, position, rule, base)
    if side > 0.0:
        hold(d, lay, row, side, largest_speed(user, joint, axis, position, erp, dt), dt)
    elif side < 0.0:
        hold(d, lay, row, side, least_speed(user, joint, axis, position, erp, dt), dt)


@inlined
def apply_friction_rows(m: int, d: int, lay: Layout, params: Pointer, dt: float) -> None:
    """Drives (tendon rows), joint friction and implicit joint damping (dof rows).

    A row with ``R = 1/(dt D)`` and reference ``-v/dt`` has the force ``-D v`` of the velocity at
    the end of the step, whatever the inertia.
    """
    rule = f64_array(d, lay.d_userdata)
    drives = int(params[t.N_DRIVES])
    for k in range(drives):
        rule[k * t.DRIVE_SIZE + t.D_ROW] = -1.0
    efc_type = i32_array(d, lay.d_efc_type)
    efc_id = i32_array(d, lay.d_efc_id)
    aref = f64_array(d, lay.d_efc_aref)
    qpos = f64_array(d, lay.d_qpos)
    tendon_adr = i32_array(m, lay.m_tendon_adr)
    wrap_joint = i32_array(m, lay.m_wrap_objid)
    joint_qpos = i32_array(m, lay.m_jnt_qposadr)
    joint_dof = i32_array(m, lay.m_jnt_dofadr)
    warm = f64_array(d, lay.d_qacc_warmstart)
    joint_user = f64_array(m, lay.m_jnt_user)
    dof_joint = i32_array(m, lay.m_dof_jntid)
    balls_end = drives * t.DRIVE_SIZE + int(params[t.N_EQUALITIES]) * t.EQUALITY_SIZE
    balls_end += int(params[t.N_BALLS]) * t.BALL_SIZE
    smooth = f64_array(d, lay.d_qacc_smooth)
    moved = False  # whether it is filled
    start = int_at(d, lay.d_ne)
    for row in range(start, start + int_at(d, lay.d_nf)):
        if efc_type[row] == FRICTION_DOF:
            joint = dof_joint[efc_id[row]]
            ball = int(joint_user[joint * t.JOINT_USER_SIZE + t.J_BALL])
            if ball > 0:
                if efc_id[row] == joint_dof[joint]:
                    start_of_rule = balls_end - ball * t.BALL_SIZE
                    rule[start_of_rule + t.S_ROW] = float(row)
                    ball_rows(m, d, lay, row, joint, start_of_rule, params[t.N_LIMIT_ERP], dt)
                continue
            if ball < 0:
                _vector_row(m, d, lay, row, joint, limit_erp(params), dt)
            else:
                _dof_row(d, lay, row, joint_user[joint * t.JOINT_USER_SIZE + t.J_DAMPING], dt)
        elif efc_type[row] == FRICTION_TENDON and efc_id[row] < drives:
            k = efc_id[row]
            base = k * t.DRIVE_SIZE
            rule[base + t.D_ROW] = float(row)
            joint = wrap_joint[tendon_adr[k]]
            dof = joint_dof[joint]
            acceleration = 0.0
            if rule[base + t.D_MODE] == MODE_ACCELERATION:
                rule[base + t.D_INERTIA] = moved_inertia(m, d, lay, dof)
            if rule[base + t.D_MODE] == MODE_MOTOR and rule[base + t.D_KD] != 1.0:
                if not moved:
                    smooth = smooth_acceleration(m, d, lay)
                    moved = True
                acceleration = smooth[dof]
            drive_row(d, lay, row, rule, base, qpos[joint_qpos[joint]], acceleration, dt)
            if rule[base + t.D_MODE] == MODE_MOTOR:  # what the solver finds unless it saturates
                warm[dof] = aref[row]


@inlined
def apply_limits(d: int, lay: Layout, params: Pointer, dt: float) -> None:
    """Joint limits: hard, and not crossed within a step."""
    depth, erp = params[t.N_LIMIT_DEPTH], limit_erp(params)
    efc_type = i32_array(d, lay.d_efc_type)
    efc_pos = f64_array(d, lay.d_efc_pos)
    efc_vel = f64_array(d, lay.d_efc_vel)
    aref = f64_array(d, lay.d_efc_aref)
    diag = f64_array(d, lay.d_efc_diagA)
    start = int_at(d, lay.d_ne) + int_at(d, lay.d_nf)
    for row in range(start, start + int_at(d, lay.d_nl)):
        if efc_type[row] == LIMIT_JOINT:
            share = erp if efc_pos[row] > -depth else 0.0
            wanted = unilateral_velocity(efc_pos[row], share, math.inf, dt)
            aref[row] = (wanted - efc_vel[row]) / dt
            set_impedance(d, lay, row, HARD * diag[row])
