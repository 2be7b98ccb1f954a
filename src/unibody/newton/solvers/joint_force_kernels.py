# pyright: basic, reportInvalidTypeForm=false
"""Forces of joints between bodies: springs in all directions that a joint takes away.

They have gradients: axes are loops of fixed length, as those of Warp's reverse mode must be.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.enums import JointType

PRISMATIC: int = wp.constant(int(JointType.PRISMATIC))
REVOLUTE: int = wp.constant(int(JointType.REVOLUTE))
BALL: int = wp.constant(int(JointType.BALL))
FIXED: int = wp.constant(int(JointType.FIXED))
FREE: int = wp.constant(int(JointType.FREE))
DISTANCE: int = wp.constant(int(JointType.DISTANCE))
D6: int = wp.constant(int(JointType.D6))

ANGULAR_DAMPING: float = wp.constant(0.01)  # share of the attachments' damping that turning has


@wp.struct
class Drives:
    """Targets, gains and limits of degrees of freedom."""

    force: wp.array(dtype=float)
    target_pos: wp.array(dtype=float)
    target_at: wp.array(dtype=int)
    target_vel: wp.array(dtype=float)
    target_ke: wp.array(dtype=float)
    target_kd: wp.array(dtype=float)
    lower: wp.array(dtype=float)
    upper: wp.array(dtype=float)
    limit_ke: wp.array(dtype=float)
    limit_kd: wp.array(dtype=float)
    stiffness: wp.array(dtype=float)
    damping: wp.array(dtype=float)
    rest: wp.array(dtype=float)
    coordinate: wp.array(dtype=int)


@wp.func
def drive_force(drives: Drives, dof: int, q: float, qd: float):
    """Force along an axis: the drive's, or that of a limit that is crossed, and the stated one.

    The joint's own spring and damping act beside them.
    """
    target = drives.target_pos[drives.target_at[dof]]
    force = drives.target_ke[dof] * (target - q) + drives.target_kd[dof] * (
        drives.target_vel[dof] - qd
    )
    if q < drives.lower[dof]:
        force = drives.limit_ke[dof] * (drives.lower[dof] - q) - drives.limit_kd[dof] * qd
    elif q > drives.upper[dof]:
        force = drives.limit_ke[dof] * (drives.upper[dof] - q) - drives.limit_kd[dof] * qd
    spring = drives.stiffness[dof] * (drives.rest[drives.coordinate[dof]] - q)
    return force + spring - drives.damping[dof] * qd + drives.force[dof]


@wp.func
def beside(axis: wp.vec3):
    """A direction at a right angle to an axis."""
    other = wp.vec3(1.0, 0.0, 0.0)
    if wp.abs(axis[0]) > 0.7:
        other = wp.vec3(0.0, 1.0, 0.0)
    return wp.normalize(wp.cross(axis, other))


@wp.func
def rotation_vector(rotation: wp.quat):
    """The rotation vector of a quaternion, the short way [rad]."""
    v = wp.vec3(rotation[0], rotation[1], rotation[2])
    w = rotation[3]
    if w < 0.0:
        v = -v
        w = -w
    square = wp.dot(v, v)
    if square < 1.0e-10:
        return v * (2.0 / w)
    length = wp.sqrt(square)
    return v * (2.0 * wp.atan2(length, w) / length)


@wp.func
def twist_angle(rotation: wp.quat, axis: wp.vec3):
    """The angle of a rotation's part about an axis, from -pi to pi [rad]."""
    s = wp.dot(wp.vec3(rotation[0], rotation[1], rotation[2]), axis)
    c = rotation[3]
    if c < 0.0:
        s = -s
        c = -c
    return 2.0 * wp.atan2(s, c)


