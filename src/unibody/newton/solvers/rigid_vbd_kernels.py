# pyright: basic, reportInvalidTypeForm=false
"""Rigid bodies of SolverVBD: each body is moved to the minimum of its own energy.

Augmented vertex block descent (Giles, Diaz, Yuksel 2025): the stiffness of a joint begins low and
grows with its error, up to what is asked for, so that few rounds suffice for stiff joints.
A body's unknowns are the motion of its centre of mass and a rotation vector, in the world frame.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.enums import JointType
from unibody.newton.solvers.contact_force_kernels import Points, point_of, sliding
from unibody.newton.solvers.joint_force_kernels import axes_rows, rotation_vector, twist_angle

wp.set_module_options({"enable_backward": False})

FREE = wp.constant(int(JointType.FREE))
CABLE = wp.constant(int(JointType.CABLE))
BALL = wp.constant(int(JointType.BALL))


@wp.struct
class Bodies:
    """Bodies now, at the step's begin, and where they would be without constraints."""

    q: wp.array(dtype=wp.transform)
    before: wp.array(dtype=wp.transform)
    free: wp.array(dtype=wp.transform)
    com: wp.array(dtype=wp.vec3)
    mass: wp.array(dtype=float)
    inv_mass: wp.array(dtype=float)
    inertia: wp.array(dtype=wp.mat33)


@wp.struct
class Joints:
    """Joints, and the stiffness that each has at present (along, about)."""

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


@wp.struct
class Axes:
    """Degrees of freedom: limits, targets and gains."""

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


@wp.struct
class Block:
    """Force and torque on a body, and the stiffness against its motion."""

    force: wp.vec3
    torque: wp.vec3
    ll: wp.mat33
    al: wp.mat33
    aa: wp.mat33


@wp.func
def pushed(block: Block, arm: wp.vec3, force: wp.vec3, stiffness: wp.mat33):
    """A block with a force at a point of the body."""
    turn = wp.skew(arm)
    block.force = block.force + force
    block.torque = block.torque + wp.cross(arm, force)
    block.ll = block.ll + stiffness
    block.al = block.al + turn * stiffness
    block.aa = block.aa + turn * stiffness * wp.transpose(turn)
    return block


@wp.func
def pose_of(q: wp.array(dtype=wp.transform), body: int):
    """The pose of a body; -1: the world."""
    if body < 0:
        return wp.transform_identity()
    return q[body]


@wp.func
def of_axis(axes: Axes, dof: int, value: float, earlier: float, dt: float):
    """Force and stiffness along a degree of freedom, of its drive and its limits."""
    rate = (value - earlier) / dt
    ke = axes.ke[dof]
    kd = axes.kd[dof]
    force = -ke * (value - axes.target_pos[axes.target_at[dof]]) - kd * (
        rate - axes.target_vel[dof]
    )
    stiffness = ke + kd / dt
    beyond = float(0.0)
    if value < axes.lower[dof]:
        beyond = value - axes.lower[dof]
    elif value > axes.upper[dof]:
        beyond = value - axes.upper[dof]
    if beyond != 0.0:
        force = force - axes.limit_ke[dof] * beyond - axes.limit_kd[dof] * rate
        stiffness = stiffness + axes.limit_ke[dof] + axes.limit_kd[dof] / dt
    return wp.vec2(force, stiffness)


@wp.func
def locked_part(vector: wp.vec3, axes: Axes, start: int, count: int):
    """What is left of a vector of the parent's frame across the free axes."""
    for k in range(count):
        axis = axes.axis[start + k]
        vector = vector - axis * wp.dot(axis, vector)
    return vector


@wp.func
def locked_matrix(axes: Axes, start: int, count: int):
    """The projection of `locked_part`."""
    found = wp.identity(n=3, dtype=float)
    for k in range(count):
        axis = axes.axis[start + k]
        found = found - wp.outer(axis, axis)
    return found


