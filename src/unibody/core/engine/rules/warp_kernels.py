# pyright: basic, reportInvalidTypeForm=false
"""The rules of ``rule_table`` as Warp kernels: the second execution, beside drives and damping.

A rule means the same here and there; the formulas are explained there. Parameters with a first
axis of one are shared by all worlds. Float32 throughout.
"""

from __future__ import annotations

from typing import Any

import mujoco
import warp as wp

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.drives import FRICTION_DOF, FRICTION_TENDON, LIMIT_JOINT

HARD: float = wp.constant(1e-5)  # R of a hard row, relative to its inverse mass
UNLIMITED: float = wp.constant(1e12)
MIN_R: float = wp.constant(1e-12)
OF_EQUALITY: int = wp.constant(0)  # mjtConstraint
OF_DOF: int = wp.constant(FRICTION_DOF)
OF_TENDON: int = wp.constant(FRICTION_TENDON)
OF_LIMIT: int = wp.constant(LIMIT_JOINT)
OF_CONTACT: int = wp.constant(int(mujoco.mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS))
MOTOR: int = wp.constant(int(t.DriveMode.MOTOR))
PD: int = wp.constant(int(t.DriveMode.PD))
ACCELERATION: int = wp.constant(int(t.DriveMode.ACCELERATION))

SIZE: int = wp.constant(t.DRIVE_SIZE)
D_MODE: int = wp.constant(t.D_MODE)
D_KP: int = wp.constant(t.D_KP)
D_KD: int = wp.constant(t.D_KD)
D_POSITION: int = wp.constant(t.D_POSITION)
D_VELOCITY: int = wp.constant(t.D_VELOCITY)
D_LIMIT: int = wp.constant(t.D_LIMIT)
D_SPEED_LIMIT: int = wp.constant(t.D_SPEED_LIMIT)
D_INERTIA: int = wp.constant(t.D_INERTIA)
EQUALITY_SIZE: int = wp.constant(t.EQUALITY_SIZE)
E_SPRING: int = wp.constant(t.E_SPRING)
E_STIFFNESS: int = wp.constant(t.E_STIFFNESS)
E_DAMPING: int = wp.constant(t.E_DAMPING)
E_BOUND_STIFFNESS: int = wp.constant(t.E_BOUND_STIFFNESS)
E_LOWER: int = wp.constant(t.E_LOWER)
E_UPPER: int = wp.constant(t.E_UPPER)
E_FREE: int = wp.constant(t.E_FREE)
J_DAMPING: int = wp.constant(t.J_DAMPING)
B_LINEAR: int = wp.constant(t.B_LINEAR_DAMPING)
B_ANGULAR: int = wp.constant(t.B_ANGULAR_DAMPING)
B_QUADRATIC: int = wp.constant(t.B_QUADRATIC_DAMPING)


@wp.struct
class Joints:
    """Joints and drives of the model, the same in all worlds."""

    tendon_joint: wp.array(dtype=int)  # joint of each drive
    qpos: wp.array(dtype=int)  # (njnt,)
    dof: wp.array(dtype=int)  # (njnt,)
    joint_of_dof: wp.array(dtype=int)  # (nv,)
    vector_drive: wp.array(dtype=int)  # (njnt,) first drive of a rotation vector, -1: none
    drives: int
    equalities: int


@wp.struct
class Rows:
    """Constraint rows of all worlds, (N, njmax)."""

    nefc: wp.array(dtype=int)
    type: wp.array2d(dtype=int)
    id: wp.array2d(dtype=int)
    pos: wp.array2d(dtype=float)
    vel: wp.array2d(dtype=float)
    aref: wp.array2d(dtype=float)
    D: wp.array2d(dtype=float)
    frictionloss: wp.array2d(dtype=float)


def limit_erp(params: Any) -> float:
    """The share of a joint's error that its rows ask for: none where positions are corrected."""
    return 0.0 if params[t.N_CORRECTIONS] else float(params[t.N_LIMIT_ERP])


@wp.func
def rotation_vector(qpos: wp.array2d(dtype=float), w: int, at: int) -> wp.vec3:
    """Axis times angle of the quaternion at ``qpos[w, at]`` [rad]."""
    vector = wp.vec3(qpos[w, at + 1], qpos[w, at + 2], qpos[w, at + 3])
    sine = wp.length(vector)
    if sine == 0.0:
        return wp.vec3()
    angle = 2.0 * wp.atan2(sine, wp.abs(qpos[w, at]))
    return vector * (wp.where(qpos[w, at] < 0.0, -angle, angle) / sine)


