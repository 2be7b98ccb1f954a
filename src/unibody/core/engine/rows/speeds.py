"""Speed limits: no coordinate moves faster after a step than its body may."""

from __future__ import annotations

import numba

from unibody.core.engine.layout import Layout
from unibody.core.engine.rows import table as t
from unibody.core.engine.rows.pointers import f64_array, i32_array, int_at

FREE = 0  # mjtJoint
LINEAR_DOFS = 3  # of a free joint, before the angular ones


@numba.njit(inline="always")
def limit_speeds(m: int, d: int, lay: Layout, dt: float) -> None:
    """Change accelerations that would bring a coordinate above the speed limit of its body."""
    user = f64_array(m, lay.m_body_user)
    body = i32_array(m, lay.m_dof_bodyid)
    qvel = f64_array(d, lay.d_qvel)
    qacc = f64_array(d, lay.d_qacc)
    joint = i32_array(m, lay.m_dof_jntid)
    kind = i32_array(m, lay.m_jnt_type)
    first = i32_array(m, lay.m_jnt_dofadr)
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
