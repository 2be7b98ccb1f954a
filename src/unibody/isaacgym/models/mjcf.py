"""MJCF files as Isaac Gym reads them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

from unibody.core.assets.description import Asset, Joint, JointType, Link, Pose
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.load import format_named
from unibody.core.assets.mjcf.clean import LOCKED_RANGE
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import pose_multiply
from unibody.isaacgym.models.drives import file_efforts
from unibody.isaacgym.models.links import with_balls
from unibody.isaacgym.models.shapes import convert_shapes
from unibody.isaacgym.types.asset_options import AssetOptions
from unibody.notices import tell

K = TypeVar("K")
_FILTER_BITS = 31


def read_mjcf(file: str, search_path: SearchPath, options: AssetOptions) -> tuple[Asset, set[str]]:
    """Read the first body of an MJCF file that has a joint, with all below it.

    Where none has, that is the first. Geoms of the world are left out, unless there is nothing
    else. The base is at the origin whatever the file says, turned as the file says. The tree's
    ``fixed_base`` is True where the base has joints of its own that hold it to the world; locked
    joints do not, such a base floats. What is not limited has infinite limits. Bodies that are
    welded to their parents stay bodies, whatever ``collapse_fixed_joints`` says.

    Args:
        file: Path of the file.
        search_path: Where meshes and included files are looked for.
        options: Those that concern files are applied.

    Returns:
        The tree, and the names of links that only stand between two axes of one body.

    Raises:
        AssetError: The file or a mesh is missing or malformed.
    """
    found = format_named("mjcf").read(file, search_path, DEFAULT_LIMITS)
    bodies = [tree for tree in found if not tree.static]
    tree = next(filter(_moves, bodies), (bodies or found)[0])
    if len(bodies) > 1:
        names = ", ".join(repr(other.links[0].name) for other in bodies if other is not tree)
        tell(f"{file}: an asset has one base; the bodies {names} are left out")
    tree.pose = Pose(quat=tree.pose.quat)
    tree.links = _loosened(_folded(tree.links))
    tree.fixed_base = not tree.links[0].inertial.stated
    _open_limits(tree)
    tree.links = with_balls(tree.links, {name for t in tree.tendons for name in t.joints})
    _write_filters(tree)
    convert_shapes(tree, options)
    virtual = {link.name for link in tree.links[1:] if not link.inertial.stated}
    return tree, virtual


def _moves(tree: Asset) -> bool:
    """Whether a body of the world has a joint, or one below it."""
    return not tree.fixed_base or any(
        link.joint.type is not JointType.FIXED for link in tree.links[1:]
    )


def _open_limits(tree: Asset) -> None:
    efforts = file_efforts(tree)
    for link in tree.links:
        joint = link.joint
        joint.effort, joint.velocity = efforts.get(joint.name, math.inf), math.inf
        if joint.lower > joint.upper:
            joint.lower, joint.upper = -math.inf, math.inf


def _write_filters(tree: Asset) -> None:
    """Replace the contact types of shapes by Isaac Gym's filter, in ``Shape.group``.

    Two shapes that the file keeps apart, by their types or by ``<exclude>``, share a bit.
    """
    shapes = [shape for link in tree.links for shape in link.collisions]
    kinds = sorted({(shape.group or 0, shape.mask or 0) for shape in shapes})
    apart = [
        (one, other)
        for place, one in enumerate(kinds)
        for other in kinds[place:]
        if not (one[0] & other[1] or other[0] & one[1])
    ]
    of_kind = _bits(apart, 0)
    of_link = _bits(tree.excluded, len(apart))
    if len(apart) + len(tree.excluded) > _FILTER_BITS:
        tell(f"{tree.file}: more than {_FILTER_BITS} exclusions, the last ones do not count")
    for link in tree.links:
        for shape in link.collisions:
            kind = shape.group or 0, shape.mask or 0
            shape.group, shape.mask = of_kind.get(kind, 0) | of_link.get(link.name, 0), None


def _bits(pairs: list[tuple[K, K]], first: int) -> dict[K, int]:
    """Filters in which both of each pair have a bit, from bit ``first`` on."""
    filters: dict[K, int] = {}
    for bit, pair in enumerate(pairs, start=first):
        for key in pair if bit < _FILTER_BITS else ():
            filters[key] = filters.get(key, 0) | 1 << bit
    return filters


def _loosened(tree: list[Link]) -> list[Link]:
    """Take away locked joints between the world and the base."""
    while not tree[0].inertial.stated and [link.parent for link in tree].count(0) == 1:
        joint = tree[1].joint
        locked = 0.0 <= joint.upper - joint.lower <= LOCKED_RANGE * max(1.0, abs(joint.lower))
        if joint.type is JointType.FIXED or not locked:
            break
        tree = tree[1:]
        tree[0].joint = Joint()
        for link in tree:
            link.parent -= 1
    return tree


def _folded(tree: list[Link]) -> list[Link]:
    """Let bodies take the place of the last link of their chain of axes.

    The reader fixes a body to a link at the anchor of its last joint; here the body has that joint
    itself, about that anchor.
    """
    gone: set[int] = set()
    for link in tree:
        above = tree[link.parent] if link.parent > 0 else None
        if above is None or link.joint.name != f"{link.name}/fixed":
            continue
        gone.add(link.parent)
        x, y, z = link.joint.origin.pos
        origin = pose_multiply(above.joint.origin, link.joint.origin)
        link.joint = replace(above.joint, origin=origin, anchor=(-x, -y, -z))
        link.parent = above.parent
    place: dict[int, int] = {-1: -1}
    kept: list[Link] = []
    for number, link in enumerate(tree):
        if number not in gone:
            place[number] = len(kept)
            link.parent = place[link.parent]
            kept.append(link)
    return kept
