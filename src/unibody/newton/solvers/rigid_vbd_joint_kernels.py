# pyright: basic, reportInvalidTypeForm=false
"""Joints of SolverVBD's rigid bodies: their errors, forces and stiffness."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.enums import MAXVAL, JointType
from unibody.newton.solvers.joint_force_kernels import axes_rows, rotation_vector, twist_angle
from unibody.newton.solvers.rigid_vbd_block_kernels import (
    Block,
    Bodies,
    eased,
    inlined,
    mobility_about,
    mobility_along,
    pose_of,
    pushed,
)
from unibody.newton.solvers.rigid_vbd_options import COMPLIANT, GROWING, HARD

wp.set_module_options({"enable_backward": False})

FREE: int = wp.constant(int(JointType.FREE))
CABLE: int = wp.constant(int(JointType.CABLE))
BALL: int = wp.constant(int(JointType.BALL))
ROD: int = wp.constant(int(JointType.ROD))
UNLIMITED: float = wp.constant(float(MAXVAL))


FIRMNESS: float = wp.constant(9.0)
"""A two-sided row's metric is no less than this times its stiffness: 90 % of it act at once."""


@wp.struct
class Joints:
    """Joints, and the stiffness that each has at present (along, about).

    Rows of the compliant scheme have multipliers, in the parent's anchor frame, and those of hard
    joints likewise, which leave a share of the error that a step begins with. Rods may have
    friction: how much in turns that their stiffness resists, the turn over which it comes, and what
    the step before has left: torques, turns, and by how much they changed. All rounds of a step
    compare with gaps, turns and bends at its beginning.
    """

    scheme: int
    kind: wp.array(dtype=int)
    enabled: wp.array(dtype=bool)
    parent: wp.array(dtype=int)
    child: wp.array(dtype=int)
    X_p: wp.array(dtype=wp.transform)
    X_c: wp.array(dtype=wp.transform)
    dims: wp.array(dtype=int, ndim=2)
    start: wp.array(dtype=int)
    rest: wp.array(dtype=wp.quat)
    stiffness: wp.array(dtype=wp.vec2)
    most: wp.array(dtype=wp.vec2)
    damping: wp.array(dtype=wp.vec2)
    hard: wp.array(dtype=bool)
    left: float
    metric: wp.array(dtype=wp.vec2)
    hold: wp.array(dtype=wp.vec3)
    hold_turn: wp.array(dtype=wp.vec3)
    friction_strain: wp.array(dtype=float)
    friction_length: wp.array(dtype=float)
    friction: wp.array(dtype=wp.vec3)
    bent: wp.array(dtype=wp.vec3)
    bent_by: wp.array(dtype=wp.vec3)
    gap_before: wp.array(dtype=wp.vec3)
    turn_before: wp.array(dtype=wp.quat)
    bend_before: wp.array(dtype=wp.vec3)


@wp.struct
class Axes:
    """Degrees of freedom: limits, targets and gains; metrics, multipliers and angles of rows."""

    axis: wp.array(dtype=wp.vec3)
    lower: wp.array(dtype=float)
    upper: wp.array(dtype=float)
    limit_ke: wp.array(dtype=float)
    limit_kd: wp.array(dtype=float)
    target_pos: wp.array(dtype=float)
    target_at: wp.array(dtype=int)
    target_vel: wp.array(dtype=float)
    ke: wp.array(dtype=float)
    kd: wp.array(dtype=float)
    metric: wp.array(dtype=float)
    drive_hold: wp.array(dtype=float)
    limit_hold: wp.array(dtype=float)
    angle: wp.array(dtype=float)


@wp.struct
class Rows:
    """Forces and stiffness of a joint on its child, in the parent's anchor frame."""

    force: wp.vec3
    stiff: wp.mat33
    torque: wp.vec3
    stiff_turn: wp.mat33


@inlined
def limited(axes: Axes, dof: int, kind: int):
    """Whether a degree of freedom has limits that act."""
    bounded = axes.lower[dof] > -UNLIMITED or axes.upper[dof] < UNLIMITED
    return kind != ROD and axes.limit_ke[dof] > 0.0 and bounded