@wp.func
def axes_rows(rotation: wp.quat, e0: wp.vec3, e1: wp.vec3, last: wp.vec3, count: int):
    """Angles about two or three axes at right angles, and what each grows with, as rows.

    An axis turns with those before it. Turning at a rate w lets an angle grow by w along its row,
    and forces of the angles are a torque that is their sum along the rows: each row is the dual of
    its axis. Two axes are those of R = R0(a) R2(c) R1(b), where c is the error about the third.

    Args:
        rotation: Of the joint.
        e0: The first axis.
        e1: The second.
        last: The third; not read where there are two.
        count: Two or three.
    """
    e2 = wp.cross(e0, e1)
    r0 = wp.quat_rotate(rotation, e0)
    r1 = wp.quat_rotate(rotation, e1)
    r2 = wp.quat_rotate(rotation, e2)
    a = float(0.0)
    b = float(0.0)
    c = float(0.0)
    a1 = wp.vec3()
    a2 = wp.vec3()
    if count == 2:
        a = wp.atan2(wp.dot(e2, r1), wp.dot(e1, r1))
        b = wp.atan2(wp.dot(e0, r2), wp.dot(e0, r0))
        c = -wp.asin(wp.clamp(wp.dot(e0, r1), -1.0, 1.0))
        turn = wp.quat_from_axis_angle(e0, a)
        a2 = wp.quat_rotate(turn, e2)
        a1 = wp.quat_rotate(turn * wp.quat_from_axis_angle(e2, c), e1)
    else:
        a = wp.atan2(-wp.dot(e1, r2), wp.dot(e2, r2))
        b = wp.asin(wp.clamp(wp.dot(e0, r2), -1.0, 1.0))
        c = wp.atan2(-wp.dot(e0, r1), wp.dot(e0, r0))
        turn = wp.quat_from_axis_angle(e0, a)
        a1 = wp.quat_rotate(turn, e1)
        a2 = wp.quat_rotate(turn * wp.quat_from_axis_angle(e1, b), e2)
        if wp.dot(e2, last) < 0.0:
            a2 = -a2
            c = -c
    volume = wp.dot(e0, wp.cross(a1, a2))
    if wp.abs(volume) < 1.0e-3:
        volume = wp.where(volume < 0.0, -1.0e-3, 1.0e-3)
    return wp.matrix_from_rows(
        wp.vec3(a, b, c),
        wp.cross(a1, a2) / volume,
        wp.cross(a2, e0) / volume,
        wp.cross(e0, a1) / volume,
    )


@wp.func
def linear_force(
    drives: Drives,
    axes: wp.array(dtype=wp.vec3),
    start: int,
    count: int,
    frame: wp.quat,
    apart: wp.vec3,
    velocity: wp.vec3,
    ke: float,
    kd: float,
):
    """Force on the parent: drives along the axes, springs across them."""
    force = wp.vec3()
    free_apart = wp.vec3()
    free_velocity = wp.vec3()
    for k in range(3):
        if k < count:
            axis = wp.quat_rotate(frame, axes[start + k])
            q = wp.dot(apart, axis)
            qd = wp.dot(velocity, axis)
            force = force - axis * drive_force(drives, start + k, q, qd)
            free_apart = free_apart + axis * q
            free_velocity = free_velocity + axis * qd
    return force + (apart - free_apart) * ke + (velocity - free_velocity) * kd


@wp.func
def hinge_torque(
    drives: Drives,
    axis: wp.vec3,
    dof: int,
    frame: wp.quat,
    rotation: wp.quat,
    spin: wp.vec3,
    ke: float,
    kd: float,
):
    """Torque on the parent of one angular axis."""
    mine = wp.quat_rotate(frame, axis)
    other = wp.quat_rotate(frame * rotation, axis)
    q = twist_angle(rotation, axis)
    qd = wp.dot(spin, mine)
    torque = -mine * drive_force(drives, dof, q, qd)
    return torque + wp.cross(mine, other) * ke + (spin - mine * qd) * (kd * ANGULAR_DAMPING)


@wp.func
def axes_torque(
    drives: Drives,
    axes: wp.array(dtype=wp.vec3),
    start: int,
    count: int,
    frame: wp.quat,
    rotation: wp.quat,
    spin: wp.vec3,
    ke: float,
    kd: float,
):
    """Torque on the parent of two or three angular axes; what they leave free has a spring."""
    last = axes[start + 1]
    if count == 3:
        last = axes[start + 2]
    rows = axes_rows(rotation, axes[start], axes[start + 1], last, count)
    torque = wp.vec3()
    for k in range(3):
        along = wp.quat_rotate(frame, rows[k + 1])
        rate = wp.dot(along, spin)
        if k < count:
            torque = torque - along * drive_force(drives, start + k, rows[0][k], rate)
        else:
            torque = torque + along * (rows[0][k] * ke + rate * kd * ANGULAR_DAMPING)
    return torque


@wp.func
def joint_torque(
    drives: Drives,
    axes: wp.array(dtype=wp.vec3),
    kind: int,
    dof: int,
    count: int,
    frame: wp.quat,
    rotation: wp.quat,
    spin: wp.vec3,
    ke: float,
    kd: float,
):
    """Torque on the parent of a joint's angular axes, and of what they take away."""
    if kind == BALL:  # whose axes are those of the parent's anchor
        f = drives.force
        c = drives.damping
        w = wp.quat_rotate_inv(frame, spin)
        damped = wp.vec3(c[dof] * w[0], c[dof + 1] * w[1], c[dof + 2] * w[2])
        return wp.quat_rotate(frame, damped - wp.vec3(f[dof], f[dof + 1], f[dof + 2]))
    if count == 0:
        vector = wp.quat_rotate(frame, rotation_vector(rotation))
        return vector * ke + spin * (kd * ANGULAR_DAMPING)
    if count == 1:
        return hinge_torque(drives, axes[dof], dof, frame, rotation, spin, ke, kd)
    return axes_torque(drives, axes, dof, count, frame, rotation, spin, ke, kd)


