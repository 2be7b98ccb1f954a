# pyright: basic, reportInvalidTypeForm=false
"""Hysteresis of rods: friction inside of them, by Dahl's law (Dahl 1968)."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.solvers.joint_force_kernels import rotation_vector
from unibody.newton.solvers.rigid_vbd_block_kernels import Bodies
from unibody.newton.solvers.rigid_vbd_joint_kernels import ROD, Axes, Joints, dahl, turn_of

wp.set_module_options({"enable_backward": False})


@wp.func
def torques(joints: Joints, axes: Axes, j: int, turned: wp.vec3):
    """What friction in a rod comes to after it has turned so far about each of its axes."""
    found = wp.vec3()
    for n in range(3):
        part = dahl(joints, axes, j, joints.start[j] + 3 + n, n, turned[n])
        found[n] = part[0]
    return found


@wp.kernel
def begin_hysteresis(
    bodies: Bodies,
    joints: Joints,
    axes: Axes,
    anew: wp.array(dtype=bool),
    first: wp.array(dtype=wp.vec3),
):
    """One thread a joint: what a reset has cleared begins where the rod is."""
    j = wp.tid()
    if joints.kind[j] != ROD or not joints.enabled[j]:
        first[j] = wp.vec3()
        return
    bend = rotation_vector(turn_of(bodies.before, joints, j))
    if anew[j]:
        anew[j] = False
        joints.bent[j] = bend
        joints.bent_by[j] = wp.vec3()
        joints.friction[j] = wp.vec3()
    first[j] = torques(joints, axes, j, bend - joints.bent[j])


@wp.kernel
def end_hysteresis(bodies: Bodies, joints: Joints, axes: Axes):
    """One thread a joint: what its friction has come to in the step."""
    j = wp.tid()
    if joints.kind[j] != ROD:
        return
    bend = rotation_vector(turn_of(bodies.q, joints, j))
    turned = bend - joints.bent[j]
    if joints.enabled[j]:
        joints.friction[j] = torques(joints, axes, j, turned)
        joints.bent_by[j] = turned
    else:
        joints.friction[j] = wp.vec3()
        joints.bent_by[j] = wp.vec3()
    joints.bent[j] = bend