@inlined
def compliant_limit(axes: Axes, dof: int, value: float, rate: float, dt: float):
    """Force and stiffness of the nearer limit, which only pushes back."""
    gap = value - axes.lower[dof]
    side = float(1.0)
    if wp.abs(value - axes.upper[dof]) < wp.abs(gap):
        gap = value - axes.upper[dof]
        side = -1.0
    stiff = axes.limit_ke[dof] + axes.limit_kd[dof] / dt
    error = (axes.limit_ke[dof] * gap + axes.limit_kd[dof] * rate) / stiff
    row = eased(stiff, axes.metric[dof])
    force = -(row[1] * error + row[0] * axes.limit_hold[dof])
    if force * side <= 0.0:
        return wp.vec2(0.0, 0.0)
    return wp.vec2(force, row[1])


@inlined
def of_axis(
    axes: Axes, dof: int, value: float, earlier: float, dt: float, scheme: int, kind: int,
    keeps: bool,
):  # fmt: skip
    """Force and stiffness along a degree of freedom, of its drive and its limits.

    With `keeps`, the forces become the multipliers of its rows.
    """
    rate = (value - earlier) / dt
    ke = axes.ke[dof]
    kd = axes.kd[dof]
    away = float(value)
    faster = float(rate)
    if kind != ROD:
        target = axes.target_pos[axes.target_at[dof]]
        if scheme == COMPLIANT and limited(axes, dof, kind):
            target = wp.clamp(target, axes.lower[dof], axes.upper[dof])
        away = value - target
        faster = rate - axes.target_vel[dof]
    stiff = ke + kd / dt
    push = ke * away + kd * faster
    if scheme == COMPLIANT:
        drive = wp.vec2(0.0, 0.0)
        if stiff > 0.0 and axes.metric[dof] > 0.0:
            row = eased(stiff, wp.max(axes.metric[dof], FIRMNESS * stiff))
            drive = wp.vec2(row[1] * push / stiff + row[0] * axes.drive_hold[dof], row[1])
        limit = wp.vec2(0.0, 0.0)
        if limited(axes, dof, kind):
            limit = compliant_limit(axes, dof, value, rate, dt)
        if keeps:
            axes.drive_hold[dof] = drive[0]
            axes.limit_hold[dof] = -limit[0]
        return wp.vec2(limit[0] - drive[0], limit[1] + drive[1])
    beyond = float(0.0)
    if value < axes.lower[dof]:
        beyond = value - axes.lower[dof]
    elif value > axes.upper[dof]:
        beyond = value - axes.upper[dof]
    if beyond != 0.0:
        push = push + axes.limit_ke[dof] * beyond + axes.limit_kd[dof] * rate
        stiff = stiff + axes.limit_ke[dof] + axes.limit_kd[dof] / dt
    return wp.vec2(-push, stiff)


@inlined
def locked_row(joints: Joints, j: int, stiffness: float, metric: float):
    """Of a row that holds bodies together: the share of its multiplier, and its stiffness."""
    if joints.scheme == COMPLIANT:
        return eased(stiffness, wp.max(metric, FIRMNESS * stiffness))
    if joints.scheme == HARD and joints.hard[j]:
        return wp.vec2(1.0, stiffness)
    return wp.vec2(0.0, stiffness)


@wp.func
def hinge_angle(turn: wp.quat, axis: wp.vec3, near: float):
    """The angle about a hinge's axis with its turns, the one next to another angle."""
    more = twist_angle(turn, axis) - near
    return near + more - 2.0 * wp.pi * wp.round(more / (2.0 * wp.pi))


@inlined
def locked_part(vector: wp.vec3, axes: Axes, start: int, count: int):
    """What is left of a vector of the parent's frame across the free axes."""
    for k in range(count):
        axis = axes.axis[start + k]
        vector = vector - axis * wp.dot(axis, vector)
    return vector


