"""Speed limits: no coordinate moves faster after a step than its body may.

A joint with a row for its drive is held at its limit by that row, as PhysX's solver does it: the
problem is solved again with all contacts, so that feet do not feel it where nothing else moves.
What is left, joints without a row and free bodies, is changed after that.
"""

from __future__ import annotations

from unibody.core.engine.layout import Layout
from unibody.core.engine.rows import table as t
from unibody.core.engine.rows.drives import MODE_PD, UNLIMITED, drive_row
from unibody.core.engine.rows.jit import inlined, rule
from unibody.core.engine.rows.pointers import Pointer, f64_array, i32_array, int_at
from unibody.core.engine.rows.slipping import solve_constraints, start_from_solution
from unibody.core.engine.rows.smooth import response
from unibody.core.engine.rows.write import HARD, set_impedance, set_limit

FREE = 0  # mjtJoint
LINEAR_DOFS = 3  # of a free joint, before the angular ones
BY_TORQUES = 2.0  # of N_SPEED_LIMIT: joints are slowed down by torques between their links
_SWEEPS = 10
_NEARLY = 1e-6  # of a limit
TOO_FAST = 1e-3  # of a limit: what is nearer is not solved for again
MOST_SOLVES = 4  # at most


@rule
def hold_speeds(m: int, d: int, lay: Layout, params: Pointer, dt: float) -> None:
    """Solve again with the drives of joints that are too fast holding them at their limits."""
    drives = int(params[t.N_DRIVES])
    if drives == 0 or int_at(d, lay.d_nefc) == 0:
        return
    for _ in range(MOST_SOLVES):
        if not _hold(m, d, lay, drives, dt):
            return
        start_from_solution(m, d, lay)
        solve_constraints(m, d)


@rule
def _hold(m: int, d: int, lay: Layout, drives: int, dt: float) -> bool:
    """Have drives hold what is too fast, and let go what they would push; says whether any did.

    MuJoCo does not read the margin of a drive's row again: it is the speed that it holds.
    """
    rules = f64_array(d, lay.d_userdata)
    tendon_adr, wrap_joint = i32_array(m, lay.m_tendon_adr), i32_array(m, lay.m_wrap_objid)
    joint_dof, joint_qpos = i32_array(m, lay.m_jnt_dofadr), i32_array(m, lay.m_jnt_qposadr)
    body, user = i32_array(m, lay.m_dof_bodyid), f64_array(m, lay.m_body_user)
    qpos, qvel, qacc = (
        f64_array(d, lay.d_qpos),
        f64_array(d, lay.d_qvel),
        f64_array(d, lay.d_qacc),
    )
    force, held = f64_array(d, lay.d_efc_force), f64_array(d, lay.d_efc_margin)
    changed = False
    for k in range(drives):
        row = int(rules[k * t.DRIVE_SIZE + t.D_ROW])
        joint = wrap_joint[tendon_adr[k]]
        dof = joint_dof[joint]
        limit = user[t.BODY_USER_SIZE * body[dof] + t.B_SPEED_LIMIT]
        if row < 0 or limit <= 0.0:
            continue
        position = qpos[joint_qpos[joint]]
        if held[row] != 0.0:
            own = drive_force(rules, k, position, held[row], dt)
            if (force[row] - own) * held[row] > 0.0:
                held[row] = 0.0
                drive_row(d, lay, row, rules, k * t.DRIVE_SIZE, position, 0.0, dt)
                changed = True
            continue
        speed = qvel[dof] + dt * qacc[dof]
        if abs(speed) > limit * (1.0 + TOO_FAST):
            held[row] = limit if speed > 0.0 else -limit
            f64_array(d, lay.d_efc_aref)[row] = (held[row] - qvel[dof]) / dt
            set_impedance(d, lay, row, HARD * f64_array(d, lay.d_efc_diagA)[row])
            set_limit(d, lay, row, UNLIMITED)
            changed = True
    return changed


@inlined
def drive_force(rules: Pointer, k: int, position: float, speed: float, dt: float) -> float:
    """What drive ``k`` itself exerts where its joint has a speed at the end of the step."""
    base = k * t.DRIVE_SIZE
    if rules[base + t.D_MODE] != MODE_PD:
        return 0.0
    error = rules[base + t.D_POSITION] - position - dt * speed
    force = rules[base + t.D_KP] * error + rules[base + t.D_KD] * (
        rules[base + t.D_VELOCITY] - speed
    )
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
