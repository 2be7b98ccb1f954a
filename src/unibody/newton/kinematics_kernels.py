# pyright: basic, reportInvalidTypeForm=false
"""Warp kernels of forward and inverse kinematics.

A joint turns the frame of its parent anchor (``X_wpj``) into that of its child anchor (``X_wcj``).
Two or three angular axes turn one after the other, each about where those before have turned it.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.enums import JointType

PRISMATIC: int = wp.constant(int(JointType.PRISMATIC))
REVOLUTE: int = wp.constant(int(JointType.REVOLUTE))
BALL: int = wp.constant(int(JointType.BALL))
FREE: int = wp.constant(int(JointType.FREE))
DISTANCE: int = wp.constant(int(JointType.DISTANCE))
D6: int = wp.constant(int(JointType.D6))
ROD: int = wp.constant(int(JointType.ROD))


@wp.func
def parent_velocity(
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    body_com: wp.array(dtype=wp.vec3),
    parent: int,
    place: wp.vec3,
):
    """Velocity of the point of a parent that is at a place, and its angular velocity."""
    linear = wp.vec3()
    angular = wp.vec3()
    if parent >= 0:
        twist = body_qd[parent]
        arm = place - wp.transform_point(body_q[parent], body_com[parent])
        angular = wp.spatial_bottom(twist)
        linear = wp.spatial_top(twist) + wp.cross(angular, arm)
    return wp.spatial_vector(linear, angular)


@wp.func
def turned(
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    joint_axis: wp.array(dtype=wp.vec3),
    q: int,
    qd: int,
    count: int,
):
    """The rotation of angular axes one after the other, as a quaternion."""
    rotation = wp.quat_identity()
    for i in range(3):  # of fixed length: gradients go through it
        if i < count:
            rotation = rotation * wp.quat_from_axis_angle(joint_axis[qd + i], joint_q[q + i])
    return rotation


@wp.func
def turning(
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    joint_axis: wp.array(dtype=wp.vec3),
    q: int,
    qd: int,
    count: int,
):
    """The angular velocity of angular axes one after the other."""
    rotation = wp.quat_identity()
    velocity = wp.vec3()
    for i in range(3):  # of fixed length: gradients go through it
        if i < count:
            velocity = velocity + wp.quat_rotate(rotation, joint_axis[qd + i]) * joint_qd[qd + i]
            rotation = rotation * wp.quat_from_axis_angle(joint_axis[qd + i], joint_q[q + i])
    return velocity


@wp.func
def angle_about(rotation: wp.quat, axis: wp.vec3):
    """The angle of a rotation's part about an axis, from -2 pi to 2 pi [rad].

    A quaternion and its negative tell turns apart: beyond pi the angle is that which made it.
    """
    along = wp.dot(wp.vec3(rotation[0], rotation[1], rotation[2]), axis)
    return 2.0 * wp.atan2(along, rotation[3])


@wp.func
def invert_axes(
    rot: wp.quat,
    angular: wp.vec3,
    joint_axis: wp.array(dtype=wp.vec3),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    q: int,
    qd: int,
    count: int,
):
    """Angles and speeds about two or three axes at right angles.

    Turns about axes that turn along, first to last, are turns about fixed axes, last to first: in
    the frame of the axes R = Rx(a) Ry(b) Rz(c). So b = asin(R02), a = atan2(-R12, R22),
    c = atan2(-R01, R00). Where there are two axes, c = 0, a = atan2(R21, R11) and
    b = atan2(R02, R00), all around.
    """
    e0 = joint_axis[qd]
    e1 = joint_axis[qd + 1]
    e2 = wp.cross(e0, e1)
    side = float(1.0)
    if count == 3:
        side = wp.sign(wp.dot(e2, joint_axis[qd + 2]))
    r0 = wp.quat_rotate(rot, e0)
    r1 = wp.quat_rotate(rot, e1)
    r2 = wp.quat_rotate(rot, e2)
    b = wp.asin(wp.clamp(wp.dot(e0, r2), -1.0, 1.0))
    a = wp.atan2(-wp.dot(e1, r2), wp.dot(e2, r2))
    c = wp.atan2(-wp.dot(e0, r1), wp.dot(e0, r0))
    if count == 2:
        a = wp.atan2(wp.dot(e2, r1), wp.dot(e1, r1))
        b = wp.atan2(wp.dot(e0, r2), wp.dot(e0, r0))
    w0 = wp.dot(angular, e0)
    w1 = wp.dot(angular, e1)
    w2 = wp.dot(angular, e2)
    # The second axis is R0(a) e1, the third R0(a) R1(b) e2.
    along1 = wp.cos(a) * w1 + wp.sin(a) * w2
    along2 = wp.cos(a) * w2 - wp.sin(a) * w1
    if count == 2:
        joint_q[q] = a
        joint_q[q + 1] = b
        joint_qd[qd] = w0
        joint_qd[qd + 1] = along1
        return
    cosine = wp.cos(b)
    if wp.abs(cosine) < 1.0e-6:
        cosine = 1.0e-6
    rate2 = along2 / cosine
    joint_q[q] = a
    joint_q[q + 1] = b
    joint_qd[qd] = w0 - wp.sin(b) * rate2
    joint_q[q + 2] = side * c
    joint_qd[qd + 1] = along1
    joint_qd[qd + 2] = side * rate2


@wp.kernel
def forward(
    articulation_start: wp.array(dtype=int),
    articulation_count: int,
    mask: wp.array(dtype=bool),
    indices: wp.array(dtype=int),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    joint_q_start: wp.array(dtype=int),
    joint_qd_start: wp.array(dtype=int),
    joint_type: wp.array(dtype=int),
    joint_parent: wp.array(dtype=int),
    joint_child: wp.array(dtype=int),
    joint_X_p: wp.array(dtype=wp.transform),
    joint_X_c: wp.array(dtype=wp.transform),
    joint_axis: wp.array(dtype=wp.vec3),
    joint_dof_dim: wp.array(dtype=int, ndim=2),
    joint_articulation: wp.array(dtype=int),
    body_com: wp.array(dtype=wp.vec3),
    body_flags: wp.array(dtype=int),
    chosen: int,
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
):
    """One thread an articulation: its joints in their order, parents first."""
    number = wp.tid()
    if indices:
        number = indices[number]
    if number < 0 or number >= articulation_count:
        return
    if mask:
        if not mask[number]:
            return
    for i in range(articulation_start[number], articulation_start[number + 1]):
        if joint_articulation[i] < 0:  # closes a loop
            continue
        if (body_flags[joint_child[i]] & chosen) == 0:
            continue
        parent = joint_parent[i]
        X_wpj = joint_X_p[i]
        if parent >= 0:
            X_wpj = body_q[parent] * X_wpj
        q = joint_q_start[i]
        qd = joint_qd_start[i]
        kind = joint_type[i]
        linear_axes = joint_dof_dim[i, 0]
        angular_axes = joint_dof_dim[i, 1]
        pos = wp.vec3()
        rot = wp.quat_identity()
        linear = wp.vec3()
        angular = wp.vec3()
        if kind == FREE or kind == DISTANCE or kind == ROD:
            pos = wp.vec3(joint_q[q], joint_q[q + 1], joint_q[q + 2])
            rot = wp.quat(joint_q[q + 3], joint_q[q + 4], joint_q[q + 5], joint_q[q + 6])
            linear = wp.vec3(joint_qd[qd], joint_qd[qd + 1], joint_qd[qd + 2])
            angular = wp.vec3(joint_qd[qd + 3], joint_qd[qd + 4], joint_qd[qd + 5])
        elif kind == BALL:
            rot = wp.quat(joint_q[q], joint_q[q + 1], joint_q[q + 2], joint_q[q + 3])
            angular = wp.vec3(joint_qd[qd], joint_qd[qd + 1], joint_qd[qd + 2])
        elif kind == PRISMATIC or kind == REVOLUTE or kind == D6:
            for k in range(3):  # of fixed length: gradients go through it
                if k < linear_axes:
                    pos = pos + joint_axis[qd + k] * joint_q[q + k]
                    linear = linear + joint_axis[qd + k] * joint_qd[qd + k]
            qa = q + linear_axes
            qda = qd + linear_axes
            rot = turned(joint_q, joint_qd, joint_axis, qa, qda, angular_axes)
            angular = turning(joint_q, joint_qd, joint_axis, qa, qda, angular_axes)
        X_wcj = X_wpj * wp.transform(pos, rot)
        X_wc = X_wcj * wp.transform_inverse(joint_X_c[i])
        child = joint_child[i]
        com = wp.transform_point(X_wc, body_com[child])
        base = parent_velocity(body_q, body_qd, body_com, parent, com)
        linear = wp.transform_vector(X_wpj, linear)
        angular = wp.transform_vector(X_wpj, angular)
        if kind != FREE and kind != DISTANCE:  # whose linear velocity is that of the centre of mass
            linear = linear + wp.cross(angular, com - wp.transform_get_translation(X_wcj))
        body_q[child] = X_wc
        body_qd[child] = base + wp.spatial_vector(linear, angular)


@wp.kernel
def inverse(
    articulation_start: wp.array(dtype=int),
    articulation_count: int,
    mask: wp.array(dtype=bool),
    indices: wp.array(dtype=int),
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    body_com: wp.array(dtype=wp.vec3),
    joint_type: wp.array(dtype=int),
    joint_parent: wp.array(dtype=int),
    joint_child: wp.array(dtype=int),
    joint_X_p: wp.array(dtype=wp.transform),
    joint_X_c: wp.array(dtype=wp.transform),
    joint_axis: wp.array(dtype=wp.vec3),
    joint_dof_dim: wp.array(dtype=int, ndim=2),
    joint_q_start: wp.array(dtype=int),
    joint_qd_start: wp.array(dtype=int),
    body_flags: wp.array(dtype=int),
    body_flag_filter: int,
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
):
    """One thread a joint; those whose child has none of the flags stay as they are."""
    number, offset = wp.tid()
    if indices:
        number = indices[number]
    if number < 0 or number >= articulation_count:
        return
    if mask:
        if not mask[number]:
            return
    i = articulation_start[number] + offset
    if i >= articulation_start[number + 1]:
        return
    parent = joint_parent[i]
    X_wpj = joint_X_p[i]
    if parent >= 0:
        X_wpj = body_q[parent] * X_wpj
    child = joint_child[i]
    if (body_flags[child] & body_flag_filter) == 0:
        return
    X_wcj = body_q[child] * joint_X_c[i]
    X_j = wp.transform_inverse(X_wpj) * X_wcj
    com = wp.transform_point(body_q[child], body_com[child])
    own = body_qd[child] - parent_velocity(body_q, body_qd, body_com, parent, com)
    frame = wp.transform_get_rotation(X_wpj)
    kind = joint_type[i]
    sweep = wp.vec3()
    if kind != FREE and kind != DISTANCE:  # whose linear velocity is that of the centre of mass
        sweep = wp.cross(wp.spatial_bottom(own), com - wp.transform_get_translation(X_wcj))
    pos = wp.transform_get_translation(X_j)
    rot = wp.transform_get_rotation(X_j)
    linear = wp.quat_rotate_inv(frame, wp.spatial_top(own) - sweep)
    angular = wp.quat_rotate_inv(frame, wp.spatial_bottom(own))
    q = joint_q_start[i]
    qd = joint_qd_start[i]
    if kind == FREE or kind == DISTANCE or kind == ROD:
        for k in range(3):
            joint_q[q + k] = pos[k]
            joint_qd[qd + k] = linear[k]
            joint_qd[qd + 3 + k] = angular[k]
        for k in range(4):
            joint_q[q + 3 + k] = rot[k]
    elif kind == BALL:
        for k in range(4):
            joint_q[q + k] = rot[k]
        for k in range(3):
            joint_qd[qd + k] = angular[k]
    elif kind == PRISMATIC or kind == REVOLUTE or kind == D6:
        linear_axes = joint_dof_dim[i, 0]
        angular_axes = joint_dof_dim[i, 1]
        for k in range(linear_axes):
            joint_q[q + k] = wp.dot(pos, joint_axis[qd + k])
            joint_qd[qd + k] = wp.dot(linear, joint_axis[qd + k])
        qa = q + linear_axes
        qda = qd + linear_axes
        if angular_axes == 1:
            joint_q[qa] = angle_about(rot, joint_axis[qda])
            joint_qd[qda] = wp.dot(angular, joint_axis[qda])
        if angular_axes > 1:
            invert_axes(rot, angular, joint_axis, joint_q, joint_qd, qa, qda, angular_axes)
