"""Speed limits: no coordinate moves faster after a step than its body may.

Bounds of rotation vectors are such limits, too (see ``rotation_vectors``).

A joint with a row for its drive is held at its limit by that row, as PhysX's solver does it: the
problem is solved again with all contacts, so that feet do not feel it where nothing else moves.
What is left, joints without a row and free bodies, is changed after that.
"""

from __future__ import annotations

from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.drives import (
    FRICTION_DOF,
    MODE_ACCELERATION,
    MODE_PD,
    drive_row,
    hold,
    limit_erp,
    pd_gain,
)
from unibody.core.engine.rules.rotation_vectors import (
    largest_speed,
    least_speed,
    rotation_component,
)
from unibody.core.engine.rules.slipping import solve_constraints, start_from_solution
from unibody.core.engine.rules.smooth_acceleration import response
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import Pointer, f64_array, i32_array, int_at

FREE = 0  # mjtJoint
LINEAR_DOFS = 3  # of a free joint, before the angular ones
BY_TORQUES = 2.0  # of N_SPEED_LIMIT: joints are slowed down by torques between their links
_SWEEPS = 10
_NEARLY = 1e-6  # of a limit
TOO_FAST = 1e-3  # of a limit: what is nearer is not solved for again
TOO_FAR = 1e-5  # rad: the same for bounds of a rotation vector
MOST_SOLVES = 4  # at most


@rule
def hold_speeds(m: int, d: int, lay: Layout, params: Pointer, dt: float) -> None:
    """Solve again with the drives of joints that are too fast holding them at their limits."""
    if params[t.N_DRIVES] == 0.0 or int_at(d, lay.d_nefc) == 0:
        return
    for _ in range(MOST_SOLVES):
        if not _hold(m, d, lay, params, dt):
            return
        start_from_solution(m, d, lay)
        solve_constraints(m, d)


@rule
def _hold(m: int, d: int, lay: Layout, params: Pointer, dt: float) -> bool:
    """Have drives hold what is too fast, and let go what they would push; says whether any did."""
    rules, erp = f64_array(d, lay.d_userdata), limit_erp(params)
    tendon_adr, wrap_joint = i32_array(m, lay.m_tendon_adr), i32_array(m, lay.m_wrap_objid)
    joint_dof, joint_qpos = i32_array(m, lay.m_jnt_dofadr), i32_array(m, lay.m_jnt_qposadr)
    joint_of, joint_user = i32_array(m, lay.m_dof_jntid), f64_array(m, lay.m_jnt_user)
    efc_type, efc_id = i32_array(d, lay.d_efc_type), i32_array(d, lay.d_efc_id)
    body, user = i32_array(m, lay.m_dof_bodyid), f64_array(m, lay.m_body_user)
    qpos, qvel, qacc = (
        f64_array(d, lay.d_qpos),
        f64_array(d, lay.d_qvel),
        f64_array(d, lay.d_qacc),
    )
    force, side = f64_array(d, lay.d_efc_force), f64_array(d, lay.d_efc_margin)
    held = f64_array(d, lay.d_efc_pos)
    changed = False
    for k in range(int(params[t.N_DRIVES])):
        row = int(rules[k * t.DRIVE_SIZE + t.D_ROW])
        if row < 0:
            continue
        of_ball = efc_type[row] == FRICTION_DOF
        joint = joint_of[efc_id[row]] if of_ball else wrap_joint[tendon_adr[k]]
        dof = efc_id[row] if of_ball else joint_dof[joint]
        limit = user[t.BODY_USER_SIZE * body[dof] + t.B_SPEED_LIMIT]
        if limit <= 0.0:
            continue
        least, largest, spare = -limit, limit, TOO_FAST * limit
        if of_ball:
            axis = dof - joint_dof[joint]
            position = rotation_component(qpos, joint_qpos[joint], axis)
            least = max(least, least_speed(joint_user, joint, axis, position, erp, dt))
            largest = min(largest, largest_speed(joint_user, joint, axis, position, erp, dt))
            spare = min(spare, TOO_FAR / dt)
        else:
            position = qpos[joint_qpos[joint]]
        if side[row] != 0.0:
            own = drive_force(rules, k, position, held[row], dt)
            if (force[row] - own) * side[row] > 0.0:
                side[row] = 0.0
                drive_row(d, lay, row, rules, k * t.DRIVE_SIZE, position, 0.0, dt)
                changed = True
            continue
        speed = qvel[dof] + dt * qacc[dof]
        if speed > largest + spare:
            hold(d, lay, row, 1.0, largest, dt)
            changed = True
        elif speed < least - spare:
            hold(d, lay, row, -1.0, least, dt)
            changed = True
    return changed