@wp.func
def pd_gain(rule: wp.array(dtype=float), base: int, column: int) -> float:
    """A gain of a spring and damper: that of a drive of accelerations acts on what it moves."""
    gain = rule[base + column]
    if int(rule[base + D_MODE]) == ACCELERATION:
        gain = gain * rule[base + D_INERTIA]
    return gain


@wp.func
def _drive(
    rows: Rows,
    w: int,
    row: int,
    rule: wp.array(dtype=float),
    base: int,
    position: float,
    inverse_mass: float,
    dt: float,
):
    velocity = rows.vel[w, row]
    mode = int(rule[base + D_MODE])
    kp = pd_gain(rule, base, D_KP)
    kd = pd_gain(rule, base, D_KD)
    limit = rule[base + D_LIMIT]
    if mode == MOTOR:
        wanted = (
            kp * (rule[base + D_POSITION] - position) / dt
            + velocity
            + kd * (rule[base + D_VELOCITY] - velocity)
        )
        cap = rule[base + D_SPEED_LIMIT]
        wanted = wp.clamp(wanted, -cap, cap)
        rows.aref[w, row] = (wanted - velocity) / dt
        rows.D[w, row] = 1.0 / wp.max(HARD * inverse_mass, MIN_R)
    elif kp * dt + kd > 0.0 and (
        mode == PD or mode == ACCELERATION  # noqa: PLR1714 - Warp has no "in"
    ):
        r = 1.0 / (dt * (kd + dt * kp))
        force = kp * (rule[base + D_POSITION] - position) + kd * rule[base + D_VELOCITY]
        rows.aref[w, row] = r * force - velocity / dt
        rows.D[w, row] = 1.0 / wp.max(r, MIN_R)
    else:
        limit = float(0.0)  # noqa: UP018 - a variable to Warp, not a constant
    rows.frictionloss[w, row] = limit


@wp.func
def _spring(rows: Rows, w: int, row: int, rule: wp.array(dtype=float), base: int, dt: float):
    """An implicit spring, see ``equalities``; the row's number is how many of its kind precede."""
    number = int(0)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
    while row - number > 0:  # Warp works out all parts of a condition, wherever they read
        before = row - number - 1
        if rows.id[w, before] != rows.id[w, row] or rows.type[w, before] != OF_EQUALITY:
            break
        number += 1
    position = rows.pos[w, row]
    stiffness = rule[base + E_STIFFNESS]
    force = -stiffness * position
    bound = wp.clamp(position, rule[base + E_LOWER], rule[base + E_UPPER])
    if bound != position:
        stiffness = stiffness + rule[base + E_BOUND_STIFFNESS]
        force = force + rule[base + E_BOUND_STIFFNESS] * (bound - position)
    gain = dt * (rule[base + E_DAMPING] + dt * stiffness)
    if ((int(rule[base + E_FREE]) >> number) & 1) == 1 or gain <= 0.0:
        rows.aref[w, row] = 0.0
        rows.D[w, row] = 0.0
    else:
        rows.aref[w, row] = force / gain - rows.vel[w, row] / dt
        rows.D[w, row] = 1.0 / wp.max(1.0 / gain, MIN_R)


@wp.func
def unilateral(distance: float, erp: float, dt: float) -> float:
    """Smallest separating speed allowed at the end of a step, see ``contacts``."""
    return wp.where(distance > 0.0, -distance / dt, -erp * distance / dt)


@wp.kernel(enable_backward=False)
def forget_lost_solution(warm: wp.array2d(dtype=float)):
    """Let the solver begin anew where the last solution is not finite: it would not leave that."""
    w, dof = wp.tid()
    if not wp.isfinite(warm[w, dof]):
        warm[w, dof] = 0.0


