"""Reading SDF files, with PyBullet's rules or with SDFormat's."""

from __future__ import annotations

import math
import os

from unibody.core.assets.description import Asset, Link, Pose
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.sdf.joint import read_joint
from unibody.core.assets.sdf.link import read_link, read_pose, value_of
from unibody.core.assets.sdf.native import read_native
from unibody.core.assets.transforms import pose_inverse, pose_multiply
from unibody.core.assets.urdf.joint import JointEntry
from unibody.core.assets.urdf.node import Node, UrdfContext
from unibody.core.assets.urdf.tree import order_links
from unibody.core.assets.xml import read_xml
from unibody.errors import AssetError, InvalidArgumentError


def load_sdf(
    file: str | os.PathLike[str],
    search_path: SearchPath,
    limits: Limits = DEFAULT_LIMITS,
    *,
    pybullet_numbering: bool = True,
    scale: float = 1.0,
) -> list[Asset]:
    """Reads an SDF file.

    Args:
        file: Path of the file; looked for with ``search_path``.
        search_path: Where the file and the files and models it refers to are looked for.
        limits: Bounds on the contents of the file.
        pybullet_numbering: Models as PyBullet's loadSDF gives them: those of the first world, or
            of the file where it has no world; without included models, without frames other than
            the model's, without the poses of joints. ``False``: what the file means to SDFormat.
        scale: Factor on lengths (``globalScaling``); like in PyBullet not on radii of balls and
            not on limits.

    Returns:
        One asset for each model, in file order.

    Raises:
        AssetError: The file is missing, malformed or refused for its contents.
        InvalidArgumentError: ``scale`` is not a positive number.
    """
    if not (math.isfinite(scale) and scale > 0.0):
        raise InvalidArgumentError("scale", scale, "a positive number")
    found = search_path.locate(file)
    if found is None:
        raise AssetError(file, "", f"no such file, {search_path.described()}")
    context = UrdfContext(os.fspath(file), found, search_path, limits, scale)
    root = Node(read_xml(found, limits, root="sdf"), "", context)
    assets = _read_bullet(root) if pybullet_numbering else read_native(root)
    if not assets:
        raise AssetError(file, "<sdf>", "has no <model>")
    for asset in assets:
        asset.file = found
    return assets


def _read_bullet(root: Node) -> list[Asset]:
    return [_read_model(node) for node in (root.child("world") or root).children("model")]


def _read_model(node: Node) -> Asset:
    name = node.name()
    node = node.at(f"model {name!r}")
    links: dict[str, Link] = {}
    poses: dict[str, Pose] = {}
    for child in node.children("link"):
        link = read_link(child, strict=True)
        if link.name in links:
            raise child.error(f"the link name {link.name!r} is used twice")
        if len(links) >= node.context.limits.links:
            raise node.error(f"more than {node.context.limits.links} links")
        links[link.name], poses[link.name] = link, read_pose(child)
    if not links:
        raise node.error("has no <link>")
    joints: list[JointEntry] = []
    names: set[str] = set()
    for child in node.children("joint"):
        entry = read_joint(child, strict=True)
        if entry.joint.name in names:
            raise child.error(f"the joint name {entry.joint.name!r} is used twice")
        names.add(entry.joint.name)
        joints.append(entry)
    for entry in joints:
        if entry.parent in poses and entry.child in poses:
            above = pose_inverse(poses[entry.parent])
            entry.joint.origin = pose_multiply(above, poses[entry.child])
    ordered = order_links(node, links, joints, maintain_order=False)
    static = value_of(node, "static")
    fixed = static is not None and int(static.number("text")) == 1
    return Asset(
        name,
        ordered,
        # PyBullet puts the base at the model's pose, whatever the pose of its own link is.
        pose=read_pose(node),
        fixed_base=fixed or ordered[0].inertial.mass == 0.0,
        static=fixed,
    )
