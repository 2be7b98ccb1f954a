"""eval_inverse_dynamics_passive and _force: what articulations ask for to move in some way."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton.articulations import joints_of
from unibody.newton.gravity_kernels import gravity_of_worlds
from unibody.newton.jacobians import eval_mass_matrix
from unibody.newton.model import Model
from unibody.newton.state import State


def eval_inverse_dynamics_passive(
    model: Model,
    state: State,
    *,
    mass_matrix: wp.array[Any] | None = None,
    gravity_force: wp.array[Any] | None = None,
    coriolis_force: wp.array[Any] | None = None,
    mask: wp.array[Any] | None = None,
) -> None:
    """Work out terms of ``tau = M(q) qdd + C(q, qd) qd + g(q)`` of articulations.

    The mass matrix of a free joint is that of its parent's frame; its g and ``C qd`` are in the
    world, as ``Control.joint_f`` is.

    Args:
        model: The model.
        state: Its ``joint_q`` and ``joint_qd`` count, and for mass matrices ``body_q``.
        mass_matrix: Gets M with the armature of joints, shape (articulations, most degrees of
            freedom, as many).
        gravity_force: Gets g [N or N m], one value a degree of freedom.
        coriolis_force: Gets ``C qd`` [N or N m], one value a degree of freedom.
        mask: Articulations that are worked out; the values of others are zero.
    """
    _check(model, mask, gravity_force=gravity_force, coriolis_force=coriolis_force)
    if mass_matrix is not None:
        eval_mass_matrix(model, state, H=mass_matrix, mask=mask, include_armature=True)
    if gravity_force is not None:
        still = wp.zeros_like(state.joint_qd)
        _forces_without_acceleration(model, state.joint_q, still, True, mask, gravity_force)
    if coriolis_force is not None:
        _forces_without_acceleration(
            model, state.joint_q, state.joint_qd, False, mask, coriolis_force
        )


def eval_inverse_dynamics_force(
    model: Model,
    state: State,
    *,
    mass_matrix: wp.array[Any],
    joint_qdd: wp.array[Any],
    coriolis_force: wp.array[Any],
    gravity_force: wp.array[Any],
    joint_f: wp.array[Any],
    mask: wp.array[Any] | None = None,
) -> None:
    """Work out the forces on joints with which these accelerate in some way.

    They are ``tau = M(q) qdd + C(q, qd) qd + g(q)``. The mass matrix of a free joint is that of its
    parent's frame, and its force is in the world, as ``Control.joint_f`` has it.

    Args:
        model: The model.
        state: Its ``body_q`` says how parents of free joints are turned.
        mass_matrix: Of `eval_inverse_dynamics_passive`.
        joint_qdd: Accelerations [m/s^2 or rad/s^2], one value a degree of freedom.
        coriolis_force: Of `eval_inverse_dynamics_passive`.
        gravity_force: Of `eval_inverse_dynamics_passive`.
        joint_f: Gets the forces [N or N m], one value a degree of freedom.
        mask: Articulations that are worked out; the forces of others are zero.
    """
    forces = {"coriolis_force": coriolis_force, "gravity_force": gravity_force}
    _check(model, mask, joint_qdd=joint_qdd, joint_f=joint_f, **forces)
    count, most = model.articulation_count, model.max_dofs_per_articulation
    if mass_matrix.shape != (count, most, most):
        there = f"shape ({count}, {most}, {most})"
        raise InvalidArgumentError("mass_matrix", f"shape {mass_matrix.shape}", there)
    joint_f.zero_()
    if not count:
        return
    from unibody.newton import inverse_dynamics_kernels as kernels

    with wp.ScopedDevice(model.device):
        joints, of = joints_of(model), model.joint_articulation
        wp.launch(
            kernels.forces_of_accelerations,
            dim=model.joint_count,
            inputs=[joints, of, mask, mass_matrix, joint_qdd],
            outputs=[joint_f],
        )
        wp.launch(
            kernels.turn_into_world,
            dim=model.joint_count,
            inputs=[joints, state.body_q],
            outputs=[joint_f],
        )
        wp.launch(
            kernels.add_forces,
            dim=model.joint_count,
            inputs=[of, model.joint_qd_start, mask, coriolis_force, gravity_force],
            outputs=[joint_f],
        )


def _check(model: Model, mask: wp.array[Any] | None, **rows: wp.array[Any] | None) -> None:
    """Refuse a mask without a value an articulation, and rows without one a degree of freedom."""
    if mask is not None and mask.shape != (model.articulation_count,):
        there = f"shape ({model.articulation_count},), one value an articulation"
        raise InvalidArgumentError("mask", f"shape {mask.shape}", there)
    for name, row in rows.items():
        if row is not None and row.shape != (model.joint_dof_count,):
            there = f"shape ({model.joint_dof_count},), one value a degree of freedom"
            raise InvalidArgumentError(name, f"shape {row.shape}", there)


def _forces_without_acceleration(
    model: Model,
    joint_q: wp.array[Any],
    joint_qd: wp.array[Any],
    falls: bool,
    mask: wp.array[Any] | None,
    forces: wp.array[Any],
) -> None:
    """Write the forces on joints with which no joint accelerates, those of free ones in the world.

    Args:
        model: The model.
        joint_q: Positions of joints.
        joint_qd: Velocities of joints.
        falls: Whether gravity acts.
        mask: Articulations that are worked out; None: all.
        forces: What is written.
    """
    from unibody.newton import articulation_kernels as kernels
    from unibody.newton.inverse_dynamics_kernels import turn_into_world

    forces.zero_()
    if not model.articulation_count:
        return
    with wp.ScopedDevice(model.device):
        joints = joints_of(model)
        gravity = gravity_of_worlds(model)
        if not falls:
            gravity.rows = wp.zeros_like(gravity.rows)
        reference = wp.zeros(model.articulation_count, dtype=wp.vec3)
        body_q = wp.zeros(model.body_count, dtype=wp.transform)
        body_qd, V, A, body_f, own_F, F = (
            wp.zeros(model.body_count, dtype=wp.spatial_vector) for _ in range(6)
        )
        own_inertia, inertia = (
            wp.zeros(model.body_count, dtype=wp.spatial_matrix) for _ in range(2)
        )
        S = wp.zeros(model.joint_dof_count, dtype=wp.spatial_vector)
        wp.launch(
            kernels.motions,
            dim=model.articulation_count,
            inputs=[joints, joint_q, joint_qd, model.body_com, model.body_world, gravity],
            outputs=[reference, body_q, body_qd, S, V, A],
        )
        bodies = [model.body_com, model.body_mass, model.body_inertia, body_f]
        wp.launch(
            kernels.wrenches,
            dim=model.joint_count,
            inputs=[
                model.joint_child,
                model.joint_articulation,
                body_q,
                *bodies,
                reference,
                V,
                A,
            ],
            outputs=[own_inertia, own_F],
        )
        wp.launch(
            kernels.gather,
            dim=model.articulation_count,
            inputs=[joints, own_inertia, own_F],
            outputs=[inertia, F],
        )
        wp.launch(
            kernels.forces_along_joints,
            dim=model.joint_count,
            inputs=[joints, model.joint_articulation, mask, S, F],
            outputs=[forces],
        )
        wp.launch(turn_into_world, model.joint_count, inputs=[joints, body_q], outputs=[forces])