@wp.kernel(enable_backward=False)
def joint_rows(
    timestep: wp.array(dtype=float),
    limit_erp: float,
    limit_depth: float,
    joints: Joints,
    joint_user: wp.array3d(dtype=float),
    dof_invweight: wp.array2d(dtype=float),
    tendon_invweight: wp.array2d(dtype=float),
    qpos: wp.array2d(dtype=float),
    userdata: wp.array2d(dtype=float),
    rows: Rows,
    warm: wp.array2d(dtype=float),
):
    """Drives, joint friction, implicit joint damping and joint limits."""
    w, row = wp.tid()
    if row >= wp.min(rows.nefc[w], rows.type.shape[1]):
        return
    dt = timestep[w % timestep.shape[0]]
    kind = rows.type[w, row]
    number = rows.id[w, row]
    if kind == OF_EQUALITY and number < joints.equalities:
        spring = userdata[w]
        place = joints.drives * SIZE + number * EQUALITY_SIZE
        if spring[place + E_SPRING] > 0.0:
            _spring(rows, w, row, spring, place, dt)
    elif kind == OF_DOF:
        rows.aref[w, row] = -rows.vel[w, row] / dt
        damping = joint_user[w % joint_user.shape[0], joints.joint_of_dof[number], J_DAMPING]
        if damping > 0.0:
            rows.D[w, row] = 1.0 / wp.max(1.0 / (dt * damping), MIN_R)
            rows.frictionloss[w, row] = UNLIMITED
        else:
            weight = dof_invweight[w % dof_invweight.shape[0], number]
            rows.D[w, row] = 1.0 / wp.max(HARD * weight, MIN_R)
    elif kind == OF_TENDON and number < joints.drives:
        joint = joints.tendon_joint[number]
        base = number * SIZE
        rule = userdata[w]
        weight = tendon_invweight[w % tendon_invweight.shape[0], number]
        _drive(rows, w, row, rule, base, qpos[w, joints.qpos[joint]], weight, dt)
        if int(rule[base + D_MODE]) == MOTOR:
            warm[w, joints.dof[joint]] = rows.aref[w, row]
    elif kind == OF_LIMIT:
        distance = rows.pos[w, row]
        erp = wp.where(distance > -limit_depth, limit_erp, 0.0)
        wanted = unilateral(distance, erp, dt)
        weight = dof_invweight[w % dof_invweight.shape[0], joints.dof[number]]
        rows.aref[w, row] = (wanted - rows.vel[w, row]) / dt
        rows.D[w, row] = 1.0 / wp.max(HARD * weight, MIN_R)


@wp.struct
class Bodies:
    """What drag needs to know of bodies."""

    user: wp.array3d(dtype=float)  # (N or 1, nbody, BODY_USER_SIZE)
    mass: wp.array2d(dtype=float)
    inertia: wp.array2d(dtype=wp.vec3)
    root: wp.array(dtype=int)
    last: wp.array(dtype=int)  # one past the last body of each body's subtree
    of_dof: wp.array(dtype=int)


@wp.kernel(enable_backward=False)
def drag_wrenches(
    timestep: wp.array(dtype=float),
    b: Bodies,
    cvel: wp.array2d(dtype=wp.spatial_vector),
    xipos: wp.array2d(dtype=wp.vec3),
    ximat: wp.array2d(dtype=wp.mat33),
    centre: wp.array2d(dtype=wp.vec3),
    wrench: wp.array2d(dtype=wp.spatial_vector),
):
    """Drag of each body: torque and force about its tree's centre."""
    w, body = wp.tid()
    user = w % b.user.shape[0]
    linear = b.user[user, body, B_LINEAR]
    angular = b.user[user, body, B_ANGULAR]
    if body == 0 or (linear == 0.0 and angular == 0.0):
        wrench[w, body] = wp.spatial_vector()
        return
    quadratic = b.user[user, body, B_QUADRATIC]
    cap = 1.0 / timestep[w % timestep.shape[0]]
    spin = wp.spatial_top(cvel[w, body])
    arm = xipos[w, body] - centre[w, b.root[body]]
    v = wp.spatial_bottom(cvel[w, body]) + wp.cross(spin, arm)
    mass = b.mass[w % b.mass.shape[0], body]
    force = -mass * wp.min(cap, linear * (1.0 + quadratic * wp.length(v))) * v
    rate = wp.min(cap, angular * (1.0 + quadratic * wp.length(spin)))
    axes = ximat[w, body]
    own = wp.cw_mul(b.inertia[w % b.inertia.shape[0], body], wp.transpose(axes) @ spin)
    torque = -rate * (axes @ own)
    wrench[w, body] = wp.spatial_vector(torque + wp.cross(arm, force), force)


@wp.kernel(enable_backward=False)
def drag_forces(
    b: Bodies,
    cdof: wp.array2d(dtype=wp.spatial_vector),
    wrench: wp.array2d(dtype=wp.spatial_vector),
    passive: wp.array2d(dtype=float),
):
    """Add the drag of all bodies that a degree of freedom moves."""
    w, dof = wp.tid()
    total = wp.spatial_vector()
    for body in range(b.of_dof[dof], b.last[b.of_dof[dof]]):
        total += wrench[w, body]
    passive[w, dof] = passive[w, dof] + wp.dot(cdof[w, dof], total)
