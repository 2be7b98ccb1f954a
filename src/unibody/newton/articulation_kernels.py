# pyright: basic, reportInvalidTypeForm=false
"""Dynamics of articulations in reduced coordinates (Featherstone, Rigid Body Dynamics Algorithms).

Motions and wrenches have their linear part first. They are those of a reference point of each
articulation near its root: far from the origin moments about it would lose their digits. Loops
that gradients go through have a fixed length, or change arrays only.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.enums import JointType
from unibody.newton.gravity_kernels import Gravity, gravity_of

BALL: int = wp.constant(int(JointType.BALL))
FREE: int = wp.constant(int(JointType.FREE))
DISTANCE: int = wp.constant(int(JointType.DISTANCE))


@wp.struct
class Joints:
    """The joints of a model."""

    articulation_start: wp.array(dtype=int)
    kind: wp.array(dtype=int)
    parent: wp.array(dtype=int)
    child: wp.array(dtype=int)
    X_p: wp.array(dtype=wp.transform)
    X_c: wp.array(dtype=wp.transform)
    axis: wp.array(dtype=wp.vec3)
    dims: wp.array(dtype=int, ndim=2)
    q_start: wp.array(dtype=int)
    qd_start: wp.array(dtype=int)


@wp.func
def moved(V: wp.spatial_vector, s: wp.spatial_vector):
    """How fast a motion changes that a frame of a velocity carries."""
    v = wp.spatial_top(V)
    w = wp.spatial_bottom(V)
    return wp.spatial_vector(
        wp.cross(w, wp.spatial_top(s)) + wp.cross(v, wp.spatial_bottom(s)),
        wp.cross(w, wp.spatial_bottom(s)),
    )


@wp.func
def is_chosen(number: int, mask: wp.array(dtype=bool)):
    """Whether there is an articulation of a number, and a mask, if there is one, has it."""
    if number < 0:
        return False
    if mask:
        return mask[number]
    return True


@wp.func
def screw(axis: wp.vec3, through: wp.vec3, reference: wp.vec3):
    """The motion of a turn about an axis through a point, at the reference point."""
    return wp.spatial_vector(wp.cross(axis, reference - through), axis)


@wp.func
def joint_rotation(joints: Joints, joint: int, joint_q: wp.array(dtype=float)):
    """The rotation of a joint's coordinates."""
    kind = joints.kind[joint]
    q = joints.q_start[joint]
    if kind == FREE or kind == DISTANCE:
        return wp.quat(joint_q[q + 3], joint_q[q + 4], joint_q[q + 5], joint_q[q + 6])
    if kind == BALL:
        return wp.quat(joint_q[q], joint_q[q + 1], joint_q[q + 2], joint_q[q + 3])
    rotation = wp.quat_identity()
    first = joints.dims[joint, 0]
    for k in range(3):
        if k < joints.dims[joint, 1]:
            turn = wp.quat_from_axis_angle(
                joints.axis[joints.qd_start[joint] + first + k], joint_q[q + first + k]
            )
            rotation = rotation * turn
    return rotation


@wp.func
def joint_offset(joints: Joints, joint: int, joint_q: wp.array(dtype=float)):
    """The translation of a joint's coordinates."""
    kind = joints.kind[joint]
    q = joints.q_start[joint]
    if kind == FREE or kind == DISTANCE:
        return wp.vec3(joint_q[q], joint_q[q + 1], joint_q[q + 2])
    offset = wp.vec3()
    if kind != BALL:
        for k in range(3):
            if k < joints.dims[joint, 0]:
                offset = offset + joints.axis[joints.qd_start[joint] + k] * joint_q[q + k]
    return offset


@wp.func
def free_axes(
    joints: Joints,
    joint: int,
    frame: wp.quat,
    com: wp.vec3,
    reference: wp.vec3,
    S: wp.array(dtype=wp.spatial_vector),
):
    """Motions of a free joint: the velocity of its centre of mass, and turns about it."""
    for k in range(3):
        e = wp.vec3()
        if k == 0:
            e = wp.vec3(1.0, 0.0, 0.0)
        elif k == 1:
            e = wp.vec3(0.0, 1.0, 0.0)
        else:
            e = wp.vec3(0.0, 0.0, 1.0)
        axis = wp.quat_rotate(frame, e)
        S[joints.qd_start[joint] + k] = wp.spatial_vector(axis, wp.vec3())
        S[joints.qd_start[joint] + 3 + k] = screw(axis, com, reference)


