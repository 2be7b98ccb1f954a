"""The MJCF reader with PyBullet's rules.

PyBullet reads a part of MJCF and turns it into links its own way: every joint of a body becomes a
link without mass, the body itself a link fixed to the last one. Most defaults, classes, ``euler``
and included files count for nothing there. Scripts depend on the numbers, names and poses that
come out, so the same ones come out here; ``native`` reads what the file really means.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field, replace

from unibody.core.assets import suffixes
from unibody.core.assets.description import (
    Asset,
    ContactParameters,
    Inertial,
    Joint,
    JointType,
    Link,
    MeshSource,
    Pose,
    Quat,
    Shape,
    ShapeKind,
    Vec3,
)
from unibody.core.assets.mjcf.names import NumberedAssets, Numbering, take_numbers
from unibody.core.assets.suffixes import suffix_of
from unibody.core.assets.transforms import (
    pose_inverse,
    pose_multiply,
    quat_between,
    quat_normalize,
)
from unibody.core.assets.urdf.node import Node
from unibody.errors import AssetError

_DENSITY = 1000.0  # kg/m^3, of links whose mass the file does not state

_Edge = tuple[Joint, int, int]


@dataclass(slots=True)
class _Defaults:
    """What ``<default>`` sets, as far as PyBullet reads it."""

    group: int = 1
    mask: int = 1
    condim: int = 3
    friction: Vec3 = (0.5, 0.0, 0.0)  # lateral, spinning, rolling
    rgba: tuple[float, float, float, float] | None = None
    limited: str = ""


@dataclass(slots=True)
class _File:
    """What is known about the file as a whole."""

    defaults: _Defaults = field(default_factory=_Defaults)
    classes: dict[str, _Defaults] = field(default_factory=dict[str, _Defaults])
    meshes: dict[str, str] = field(default_factory=dict[str, str])
    mesh_folder: str = ""
    degrees: bool = False
    models: int = 0
    numbers: int = 0  # how many were taken for what has no name

    def take_number(self) -> int:
        """The next number for something without a name."""
        self.numbers += 1
        return self.numbers - 1


@dataclass(slots=True)
class _Model:
    """One top-level body or geom under construction: links and joints in order of appearance."""

    number: int
    links: list[Link] = field(default_factory=list[Link])
    poses: list[Pose] = field(default_factory=list[Pose])  # only those of roots are used
    joints: list[_Edge] = field(default_factory=list[_Edge])  # joint, parent, child
    link_names: set[str] = field(default_factory=set[str])
    joint_names: set[str] = field(default_factory=set[str])  # those that are in the file
    numbered: dict[str, tuple[str, int, str]] = field(  # names with a number, see names
        default_factory=dict[str, tuple[str, int, str]]
    )

    def add_link(self, node: Node, name: str = "") -> int:
        """A new link; PyBullet names one without a name after its place."""
        index = len(self.links)
        if index >= node.context.limits.links:
            raise node.error(f"more than {node.context.limits.links} links")
        link = Link(name or f"link{self.number}_{index}")
        if link.name in self.link_names:
            raise node.error(f"the name {link.name!r} is used twice in one model")
        self.link_names.add(link.name)
        self.links.append(link)
        self.poses.append(Pose())
        return index

    def number_name(self, before: str, number: int, after: str) -> str:
        """A name for a joint that has none in the file, and that no file can have."""
        name = f"\0{before}{number}{after}"
        self.numbered[name] = before, number, after
        return name

    def add_joint(self, node: Node, joint: Joint, parent: int, child: int) -> None:
        """Attaches a link to another."""
        if joint.name in self.joint_names:
            raise node.error(f"the joint name {joint.name!r} is used twice in one model")
        if joint.name not in self.numbered:
            self.joint_names.add(joint.name)
        self.joints.append((joint, parent, child))


def read_bullet(root: Node) -> NumberedAssets:
    """Reads a ``<mujoco>`` element as PyBullet does: one asset for each top-level body and geom.

    Args:
        root: The ``<mujoco>`` element.

    Raises:
        AssetError: A name is used twice, a number has no meaning, or an attribute without which
            PyBullet crashes is missing.
    """
    file = _File()
    try:
        return _read_file(root, file)
    except AssetError:
        take_numbers(file.numbers)
        raise


def _read_file(root: Node, file: _File) -> NumberedAssets:
    for node in root.children("default"):
        _read_defaults(node, file.defaults, file)
    for node in root.children("compiler"):
        file.mesh_folder = node.get("meshdir") or file.mesh_folder
        # Without a <compiler> PyBullet takes angles as they are.
        file.degrees = (node.get("angle") or "degree") == "degree"
    for node in root.children("asset"):
        _read_assets(node, file)
    assets: list[Asset] = []
    numbered: list[Numbering] = []
    for node in (*root.children("body"), *root.children("worldbody")):
        for child in _elements(node):
            model = _read_top_level(child, file)
            if model is not None:
                asset = _asset(model, root.get("model") or "", child)
                assets.append(asset)
                names = (model.numbered.get(link.joint.name) for link in asset.links)
                numbered.append({k: name for k, name in enumerate(names) if name is not None})
    return NumberedAssets(tuple(assets), tuple(numbered), file.numbers)


def _elements(node: Node) -> list[Node]:
    return [replace(node, element=child) for child in node.element]  # pyright: ignore[reportArgumentType]


def _read_defaults(node: Node, defaults: _Defaults, file: _File) -> None:
    for child in _elements(node):
        tag = child.element.tag
        if "default" in tag and child.get("class") is not None:
            inner = file.classes.setdefault(child.require("class"), _Defaults())
            _read_defaults(child, inner, file)
        elif tag == "asset":
            _read_assets(child, file)
        elif tag == "joint":
            defaults.limited = child.get("limited") or defaults.limited
        elif tag == "geom":
            defaults.group = _integer(child, "contype", defaults.group)
            defaults.mask = _integer(child, "conaffinity", defaults.mask)
            defaults.condim = _integer(child, "condim", defaults.condim)
            defaults.rgba = _rgba(child) or defaults.rgba
            given = child.numbers("friction")[:3] if child.get("friction") is not None else []
            a, b, c = (*given, *defaults.friction[len(given) :])
            defaults.friction = (a, b, c)


def _read_assets(node: Node, file: _File) -> None:
    for mesh in node.children("mesh"):
        name, reference = mesh.get("name"), mesh.get("file")
        if name and reference:
            file.meshes[name] = reference


def _read_top_level(node: Node, file: _File) -> _Model | None:
    if node.element.tag not in ("body", "geom"):
        return None
    model = _Model(file.models)
    file.models += 1
    if node.element.tag == "body":
        _read_body(node, file, file.defaults, model, None)
    else:
        link = model.add_link(node, node.get("name") or "anonymous")
        model.links[link].inertial = Inertial(stated=False)
        _read_geom(node, file, file.defaults, model.links[link])
    return model


def _read_body(
    node: Node, file: _File, defaults: _Defaults, model: _Model, parent: int | None
) -> None:
    defaults = file.classes.get(node.get("childclass") or "", defaults)
    body = model.add_link(node, node.get("name") or "")
    if not node.get("name"):
        file.take_number()
    link = model.links[body]
    link.inertial = Inertial(stated=False)
    placed = _pose(node)
    first: Pose | None = None  # pose of the body's first joint in the body
    for child in _elements(node):
        tag = child.element.tag
        if tag == "inertial":
            link.inertial = _read_inertial(child)
        elif tag == "joint":
            if first is None and parent is None and child.get("type") == "free":
                continue
            if parent is None:
                parent = model.add_link(child)
                model.links[parent].inertial = Inertial(stated=False)
            number = model.add_link(child)
            model.links[number].inertial = Inertial(stated=False)
            own = _joint_pose(child)
            before = placed if first is None else pose_inverse(first)
            _read_joint(child, file, model, (parent, number), pose_multiply(before, own))
            if first is None:
                first = own
                placed = pose_inverse(own)
            parent = number
        elif tag == "geom":
            shift = _read_geom(child, file, defaults, link)
            if not link.inertial.stated:
                link.inertial.pose = Pose(shift, link.inertial.pose.quat)
        elif tag == "body":
            _read_body(child, file, defaults, model, body)
    model.poses[body] = placed
    if parent is not None:
        name = model.number_name("jointfix_", file.take_number(), f"_{parent}")
        model.add_joint(node, Joint(name, JointType.FIXED, placed), parent, body)
    if not link.inertial.stated:
        link.inertial.mass = _DENSITY * sum(map(_volume, link.collisions))


def _read_inertial(node: Node) -> Inertial:
    xx, yy, zz = node.vector("diaginertia")
    return Inertial(node.number("mass", 0.0), _pose(node), (xx, yy, zz, 0.0, 0.0, 0.0))


def _read_joint(
    node: Node, file: _File, model: _Model, ends: tuple[int, int], origin: Pose
) -> None:
    """Adds the joint between two links, unless it is of a type that PyBullet does not know.

    Without the joint the second link and all below it are not part of the body.
    """
    limited = (node.get("limited") or file.defaults.limited) == "true"
    hinge = JointType.REVOLUTE if limited else JointType.CONTINUOUS
    kinds = {"fixed": JointType.FIXED, "slide": JointType.PRISMATIC, "hinge": hinge}
    kind = kinds.get(node.get("type") or "")
    if kind is None:
        node.warn(f"type={node.get('type')!r} is none that PyBullet reads, left out with its body")
        return
    lower, upper = 1.0, 0.0
    if limited:
        node.require("range")
        values = node.numbers("range")
        if len(values) == 2:
            factor = math.pi / 180 if file.degrees and kind is JointType.REVOLUTE else 1.0
            lower, upper = values[0] * factor, values[1] * factor
    x, y, z = node.vector("axis", (1.0, 0.0, 0.0))
    length = math.hypot(x, y, z)
    if length == 0.0 and kind is not JointType.FIXED:
        raise node.error(f"axis={node.get('axis')!r} has no direction")
    scale = 1.0 / (length or 1.0)
    name = node.get("name") or model.number_name(
        "joint", file.take_number(), f"_{ends[1]}_{len(model.joints)}"
    )
    axis = (x * scale, y * scale, z * scale)
    joint = Joint(name, kind, origin, axis, length or 1.0, lower, upper)
    model.add_joint(node, joint, *ends)


def _read_geom(node: Node, file: _File, defaults: _Defaults, link: Link) -> Vec3:
    """Adds a geom to a link and returns the middle of its ``fromto``, zeros where it has none."""
    link.contact = _contact(node, defaults)
    reader = _SHAPES.get(node.get("type") or "")
    if reader is None:
        node.warn(f"type={node.get('type')!r} is none that PyBullet reads, left out")
        return (0.0, 0.0, 0.0)
    shape = reader(node, file)
    middle = (0.0, 0.0, 0.0)
    if node.get("fromto") is not None and node.get("type") in ("capsule", "cylinder"):
        middle = shape.pose.pos if shape is not None else middle
    if shape is None:
        return middle
    if len(link.collisions) >= node.context.limits.shapes:
        raise node.error(f"more than {node.context.limits.shapes} geoms in one body")
    shape.pose = pose_multiply(_geom_pose(node), shape.pose)
    shape.name = node.get("name") or ""
    shape.rgba = _rgba(node) or defaults.rgba
    shape.group = _integer(node, "contype", defaults.group)
    shape.mask = _integer(node, "conaffinity", defaults.mask)
    link.collisions.append(shape)
    link.visuals.append(replace(shape))
    return middle


def _contact(node: Node, defaults: _Defaults) -> ContactParameters:
    condim = _integer(node, "condim", defaults.condim)
    lateral = defaults.friction[0]
    if node.get("friction") is not None:
        lateral = (node.numbers("friction") or [lateral])[0]
    # A geom's own spinning and rolling friction lose to the defaults in PyBullet.
    return ContactParameters(
        lateral_friction=lateral,
        spinning_friction=defaults.friction[1] if condim > 3 else None,
        rolling_friction=defaults.friction[2] if condim > 4 else None,
    )


def _plane(_node: Node, _file: _File) -> Shape:
    return Shape(ShapeKind.PLANE)


def _box(node: Node, _file: _File) -> Shape:
    x, y, z = node.vector("size", (1.0, 1.0, 1.0))
    return Shape(ShapeKind.BOX, (2 * x, 2 * y, 2 * z))


def _sphere(node: Node, _file: _File) -> Shape:
    return Shape(ShapeKind.SPHERE, (node.number("size", 1.0),))


def _round(node: Node, _file: _File) -> Shape | None:
    node.require("size")
    sizes = node.numbers("size")
    kind = ShapeKind.CAPSULE if node.get("type") == "capsule" else ShapeKind.CYLINDER
    radius = sizes[0] if sizes else 2.0
    if node.get("fromto") is not None:
        values = node.numbers("fromto")
        if len(values) < 6:
            node.warn(f"fromto={node.get('fromto')!r} does not have 6 numbers, zeros taken")
            values = [0.0] * 6
        return _between(kind, radius, values)
    if len(sizes) < 2:
        node.warn("size needs radius and half length, left out")
        return None
    return Shape(kind, (radius, 2 * sizes[1]))


def _between(kind: ShapeKind, radius: float, values: list[float]) -> Shape:
    a, b = values[:3], values[3:6]
    x, y, z = (end - start for start, end in zip(a, b, strict=True))
    length = math.hypot(x, y, z)
    mx, my, mz = ((start + end) / 2 for start, end in zip(a, b, strict=True))
    if length < 1e-8:
        return Shape(kind, (radius, 0.0), Pose((mx, my, mz)), by_ends=True)
    turn = quat_between((0.0, 0.0, 1.0), (x / length, y / length, z / length))
    return Shape(kind, (radius, length), Pose((mx, my, mz), turn), by_ends=True)


def _mesh(node: Node, file: _File) -> Shape | None:
    reference = file.meshes.get(node.get("mesh") or "")
    if reference is None or suffix_of(reference) not in suffixes.MESH:
        node.warn(f"mesh={node.get('mesh')!r} is no mesh file of <asset>, left out")
        return None
    context = node.context
    for path in (file.mesh_folder + reference, os.path.join(file.mesh_folder, reference)):
        found = context.search_path.resolve(path, referrer=context.referrer, element=node.label())
        if found is not None:
            return Shape(ShapeKind.MESH, mesh=MeshSource(found, reference))
    node.warn(f"mesh file {reference!r} not found, left out")
    return None


_SHAPES = {
    "plane": _plane,
    "box": _box,
    "sphere": _sphere,
    "capsule": _round,
    "cylinder": _round,
    "mesh": _mesh,
}


def _volume(shape: Shape) -> float:
    """Volume as PyBullet counts it [m^3]: none for planes and meshes."""
    if shape.kind is ShapeKind.BOX:
        return math.prod(shape.size)
    if shape.kind is ShapeKind.SPHERE:
        return 4 / 3 * math.pi * shape.size[0] ** 3
    if shape.kind in (ShapeKind.CAPSULE, ShapeKind.CYLINDER):
        radius, length = shape.size
        ends = 4 / 3 * math.pi * radius**3 if shape.kind is ShapeKind.CAPSULE else 0.0
        return ends + math.pi * radius**2 * length
    return 0.0


def _pose(node: Node) -> Pose:
    return Pose(node.vector("pos"), _quat(node, "quat"))


def _quat(node: Node, attribute: str) -> Quat:
    values = node.numbers(attribute) if node.get(attribute) is not None else []
    if len(values) != 4:
        return (1.0, 0.0, 0.0, 0.0)
    return quat_normalize((values[0], values[1], values[2], values[3]))


def _joint_pose(node: Node) -> Pose:
    """PyBullet takes the numbers of a joint's ``quat`` in the order y, z, w, x."""
    values = node.numbers("quat") if node.get("quat") is not None else []
    y, z, w, x = values if len(values) == 4 else (0.0, 0.0, 1.0, 0.0)
    return Pose(node.vector("pos"), quat_normalize((w, x, y, z)))


