# pyright: basic, reportInvalidTypeForm=false
"""Jacobians of centres of mass, and mass matrices from them."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp


@wp.kernel
def jacobian(
    entries: wp.array2d(dtype=int),
    mask: wp.array(dtype=bool),
    S: wp.array(dtype=wp.spatial_vector),
    reference: wp.array(dtype=wp.vec3),
    body_q: wp.array(dtype=wp.transform),
    body_com: wp.array(dtype=wp.vec3),
    J: wp.array3d(dtype=float),
):
    """One thread an entry: (articulation, link, body, dof, column)."""
    i = wp.tid()
    number = entries[i, 0]
    if mask:
        if not mask[number]:
            return
    body = entries[i, 2]
    motion = S[entries[i, 3]]
    spin = wp.spatial_bottom(motion)
    com = wp.transform_point(body_q[body], body_com[body])
    velocity = wp.spatial_top(motion) + wp.cross(spin, com - reference[number])
    row = 6 * entries[i, 1]
    for k in range(3):
        J[number, row + k, entries[i, 4]] = velocity[k]
        J[number, row + 3 + k, entries[i, 4]] = spin[k]


@wp.kernel
def inertias(
    body_q: wp.array(dtype=wp.transform),
    body_mass: wp.array(dtype=float),
    body_inertia: wp.array(dtype=wp.mat33),
    matrices: wp.array(dtype=wp.spatial_matrix),
):
    """Inertias at centres of mass, along the axes of the world."""
    i = wp.tid()
    R = wp.quat_to_matrix(wp.transform_get_rotation(body_q[i]))
    turned = R * body_inertia[i] * wp.transpose(R)
    matrix = wp.spatial_matrix()
    for r in range(3):
        matrix[r, r] = body_mass[i]
        for c in range(3):
            matrix[r + 3, c + 3] = turned[r, c]
    matrices[i] = matrix


@wp.kernel
def mass_matrices(
    articulation_start: wp.array(dtype=int),
    joint_child: wp.array(dtype=int),
    joint_qd_start: wp.array(dtype=int),
    mask: wp.array(dtype=bool),
    matrices: wp.array(dtype=wp.spatial_matrix),
    J: wp.array3d(dtype=float),
    armature: wp.array(dtype=float),
    with_armature: bool,
    H: wp.array3d(dtype=float),
):
    """One thread an entry: the sum over the links of J' I J."""
    number, row, column = wp.tid()
    if mask:
        if not mask[number]:
            return
    first = articulation_start[number]
    end = articulation_start[number + 1]
    base = joint_qd_start[first]
    count = joint_qd_start[end] - base
    if row >= count or column >= count:
        return
    total = float(0.0)
    for joint in range(first, end):
        matrix = matrices[joint_child[joint]]
        link = 6 * (joint - first)
        for k in range(6):
            for m in range(6):
                total += J[number, link + k, row] * matrix[k, m] * J[number, link + m, column]
    if with_armature and row == column:
        total += armature[base + row]
    H[number, row, column] = total