@wp.func
def other_axes(
    joints: Joints,
    joint: int,
    frame: wp.quat,
    anchor: wp.vec3,
    reference: wp.vec3,
    joint_q: wp.array(dtype=float),
    S: wp.array(dtype=wp.spatial_vector),
):
    """Motions of all other joints: along linear axes, about angular ones, one after the other."""
    start = joints.qd_start[joint]
    linear = joints.dims[joint, 0]
    if joints.kind[joint] == BALL:
        linear = 0
    rotation = frame
    for k in range(3):
        if k < linear:
            axis = wp.quat_rotate(frame, joints.axis[start + k])
            S[start + k] = wp.spatial_vector(axis, wp.vec3())
    for k in range(3):
        if k < joints.dims[joint, 1]:
            axis = wp.quat_rotate(rotation, joints.axis[start + linear + k])
            S[start + linear + k] = screw(axis, anchor, reference)
            if joints.kind[joint] != BALL:
                rotation = rotation * wp.quat_from_axis_angle(
                    joints.axis[start + linear + k], joint_q[joints.q_start[joint] + linear + k]
                )


@wp.func
def free_bias(
    joints: Joints,
    joint: int,
    V_p: wp.spatial_vector,
    joint_qd: wp.array(dtype=float),
    com: wp.vec3,
    reference: wp.vec3,
    S: wp.array(dtype=wp.spatial_vector),
):
    """What a free joint's motions change by: directions turn with the parent, the centre moves."""
    start = joints.qd_start[joint]
    V = V_p
    linear = wp.vec3()
    spin = wp.vec3()
    for k in range(3):
        V = V + S[start + k] * joint_qd[start + k] + S[start + 3 + k] * joint_qd[start + 3 + k]
        linear = linear + wp.spatial_top(S[start + k]) * joint_qd[start + k]
        spin = spin + wp.spatial_bottom(S[start + 3 + k]) * joint_qd[start + 3 + k]
    w_p = wp.spatial_bottom(V_p)
    v_com = wp.spatial_top(V) + wp.cross(wp.spatial_bottom(V), com - reference)
    turned = wp.cross(w_p, spin)
    return wp.spatial_vector(
        wp.cross(w_p, linear) + wp.cross(turned, reference - com) + wp.cross(v_com, spin), turned
    )


@wp.func
def other_bias(
    joints: Joints,
    joint: int,
    V_p: wp.spatial_vector,
    joint_qd: wp.array(dtype=float),
    S: wp.array(dtype=wp.spatial_vector),
):
    """What the motions of all other joints change by."""
    start = joints.qd_start[joint]
    linear = joints.dims[joint, 0]
    if joints.kind[joint] == BALL:
        linear = 0
    bias = wp.spatial_vector()
    V = V_p
    for k in range(3):
        if k < linear:
            motion = S[start + k] * joint_qd[start + k]
            bias = bias + moved(V_p, motion)
            V = V + motion
    for k in range(3):
        if k < joints.dims[joint, 1]:
            motion = S[start + linear + k] * joint_qd[start + linear + k]
            bias = bias + moved(V, motion)
            if joints.kind[joint] != BALL:
                V = V + motion
    return bias


@wp.func
def joint_velocity(
    joints: Joints,
    joint: int,
    joint_qd: wp.array(dtype=float),
    S: wp.array(dtype=wp.spatial_vector),
):
    """The velocity that a joint adds."""
    start = joints.qd_start[joint]
    V = wp.spatial_vector()
    for k in range(6):
        if k < joints.qd_start[joint + 1] - start:
            V = V + S[start + k] * joint_qd[start + k]
    return V


@wp.kernel
def motions(
    joints: Joints,
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    body_com: wp.array(dtype=wp.vec3),
    body_world: wp.array(dtype=int),
    gravity: Gravity,
    reference: wp.array(dtype=wp.vec3),
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    S: wp.array(dtype=wp.spatial_vector),
    V: wp.array(dtype=wp.spatial_vector),
    A: wp.array(dtype=wp.spatial_vector),
):
    """One thread an articulation: poses, motions of joints, velocities, accelerations without qdd.

    Accelerations begin with that of a frame that falls upwards: gravity is part of them.
    """
    number = wp.tid()
    first = joints.articulation_start[number]
    origin = wp.transform_get_translation(joints.X_p[first])
    if joints.kind[first] == FREE or joints.kind[first] == DISTANCE:
        origin = wp.transform_point(joints.X_p[first], joint_offset(joints, first, joint_q))
    reference[number] = origin
    for i in range(first, joints.articulation_start[number + 1]):
        parent = joints.parent[i]
        child = joints.child[i]
        X_wp = joints.X_p[i]
        V_p = wp.spatial_vector()
        A_p = wp.spatial_vector(-gravity_of(body_world[child], gravity), wp.vec3())
        if parent >= 0:
            X_wp = body_q[parent] * X_wp
            V_p = V[parent]
            A_p = A[parent]
        turn = joint_rotation(joints, i, joint_q)
        X_wj = X_wp * wp.transform(joint_offset(joints, i, joint_q), turn)
        X_wc = X_wj * wp.transform_inverse(joints.X_c[i])
        body_q[child] = X_wc
        com = wp.transform_point(X_wc, body_com[child])
        frame = wp.transform_get_rotation(X_wp)
        if joints.kind[i] == FREE or joints.kind[i] == DISTANCE:
            free_axes(joints, i, frame, com, origin, S)
            A[child] = A_p + free_bias(joints, i, V_p, joint_qd, com, origin, S)
        else:
            anchor = wp.transform_get_translation(X_wj)
            other_axes(joints, i, frame, anchor, origin, joint_q, S)
            A[child] = A_p + other_bias(joints, i, V_p, joint_qd, S)
        velocity = V_p + joint_velocity(joints, i, joint_qd, S)
        V[child] = velocity
        spin = wp.spatial_bottom(velocity)
        body_qd[child] = wp.spatial_vector(
            wp.spatial_top(velocity) + wp.cross(spin, com - origin), spin
        )


