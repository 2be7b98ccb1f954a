"""changeDynamics, getDynamicsInfo and collision filters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unibody.bullet import constants as c
from unibody.bullet.client import Client, get_body, get_client, vector
from unibody.bullet.convert import xyzw
from unibody.bullet.errors import error
from unibody.bullet.handles import Body
from unibody.bullet.inertia import created_inertia
from unibody.bullet.loading import GROUP_DYNAMIC, GROUP_STATIC, MASK_DYNAMIC, MASK_STATIC
from unibody.core.engine import edits
from unibody.notices import tell

_BODY_TYPE_MULTI = 2  # getDynamicsInfo: a multi-body
_MARGIN = 0.001  # m, what PyBullet reports for most shapes
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
    body = get_body(bodyUniqueId, physicsClientId, message)
    if not -1 <= linkIndex < body.joint_count:
        raise error(message)
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
        _MARGIN,
    )


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

    A parameter without a counterpart is said so once on stderr.

    Raises:
        error: A negative mass or inertia.
    """
    client = get_client(physicsClientId)
    body = client.bodies.get(bodyUniqueId)
    if body is None or not -1 <= linkIndex < body.joint_count:
        return
    scene, record, index = client.scene, body.record, linkIndex + 1
    state = record.links[index]
    if mass >= 0:
        _change_mass(client, body, index, float(mass))
    if localInertiaDiagonal is not None:
        moments = vector(localInertiaDiagonal, 3, "localInertiaDiagonal needs 3 numbers")
        if min(moments) < 0.0:
            raise error(f"localInertiaDiagonal={moments} has to be positive")
        edits.set_inertial(scene, record, index, state.mass, moments, state.com)
        body.inertias_version += 1
    surface = (lateralFriction, spinningFriction, rollingFriction)
    if max(surface) >= 0:
        sliding, spinning, rolling = (
            float(new) if new >= 0 else old
            for new, old in zip(surface, state.friction, strict=True)
        )
        edits.set_friction(scene, record, index, (sliding, spinning, rolling))
    if max(restitution, contactStiffness, contactDamping) >= 0:
        edits.set_contact(
            scene,
            record,
            index,
            restitution=restitution if restitution >= 0 else state.restitution,
            stiffness=contactStiffness if contactStiffness >= 0 else state.stiffness,
            damping=contactDamping if contactDamping >= 0 else state.damping,
        )
    if linearDamping >= 0 or angularDamping >= 0:
        edits.set_body_damping(
            scene,
            record,
            linearDamping if linearDamping >= 0 else record.options.linear_damping,
            angularDamping if angularDamping >= 0 else record.options.angular_damping,
        )
    if linkIndex >= 0:
        _change_joint(client, body, linkIndex, jointDamping, jointLowerLimit, jointUpperLimit)
    _say_without_effect(
        client,
        anisotropicFriction=anisotropicFriction is not None
        and tuple(anisotropicFriction) != (1, 1, 1),
        ccdSweptSphereRadius=ccdSweptSphereRadius > 0,
        frictionAnchor=frictionAnchor > 0,
        contactProcessingThreshold=contactProcessingThreshold >= 0,
        maxJointVelocity=maxJointVelocity >= 0,
        collisionMargin=collisionMargin >= 0,
        jointLimitForce=jointLimitForce >= 0,
        activationState=activationState >= 0 and bool(activationState & _FORCED_SLEEP),
        sleepThreshold=False,
    )


_FORCED_SLEEP = c.ACTIVATION_STATE_SLEEP | c.ACTIVATION_STATE_DISABLE_WAKEUP


def _change_mass(client: Client, body: Body, index: int, mass: float) -> None:
    record = body.record
    state = record.links[index]
    moments = created_inertia(mass, state.link.collisions, state.com)
    edits.set_inertial(client.scene, record, index, mass, moments, state.com)
    body.inertias_version += 1
    if index == 0 and record.fixed != (mass == 0.0):
        held = mass == 0.0
        state.group, state.mask = (
            (GROUP_STATIC, MASK_STATIC) if held else (GROUP_DYNAMIC, MASK_DYNAMIC)
        )
        client.scene.set_fixed(record.id, held, body.base_link_pose())
        body.record = client.scene.bodies[record.id]


def _change_joint(
    client: Client, body: Body, joint: int, damping: float, lower: float, upper: float
) -> None:
    body.joint_infos.pop(joint, None)
    if damping >= 0:
        body.dampings[joint] = float(damping)
        edits.set_joint_damping(client.scene, body.record, joint + 1, float(damping))
    if (lower, upper) != (1e30, -1e30):
        limits = (float(lower), float(upper)) if lower <= upper else (1.0, -1.0)
        body.set_limits(joint, limits)
        edits.set_joint_limits(client.scene, body.record, joint + 1, *limits)


_NO_EFFECT = {
    "anisotropicFriction": "friction is the same in all directions",
    "ccdSweptSphereRadius": "a body that crosses more than its own size in a step may pass "
    "through thin ones",
    "frictionAnchor": "friction does not drift here",
    "contactProcessingThreshold": "all touching contacts are solved",
    "maxJointVelocity": "velocities are not clamped",
    "collisionMargin": "shapes have their exact size",
    "jointLimitForce": "limits are hard",
    "activationState": "bodies are always awake",
    "sleepThreshold": "",
}


def _say_without_effect(client: Client, **given: bool) -> None:
    for name, present in given.items():
        if present and client.say_once(_REST + name):
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
    state = body.record.links[linkIndexA + 1]
    state.group, state.mask = int(collisionFilterGroup), int(collisionFilterMask)
    client.scene.refresh_filters()


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
