"""Speed limits: no coordinate moves faster after a step than its body may."""

from __future__ import annotations

from unibody.core.engine.layout import Layout
from unibody.core.engine.rows import table as t
from unibody.core.engine.rows.jit import inlined, rule
from unibody.core.engine.rows.pointers import f64_array, i32_array, int_at
from unibody.core.engine.rows.smooth import response

FREE = 0  # mjtJoint
LINEAR_DOFS = 3  # of a free joint, before the angular ones
BY_TORQUES = 2.0  # of N_SPEED_LIMIT: joints are slowed down by torques between their links
_SWEEPS = 10
_NEARLY = 1e-6  # of a limit


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
        turns = kind[joint[dof]] == FREE and dof >= first[joint[dof]] + LINEAR_DOFS
        column = t.B_TURN_LIMIT if turns else t.B_SPEED_LIMIT
        limit = user[t.BODY_USER_SIZE * body[dof] + column]
        if limit > 0.0:
            speed = qvel[dof] + dt * qacc[dof]
            if speed > limit:
                qacc[dof] = (limit - qvel[dof]) / dt
            elif speed < -limit:
                qacc[dof] = (-limit - qvel[dof]) / dt


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
