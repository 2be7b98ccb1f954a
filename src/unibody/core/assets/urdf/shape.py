"""URDF visual and collision elements, geometry and materials."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NoReturn

from unibody.core.assets import suffixes
from unibody.core.assets.description import MeshSource, Pose, Shape, ShapeKind, Vec3
from unibody.core.assets.suffixes import suffix_of
from unibody.core.assets.transforms import pose_multiply, quat_between
from unibody.core.assets.urdf.node import Node
from unibody.core.assets.urdf.notes import read_notes
from unibody.errors import NotSupportedError

# What PyBullet takes for a material that does not state its colour, only a texture, say.
_UNSTATED = (0.8, 0.8, 0.8, 1.0)
_INT32 = 2**31


@dataclass(frozen=True, slots=True)
class Material:
    """Colour and texture under a name; ``None`` and "": not stated."""

    name: str
    rgba: tuple[float, float, float, float] | None = None
    specular: Vec3 | None = None
    texture: str = ""


def read_visual(node: Node, materials: dict[str, Material]) -> Shape:
    """Reads a ``<visual>``; a material defined in place is entered into ``materials``.

    The colour of a material that is only named is filled in by ``apply_materials``, because
    PyBullet looks names up after all visuals of the link are read.
    """
    shape = _read_geometry(node)
    shape.notes = read_notes(node)
    element = node.child("material")
    if element is None:
        return shape
    shape.material = element.name()
    if any(element.child(tag) is not None for tag in ("color", "texture", "specular")):
        material = read_material(element)
        materials[material.name] = material
        _apply(shape, material)
    return shape


def lacks_mesh(node: Node) -> bool:
    """Whether a ``<visual>`` names a mesh file that does not exist; a warning says so."""
    geometry = node.child("geometry")
    mesh = None if geometry is None else geometry.child("mesh")
    reference = None if mesh is None else mesh.get("filename")
    if mesh is None or not reference:
        return False
    context = node.context
    found = context.search_path.resolve(reference, referrer=context.referrer, element=mesh.label())
    if found is None:
        mesh.warn(f"mesh {reference!r} not found, the visual is left out")
    return found is None


def apply_materials(shapes: list[Shape], materials: dict[str, Material]) -> None:
    """Gives shapes that only name a material what is known under that name."""
    for shape in shapes:
        known = materials.get(shape.material)
        stated = shape.rgba is not None or shape.specular is not None or shape.texture
        if known is not None and not stated:
            _apply(shape, known)


def read_material(node: Node) -> Material:
    """Reads a ``<material>`` with its colour and texture."""
    name = node.name()
    color, specular, texture = node.child("color"), node.child("specular"), node.child("texture")
    rgba = _read_rgba(color) if color is not None else None
    if rgba is None and node.context.pybullet_defaults:
        rgba = _UNSTATED
    return Material(
        name=name,
        rgba=rgba,
        specular=specular.vector("rgb") if specular is not None and specular.get("rgb") else None,
        texture=_find_texture(texture) if texture is not None else "",
    )


def read_collision(node: Node) -> Shape:
    """Reads a ``<collision>``; like in PyBullet ``concave`` counts whatever its value."""
    shape = _read_geometry(node)
    bullet = node.context.pybullet_defaults
    shape.concave = (node.get("concave") if bullet else node.child("sdf")) is not None
    shape.group = _read_integer(node, "group")
    shape.mask = _read_integer(node, "mask")
    return shape


def _apply(shape: Shape, material: Material) -> None:
    shape.rgba, shape.specular = material.rgba, material.specular
    shape.texture = material.texture


def _read_rgba(node: Node) -> tuple[float, float, float, float] | None:
    if node.get("rgba") is None:
        return None
    values = node.numbers("rgba")
    if len(values) != 4:
        node.warn(f"rgba={node.get('rgba')!r} does not have 4 numbers, zeros taken")
        return (0.0, 0.0, 0.0, 0.0)
    return (values[0], values[1], values[2], values[3])


def _find_texture(node: Node) -> str:
    reference = node.get("filename")
    if not reference:
        return ""
    context = node.context
    found = context.search_path.resolve(reference, referrer=context.referrer, element=node.label())
    if found is None:
        node.warn(f"texture {reference!r} not found, none taken")
    return found or ""


def _read_integer(node: Node, attribute: str) -> int | None:
    if node.get(attribute) is None:
        return None
    value = int(node.number(attribute))
    if not -_INT32 <= value < _INT32:
        raise node.error(f"{attribute}={value} does not fit into 32 bits")
    return value


def _read_geometry(node: Node) -> Shape:
    """Reads what a visual and a collision have in common: origin, geometry and name."""
    pose = node.pose()
    geometry = node.child("geometry")
    if geometry is None:
        raise node.error("has no <geometry>")
    child = geometry.first()
    if child is None:
        raise geometry.error("has no shape in it")
    if child.element.tag == "cdf":
        _refuse_distance_field(child)
    reader = _READERS.get(child.element.tag)
    if reader is None:
        allowed = ", ".join(_READERS)
        raise geometry.error(f"unknown shape <{child.element.tag}>, expected one of {allowed}")
    shape = reader(child)
    shape.pose = pose_multiply(pose, shape.pose) if shape.kind is ShapeKind.PLANE else pose
    shape.name = node.get("name") or ""
    return shape


def _refuse_distance_field(node: Node) -> NoReturn:
    """Say what becomes of Bullet's grids of signed distances."""
    context, name = node.context, node.get("filename") or ""
    if not name:
        raise node.error("has no attribute 'filename'")
    if context.search_path.resolve(name, referrer=context.referrer, element=node.label()) is None:
        raise node.error(f"signed distance field {name!r} not found")
    raise NotSupportedError(
        f"the signed distance field <cdf filename={name!r}>",
        "use <mesh> with the surface it was made from: what does not move collides with its "
        "triangles",
    )


