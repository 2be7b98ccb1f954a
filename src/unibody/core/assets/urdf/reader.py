"""The URDF reader: a robot description into an ``Asset``, with PyBullet's defaults.

What PyBullet loads is loaded with the same values; what makes PyBullet refuse the file, crash or
produce NaN raises ``AssetError`` with the file, the element, its line and the value. One thing
differs: axes are unit vectors here, while PyBullet keeps the length a file states.

Elements that PyBullet passes over are passed over here too: ``<self_collision_checking>`` (whether
a body collides with itself is decided by the caller), ``<transmission>``, ``<gazebo>`` and others.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from unibody.core.assets.description import Asset, Link
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf.deformable import read_deformable
from unibody.core.assets.urdf.joint import JointEntry, read_joint
from unibody.core.assets.urdf.link import read_link
from unibody.core.assets.urdf.merge import merge_fixed_links
from unibody.core.assets.urdf.node import Node, UrdfContext
from unibody.core.assets.urdf.notes import read_notes
from unibody.core.assets.urdf.shape import Material, apply_materials, read_material
from unibody.core.assets.urdf.tree import order_links
from unibody.core.assets.xml import parse_xml, read_text
from unibody.errors import AssetError, InvalidArgumentError


@dataclass(frozen=True, slots=True)
class UrdfOptions:
    """How a URDF is read; the defaults are PyBullet's without flags.

    Attributes:
        scale: Factor on every length (``globalScaling``); masses and inertias stay as they are.
        fixed_base: The base does not move: ``Asset.fixed_base`` is ``True``.
        maintain_link_order: Keep links in file order instead of depth first
            (URDF_MAINTAIN_LINK_ORDER); the root has to be the first one.
        merge_fixed_links: Merge links with fixed joints into their parents
            (URDF_MERGE_FIXED_LINKS).
        pybullet_defaults: A link without mass weighs 1 kg, and an inertial or limit without a value
            is refused or read as PyBullet does. ``False``: what the file does not state stays open:
            zero mass and inertia (see ``Inertial.density``), infinite limits, efforts and speeds.
            What makes a collision mesh concave is then its ``<sdf>``. Of several links or joints of
            one name, and of several roots, the first one counts.
        skip_missing_visuals: A visual without its mesh file is left out, with a warning.
        shapes: Shapes are read; else links have none, and the files they name may be missing.
        deformable: A `<deformable>` makes an ``Asset`` with one; else the file is refused.
        soft_links: A link with `<fem>` is read as a soft one, ``Link.soft``; else it is refused
            (with ``pybullet_defaults`` it is passed over, as PyBullet does).
    """

    scale: float = 1.0
    fixed_base: bool = False
    maintain_link_order: bool = False
    merge_fixed_links: bool = False
    pybullet_defaults: bool = True
    skip_missing_visuals: bool = False
    shapes: bool = True
    deformable: bool = False
    soft_links: bool = False

    def __post_init__(self) -> None:
        """Checks the scale."""
        if not (math.isfinite(self.scale) and self.scale > 0.0):
            raise InvalidArgumentError("scale", self.scale, "a positive number")


DEFAULT_OPTIONS = UrdfOptions()


def load_urdf(
    file: str | os.PathLike[str],
    *,
    search_path: SearchPath,
    limits: Limits = DEFAULT_LIMITS,
    options: UrdfOptions = DEFAULT_OPTIONS,
) -> Asset:
    """Reads a URDF file.

    Mesh and texture files are found, not read.

    Args:
        file: Path of the file; looked for with ``search_path``.
        search_path: Where the file and the files it refers to are looked for.
        limits: Bounds on the contents of the file.
        options: How it is read.

    Returns:
        The robot, its links in PyBullet's order, lengths in metres times ``options.scale``.

    Raises:
        AssetError: The file is missing, malformed, or refused for its contents.
    """
    found = search_path.locate(file)
    if found is None:
        raise AssetError(file, "", f"no such file, {search_path.described()}")
    context = _context(os.fspath(file), found, search_path, limits, options)
    asset = _read(read_text(found, limits), context, options)
    asset.file = found
    return asset


def parse_urdf_text(
    text: str,
    *,
    search_path: SearchPath,
    directory: str = "",
    limits: Limits = DEFAULT_LIMITS,
    options: UrdfOptions = DEFAULT_OPTIONS,
) -> Asset:
    """Reads a URDF from a string; see ``load_urdf``.

    Args:
        text: The URDF.
        search_path: Where the files it refers to are looked for.
        directory: Directory that relative references start from, by default the working one.
        limits: Bounds on the contents of the text.
        options: How it is read.

    Returns:
        The robot; its ``file`` is "".

    Raises:
        AssetError: The text is malformed, or refused for its contents.
    """
    referrer = os.path.join(os.path.abspath(directory), "")
    context = _context("<text>", referrer, search_path, limits, options)
    return _read(text, context, options)


def _context(
    file: str, referrer: str, search_path: SearchPath, limits: Limits, options: UrdfOptions
) -> UrdfContext:
    return UrdfContext(
        file,
        referrer,
        search_path,
        limits,
        options.scale,
        options.pybullet_defaults,
        options.skip_missing_visuals,
        options.shapes,
        options.soft_links,
    )


def _read(text: str, context: UrdfContext, options: UrdfOptions) -> Asset:
    element = parse_xml(text, context.limits, file=context.file, root="robot")
    robot = Node(element, "", context)
    _refuse_xacro(robot)
    name = robot.name()
    soft = read_deformable(robot, allowed=options.deformable)
    if soft is not None:
        return soft
    materials = _read_materials(robot)
    links = _read_links(robot, materials)
    if context.pybullet_defaults:
        _recolour(links, materials)
    joints = _without_twins([read_joint(node) for node in robot.children("joint")], context)
    merge = options.merge_fixed_links
    keep = options.maintain_link_order and not merge  # merging makes an order of its own
    ordered = order_links(
        robot,
        links,
        joints,
        maintain_order=keep,
        several_roots=not options.pybullet_defaults,
    )
    _drop_blind_mimics(robot, ordered)
    if merge:
        ordered = merge_fixed_links(
            ordered, fixed_base=options.fixed_base, maintain_order=options.maintain_link_order
        )
    fixed = options.fixed_base or ordered[0].inertial.mass == 0.0
    fixed_base = True if fixed else None
    return Asset(name=name, links=ordered, fixed_base=fixed_base, notes=read_notes(robot))


def _refuse_xacro(robot: Node) -> None:
    for element in robot.element.iter():
        macro = element.tag.startswith("xacro:")
        if macro or any("${" in value for value in element.attrib.values()):
            at = f"<{element.tag}> line {getattr(element, 'line', 0)}"
            raise AssetError(
                robot.context.file, at, "this is a xacro file: expand it with xacro first"
            )


def _read_materials(robot: Node) -> dict[str, Material]:
    """The robot's own materials; the first of several with one name counts."""
    materials: dict[str, Material] = {}
    for node in robot.children("material"):
        if node.get("name") is None:
            node.warn("has no name, left out")
            continue
        material = read_material(node)
        if material.name in materials:
            node.warn(f"material {material.name!r} is defined twice, the first one counts")
        else:
            materials[material.name] = material
    return materials