@wp.func
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
def gap_of(q: wp.array(dtype=wp.transform), joints: Joints, j: int):
    """From the parent's anchor to the child's, in the parent's anchor frame."""
    X_wp = pose_of(q, joints.parent[j]) * joints.X_p[j]
    X_wc = pose_of(q, joints.child[j]) * joints.X_c[j]
    apart = wp.transform_get_translation(X_wc) - wp.transform_get_translation(X_wp)
    return wp.quat_rotate_inv(wp.transform_get_rotation(X_wp), apart)


@wp.func
def turn_of(q: wp.array(dtype=wp.transform), joints: Joints, j: int):
    """The turn from rest of the child's anchor frame, in the parent's."""
    X_wp = pose_of(q, joints.parent[j]) * joints.X_p[j]
    X_wc = pose_of(q, joints.child[j]) * joints.X_c[j]
    relative = wp.quat_inverse(wp.transform_get_rotation(X_wp)) * wp.transform_get_rotation(X_wc)
    return relative * wp.quat_inverse(joints.rest[j])


@wp.func
def rows_of(turn: wp.quat, axes: Axes, begin: int, count: int):
    """Angles about two or three free axes, and what each grows with, as rows."""
    return axes_rows(
        turn, axes.axis[begin], axes.axis[begin + 1], axes.axis[begin + count - 1], count
    )


@wp.func
def add_turns(
    block: Block, R: wp.mat33, turn: wp.quat, turn_before: wp.quat, axes: Axes, begin: int,
    count: int, k: float, d: float, sign: float, dt: float,
):  # fmt: skip
    """A block with the torque of a joint of two or three free axes, each turned by the others."""
    rows = rows_of(turn, axes, begin, count)
    before = rows_of(turn_before, axes, begin, count)
    torque = wp.vec3()
    stiff = wp.identity(n=3, dtype=float) * 0.0
    for n in range(3):
        along = rows[n + 1]
        now = rows[0][n]
        found = wp.vec2(-now * k - (now - before[0][n]) / dt * d, k + d / dt)
        if n < count:
            found = of_axis(axes, begin + n, now, before[0][n], dt)
        torque = torque + along * found[0]
        stiff = stiff + wp.outer(along, along) * found[1]
    block.torque = block.torque + R * torque * sign
    block.aa = block.aa + R * stiff * wp.transpose(R)
    return block


@wp.func
def add_joint(
    block: Block, bodies: Bodies, joints: Joints, axes: Axes, j: int, body: int, dt: float
):
    """A block with what a joint does to one of its bodies."""
    parent = joints.parent[j]
    child = joints.child[j]
    X_wp = pose_of(bodies.q, parent) * joints.X_p[j]
    X_wc = pose_of(bodies.q, child) * joints.X_c[j]
    sign = float(1.0)
    anchor = wp.transform_get_translation(X_wc)
    if body == parent:
        sign = -1.0
        anchor = wp.transform_get_translation(X_wp)
    arm = anchor - wp.transform_point(bodies.q[body], bodies.com[body])
    R = wp.quat_to_matrix(wp.transform_get_rotation(X_wp))
    free = free_counts(joints, j)
    k = joints.stiffness[j]
    d = joints.damping[j]
    start = joints.start[j]

    gap = gap_of(bodies.q, joints, j)
    gap_before = gap_of(bodies.before, joints, j)
    error = locked_part(gap, axes, start, free[0])
    rate = locked_part(gap - gap_before, axes, start, free[0]) / dt
    force = -(error * k[0] + rate * d[0])
    stiff = locked_matrix(axes, start, free[0]) * (k[0] + d[0] / dt)
    for n in range(free[0]):
        axis = axes.axis[start + n]
        found = of_axis(axes, start + n, wp.dot(axis, gap), wp.dot(axis, gap_before), dt)
        force = force + axis * found[0]
        stiff = stiff + wp.outer(axis, axis) * found[1]
    block = pushed(block, arm, R * force * sign, R * stiff * wp.transpose(R))

    if joints.kind[j] == BALL:
        return block
    turn = turn_of(bodies.q, joints, j)
    turn_before = turn_of(bodies.before, joints, j)
    begin = start + free[0]
    if free[1] > 1:
        return add_turns(
            block, R, turn, turn_before, axes, begin, free[1], k[1], d[1], sign, dt
        )  # fmt: skip
    bend = rotation_vector(turn)
    bend_before = rotation_vector(turn_before)
    error = locked_part(bend, axes, begin, free[1])
    rate = locked_part(bend - bend_before, axes, begin, free[1]) / dt
    torque = -(error * k[1] + rate * d[1])
    stiff = locked_matrix(axes, begin, free[1]) * (k[1] + d[1] / dt)
    if free[1] == 1:
        axis = axes.axis[begin]
        now = twist_angle(turn, axis)
        found = of_axis(axes, begin, now, twist_angle(turn_before, axis), dt)
        torque = torque + axis * found[0]
        stiff = stiff + wp.outer(axis, axis) * found[1]
    block.torque = block.torque + R * torque * sign
    block.aa = block.aa + R * stiff * wp.transpose(R)
    return block


