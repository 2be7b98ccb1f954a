# pyright: basic, reportInvalidTypeForm=false
"""Friction of joints by what they carry, as Warp kernels: see ``joint_load_friction``."""

from __future__ import annotations

from typing import Any

import mujoco_warp as mjw
import warp as wp

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules import warp_kernels as k
from unibody.core.engine.rules.warp_joint_creep import Held, creeping

J_BALL: int = wp.constant(t.J_BALL)
B_SPEED_LIMIT: int = wp.constant(t.B_SPEED_LIMIT)


class vec10(wp.types.vector(length=10, dtype=wp.float32)):  # noqa: N801, D101 - a Warp type
    pass


@wp.struct
class Tree:
    """The bodies of a model and the forces on them, (N or 1, nbody) where they differ by world."""

    parent: wp.array(dtype=int)
    root: wp.array(dtype=int)
    dofs: wp.array(dtype=int)
    first: wp.array(dtype=int)
    mass: wp.array2d(dtype=float)
    floats: wp.array2d(dtype=float)  # share of its weight that does not act on a body
    gravity: wp.array(dtype=wp.vec3)
    centre: wp.array2d(dtype=wp.vec3)
    xipos: wp.array2d(dtype=wp.vec3)
    wrench: wp.array2d(dtype=wp.spatial_vector)


@wp.func
def _momentum(i: vec10, v: wp.spatial_vector) -> wp.spatial_vector:
    spin = wp.spatial_top(v)
    speed = wp.spatial_bottom(v)
    moment = wp.vec3(i[6], i[7], i[8])
    inertia = wp.mat33(i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2])
    return wp.spatial_vector(
        inertia @ spin + wp.cross(moment, speed), i[9] * speed + wp.cross(spin, moment)
    )


@wp.kernel(enable_backward=False)
def transmit(
    tree: Tree,
    cinert: wp.array2d(dtype=vec10),
    cvel: wp.array2d(dtype=wp.spatial_vector),
    cdof: wp.array2d(dtype=wp.spatial_vector),
    cdof_dot: wp.array2d(dtype=wp.spatial_vector),
    qvel: wp.array2d(dtype=float),
    qacc: wp.array2d(dtype=float),
    accel: wp.array2d(dtype=wp.spatial_vector),
    force: wp.array2d(dtype=wp.spatial_vector),
):
    """What each body gets from its parent, without constraints: torque and force."""
    w = wp.tid()
    gravity = tree.gravity[w % tree.gravity.shape[0]]
    accel[w, 0] = wp.spatial_vector(wp.vec3(), -gravity)
    force[w, 0] = wp.spatial_vector()
    for body in range(1, tree.parent.shape[0]):
        a = accel[w, tree.parent[body]]
        for dof in range(tree.first[body], tree.first[body] + tree.dofs[body]):
            a += cdof_dot[w, dof] * qvel[w, dof] + cdof[w, dof] * qacc[w, dof]
        accel[w, body] = a
        v = cvel[w, body]
        own = _momentum(cinert[w, body], a)
        moving = _momentum(cinert[w, body], v)
        spin = wp.spatial_top(v)
        push = wp.spatial_bottom(moving)
        turning = wp.cross(spin, wp.spatial_top(moving)) + wp.cross(wp.spatial_bottom(v), push)
        floats = tree.floats[w % tree.floats.shape[0], body]
        pull = wp.spatial_top(tree.wrench[w, body]) - floats * cinert[w, body][9] * gravity
        arm = tree.xipos[w, body] - tree.centre[w, tree.root[body]]
        torque = wp.spatial_bottom(tree.wrench[w, body]) + wp.cross(arm, pull)
        force[w, body] = own + wp.spatial_vector(turning - torque, wp.cross(spin, push) - pull)
    for back in range(1, tree.parent.shape[0]):
        body = tree.parent.shape[0] - back
        parent = tree.parent[body]
        force[w, parent] = force[w, parent] + force[w, body]


@wp.kernel(enable_backward=False)
def limit_friction(
    tree: Tree,
    joints: k.Joints,
    joint_user: wp.array3d(dtype=float),
    body_of: wp.array(dtype=int),
    share: wp.array2d(dtype=float),
    force: wp.array2d(dtype=wp.spatial_vector),
    held: Held,
    qvel: wp.array2d(dtype=float),
    qacc: wp.array2d(dtype=float),
    rows: k.Rows,
):
    """Limit the rows of joint friction by force plus torque about the mass centre."""
    w, row = wp.tid()
    if row >= wp.min(rows.nefc[w], rows.type.shape[1]) or rows.type[w, row] != k.OF_DOF:
        return
    dof = rows.id[w, row]
    user = w % joint_user.shape[0]
    joint = joints.joint_of_dof[dof]
    if joint_user[user, joint, k.J_DAMPING] != 0.0 or joint_user[user, joint, J_BALL] != 0.0:
        return
    body = body_of[dof]
    masses = w % tree.mass.shape[0]
    while body < tree.parent.shape[0] - 1 and tree.mass[masses, body] == 0.0:
        body += 1
    push = wp.spatial_bottom(force[w, body])
    arm = tree.xipos[w, body] - tree.centre[w, tree.root[body]]
    torque = wp.spatial_top(force[w, body]) - wp.cross(arm, push)
    load = wp.length(push) + wp.length(torque)
    once = share[w % share.shape[0], dof] * load / float(held.moves)
    rows.frictionloss[w, row] = float(held.rounds) * once
    if held.moves > 1:
        dt = held.timestep[w % held.timestep.shape[0]]
        lost = once * dt * held.weight[w % held.weight.shape[0], dof]
        limit = held.body_user[w % held.body_user.shape[0], body_of[dof], B_SPEED_LIMIT]
        free = qvel[w, dof] + dt * qacc[w, dof]
        held.speed[w, dof] = creeping(free, lost, held.moves, held.rounds, limit)


def apply_loads(m: Any, d: Any, joints: Any, joint_user: Any, held: Any, rows: Any) -> None:
    """Limit the rows of joint friction of all worlds; ``held`` takes what creeps."""
    mjw.fwd_acceleration(m, d, factorize=True)
    tree = Tree()
    tree.parent, tree.root = m.body_parentid, m.body_rootid
    tree.dofs, tree.first = m.body_dofnum, m.body_dofadr
    tree.mass, tree.floats, tree.gravity = m.body_mass, m.body_gravcomp, m.opt.gravity
    tree.centre, tree.xipos, tree.wrench = d.subtree_com, d.xipos, d.xfrc_applied
    moving = [d.cinert, d.cvel, d.cdof, d.cdof_dot, d.qvel, d.qacc_smooth]
    wp.launch(transmit, dim=d.nworld, inputs=[tree, *moving, d.cacc, d.cfrc_int])
    wp.launch(
        limit_friction,
        dim=(d.nworld, d.njmax),
        inputs=[
            tree,
            joints,
            joint_user,
            m.dof_bodyid,
            m.dof_frictionloss,
            d.cfrc_int,
            held,
            d.qvel,
            d.qacc_smooth,
            rows,
        ],
    )
