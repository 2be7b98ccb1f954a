"""SDF links: inertial, contact parameters and shapes. Values stand in the text of elements."""

from __future__ import annotations

import math
from dataclasses import replace

from unibody.core.assets import suffixes
from unibody.core.assets.description import (
    ContactParameters,
    Inertial,
    Link,
    MeshSource,
    Pose,
    Shape,
    ShapeKind,
    Vec3,
)
from unibody.core.assets.paths import strip_scheme
from unibody.core.assets.suffixes import suffix_of
from unibody.core.assets.transforms import pose_multiply, quat_between, quat_from_rpy
from unibody.core.assets.urdf.link import contact_parameters
from unibody.core.assets.urdf.node import Node
from unibody.core.assets.xml import Element

_INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_DEFAULT_RADIUS = 0.1  # PyBullet's radius and length of a cylinder that states none [m]


def value_of(node: Node, tag: str) -> Node | None:
    """The child with this tag, its text as the attribute "text"; None where there is none.

    Raises:
        AssetError: The child is empty.
    """
    child = node.child(tag)
    return None if child is None else text_of(child)


def text_of(node: Node) -> Node:
    """The element itself, its text as the attribute "text".

    Raises:
        AssetError: The element is empty.
    """
    if not (node.element.text or "").strip():
        raise node.error("is empty")
    copy = Element(node.element.tag, {**node.element.attrib, "text": node.element.text or ""})
    copy.line = node.element.line
    return replace(node, element=copy)


def number_of(node: Node, tag: str, default: float) -> float:
    """The number in the child with this tag."""
    child = value_of(node, tag)
    return default if child is None else child.number("text", finite=False)


def vector_of(node: Node, tag: str, default: Vec3) -> Vec3:
    """The first three numbers in the child with this tag."""
    child = value_of(node, tag)
    return default if child is None else numbers3(child)


def numbers3(node: Node) -> Vec3:
    """The first three numbers of a node from ``text_of``, zeros where it has fewer."""
    values = numbers(node)
    return (values[0], values[1], values[2]) if len(values) >= 3 else (0.0, 0.0, 0.0)


def numbers(node: Node) -> list[float]:
    """All numbers of a node from ``text_of``, whatever white space is between them."""
    copy = Element(node.element.tag, {"text": " ".join(node.require("text").split())})
    copy.line = node.element.line
    return replace(node, element=copy).numbers("text")


def read_pose(node: Node) -> Pose:
    """The child ``<pose>``: position, scaled, and roll, pitch, yaw; identity where there is none.

    As in PyBullet the angles are the last three numbers, however many there are.
    """
    child = node.child("pose")
    if child is None or not (child.element.text or "").strip():
        return Pose()
    child = text_of(child)
    values = numbers(child)
    if len(values) < 3:
        child.warn(f"{child.get('text')!r} has fewer than 3 numbers, identity taken")
        return Pose()
    if child.get("rotation_format") == "quat_xyzw":
        raise child.error("rotation_format='quat_xyzw' is not supported, use 'euler_rpy'")
    angles = values[-3:]
    if child.get("degrees") in ("true", "1"):
        angles = [math.radians(angle) for angle in angles]
    scale = node.context.scale
    x, y, z = (value * scale for value in values[:3])
    return Pose((x, y, z), quat_from_rpy(*angles))


def read_link(node: Node, *, strict: bool) -> Link:
    """Reads a ``<link>``.

    Args:
        node: The element.
        strict: Only what PyBullet reads; otherwise also the friction in ``<surface>`` and shapes
            that PyBullet does not know.

    Raises:
        AssetError: Something that PyBullet also refuses, or a value without a meaning.
    """
    name = node.name()
    node = node.at(f"link {name!r}")
    link = Link(name, inertial=_read_inertial(node, name), contact=_read_contact(node))
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        found = node.children(tag)
        if len(found) > node.context.limits.shapes:
            limit = node.context.limits.shapes
            raise node.error(f"{len(found)} <{tag}> elements, the limit is {limit}")
        for child in found:
            shape = _read_shape(child, strict=strict)
            if shape is not None:
                shapes.append(shape)
                _read_look(child, shape)
    if not strict and link.contact.lateral_friction is None:
        link.contact.lateral_friction = _surface_friction(node)
    return link


def _read_inertial(node: Node, name: str) -> Inertial:
    inertial = node.child("inertial")
    if inertial is None:
        if name == "world":  # the name that fixes the base to the world
            return Inertial(stated=False)
        node.warn("no <inertial>, mass 1 and inertia 1 1 1 taken")
        return Inertial(1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0), stated=False)
    mass, inertia = value_of(inertial, "mass"), inertial.child("inertia")
    if mass is None:
        raise inertial.error("has no <mass>")
    if inertia is None:
        raise inertial.error("has no <inertia>")
    if any(inertia.child(tag) is None for tag in _INERTIA):
        missing = [tag for tag in _INERTIA if inertia.child(tag) is None]
        raise inertia.error(f"has no {', '.join(f'<{tag}>' for tag in missing)}")
    moments = [_finite(inertia, tag) for tag in _INERTIA]
    a, b, c, d, e, f = moments
    return Inertial(mass.number("text"), read_pose(inertial), (a, b, c, d, e, f))


def _finite(node: Node, tag: str) -> float:
    child = value_of(node, tag)
    return 0.0 if child is None else child.number("text")


