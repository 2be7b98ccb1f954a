"""The URDF writer, with what PyBullet adds: capsules, planes, ball joints, contact."""

from __future__ import annotations

import math
from dataclasses import replace
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from unibody.core.assets.description import (
    Asset,
    Inertial,
    Joint,
    JointType,
    Link,
    MeshSource,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.assets.mass.physical import MIN_MASS
from unibody.core.assets.transforms import IDENTITY
from unibody.core.assets.writers.folder import OutputFolder
from unibody.core.assets.writers.losses import Losses
from unibody.core.assets.writers.numbers import rpy_of, text_of
from unibody.core.assets.writers.trees import (
    bounded,
    can_write,
    check_names,
    joint_names,
    limited,
    note_common_losses,
    prepared,
    the_one_model,
    unique,
    without_anchors,
)

_SIZES = {
    ShapeKind.BOX: ("size",),
    ShapeKind.SPHERE: ("radius",),
    ShapeKind.CYLINDER: ("radius", "length"),
    ShapeKind.CAPSULE: ("radius", "length"),
}


def write_urdf(assets: list[Asset], folder: OutputFolder, model: str = "") -> Losses:
    """Write a robot as a URDF file.

    A base that does not move hangs from a link "world", unless it has no mass.

    Args:
        assets: What a file held; a URDF takes one robot.
        folder: The file.
        model: The name of the robot where there are several, "": the one that is not the world.

    Returns:
        What the file does not say.

    Raises:
        AssetError: Links share a name, or a mesh cannot be read.
        InvalidArgumentError: There are several robots, and ``model`` is none of their names.
        OSError: A file cannot be written.
    """
    losses = Losses("URDF")
    asset = prepared(the_one_model(assets, model, folder.file, losses))
    without_anchors(asset)
    _hold_base(asset, losses)
    check_names(asset, folder.file)
    note_common_losses(asset, losses)
    if asset.self_collision is not None:
        losses.add("URDF does not say whether a robot collides with itself", repr(asset.name))
    folder.write_text(_Writer(asset, folder, losses).text())
    return losses


def _hold_base(asset: Asset, losses: Losses) -> None:
    """Say with links whether the base moves, and where it stands."""
    base = asset.links[0]
    fixed = asset.fixed_base or asset.static
    if not fixed:
        if asset.pose != Pose():
            losses.add("URDF has no pose of a base that moves, left out", f"link {base.name!r}")
        if not base.inertial.mass and asset.fixed_base is False:
            losses.add("a base without mass does not move in URDF", f"link {base.name!r}")
        return
    if asset.pose == Pose() and base.inertial.mass <= MIN_MASS:
        base.inertial = Inertial(stated=False)  # a base without mass does not move
        return
    world = unique("world", {link.name for link in asset.links})
    for link in asset.links:
        link.parent += 1
    base.joint = Joint(f"{world}_joint", origin=asset.pose)
    asset.links.insert(0, Link(world, inertial=Inertial(stated=False)))


class _Writer:
    """One robot becoming one document."""

    def __init__(self, asset: Asset, folder: OutputFolder, losses: Losses) -> None:
        self.asset = asset
        self.folder = folder
        self.losses = losses
        self.joints = joint_names(asset)
        self.looks: dict[object, str] = {}
        self.materials: set[str] = set()

    def text(self) -> str:
        """The document."""
        robot = Element("robot", name=self.asset.name or "robot")
        _write_notes(robot, self.asset.notes)
        for link in self.asset.links:
            self._link(robot, link)
        for number, link in enumerate(self.asset.links[1:], start=1):
            self._joint(robot, link, self.joints[number])
        ElementTree.indent(robot)
        return '<?xml version="1.0"?>\n' + ElementTree.tostring(robot, encoding="unicode") + "\n"

    def _link(self, robot: Element, link: Link) -> None:
        element = SubElement(robot, "link", name=link.name)
        _write_notes(element, link.notes)
        self._contact(element, link)
        inertial = link.inertial
        if inertial.stated or inertial.mass or any(inertial.inertia):
            inner = SubElement(element, "inertial")
            _origin(inner, inertial.pose)
            SubElement(inner, "mass", value=repr(float(inertial.mass)))
            keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            moments = map(repr, map(float, inertial.inertia))
            SubElement(inner, "inertia", dict(zip(keys, moments, strict=True)))
        for shape in link.visuals:
            self._shape(element, "visual", link, shape)
        for shape in link.collisions:
            self._shape(element, "collision", link, shape)

    def _contact(self, element: Element, link: Link) -> None:
        contact = link.contact
        values = {
            "lateral_friction": contact.lateral_friction,
            "rolling_friction": contact.rolling_friction,
            "spinning_friction": contact.spinning_friction,
            "restitution": contact.restitution,
            "stiffness": contact.stiffness,
            "damping": contact.damping,
            "contact_cfm": contact.cfm,
            "contact_erp": contact.erp,
            "inertia_scaling": contact.inertia_scaling,
        }
        stated = {tag: value for tag, value in values.items() if value is not None}
        if not stated and not contact.friction_anchor:
            return
        inner = SubElement(element, "contact")
        for tag, value in stated.items():
            SubElement(inner, tag, value=repr(float(value)))
        if contact.friction_anchor:
            SubElement(inner, "friction_anchor")

    def _shape(self, element: Element, tag: str, link: Link, shape: Shape) -> None:
        where = f"{tag} of link {link.name!r}"
        if not can_write(shape, where, self.losses, (ShapeKind.HEIGHTFIELD,)):
            return
        visual = tag == "visual"
        inner = SubElement(element, tag)
        if shape.name:
            inner.set("name", shape.name)
        _write_notes(inner, shape.notes if visual else ())
        _origin(inner, shape.pose)
        self._geometry(SubElement(inner, "geometry"), shape, where)
        if visual:
            self._look(inner, shape)
            return
        if shape.concave:
            inner.set("concave", "yes")
            SubElement(inner, "sdf")
        # MuJoCo's default, 1 and 1, collides with all that PyBullet's default does.
        if (shape.group, shape.mask) not in ((None, None), (1, 1)):
            for key, value in (("group", shape.group), ("mask", shape.mask)):
                if value is not None:
                    inner.set(key, str(value))
        self._collision_losses(link, shape, where)

    def _collision_losses(self, link: Link, shape: Shape, where: str) -> None:
        contact, first = link.contact, link.collisions[0]
        own = (contact.lateral_friction, contact.spinning_friction, contact.rolling_friction)
        if shape.friction is not None and shape.friction != own and shape is not first:
            self.losses.add("URDF has no friction of a single shape, left out", where)
        surface = shape.surface
        if surface is not None and surface.static_friction != surface.dynamic_friction:
            self.losses.add("URDF has one friction, the sliding one is written", where)
        if shape.margin:
            self.losses.add("URDF has no margin of a shape, left out", where)

    def _geometry(self, element: Element, shape: Shape, where: str) -> None:
        if shape.kind is ShapeKind.PLANE:
            # The frame's z axis is the normal; how it is turned about it has no meaning.
            SubElement(element, "plane", normal="0 0 1")
        elif shape.kind is ShapeKind.MESH and shape.mesh is not None:
            self._mesh(element, shape.mesh, looks=shape.rgba is None)
        elif shape.kind is ShapeKind.ELLIPSOID:
            self.losses.add("URDF has no ellipsoid, a mesh is written", where)
            x, y, z = shape.size
            self._mesh(element, replace(ball_mesh(), scale=(x, y, z)), looks=False)
        elif shape.kind is ShapeKind.BOX:
            SubElement(element, "box", size=text_of(shape.size))
        else:
            keys = _SIZES[shape.kind]
            sizes = dict(zip(keys, map(repr, map(float, shape.size)), strict=True))
            SubElement(element, shape.kind.value, sizes)

    def _mesh(self, element: Element, source: MeshSource, *, looks: bool) -> None:
        name = self.folder.write_mesh(source, self.folder.parts(source), looks=looks)
        mesh = SubElement(element, "mesh", filename=name)
        if source.scale != (1.0, 1.0, 1.0):
            mesh.set("scale", text_of(source.scale))

    def _look(self, element: Element, shape: Shape) -> None:
        look = (shape.rgba, shape.specular, shape.texture)
        if not shape.material and not any(look):
            return
        key = (shape.material, *look)
        if key not in self.looks:  # a name means one look in all of a file
            wanted = shape.material or f"material_{len(self.looks)}"
            self.looks[key] = unique(wanted, self.materials)
        material = SubElement(element, "material", name=self.looks[key])
        if shape.rgba is not None:
            SubElement(material, "color", rgba=text_of(shape.rgba))
        if shape.specular is not None:
            SubElement(material, "specular", rgb=text_of(shape.specular))
        if shape.texture:
            SubElement(material, "texture", filename=self.folder.write_image(shape.texture))

    def _joint(self, robot: Element, link: Link, name: str) -> None:
        joint = link.joint
        element = SubElement(robot, "joint", name=name, type=_type_of(joint))
        if not joint.collapsible:
            element.set("dont_collapse", "true")
        _origin(element, joint.origin)
        SubElement(element, "parent", link=self.asset.links[link.parent].name)
        SubElement(element, "child", link=link.name)
        if joint.type not in (JointType.FIXED, JointType.FLOATING):
            axis = [part * joint.axis_length for part in joint.axis]
            SubElement(element, "axis", xyz=text_of(axis))
            self._limit(element, joint)
        if joint.damping or joint.friction:
            SubElement(
                element, "dynamics", damping=repr(joint.damping), friction=repr(joint.friction)
            )
        if joint.mimic is not None:
            mimic = joint.mimic
            numbers = {"multiplier": repr(mimic.multiplier), "offset": repr(mimic.offset)}
            SubElement(element, "mimic", {"joint": mimic.joint, **numbers})
        if joint.stiffness:
            self.losses.add("URDF has no springs in joints, left out", f"joint {name!r}")

    def _limit(self, element: Element, joint: Joint) -> None:
        limit = Element("limit")
        if limited(joint) or (joint.type is JointType.SPHERICAL and joint.lower <= joint.upper):
            limit.set("lower", repr(joint.lower))
            limit.set("upper", repr(joint.upper))
        elif joint.type is JointType.PRISMATIC:  # which needs a limit: none is one above the other
            limit.set("lower", "0.0")
            limit.set("upper", "-1.0")
        if joint.type is JointType.SPHERICAL and joint.twist > 0.0:
            limit.set("twist", repr(joint.twist))
        for key, value in (("effort", joint.effort), ("velocity", joint.velocity)):
            if bounded(value):
                limit.set(key, repr(value))
        if limit.attrib:
            element.append(limit)


def _type_of(joint: Joint) -> str:
    if joint.type is JointType.REVOLUTE and not limited(joint):
        return JointType.CONTINUOUS.value
    return joint.type.value


def _origin(element: Element, pose: Pose) -> None:
    if pose == Pose():
        return
    origin = SubElement(element, "origin", xyz=text_of(pose.pos))
    if pose.quat != IDENTITY:
        origin.set("rpy", text_of(rpy_of(pose.quat)))


def _write_notes(element: Element, notes: tuple[tuple[str, str], ...]) -> None:
    if notes:
        group = SubElement(element, "bullet")
        for key, text in notes:
            SubElement(group, "user-data", key=key).text = text


def ball_mesh() -> MeshSource:
    """A ball of radius 1 as triangles."""
    rings, around = 16, 32
    vertices = [(0.0, 0.0, 1.0)]
    for ring in range(1, rings):
        polar = math.pi * ring / rings
        for step in range(around):
            turn = 2.0 * math.pi * step / around
            x, y = math.cos(turn) * math.sin(polar), math.sin(turn) * math.sin(polar)
            vertices.append((x, y, math.cos(polar)))
    vertices.append((0.0, 0.0, -1.0))
    faces = [(0, 1 + step, 1 + (step + 1) % around) for step in range(around)]
    for ring in range(rings - 2):
        for step in range(around):
            a = 1 + ring * around + step
            b = 1 + ring * around + (step + 1) % around
            faces += [(a, a + around, b + around), (a, b + around, b)]
    last, start = len(vertices) - 1, len(vertices) - 1 - around
    faces += [(last, start + (step + 1) % around, start + step) for step in range(around)]
    return MeshSource(name="ball", vertices=tuple(vertices), faces=tuple(faces))
