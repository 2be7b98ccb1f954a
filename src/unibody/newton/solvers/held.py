"""Kinematic bodies, which move as scripts write their states: what solvers leave as it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton.enums import BodyFlags
from unibody.newton.model import Model


def kinematic_bodies(model: Model) -> np.ndarray:
    """Which bodies are kinematic, (bodies,)."""
    return (model.body_flags.numpy() & int(BodyFlags.KINEMATIC)) != 0


def kinematic_dofs(model: Model) -> np.ndarray:
    """Which degrees of freedom move kinematic bodies, (dofs,)."""
    if not model.joint_count:
        return np.zeros(0, dtype=bool)
    of_joint = kinematic_bodies(model)[model.joint_child.numpy()]
    return np.repeat(of_joint, np.diff(model.joint_qd_start.numpy()))


def held_dofs(model: Model) -> wp.array[Any] | None:
    """Degrees of freedom of kinematic bodies, and those that move no mass, as ones.

    None where there are none of either.
    """
    held = kinematic_dofs(model) | massless_dofs(model)
    if not held.any():
        return None
    return wp.array(held.astype(np.int32), dtype=wp.int32, device=model.device)


def massless_dofs(model: Model) -> np.ndarray:
    """Which degrees of freedom move neither mass nor armature, (dofs,): no force is theirs."""
    if not model.joint_count:
        return np.zeros(0, dtype=bool)
    heavy = model.body_mass.numpy() > 0.0
    heavy |= model.body_inertia.numpy().reshape(-1, 9).any(axis=1)
    carried = heavy[model.joint_child.numpy()]
    above = model.joint_ancestor.numpy()
    risen = np.flatnonzero(carried)
    while len(risen):
        risen = above[risen]
        risen = np.unique(risen[risen >= 0])
        risen = risen[~carried[risen]]
        carried[risen] = True
    light = np.repeat(~carried, np.diff(model.joint_qd_start.numpy()))
    return light & (model.joint_armature.numpy() <= 0.0)


def inverse_masses(model: Model, held: bool) -> tuple[wp.array[Any], wp.array[Any]]:
    """Inverse masses and inertias of bodies; zero for kinematic ones.

    Args:
        model: The model.
        held: Whether there are kinematic bodies; if not, these are the model's own arrays.
    """
    if not held:
        return model.body_inv_mass, model.body_inv_inertia
    from unibody.newton.solvers.integration_kernels import mass_of_moving

    mass = wp.empty_like(model.body_inv_mass, requires_grad=False)
    inertia = wp.empty_like(model.body_inv_inertia, requires_grad=False)
    wp.launch(
        mass_of_moving,
        dim=model.body_count,
        inputs=[model.body_flags, model.body_inv_mass, model.body_inv_inertia],
        outputs=[mass, inertia],
        device=model.device,
    )
    return mass, inertia


def refuse_held_links(model: Model, allowed: np.ndarray | None = None) -> None:
    """Refuse kinematic bodies that another body carries, and new ones where roots cannot switch.

    Args:
        model: The model.
        allowed: Bodies that may be kinematic; None: all roots.

    Raises:
        ValueError: There is one.
    """
    fresh = (
        np.zeros(0, int) if allowed is None else np.flatnonzero(kinematic_bodies(model) & ~allowed)
    )
    if len(fresh):
        raise ValueError(
            f"body {fresh[0]} ({model.body_key[fresh[0]]!r}) cannot turn kinematic with"
            " kinematic_switchable_roots=False: Mark the body kinematic before creating the solver"
        )
    held = kinematic_bodies(model)[model.joint_child.numpy()]
    wrong = held & (model.joint_parent.numpy() >= 0) & (model.joint_articulation.numpy() >= 0)
    if wrong.any():
        body = int(model.joint_child.numpy()[wrong][0])
        raise ValueError(
            f"body {body} ({model.body_key[body]!r}) is kinematic and has a parent: Only root"
            " bodies, whose parent is the world (-1), can be kinematic"
        )