@wp.struct
class Materials:
    """Shapes as contacts see them; whether `kd` is a share of `ke`.

    Contacts may have stiffness of their own at present.
    """

    body: wp.array(dtype=int)
    ke: wp.array(dtype=float)
    kd: wp.array(dtype=float)
    mu: wp.array(dtype=float)
    shared: bool
    present: wp.array(dtype=float)


@wp.func
def add_contact(
    block: Block, bodies: Bodies, points: Points, shapes: Materials, c: int, body: int,
    slow: float, dt: float,
):  # fmt: skip
    """A block with what a contact does to one of its bodies."""
    first = points.shape0[c]
    second = points.shape1[c]
    a = shapes.body[first]
    b = shapes.body[second]
    n = -points.sign * points.normal[c]  # from the first to the second
    at_a = point_of(bodies.q, a, points.point0[c], n * points.margin0[c])
    at_b = point_of(bodies.q, b, points.point1[c], n * -points.margin1[c])
    depth = wp.dot(n, at_a - at_b)
    if depth <= 0.0:
        return block
    # Both points move with their bodies: where they were a step ago.
    from_a = at_a - point_of(bodies.before, a, points.point0[c], n * points.margin0[c])
    from_b = at_b - point_of(bodies.before, b, points.point1[c], n * -points.margin1[c])
    slip = from_b - from_a
    closing = -wp.dot(n, slip) / dt
    ke = 0.5 * (shapes.ke[first] + shapes.ke[second])
    if shapes.present:
        ke = shapes.present[c]
    kd = 0.5 * (shapes.kd[first] + shapes.kd[second])
    if shapes.shared:
        kd = kd * ke
    press = ke * depth
    stiff = ke
    if closing > 0.0:
        press = press + kd * closing
        stiff = stiff + kd / dt
    force = n * press  # on the second body
    stiffness = wp.outer(n, n) * stiff
    slip = slip - n * wp.dot(n, slip) + sliding(points, c, n) * dt
    far = wp.length(slip)
    hold = wp.sqrt(shapes.mu[first] * shapes.mu[second]) * press
    if hold > 0.0 and far > 0.0:
        share = wp.min(far / (slow * dt), 1.0)
        held = hold * share * (2.0 - share) / far
        force = force - slip * held
        stiffness = stiffness + (wp.identity(n=3, dtype=float) - wp.outer(n, n)) * held
    if body == b:
        arm = at_b - wp.transform_point(bodies.q[b], bodies.com[b])
        return pushed(block, arm, force, stiffness)
    arm = at_a - wp.transform_point(bodies.q[a], bodies.com[a])
    return pushed(block, arm, -force, stiffness)


@wp.kernel
def begin_contacts(points: Points, shapes: Materials, start: float):
    """One thread a contact: it begins soft."""
    c = wp.tid()
    if c >= wp.min(points.count[0], points.shape0.shape[0]):
        return
    ke = 0.5 * (shapes.ke[points.shape0[c]] + shapes.ke[points.shape1[c]])
    shapes.present[c] = wp.min(start, ke)


