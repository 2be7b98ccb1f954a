"""changeDynamics, getDynamicsInfo and collision filters."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from unibody.bullet import constants as c
from unibody.bullet.client import Client, clients, get_body, get_client, real, vector
from unibody.bullet.convert import xyzw
from unibody.bullet.errors import error
from unibody.bullet.handles import Body
from unibody.bullet.inertia import collision_margin, solid
from unibody.bullet.loading import GROUP_DYNAMIC, GROUP_STATIC, MASK_DYNAMIC, MASK_STATIC
from unibody.bullet.swept import sweep
from unibody.core.assets.description import ShapeKind
from unibody.core.engine import edits
from unibody.notices import tell

_BODY_TYPE_MULTI = 2  # getDynamicsInfo: a multi-body
_REST = "changeDynamics: "


def getDynamicsInfo(bodyUniqueId: int, linkIndex: int, physicsClientId: int = 0) -> tuple[Any, ...]:
    """Mass, friction and inertia of a link; -1 is the base.

    (mass, lateral friction, principal inertia, inertial position, inertial orientation,
    restitution, rolling friction, spinning friction, contact damping, contact stiffness,
    body type 2, collision margin).

    Raises:
        error: No such body or link.
    """
    message = "getDynamicsInfo failed; invalid return status"
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        if index(bodyUniqueId) < 0:
            message = "getDynamicsInfo failed; invalid bodyUniqueId"
        body = get_body(bodyUniqueId, physicsClientId, message)
    if not -1 <= linkIndex < body.joint_count:
        wrong = linkIndex < -1
        raise error("getDynamicsInfo failed; invalid linkIndex" if wrong else message)
    state = body.record.links[linkIndex + 1]
    com = body.asset.links[linkIndex + 1].inertial.pose
    hard = state.stiffness <= 0.0
    return (
        state.mass,
        state.friction[0],
        tuple(state.inertia),
        com.pos,
        xyzw(com.quat),
        state.restitution,
        state.friction[2],
        state.friction[1],
        -1.0 if hard else state.damping,
        -1.0 if hard else state.stiffness,
        _BODY_TYPE_MULTI,
        _margin(body, linkIndex + 1),
    )


def _margin(body: Body, number: int) -> float:
    """The collision margin that PyBullet tells; nothing depends on it here."""
    link = body.record.links[number].link
    known = body.margins.get(number)
    if known is None or known[0] is not link:
        margin = collision_margin(link.collisions, body.record.links[number].com, body.asset.file)
        known = body.margins[number] = link, margin
    return known[1]


def changeDynamics(
    bodyUniqueId: int,
    linkIndex: int,
    mass: float = -1,
    lateralFriction: float = -1,
    spinningFriction: float = -1,
    rollingFriction: float = -1,
    restitution: float = -1,
    linearDamping: float = -1,
    angularDamping: float = -1,
    contactStiffness: float = -1,
    contactDamping: float = -1,
    frictionAnchor: int = -1,
    localInertiaDiagonal: Sequence[float] | None = None,
    ccdSweptSphereRadius: float = -1,
    contactProcessingThreshold: float = -1,
    activationState: int = -1,
    jointDamping: float = -1,
    anisotropicFriction: Sequence[float] | None = None,
    maxJointVelocity: float = -1,
    collisionMargin: float = -1,
    jointLowerLimit: float = 1e30,
    jointUpperLimit: float = -1e30,
    jointLimitForce: float = -1,
    sleepThreshold: float = -1,
    physicsClientId: int = 0,
) -> None:
    """Change parameters of a link (-1: the base); what is left out stays.

    A new ``mass`` [kg] also renews the inertia from the collision shapes, and 0 on a base holds
    the body in place. Dampings act on all links of the body. ``localInertiaDiagonal`` is in the
    inertial frame [kg m^2]. An unknown body or link is ignored, as in PyBullet.

    ``maxJointVelocity`` [rad/s or m/s] bounds every coordinate of the body, 100 at first.
    ``anisotropicFriction`` multiplies friction along the axes of the inertial frame.
    ``ccdSweptSphereRadius`` [m]: a link that moves further than half of it in a step sees what is
    in its way before it gets there. A parameter without a counterpart is said so once on stderr.

    Raises:
        error: A negative mass or inertia.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        if get_client(physicsClientId).bodies.get(index(bodyUniqueId)) is None:
            return
        body = get_body(bodyUniqueId, physicsClientId, "")
    if not -1 <= linkIndex < body.joint_count:
        return
    if anisotropicFriction is localInertiaDiagonal is None:  # most calls are about one parameter
        rest = (
            mass, spinningFriction, rollingFriction, restitution, linearDamping, angularDamping,
            contactStiffness, contactDamping, frictionAnchor, ccdSweptSphereRadius,
            contactProcessingThreshold, activationState, jointDamping, maxJointVelocity,
            collisionMargin, jointLowerLimit, jointUpperLimit, jointLimitForce,
        )  # fmt: skip
        if rest == _REST_LEFT_OUT:
            _change_sliding(body, linkIndex + 1, lateralFriction)
            return
    _change_inertia(body, linkIndex + 1, mass, localInertiaDiagonal)
    if lateralFriction >= 0 or spinningFriction >= 0 or rollingFriction >= 0:
        given = (lateralFriction, spinningFriction, rollingFriction)
        _change_friction(body, linkIndex + 1, given)
    if restitution >= 0 or contactStiffness >= 0 or contactDamping >= 0:
        _change_contact(body, linkIndex + 1, restitution, contactStiffness, contactDamping)
    if linearDamping >= 0 or angularDamping >= 0:
        options = body.record.options
        edits.set_body_damping(
            body.scene,
            body.record,
            real(linearDamping) if linearDamping >= 0 else options.linear_damping,
            real(angularDamping) if angularDamping >= 0 else options.angular_damping,
        )
    if linkIndex >= 0 and (jointDamping, jointLowerLimit, jointUpperLimit) != _JOINT_LEFT_OUT:
        _change_joint(body, linkIndex, jointDamping, jointLowerLimit, jointUpperLimit)
    rare = (maxJointVelocity, anisotropicFriction, ccdSweptSphereRadius)
    if rare != _RARE_LEFT_OUT:
        _change_rare(body, linkIndex, *rare)
    others = (
        frictionAnchor, contactProcessingThreshold, collisionMargin, jointLimitForce,
        activationState,
    )  # fmt: skip
    if others != _OTHERS_LEFT_OUT:
        if collisionMargin >= 0:
            _keep_margin(body, linkIndex + 1, real(collisionMargin))
        _say_without_effect(body.client, others)


