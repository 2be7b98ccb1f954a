"""Layouts of articulations' matrices, and what evaluates their motions and inertias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from unibody.newton.model import Model


def joints_of(model: Model) -> Any:
    """The joints of a model, as a struct of kernels."""
    from unibody.newton.articulation_kernels import Joints

    joints: Any = Joints()
    joints.articulation_start = model.articulation_start
    joints.kind, joints.parent, joints.child = (
        model.joint_type,
        model.joint_parent,
        model.joint_child,
    )
    joints.X_p, joints.X_c, joints.axis = model.joint_X_p, model.joint_X_c, model.joint_axis
    joints.dims = model.joint_dof_dim
    joints.q_start, joints.qd_start = model.joint_q_start, model.joint_qd_start
    return joints


@dataclass
class Layout:
    """Where the mass matrices of articulations lie in one array, and which entries they have.

    Attributes:
        sizes: Degrees of freedom of each articulation.
        starts: Where its matrix begins.
        dofs: Its first degree of freedom.
        pairs: Rows of (row's dof, column's dof, carried body, place), below the diagonal.
        total: Entries of all matrices.
    """

    sizes: wp.array[Any]
    starts: wp.array[Any]
    dofs: wp.array[Any]
    pairs: wp.array[Any]
    total: int


def layout_of(model: Model) -> Layout:
    """The layout of a model's mass matrices."""
    start = model.articulation_start.numpy()
    qd = model.joint_qd_start.numpy()
    child = model.joint_child.numpy()
    parent = model.joint_parent.numpy()
    joint_of = {int(body): joint for joint, body in enumerate(child.tolist())}
    first = qd[start[:-1]]
    sizes = qd[start[1:]] - first
    starts = np.concatenate([[0], np.cumsum(sizes.astype(np.int64) ** 2)])
    rows: list[tuple[int, int, int, int]] = []
    for number in range(len(sizes)):
        n, offset, base = int(sizes[number]), int(starts[number]), int(first[number])
        for joint in range(start[number], start[number + 1]):
            above: int | None = joint
            while above is not None:
                for row in range(qd[joint], qd[joint + 1]):
                    for column in range(qd[above], min(qd[above + 1], row + 1)):
                        place = offset + (row - base) * n + column - base
                        rows.append((row, column, int(child[joint]), place))
                above = joint_of.get(int(parent[above])) if parent[above] >= 0 else None
    with wp.ScopedDevice(model.device):
        return Layout(
            wp.array(sizes, dtype=wp.int32),
            wp.array(starts[:-1].astype(np.int32), dtype=wp.int32),
            wp.array(first, dtype=wp.int32),
            wp.array(np.array(rows, np.int32).reshape(-1, 4), dtype=wp.int32),
            int(starts[-1]),
        )