@wp.kernel
def stiffen_contacts(bodies: Bodies, points: Points, shapes: Materials, growth: float):
    """One thread a contact: its stiffness grows with its depth, up to that of its shapes."""
    c = wp.tid()
    if c >= wp.min(points.count[0], points.shape0.shape[0]):
        return
    first = points.shape0[c]
    second = points.shape1[c]
    n = -points.sign * points.normal[c]
    at_a = point_of(bodies.q, shapes.body[first], points.point0[c], n * points.margin0[c])
    at_b = point_of(bodies.q, shapes.body[second], points.point1[c], n * -points.margin1[c])
    depth = wp.max(wp.dot(n, at_a - at_b), 0.0)
    ke = 0.5 * (shapes.ke[first] + shapes.ke[second])
    shapes.present[c] = wp.min(shapes.present[c] + growth * depth, ke)


@wp.kernel
def list_contacts(
    points: Points,
    shapes: Materials,
    heads: wp.array(dtype=int),
    following: wp.array(dtype=int),
):
    """One thread a contact: hang it into the lists of its bodies; entries are 2 c and 2 c + 1."""
    c = wp.tid()
    if c >= wp.min(points.count[0], points.shape0.shape[0]):
        return
    a = shapes.body[points.shape0[c]]
    b = shapes.body[points.shape1[c]]
    if a == b:
        return
    if a >= 0:
        following[2 * c] = wp.atomic_exch(heads, a, 2 * c)
    if b >= 0:
        following[2 * c + 1] = wp.atomic_exch(heads, b, 2 * c + 1)


@wp.kernel
def solve_bodies(
    group: wp.array(dtype=int),
    bodies: Bodies,
    joints: Joints,
    axes: Axes,
    joint_begins: wp.array(dtype=int),
    joint_numbers: wp.array(dtype=int),
    points: Points,
    shapes: Materials,
    heads: wp.array(dtype=int),
    following: wp.array(dtype=int),
    slow: float,
    dt: float,
):
    """One thread a body of a colour: a Newton step of its own energy."""
    i = group[wp.tid()]
    if bodies.inv_mass[i] == 0.0:
        return
    pose = bodies.q[i]
    rot = wp.transform_get_rotation(pose)
    com = wp.transform_point(pose, bodies.com[i])
    R = wp.quat_to_matrix(rot)
    heavy = bodies.mass[i] / (dt * dt)
    inertia = R * bodies.inertia[i] * wp.transpose(R) / (dt * dt)
    away = rotation_vector(rot * wp.quat_inverse(wp.transform_get_rotation(bodies.free[i])))
    block = Block()
    block.force = (wp.transform_point(bodies.free[i], bodies.com[i]) - com) * heavy
    block.torque = -(inertia * away)
    block.ll = wp.identity(n=3, dtype=float) * heavy
    block.aa = inertia
    for n in range(joint_begins[i], joint_begins[i + 1]):
        block = add_joint(block, bodies, joints, axes, joint_numbers[n], i, dt)
    entry = int(-1)
    if heads:
        entry = heads[i]
    while entry >= 0:
        block = add_contact(block, bodies, points, shapes, entry / 2, i, slow, dt)
        entry = following[entry]
    inverse = wp.inverse(block.ll)
    along = inverse * block.force
    across = block.al * inverse
    turn = wp.inverse(block.aa - across * wp.transpose(block.al)) * (
        block.torque - block.al * along
    )
    com = com + along - inverse * (wp.transpose(block.al) * turn)
    size = wp.length(turn)
    if size > 0.0:
        rot = wp.normalize(wp.quat_from_axis_angle(turn / size, size) * rot)
    bodies.q[i] = wp.transform(com - wp.quat_rotate(rot, bodies.com[i]), rot)


