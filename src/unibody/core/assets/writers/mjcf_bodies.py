"""Links as bodies of MJCF: which of them become joints of the body below, and where they turn."""

from __future__ import annotations

from dataclasses import dataclass, replace

from unibody.core.assets.description import Asset, Inertial, Joint, JointType, Link, Pose, Vec3
from unibody.core.assets.mass.physical import MIN_INERTIA, MIN_MASS, physical_inertia
from unibody.core.assets.transforms import (
    IDENTITY,
    plane_directions,
    pose_inverse,
    pose_multiply,
    quat_rotate,
)
from unibody.core.assets.writers.losses import Losses
from unibody.core.assets.writers.principal import principal_moments
from unibody.core.assets.writers.trees import is_frame


@dataclass(frozen=True, slots=True)
class BodyJoint:
    """A joint of a body, in the body's frame where all joints are at zero."""

    joint: Joint
    name: str
    pos: Vec3
    axis: Vec3


@dataclass(frozen=True, slots=True)
class Body:
    """A link that becomes a body.

    Attributes:
        link: Its number.
        parent: Number of the link whose body holds it, -1: the world.
        pose: In the parent's frame.
        joints: In the order in which they turn; none: it is fixed.
    """

    link: int
    parent: int
    pose: Pose
    joints: list[BodyJoint]


def bodies_of(asset: Asset, names: list[str], losses: Losses) -> list[Body]:
    """The bodies of an asset, parents first.

    Args:
        asset: Its links are parents first.
        names: Of the joints, by link.
        losses: Names of links that no body has are noted there.
    """
    links = asset.links
    fixed = bool(asset.fixed_base or asset.static)
    children: list[list[int]] = [[] for _ in links]
    for number, link in enumerate(links[1:], start=1):
        children[link.parent].append(number)
    joined = {
        number
        for number, link in enumerate(links)
        if len(children[number]) == 1
        and is_frame(link)
        and _joins(link, links[children[number][0]], is_base=number == 0, fixed=fixed)
    }
    bodies: list[Body] = []
    for number, link in enumerate(links):
        if number in joined:
            losses.add("a frame that becomes a joint of the next body", f"link {link.name!r}")
            continue
        chain = [number]
        while links[chain[0]].parent in joined:
            chain.insert(0, links[chain[0]].parent)
        pose, joints = _chain(links, names, chain)
        first = links[chain[0]].parent
        bodies.append(Body(number, first, pose, joints))
    return bodies


def _joins(link: Link, below: Link, *, is_base: bool, fixed: bool) -> bool:
    """Whether a frame with one child says no more than a joint of the child would."""
    if is_base:
        return fixed
    kind = link.joint.type
    if kind is JointType.SPHERICAL:  # its angles are in the axes of its own frame
        return below.joint.type is JointType.FIXED and below.joint.origin.quat == IDENTITY
    return kind in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


def _chain(links: list[Link], names: list[str], chain: list[int]) -> tuple[Pose, list[BodyJoint]]:
    """The pose of the last link of a chain in what is above the first, and all joints in it."""
    pose = Pose()
    placed: list[tuple[int, Pose]] = []
    for number in chain:
        origin = links[number].joint.origin if number else Pose()
        pose = pose_multiply(pose, origin)
        placed.append((number, pose))
    back = pose_inverse(pose)
    joints: list[BodyJoint] = []
    for number, at in placed:
        if number:
            joints += _joints(links[number].joint, names[number], pose_multiply(back, at))
    return pose, joints


def _joints(joint: Joint, name: str, frame: Pose) -> list[BodyJoint]:
    """A joint as those of MuJoCo; ``frame`` is its link's, in the frame of the body."""
    pos = pose_multiply(frame, Pose(joint.anchor)).pos

    def one(suffix: str, kind: JointType, axis: Vec3) -> BodyJoint:
        part = replace(joint, type=kind, mimic=None, drives=())
        return BodyJoint(part, name + suffix, pos, quat_rotate(frame.quat, axis))

    if joint.type is JointType.FIXED:
        return []
    if joint.type is JointType.PLANAR:
        px, py, pz, qx, qy, qz = plane_directions(*joint.axis)
        return [
            one(":x", JointType.PRISMATIC, (px, py, pz)),
            one(":y", JointType.PRISMATIC, (qx, qy, qz)),
            one(":turn", JointType.CONTINUOUS, joint.axis),
        ]
    if joint.type is JointType.FLOATING:
        axes = ((":x", (1.0, 0.0, 0.0)), (":y", (0.0, 1.0, 0.0)), (":z", (0.0, 0.0, 1.0)))
        slides = [one(suffix, JointType.PRISMATIC, axis) for suffix, axis in axes]
        return [*slides, one(":ball", JointType.SPHERICAL, joint.axis)]
    return [BodyJoint(joint, name, pos, quat_rotate(frame.quat, joint.axis))]


def inertial_of(link: Link, *, moving: bool, losses: Losses) -> Inertial | None:
    """Mass and principal moments as MuJoCo takes them; None: the body has no mass.

    Args:
        link: The link.
        moving: Its body has joints.
        losses: What had to be changed is noted there.
    """
    where = f"link {link.name!r}"
    inertial = link.inertial
    mass = max(inertial.mass, 0.0)
    pose, moments = principal_moments(inertial)
    if not moving and not mass:
        if any(inertial.inertia):
            losses.add("MJCF has no inertia without a mass, left out", where)
        return None
    if mass < MIN_MASS and moving:
        losses.add(f"MuJoCo needs a mass behind a joint, {MIN_MASS} kg are written", where)
        mass = MIN_MASS
    taken = physical_inertia(moments, MIN_INERTIA if moving else 0.0)
    if taken != moments:
        losses.add("moments of inertia that no body has, raised until one could", where)
    a, b, c = taken
    return Inertial(mass, pose, (a, b, c, 0.0, 0.0, 0.0))
