"""changeDynamics, getDynamicsInfo and collision filters."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from unibody.bullet import constants as c
from unibody.bullet.arguments.finite import finite
from unibody.bullet.arguments.vectors import real, vector
from unibody.bullet.bodies.loading import GROUP_DYNAMIC, GROUP_STATIC, MASK_DYNAMIC, MASK_STATIC
from unibody.bullet.bodies.swept_spheres import sweep
from unibody.bullet.clients.registry import clients, get_body, get_client
from unibody.bullet.convert import xyzw
from unibody.bullet.errors import error
from unibody.bullet.geometry.inertia import collision_margin
from unibody.bullet.geometry.solid_links import SolidLink
from unibody.bullet.handles.body import Body
from unibody.bullet.handles.soft_records import is_soft
from unibody.bullet.state.client_state import ClientState
from unibody.core.assets.description import ShapeKind, Vec3
from unibody.core.engine.scene import edits
from unibody.errors import NotSupportedError
from unibody.notices import tell

_BODY_TYPE_RIGID, _BODY_TYPE_MULTI, _BODY_TYPE_SOFT = 1, 2, 3  # of getDynamicsInfo
_REST = "changeDynamics: "
_OF_SOFT_BODY = (
    0.0, 0.0, (0.0,) * 3, (0.0,) * 3, (0.0,) * 4, 0.0, 0.0, 0.0, 0.0, 0.0, _BODY_TYPE_SOFT, 0.0,
)  # fmt: skip


def getDynamicsInfo(bodyUniqueId: int, linkIndex: int, physicsClientId: int = 0) -> tuple[Any, ...]:
    """Mass, friction and inertia of a link; -1 is the base.

    (mass, lateral friction, principal inertia, inertial position, inertial orientation,
    restitution, rolling friction, spinning friction, contact damping, contact stiffness,
    body type, 2, with ``useMaximalCoordinates`` 1, soft 3, collision margin). Of a soft body the
    type alone is told, for any link, as in PyBullet; all else is zero.

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
    if linkIndex >= 0 and is_soft(body.client, body):
        return _OF_SOFT_BODY
    if not -1 <= linkIndex < body.joint_count:
        wrong = linkIndex < -1
        raise error("getDynamicsInfo failed; invalid linkIndex" if wrong else message)
    return link_dynamics(body, linkIndex)


def link_dynamics(body: Body, link: int) -> Any:
    """What getDynamicsInfo tells of a link; NotImplemented if there is none."""
    if not -1 <= link < body.joint_count:
        return NotImplemented
    if is_soft(body.client, body):
        return _OF_SOFT_BODY
    state = body.record.links[link + 1]
    com = body.asset.links[link + 1].inertial.pose
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
        _body_type(body),
        _margin(body, link + 1),
    )