@inlined
def locked_matrix(axes: Axes, start: int, count: int):
    """The projection of `locked_part`."""
    found = wp.identity(n=3, dtype=float)
    for k in range(count):
        axis = axes.axis[start + k]
        found = found - wp.outer(axis, axis)
    return found


@inlined
def free_counts(joints: Joints, j: int):
    """How many directions and turns are free: those of cables and ball joints count otherwise."""
    kind = joints.kind[j]
    along = joints.dims[j, 0]
    about = joints.dims[j, 1]
    if kind == CABLE:
        return wp.vec2i(0, 0)
    if kind == BALL:
        return wp.vec2i(0, 3)
    return wp.vec2i(along, about)


@wp.func
def gap_between(X_wp: wp.transform, X_wc: wp.transform):
    """From the parent's anchor to the child's, in the parent's anchor frame."""
    apart = wp.transform_get_translation(X_wc) - wp.transform_get_translation(X_wp)
    return wp.quat_rotate_inv(wp.transform_get_rotation(X_wp), apart)


@wp.func
def turn_between(X_wp: wp.transform, X_wc: wp.transform, rest: wp.quat):
    """The turn from rest of the child's anchor frame, in the parent's."""
    relative = wp.quat_inverse(wp.transform_get_rotation(X_wp)) * wp.transform_get_rotation(X_wc)
    return relative * wp.quat_inverse(rest)


@wp.func
def turn_of(q: wp.array(dtype=wp.transform), joints: Joints, j: int):
    """`turn_between` of a joint whose bodies are in given poses."""
    X_wp = pose_of(q, joints.parent[j]) * joints.X_p[j]
    X_wc = pose_of(q, joints.child[j]) * joints.X_c[j]
    return turn_between(X_wp, X_wc, joints.rest[j])


@wp.func
def rows_of(turn: wp.quat, axes: Axes, begin: int, count: int):
    """Angles about two or three free axes, and what each grows with, as rows."""
    return axes_rows(
        turn, axes.axis[begin], axes.axis[begin + 1], axes.axis[begin + count - 1], count
    )


@wp.func
def turned_rows(
    rows: Rows, joints: Joints, axes: Axes, j: int, turn: wp.quat, turn_before: wp.quat,
    begin: int, count: int, left: float, dt: float, keeps: bool,
):  # fmt: skip
    """Rows of a joint of two or three free axes, each turned by the others, added."""
    now = rows_of(turn, axes, begin, count)
    before = rows_of(turn_before, axes, begin, count)
    for n in range(3):
        along = now[n + 1]
        angle = now[0][n]
        then = before[0][n]
        found = wp.vec2(0.0, 0.0)
        if n < count:
            found = of_axis(axes, begin + n, angle, then, dt, joints.scheme, joints.kind[j], keeps)
        else:
            metric = float(0.0)
            hold = float(0.0)
            if joints.scheme != GROWING:
                metric = joints.metric[j][1]
                hold = joints.hold_turn[j][0]
            row = locked_row(joints, j, joints.stiffness[j][1], metric)
            held = (angle - left * then) * row[1] + hold * row[0]
            if keeps:
                joints.hold_turn[j] = wp.vec3(held, 0.0, 0.0)
            d = joints.damping[j][1]
            found = wp.vec2(-held - (angle - then) / dt * d, row[1] + d / dt)
        rows.torque = rows.torque + along * found[0]
        rows.stiff_turn = rows.stiff_turn + wp.outer(along, along) * found[1]
    return rows


@wp.func
def swing_of(turn: wp.quat, axis: wp.vec3):
    """The rotation vector across an axis that is left of a turn without its part about the axis.

    The locked part of the whole turn's rotation vector is turned by half the angle about the axis:
    beyond a half turn it would push a hinge further away.
    """
    along = wp.dot(wp.vec3(turn[0], turn[1], turn[2]), axis)
    if along * along + turn[3] * turn[3] < 1.0e-12:
        return rotation_vector(turn)
    twist = wp.normalize(wp.quat(axis * along, turn[3]))
    return rotation_vector(turn * wp.quat_inverse(twist))


