"""changeDynamics for the arguments that scripts give most: one function for each group of them.

What they cannot tell is right they leave to changeDynamics itself.
"""

from __future__ import annotations

from collections.abc import Callable

from unibody.bullet.client import clients, real
from unibody.bullet.dynamics import (
    change_contact,
    change_damping,
    change_friction,
    change_joint,
    change_mass,
    changeDynamics,
)
from unibody.core.engine import edits
from unibody.core.engine.builtins.forms import Form


def _mass(bodyUniqueId: int, linkIndex: int, mass: float, physicsClientId: int) -> None:
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        changeDynamics(bodyUniqueId, linkIndex, mass, physicsClientId=physicsClientId)
        return
    if -1 <= linkIndex < body.joint_count and mass >= 0:
        change_mass(body, linkIndex + 1, mass if mass.__class__ is float else real(mass))


def _sliding_friction(
    bodyUniqueId: int, linkIndex: int, lateralFriction: float, physicsClientId: int
) -> None:
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        changeDynamics(
            bodyUniqueId, linkIndex, lateralFriction=lateralFriction,
            physicsClientId=physicsClientId,
        )  # fmt: skip
        return
    if -1 <= linkIndex < body.joint_count and lateralFriction >= 0:
        if lateralFriction.__class__ is not float:
            lateralFriction = real(lateralFriction)
        record = body.record
        present, spinning, rolling = record.links[linkIndex + 1].friction
        if present != lateralFriction:
            friction = (lateralFriction, spinning, rolling)
            edits.set_friction(body.scene, record, linkIndex + 1, friction)


def _restitution(
    bodyUniqueId: int, linkIndex: int, restitution: float, physicsClientId: int
) -> None:
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        changeDynamics(
            bodyUniqueId, linkIndex, restitution=restitution, physicsClientId=physicsClientId
        )
        return
    if restitution >= 0 and -1 <= linkIndex < body.joint_count:
        if restitution.__class__ is not float:
            restitution = real(restitution)
        if body.record.links[linkIndex + 1].restitution != restitution:
            change_contact(body, linkIndex + 1, restitution, -1.0, -1.0)


def _dampings(
    bodyUniqueId: int,
    linkIndex: int,
    linearDamping: float,
    angularDamping: float,
    physicsClientId: int,
) -> None:
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        changeDynamics(
            bodyUniqueId, linkIndex, linearDamping=linearDamping, angularDamping=angularDamping,
            physicsClientId=physicsClientId,
        )  # fmt: skip
        return
    if linearDamping >= 0 or angularDamping >= 0:  # whatever link is named: they are the body's
        change_damping(body, linearDamping, angularDamping)


def _joint_damping(
    bodyUniqueId: int, linkIndex: int, jointDamping: float, physicsClientId: int
) -> None:
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        changeDynamics(
            bodyUniqueId, linkIndex, jointDamping=jointDamping, physicsClientId=physicsClientId
        )
        return
    if jointDamping >= 0 and 0 <= linkIndex < body.joint_count:
        change_joint(body, linkIndex, jointDamping, 1e30, -1e30)


def _several(
    bodyUniqueId: int, linkIndex: int, mass: float, lateralFriction: float,
    spinningFriction: float, rollingFriction: float, restitution: float, linearDamping: float,
    angularDamping: float, contactStiffness: float, contactDamping: float, jointDamping: float,
    physicsClientId: int,
) -> None:  # fmt: skip
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
        own = restitution >= 0 or contactStiffness >= 0 or jointDamping >= 0
        damped = linearDamping >= 0 or angularDamping >= 0
        to_base = damped and linkIndex != -1 and not own
    except (KeyError, TypeError):
        body, own, damped, to_base = None, False, False, False
    if body is None or to_base:
        changeDynamics(
            bodyUniqueId, linkIndex, mass, lateralFriction, spinningFriction, rollingFriction,
            restitution, linearDamping, angularDamping, contactStiffness, contactDamping,
            jointDamping=jointDamping, physicsClientId=physicsClientId,
        )  # fmt: skip
        return
    if not -1 <= linkIndex < body.joint_count:
        return
    if mass >= 0:
        change_mass(body, linkIndex + 1, mass if mass.__class__ is float else real(mass))
    if lateralFriction >= 0 or spinningFriction >= 0 or rollingFriction >= 0:
        change_friction(body, linkIndex + 1, lateralFriction, spinningFriction, rollingFriction)
    if own or contactDamping >= 0:
        change_contact(body, linkIndex + 1, restitution, contactStiffness, contactDamping)
    if damped:
        change_damping(body, linearDamping, angularDamping)
    if linkIndex >= 0 and jointDamping >= 0:
        change_joint(body, linkIndex, jointDamping, 1e30, -1e30)


def _form(function: Callable[..., None], *names: str) -> Form:
    return Form(function, ("bodyUniqueId", "linkIndex", *names, "physicsClientId"))


FORMS = (
    _form(_mass, "mass"),
    _form(_sliding_friction, "lateralFriction"),
    _form(_restitution, "restitution"),
    _form(_dampings, "linearDamping", "angularDamping"),
    _form(_joint_damping, "jointDamping"),
    _form(
        _several, "mass", "lateralFriction", "spinningFriction", "rollingFriction", "restitution",
        "linearDamping", "angularDamping", "contactStiffness", "contactDamping", "jointDamping",
    ),
)  # fmt: skip