@wp.func
def distance_force(
    drives: Drives, dof: int, apart: wp.vec3, velocity: wp.vec3, ke: float, kd: float
):
    """Force on the parent of a distance that is too small or too large; below zero is none."""
    length = wp.length(apart)
    beyond = float(0.0)
    if drives.lower[dof] >= 0.0 and length < drives.lower[dof]:
        beyond = length - drives.lower[dof]
    if drives.upper[dof] >= 0.0 and length > drives.upper[dof]:
        beyond = length - drives.upper[dof]
    if beyond == 0.0 or length < 1.0e-9:
        return wp.vec3()
    axis = apart / length
    return axis * (beyond * ke + wp.dot(velocity, axis) * kd)


@wp.kernel
def joint_forces(
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    body_com: wp.array(dtype=wp.vec3),
    joint_type: wp.array(dtype=int),
    joint_enabled: wp.array(dtype=bool),
    joint_parent: wp.array(dtype=int),
    joint_child: wp.array(dtype=int),
    joint_X_p: wp.array(dtype=wp.transform),
    joint_X_c: wp.array(dtype=wp.transform),
    joint_axis: wp.array(dtype=wp.vec3),
    joint_dof_dim: wp.array(dtype=int, ndim=2),
    joint_qd_start: wp.array(dtype=int),
    drives: Drives,
    ke: float,
    kd: float,
    body_f: wp.array(dtype=wp.spatial_vector),
):
    """One thread a joint."""
    i = wp.tid()
    if not joint_enabled[i]:
        return
    kind = joint_type[i]
    start = joint_qd_start[i]
    parent = joint_parent[i]
    child = joint_child[i]
    X_wp = joint_X_p[i]
    arm_p = wp.vec3()
    v_p = wp.vec3()
    w_p = wp.vec3()
    if parent >= 0:
        X_wp = body_q[parent] * X_wp
        arm_p = wp.transform_get_translation(X_wp) - wp.transform_point(
            body_q[parent], body_com[parent]
        )
        w_p = wp.spatial_bottom(body_qd[parent])
        v_p = wp.spatial_top(body_qd[parent]) + wp.cross(w_p, arm_p)
    X_wc = body_q[child] * joint_X_c[i]
    arm_c = wp.transform_get_translation(X_wc) - wp.transform_point(body_q[child], body_com[child])
    spin = wp.spatial_bottom(body_qd[child]) - w_p
    velocity = (
        wp.spatial_top(body_qd[child]) + wp.cross(wp.spatial_bottom(body_qd[child]), arm_c) - v_p
    )
    apart = wp.transform_get_translation(X_wc) - wp.transform_get_translation(X_wp)
    frame = wp.transform_get_rotation(X_wp)
    rotation = wp.quat_inverse(frame) * wp.transform_get_rotation(X_wc)
    force = wp.vec3()
    torque = wp.vec3()
    if kind == FREE or kind == DISTANCE:
        f = drives.force
        force = -wp.vec3(f[start], f[start + 1], f[start + 2])
        torque = -wp.vec3(f[start + 3], f[start + 4], f[start + 5])
        wp.atomic_sub(body_f, child, wp.spatial_vector(force, torque))
        if parent >= 0:
            wp.atomic_add(
                body_f,
                parent,
                wp.spatial_vector(force, torque + wp.cross(arm_p + apart - arm_c, force)),
            )
        if kind == FREE:
            return
        force = distance_force(drives, start, apart, velocity, ke, kd)
        torque = wp.vec3()
    else:
        linear = joint_dof_dim[i, 0]
        angular = joint_dof_dim[i, 1]
        if kind == BALL:
            linear = 0
        force = linear_force(drives, joint_axis, start, linear, frame, apart, velocity, ke, kd)
        torque = joint_torque(
            drives, joint_axis, kind, start + linear, angular, frame, rotation, spin, ke, kd
        )
    if parent >= 0:
        wp.atomic_add(body_f, parent, wp.spatial_vector(force, torque + wp.cross(arm_p, force)))
    wp.atomic_sub(body_f, child, wp.spatial_vector(force, torque + wp.cross(arm_c, force)))