@inlined
def dahl(joints: Joints, axes: Axes, j: int, dof: int, n: int, turned: float):
    """Friction in a rod about one of its axes after a further turn, and how it grows with that."""
    most = axes.ke[dof] * joints.friction_strain[j]
    length = joints.friction_length[j]
    if most <= 0.0 or length <= 0.0:
        return wp.vec2(0.0, 0.0)
    way = float(1.0)
    if turned < -1.0e-6 or (turned <= 1.0e-6 and joints.bent_by[j][n] < 0.0):
        way = -1.0
    left = wp.exp(-way * turned / length)
    friction = way * most * (1.0 - left) + joints.friction[j][n] * left
    friction = wp.clamp(friction, -most, most)
    return wp.vec2(friction, wp.max(most - way * friction, 0.0) / length)


@inlined
def with_turns(
    rows: Rows, turn: wp.quat, joints: Joints, axes: Axes, j: int, left: float, dt: float,
    keeps: bool,
):  # fmt: skip
    """Rows of a joint with those of its turns."""
    free = free_counts(joints, j)
    kind = joints.kind[j]
    d = joints.damping[j]
    metric = float(0.0)
    hold = wp.vec3()
    if joints.scheme != GROWING:
        metric = joints.metric[j][1]
        hold = joints.hold_turn[j]
    begin = joints.start[j] + free[0]
    if free[1] > 1 and kind != ROD:
        return turned_rows(
            rows, joints, axes, j, turn, joints.turn_before[j], begin, free[1], left, dt, keeps
        )
    bend = rotation_vector(turn)
    if free[1] == 1:
        bend = swing_of(turn, axes.axis[begin])
    bend_before = joints.bend_before[j]
    row = locked_row(joints, j, joints.stiffness[j][1], metric)
    error = locked_part(bend - bend_before * left, axes, begin, free[1])
    rate = locked_part(bend - bend_before, axes, begin, free[1]) / dt
    held = error * row[1] + hold * row[0]
    if keeps:
        joints.hold_turn[j] = held
    rows.torque = -(held + rate * d[1])
    rows.stiff_turn = locked_matrix(axes, begin, free[1]) * (row[1] + d[1] / dt)
    for n in range(free[1]):
        axis = axes.axis[begin + n]
        now = wp.dot(axis, bend)
        then = wp.dot(axis, bend_before)
        if free[1] == 1:
            if joints.scheme == GROWING:
                now = twist_angle(turn, axis)
                then = twist_angle(joints.turn_before[j], axis)
            else:
                then = axes.angle[begin]
                now = hinge_angle(turn, axis, then)
        found = of_axis(axes, begin + n, now, then, dt, joints.scheme, kind, keeps)
        if kind == ROD and joints.friction_strain:
            rub = dahl(joints, axes, j, begin + n, n, now - joints.bent[j][n])
            found = wp.vec2(found[0] - rub[0], found[1] + rub[1])
        rows.torque = rows.torque + axis * found[0]
        rows.stiff_turn = rows.stiff_turn + wp.outer(axis, axis) * found[1]
    return rows


@inlined
def joint_rows(
    X_wp: wp.transform, X_wc: wp.transform, joints: Joints, axes: Axes, j: int, dt: float,
    keeps: bool,
):  # fmt: skip
    """Forces of a joint with its anchors where they are; with `keeps`, its rows' multipliers."""
    rows = Rows()
    kind = joints.kind[j]
    free = free_counts(joints, j)
    d = joints.damping[j]
    metric = float(0.0)
    hold = wp.vec3()
    left = float(0.0)
    if joints.scheme != GROWING:
        metric = joints.metric[j][0]
        hold = joints.hold[j]
    if joints.scheme == HARD and joints.hard[j]:
        left = joints.left
    start = joints.start[j]
    gap = gap_between(X_wp, X_wc)
    gap_before = joints.gap_before[j]
    row = locked_row(joints, j, joints.stiffness[j][0], metric)
    error = locked_part(gap - gap_before * left, axes, start, free[0])
    rate = locked_part(gap - gap_before, axes, start, free[0]) / dt
    held = error * row[1] + hold * row[0]
    if keeps:
        joints.hold[j] = held
    rows.force = -(held + rate * d[0])
    rows.stiff = locked_matrix(axes, start, free[0]) * (row[1] + d[0] / dt)
    for n in range(free[0]):
        axis = axes.axis[start + n]
        found = of_axis(
            axes, start + n, wp.dot(axis, gap), wp.dot(axis, gap_before), dt, joints.scheme, kind,
            keeps,
        )  # fmt: skip
        rows.force = rows.force + axis * found[0]
        rows.stiff = rows.stiff + wp.outer(axis, axis) * found[1]
    if kind == BALL:
        return rows
    turn = turn_between(X_wp, X_wc, joints.rest[j])
    return with_turns(rows, turn, joints, axes, j, left, dt, keeps)


