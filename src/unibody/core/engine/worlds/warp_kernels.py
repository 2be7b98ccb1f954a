# pyright: basic, reportInvalidTypeForm=false
"""Velocities, forces, Jacobians and mass matrices of many worlds on a Warp device."""

from __future__ import annotations

import warp as wp

from unibody.core.engine.rules.warp_contacts import Contacts
from unibody.core.engine.rules.warp_kernels import OF_DOF, OF_LIMIT, OF_TENDON, Joints, Rows

BALL: int = wp.constant(1)  # mjtJoint


@wp.kernel(enable_backward=False)
def velocities(
    root: wp.array(dtype=int),
    cvel: wp.array2d(dtype=wp.spatial_vector),
    xipos: wp.array2d(dtype=wp.vec3),
    centre: wp.array2d(dtype=wp.vec3),
    linear: wp.array2d(dtype=wp.vec3),
    angular: wp.array2d(dtype=wp.vec3),
):
    """Velocity of mass centres and angular velocity, from velocities about the trees' centres."""
    w, body = wp.tid()
    spin = wp.spatial_top(cvel[w, body])
    arm = xipos[w, body] - centre[w, root[body]]
    angular[w, body] = spin
    linear[w, body] = wp.spatial_bottom(cvel[w, body]) + wp.cross(spin, arm)


@wp.kernel(enable_backward=False)
def contact_wrenches(
    contacts: Contacts,
    geom_body: wp.array(dtype=int),
    efc_force: wp.array2d(dtype=float),
    xipos: wp.array2d(dtype=wp.vec3),
    out: wp.array2d(dtype=wp.spatial_vector),
):
    """Add the force and torque of every contact to its two bodies, at their mass centres."""
    i = wp.tid()
    if i >= wp.min(contacts.count[0], contacts.world.shape[0]):
        return
    w = contacts.world[i]
    g1 = contacts.geom[i][0]
    g2 = contacts.geom[i][1]
    if contacts.row[i, 0] < 0 or g1 < 0 or g2 < 0:
        return
    local = wp.vec3()
    turn = wp.vec3()
    for j in range(contacts.dim[i]):
        value = efc_force[w, contacts.row[i, j]]
        if j == 0:
            local[j] = contacts.stretch[i] * value
        elif j < 3:
            local[j] = value
        else:
            turn[j - 3] = value
    axes = wp.transpose(contacts.frame[i])
    force = axes @ local
    torque = axes @ turn
    b1 = geom_body[g1]
    b2 = geom_body[g2]
    point = contacts.pos[i]
    there = torque + wp.cross(point - xipos[w, b2], force)
    here = torque + wp.cross(point - xipos[w, b1], force)
    wp.atomic_add(out, w, b2, wp.spatial_vector(force, there))
    wp.atomic_add(out, w, b1, wp.spatial_vector(-force, -here))


@wp.kernel(enable_backward=False)
def dof_forces(
    joints: Joints,
    joint_type: wp.array(dtype=int),
    limits: wp.array2d(dtype=wp.vec2),
    qpos: wp.array2d(dtype=float),
    efc_force: wp.array2d(dtype=float),
    rows: Rows,
    out: wp.array2d(dtype=float),
):
    """Add the force of every row that belongs to one joint; limits of ball joints are left out."""
    w, row = wp.tid()
    if row >= wp.min(rows.nefc[w], rows.type.shape[1]):
        return
    kind = rows.type[w, row]
    number = rows.id[w, row]
    force = efc_force[w, row]
    if kind == OF_DOF:
        wp.atomic_add(out, w, number, force)
    elif kind == OF_TENDON and number < joints.drives:
        wp.atomic_add(out, w, joints.dof[joints.tendon_joint[number]], force)
    elif kind == OF_LIMIT and joint_type[number] != BALL:
        q = qpos[w, joints.qpos[number]]
        bounds = limits[w % limits.shape[0], number]
        side = wp.where(q - bounds[0] < bounds[1] - q, 1.0, -1.0)
        wp.atomic_add(out, w, joints.dof[number], side * force)


@wp.kernel(enable_backward=False)
def jacobians(
    first_body: int,
    first_dof: int,
    root: wp.array(dtype=int),
    ancestor: wp.array2d(dtype=int),
    cdof: wp.array2d(dtype=wp.spatial_vector),
    xipos: wp.array2d(dtype=wp.vec3),
    centre: wp.array2d(dtype=wp.vec3),
    out: wp.array4d(dtype=float),
):
    """Columns of the Jacobians of the links' mass centres."""
    w, link, dof = wp.tid()
    body = first_body + link
    if ancestor[body, first_dof + dof] == 0:
        return
    motion = cdof[w, first_dof + dof]
    spin = wp.spatial_top(motion)
    v = wp.spatial_bottom(motion) + wp.cross(spin, xipos[w, body] - centre[w, root[body]])
    for i in range(3):
        out[w, link, i, dof] = v[i]
        out[w, link, 3 + i, dof] = spin[i]


@wp.kernel(enable_backward=False)
def mass_matrices(
    first_dof: int,
    row_count: wp.array(dtype=int),
    row_address: wp.array(dtype=int),
    column: wp.array(dtype=int),
    inertia: wp.array2d(dtype=float),
    out: wp.array3d(dtype=float),
):
    """Dense matrices from MuJoCo's sparse lower triangles."""
    w, i = wp.tid()
    start = row_address[first_dof + i]
    for entry in range(start, start + row_count[first_dof + i]):
        j = column[entry] - first_dof
        out[w, i, j] = inertia[w, entry]
        out[w, j, i] = inertia[w, entry]
