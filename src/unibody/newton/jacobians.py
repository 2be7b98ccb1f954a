"""eval_jacobian and eval_mass_matrix: linear maps between velocities of joints and of bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton import exceptions
from unibody.newton.articulations import joints_of
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.gravity_kernels import gravity_of_worlds
from unibody.newton.kinematics import eval_ik
from unibody.newton.model import Model
from unibody.newton.state import MaybeArray, State


def eval_jacobian(
    model: Model,
    state: State,
    J: wp.array[Any] | None = None,
    joint_S_s: wp.array[Any] | None = None,
    mask: wp.array[Any] | None = None,
) -> MaybeArray:
    """Work out how velocities of bodies depend on those of joints.

    ``J @ joint_qd`` are rows of ``body_qd``: velocities of centres of mass and angular velocities.

    Args:
        model: The model.
        state: Its ``body_q`` counts.
        J: What is written, shape (articulations, 6 * most joints, most degrees of freedom).
        joint_S_s: Gets the motion of each degree of freedom, as a spatial vector at a point near
            the articulation's root.
        mask: Articulations that are worked out; the rows of others are zero.

    Returns:
        The Jacobians; None: there are no articulations.
    """
    if not model.articulation_count:
        return None
    from unibody.newton.articulation_kernels import motions
    from unibody.newton.jacobian_kernels import jacobian

    _check(model, mask)
    rows, columns = 6 * model.max_joints_per_articulation, model.max_dofs_per_articulation
    with wp.ScopedDevice(model.device):
        if J is None:
            J = wp.zeros((model.articulation_count, rows, columns), dtype=float)
        else:
            J.zero_()
        if joint_S_s is None:
            joint_S_s = wp.zeros(model.joint_dof_count, dtype=wp.spatial_vector)
        joint_q, joint_qd = wp.clone(model.joint_q), wp.zeros_like(model.joint_qd)
        eval_ik(model, state, joint_q, joint_qd)
        joint_qd.zero_()
        reference = wp.zeros(model.articulation_count, dtype=wp.vec3)
        body_q = wp.clone(state.body_q)
        unused = [wp.zeros(model.body_count, dtype=wp.spatial_vector) for _ in range(3)]
        wp.launch(
            motions,
            dim=model.articulation_count,
            inputs=[
                joints_of(model),
                joint_q,
                joint_qd,
                model.body_com,
                model.body_world,
                gravity_of_worlds(model),
            ],
            outputs=[reference, body_q, unused[0], joint_S_s, unused[1], unused[2]],
        )
        entries = wp.array(_entries(model), dtype=wp.int32)
        wp.launch(
            jacobian,
            dim=len(entries),
            inputs=[entries, mask, joint_S_s, reference, body_q, model.body_com],
            outputs=[J],
        )
    return J


def eval_mass_matrix(
    model: Model,
    state: State,
    H: wp.array[Any] | None = None,
    J: wp.array[Any] | None = None,
    body_I_s: wp.array[Any] | None = None,
    joint_S_s: wp.array[Any] | None = None,
    mask: wp.array[Any] | None = None,
    *,
    include_armature: bool | None = None,
) -> MaybeArray:
    """Work out the mass matrices of articulations.

    Args:
        model: The model.
        state: Its ``body_q`` counts.
        H: What is written, shape (articulations, most degrees of freedom, as many).
        J: Jacobians of `eval_jacobian`; None: they are worked out.
        body_I_s: Gets the inertia of each body at its centre of mass, in the world's axes.
        joint_S_s: As that of `eval_jacobian`.
        mask: Articulations that are worked out; the rows of others are zero.
        include_armature: Whether the armature of joints is part of the diagonal; None: in releases
            after 1.0 it is.

    Returns:
        The mass matrices; None: there are no articulations.
    """
    if not model.articulation_count:
        return None
    from unibody.newton import jacobian_kernels as kernels

    later = is_after_first_of_1()
    if include_armature is not None and not include_armature and later:
        text = (
            "include_armature=False of eval_mass_matrix is deprecated in Newton 1.8:"
            " Model.joint_armature can be taken off the diagonal"
        )
        exceptions.warn(text, exceptions.NewtonDeprecationWarning)
    _check(model, mask)
    if J is None:
        J = eval_jacobian(model, state, joint_S_s=joint_S_s, mask=mask)
    count = model.max_dofs_per_articulation
    shape = (model.articulation_count, count, count)
    with wp.ScopedDevice(model.device):
        if H is None:
            H = wp.zeros(shape, dtype=float)
        else:
            H.zero_()
        if body_I_s is None:
            body_I_s = wp.zeros(model.body_count, dtype=wp.spatial_matrix)
        wp.launch(
            kernels.inertias,
            dim=model.body_count,
            inputs=[state.body_q, model.body_mass, model.body_inertia],
            outputs=[body_I_s],
        )
        wp.launch(
            kernels.mass_matrices,
            dim=shape,
            inputs=[
                model.articulation_start,
                model.joint_child,
                model.joint_qd_start,
                mask,
                body_I_s,
                J,
                model.joint_armature,
                later if include_armature is None else include_armature,
            ],
            outputs=[H],
        )
    return H


def _check(model: Model, mask: wp.array[Any] | None) -> None:
    if mask is not None and mask.shape != (model.articulation_count,):
        there = f"shape ({model.articulation_count},), one value an articulation"
        raise InvalidArgumentError("mask", f"shape {mask.shape}", there)


def _entries(model: Model) -> np.ndarray:
    """Rows of (articulation, link, body, dof, column): what each joint moves."""
    start = model.articulation_start.numpy()
    qd = model.joint_qd_start.numpy()
    child = model.joint_child.numpy()
    above = model.joint_ancestor.numpy()
    rows: list[tuple[int, int, int, int, int]] = []
    for number in range(len(start) - 1):
        base = qd[start[number]]
        for joint in range(start[number], start[number + 1]):
            moving = joint
            while moving >= 0:
                rows += [
                    (number, joint - start[number], child[joint], dof, dof - base)
                    for dof in range(qd[moving], qd[moving + 1])
                ]
                moving = above[moving]
    return np.array(rows, np.int32).reshape(-1, 5)