@inlined
def add_joint(
    block: Block, bodies: Bodies, joints: Joints, axes: Axes, j: int, body: int, dt: float
):
    """A block with what a joint does to one of its bodies."""
    if not joints.enabled[j]:
        return block
    parent = joints.parent[j]
    X_wp = pose_of(bodies.q, parent) * joints.X_p[j]
    X_wc = pose_of(bodies.q, joints.child[j]) * joints.X_c[j]
    sign = float(1.0)
    anchor = wp.transform_get_translation(X_wc)
    if body == parent:
        sign = -1.0
        anchor = wp.transform_get_translation(X_wp)
    arm = anchor - wp.transform_point(bodies.q[body], bodies.com[body])
    R = wp.quat_to_matrix(wp.transform_get_rotation(X_wp))
    rows = joint_rows(X_wp, X_wc, joints, axes, j, dt, False)
    block = pushed(block, arm, R * rows.force * sign, R * rows.stiff * wp.transpose(R))
    block.torque = block.torque + R * rows.torque * sign
    block.aa = block.aa + R * rows.stiff_turn * wp.transpose(R)
    return block


@wp.func
def axis_metric(bodies: Bodies, joints: Joints, j: int, axis: wp.vec3, along: bool, dt: float):
    """The inertia that a joint's bodies have along or about an axis in a step, over its square."""
    parent = joints.parent[j]
    child = joints.child[j]
    X_wp = pose_of(bodies.q, parent) * joints.X_p[j]
    way = wp.normalize(wp.quat_rotate(wp.transform_get_rotation(X_wp), axis))
    ease = float(0.0)
    if along:
        at_p = wp.transform_get_translation(X_wp)
        at_c = wp.transform_get_translation(pose_of(bodies.q, child) * joints.X_c[j])
        ease = mobility_along(bodies, parent, at_p, way) + mobility_along(bodies, child, at_c, way)
    else:
        ease = mobility_about(bodies, parent, way) + mobility_about(bodies, child, way)
    if ease <= 0.0:
        return 0.0
    return 1.0 / (ease * dt * dt)


@wp.func
def body_ease(bodies: Bodies, body: int):
    """How easily a body goes and turns, in the mean of all directions."""
    if body < 0:
        return wp.vec2(0.0, 0.0)
    if bodies.inv_mass[body] == 0.0:
        return wp.vec2(0.0, 0.0)
    return wp.vec2(bodies.inv_mass[body], wp.trace(bodies.inv_inertia[body]) / 3.0)


@wp.kernel
def note_joints(bodies: Bodies, joints: Joints, axes: Axes):
    """One thread a joint: where its anchors are to one another as the step begins."""
    j = wp.tid()
    kind = joints.kind[j]
    if kind == FREE:
        return
    X_wp = pose_of(bodies.before, joints.parent[j]) * joints.X_p[j]
    X_wc = pose_of(bodies.before, joints.child[j]) * joints.X_c[j]
    joints.gap_before[j] = gap_between(X_wp, X_wc)
    turn = turn_between(X_wp, X_wc, joints.rest[j])
    joints.turn_before[j] = turn
    free = free_counts(joints, j)
    if free[1] == 1:
        joints.bend_before[j] = swing_of(turn, axes.axis[joints.start[j] + free[0]])
    else:
        joints.bend_before[j] = rotation_vector(turn)


