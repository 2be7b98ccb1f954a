# pyright: basic, reportInvalidTypeForm=false
"""Rigid bodies of SolverVBD: each body is moved to the minimum of its own energy.

Augmented vertex block descent (Giles, Diaz, Yuksel 2025): the stiffness of a joint begins low and
grows with its error, up to what is asked for, so that few rounds suffice for stiff joints.
A body's unknowns are the motion of its centre of mass and a rotation vector, in the world frame.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.solvers.contact_force_kernels import Points
from unibody.newton.solvers.joint_force_kernels import rotation_vector
from unibody.newton.solvers.rigid_vbd_block_kernels import Block, Bodies, Loads, inverse_of
from unibody.newton.solvers.rigid_vbd_contact_kernels import Materials, add_contact
from unibody.newton.solvers.rigid_vbd_joint_kernels import Axes, Joints, add_joint

wp.set_module_options({"enable_backward": False})


@wp.kernel
def solve_bodies(
    group: wp.array(dtype=int),
    bodies: Bodies,
    joints: Joints,
    axes: Axes,
    joint_begins: wp.array(dtype=int),
    joint_numbers: wp.array(dtype=int),
    points: Points,
    shapes: Materials,
    heads: wp.array(dtype=int),
    following: wp.array(dtype=int),
    slow: float,
    dt: float,
    loads: Loads,
    pulls: Loads,
):
    """One thread a body of a colour: a Newton step of its own energy."""
    i = group[wp.tid()]
    if bodies.inv_mass[i] == 0.0:
        return
    pose = bodies.q[i]
    rot = wp.transform_get_rotation(pose)
    com = wp.transform_point(pose, bodies.com[i])
    R = wp.quat_to_matrix(rot)
    heavy = bodies.mass[i] / (dt * dt)
    inertia = R * bodies.inertia[i] * wp.transpose(R) / (dt * dt)
    away = rotation_vector(rot * wp.quat_inverse(wp.transform_get_rotation(bodies.free[i])))
    block = Block()
    block.force = (wp.transform_point(bodies.free[i], bodies.com[i]) - com) * heavy
    block.torque = -(inertia * away)
    block.ll = wp.identity(n=3, dtype=float) * heavy
    block.aa = inertia
    for n in range(joint_begins[i], joint_begins[i + 1]):
        block = add_joint(block, bodies, joints, axes, joint_numbers[n], i, dt)
    entry = int(-1)
    if heads:
        entry = heads[i]
    while entry >= 0:
        block = add_contact(block, bodies, points, shapes, entry / 2, i, slow, dt)
        entry = following[entry]
    if loads.force:
        block.force = block.force + loads.force[i]
        block.torque = block.torque + loads.torque[i]
        block.ll = block.ll + loads.ll[i]
        block.al = block.al + loads.al[i]
        block.aa = block.aa + loads.aa[i]
    if pulls.force:
        block.force = block.force + pulls.force[i]
        block.torque = block.torque + pulls.torque[i]
        block.ll = block.ll + pulls.ll[i]
        block.al = block.al + pulls.al[i]
        block.aa = block.aa + pulls.aa[i]
    inverse = inverse_of(block.ll)
    along = inverse * block.force
    across = block.al * inverse
    turn = inverse_of(block.aa - across * wp.transpose(block.al)) * (
        block.torque - block.al * along
    )
    com = com + along - inverse * (wp.transpose(block.al) * turn)
    size = wp.length(turn)
    if size > 0.0:
        rot = wp.normalize(wp.quat_from_axis_angle(turn / size, size) * rot)
    bodies.q[i] = wp.transform(com - wp.quat_rotate(rot, bodies.com[i]), rot)


@wp.kernel
def hold_massless(
    inv_mass: wp.array(dtype=float),
    q_in: wp.array(dtype=wp.transform),
    q_out: wp.array(dtype=wp.transform),
    placed: wp.array(dtype=wp.transform),
    is_placed: wp.array(dtype=bool),
    before: wp.array(dtype=wp.transform),
):
    """One thread a body: what has no mass stays where the script has put it.

    Contacts see the motion from where it was put in the step before: friction carries with it.
    """
    i = wp.tid()
    before[i] = q_in[i]
    if inv_mass[i] == 0.0:
        q_out[i] = q_in[i]
        if is_placed[i]:
            before[i] = placed[i]
        placed[i] = q_in[i]
    is_placed[i] = inv_mass[i] == 0.0


@wp.func
def share_of(gained: wp.vec3, foreseen: wp.vec3):
    """How much of a foreseen change of velocity there was in the step before."""
    size = wp.length_sq(foreseen)
    if size == 0.0:
        return 1.0
    return wp.clamp(wp.dot(gained, foreseen) / size, 0.0, 1.0)


@wp.kernel
def begin_search(
    bodies: Bodies,
    qd: wp.array(dtype=wp.spatial_vector),
    qd_earlier: wp.array(dtype=wp.spatial_vector),
    dt: float,
):
    """One thread a body: forces count as far as they accelerated the body in the last step.

    Few rounds do not move back again what is held and was put where forces alone would take it.
    """
    i = wp.tid()
    if bodies.inv_mass[i] > 0.0:
        before = bodies.before[i]
        pose = bodies.q[i]
        com = wp.transform_point(pose, bodies.com[i])
        rotation = wp.transform_get_rotation(pose)
        velocity = wp.spatial_top(qd[i])
        more = (com - wp.transform_point(before, bodies.com[i])) / dt - velocity
        share = share_of(velocity - wp.spatial_top(qd_earlier[i]), more)
        com = com - more * ((1.0 - share) * dt)
        spin = wp.spatial_bottom(qd[i])
        turn = rotation * wp.quat_inverse(wp.transform_get_rotation(before))
        more = rotation_vector(turn) / dt - spin
        share = share_of(spin - wp.spatial_bottom(qd_earlier[i]), more)
        back = more * ((share - 1.0) * dt)
        rotation = wp.normalize(rotation + wp.quat(back, 0.0) * rotation * 0.5)
        bodies.q[i] = wp.transform(com - wp.quat_rotate(rotation, bodies.com[i]), rotation)
    qd_earlier[i] = qd[i]


@wp.kernel
def velocities(bodies: Bodies, dt: float, qd: wp.array(dtype=wp.spatial_vector)):
    """Velocities as bodies have moved in the step; those that nothing moves keep theirs."""
    i = wp.tid()
    if bodies.inv_mass[i] == 0.0:
        return
    now = bodies.q[i]
    then = bodies.before[i]
    way = wp.transform_point(now, bodies.com[i]) - wp.transform_point(then, bodies.com[i])
    turn = wp.transform_get_rotation(now) * wp.quat_inverse(wp.transform_get_rotation(then))
    qd[i] = wp.spatial_vector(way / dt, rotation_vector(turn) / dt)