@wp.func
def inertia_at(pose: wp.transform, com: wp.vec3, mass: float, inertia: wp.mat33, point: wp.vec3):
    """The inertia of a body at a point, as a matrix of motions to momenta."""
    R = wp.quat_to_matrix(wp.transform_get_rotation(pose))
    c = wp.skew(wp.transform_point(pose, com) - point)
    J = R * inertia * wp.transpose(R) - c * c * mass
    m = c * mass
    # fmt: off
    return wp.spatial_matrix(
        mass, 0.0, 0.0, -m[0, 0], -m[0, 1], -m[0, 2],
        0.0, mass, 0.0, -m[1, 0], -m[1, 1], -m[1, 2],
        0.0, 0.0, mass, -m[2, 0], -m[2, 1], -m[2, 2],
        m[0, 0], m[0, 1], m[0, 2], J[0, 0], J[0, 1], J[0, 2],
        m[1, 0], m[1, 1], m[1, 2], J[1, 0], J[1, 1], J[1, 2],
        m[2, 0], m[2, 1], m[2, 2], J[2, 0], J[2, 1], J[2, 2],
    )
    # fmt: on


@wp.kernel
def wrenches(
    joint_child: wp.array(dtype=int),
    joint_articulation: wp.array(dtype=int),
    body_q: wp.array(dtype=wp.transform),
    body_com: wp.array(dtype=wp.vec3),
    body_mass: wp.array(dtype=float),
    body_inertia: wp.array(dtype=wp.mat33),
    body_f: wp.array(dtype=wp.spatial_vector),
    reference: wp.array(dtype=wp.vec3),
    V: wp.array(dtype=wp.spatial_vector),
    A: wp.array(dtype=wp.spatial_vector),
    inertia: wp.array(dtype=wp.spatial_matrix),
    F: wp.array(dtype=wp.spatial_vector),
):
    """One thread a joint: the wrench that its child's motion asks for, less what acts on it."""
    i = wp.tid()
    if joint_articulation[i] < 0:
        return
    child = joint_child[i]
    point = reference[joint_articulation[i]]
    pose = body_q[child]
    matrix = inertia_at(pose, body_com[child], body_mass[child], body_inertia[child], point)
    momentum = matrix * V[child]
    v = wp.spatial_top(V[child])
    w = wp.spatial_bottom(V[child])
    p = wp.spatial_top(momentum)
    L = wp.spatial_bottom(momentum)
    given = body_f[child]
    arm = wp.transform_point(pose, body_com[child]) - point
    force = wp.spatial_top(given)
    torque = wp.spatial_bottom(given) + wp.cross(arm, force)
    rate = wp.spatial_vector(wp.cross(w, p), wp.cross(w, L) + wp.cross(v, p))
    inertia[child] = matrix
    F[child] = matrix * A[child] + rate - wp.spatial_vector(force, torque)


@wp.kernel
def gather(
    joints: Joints,
    own_inertia: wp.array(dtype=wp.spatial_matrix),
    own_F: wp.array(dtype=wp.spatial_vector),
    inertia: wp.array(dtype=wp.spatial_matrix),
    F: wp.array(dtype=wp.spatial_vector),
):
    """One thread an articulation: inertias and wrenches of all that a joint carries."""
    number = wp.tid()
    first = joints.articulation_start[number]
    end = joints.articulation_start[number + 1]
    for k in range(end - first):
        i = end - 1 - k
        child = joints.child[i]
        parent = joints.parent[i]
        wp.atomic_add(inertia, child, own_inertia[child])
        wp.atomic_add(F, child, own_F[child])
        if parent >= 0:
            wp.atomic_add(inertia, parent, inertia[child])
            wp.atomic_add(F, parent, F[child])


