# pyright: basic, reportInvalidTypeForm=false
"""Control laws in coordinates of joints, and blocks of mass matrices."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp


@wp.kernel
def demands(
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    joint_q_des: wp.array(dtype=float),
    joint_qd_des: wp.array(dtype=float),
    joint_qdd: wp.array(dtype=float),
    stiffness: wp.array(dtype=float),
    damping: wp.array(dtype=float),
    wanted: wp.array(dtype=float),
):
    """What springs and dampers towards the desired motion ask of each controlled joint."""
    i = wp.tid()
    value = stiffness[i] * (joint_q_des[i] - joint_q[i])
    value += damping[i] * (joint_qd_des[i] - joint_qd[i])
    if joint_qdd:
        value += joint_qdd[i]
    wanted[i] = value


@wp.kernel
def forces(
    places: wp.array2d(dtype=int),
    wanted: wp.array(dtype=float),
    mass_matrix: wp.array3d(dtype=float),
    gravity_force: wp.array(dtype=float),
    coriolis_force: wp.array(dtype=float),
    joint_f: wp.array(dtype=float),
):
    """One thread a controlled joint: (robot, row of its matrix, its first joint, its joints)."""
    i = wp.tid()
    value = float(0.0)
    if mass_matrix:
        for column in range(places[i, 3]):
            entry = mass_matrix[places[i, 0], places[i, 1], column]
            value += entry * wanted[places[i, 2] + column]
    else:
        value = wanted[i]
    if gravity_force:
        value += gravity_force[i]
    if coriolis_force:
        value += coriolis_force[i]
    joint_f[i] = value


@wp.kernel
def controlled_blocks(
    entries: wp.array2d(dtype=int),
    mass_matrix: wp.array3d(dtype=float),
    blocks: wp.array3d(dtype=float),
):
    """One thread an entry: (articulation, row, column) of it, then (robot, row, column) here."""
    i = wp.tid()
    value = mass_matrix[entries[i, 0], entries[i, 1], entries[i, 2]]
    blocks[entries[i, 3], entries[i, 4], entries[i, 5]] = value
