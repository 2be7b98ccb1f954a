# pyright: basic, reportInvalidTypeForm=false
"""States and controls between a model and its plain model, as kernels of Warp.

Arrays of plain models have the world first, and are float64 on the CPU and float32 elsewhere.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.newton.enums import BodyFlags, JointType
from unibody.newton.gravity_kernels import Gravity, gravity_of

FREE: int = wp.constant(int(JointType.FREE))
BALL: int = wp.constant(int(JointType.BALL))
KINEMATIC: int = wp.constant(int(BodyFlags.KINEMATIC))


@wp.func
def rotation_at(qpos: wp.array2d(dtype=Any), w: int, a: int):
    """The rotation that begins at a coordinate: MuJoCo has the scalar part first."""
    return wp.quat(
        float(qpos[w, a + 1]), float(qpos[w, a + 2]), float(qpos[w, a + 3]), float(qpos[w, a])
    )


@wp.kernel(enable_backward=False)
def put_state(
    joints: wp.array2d(dtype=wp.int32),
    qpos_start: wp.array(dtype=wp.int32),
    qvel_start: wp.array(dtype=wp.int32),
    joint_type: wp.array(dtype=wp.int32),
    joint_q_start: wp.array(dtype=wp.int32),
    joint_qd_start: wp.array(dtype=wp.int32),
    joint_child: wp.array(dtype=wp.int32),
    joint_X_p: wp.array(dtype=wp.transform),
    joint_X_c: wp.array(dtype=wp.transform),
    body_com: wp.array(dtype=wp.vec3),
    body_flags: wp.array(dtype=wp.int32),
    dof_ref: wp.array(dtype=float),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    written_q: wp.array(dtype=float),
    written_qd: wp.array(dtype=float),
    held_alone: bool,
    qpos: wp.array2d(dtype=Any),
    qvel: wp.array2d(dtype=Any),
):
    """One thread a joint of a world; one that is as it was written last is left alone.

    Joints of kinematic bodies are always put: MuJoCo has moved them in between.

    MuJoCo's free joint has the pose of the body and the velocity of its origin, and turns in the
    body's frame; Newton's has the pose of the child's anchor and the velocity of the centre of
    mass, both in the frame of the parent's anchor. A ball joint turns the parent's anchor
    to the child's, and its velocity is in the former; MuJoCo turns the child from its first pose,
    with a velocity in the child's frame.
    """
    w, i = wp.tid()
    j = joints[w, i]
    held = (body_flags[joint_child[j]] & KINEMATIC) != 0
    if held_alone and not held:
        return
    if written_q and not held:
        same = bool(True)
        for k in range(joint_q_start[j], joint_q_start[j + 1]):
            if joint_q[k] != written_q[k]:
                same = False
        for k in range(joint_qd_start[j], joint_qd_start[j + 1]):
            if joint_qd[k] != written_qd[k]:
                same = False
        if same:
            return
    a = qpos_start[i]
    b = qvel_start[i]
    q = joint_q_start[j]
    v = joint_qd_start[j]
    kind = joint_type[j]
    if kind == FREE:
        rot = wp.quat(joint_q[q + 3], joint_q[q + 4], joint_q[q + 5], joint_q[q + 6])
        pos = wp.vec3(joint_q[q], joint_q[q + 1], joint_q[q + 2])
        pose = joint_X_p[j] * wp.transform(pos, rot) * wp.transform_inverse(joint_X_c[j])
        pos = wp.transform_get_translation(pose)
        rot = wp.transform_get_rotation(pose)
        frame = wp.transform_get_rotation(joint_X_p[j])
        angular = wp.vec3(joint_qd[v + 3], joint_qd[v + 4], joint_qd[v + 5])
        angular = wp.quat_rotate(frame, angular)
        linear = wp.vec3(joint_qd[v], joint_qd[v + 1], joint_qd[v + 2])
        linear = wp.quat_rotate(frame, linear)
        linear = linear - wp.cross(angular, wp.quat_rotate(rot, body_com[joint_child[j]]))
        angular = wp.quat_rotate_inv(rot, angular)
        for k in range(3):
            qpos[w, a + k] = qpos.dtype(pos[k])
            qpos[w, a + 4 + k] = qpos.dtype(rot[k])
            qvel[w, b + k] = qvel.dtype(linear[k])
            qvel[w, b + 3 + k] = qvel.dtype(angular[k])
        qpos[w, a + 3] = qpos.dtype(rot[3])
    elif kind == BALL:
        frame = wp.transform_get_rotation(joint_X_c[j])
        rot = wp.quat(joint_q[q], joint_q[q + 1], joint_q[q + 2], joint_q[q + 3])
        spin = wp.vec3(joint_qd[v], joint_qd[v + 1], joint_qd[v + 2])
        spin = wp.quat_rotate(frame, wp.quat_rotate_inv(rot, spin))
        rot = frame * rot * wp.quat_inverse(frame)
        for k in range(3):
            qpos[w, a + 1 + k] = qpos.dtype(rot[k])
            qvel[w, b + k] = qvel.dtype(spin[k])
        qpos[w, a] = qpos.dtype(rot[3])
    else:
        for k in range(joint_qd_start[j + 1] - v):
            ref = float(0.0)
            if dof_ref:
                ref = dof_ref[v + k]
            qpos[w, a + k] = qpos.dtype(joint_q[q + k] + ref)
            qvel[w, b + k] = qvel.dtype(joint_qd[v + k])


@wp.kernel(enable_backward=False)
def take_state(
    joints: wp.array2d(dtype=wp.int32),
    qpos_start: wp.array(dtype=wp.int32),
    qvel_start: wp.array(dtype=wp.int32),
    joint_type: wp.array(dtype=wp.int32),
    joint_q_start: wp.array(dtype=wp.int32),
    joint_qd_start: wp.array(dtype=wp.int32),
    joint_child: wp.array(dtype=wp.int32),
    joint_X_p: wp.array(dtype=wp.transform),
    joint_X_c: wp.array(dtype=wp.transform),
    body_com: wp.array(dtype=wp.vec3),
    body_flags: wp.array(dtype=wp.int32),
    dof_ref: wp.array(dtype=float),
    qpos: wp.array2d(dtype=Any),
    qvel: wp.array2d(dtype=Any),
    given_q: wp.array(dtype=float),
    given_qd: wp.array(dtype=float),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    written_q: wp.array(dtype=float),
    written_qd: wp.array(dtype=float),
):
    """The other way round; joints of kinematic bodies are as they were given."""
    w, i = wp.tid()
    j = joints[w, i]
    a = qpos_start[i]
    b = qvel_start[i]
    q = joint_q_start[j]
    v = joint_qd_start[j]
    kind = joint_type[j]
    if (body_flags[joint_child[j]] & KINEMATIC) != 0:
        for k in range(q, joint_q_start[j + 1]):
            joint_q[k] = given_q[k]
        for k in range(v, joint_qd_start[j + 1]):
            joint_qd[k] = given_qd[k]
    elif kind == FREE:
        rot = rotation_at(qpos, w, a + 3)
        angular = wp.vec3(float(qvel[w, b + 3]), float(qvel[w, b + 4]), float(qvel[w, b + 5]))
        angular = wp.quat_rotate(rot, angular)
        linear = wp.vec3(float(qvel[w, b]), float(qvel[w, b + 1]), float(qvel[w, b + 2]))
        linear = linear + wp.cross(angular, wp.quat_rotate(rot, body_com[joint_child[j]]))
        frame = wp.transform_get_rotation(joint_X_p[j])
        linear = wp.quat_rotate_inv(frame, linear)
        angular = wp.quat_rotate_inv(frame, angular)
        pos = wp.vec3(float(qpos[w, a]), float(qpos[w, a + 1]), float(qpos[w, a + 2]))
        pose = wp.transform_inverse(joint_X_p[j]) * wp.transform(pos, rot) * joint_X_c[j]
        pos = wp.transform_get_translation(pose)
        rot = wp.transform_get_rotation(pose)
        for k in range(3):
            joint_q[q + k] = pos[k]
            joint_qd[v + k] = linear[k]
            joint_qd[v + 3 + k] = angular[k]
        for k in range(4):
            joint_q[q + 3 + k] = rot[k]
    elif kind == BALL:
        frame = wp.transform_get_rotation(joint_X_c[j])
        rot = rotation_at(qpos, w, a)
        rot = wp.quat_inverse(frame) * rot * frame
        spin = wp.vec3(float(qvel[w, b]), float(qvel[w, b + 1]), float(qvel[w, b + 2]))
        spin = wp.quat_rotate(rot, wp.quat_rotate_inv(frame, spin))
        for k in range(3):
            joint_qd[v + k] = spin[k]
        for k in range(4):
            joint_q[q + k] = rot[k]
    else:
        for k in range(joint_qd_start[j + 1] - v):
            ref = float(0.0)
            if dof_ref:
                ref = dof_ref[v + k]
            joint_q[q + k] = float(qpos[w, a + k]) - ref
            joint_qd[v + k] = float(qvel[w, b + k])
    if written_q:
        for k in range(q, joint_q_start[j + 1]):
            written_q[k] = joint_q[k]
        for k in range(v, joint_qd_start[j + 1]):
            written_qd[k] = joint_qd[k]


@wp.kernel(enable_backward=False)
def put_controls(
    source: wp.array(dtype=wp.int32),
    control: wp.array2d(dtype=wp.int32),
    target_pos: wp.array(dtype=float),
    target_at: wp.array(dtype=wp.int32),
    target_vel: wp.array(dtype=float),
    direct: wp.array(dtype=float),
    dof_ref: wp.array(dtype=float),
    ctrl: wp.array2d(dtype=Any),
):
    """One thread an actuator of a world."""
    w, i = wp.tid()
    k = control[w, i]
    if source[i] == 0:
        at = target_at[k]
        target = float(0.0)
        if at >= 0:
            target = target_pos[at]
            if dof_ref:  # from which the script counts
                target = target + dof_ref[k]
        else:  # a component of the rotation vector of a quaternion
            a = (-1 - at) / 4
            rot = wp.quat(target_pos[a], target_pos[a + 1], target_pos[a + 2], target_pos[a + 3])
            if rot[3] < 0.0:
                rot = -rot
            axis, angle = wp.quat_to_axis_angle(rot)
            target = axis[(-1 - at) % 4] * angle
        ctrl[w, i] = ctrl.dtype(target)
    elif source[i] == 1:
        ctrl[w, i] = ctrl.dtype(target_vel[k])
    elif direct:
        ctrl[w, i] = ctrl.dtype(direct[k])


@wp.kernel(enable_backward=False)
def put_joint_forces(
    joints: wp.array2d(dtype=wp.int32),
    qpos_start: wp.array(dtype=wp.int32),
    qvel_start: wp.array(dtype=wp.int32),
    joint_type: wp.array(dtype=wp.int32),
    joint_qd_start: wp.array(dtype=wp.int32),
    joint_X_c: wp.array(dtype=wp.transform),
    joint_f: wp.array(dtype=float),
    qpos: wp.array2d(dtype=Any),
    qfrc: wp.array2d(dtype=Any),
):
    """One thread a joint of a world; those of free joints act on bodies."""
    w, i = wp.tid()
    j = joints[w, i]
    if joint_type[j] == FREE:
        return
    v = joint_qd_start[j]
    if joint_type[j] == BALL:  # from the parent's anchor to the child's frame
        a = qpos_start[i]
        rot = rotation_at(qpos, w, a)
        torque = wp.vec3(joint_f[v], joint_f[v + 1], joint_f[v + 2])
        torque = wp.quat_rotate(wp.transform_get_rotation(joint_X_c[j]), torque)
        torque = wp.quat_rotate_inv(rot, torque)
        for k in range(3):
            qfrc[w, qvel_start[i] + k] = qfrc.dtype(torque[k])
        return
    for k in range(joint_qd_start[j + 1] - v):
        qfrc[w, qvel_start[i] + k] = qfrc.dtype(joint_f[v + k])


@wp.kernel(enable_backward=False)
def put_body_forces(
    bodies: wp.array2d(dtype=wp.int32),
    free_dof: wp.array(dtype=wp.int32),
    body_f: wp.array(dtype=wp.spatial_vector),
    joint_f: wp.array(dtype=float),
    body_mass: wp.array(dtype=float),
    body_world: wp.array(dtype=wp.int32),
    gravity: Gravity,
    compensated: wp.array(dtype=float),
    xfrc: wp.array3d(dtype=Any),
):
    """One thread a body of a world: force and torque at its centre of mass.

    MuJoCo has one gravity, that of the first world: what belongs to all worlds gets the difference
    to its own.
    """
    w, i = wp.tid()
    body = bodies[w, i]
    if body < 0:
        return
    force = wp.spatial_vector()
    if body_f:
        force = body_f[body]
    if body_world[body] < 0:
        share = float(1.0)
        if compensated:
            share = 1.0 - compensated[body]
        more = (gravity_of(-1, gravity) - gravity.rows[0]) * (body_mass[body] * share)
        force = force + wp.spatial_vector(more, wp.vec3())
    v = free_dof[body]
    for k in range(6):
        value = force[k]
        if joint_f:
            if v >= 0:
                value = value + joint_f[v + k]
        xfrc[w, i, k] = xfrc.dtype(value)


_TWO_DIMENSIONS = {
    put_state: ("qpos", "qvel"),
    take_state: ("qpos", "qvel"),
    put_controls: ("ctrl",),
    put_joint_forces: ("qpos", "qfrc"),
}
for _dtype in (wp.float32, wp.float64):  # else Warp compiles the module anew for each use
    for _kernel, _names in _TWO_DIMENSIONS.items():
        wp.overload(_kernel, {name: wp.array2d(dtype=_dtype) for name in _names})
    wp.overload(put_body_forces, {"xfrc": wp.array3d(dtype=_dtype)})