@wp.kernel
def forces_along_joints(
    joints: Joints,
    joint_articulation: wp.array(dtype=int),
    mask: wp.array(dtype=bool),
    S: wp.array(dtype=wp.spatial_vector),
    F: wp.array(dtype=wp.spatial_vector),
    forces: wp.array(dtype=float),
):
    """One thread a joint: the part of what it carries that lies along its motions."""
    i = wp.tid()
    if not is_chosen(joint_articulation[i], mask):
        return
    for dof in range(joints.qd_start[i], joints.qd_start[i + 1]):
        forces[dof] = wp.dot(S[dof], F[joints.child[i]])


@wp.kernel
def mass_matrix(
    pairs: wp.array2d(dtype=int),
    S: wp.array(dtype=wp.spatial_vector),
    inertia: wp.array(dtype=wp.spatial_matrix),
    armature: wp.array(dtype=float),
    held: wp.array(dtype=int),
    H: wp.array(dtype=float),
):
    """One thread an entry below the diagonal: (row's dof, column's dof, carried body, place).

    What is held has rows of the unit matrix: with no force its acceleration is zero.
    """
    i = wp.tid()
    row = pairs[i, 0]
    column = pairs[i, 1]
    value = wp.dot(S[column], inertia[pairs[i, 2]] * S[row])
    if row == column:
        value = value + armature[row]
    if held:
        if held[row] + held[column] > 0:
            value = wp.where(row == column, 1.0, 0.0)
    H[pairs[i, 3]] = value


@wp.kernel
def factor(
    sizes: wp.array(dtype=int),
    starts: wp.array(dtype=int),
    H: wp.array(dtype=float),
    L: wp.array(dtype=float),
):
    """One thread an articulation: Cholesky's factor. The solve has the gradient of both."""
    number = wp.tid()
    n = sizes[number]
    start = starts[number]
    for j in range(n):
        total = H[start + j * n + j]
        for k in range(j):
            value = L[start + j * n + k]
            total = total - value * value
        pivot = wp.sqrt(wp.max(total, 1.0e-12))
        L[start + j * n + j] = pivot
        for i in range(j + 1, n):
            entry = H[start + i * n + j]
            for k in range(j):
                entry = entry - L[start + i * n + k] * L[start + j * n + k]
            L[start + i * n + j] = entry / pivot


@wp.func
def solve_by(
    n: int,
    start: int,
    dof: int,
    H: wp.array(dtype=float),
    L: wp.array(dtype=float),
    b: wp.array(dtype=float),
    x: wp.array(dtype=float),
    work: wp.array(dtype=float),
):
    """Solve H x = b by the factor of H."""
    for i in range(n):
        total = b[dof + i]
        for k in range(i):
            total = total - L[start + i * n + k] * x[dof + k]
        x[dof + i] = total / L[start + i * n + i]
    for r in range(n):
        i = n - 1 - r
        total = x[dof + i]
        for k in range(i + 1, n):
            total = total - L[start + k * n + i] * x[dof + k]
        x[dof + i] = total / L[start + i * n + i]


@wp.func_grad(solve_by)
def adj_solve_by(
    n: int,
    start: int,
    dof: int,
    H: wp.array(dtype=float),
    L: wp.array(dtype=float),
    b: wp.array(dtype=float),
    x: wp.array(dtype=float),
    work: wp.array(dtype=float),
):
    """With y = H^-1 dx: db += y, dH -= y x', of which the part below the diagonal is kept twice."""
    for i in range(n):
        total = wp.adjoint[x][dof + i]
        for k in range(i):
            total = total - L[start + i * n + k] * work[dof + k]
        work[dof + i] = total / L[start + i * n + i]
    for r in range(n):
        i = n - 1 - r
        total = work[dof + i]
        for k in range(i + 1, n):
            total = total - L[start + k * n + i] * work[dof + k]
        work[dof + i] = total / L[start + i * n + i]
    for i in range(n):
        wp.adjoint[b][dof + i] += work[dof + i]
        for j in range(i + 1):
            change = -work[dof + i] * x[dof + j]
            if i != j:
                change = change - work[dof + j] * x[dof + i]
            wp.adjoint[H][start + i * n + j] += change


@wp.kernel
def solve(
    sizes: wp.array(dtype=int),
    starts: wp.array(dtype=int),
    dofs: wp.array(dtype=int),
    H: wp.array(dtype=float),
    L: wp.array(dtype=float),
    b: wp.array(dtype=float),
    x: wp.array(dtype=float),
    work: wp.array(dtype=float),
):
    """One thread an articulation."""
    number = wp.tid()
    solve_by(sizes[number], starts[number], dofs[number], H, L, b, x, work)
