# pyright: basic, reportInvalidTypeForm=false
"""Kernels of inverse dynamics beside those that dynamics shares with them."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.articulation_kernels import DISTANCE, FREE, Joints, is_chosen

wp.set_module_options({"enable_backward": False})


@wp.kernel
def forces_of_accelerations(
    joints: Joints,
    joint_articulation: wp.array(dtype=int),
    mask: wp.array(dtype=bool),
    M: wp.array3d(dtype=float),
    joint_qdd: wp.array(dtype=float),
    forces: wp.array(dtype=float),
):
    """One thread a joint: its rows of M times the accelerations."""
    i = wp.tid()
    if not is_chosen(joint_articulation[i], mask):
        return
    number = joint_articulation[i]
    first = joints.qd_start[joints.articulation_start[number]]
    last = joints.qd_start[joints.articulation_start[number + 1]]
    for dof in range(joints.qd_start[i], joints.qd_start[i + 1]):
        force = float(0.0)
        for other in range(first, last):
            force += M[number, dof - first, other - first] * joint_qdd[other]
        forces[dof] = force


@wp.kernel
def turn_into_world(
    joints: Joints, body_q: wp.array(dtype=wp.transform), forces: wp.array(dtype=float)
):
    """One thread a joint: the wrench of a free one, which is in its parent's frame."""
    i = wp.tid()
    kind = joints.kind[i]
    if kind != FREE and kind != DISTANCE:
        return
    turn = wp.transform_get_rotation(joints.X_p[i])
    if joints.parent[i] >= 0:
        turn = wp.transform_get_rotation(body_q[joints.parent[i]]) * turn
    for part in range(2):
        k = joints.qd_start[i] + 3 * part
        turned = wp.quat_rotate(turn, wp.vec3(forces[k], forces[k + 1], forces[k + 2]))
        for axis in range(3):
            forces[k + axis] = turned[axis]


@wp.kernel
def add_forces(
    joint_articulation: wp.array(dtype=int),
    qd_start: wp.array(dtype=int),
    mask: wp.array(dtype=bool),
    coriolis: wp.array(dtype=float),
    gravity: wp.array(dtype=float),
    forces: wp.array(dtype=float),
):
    """One thread a joint: add the forces that it takes without acceleration."""
    i = wp.tid()
    if not is_chosen(joint_articulation[i], mask):
        return
    for dof in range(qd_start[i], qd_start[i + 1]):
        forces[dof] = forces[dof] + coriolis[dof] + gravity[dof]
