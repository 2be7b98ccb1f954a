# pyright: basic, reportInvalidTypeForm=false
"""Forces of springs between the coordinates of joints that follow others; they have gradients."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.solvers.contact_force_kernels import arm_of, velocity_of
from unibody.newton.solvers.joint_force_kernels import (
    D6,
    PRISMATIC,
    REVOLUTE,
    axes_rows,
    twist_angle,
)


@wp.struct
class Joints:
    """Joints by their bodies, anchors and axes."""

    parent: wp.array(dtype=int)
    child: wp.array(dtype=int)
    X_p: wp.array(dtype=wp.transform)
    X_c: wp.array(dtype=wp.transform)
    axis: wp.array(dtype=wp.vec3)
    dims: wp.array(dtype=int, ndim=2)
    start: wp.array(dtype=int)


@wp.func
def spin_of(body_qd: wp.array(dtype=wp.spatial_vector), body: int):
    """Angular velocity of a body."""
    if body < 0:
        return wp.vec3()
    return wp.spatial_bottom(body_qd[body])


@wp.func
def place_of(joints: Joints, body_q: wp.array(dtype=wp.transform), j: int):
    """The child's anchor in the world."""
    return wp.transform_get_translation(body_q[joints.child[j]] * joints.X_c[j])


@wp.func
def coordinate_of(joints: Joints, body_q: wp.array(dtype=wp.transform), j: int, k: int):
    """A coordinate, the direction that it slides along, and the row that its angle grows along."""
    X_wp = joints.X_p[j]
    if joints.parent[j] >= 0:
        X_wp = body_q[joints.parent[j]] * X_wp
    X_wc = body_q[joints.child[j]] * joints.X_c[j]
    frame = wp.transform_get_rotation(X_wp)
    linear = joints.dims[j, 0]
    count = joints.dims[j, 1]
    first = joints.start[j] + linear
    value = float(0.0)
    along = wp.vec3()
    about = wp.vec3()
    if k < linear:
        along = wp.quat_rotate(frame, joints.axis[joints.start[j] + k])
        apart = wp.transform_get_translation(X_wc) - wp.transform_get_translation(X_wp)
        value = wp.dot(along, apart)
    else:
        rotation = wp.quat_inverse(frame) * wp.transform_get_rotation(X_wc)
        if count == 1:
            value = twist_angle(rotation, joints.axis[first])
            about = wp.quat_rotate(frame, joints.axis[first])
        else:
            last = joints.axis[first + count - 1]
            rows = axes_rows(rotation, joints.axis[first], joints.axis[first + 1], last, count)
            value = rows[0][k - linear]
            about = wp.quat_rotate(frame, rows[k - linear + 1])
    return value, along, about


@wp.func
def rate_of(
    joints: Joints,
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    body_com: wp.array(dtype=wp.vec3),
    j: int,
    along: wp.vec3,
    about: wp.vec3,
):
    """How fast a coordinate grows."""
    parent = joints.parent[j]
    child = joints.child[j]
    place = place_of(joints, body_q, j)
    velocity = velocity_of(body_qd, child, arm_of(body_q, body_com, child, place)) - velocity_of(
        body_qd, parent, arm_of(body_q, body_com, parent, place)
    )
    return wp.dot(along, velocity) + wp.dot(
        about, spin_of(body_qd, child) - spin_of(body_qd, parent)
    )


@wp.func
def push(
    joints: Joints,
    body_q: wp.array(dtype=wp.transform),
    body_com: wp.array(dtype=wp.vec3),
    j: int,
    force: wp.vec3,
    torque: wp.vec3,
    body_f: wp.array(dtype=wp.spatial_vector),
):
    """A force at the child's anchor and a torque on the child; the parent gets the opposites."""
    parent = joints.parent[j]
    child = joints.child[j]
    place = place_of(joints, body_q, j)
    arm = arm_of(body_q, body_com, child, place)
    wp.atomic_add(body_f, child, wp.spatial_vector(force, torque + wp.cross(arm, force)))
    if parent >= 0:
        arm = arm_of(body_q, body_com, parent, place)
        wp.atomic_sub(body_f, parent, wp.spatial_vector(force, torque + wp.cross(arm, force)))


@wp.func
def follows(kind: int):
    """Whether a kind of joint has coordinates that can follow and lead."""
    return kind == PRISMATIC or kind == REVOLUTE or kind == D6


@wp.kernel
def mimic_forces(
    joints: Joints,
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    body_com: wp.array(dtype=wp.vec3),
    joint_type: wp.array(dtype=int),
    joint_enabled: wp.array(dtype=bool),
    mimic_joint: wp.array(dtype=int),
    mimic_coeffs: wp.array(dtype=wp.vec2),
    ke: float,
    kd: float,
    body_f: wp.array(dtype=wp.spatial_vector),
):
    """One thread a joint."""
    j = wp.tid()
    leader = mimic_joint[j]
    if leader < 0:
        return
    if not joint_enabled[j] or not joint_enabled[leader]:
        return
    if not follows(joint_type[j]) or not follows(joint_type[leader]):
        return
    factor = mimic_coeffs[j][1]
    for k in range(6):  # of fixed length: gradients go through it
        if k < joints.dims[j, 0] + joints.dims[j, 1]:
            own, along, about = coordinate_of(joints, body_q, j, k)
            other, other_along, other_about = coordinate_of(joints, body_q, leader, k)
            error = own - mimic_coeffs[j][0] - factor * other
            if k >= joints.dims[j, 0] and k >= joints.dims[leader, 0]:
                error = wp.atan2(wp.sin(error), wp.cos(error))  # angles are told up to a turn
            rate = rate_of(joints, body_q, body_qd, body_com, j, along, about)
            other_rate = rate_of(
                joints, body_q, body_qd, body_com, leader, other_along, other_about
            )
            f = -ke * error - kd * (rate - factor * other_rate)
            push(joints, body_q, body_com, j, along * f, about * f, body_f)
            f = -factor * f
            push(joints, body_q, body_com, leader, other_along * f, other_about * f, body_f)
