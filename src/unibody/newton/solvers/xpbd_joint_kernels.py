# pyright: basic, reportInvalidTypeForm=false
"""Corrections of bodies by joints (Mueller et al. 2020, Detailed rigid body simulation).

Corrections are impulses: what they move in a time step is what a constraint asks for. They are
added up over all constraints of a body, and applied together.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.enums import JointType
from unibody.newton.solvers.contact_force_kernels import arm_of, velocity_of
from unibody.newton.solvers.joint_force_kernels import (
    axes_rows,
    beside,
    rotation_vector,
    twist_angle,
)
from unibody.newton.solvers.xpbd_motion_kernels import Bodies, apply_pair, inverse_mass, tell

wp.set_module_options({"enable_backward": False})

FREE: int = wp.constant(int(JointType.FREE))
DISTANCE: int = wp.constant(int(JointType.DISTANCE))
BALL: int = wp.constant(int(JointType.BALL))
NONE: int = wp.constant(-1)


@wp.struct
class Axes:
    """Degrees of freedom: limits, targets and gains."""

    axis: wp.array(dtype=wp.vec3)
    lower: wp.array(dtype=float)
    upper: wp.array(dtype=float)
    target_pos: wp.array(dtype=float)
    target_at: wp.array(dtype=int)
    target_vel: wp.array(dtype=float)
    ke: wp.array(dtype=float)
    kd: wp.array(dtype=float)
    told: wp.array(
        dtype=wp.spatial_vector
    )  # impulses on what joints hold, where they are asked for


@wp.func
def impulse(error: float, rate: float, give: float, compliance: float, damping: float, dt: float):
    """The impulse that takes an error away in a time step, for a spring of a compliance."""
    gamma = compliance * damping
    below = (dt + gamma) * give + compliance / dt
    if below <= 0.0:
        return 0.0
    return -(error + gamma * rate) / below


@wp.func
def axis_impulse(
    axes: Axes, dof: int, q: float, qd: float, give: float, compliance: float, dt: float
):
    """The impulse along an axis: of a limit, a drive, or (dof -1) of what is taken away."""
    if dof < 0:
        return impulse(q, 0.0, give, compliance, 0.0, dt)
    lower = axes.lower[dof]
    upper = axes.upper[dof]
    ke = axes.ke[dof]
    kd = axes.kd[dof]
    rate = qd - axes.target_vel[dof]
    if q < lower:
        return impulse(q - lower, rate, give, compliance, 0.0, dt)
    if q > upper:
        return impulse(q - upper, rate, give, compliance, 0.0, dt)
    if ke > 0.0:
        target = wp.clamp(axes.target_pos[axes.target_at[dof]], lower, upper)
        return impulse(q - target, rate, give, 1.0 / ke, kd, dt)
    if kd > 0.0:
        return impulse(0.0, rate, give, 1.0 / kd, kd, dt)
    return 0.0


@wp.func
def linear_axis(axes: Axes, start: int, count: int, k: int):
    """One of three directions, of which the first are the axes of a joint."""
    if k < count:
        return axes.axis[start + k]
    if count == 0:
        if k == 0:
            return wp.vec3(1.0, 0.0, 0.0)
        if k == 1:
            return wp.vec3(0.0, 1.0, 0.0)
        return wp.vec3(0.0, 0.0, 1.0)
    if count == 2:
        return wp.cross(axes.axis[start], axes.axis[start + 1])
    side = beside(axes.axis[start])
    if k == 1:
        return side
    return wp.cross(axes.axis[start], side)


@wp.func
def solve_linear(
    bodies: Bodies,
    axes: Axes,
    parent: int,
    child: int,
    X_wp: wp.transform,
    place: wp.vec3,
    start: int,
    count: int,
    compliance: float,
    linear_relaxation: float,
    angular_relaxation: float,
    dt: float,
    deltas: wp.array(dtype=wp.spatial_vector),
):
    """The three directions of a joint."""
    apart = place - wp.transform_get_translation(X_wp)
    held = wp.transform_get_translation(X_wp)  # of the parent, as far along as the joint slides
    for k in range(3):
        if k < count:
            axis = wp.transform_vector(X_wp, linear_axis(axes, start, count, k))
            held = held + axis * wp.dot(apart, axis)
    arm_p = arm_of(bodies.q, bodies.com, parent, held)
    arm_c = arm_of(bodies.q, bodies.com, child, place)
    velocity = velocity_of(bodies.qd, child, arm_c) - velocity_of(bodies.qd, parent, arm_p)
    total = wp.vec3()
    for k in range(3):
        n = wp.transform_vector(X_wp, linear_axis(axes, start, count, k))
        dof = NONE
        if k < count:
            dof = start + k
        give = inverse_mass(bodies, parent, n, wp.cross(arm_p, n)) + inverse_mass(
            bodies, child, n, wp.cross(arm_c, n)
        )
        size = axis_impulse(axes, dof, wp.dot(apart, n), wp.dot(velocity, n), give, compliance, dt)
        total = total + n * size
    apply_pair(
        deltas,
        parent,
        child,
        total * linear_relaxation,
        wp.cross(arm_p, total) * angular_relaxation,
        wp.cross(arm_c, total) * angular_relaxation,
    )
    tell(axes.told, child, total * linear_relaxation, wp.cross(arm_c, total) * angular_relaxation)


@wp.func
def solve_distance(
    bodies: Bodies,
    axes: Axes,
    parent: int,
    child: int,
    X_wp: wp.transform,
    place: wp.vec3,
    start: int,
    compliance: float,
    linear_relaxation: float,
    angular_relaxation: float,
    dt: float,
    deltas: wp.array(dtype=wp.spatial_vector),
):
    """A distance of two anchors; below zero is no limit."""
    anchor = wp.transform_get_translation(X_wp)
    apart = place - anchor
    length = wp.length(apart)
    error = float(0.0)
    if axes.lower[start] >= 0.0 and length < axes.lower[start]:
        error = length - axes.lower[start]
    elif axes.upper[start] >= 0.0 and length > axes.upper[start]:
        error = length - axes.upper[start]
    if error == 0.0:
        return
    n = wp.transform_vector(X_wp, wp.vec3(1.0, 0.0, 0.0))
    if length > 1.0e-9:
        n = apart / length
    arm_p = arm_of(bodies.q, bodies.com, parent, anchor)
    arm_c = arm_of(bodies.q, bodies.com, child, place)
    give = inverse_mass(bodies, parent, n, wp.cross(arm_p, n)) + inverse_mass(
        bodies, child, n, wp.cross(arm_c, n)
    )
    if axes.ke[start] > 0.0:
        compliance = 1.0 / axes.ke[start]
    rate = wp.dot(velocity_of(bodies.qd, child, arm_c) - velocity_of(bodies.qd, parent, arm_p), n)
    total = n * impulse(error, rate, give, compliance, axes.kd[start], dt)
    apply_pair(
        deltas,
        parent,
        child,
        total * linear_relaxation,
        wp.cross(arm_p, total) * angular_relaxation,
        wp.cross(arm_c, total) * angular_relaxation,
    )
    tell(axes.told, child, total * linear_relaxation, wp.cross(arm_c, total) * angular_relaxation)


@wp.func
def turn_rows(axes: Axes, start: int, count: int, frame: wp.quat, rotation: wp.quat):
    """Angles of a joint, and the axes that they grow about, as rows: angles, then three axes."""
    if count == 0:
        vector = rotation_vector(rotation)
        x = wp.quat_rotate(frame, wp.vec3(1.0, 0.0, 0.0))
        y = wp.quat_rotate(frame, wp.vec3(0.0, 1.0, 0.0))
        return wp.matrix_from_rows(vector, x, y, wp.cross(x, y))
    e0 = axes.axis[start]
    if count == 1:
        a = wp.quat_rotate(frame, e0)
        u = wp.quat_rotate(frame, beside(e0))
        v = wp.cross(a, u)
        leaning = wp.cross(a, wp.quat_rotate(frame * rotation, e0))
        errors = wp.vec3(twist_angle(rotation, e0), wp.dot(u, leaning), wp.dot(v, leaning))
        return wp.matrix_from_rows(errors, a, u, v)
    last = e0
    if count == 3:
        last = axes.axis[start + 2]
    rows = axes_rows(rotation, e0, axes.axis[start + 1], last, count)
    return wp.matrix_from_rows(
        rows[0],
        wp.quat_rotate(frame, rows[1]),
        wp.quat_rotate(frame, rows[2]),
        wp.quat_rotate(frame, rows[3]),
    )


@wp.func
def solve_angular(
    bodies: Bodies,
    axes: Axes,
    parent: int,
    child: int,
    frame: wp.quat,
    rotation: wp.quat,
    start: int,
    count: int,
    compliance: float,
    relaxation: float,
    dt: float,
    deltas: wp.array(dtype=wp.spatial_vector),
):
    """The three turns of a joint."""
    rows = turn_rows(axes, start, count, frame, rotation)
    spin = wp.spatial_bottom(bodies.qd[child])
    if parent >= 0:
        spin = spin - wp.spatial_bottom(bodies.qd[parent])
    total = wp.vec3()
    for k in range(3):
        n = rows[k + 1]
        dof = NONE
        if k < count:
            dof = start + k
        give = inverse_mass(bodies, parent, wp.vec3(), n) + inverse_mass(
            bodies, child, wp.vec3(), n
        )
        size = axis_impulse(axes, dof, rows[0][k], wp.dot(spin, n), give, compliance, dt)
        total = total + n * size
    total = total * relaxation
    apply_pair(deltas, parent, child, wp.vec3(), total, total)
    tell(axes.told, child, wp.vec3(), total)


@wp.kernel
def solve_joints(
    bodies: Bodies,
    axes: Axes,
    joint_type: wp.array(dtype=int),
    joint_enabled: wp.array(dtype=bool),
    joint_parent: wp.array(dtype=int),
    joint_child: wp.array(dtype=int),
    joint_X_p: wp.array(dtype=wp.transform),
    joint_X_c: wp.array(dtype=wp.transform),
    joint_dof_dim: wp.array(dtype=int, ndim=2),
    joint_qd_start: wp.array(dtype=int),
    linear_compliance: float,
    angular_compliance: float,
    linear_relaxation: float,
    angular_relaxation: float,
    dt: float,
    deltas: wp.array(dtype=wp.spatial_vector),
):
    """One thread a joint."""
    i = wp.tid()
    kind = joint_type[i]
    if not joint_enabled[i] or kind == FREE:
        return
    parent = joint_parent[i]
    child = joint_child[i]
    X_wp = joint_X_p[i]
    give = bodies.inv_mass[child]
    if parent >= 0:
        X_wp = bodies.q[parent] * X_wp
        give = give + bodies.inv_mass[parent]
    if give == 0.0:
        return
    X_wc = bodies.q[child] * joint_X_c[i]
    place = wp.transform_get_translation(X_wc)
    start = joint_qd_start[i]
    linear = joint_dof_dim[i, 0]
    if kind == DISTANCE:
        solve_distance(
            bodies, axes, parent, child, X_wp, place, start, linear_compliance,
            linear_relaxation, angular_relaxation, dt, deltas,
        )  # fmt: skip
        return
    if kind == BALL:
        linear = 0
    solve_linear(
        bodies, axes, parent, child, X_wp, place, start, linear, linear_compliance,
        linear_relaxation, angular_relaxation, dt, deltas,
    )  # fmt: skip
    if kind != BALL:
        frame = wp.transform_get_rotation(X_wp)
        rotation = wp.quat_inverse(frame) * wp.transform_get_rotation(X_wc)
        solve_angular(
            bodies, axes, parent, child, frame, rotation, start + linear, joint_dof_dim[i, 1],
            angular_compliance, angular_relaxation, dt, deltas,
        )  # fmt: skip
