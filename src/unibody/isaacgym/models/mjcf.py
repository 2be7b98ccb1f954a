"""MJCF files as Isaac Gym reads them."""

from __future__ import annotations

import math
from dataclasses import replace

from unibody.core.assets.description import Asset, Link, Pose
from unibody.core.assets.mjcf import load_mjcf
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import pose_multiply
from unibody.isaacgym.models import links
from unibody.isaacgym.models.drives import file_efforts
from unibody.isaacgym.models.shapes import convert_shapes
from unibody.isaacgym.types.asset_options import AssetOptions
from unibody.notices import tell


def read_mjcf(file: str, search_path: SearchPath, options: AssetOptions) -> tuple[Asset, set[str]]:
    """Read the first body of an MJCF file with all below it.

    Geoms of the world are left out, unless there is nothing else. The base is at the origin
    whatever the file says. The tree's ``fixed_base`` is True where the base has joints of its own
    that hold it to the world; what is not limited has infinite limits.

    Args:
        file: Path of the file.
        search_path: Where meshes and included files are looked for.
        options: Those that concern files are applied.

    Returns:
        The tree, and the names of links that only stand between two axes of one body.

    Raises:
        AssetError: The file or a mesh is missing or malformed.
    """
    found = load_mjcf(file, search_path, pybullet_numbering=False)
    bodies = [tree for tree in found if not tree.static]
    if len(bodies) > 1:
        names = ", ".join(repr(tree.links[0].name) for tree in bodies[1:])
        tell(f"{file}: an asset has one base; the bodies {names} are left out")
    tree = bodies[0] if bodies else found[0]
    tree.fixed_base = not tree.links[0].inertial.stated
    tree.pose = Pose()
    tree.links = _folded(tree.links)
    virtual = {link.name for link in tree.links[1:] if not link.inertial.stated}
    _open_limits(tree)
    _write_filters(tree)
    convert_shapes(tree, options)
    if options.collapse_fixed_joints:
        tree.links = links.ordered(links.merged(tree.links), key=None)
    return tree, virtual


def _open_limits(tree: Asset) -> None:
    efforts = file_efforts(tree)
    for link in tree.links:
        joint = link.joint
        joint.effort, joint.velocity = efforts.get(joint.name, math.inf), math.inf
        if joint.lower > joint.upper:
            joint.lower, joint.upper = -math.inf, math.inf


def _write_filters(tree: Asset) -> None:
    """Replace the contact types of shapes by Isaac Gym's filter, in ``Shape.group``.

    Two shapes whose types keep them apart share a bit. There are 31 bits: further kinds of pairs
    do collide.
    """
    shapes = [shape for link in tree.links for shape in link.collisions]
    kinds = sorted({(shape.group or 0, shape.mask or 0) for shape in shapes})
    filters = dict.fromkeys(kinds, 0)
    apart = [
        (one, other)
        for place, one in enumerate(kinds)
        for other in kinds[place:]
        if not (one[0] & other[1] or other[0] & one[1])
    ]
    for bit, pair in enumerate(apart[:31]):
        for kind in pair:
            filters[kind] |= 1 << bit
    for shape in shapes:
        shape.group, shape.mask = filters[shape.group or 0, shape.mask or 0], None


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
