# pyright: basic, reportInvalidTypeForm=false
"""What drives of accelerations move, as Warp kernels: see ``smooth_acceleration.moved_inertia``."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.core.engine.rules import warp_kernels as k
from unibody.core.engine.rules.smooth_acceleration import LEAST_RESPONSE

LEAST: float = wp.constant(LEAST_RESPONSE)


@wp.kernel(enable_backward=False)
def drive_inertias(
    joints: k.Joints,
    count: wp.array(dtype=int),
    start: wp.array(dtype=int),
    column: wp.array(dtype=int),
    inertia: wp.array2d(dtype=float),
    factor: wp.array2d(dtype=float),
    y: wp.array2d(dtype=float),
    userdata: wp.array2d(dtype=float),
):
    """Write the inertias of one world, by L' D L of its mass matrix; ``factor`` and ``y`` are work.

    mujoco-warp's own factors are of several kinds, by the size of the trees.
    """
    w = wp.tid()
    rule = userdata[w]
    for n in range(inertia.shape[1]):
        factor[w, n] = inertia[w, n]
    for below in range(count.shape[0]):
        i = count.shape[0] - 1 - below
        diagonal = start[i] + count[i] - 1
        for back in range(1, count[i]):
            entry = diagonal - back
            share = factor[w, entry] / factor[w, diagonal]
            above = column[entry]
            for n in range(count[above]):
                factor[w, start[above] + n] -= factor[w, start[i] + n] * share
            factor[w, entry] = share
    for drive in range(joints.drives):
        base = drive * k.SIZE
        if int(rule[base + k.D_MODE]) == k.ACCELERATION:
            joint = joints.tendon_joint[drive]
            dof = joints.dof[joint]
            if joints.vector_drive[joint] >= 0:
                dof += drive - joints.vector_drive[joint]
            last = start[dof] + count[dof] - 1
            for entry in range(start[dof], last):
                y[w, column[entry]] = 0.0
            y[w, dof] = 1.0
            total = LEAST
            for back in range(count[dof]):
                i = column[last - back]
                diagonal = start[i] + count[i] - 1
                total += y[w, i] * y[w, i] / factor[w, diagonal]
                for entry in range(start[i], diagonal):
                    y[w, column[entry]] -= factor[w, entry] * y[w, i]
            rule[base + k.D_INERTIA] = 1.0 / total


class DriveInertias:
    """Keeps the memory that the kernel works in.

    Args:
        d: The mujoco-warp data.
    """

    def __init__(self, d: Any) -> None:
        self._factor, self._y = wp.empty_like(d.M), wp.empty_like(d.qvel)

    def __call__(self, m: Any, d: Any, joints: k.Joints) -> None:
        """Bring the inertias up to the mass matrices."""
        about = [joints, m.M_rownnz, m.M_rowadr, m.M_colind, d.M]
        work = [self._factor, self._y, d.userdata]
        wp.launch(drive_inertias, dim=d.nworld, inputs=[*about, *work])