@wp.kernel
def begin_joints(bodies: Bodies, joints: Joints, axes: Axes, keep: float, dt: float):
    """One thread a joint: metrics of the step, what is left of multipliers, and angles so far."""
    j = wp.tid()
    if joints.kind[j] == FREE:
        return
    ease = body_ease(bodies, joints.parent[j]) + body_ease(bodies, joints.child[j])
    metric = wp.vec2(0.0, 0.0)
    for n in range(2):
        if ease[n] > 0.0:
            metric[n] = 1.0 / (ease[n] * dt * dt)
    joints.metric[j] = metric
    rest = float(keep)
    if not joints.enabled[j]:
        rest = 0.0
    joints.hold[j] = joints.hold[j] * rest
    joints.hold_turn[j] = joints.hold_turn[j] * rest
    start = joints.start[j]
    along = joints.dims[j, 0]
    kind = joints.kind[j]
    if kind == BALL or kind == CABLE:
        return
    for n in range(along + joints.dims[j, 1]):
        dof = start + n
        axis = axes.axis[dof]
        own = float(0.0)
        driven = axes.ke[dof] > 0.0 or axes.kd[dof] > 0.0
        if joints.scheme == COMPLIANT and (driven or limited(axes, dof, kind)):
            own = axis_metric(bodies, joints, j, axis, n < along, dt)
            if kind == ROD:
                own = metric[1]
                if n < along:
                    own = metric[0]
        axes.metric[dof] = own
        kept = wp.where(own > 0.0, rest, 0.0)
        axes.drive_hold[dof] = axes.drive_hold[dof] * kept
        axes.limit_hold[dof] = axes.limit_hold[dof] * kept
    if joints.dims[j, 1] == 1:
        dof = start + along
        axes.angle[dof] = hinge_angle(joints.turn_before[j], axes.axis[dof], axes.angle[dof])


@wp.kernel
def hold_joints(bodies: Bodies, joints: Joints, axes: Axes, dt: float):
    """One thread a joint: the forces of its rows become their multipliers."""
    j = wp.tid()
    if joints.kind[j] != FREE and joints.enabled[j]:
        X_wp = pose_of(bodies.q, joints.parent[j]) * joints.X_p[j]
        X_wc = pose_of(bodies.q, joints.child[j]) * joints.X_c[j]
        joint_rows(X_wp, X_wc, joints, axes, j, dt, True)


@wp.kernel
def stiffen_joints(bodies: Bodies, joints: Joints, axes: Axes, growth: wp.vec2):
    """One thread a joint: its stiffness grows with its error, up to what is asked for."""
    j = wp.tid()
    if joints.kind[j] == FREE or not joints.enabled[j]:
        return
    free = free_counts(joints, j)
    start = joints.start[j]
    X_wp = pose_of(bodies.q, joints.parent[j]) * joints.X_p[j]
    X_wc = pose_of(bodies.q, joints.child[j]) * joints.X_c[j]
    gap = locked_part(gap_between(X_wp, X_wc), axes, start, free[0])
    turn = turn_between(X_wp, X_wc, joints.rest[j])
    begin = start + free[0]
    bend = wp.vec3()
    if free[1] == 2:
        bend[0] = rows_of(turn, axes, begin, 2)[0][2]
    elif free[1] < 2:
        bend = locked_part(rotation_vector(turn), axes, begin, free[1])
    k = joints.stiffness[j]
    more = wp.vec2(k[0] + growth[0] * wp.length(gap), k[1] + growth[1] * wp.length(bend))
    joints.stiffness[j] = wp.min(more, joints.most[j])


@wp.kernel
def relax_joints(joints: Joints, least: wp.array(dtype=wp.vec2), share: float):
    """One thread a joint: a step begins with less stiffness than the last ended with."""
    j = wp.tid()
    k = wp.max(joints.stiffness[j] * share, least[j])
    joints.stiffness[j] = wp.min(k, joints.most[j])