def _recolour(links: dict[str, Link], materials: dict[str, Material]) -> None:
    """Give shapes the last colour that the file states under their material's name.

    Also what only names a material, or none at all, finds what is stated further down under that
    name, or under the empty one.
    """
    for link in links.values():
        apply_materials(link.visuals, materials)
        for shape in link.visuals:
            last = materials.get(shape.material)
            if shape.rgba is not None and last is not None and last.rgba is not None:
                shape.rgba = last.rgba


def _read_links(robot: Node, materials: dict[str, Material]) -> dict[str, Link]:
    nodes = robot.children("link")
    if not nodes:
        raise robot.error("has no <link>")
    limit = robot.context.limits.links
    if len(nodes) > limit:
        raise robot.error(f"{len(nodes)} links, the limit is {limit}")
    links: dict[str, Link] = {}
    for node in nodes:
        link = read_link(node, materials)
        if link.name not in links:
            links[link.name] = link
        elif robot.context.pybullet_defaults:
            raise node.error(f"the name {link.name!r} is taken by another link")
        else:
            node.warn(f"link {link.name!r} is defined twice, the first one counts")
    return links


def _without_twins(joints: list[JointEntry], context: UrdfContext) -> list[JointEntry]:
    """The joints, or the first ones of each name where PyBullet's rules do not apply."""
    found: dict[str, JointEntry] = {}
    for entry in joints:
        name = entry.joint.name
        if name not in found:
            found[name] = entry
        elif context.pybullet_defaults:
            raise entry.node.error(f"the name {name!r} is taken by another joint")
        else:
            entry.node.warn(f"joint {name!r} is defined twice, the first one counts")
    return list(found.values())


def _drop_blind_mimics(robot: Node, links: list[Link]) -> None:
    names = {link.joint.name for link in links[1:]}
    for link in links:
        mimic = link.joint.mimic
        if mimic is not None and mimic.joint not in names:
            robot.warn(f"joint {link.joint.name!r} mimics {mimic.joint!r}, which does not exist")
            link.joint.mimic = None
