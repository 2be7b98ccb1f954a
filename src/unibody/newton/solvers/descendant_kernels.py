# pyright: basic, reportInvalidTypeForm=false
"""Free bodies that hang on moving parents: their coordinates after a step, for SolverFeatherstone.

The coordinates of such a body are those in the frame of its parent. What a step does to the body
in the world is worked out first, and the coordinates from it where the parent is after the step.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.articulation_kernels import Joints
from unibody.newton.gravity_kernels import Gravity, gravity_of
from unibody.newton.kinematics_kernels import parent_velocity
from unibody.newton.solvers.featherstone_kernels import turned_by


@wp.kernel
def body_rates(
    joints: Joints,
    S: wp.array(dtype=wp.spatial_vector),
    qdd: wp.array(dtype=float),
    faster: wp.array(dtype=wp.spatial_vector),
):
    """One thread an articulation: what the accelerations of joints add to those of bodies."""
    number = wp.tid()
    for i in range(joints.articulation_start[number], joints.articulation_start[number + 1]):
        rate = wp.spatial_vector()
        if joints.parent[i] >= 0:
            rate = faster[joints.parent[i]]
        for k in range(6):
            if k < joints.qd_start[i + 1] - joints.qd_start[i]:
                dof = joints.qd_start[i] + k
                rate = rate + S[dof] * qdd[dof]
        faster[joints.child[i]] = rate


@wp.kernel
def move_descendants(
    joints: Joints,
    level: wp.array(dtype=int),
    now: int,
    articulation: wp.array(dtype=int),
    body_com: wp.array(dtype=wp.vec3),
    body_world: wp.array(dtype=int),
    gravity: Gravity,
    reference: wp.array(dtype=wp.vec3),
    A: wp.array(dtype=wp.spatial_vector),
    faster: wp.array(dtype=wp.spatial_vector),
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    q_after: wp.array(dtype=wp.transform),
    qd_after: wp.array(dtype=wp.spatial_vector),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    dt: float,
    q_new: wp.array(dtype=float),
    qd_new: wp.array(dtype=float),
):
    """One thread a joint: free ones of a level move in the world, all others stay as they are."""
    i = wp.tid()
    q = joints.q_start[i]
    d = joints.qd_start[i]
    if level[i] != now:
        for k in range(7):
            if k < joints.q_start[i + 1] - q:
                q_new[q + k] = joint_q[q + k]
            if k < joints.qd_start[i + 1] - d:
                qd_new[d + k] = joint_qd[d + k]
        return
    child = joints.child[i]
    parent = joints.parent[i]
    com = wp.transform_point(body_q[child], body_com[child])
    velocity = wp.spatial_top(body_qd[child])
    spin = wp.spatial_bottom(body_qd[child])
    rate = A[child] + faster[child]
    arm = com - reference[articulation[i]]
    turn = wp.spatial_bottom(rate)
    # From the rate of the velocity at the point where the reference is to that of the centre.
    push = wp.spatial_top(rate) + wp.cross(turn, arm) + wp.cross(spin, velocity)
    push = push + gravity_of(body_world[child], gravity)  # the frame of A falls upwards
    velocity = velocity + push * dt
    spin = spin + turn * dt
    com = com + velocity * dt
    rotation = turned_by(wp.transform_get_rotation(body_q[child]), spin, dt)
    pose = wp.transform(com - wp.quat_rotate(rotation, body_com[child]), rotation)
    frame = q_after[parent] * joints.X_p[i]
    relative = wp.transform_inverse(frame) * pose * joints.X_c[i]
    own = wp.spatial_vector(velocity, spin) - parent_velocity(
        q_after, qd_after, body_com, parent, com
    )
    place = wp.transform_get_translation(relative)
    turned = wp.transform_get_rotation(relative)
    linear = wp.quat_rotate_inv(wp.transform_get_rotation(frame), wp.spatial_top(own))
    angular = wp.quat_rotate_inv(wp.transform_get_rotation(frame), wp.spatial_bottom(own))
    for k in range(3):
        q_new[q + k] = place[k]
        qd_new[d + k] = linear[k]
        qd_new[d + 3 + k] = angular[k]
    for k in range(4):
        q_new[q + 3 + k] = turned[k]
