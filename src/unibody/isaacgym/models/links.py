"""Trees of links in the order and with the joints that Isaac Gym has."""

from __future__ import annotations

import math
from dataclasses import replace

from unibody.core.assets.description import Inertial, Joint, JointType, Link, Pose, Vec3
from unibody.core.assets.link_tree import renumbered
from unibody.core.assets.transforms import pose_multiply, quat_between, quat_rotate
from unibody.errors import NotSupportedError

_Z: Vec3 = (0.0, 0.0, 1.0)
_AXES: tuple[Vec3, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), _Z)
_ALIGNED = 1e-6


def without_floating(links: list[Link]) -> list[Link]:
    """Take away an empty root that only carries a floating joint.

    Raises:
        NotSupportedError: A floating joint anywhere else.
    """
    floating = [link for link in links if link.joint.type is JointType.FLOATING]
    root = links[0]
    empty = not (root.collisions or root.visuals or root.inertial.mass)
    if floating and floating == links[1:2] and empty and all(link.parent for link in links[2:]):
        links = links[1:]
        links[0].joint, links[0].parent = Joint(), -1
        for link in links[1:]:
            link.parent -= 1
        return links
    if floating:
        names = ", ".join(repr(link.joint.name) for link in floating)
        raise NotSupportedError(
            f"the floating joint {names} between two links", "load the parts as two assets"
        )
    return links


def split_joints(links: list[Link]) -> tuple[list[Link], dict[str, Joint]]:
    """Turn planar joints into chains of joints with one axis each.

    Returns:
        The links, with one without mass for each axis but the last; and for the names of the new
        joints the one they stand for.
    """
    out: list[Link] = []
    place: dict[int, int] = {-1: -1}
    whole: dict[str, Joint] = {}
    for number, link in enumerate(links):
        parent, parts = place[link.parent], _parts(link.joint)
        whole.update((part.name, link.joint) for part in parts)
        for part in parts[:-1]:
            out.append(Link(f"{link.name}/{part.name}", parent, part, Inertial(stated=False)))
            parent = len(out) - 1
        if parts:
            link.joint = parts[-1]
        link.parent = parent
        out.append(link)
        place[number] = len(out) - 1
    return out, whole


def _parts(joint: Joint) -> list[Joint]:
    if joint.type is not JointType.PLANAR:
        return []
    turn = quat_between(_Z, joint.axis)
    return [
        replace(
            joint,
            name=f"{joint.name}_{letter}",
            type=JointType.CONTINUOUS if letter == "z" else JointType.PRISMATIC,
            axis=quat_rotate(turn, axis),
            origin=joint.origin if letter == "x" else Pose(),
            lower=-math.inf,
            upper=math.inf,
            mimic=None,
        )
        for letter, axis in zip("xyz", _AXES, strict=True)
    ]


def ball_axes(joint: Joint) -> tuple[Joint, ...]:
    """What a ball joint has about x, y and z, as joints of one axis each."""
    if joint.axes:
        return joint.axes
    return tuple(
        replace(
            joint,
            name=f"{joint.name}_{letter}",
            type=JointType.REVOLUTE if most < math.inf else JointType.CONTINUOUS,
            axis=axis,
            lower=-most,
            upper=most,
            mimic=None,
            drives=tuple(drive for drive in joint.drives if drive.axis in {"", letter}),
        )
        for letter, axis, most in zip("xyz", _AXES, ball_ranges(joint), strict=True)
    )


def with_balls(links: list[Link], others: set[str]) -> list[Link]:
    """Make ball joints of three hinges of one body, about its x, y and z in this order.

    Isaac Gym does so, as the frame of a spherical joint of PhysX has three axes at right angles of
    which the third is the cross product of the others. Hinges in another order stay hinges, and so
    do those of a body with a further joint.

    Args:
        links: Parents first; a body is the last link of the chain of its axes.
        others: Names of joints that have to stay.
    """
    children = [0] * len(links)
    for link in links[1:]:
        children[link.parent] += 1
    gone: set[int] = set()
    for number, link in enumerate(links):
        chain = _hinges_of(links, number)
        alone = all(children[place] == 1 for place in chain[:-1])
        names = {links[place].joint.name for place in chain}
        if len(chain) == len(_AXES) and alone and not names & others:
            joints = [links[place].joint for place in chain]
            if _make_ball(link, joints):
                link.parent = links[chain[0]].parent
                gone.update(chain[:-1])
    return renumbered(links, [place for place in range(len(links)) if place not in gone])


def _hinges_of(links: list[Link], number: int) -> list[int]:
    """The links of the joints of a body, the first joint's first; empty: some are no hinges."""
    chain = [number]
    if number == 0 or not links[number].inertial.stated:
        return []
    while (parent := links[chain[0]].parent) > 0 and not links[parent].inertial.stated:
        chain.insert(0, parent)
    hinges = (JointType.REVOLUTE, JointType.CONTINUOUS)
    return chain if all(links[place].joint.type in hinges for place in chain) else []


def _make_ball(link: Link, joints: list[Joint]) -> bool:
    """Give a body the ball joint that three hinges are, if they are one."""
    last = joints[-1]
    same_place = joints[1].origin == Pose()
    for joint, axis in zip(joints, _AXES, strict=True):
        if math.dist(joint.axis, axis) > _ALIGNED or joint.friction or not same_place:
            return False
    origin = pose_multiply(joints[0].origin, last.origin)
    link.joint = Joint(
        last.name, JointType.SPHERICAL, origin, anchor=last.anchor, axes=tuple(joints)
    )
    return True


def ball_ranges(joint: Joint) -> tuple[float, float, float]:
    """How far a ball joint turns about x, y and z, either way [rad]; infinite: not limited.

    Swing and twist where a file gives these; of a range of the whole angle, as in MJCF files, each
    axis has all of it, as no angle about one axis is larger than it.
    """
    most = (joint.upper, joint.upper, joint.upper)
    if min(joint.lower, joint.upper, joint.twist) > 0.0:
        most = (joint.lower, joint.upper, joint.twist)
    elif joint.lower != 0.0:
        most = (math.inf, math.inf, math.inf)
    x, y, z = (angle if 0.0 < angle < math.pi else math.inf for angle in most)
    return x, y, z