def _length(node: Node, attribute: str) -> float:
    return node.number(attribute) * node.context.scale


def _read_box(node: Node) -> Shape:
    node.require("size")
    x, y, z = node.vector("size")
    scale = node.context.scale
    return Shape(ShapeKind.BOX, size=(x * scale, y * scale, z * scale))


def _read_sphere(node: Node) -> Shape:
    return Shape(ShapeKind.SPHERE, size=(_length(node, "radius"),))


def _read_cylinder(node: Node) -> Shape:
    return Shape(ShapeKind.CYLINDER, size=(_length(node, "radius"), _length(node, "length")))


def _read_capsule(node: Node) -> Shape:
    # Newton's files say "height"
    stated = "length" if node.get("length") is not None or node.get("height") is None else "height"
    return Shape(ShapeKind.CAPSULE, size=(_length(node, "radius"), _length(node, stated)))


def _read_plane(node: Node) -> Shape:
    node.require("normal")
    x, y, z = node.vector("normal")
    length = math.hypot(x, y, z)
    if length == 0.0:
        raise node.error(f"normal={node.get('normal')!r} has no direction")
    quat = quat_between((0.0, 0.0, 1.0), (x / length, y / length, z / length))
    return Shape(ShapeKind.PLANE, pose=Pose(quat=quat))


def _read_mesh(node: Node) -> Shape:
    reference = node.get("filename") or ""
    if suffix_of(reference) not in suffixes.MESH:
        allowed = ", ".join(suffixes.MESH)
        raise node.error(f"filename={reference!r} is not a mesh file, expected one of {allowed}")
    context = node.context
    found = context.search_path.resolve(reference, referrer=context.referrer, element=node.label())
    if found is None:
        raise node.error(
            f"mesh {reference!r} not found below any directory of the file's path, "
            f"{context.search_path.described()}"
        )
    mesh = MeshSource(file=found, name=reference, scale=_read_scale(node))
    return Shape(ShapeKind.MESH, mesh=mesh)


def _read_scale(node: Node) -> Vec3:
    factor = node.context.scale
    if node.get("scale") is None:
        return (factor, factor, factor)
    values = node.numbers("scale")
    if len(values) < 3:  # one number for all three axes, as PyBullet takes it
        node.warn(f"scale={node.get('scale')!r} does not have 3 numbers, the first taken for all")
        values = (values[:1] or [0.0]) * 3
    return (values[0] * factor, values[1] * factor, values[2] * factor)


_READERS = {
    "box": _read_box,
    "sphere": _read_sphere,
    "cylinder": _read_cylinder,
    "capsule": _read_capsule,
    "plane": _read_plane,
    "mesh": _read_mesh,
}
