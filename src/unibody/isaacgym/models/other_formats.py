"""Files in formats without rules of their own, such as USD, as assets."""

from __future__ import annotations

import math

from unibody.core.assets.description import Asset, Link, Pose
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.link_tree import merged, ordered
from unibody.core.assets.load import Format
from unibody.core.assets.mass.defaults import complete
from unibody.core.assets.paths import SearchPath
from unibody.isaacgym.models.shapes import convert_shapes
from unibody.isaacgym.types.asset_options import AssetOptions
from unibody.notices import tell


def read_other(
    entry: Format, file: str, search_path: SearchPath, options: AssetOptions
) -> tuple[Asset, set[str]]:
    """Read the first robot of a file: the bodies that joints connect, or a single body.

    The children of a body are in the order of the file. The base is at the origin and floats
    unless ``fix_base_link`` says otherwise. What is not limited has infinite limits.

    Args:
        entry: The format.
        file: Path of the file.
        search_path: Where layers and textures are looked for.
        options: Those that concern files are applied.

    Returns:
        The tree, and the names of links that only stand between two axes of one body.

    Raises:
        AssetError: The file or a layer is missing or malformed.
        NotSupportedError: What the reader needs is not installed, or the file holds what no asset
            can.
    """
    found = entry.read(file, search_path, DEFAULT_LIMITS)
    bodies = [tree for tree in found if not tree.static] or found
    tree = next((tree for tree in bodies if len(tree.links) > 1), bodies[0])
    if len(bodies) > 1:
        names = ", ".join(repr(other.links[0].name) for other in bodies if other is not tree)
        tell(f"{file}: an asset has one base; the bodies {names} are left out")
    tree.pose = Pose()
    tree.fixed_base = None
    between = {link.name for link in tree.links[1:] if _between(link)}
    _open_limits(tree)
    convert_shapes(tree, options)
    complete(tree, options.density)
    if options.collapse_fixed_joints:
        tree.links = merged(tree.links)
    tree.links = ordered(tree.links, key=None)
    return tree, between


def _between(link: Link) -> bool:
    """Whether a link only stands between two axes of one joint."""
    shapes = link.collisions or link.visuals
    return not (link.inertial.stated or shapes) and link.name.endswith(f"/{link.joint.name}")


def _open_limits(tree: Asset) -> None:
    """Write what the file does not limit as infinite, and the force limits of drives."""
    for link in tree.links:
        joint = link.joint
        joint.mimic = None
        joint.effort = joint.drives[0].max_force if joint.drives else math.inf
        joint.velocity = joint.velocity or math.inf
        if joint.lower > joint.upper:
            joint.lower, joint.upper = -math.inf, math.inf
        if any(drive.acceleration for drive in joint.drives):
            tell(f"{tree.file}: joint {joint.name!r}: its acceleration drive is taken for a force")
        for shape in link.collisions:
            shape.group = shape.mask = None