def _geom_pose(node: Node) -> Pose:
    pose = _pose(node)
    values = node.numbers("axisangle") if node.get("axisangle") is not None else []
    if len(values) != 4:
        return pose
    x, y, z, angle = values  # radians, whatever the compiler's unit is
    length = math.hypot(x, y, z)
    if length == 0.0:
        raise node.error(f"axisangle={node.get('axisangle')!r} has no direction")
    sine = math.sin(angle / 2) / length
    return Pose(pose.pos, (math.cos(angle / 2), x * sine, y * sine, z * sine))


def _rgba(node: Node) -> tuple[float, float, float, float] | None:
    values = node.numbers("rgba") if node.get("rgba") is not None else []
    return (values[0], values[1], values[2], values[3]) if len(values) == 4 else None


def _integer(node: Node, attribute: str, default: int) -> int:
    value = int(node.number(attribute, float(default)))
    if not -(2**31) <= value < 2**31:
        raise node.error(f"{attribute}={value} does not fit into 32 bits")
    return value


def _asset(model: _Model, name: str, node: Node) -> Asset:
    """The tree below the first link without a parent, depth first, children in joint order."""
    children: dict[int, list[tuple[Joint, int]]] = {}
    for joint, parent, child in model.joints:
        children.setdefault(parent, []).append((joint, child))
    below = {child for _, _, child in model.joints}
    root = next(index for index in range(len(model.links)) if index not in below)
    links: list[Link] = []
    stack: list[tuple[int, Joint, int]] = [(root, Joint(), -1)]
    while stack:
        index, joint, parent = stack.pop()
        link = model.links[index]
        link.joint, link.parent = joint, parent
        links.append(link)
        place = len(links) - 1
        stack += [(child, over, place) for over, child in reversed(children.get(index, []))]
    base = links[0].inertial
    return Asset(
        name=name,
        links=links,
        # PyBullet puts the base's centre of mass where the file puts its frame.
        pose=pose_multiply(model.poses[root], pose_inverse(base.pose)),
        fixed_base=base.mass == 0.0,
        static=node.element.tag == "geom",
    )
