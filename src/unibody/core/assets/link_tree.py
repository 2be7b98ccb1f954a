"""Trees of links with fewer links or in another order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from unibody.core.assets.description import JointType, Link, Pose
from unibody.core.assets.mass import properties as mass
from unibody.core.assets.transforms import pose_multiply


def merged(links: list[Link]) -> list[Link]:
    """Merge links that a fixed joint connects into their parents, with mass and inertia.

    Joints that are not ``collapsible`` keep their links.

    Returns:
        The links that remain, parents first; those given are changed.
    """
    target: dict[int, tuple[int, Pose]] = {0: (0, Pose())}
    for number, link in enumerate(links[1:], start=1):
        parent, offset = target[link.parent]
        link.joint.origin = pose_multiply(offset, link.joint.origin)
        link.parent = parent
        if link.joint.type is JointType.FIXED and link.joint.collapsible:
            _absorb(links[parent], link)
            target[number] = (parent, link.joint.origin)
        else:
            target[number] = (number, Pose())
    kept = [number for number in range(len(links)) if target[number][0] == number]
    return renumbered(links, kept)


def _absorb(parent: Link, child: Link) -> None:
    origin = child.joint.origin
    for mine, taken in (
        (parent.collisions, child.collisions),
        (parent.visuals, child.visuals),
    ):
        mine += [replace(shape, pose=pose_multiply(origin, shape.pose)) for shape in taken]
    both = (mass.of_inertial(parent.inertial), mass.of_inertial(child.inertial).moved(origin))
    parent.inertial = mass.to_inertial(mass.combined(both))


def ordered(links: list[Link], key: Callable[[Link], str] | None) -> list[Link]:
    """Put links in depth-first order.

    Args:
        links: Parents first.
        key: What the children of a link are sorted by; None keeps their order.
    """
    children: list[list[int]] = [[] for _ in links]
    for number, link in enumerate(links[1:], start=1):
        children[link.parent].append(number)
    order: list[int] = []
    pending = [0]
    while pending:
        number = pending.pop()
        order.append(number)
        below = children[number]
        if key is not None:
            below = sorted(below, key=lambda child: key(links[child]))
        pending += reversed(below)
    return renumbered(links, order)


def renumbered(links: list[Link], order: list[int]) -> list[Link]:
    """Some of the links, in another order.

    Args:
        links: Parents first; changed.
        order: Numbers of the links that stay, parents first.
    """
    place = {number: new for new, number in enumerate(order)}
    for number in order:
        if links[number].parent >= 0:
            links[number].parent = place[links[number].parent]
    return [links[number] for number in order]
