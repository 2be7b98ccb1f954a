"""What the constraint solve did to bodies and joints, for those who ask: ``mjcb_sensor``.

A model that wants it has one user sensor (see ``rule_table``): a wrench a body, then a force a
degree of freedom.
"""

from __future__ import annotations

from unibody.core.engine.library.jacobian import is_sparse, row_span
from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.drives import FRICTION_DOF, FRICTION_TENDON, LIMIT_JOINT
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import (
    Pointer,
    address_at,
    f64_array,
    i32_array,
    int_at,
    pointer_f64,
    pointer_i32,
)

STAGE_ACC = 3  # mjtStage
BALL, BALL_DOFS = 1, 3  # mjtJoint


@inlined
def _add_wrench(
    out: Pointer, com: Pointer, body: int, sign: float, point: Pointer, wrench: tuple[float, ...]
) -> None:
    """Add a wrench at ``point`` to a body's, which is taken about its centre of mass."""
    f0, f1, f2 = sign * wrench[0], sign * wrench[1], sign * wrench[2]
    r0 = point[0] - com[3 * body]
    r1 = point[1] - com[3 * body + 1]
    r2 = point[2] - com[3 * body + 2]
    out[6 * body] += f0
    out[6 * body + 1] += f1
    out[6 * body + 2] += f2
    out[6 * body + 3] += sign * wrench[3] + r1 * f2 - r2 * f1
    out[6 * body + 4] += sign * wrench[4] + r2 * f0 - r0 * f2
    out[6 * body + 5] += sign * wrench[5] + r0 * f1 - r1 * f0


@rule
def _contact_wrench(d: int, lay: Layout, con: int) -> tuple[float, ...]:
    """Force and torque of a contact on its second geom, at the contact, in the world frame."""
    row = int_at(con, lay.c_efc_address)
    dim = int_at(con, lay.c_dim)
    force = f64_array(d, lay.d_efc_force)
    frame = pointer_f64(con + lay.c_frame)
    f0 = force[row]
    f1 = force[row + 1] if dim > 1 else 0.0
    f2 = force[row + 2] if dim > 1 else 0.0
    t0 = force[row + 3] if dim > 3 else 0.0
    t1 = force[row + 4] if dim > 4 else 0.0
    t2 = force[row + 5] if dim > 4 else 0.0
    return (
        frame[0] * f0 + frame[3] * f1 + frame[6] * f2,
        frame[1] * f0 + frame[4] * f1 + frame[7] * f2,
        frame[2] * f0 + frame[5] * f1 + frame[8] * f2,
        frame[0] * t0 + frame[3] * t1 + frame[6] * t2,
        frame[1] * t0 + frame[4] * t1 + frame[7] * t2,
        frame[2] * t0 + frame[5] * t1 + frame[8] * t2,
    )


@rule
def _report_contacts(m: int, d: int, lay: Layout, out: Pointer) -> None:
    contacts = address_at(d, lay.d_contact)
    body = i32_array(m, lay.m_geom_bodyid)
    com = f64_array(d, lay.d_xipos)
    for i in range(int_at(d, lay.d_ncon)):
        con = contacts + i * lay.c_size
        geom = pointer_i32(con + lay.c_geom)
        if int_at(con, lay.c_efc_address) < 0 or geom[0] < 0 or geom[1] < 0:
            continue
        wrench = _contact_wrench(d, lay, con)
        point = pointer_f64(con + lay.c_pos)
        _add_wrench(out, com, body[geom[0]], -1.0, point, wrench)
        _add_wrench(out, com, body[geom[1]], 1.0, point, wrench)


@rule
def _report_limit(m: int, d: int, lay: Layout, row: int, joint: int, out: Pointer) -> None:
    """Add the force of a limit, whose row of the Jacobian has the joint's own columns only."""
    dof = i32_array(m, lay.m_jnt_dofadr)[joint]
    column = row_span(m, d, lay, row)[0]
    if not is_sparse(m, lay):
        column += dof
    jacobian = f64_array(d, lay.d_efc_J)
    force = f64_array(d, lay.d_efc_force)[row]
    for k in range(BALL_DOFS if i32_array(m, lay.m_jnt_type)[joint] == BALL else 1):
        out[dof + k] += jacobian[column + k] * force


@rule
def _report_joints(m: int, d: int, lay: Layout, drives: int, out: Pointer) -> None:
    efc_type = i32_array(d, lay.d_efc_type)
    efc_id = i32_array(d, lay.d_efc_id)
    force = f64_array(d, lay.d_efc_force)
    tendon_adr = i32_array(m, lay.m_tendon_adr)
    wrap_joint = i32_array(m, lay.m_wrap_objid)
    joint_dof = i32_array(m, lay.m_jnt_dofadr)
    for row in range(int_at(d, lay.d_ne) + int_at(d, lay.d_nf) + int_at(d, lay.d_nl)):
        kind, number = efc_type[row], efc_id[row]
        if kind == FRICTION_DOF:
            out[number] += force[row]
        elif kind == FRICTION_TENDON and number < drives:
            out[joint_dof[wrap_joint[tendon_adr[number]]]] += force[row]
        elif kind == LIMIT_JOINT:
            _report_limit(m, d, lay, row, number, out)


@rule
def report_forces(m: int, d: int, lay: Layout, params: Pointer) -> None:
    """Fill the report of one world."""
    out = f64_array(d, lay.d_sensordata)
    start = 6 * int_at(m, lay.m_nbody)
    for i in range(start + int_at(m, lay.m_nv)):
        out[i] = 0.0
    if int_at(d, lay.d_nefc) > 0:
        forces = address_at(d, lay.d_sensordata) + 8 * start
        _report_contacts(m, d, lay, out)
        _report_joints(m, d, lay, int(params[t.N_DRIVES]), pointer_f64(forces))