@wp.kernel
def stiffen_joints(bodies: Bodies, joints: Joints, axes: Axes, growth: float):
    """One thread a joint: its stiffness grows with its error, up to what is asked for."""
    j = wp.tid()
    if joints.kind[j] == FREE or not joints.enabled[j]:
        return
    free = free_counts(joints, j)
    start = joints.start[j]
    gap = locked_part(gap_of(bodies.q, joints, j), axes, start, free[0])
    turn = turn_of(bodies.q, joints, j)
    begin = start + free[0]
    bend = wp.vec3()
    if free[1] == 2:
        bend[0] = rows_of(turn, axes, begin, 2)[0][2]
    elif free[1] < 2:
        bend = locked_part(rotation_vector(turn), axes, begin, free[1])
    k = joints.stiffness[j]
    more = wp.vec2(k[0] + growth * wp.length(gap), k[1] + growth * wp.length(bend))
    joints.stiffness[j] = wp.min(more, joints.most[j])


@wp.kernel
def relax_joints(joints: Joints, least: wp.array(dtype=wp.vec2), share: float):
    """One thread a joint: a step begins with less stiffness than the last ended with."""
    j = wp.tid()
    k = wp.max(joints.stiffness[j] * share, least[j])
    joints.stiffness[j] = wp.min(k, joints.most[j])


@wp.kernel
def hold_massless(
    inv_mass: wp.array(dtype=float),
    q_in: wp.array(dtype=wp.transform),
    q_out: wp.array(dtype=wp.transform),
    placed: wp.array(dtype=wp.transform),
    is_placed: wp.array(dtype=bool),
    before: wp.array(dtype=wp.transform),
):
    """One thread a body: what has no mass stays where the script has put it.

    Contacts see the motion from where it was put in the step before: friction carries with it.
    """
    i = wp.tid()
    before[i] = q_in[i]
    if inv_mass[i] == 0.0:
        q_out[i] = q_in[i]
        if is_placed[i]:
            before[i] = placed[i]
        placed[i] = q_in[i]
    is_placed[i] = inv_mass[i] == 0.0


@wp.func
def share_of(gained: wp.vec3, foreseen: wp.vec3):
    """How much of a foreseen change of velocity there was in the step before."""
    size = wp.length_sq(foreseen)
    if size == 0.0:
        return 1.0
    return wp.clamp(wp.dot(gained, foreseen) / size, 0.0, 1.0)


@wp.kernel
def begin_search(
    bodies: Bodies,
    qd: wp.array(dtype=wp.spatial_vector),
    qd_earlier: wp.array(dtype=wp.spatial_vector),
    dt: float,
):
    """One thread a body: forces count as far as they accelerated the body in the last step.

    Few rounds do not move back again what is held and was put where forces alone would take it.
    """
    i = wp.tid()
    if bodies.inv_mass[i] > 0.0:
        before = bodies.before[i]
        pose = bodies.q[i]
        com = wp.transform_point(pose, bodies.com[i])
        rotation = wp.transform_get_rotation(pose)
        velocity = wp.spatial_top(qd[i])
        more = (com - wp.transform_point(before, bodies.com[i])) / dt - velocity
        share = share_of(velocity - wp.spatial_top(qd_earlier[i]), more)
        com = com - more * ((1.0 - share) * dt)
        spin = wp.spatial_bottom(qd[i])
        turn = rotation * wp.quat_inverse(wp.transform_get_rotation(before))
        more = rotation_vector(turn) / dt - spin
        share = share_of(spin - wp.spatial_bottom(qd_earlier[i]), more)
        back = more * ((share - 1.0) * dt)
        rotation = wp.normalize(rotation + wp.quat(back, 0.0) * rotation * 0.5)
        bodies.q[i] = wp.transform(com - wp.quat_rotate(rotation, bodies.com[i]), rotation)
    qd_earlier[i] = qd[i]


@wp.kernel
def velocities(bodies: Bodies, dt: float, qd: wp.array(dtype=wp.spatial_vector)):
    """Velocities as bodies have moved in the step; those that nothing moves keep theirs."""
    i = wp.tid()
    if bodies.inv_mass[i] == 0.0:
        return
    now = bodies.q[i]
    then = bodies.before[i]
    way = wp.transform_point(now, bodies.com[i]) - wp.transform_point(then, bodies.com[i])
    turn = wp.transform_get_rotation(now) * wp.quat_inverse(wp.transform_get_rotation(then))
    qd[i] = wp.spatial_vector(way / dt, rotation_vector(turn) / dt)