def _keep_margin(body: Body, number: int, margin: float) -> None:
    """Let getDynamicsInfo tell another margin; that of balls and capsules stays, as in PyBullet."""
    link, present = body.record.links[number].link, _margin(body, number)
    shape = link.collisions[0] if len(link.collisions) == 1 else None
    round_kinds = (ShapeKind.SPHERE, ShapeKind.CAPSULE)
    if shape is None or shape.kind not in round_kinds or shape.size[0] != present:
        body.margins[number] = link, margin


def _change_friction(body: Body, number: int, given: tuple[float, float, float]) -> None:
    sliding, spinning, rolling = (
        real(value) if value >= 0 else present
        for value, present in zip(given, body.record.links[number].friction, strict=True)
    )
    edits.set_friction(body.scene, body.record, number, (sliding, spinning, rolling))


def _change_sliding(body: Body, number: int, sliding: float) -> None:
    if sliding >= 0:
        _, spinning, rolling = body.record.links[number].friction
        edits.set_friction(body.scene, body.record, number, (real(sliding), spinning, rolling))


def _change_rare(
    body: Body, link: int, speed: float, anisotropy: Sequence[float] | None, radius: float
) -> None:
    if speed >= 0:
        edits.set_speed_limit(body.scene, body.record, real(speed))
    if anisotropy is not None:
        factors = vector(anisotropy, 3, "anisotropicFriction needs 3 numbers")
        edits.set_anisotropy(body.scene, body.record, link + 1, factors)
    if radius >= 0:
        sweep(body, link, real(radius))


_RARE_LEFT_OUT = (-1, None, -1)
_REST_LEFT_OUT = (*(-1,) * 15, 1e30, -1e30, -1)
_JOINT_LEFT_OUT = (-1, 1e30, -1e30)
_OTHERS_LEFT_OUT = (-1,) * 5
_FORCED_SLEEP = c.ACTIVATION_STATE_SLEEP | c.ACTIVATION_STATE_DISABLE_WAKEUP


def _change_inertia(body: Body, number: int, mass: float, diagonal: Sequence[float] | None) -> None:
    if diagonal is None and not mass >= 0:
        return
    if diagonal is not None:
        moments = vector(diagonal, 3, "localInertiaDiagonal needs 3 numbers")
        if min(moments) < 0.0:
            raise error(f"localInertiaDiagonal={moments} has to be positive")
    if mass >= 0:
        _change_mass(body, number, real(mass))
    if diagonal is not None:
        state = body.record.links[number]
        edits.set_inertial(body.scene, body.record, number, state.mass, moments, state.com)
    body.inertias_version += 1


