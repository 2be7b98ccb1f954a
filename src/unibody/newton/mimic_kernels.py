# pyright: basic, reportInvalidTypeForm=false
"""Coordinates of joints that follow others, as a kernel of Warp."""

from __future__ import annotations

import warp as wp


@wp.kernel
def follow(
    chosen: wp.array(dtype=wp.bool),
    mimic_joint: wp.array(dtype=wp.int32),
    mimic_coeffs: wp.array(dtype=wp.vec2),
    joint_q_start: wp.array(dtype=wp.int32),
    joint_qd_start: wp.array(dtype=wp.int32),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    q_new: wp.array(dtype=float),
    qd_new: wp.array(dtype=float),
):
    """One thread a joint."""
    j = wp.tid()
    if chosen:
        if not chosen[j]:
            return
    leader = j
    offset = float(0.0)
    factor = float(1.0)
    if mimic_joint[j] >= 0:
        leader = mimic_joint[j]
        offset = mimic_coeffs[j][0]
        factor = mimic_coeffs[j][1]
    q = joint_q_start[j]
    qd = joint_qd_start[j]
    for k in range(7):  # of fixed length: gradients go through it
        if k < joint_q_start[j + 1] - q:
            q_new[q + k] = offset + factor * joint_q[joint_q_start[leader] + k]
        if k < joint_qd_start[j + 1] - qd:
            qd_new[qd + k] = factor * joint_qd[joint_qd_start[leader] + k]