def _read_contact(node: Node) -> ContactParameters:
    contact = node.child("contact")
    if contact is None:
        return ContactParameters()

    def value(tag: str) -> float | None:
        child = value_of(contact, tag)
        return None if child is None else child.number("text")

    return contact_parameters(contact, value)


def _surface_friction(node: Node) -> float | None:
    for collision in node.children("collision"):
        here: Node | None = collision
        for tag in ("surface", "friction", "ode"):
            here = None if here is None else here.child(tag)
        mu = None if here is None else value_of(here, "mu")
        if mu is not None:
            return mu.number("text")
    return None


def _read_look(node: Node, shape: Shape) -> None:
    material = node.child("material")
    if material is None:
        return
    diffuse, specular = value_of(material, "diffuse"), value_of(material, "specular")
    if diffuse is not None:
        values = numbers(diffuse)
        colour = (*values[:3], values[3] if len(values) > 3 else 1.0)
        red, green, blue, alpha = colour if len(values) >= 3 else (0.0, 0.0, 0.0, 0.0)
        shape.rgba = (red, green, blue, alpha)
    if specular is not None:
        shape.specular = numbers3(specular)
    if diffuse is not None or specular is not None:
        shape.material = shape.name or "mat"


def _read_shape(node: Node, *, strict: bool) -> Shape | None:
    geometry = node.child("geometry")
    if geometry is None:
        raise node.error("has no <geometry>")
    child = geometry.first()
    if child is None:
        raise geometry.error("has no shape in it")
    tag = child.element.tag
    if not strict and tag == "empty":
        return None
    readers = _READERS if strict else {**_READERS, **_MORE_READERS}
    if tag not in readers:
        allowed = ", ".join(readers)
        raise geometry.error(f"unknown shape <{tag}>, expected one of {allowed}")
    shape = readers[tag](child)
    pose = read_pose(node)
    # Only a plane has a pose of its own, the turn of its normal.
    shape.pose = pose_multiply(pose, shape.pose)
    shape.name = node.get("name") or ""
    if node.element.tag == "collision":
        shape.concave = node.get("concave") is not None
        shape.group, shape.mask = _integer(node, "group"), _integer(node, "mask")
    return shape


def _integer(node: Node, attribute: str) -> int | None:
    if node.get(attribute) is None:
        return None
    value = int(node.number(attribute))
    if not -(2**31) <= value < 2**31:
        raise node.error(f"{attribute}={value} does not fit into 32 bits")
    return value


def _box(node: Node) -> Shape:
    if node.child("size") is None:
        raise node.error("has no <size>")
    x, y, z = (side * node.context.scale for side in vector_of(node, "size", (0.0, 0.0, 0.0)))
    return Shape(ShapeKind.BOX, (x, y, z))


def _sphere(node: Node) -> Shape:
    radius = value_of(node, "radius")
    if radius is None:
        raise node.error("has no <radius>")
    # PyBullet does not scale the radius of a ball in an SDF.
    return Shape(ShapeKind.SPHERE, (radius.number("text"),))


def _round(node: Node) -> Shape:
    kind = ShapeKind.CYLINDER if node.element.tag == "cylinder" else ShapeKind.CAPSULE
    sizes: list[float] = []
    for tag in ("radius", "length"):
        child = value_of(node, tag)
        sizes.append(
            _DEFAULT_RADIUS if child is None else child.number("text") * node.context.scale
        )
    return Shape(kind, (sizes[0], sizes[1]))


def _plane(node: Node) -> Shape:
    if node.child("normal") is None or node.child("size") is None:
        raise node.error("needs <normal> and <size>")
    return _any_plane(node)


def _any_plane(node: Node) -> Shape:
    x, y, z = vector_of(node, "normal", (0.0, 0.0, 1.0))
    length = math.hypot(x, y, z)
    if length == 0.0:
        raise node.error("its <normal> has no direction")
    quat = quat_between((0.0, 0.0, 1.0), (x / length, y / length, z / length))
    return Shape(ShapeKind.PLANE, pose=Pose(quat=quat))


def _ellipsoid(node: Node) -> Shape:
    x, y, z = (radius * node.context.scale for radius in vector_of(node, "radii", (1.0, 1.0, 1.0)))
    return Shape(ShapeKind.ELLIPSOID, (x, y, z))


def _mesh(node: Node) -> Shape:
    uri = value_of(node, "uri")
    if uri is None:
        raise node.error("has no <uri>")
    reference = uri.require("text").strip()
    if suffix_of(reference) not in suffixes.MESH:
        allowed = ", ".join(suffixes.MESH)
        raise uri.error(f"{reference!r} is not a mesh file, expected one of {allowed}")
    context = node.context
    found = None
    # PyBullet puts folders in front of a name as it stands, so one with a leading slash is found
    # below them too.
    for name in (reference, strip_scheme(reference).lstrip("/")):
        found = found or context.search_path.resolve(
            name, referrer=context.referrer, element=uri.label()
        )
    if found is None:
        raise uri.error(f"mesh {reference!r} not found")
    x, y, z = (factor * context.scale for factor in vector_of(node, "scale", (1.0, 1.0, 1.0)))
    return Shape(ShapeKind.MESH, mesh=MeshSource(found, reference, (x, y, z)))


_READERS = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _round,
    "capsule": _round,
    "mesh": _mesh,
    "plane": _plane,
}
_MORE_READERS = {"ellipsoid": _ellipsoid, "plane": _any_plane}
