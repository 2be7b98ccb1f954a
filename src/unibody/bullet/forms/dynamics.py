"""changeDynamics for the arguments that scripts give most: one function for each group of them.

What they cannot tell is right they leave to changeDynamics itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unibody.bullet.bodies.dynamics import (
    FORCED_SLEEP,
    change_contact,
    change_damping,
    change_friction,
    change_inertia,
    change_joint,
    change_mass,
    keep_margin,
    say_without_effect,
)
from unibody.bullet.bodies.swept_spheres import sweep
from unibody.bullet.handles.body import Body
from unibody.bullet.handles.soft_records import is_soft
from unibody.core.assets.description import Vec3
from unibody.core.engine.scene import edits
from unibody.machine_code.calls.argument_forms import Form

_LEFT_OUT = -1.0


def _mass(body: Body, link: int, mass: float) -> None:
    if -1 <= link < body.joint_count and mass >= 0.0:
        change_mass(body, link + 1, mass)


def _sliding_friction(body: Body, link: int, friction: float) -> None:
    if -1 <= link < body.joint_count and friction >= 0.0:
        record = body.record
        present, spinning, rolling = record.links[link + 1].friction
        if present != friction:
            edits.set_friction(body.scene, record, link + 1, (friction, spinning, rolling))


def _mass_and_friction(body: Body, link: int, mass: float, friction: float) -> None:
    if -1 <= link < body.joint_count:
        if mass >= 0.0:
            change_mass(body, link + 1, mass)
        record = body.record
        present, spinning, rolling = record.links[link + 1].friction
        if friction >= 0.0 and present != friction:
            edits.set_friction(body.scene, record, link + 1, (friction, spinning, rolling))


def _restitution(body: Body, link: int, restitution: float) -> None:
    if restitution >= 0.0 and -1 <= link < body.joint_count:
        change_contact(body, link + 1, restitution, _LEFT_OUT, _LEFT_OUT)


def _dampings(body: Body, link: int, linear: float, angular: float) -> None:
    if linear >= 0.0 or angular >= 0.0:  # whatever link is named: they are the body's
        change_damping(body, linear, angular)


def _joint_damping(body: Body, link: int, damping: float) -> None:
    if damping >= 0.0 and 0 <= link < body.joint_count:
        change_joint(body, link, damping, 1e30, -1e30)


def _limits(body: Body, link: int, lower: float, upper: float) -> None:
    if 0 <= link < body.joint_count:
        change_joint(body, link, _LEFT_OUT, lower, upper)


def _inertia(body: Body, link: int, mass: float, moments: Vec3 | None) -> None:
    if -1 <= link < body.joint_count and moments is not None:
        change_inertia(body, link + 1, mass, moments)


def _speed_limit(body: Body, link: int, limit: float) -> None:
    if limit >= 0.0:  # of the body, too
        edits.set_speed_limit(body.scene, body.record, limit)


def _swept_radius(body: Body, link: int, radius: float) -> None:
    if radius >= 0.0 and -1 <= link < body.joint_count:
        sweep(body, link, radius)


def _margin(body: Body, link: int, margin: float) -> None:
    if margin >= 0.0:
        keep_margin(body, 0, margin)
        say_without_effect(body.client, "collisionMargin")


def _threshold(body: Body, link: int, threshold: float) -> None:
    if threshold >= 0.0 and -1 <= link < body.joint_count:
        edits.set_farthest_contact(body.scene, body.record, link + 1, threshold)


def _activation(body: Body, link: int, state: int) -> None:
    if state >= 0 and state & FORCED_SLEEP:
        say_without_effect(body.client, "activationState")


def _several(
    body: Body, link: int, mass: float, sliding: float, spinning: float, rolling: float,
    restitution: float, linear: float, angular: float, stiffness: float, damping: float,
    anchor: int, joint_damping: float,
) -> Any:  # fmt: skip
    own = restitution >= 0.0 or stiffness >= 0.0 or joint_damping >= 0.0 or anchor >= 0
    damped = linear >= 0.0 or angular >= 0.0
    to_base = damped and link != -1 and not own
    if to_base or (stiffness >= 0.0) != (damping >= 0.0):
        return NotImplemented
    if not -1 <= link < body.joint_count:
        return None
    if mass >= 0.0:
        change_mass(body, link + 1, mass)
    if sliding >= 0.0 or spinning >= 0.0 or rolling >= 0.0:
        change_friction(body, link + 1, sliding, spinning, rolling)
    if restitution >= 0.0 or stiffness >= 0.0:
        change_contact(body, link + 1, restitution, stiffness, damping)
    if damped:
        change_damping(body, linear, angular)
    if link >= 0 and joint_damping >= 0.0:
        change_joint(body, link, joint_damping, 1e30, -1e30)
    if anchor > 0:
        say_without_effect(body.client, "frictionAnchor")
    return None


def _of_rigid_bodies(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which leaves soft bodies to changeDynamics itself."""

    def change(body: Body, *arguments: Any) -> Any:
        return NotImplemented if is_soft(body.client, body) else function(body, *arguments)

    return change


def _form(function: Callable[..., Any], *names: str) -> Form:
    return Form(
        _of_rigid_bodies(function),
        ("linkIndex", *names),
        ("physicsClientId", "bodyUniqueId"),
        {"localInertiaDiagonal": 3},
        finite=True,
    )


FORMS = (
    _form(_mass, "mass"),
    _form(_sliding_friction, "lateralFriction"),
    _form(_mass_and_friction, "mass", "lateralFriction"),
    _form(_restitution, "restitution"),
    _form(_dampings, "linearDamping", "angularDamping"),
    _form(_joint_damping, "jointDamping"),
    _form(
        _several, "mass", "lateralFriction", "spinningFriction", "rollingFriction", "restitution",
        "linearDamping", "angularDamping", "contactStiffness", "contactDamping", "frictionAnchor",
        "jointDamping",
    ),
    _form(_limits, "jointLowerLimit", "jointUpperLimit"),
    _form(_inertia, "mass", "localInertiaDiagonal"),
    _form(_speed_limit, "maxJointVelocity"),
    _form(_swept_radius, "ccdSweptSphereRadius"),
    _form(_margin, "collisionMargin"),
    _form(_threshold, "contactProcessingThreshold"),
    _form(_activation, "activationState"),
)  # fmt: skip