@inlined
def drive_force(rules: Pointer, k: int, position: float, speed: float, dt: float) -> float:
    """What drive ``k`` itself exerts where its joint has a speed at the end of the step."""
    base = k * t.DRIVE_SIZE
    mode = int(rules[base + t.D_MODE])
    if mode not in (MODE_PD, MODE_ACCELERATION):
        return 0.0
    error = rules[base + t.D_POSITION] - position - dt * speed
    damping = pd_gain(rules, base, t.D_KD)
    force = pd_gain(rules, base, t.D_KP) * error + damping * (rules[base + t.D_VELOCITY] - speed)
    return min(max(force, -rules[base + t.D_LIMIT]), rules[base + t.D_LIMIT])


@inlined
def limit_speeds(m: int, d: int, lay: Layout, dt: float) -> None:
    """Change accelerations that would bring a coordinate above the speed limit of its body."""
    user = f64_array(m, lay.m_body_user)
    body = i32_array(m, lay.m_dof_bodyid)
    qvel = f64_array(d, lay.d_qvel)
    qacc = f64_array(d, lay.d_qacc)
    joint = i32_array(m, lay.m_dof_jntid)
    kind = i32_array(m, lay.m_jnt_type)
    first = i32_array(m, lay.m_jnt_dofadr)
    if f64_array(m, lay.m_numeric_data)[t.N_SPEED_LIMIT] == BY_TORQUES:
        _brake(m, d, lay, dt)
    for dof in range(int_at(m, lay.m_nv)):
        if kind[joint[dof]] == FREE and dof >= first[joint[dof]] + LINEAR_DOFS:
            limit = user[t.BODY_USER_SIZE * body[dof] + t.B_TURN_LIMIT]
            if limit > 0.0 and dof == first[joint[dof]] + LINEAR_DOFS:
                _limit_turning(d, lay, body[dof], dof, limit, dt)
            continue
        limit = user[t.BODY_USER_SIZE * body[dof] + t.B_SPEED_LIMIT]
        if limit > 0.0:
            speed = qvel[dof] + dt * qacc[dof]
            if speed > limit:
                qacc[dof] = (limit - qvel[dof]) / dt
            elif speed < -limit:
                qacc[dof] = (-limit - qvel[dof]) / dt


@inlined
def _limit_turning(d: int, lay: Layout, body: int, dof: int, limit: float, dt: float) -> None:
    """Bound the angular velocity of a free body about each of the world's axes.

    Its coordinates, from ``dof`` on, are about its own axes.
    """
    qvel, qacc = f64_array(d, lay.d_qvel), f64_array(d, lay.d_qacc)
    mat = f64_array(d, lay.d_xmat)
    x, y = qvel[dof] + dt * qacc[dof], qvel[dof + 1] + dt * qacc[dof + 1]
    z = qvel[dof + 2] + dt * qacc[dof + 2]
    for k in range(3):
        at = 9 * body + 3 * k
        about = mat[at] * x + mat[at + 1] * y + mat[at + 2] * z
        over = about - min(max(about, -limit), limit)
        if over != 0.0:
            for j in range(3):
                qacc[dof + j] -= mat[at + j] * over / dt


@rule
def _brake(m: int, d: int, lay: Layout, dt: float) -> None:
    """Slow down joints that are too fast by torques, which turn their links against one another.

    Changing the speed of a joint alone would give the rest of the body momentum from nowhere.
    """
    user = f64_array(m, lay.m_body_user)
    body = i32_array(m, lay.m_dof_bodyid)
    joint = i32_array(m, lay.m_dof_jntid)
    kind = i32_array(m, lay.m_jnt_type)
    qvel = f64_array(d, lay.d_qvel)
    qacc = f64_array(d, lay.d_qacc)
    count = int_at(m, lay.m_nv)
    for _ in range(_SWEEPS):
        slow = True
        for dof in range(count):
            limit = user[t.BODY_USER_SIZE * body[dof] + t.B_SPEED_LIMIT]
            if limit <= 0.0 or kind[joint[dof]] == FREE:
                continue
            speed = qvel[dof] + dt * qacc[dof]
            if abs(speed) <= limit * (1.0 + _NEARLY):
                continue
            slow = False
            pushed = response(m, d, lay, dof)
            wanted = limit if speed > 0.0 else -limit
            share = (wanted - speed) / (dt * pushed[dof])
            for k in range(count):
                qacc[k] += share * pushed[k]
        if slow:
            return
