# pyright: basic, reportInvalidTypeForm=false
"""Forces of joints and steps of their coordinates, for SolverFeatherstone."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.articulation_kernels import BALL, DISTANCE, FREE, Joints
from unibody.newton.solvers.integration_kernels import KINEMATIC
from unibody.newton.solvers.joint_force_kernels import Drives, drive_force


@wp.kernel
def joint_efforts(
    joints: Joints,
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    drives: Drives,
    S: wp.array(dtype=wp.spatial_vector),
    F: wp.array(dtype=wp.spatial_vector),
    held: wp.array(dtype=int),
    tau: wp.array(dtype=float),
):
    """One thread a joint: forces of drives, limits and controls, less what motion asks for."""
    i = wp.tid()
    kind = joints.kind[i]
    if kind == DISTANCE:
        kind = FREE
    start = joints.qd_start[i]
    for k in range(6):
        if k < joints.qd_start[i + 1] - start:
            given = drives.force[start + k]
            if kind == FREE:  # a force and a torque of the world's frame, at the centre of mass
                if k < 3:
                    push = wp.vec3(
                        drives.force[start], drives.force[start + 1], drives.force[start + 2]
                    )
                    given = wp.dot(wp.spatial_top(S[start + k]), push)
                else:
                    push = wp.vec3(
                        drives.force[start + 3], drives.force[start + 4], drives.force[start + 5]
                    )
                    given = wp.dot(wp.spatial_bottom(S[start + k]), push)
            if kind != FREE and kind != BALL:
                q = joint_q[joints.q_start[i] + k]
                given = drive_force(drives, start + k, q, joint_qd[start + k])
            if kind == BALL:
                given = given - drives.damping[start + k] * joint_qd[start + k]
            effort = given - wp.dot(S[start + k], F[joints.child[i]])
            if held:
                if held[start + k] != 0:
                    effort = 0.0
            tau[start + k] = effort


@wp.func
def turned_by(rotation: wp.quat, spin: wp.vec3, dt: float):
    """A rotation after a time step."""
    return wp.normalize(rotation + wp.quat(spin, 0.0) * rotation * (0.5 * dt))


@wp.kernel
def integrate_joints(
    joints: Joints,
    body_com: wp.array(dtype=wp.vec3),
    body_flags: wp.array(dtype=int),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    joint_qdd: wp.array(dtype=float),
    dt: float,
    q_new: wp.array(dtype=float),
    qd_new: wp.array(dtype=float),
):
    """One thread a joint: a symplectic Euler step."""
    i = wp.tid()
    kind = joints.kind[i]
    if kind == DISTANCE:
        kind = FREE
    q = joints.q_start[i]
    d = joints.qd_start[i]
    if (body_flags[joints.child[i]] & KINEMATIC) != 0:  # it is where scripts put it
        for k in range(7):
            if k < joints.q_start[i + 1] - q:
                q_new[q + k] = joint_q[q + k]
            if k < joints.qd_start[i + 1] - d:
                qd_new[d + k] = joint_qd[d + k]
        return
    for k in range(6):
        if k < joints.qd_start[i + 1] - d:
            qd_new[d + k] = joint_qd[d + k] + joint_qdd[d + k] * dt
            if kind != FREE and kind != BALL:
                rate = joint_qd[d + k] + joint_qdd[d + k] * dt
                q_new[q + k] = joint_q[q + k] + rate * dt
    if kind == BALL:
        spin = wp.vec3(
            joint_qd[d] + joint_qdd[d] * dt,
            joint_qd[d + 1] + joint_qdd[d + 1] * dt,
            joint_qd[d + 2] + joint_qdd[d + 2] * dt,
        )
        rotation = wp.quat(joint_q[q], joint_q[q + 1], joint_q[q + 2], joint_q[q + 3])
        after = turned_by(rotation, spin, dt)
        for k in range(4):
            q_new[q + k] = after[k]
    if kind == FREE:
        velocity = wp.vec3(
            joint_qd[d] + joint_qdd[d] * dt,
            joint_qd[d + 1] + joint_qdd[d + 1] * dt,
            joint_qd[d + 2] + joint_qdd[d + 2] * dt,
        )
        spin = wp.vec3(
            joint_qd[d + 3] + joint_qdd[d + 3] * dt,
            joint_qd[d + 4] + joint_qdd[d + 4] * dt,
            joint_qd[d + 5] + joint_qdd[d + 5] * dt,
        )
        # The velocity is that of the centre of mass: the joint's frame goes around it.
        arm = wp.transform_point(wp.transform_inverse(joints.X_c[i]), body_com[joints.child[i]])
        place = wp.vec3(joint_q[q], joint_q[q + 1], joint_q[q + 2])
        rotation = wp.quat(joint_q[q + 3], joint_q[q + 4], joint_q[q + 5], joint_q[q + 6])
        after = turned_by(rotation, spin, dt)
        place = place + wp.quat_rotate(rotation, arm) + velocity * dt - wp.quat_rotate(after, arm)
        for k in range(3):
            q_new[q + k] = place[k]
        for k in range(4):
            q_new[q + 3 + k] = after[k]


@wp.kernel(enable_backward=False)
def own_wrenches(
    joints: Joints,
    S: wp.array(dtype=wp.spatial_vector),
    qdd: wp.array(dtype=float),
    inertia: wp.array(dtype=wp.spatial_matrix),
    asked: wp.array(dtype=wp.spatial_vector),
    faster: wp.array(dtype=wp.spatial_vector),
    wrench: wp.array(dtype=wp.spatial_vector),
):
    """One thread an articulation: what the accelerated motion of each body asks for."""
    number = wp.tid()
    for i in range(joints.articulation_start[number], joints.articulation_start[number + 1]):
        child = joints.child[i]
        rate = wp.spatial_vector()
        if joints.parent[i] >= 0:
            rate = faster[joints.parent[i]]
        for dof in range(joints.qd_start[i], joints.qd_start[i + 1]):
            rate = rate + S[dof] * qdd[dof]
        faster[child] = rate
        wrench[child] = asked[child] + inertia[child] * rate


@wp.kernel(enable_backward=False)
def tell_parent_wrenches(
    joint_child: wp.array(dtype=int),
    joint_articulation: wp.array(dtype=int),
    body_q: wp.array(dtype=wp.transform),
    body_com: wp.array(dtype=wp.vec3),
    reference: wp.array(dtype=wp.vec3),
    F: wp.array(dtype=wp.spatial_vector),
    told: wp.array(dtype=wp.spatial_vector),
):
    """One thread a joint: the wrench on its child, at the child's centre of mass."""
    i = wp.tid()
    if joint_articulation[i] < 0:
        return
    child = joint_child[i]
    arm = wp.transform_point(body_q[child], body_com[child]) - reference[joint_articulation[i]]
    force = wp.spatial_top(F[child])
    told[child] = wp.spatial_vector(force, wp.spatial_bottom(F[child]) - wp.cross(arm, force))