def _body_type(body: Body) -> int:
    whole = body.record.options.quadratic_damping == 0.0  # as bodies of maximal coordinates have
    return _BODY_TYPE_RIGID if whole else _BODY_TYPE_MULTI


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
    inertial frame [kg m^2]. An unknown body or link is ignored, as in PyBullet. Dampings,
    ``activationState``, ``maxJointVelocity`` and ``collisionMargin`` send the other parameters of
    the same call to the base, as in PyBullet (see `_meant_link`). A soft body stays as it was
    loaded.

    ``maxJointVelocity`` [rad/s or m/s] bounds every coordinate of the body, 100 at first.
    ``anisotropicFriction`` multiplies friction along the axes of the inertial frame.
    ``ccdSweptSphereRadius`` [m]: a link that moves further than half of it in a step sees what is
    in its way before it gets there. A parameter without a counterpart is said so once on stderr.

    Raises:
        error: A negative inertia, or one of ``contactStiffness`` and ``contactDamping`` alone.
    """
    if (contactStiffness >= 0) != (contactDamping >= 0):
        get_client(physicsClientId)
        raise error("Both contactStiffness and contactDamping needs to be set together.")
    body = _body_to_change(bodyUniqueId, physicsClientId)
    if body is None:
        return
    rest = (
        restitution, linearDamping, angularDamping, contactStiffness, contactDamping,
        frictionAnchor, ccdSweptSphereRadius, contactProcessingThreshold, activationState,
        jointDamping, maxJointVelocity, collisionMargin, jointLowerLimit, jointUpperLimit,
        jointLimitForce,
    )  # fmt: skip
    has_rest = rest != _REST_LEFT_OUT  # most calls are about mass or friction
    if has_rest and linkIndex != -1:
        meant = _meant_link(linkIndex, rest)
        if meant != linkIndex:
            _say_redirected(
                body.client, linkIndex,
                (lateralFriction, spinningFriction, rollingFriction, mass, jointDamping,
                 restitution, contactStiffness, frictionAnchor, ccdSweptSphereRadius),
            )  # fmt: skip
            linkIndex = meant
    if not -1 <= linkIndex < body.joint_count:
        return
    number = linkIndex + 1
    if mass >= 0:
        mass = real(mass)
        finite("mass", mass)
    if localInertiaDiagonal is not None:
        moments = vector(localInertiaDiagonal, 3, "localInertiaDiagonal needs 3 numbers")
        finite("localInertiaDiagonal", *moments)
        change_inertia(body, number, mass, moments)
    elif mass >= 0:
        change_mass(body, number, mass)
    if lateralFriction >= 0 or spinningFriction >= 0 or rollingFriction >= 0:
        change_friction(body, number, lateralFriction, spinningFriction, rollingFriction)
    if anisotropicFriction is not None:
        factors = vector(anisotropicFriction, 3, "anisotropicFriction needs 3 numbers")
        edits.set_anisotropy(body.scene, body.record, number, factors)
    if has_rest:
        _change_rest(body, linkIndex, rest)


def _body_to_change(body_id: int, client_id: int) -> Body | None:
    """The body that changeDynamics changes; None, and a line on stderr, for a soft one."""
    try:
        body = clients[client_id].bodies[body_id]
    except (KeyError, TypeError):
        if get_client(client_id).bodies.get(index(body_id)) is None:
            return None
        body = get_body(body_id, client_id, "")
    if is_soft(body.client, body):
        if body.client.say_once("changeDynamics of a soft body"):
            tell(_SOFT_IS_FIXED)
        return None
    return body


def _change_rest(body: Body, link: int, rest: tuple[Any, ...]) -> None:
    """Change what is neither mass nor friction."""
    (
        restitution, linear_damping, angular_damping, stiffness, damping, friction_anchor,
        swept_radius, threshold, activation, joint_damping, max_velocity, margin, lower, upper,
        limit_force,
    ) = rest  # fmt: skip
    if restitution >= 0 or stiffness >= 0 or damping >= 0:
        change_contact(body, link + 1, restitution, stiffness, damping)
    if linear_damping >= 0 or angular_damping >= 0:
        change_damping(body, linear_damping, angular_damping)
    if link >= 0 and (joint_damping, lower, upper) != _JOINT_LEFT_OUT:
        change_joint(body, link, joint_damping, lower, upper)
    if max_velocity >= 0:
        edits.set_speed_limit(body.scene, body.record, real(max_velocity))
    if swept_radius >= 0:
        sweep(body, link, real(swept_radius))
    if threshold >= 0:
        edits.set_farthest_contact(body.scene, body.record, link + 1, real(threshold))
    others = (friction_anchor, margin, limit_force, activation)
    if others != _OTHERS_LEFT_OUT:
        if margin >= 0:
            keep_margin(body, link + 1, real(margin))
        _say_without_effect(body.client, others)


def change_damping(body: Body, linear: float, angular: float) -> None:
    """Give all links of a body the dampings that are not negative."""
    options = body.record.options
    edits.set_body_damping(
        body.scene,
        body.record,
        _damping_rate(body, real(linear)) if linear >= 0 else options.linear_damping,
        _damping_rate(body, real(angular)) if angular >= 0 else options.angular_damping,
    )


def _damping_rate(body: Body, damping: float) -> float:
    """A damping as a rate [1/s]: of maximal coordinates it is the share of speed lost a second."""
    if body.record.options.quadratic_damping != 0.0:
        return damping
    step = body.scene.options.timestep
    return (1.0 - (1.0 - min(damping, 1.0)) ** step) / step


def _meant_link(link: int, rest: tuple[Any, ...]) -> int:
    """The link that PyBullet sends a command about.

    A command names one link, and PyBullet writes its arguments into it in a fixed order: the
    dampings, what is a link's own, ``activationState``, ``contactProcessingThreshold``, and what
    is the whole body's. Each writes the link too; dampings, activation and the last ones write -1.
    """
    (
        restitution, linear_damping, angular_damping, stiffness, _, anchor, radius, threshold,
        activation, joint_damping, max_velocity, margin, _, _, _,
    ) = rest  # fmt: skip
    if max_velocity >= 0 or margin >= 0:
        return -1
    if threshold >= 0:
        return link
    if activation >= 0:
        return -1
    if joint_damping >= 0 or restitution >= 0 or stiffness >= 0 or anchor >= 0 or radius >= 0:
        return link
    return -1 if linear_damping >= 0 or angular_damping >= 0 else link


def _say_redirected(client: ClientState, link: int, given: tuple[float, ...]) -> None:
    if max(given) >= 0 and client.say_once("changeDynamics of a link and the body"):
        tell(
            f"changeDynamics(linkIndex={link}, ...) names something of the whole body too "
            "(dampings, activationState, maxJointVelocity, collisionMargin): all of it goes to "
            "the base, as in PyBullet. Use two calls to change the link"
        )


def keep_margin(body: Body, number: int, margin: float) -> None:
    """Let getDynamicsInfo tell another margin; that of balls and capsules stays, as in PyBullet."""
    link, present = body.record.links[number].link, _margin(body, number)
    shape = link.collisions[0] if len(link.collisions) == 1 else None
    round_kinds = (ShapeKind.SPHERE, ShapeKind.CAPSULE)
    if shape is None or shape.kind not in round_kinds or shape.size[0] != present:
        body.margins[number] = link, margin


def change_friction(
    body: Body, number: int, sliding: float, spinning: float, rolling: float
) -> None:
    """Give a link the friction that is not negative."""
    present = body.record.links[number].friction
    slides, spins, rolls = present
    if sliding >= 0:
        slides = sliding if sliding.__class__ is float else real(sliding)
    if spinning >= 0:
        spins = spinning if spinning.__class__ is float else real(spinning)
    if rolling >= 0:
        rolls = rolling if rolling.__class__ is float else real(rolling)
    friction = (slides, spins, rolls)
    if friction != present:
        edits.set_friction(body.scene, body.record, number, friction)


_REST_LEFT_OUT = (*(-1,) * 12, 1e30, -1e30, -1)
_JOINT_LEFT_OUT = (-1, 1e30, -1e30)
_OTHERS_LEFT_OUT = (-1,) * 4
FORCED_SLEEP = c.ACTIVATION_STATE_SLEEP | c.ACTIVATION_STATE_DISABLE_WAKEUP


def change_inertia(body: Body, number: int, mass: float, moments: Vec3) -> None:
    """Give a link principal moments of inertia [kg m^2], and a mass [kg] that is not negative.

    They are finite.
    """
    x, y, z = moments
    if x < 0.0 or y < 0.0 or z < 0.0:
        raise error(f"localInertiaDiagonal={moments} has to be positive")
    if mass >= 0:
        change_mass(body, number, mass)
    state = body.record.links[number]
    if edits.set_inertial(body.scene, body.record, number, state.mass, moments, state.com):
        body.inertias_version += 1


def change_mass(body: Body, number: int, mass: float) -> None:
    """Give a link a finite mass [kg], and the inertia that follows from it."""
    record = body.record
    state = record.links[number]
    held = mass == 0.0
    if held:
        moments = (0.0, 0.0, 0.0)
    else:
        try:
            known = body.solids[number]
        except KeyError:
            known = None
        if known is None or known.link is not state.link:
            implicit = bool(body.flags & c.URDF_USE_IMPLICIT_CYLINDER)
            known = body.solids[number] = SolidLink(state, body.asset.file, implicit)
        if state.mass == mass and state.inertia is known.moments:
            return
        moments = known.moments = known.moments_of(mass)
    if state.mass != mass or state.inertia != moments:
        state.mass, state.inertia = mass, moments
        body.inertias_version += 1
        if not state.waits & edits.INERTIAL_WAITS:
            edits.inertial_changed(body.scene, record, number)
    elif not held:
        body.solids[number].moments = state.inertia  # the same, to be recognised
    if number == 0 and record.options.fixed != held:
        state.group, state.mask = (
            (GROUP_STATIC, MASK_STATIC) if held else (GROUP_DYNAMIC, MASK_DYNAMIC)
        )
        body.scene.set_fixed(record.id, held, body.base_link_pose())
        body.record = body.scene.bodies[record.id]


def change_contact(
    body: Body, number: int, restitution: float, stiffness: float, damping: float
) -> None:
    """Give the contacts of a link what is not negative."""
    state = body.record.links[number]
    if restitution == state.restitution and stiffness < 0 and damping < 0:
        return
    restitution = real(restitution) if restitution >= 0 else state.restitution
    stiffness = real(stiffness) if stiffness >= 0 else state.stiffness
    damping = real(damping) if damping >= 0 else state.damping
    if restitution != state.restitution or stiffness != state.stiffness or damping != state.damping:
        edits.set_contact(
            body.scene, body.record, number, restitution=restitution, stiffness=stiffness,
            damping=damping,
        )  # fmt: skip


def change_joint(body: Body, joint: int, damping: float, lower: float, upper: float) -> None:
    """Give a joint a damping that is not negative, and limits that are not left out."""
    if damping >= 0:
        body.dampings[joint] = float(damping)
        edits.set_joint_damping(body.scene, body.record, joint + 1, float(damping))
    if (lower, upper) != (1e30, -1e30):
        limits = (float(lower), float(upper)) if lower <= upper else (1.0, -1.0)
        body.set_limits(joint, limits)
        edits.set_joint_limits(body.scene, body.record, joint + 1, *limits)


_SOFT_IS_FIXED = (
    "changeDynamics of a soft body changes nothing, as in PyBullet, where it can only put it to "
    "sleep: give mass, friction, damping and collisionMargin to loadSoftBody"
)
_NO_EFFECT = {
    "frictionAnchor": "friction does not drift here",
    "collisionMargin": "shapes have their exact size",
    "jointLimitForce": "limits are hard",
    "activationState": "bodies are always awake",
}
_NEUTRAL = {"frictionAnchor": 0}


def _say_without_effect(client: ClientState, given: tuple[float, ...]) -> None:
    for name, value in zip(_NO_EFFECT, given, strict=True):
        if value < 0 or value == _NEUTRAL.get(name):
            continue
        if name == "activationState" and not int(value) & FORCED_SLEEP:
            continue
        say_without_effect(client, name)


def say_without_effect(client: ClientState, name: str) -> None:
    """Say once that an argument of changeDynamics changes nothing here."""
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
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        body = get_client(physicsClientId).bodies.get(bodyUniqueId)
    if body is None or not -1 <= linkIndexA < body.joint_count:
        return
    if not collisionFilterGroup.__class__ is collisionFilterMask.__class__ is int:
        collisionFilterGroup, collisionFilterMask = (
            int(collisionFilterGroup),
            int(collisionFilterMask),
        )
    body.scene.set_filter(body.record, linkIndexA + 1, collisionFilterGroup, collisionFilterMask)


def setCollisionFilterPair(
    bodyUniqueIdA: int,
    bodyUniqueIdB: int,
    linkIndexA: int,
    linkIndexB: int,
    enableCollision: int,
    physicsClientId: int = 0,
) -> None:
    """Switch collision between two links on or off, whatever their groups say.

    Raises:
        NotSupportedError: Both bodies are soft.
    """
    client = get_client(physicsClientId)
    first, second = client.bodies.get(bodyUniqueIdA), client.bodies.get(bodyUniqueIdB)
    if first is None or second is None:
        return
    for body, link in ((first, linkIndexA), (second, linkIndexB)):
        if not -1 <= link < body.joint_count:
            return
    soft = client.soft_bodies
    if soft is not None and (bodyUniqueIdA in soft.records or bodyUniqueIdB in soft.records):
        if bodyUniqueIdA in soft.records and bodyUniqueIdB in soft.records:
            if client.deformable_world and not enableCollision:
                raise NotSupportedError(
                    "setCollisionFilterPair of two soft bodies",
                    "the pair of a soft body and a link of a rigid one",
                )
            return  # without effect in the other world, as in PyBullet
        a, b = (bodyUniqueIdA, linkIndexA), (bodyUniqueIdB, linkIndexB)
        (number, _), other = (a, b) if bodyUniqueIdA in soft.records else (b, a)
        soft.set_pair((number, *other), meet=bool(enableCollision))
        return
    client.scene.set_pair(
        (bodyUniqueIdA, linkIndexA + 1), (bodyUniqueIdB, linkIndexB + 1), bool(enableCollision)
    )
