# pyright: basic, reportInvalidTypeForm=false
"""Bodies of SolverXPBD, and how corrections move them."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.enums import JointType
from unibody.newton.launching import inlined
from unibody.newton.solvers.contact_force_kernels import arm_of
from unibody.newton.solvers.integration_kernels import KINEMATIC
from unibody.newton.solvers.joint_force_kernels import axes_rows

wp.set_module_options({"enable_backward": False})

FREE: int = wp.constant(int(JointType.FREE))
DISTANCE: int = wp.constant(int(JointType.DISTANCE))
ROD: int = wp.constant(int(JointType.ROD))
BALL: int = wp.constant(int(JointType.BALL))
AT_REST = 1.0e-4
"""Speed [m/s or rad/s] below which a body that joints have corrected counts as at rest."""


@wp.struct
class Bodies:
    """Bodies as constraints see them."""

    q: wp.array(dtype=wp.transform)
    qd: wp.array(dtype=wp.spatial_vector)
    com: wp.array(dtype=wp.vec3)
    inv_mass: wp.array(dtype=float)
    inv_inertia: wp.array(dtype=wp.mat33)


@inlined
def inverse_mass(bodies: Bodies, body: int, linear: wp.vec3, angular: wp.vec3):
    """How much a body gives way to an impulse along a line and about an axis."""
    if body < 0:
        return 0.0
    local = wp.quat_rotate_inv(wp.transform_get_rotation(bodies.q[body]), angular)
    return bodies.inv_mass[body] * wp.length_sq(linear) + wp.dot(
        local, bodies.inv_inertia[body] * local
    )


@inlined
def apply_pair(
    deltas: wp.array(dtype=wp.spatial_vector),
    parent: int,
    child: int,
    linear: wp.vec3,
    on_parent: wp.vec3,
    on_child: wp.vec3,
):
    """Opposite impulses on two bodies, with a turn of each."""
    if parent >= 0:
        wp.atomic_add(deltas, parent, wp.spatial_vector(-linear, -on_parent))
    if child >= 0:
        wp.atomic_add(deltas, child, wp.spatial_vector(linear, on_child))


@wp.func
def tell(told: wp.array(dtype=wp.spatial_vector), child: int, linear: wp.vec3, turn: wp.vec3):
    """Note the impulse on what a joint holds, where it is asked for."""
    if told:
        wp.atomic_add(told, child, wp.spatial_vector(linear, turn))


@wp.kernel
def apply_to_bodies(
    bodies: Bodies,
    inertia: wp.array(dtype=wp.mat33),
    deltas: wp.array(dtype=wp.spatial_vector),
    weights: wp.array(dtype=float),
    rest: float,
    dt: float,
    q_out: wp.array(dtype=wp.transform),
    qd_out: wp.array(dtype=wp.spatial_vector),
):
    """One thread a body: move and turn it by its impulses, which its contacts may share."""
    i = wp.tid()
    pose = bodies.q[i]
    if bodies.inv_mass[i] == 0.0:
        q_out[i] = pose
        qd_out[i] = bodies.qd[i]
        return
    slow = rest
    if wp.length_sq(deltas[i]) == 0.0:  # no joint holds it
        slow = 0.0
    share = float(1.0)
    if weights:
        if weights[i] > 1.0:
            share = 1.0 / weights[i]
    rot = wp.transform_get_rotation(pose)
    push = wp.spatial_top(deltas[i]) * (bodies.inv_mass[i] * share)
    w = wp.quat_rotate_inv(rot, wp.spatial_bottom(bodies.qd[i]))
    more = bodies.inv_inertia[i] * wp.quat_rotate_inv(rot, wp.spatial_bottom(deltas[i]) * share)
    # What the step of the gyroscopic torque has not known of the change.
    torque = wp.cross(more, inertia[i] * (w + more)) + wp.cross(w, inertia[i] * more)
    turn = wp.quat_rotate(rot, more - bodies.inv_inertia[i] * torque * dt)
    com = wp.transform_point(pose, bodies.com[i]) + push * dt
    after = wp.normalize(rot + wp.quat(turn * dt, 0.0) * rot * 0.5)
    q_out[i] = wp.transform(com - wp.quat_rotate(after, bodies.com[i]), after)
    linear = wp.spatial_top(bodies.qd[i]) + push
    angular = wp.spatial_bottom(bodies.qd[i]) + turn
    # What is left of rounding is rest, as in the original: a body that is held has no velocity.
    if wp.length(linear) < slow:
        linear = wp.vec3()
    if wp.length(angular) < slow:
        angular = wp.vec3()
    qd_out[i] = wp.spatial_vector(linear, angular)


@wp.kernel
def velocities_of_motion(
    before: wp.array(dtype=wp.transform),
    after: wp.array(dtype=wp.transform),
    com: wp.array(dtype=wp.vec3),
    flags: wp.array(dtype=int),
    dt: float,
    qd: wp.array(dtype=wp.spatial_vector),
):
    """Velocities as bodies have moved in the step; kinematic ones have those stated."""
    i = wp.tid()
    if (flags[i] & KINEMATIC) != 0:
        return
    linear = (wp.transform_point(after[i], com[i]) - wp.transform_point(before[i], com[i])) / dt
    turn = wp.transform_get_rotation(after[i]) * wp.quat_inverse(
        wp.transform_get_rotation(before[i])
    )
    spin = wp.vec3(turn[0], turn[1], turn[2]) * (2.0 / dt)
    if turn[3] < 0.0:
        spin = -spin
    qd[i] = wp.spatial_vector(linear, spin)


@wp.kernel
def add_velocities(
    deltas: wp.array(dtype=wp.spatial_vector), qd: wp.array(dtype=wp.spatial_vector)
):
    """One thread a body."""
    i = wp.tid()
    wp.atomic_add(qd, i, deltas[i])


@wp.kernel
def add_joint_controls(
    body_q: wp.array(dtype=wp.transform),
    body_com: wp.array(dtype=wp.vec3),
    joint_type: wp.array(dtype=int),
    joint_parent: wp.array(dtype=int),
    joint_child: wp.array(dtype=int),
    joint_X_p: wp.array(dtype=wp.transform),
    joint_X_c: wp.array(dtype=wp.transform),
    joint_axis: wp.array(dtype=wp.vec3),
    joint_dof_dim: wp.array(dtype=int, ndim=2),
    joint_qd_start: wp.array(dtype=int),
    joint_f: wp.array(dtype=float),
    dt: float,
    told: wp.array(dtype=wp.spatial_vector),
    body_f: wp.array(dtype=wp.spatial_vector),
):
    """One thread a joint: stated forces along its axes, on both bodies."""
    i = wp.tid()
    start = joint_qd_start[i]
    parent = joint_parent[i]
    child = joint_child[i]
    X_wp = joint_X_p[i]
    if parent >= 0:
        X_wp = body_q[parent] * X_wp
    X_wc = body_q[child] * joint_X_c[i]
    arm_p = arm_of(body_q, body_com, parent, wp.transform_get_translation(X_wp))
    arm_c = arm_of(body_q, body_com, child, wp.transform_get_translation(X_wc))
    force = wp.vec3()
    torque = wp.vec3()
    kind = joint_type[i]
    if kind == FREE or kind == DISTANCE or kind == ROD:  # at the centre of mass
        force = wp.vec3(joint_f[start], joint_f[start + 1], joint_f[start + 2])
        torque = wp.vec3(joint_f[start + 3], joint_f[start + 4], joint_f[start + 5])
        torque = torque - wp.cross(arm_c, force)
        arm_p = arm_p + wp.transform_get_translation(X_wc) - wp.transform_get_translation(X_wp)
    else:
        linear = joint_dof_dim[i, 0]
        if joint_type[i] == BALL:
            linear = 0
        angular = joint_qd_start[i + 1] - start - linear
        along = wp.identity(n=3, dtype=float)  # directions of the torques
        if joint_type[i] != BALL and angular > 1:
            frame = wp.transform_get_rotation(X_wp)
            turn = wp.quat_inverse(frame) * wp.transform_get_rotation(X_wc)
            e = start + linear
            rows = axes_rows(
                turn, joint_axis[e], joint_axis[e + 1], joint_axis[e + angular - 1], angular
            )
            along = wp.matrix_from_rows(rows[1], rows[2], rows[3])
        elif angular > 0:
            for k in range(3):
                if k < angular:
                    along[k] = joint_axis[start + linear + k]
        for k in range(3):
            if k < linear:
                push = joint_axis[start + k] * joint_f[start + k]
                force = force + wp.transform_vector(X_wp, push)
            if k < angular:
                torque = torque + wp.transform_vector(X_wp, along[k] * joint_f[start + linear + k])
    if parent >= 0:
        wp.atomic_sub(body_f, parent, wp.spatial_vector(force, torque + wp.cross(arm_p, force)))
    wp.atomic_add(body_f, child, wp.spatial_vector(force, torque + wp.cross(arm_c, force)))
    if joint_type[i] != FREE:  # which holds nothing
        tell(told, child, force * dt, (torque + wp.cross(arm_c, force)) * dt)
