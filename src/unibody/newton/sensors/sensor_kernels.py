# pyright: basic, reportInvalidTypeForm=false
"""Readings of sensors."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.gravity_kernels import Gravity, gravity_of

wp.set_module_options({"enable_backward": False})


@wp.func
def number_of(numbers: wp.array(dtype=int), shape: int):
    """The number that a shape has; -1: none."""
    if shape >= numbers.shape[0]:
        return -1
    return numbers[shape]


@wp.func
def add_reading(
    row: int,
    counterpart: int,
    total: int,
    columns: wp.array2d(dtype=int),
    force: wp.vec3,
    readings: wp.array2d(dtype=wp.vec3),
):
    """Add a force to the total of a sensing object, and to that of its counterpart."""
    if row < 0:
        return
    if total >= 0:
        wp.atomic_add(readings, row, total, force)
    if counterpart >= 0:
        column = columns[row, counterpart]
        if column >= 0:
            wp.atomic_add(readings, row, column, force)


@wp.kernel
def contact_readings(
    count: wp.array(dtype=int),
    shape0: wp.array(dtype=int),
    shape1: wp.array(dtype=int),
    force: wp.array(dtype=wp.spatial_vector),
    row_of: wp.array(dtype=int),
    counterpart_of: wp.array(dtype=int),
    columns: wp.array2d(dtype=int),
    total: int,
    readings: wp.array2d(dtype=wp.vec3),
):
    """One thread a contact; forces are those on the first shape's body."""
    i = wp.tid()
    if i >= wp.min(count[0], shape0.shape[0]):
        return
    a = shape0[i]
    b = shape1[i]
    if a < 0 or b < 0:
        return
    f = wp.spatial_top(force[i])
    row_a = number_of(row_of, a)
    row_b = number_of(row_of, b)
    add_reading(row_a, number_of(counterpart_of, b), total, columns, f, readings)
    add_reading(row_b, number_of(counterpart_of, a), total, columns, -f, readings)


@wp.func
def pose_of(
    shape: int,
    shape_body: wp.array(dtype=int),
    shape_transform: wp.array(dtype=wp.transform),
    body_q: wp.array(dtype=wp.transform),
):
    """The pose of a shape in the world."""
    if shape_body[shape] < 0:
        return shape_transform[shape]
    return body_q[shape_body[shape]] * shape_transform[shape]


@wp.kernel
def relative_poses(
    shapes: wp.array(dtype=int),
    references: wp.array(dtype=int),
    shape_body: wp.array(dtype=int),
    shape_transform: wp.array(dtype=wp.transform),
    body_q: wp.array(dtype=wp.transform),
    poses: wp.array(dtype=wp.transform),
):
    """One thread a shape: its pose in the frame of its reference."""
    i = wp.tid()
    frame = pose_of(references[i], shape_body, shape_transform, body_q)
    pose = pose_of(shapes[i], shape_body, shape_transform, body_q)
    poses[i] = wp.transform_inverse(frame) * pose


@wp.kernel
def inertial_readings(
    sites: wp.array(dtype=int),
    shape_body: wp.array(dtype=int),
    shape_transform: wp.array(dtype=wp.transform),
    body_com: wp.array(dtype=wp.vec3),
    body_world: wp.array(dtype=int),
    gravity: Gravity,
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    body_qdd: wp.array(dtype=wp.spatial_vector),
    accelerometer: wp.array(dtype=wp.vec3),
    gyroscope: wp.array(dtype=wp.vec3),
):
    """One thread a site: acceleration without gravity, and angular velocity, in its frame."""
    i = wp.tid()
    site = sites[i]
    body = shape_body[site]
    local = shape_transform[site]
    rotation = wp.transform_get_rotation(local)
    if body < 0:
        accelerometer[i] = wp.quat_rotate_inv(rotation, -gravity.rows[0])
        gyroscope[i] = wp.vec3()
        return
    turn = wp.transform_get_rotation(body_q[body])
    arm = wp.quat_rotate(turn, wp.transform_get_translation(local) - body_com[body])
    spin = wp.spatial_bottom(body_qd[body])
    rise = wp.spatial_bottom(body_qdd[body])
    acceleration = (
        wp.spatial_top(body_qdd[body])
        - gravity_of(body_world[body], gravity)
        + wp.cross(rise, arm)
        + wp.cross(spin, wp.cross(spin, arm))
    )
    frame = turn * rotation
    accelerometer[i] = wp.quat_rotate_inv(frame, acceleration)
    gyroscope[i] = wp.quat_rotate_inv(frame, spin)
