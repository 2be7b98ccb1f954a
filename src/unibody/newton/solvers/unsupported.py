"""What of a model a solver cannot move, said when the solver is made."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import NotSupportedError
from unibody.newton import exceptions
from unibody.newton.enums import JointType
from unibody.newton.model import Model
from unibody.notices import tell_once

_WITH_TENDONS = ("SolverXPBD", "SolverVBD")
_NEAREST = {
    JointType.CABLE: "a D6 joint with gains in place of each cable joint",
    JointType.ROD: "SolverVBD, or D6 joints with gains",
    JointType.DISTANCE: "SolverXPBD or SolverSemiImplicit",
}

_NO_FOLLOWERS = (JointType.BALL, JointType.FIXED, JointType.FREE, JointType.DISTANCE)
_NAMED = 10  # joints in a warning


def refuse_unsupported(
    model: Model,
    solver: str,
    *kinds: JointType,
    constraints: tuple[str, ...] = (),
    muscles: bool = False,
    passive: bool = False,
) -> None:
    """Refuse joints and muscles that a solver has no forces for, and say what it leaves out.

    Args:
        model: The model.
        solver: Its name, for messages.
        *kinds: Joints that it does not know, beside those of cables.
        constraints: Kinds of constraints that it does know.
        muscles: Whether it knows muscles.
        passive: Whether joints have springs and damping of their own in it.

    Raises:
        NotSupportedError: The model has such a joint, or muscles.
        ValueError: It has a rod.
    """
    if not muscles:
        refuse_muscles(model, solver)
    present = set(model.joint_type.numpy().tolist())
    for kind in (JointType.CABLE, JointType.ROD, *kinds):
        if kind in present:
            joint = int(np.flatnonzero(model.joint_type.numpy() == kind)[0])
            if kind == JointType.ROD:  # which came with 1.x, where this is the error
                raise ValueError(
                    f"{solver} does not support JointType.ROD, the kind of joint {joint}:"
                    f" {_NEAREST[kind]}"
                )
            what = f"{solver} with joint {joint} of kind {kind.name}"
            raise NotSupportedError(what, _NEAREST[kind])
    for name, count in (
        ("equality constraints", "equality_constraint_count"),
        ("mimic constraints", "constraint_mimic_count"),
    ):
        if getattr(model, count, 0) and name not in constraints:
            tell_once(f"{solver} leaves out the model's {name}: SolverMuJoCo has them")
    tell_of_attachments(model, solver)
    if passive:
        return
    for name in ("stiffness", "damping"):
        if getattr(model, f"joint_{name}").numpy().any():
            tell_once(f"{solver} leaves out joint_{name}: SolverMuJoCo and SolverFeatherstone act")


def refuse_muscles(model: Model, solver: str) -> None:
    """Refuse a model with muscles.

    Raises:
        NotSupportedError: The model has some.
    """
    if model.muscle_count:
        raise NotSupportedError(
            f"{solver} with muscles", "SolverSemiImplicit and SolverFeatherstone pull at them"
        )


def refuse_features(contacts: Any, solver: str) -> None:
    """Refuse contacts of edges and triangles of soft bodies.

    Raises:
        NotSupportedError: They may be among the contacts.
    """
    if contacts is not None and contacts.soft_features:
        raise NotSupportedError(
            f"{solver} with contacts of edges and triangles"
            " (enable_rigid_soft_full_surface_contact=True)",
            "SolverVBD acts on them; without them particles touch shapes",
        )


def tell_of_attachments(model: Model, solver: str) -> None:
    """Say once that a solver leaves out attachments and tendons, if there are some and it does."""
    if getattr(model, "attachment_particle_body_count", 0):
        tell_once(f"{solver} leaves out attachments of particles to bodies: SolverVBD has them")
    if getattr(model, "tendon_count", 0) and solver not in _WITH_TENDONS:
        tell_once(f"{solver} leaves out tendons (add_tendon): {' and '.join(_WITH_TENDONS)} pull")


def tell_of_followers(model: Model, solver: str) -> None:
    """Warn of joints that should follow others and have no coordinates that a solver couples."""
    found = np.flatnonzero(model.joint_mimic_joint.numpy() >= 0)
    unable = np.isin(model.joint_type.numpy()[found], [int(kind) for kind in _NO_FOLLOWERS])
    wrong = found[unable].tolist()
    if wrong:
        more = f"; {len(wrong) - _NAMED} additional indices omitted" if len(wrong) > _NAMED else ""
        text = f"{solver}: unsupported follower joint indices: {wrong[:_NAMED]}{more}."
        exceptions.warn(text)


def tell_of_independence(model: Model, solver: str) -> None:
    """Say once that a solver lets no joints follow others, where some should."""
    if (model.joint_mimic_joint.numpy() >= 0).any():
        nearest = "SolverMuJoCo, SolverFeatherstone, SolverXPBD and SolverSemiImplicit have them"
        tell_once(f"{solver} leaves out joints that follow others: {nearest}")