def _change_mass(body: Body, number: int, mass: float) -> None:
    scene, record = body.scene, body.record
    state = record.links[number]
    moments = (0.0, 0.0, 0.0)
    if mass != 0.0:
        known = body.solids.get(number)
        if known is None or known[0] is not state.link:
            implicit = bool(body.flags & c.URDF_USE_IMPLICIT_CYLINDER)
            shapes = state.link.collisions
            known = (
                state.link,
                solid(shapes, state.com, body.asset.file, use_implicit_cylinder=implicit),
            )
            body.solids[number] = known
        moments = known[1](mass)
    edits.set_inertial(scene, record, number, mass, moments, state.com)
    if number == 0 and record.fixed != (mass == 0.0):
        held = mass == 0.0
        state.group, state.mask = (
            (GROUP_STATIC, MASK_STATIC) if held else (GROUP_DYNAMIC, MASK_DYNAMIC)
        )
        scene.set_fixed(record.id, held, body.base_link_pose())
        body.record = scene.bodies[record.id]


def _change_contact(
    body: Body, number: int, restitution: float, stiffness: float, damping: float
) -> None:
    state = body.record.links[number]
    edits.set_contact(
        body.scene,
        body.record,
        number,
        restitution=real(restitution) if restitution >= 0 else state.restitution,
        stiffness=real(stiffness) if stiffness >= 0 else state.stiffness,
        damping=real(damping) if damping >= 0 else state.damping,
    )


def _change_joint(body: Body, joint: int, damping: float, lower: float, upper: float) -> None:
    if damping >= 0:
        body.dampings[joint] = float(damping)
        edits.set_joint_damping(body.scene, body.record, joint + 1, float(damping))
    if (lower, upper) != (1e30, -1e30):
        limits = (float(lower), float(upper)) if lower <= upper else (1.0, -1.0)
        body.set_limits(joint, limits)
        edits.set_joint_limits(body.scene, body.record, joint + 1, *limits)


_NO_EFFECT = {
    "frictionAnchor": "friction does not drift here",
    "contactProcessingThreshold": "all touching contacts are solved",
    "collisionMargin": "shapes have their exact size",
    "jointLimitForce": "limits are hard",
    "activationState": "bodies are always awake",
}
_NEUTRAL = {"frictionAnchor": 0}


def _say_without_effect(client: Client, given: tuple[float, ...]) -> None:
    for name, value in zip(_NO_EFFECT, given, strict=True):
        if value < 0 or value == _NEUTRAL.get(name):
            continue
        if name == "activationState" and not int(value) & _FORCED_SLEEP:
            continue
        if client.say_once(_REST + name):
            tell(f"changeDynamics({name}=...) has no effect: {_NO_EFFECT[name]}")


def setCollisionFilterGroupMask(
    bodyUniqueId: int,
    linkIndexA: int,
    collisionFilterGroup: int,
    collisionFilterMask: int,
    physicsClientId: int = 0,
) -> None:
    """Set collision group and mask of a link.

    Two links collide if the group of one meets the mask of the other; with
    ``collisionFilterMode=0`` of setPhysicsEngineParameter both have to. An unknown body or link
    is ignored, as in PyBullet.
    """
    client = get_client(physicsClientId)
    body = client.bodies.get(bodyUniqueId)
    if body is None or not -1 <= linkIndexA < body.joint_count:
        return
    client.scene.set_filter(
        body.record, linkIndexA + 1, int(collisionFilterGroup), int(collisionFilterMask)
    )


def setCollisionFilterPair(
    bodyUniqueIdA: int,
    bodyUniqueIdB: int,
    linkIndexA: int,
    linkIndexB: int,
    enableCollision: int,
    physicsClientId: int = 0,
) -> None:
    """Switch collision between two links on or off, whatever their groups say."""
    client = get_client(physicsClientId)
    first, second = client.bodies.get(bodyUniqueIdA), client.bodies.get(bodyUniqueIdB)
    if first is None or second is None:
        return
    for body, link in ((first, linkIndexA), (second, linkIndexB)):
        if not -1 <= link < body.joint_count:
            return
    client.scene.set_pair(
        (bodyUniqueIdA, linkIndexA + 1), (bodyUniqueIdB, linkIndexB + 1), bool(enableCollision)
    )
