"""From links and joints in file order to a tree of links in PyBullet's order."""

from __future__ import annotations

from unibody.core.assets.description import Link
from unibody.core.assets.urdf.joint import JointEntry
from unibody.core.assets.urdf.node import Node


def order_links(
    robot: Node,
    links: dict[str, Link],
    joints: list[JointEntry],
    *,
    maintain_order: bool,
    several_roots: bool = False,
) -> list[Link]:
    """Connects links and sorts them: the root, then depth first with children in joint order.

    Links that no chain of joints connects to the root (they follow one another in a circle) are
    left out with a warning, as PyBullet does without one.

    Args:
        robot: The robot's element, for messages.
        links: Links by name, in file order.
        joints: Joints in file order.
        maintain_order: Keep the links in file order instead.
        several_roots: Of several roots the first one counts; what is not connected to it is left
            out with a warning.

    Returns:
        The links, each with its joint and the index of its parent.

    Raises:
        AssetError: A joint of an unknown link, a link with two parents, no root or several, or
            a link before the root although the order has to be maintained.
    """
    parents = _connect(links, joints)
    root = _find_root(robot, links, parents, several=several_roots)
    children: dict[str, list[JointEntry]] = {name: [] for name in links}
    for entry in joints:
        children[entry.parent].append(entry)
    names = _depth_first(root, children)
    if len(names) < len(links):
        reached = set(names)
        lost = [name for name in links if name not in reached]
        robot.warn(f"links {lost[:5]} are not connected to the root {root!r}, left out")
    if maintain_order:
        reached = set(names)
        names = [name for name in links if name in reached]
    return _number(names, links, parents)


def _connect(links: dict[str, Link], joints: list[JointEntry]) -> dict[str, JointEntry]:
    """The joint above each link that has one."""
    parents: dict[str, JointEntry] = {}
    for entry in joints:
        for tag, name in (("parent", entry.parent), ("child", entry.child)):
            if name not in links:
                raise entry.node.error(f"{tag} link {name!r} does not exist")
        other = parents.get(entry.child)
        if other is not None:
            raise entry.node.error(
                f"link {entry.child!r} already is the child of joint {other.joint.name!r}; "
                "a link can have one parent only (closed loops need a constraint)"
            )
        parents[entry.child] = entry
    return parents


def _find_root(
    robot: Node, links: dict[str, Link], parents: dict[str, JointEntry], *, several: bool
) -> str:
    roots = [name for name in links if name not in parents]
    if not roots:
        raise robot.error("no root link: every link is the child of a joint")
    if len(roots) > 1 and not several:
        raise robot.error(f"{len(roots)} root links, one is allowed: {', '.join(roots[:5])}")
    return roots[0]


def _depth_first(root: str, children: dict[str, list[JointEntry]]) -> list[str]:
    names: list[str] = []
    pending = [root]
    while pending:
        name = pending.pop()
        names.append(name)
        pending.extend(entry.child for entry in reversed(children[name]))
    return names


def _number(names: list[str], links: dict[str, Link], parents: dict[str, JointEntry]) -> list[Link]:
    index = {name: place for place, name in enumerate(names)}
    for name in names:
        entry = parents.get(name)
        if entry is not None:
            links[name].joint = entry.joint
            links[name].parent = index[entry.parent]
        elif index[name] > 0:
            raise parents[names[0]].node.error(
                f"the root link {name!r} is not the first link of the file, "
                "so the link order cannot be maintained"
            )
    return [links[name] for name in names]
