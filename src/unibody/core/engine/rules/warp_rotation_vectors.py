# pyright: basic, reportInvalidTypeForm=false
"""Ball joints with three drives as Warp kernels: see ``rotation_vectors``."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules import warp_kernels as k
from unibody.core.engine.rules.rotation_vectors import AT_BOUND

J_LOWER: int = wp.constant(t.J_LOWER)
J_UPPER: int = wp.constant(t.J_UPPER)
NEAR: float = wp.constant(AT_BOUND)
HELD: float = wp.constant(
    1e-4
)  # R of a row that holds, relative to its inverse mass: float32 rounds


@wp.func
def least_speed(
    user: wp.array2d(dtype=float), joint: int, axis: int, position: float, erp: float, dt: float
) -> float:
    """The speed at which a component reaches its lower bound in a step, or returns to it."""
    over = user[joint, J_LOWER + axis] - position
    return wp.where(over < 0.0, over / dt, erp * over / dt)


@wp.func
def largest_speed(
    user: wp.array2d(dtype=float), joint: int, axis: int, position: float, erp: float, dt: float
) -> float:
    """The same for the upper bound."""
    over = user[joint, J_UPPER + axis] - position
    return wp.where(over > 0.0, over / dt, erp * over / dt)


@wp.func
def pressed_side(
    user: wp.array2d(dtype=float),
    joint: int,
    axis: int,
    position: float,
    rule: wp.array(dtype=float),
    base: int,
) -> float:
    """1 if its drive presses a component against the upper bound, -1 against the lower one."""
    force = rule[base + k.D_KP] * (rule[base + k.D_POSITION] - position)
    force += rule[base + k.D_KD] * rule[base + k.D_VELOCITY]
    side = float(0.0)  # noqa: UP018 - a variable to Warp, not a constant
    if force > 0.0 and position > user[joint, J_UPPER + axis] - NEAR:
        side = 1.0
    if force < 0.0 and position < user[joint, J_LOWER + axis] + NEAR:
        side = -1.0
    return side


@wp.func
def hold(rows: k.Rows, w: int, row: int, speed: float, softness: float, dt: float):
    """Have the row of a drive hold its joint at a speed."""
    rows.aref[w, row] = (speed - rows.vel[w, row]) / dt
    rows.D[w, row] = 1.0 / wp.max(softness, k.MIN_R)
    rows.frictionloss[w, row] = k.UNLIMITED


@wp.kernel(enable_backward=False)
def vector_rows(
    timestep: wp.array(dtype=float),
    erp: float,
    joints: k.Joints,
    joint_user: wp.array3d(dtype=float),
    dof_invweight: wp.array2d(dtype=float),
    qpos: wp.array2d(dtype=float),
    userdata: wp.array2d(dtype=float),
    rows: k.Rows,
    warm: wp.array2d(dtype=float),
):
    """The rows of the drives, after ``joint_rows``."""
    w, row = wp.tid()
    if row >= wp.min(rows.nefc[w], rows.type.shape[1]) or rows.type[w, row] != k.OF_DOF:
        return
    dof = rows.id[w, row]
    joint = joints.joint_of_dof[dof]
    if joints.vector_drive[joint] < 0:
        return
    dt = timestep[w % timestep.shape[0]]
    axis = dof - joints.dof[joint]
    base = (joints.vector_drive[joint] + axis) * k.SIZE
    position = k.rotation_vector(qpos, w, joints.qpos[joint])[axis]
    weight = dof_invweight[w % dof_invweight.shape[0], dof]
    k._drive(rows, w, row, userdata[w], base, position, weight, dt)
    user = joint_user[w % joint_user.shape[0]]
    side = pressed_side(user, joint, axis, position, userdata[w], base)
    if side > 0.0:
        speed = largest_speed(user, joint, axis, position, erp, dt)
        hold(rows, w, row, speed, HELD * weight, dt)
    elif side < 0.0:
        speed = least_speed(user, joint, axis, position, erp, dt)
        hold(rows, w, row, speed, HELD * weight, dt)
    if int(userdata[w, base + k.D_MODE]) == k.MOTOR:
        warm[w, dof] = rows.aref[w, row]


def apply_vectors(m: Any, d: Any, rules: Any, rows: Any) -> None:
    """Write the rows of rotation vectors of all worlds.

    Args:
        m: The model on the device.
        d: The data.
        rules: ``WarpRules``.
        rows: Those of the data.
    """
    wp.launch(
        vector_rows,
        dim=(d.nworld, d.njmax),
        inputs=[
            m.opt.timestep,
            k.limit_erp(rules.params),
            rules.joints,
            rules.joint_user,
            m.dof_invweight0,
            d.qpos,
            d.userdata,
            rows,
            d.qacc_warmstart,
        ],
    )
