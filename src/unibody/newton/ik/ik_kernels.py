# pyright: basic, reportInvalidTypeForm=false
"""Kinematics of many problems at once, and residuals of objectives."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.articulation_kernels import (
    BALL,
    DISTANCE,
    FREE,
    Joints,
    free_axes,
    joint_offset,
    joint_rotation,
    other_axes,
)

wp.set_module_options({"enable_backward": False})


@wp.kernel
def poses(
    joints: Joints,
    joint_q: wp.array2d(dtype=float),
    body_com: wp.array(dtype=wp.vec3),
    body_q: wp.array2d(dtype=wp.transform),
    S: wp.array2d(dtype=wp.spatial_vector),
):
    """One thread a problem and articulation: poses, and motions of joints at the origin."""
    row, number = wp.tid()
    q = joint_q[row]
    motions = S[row]
    origin = wp.vec3()
    for i in range(joints.articulation_start[number], joints.articulation_start[number + 1]):
        X_wp = joints.X_p[i]
        if joints.parent[i] >= 0:
            X_wp = body_q[row, joints.parent[i]] * X_wp
        X_wj = X_wp * wp.transform(joint_offset(joints, i, q), joint_rotation(joints, i, q))
        X_wc = X_wj * wp.transform_inverse(joints.X_c[i])
        body_q[row, joints.child[i]] = X_wc
        frame = wp.transform_get_rotation(X_wp)
        if joints.kind[i] == FREE or joints.kind[i] == DISTANCE:
            com = wp.transform_point(X_wc, body_com[joints.child[i]])
            free_axes(joints, i, frame, com, origin, motions)
        else:
            anchor = wp.transform_get_translation(X_wj)
            other_axes(joints, i, frame, anchor, origin, q, motions)


@wp.func
def turn_by(rotation: wp.quat, vector: wp.vec3):
    """A rotation, turned on by a rotation vector."""
    angle = wp.length(vector)
    if angle < 1.0e-9:
        return rotation
    return wp.normalize(wp.quat_from_axis_angle(vector / angle, angle) * rotation)


@wp.kernel
def moved_coordinates(
    joints: Joints,
    body_com: wp.array(dtype=wp.vec3),
    joint_q: wp.array2d(dtype=float),
    step: wp.array2d(dtype=float),
    q_new: wp.array2d(dtype=float),
):
    """One thread a problem and joint: coordinates after a step of its degrees of freedom."""
    row, i = wp.tid()
    q = joints.q_start[i]
    d = joints.qd_start[i]
    kind = joints.kind[i]
    rotation = joint_rotation(joints, i, joint_q[row])
    if kind == BALL:
        after = turn_by(rotation, wp.vec3(step[row, d], step[row, d + 1], step[row, d + 2]))
        for k in range(4):
            q_new[row, q + k] = after[k]
    elif kind == FREE or kind == DISTANCE:
        after = turn_by(rotation, wp.vec3(step[row, d + 3], step[row, d + 4], step[row, d + 5]))
        arm = wp.transform_point(wp.transform_inverse(joints.X_c[i]), body_com[joints.child[i]])
        shift = wp.quat_rotate(rotation, arm) - wp.quat_rotate(after, arm)
        for k in range(3):
            q_new[row, q + k] = joint_q[row, q + k] + step[row, d + k] + shift[k]
        for k in range(4):
            q_new[row, q + 3 + k] = after[k]
    else:
        for k in range(joints.qd_start[i + 1] - d):
            q_new[row, q + k] = joint_q[row, q + k] + step[row, d + k]


@wp.kernel
def position_residuals(
    body_q: wp.array2d(dtype=wp.transform),
    targets: wp.array(dtype=wp.vec3),
    link: int,
    offset: wp.vec3,
    weight: float,
    start: int,
    problem: wp.array(dtype=int),
    residuals: wp.array2d(dtype=float),
):
    """One thread a problem."""
    row = wp.tid()
    number = row
    if problem:
        number = problem[row]
    apart = targets[number] - wp.transform_point(body_q[row, link], offset)
    for k in range(3):
        residuals[row, start + k] = weight * apart[k]


@wp.kernel
def position_jacobian(
    body_q: wp.array2d(dtype=wp.transform),
    S: wp.array2d(dtype=wp.spatial_vector),
    affects: wp.array(dtype=int),
    link: int,
    offset: wp.vec3,
    weight: float,
    start: int,
    jacobian: wp.array3d(dtype=float),
):
    """One thread a problem and degree of freedom."""
    row, dof = wp.tid()
    if affects[dof] == 0:
        return
    place = wp.transform_point(body_q[row, link], offset)
    rate = wp.spatial_top(S[row, dof]) + wp.cross(wp.spatial_bottom(S[row, dof]), place)
    for k in range(3):
        jacobian[row, start + k, dof] = -weight * rate[k]


@wp.kernel
def rotation_residuals(
    body_q: wp.array2d(dtype=wp.transform),
    targets: wp.array(dtype=wp.vec4),
    link: int,
    offset: wp.quat,
    short_way: bool,
    weight: float,
    start: int,
    problem: wp.array(dtype=int),
    residuals: wp.array2d(dtype=float),
):
    """One thread a problem: the rotation vector from the target, in the world frame."""
    row = wp.tid()
    number = row
    if problem:
        number = problem[row]
    t = targets[number]
    target = wp.quat(t[0], t[1], t[2], t[3])
    error = wp.transform_get_rotation(body_q[row, link]) * offset * wp.quat_inverse(target)
    if short_way and error[3] < 0.0:
        error = -error
    v = wp.vec3(error[0], error[1], error[2])
    length = wp.length(v)
    scale = float(2.0)
    if length > 1.0e-8:
        scale = 2.0 * wp.atan2(length, error[3]) / length
    for k in range(3):
        residuals[row, start + k] = weight * scale * v[k]


@wp.kernel
def rotation_jacobian(
    S: wp.array2d(dtype=wp.spatial_vector),
    affects: wp.array(dtype=int),
    weight: float,
    start: int,
    jacobian: wp.array3d(dtype=float),
):
    """One thread a problem and degree of freedom; exact where the error is zero."""
    row, dof = wp.tid()
    if affects[dof] == 0:
        return
    spin = wp.spatial_bottom(S[row, dof])
    for k in range(3):
        jacobian[row, start + k, dof] = weight * spin[k]


@wp.kernel
def limit_residuals(
    joint_q: wp.array2d(dtype=float),
    lower: wp.array(dtype=float),
    upper: wp.array(dtype=float),
    coordinate: wp.array(dtype=int),
    weight: float,
    start: int,
    residuals: wp.array2d(dtype=float),
):
    """One thread a problem and degree of freedom: how far it is outside."""
    row, dof = wp.tid()
    value = float(0.0)
    if coordinate[dof] >= 0 and upper[dof] - lower[dof] < 9.9e5:
        q = joint_q[row, coordinate[dof]]
        value = wp.max(0.0, q - upper[dof]) + wp.max(0.0, lower[dof] - q)
    residuals[row, start + dof] = weight * value


@wp.kernel
def limit_jacobian(
    joint_q: wp.array2d(dtype=float),
    lower: wp.array(dtype=float),
    upper: wp.array(dtype=float),
    coordinate: wp.array(dtype=int),
    weight: float,
    start: int,
    jacobian: wp.array3d(dtype=float),
):
    """One thread a problem and degree of freedom."""
    row, dof = wp.tid()
    if coordinate[dof] < 0 or upper[dof] - lower[dof] >= 9.9e5:
        return
    q = joint_q[row, coordinate[dof]]
    if q >= upper[dof]:
        jacobian[row, start + dof, dof] = weight
    elif q <= lower[dof]:
        jacobian[row, start + dof, dof] = -weight
