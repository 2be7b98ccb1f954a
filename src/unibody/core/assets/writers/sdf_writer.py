"""The SDF writer: models with links posed in the model's frame, at zero joint positions."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from unibody.core.assets.description import Asset, Joint, JointType, Link, Pose, Shape, ShapeKind
from unibody.core.assets.transforms import pose_multiply
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
)

_VERSION = "1.11"  # the first with mimics
_INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_SIZES = {
    ShapeKind.BOX: ("size",),
    ShapeKind.ELLIPSOID: ("radii",),
    ShapeKind.SPHERE: ("radius",),
    ShapeKind.CYLINDER: ("radius", "length"),
    ShapeKind.CAPSULE: ("radius", "length"),
}


def write_sdf(assets: list[Asset], folder: OutputFolder, model: str = "") -> Losses:
    """Write assets as an SDF file, each as a model.

    Args:
        assets: What a file held.
        folder: The file.
        model: The name of the one that is written, "": all.

    Returns:
        What the file does not say.

    Raises:
        AssetError: Links of a model share a name, or a mesh cannot be read.
        InvalidArgumentError: ``model`` is none of the names.
        OSError: A file cannot be written.
    """
    losses = Losses("SDF")
    chosen = [the_one_model(assets, model, folder.file, losses)] if model else assets
    root = Element("sdf", version=_VERSION)
    # A file holds one model, or a world of them.
    scope = root if len(chosen) == 1 else SubElement(root, "world", name="default")
    names: set[str] = {"world"}
    for asset in chosen:
        wanted = asset.name or "robot"
        name = unique(f"{wanted}_model" if wanted == "world" else wanted, names)
        _Model(prepared(asset), folder, losses).write(SubElement(scope, "model", name=name))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    folder.write_text(f'<?xml version="1.0"?>\n{text}\n')
    return losses


class _Model:
    """One asset becoming one model."""

    def __init__(self, asset: Asset, folder: OutputFolder, losses: Losses) -> None:
        self.asset = asset
        self.folder = folder
        self.losses = losses
        self.names: dict[str, str] = {}  # of links, and of joints, as they are written
        self.joints: dict[str, str] = {}

    def write(self, model: Element) -> None:
        """Fill the element of the model."""
        asset = self.asset
        check_names(asset, self.folder.file)
        note_common_losses(asset, self.losses)
        if asset.notes or any(link.notes for link in asset.links):
            self.losses.add("SDF has no notes, left out", f"model {asset.name!r}")
        taken = {"world"}
        self.names = {link.name: unique(link.name, taken) for link in asset.links}
        for name, other in self.names.items():
            if name != other:
                self.losses.add(f"the name has a meaning, {other!r} is written", f"link {name!r}")
        _pose(model, asset.pose)
        if asset.static:
            _text(model, "static", "true")
        if asset.self_collision is not None:
            _text(model, "self_collide", "true" if asset.self_collision else "false")
        poses: list[Pose] = []
        for number, link in enumerate(asset.links):
            above = poses[link.parent] if number else Pose()
            poses.append(pose_multiply(above, link.joint.origin) if number else Pose())
            self._link(SubElement(model, "link", name=self.names[link.name]), link, poses[-1])
        joints = [""]
        for name in joint_names(asset)[1:]:
            joints.append(unique(f"{name}_joint" if name in taken else name, taken))
            if name != joints[-1]:
                what = f"a link has the name, {joints[-1]!r} is written"
                self.losses.add(what, f"joint {name!r}")
        self.joints = dict(zip(joint_names(asset), joints, strict=True))
        if asset.fixed_base and not asset.static:
            name = unique("fixed_to_world", taken)
            self._ends(SubElement(model, "joint", name=name, type="fixed"), "world", asset.links[0])
        for name, link in zip(joints[1:], asset.links[1:], strict=True):
            self._joint(model, link, name)

    def _link(self, element: Element, link: Link, pose: Pose) -> None:
        _pose(element, pose)
        inertial = SubElement(element, "inertial")  # readers take 1 kg where there is none
        _pose(inertial, link.inertial.pose)
        _text(inertial, "mass", repr(float(link.inertial.mass)))
        inertia = SubElement(inertial, "inertia")
        for tag, value in zip(_INERTIA, link.inertial.inertia, strict=True):
            _text(inertia, tag, repr(float(value)))
        self._contact(element, link)
        taken: set[str] = set()
        for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
            for shape in shapes:
                self._shape(element, tag, link, shape, taken)

    def _contact(self, element: Element, link: Link) -> None:
        """What PyBullet reads of a link's surface."""
        contact = link.contact
        values = {
            tag: getattr(contact, tag)
            for tag in ("lateral_friction", "rolling_friction", "spinning_friction", "restitution",
                        "stiffness", "damping", "inertia_scaling")
            if getattr(contact, tag) is not None
        }  # fmt: skip
        if contact.cfm is not None or contact.erp is not None:
            self.losses.add("SDF has no contact_cfm or contact_erp", f"link {link.name!r}")
        if not values and not contact.friction_anchor:
            return
        inner = SubElement(element, "contact")
        for tag, value in values.items():
            _text(inner, tag, repr(float(value)))
        if contact.friction_anchor:
            SubElement(inner, "friction_anchor")

    def _shape(
        self, link_element: Element, tag: str, link: Link, shape: Shape, taken: set[str]
    ) -> None:
        where = f"{tag} of link {link.name!r}"
        if not can_write(shape, where, self.losses, (ShapeKind.HEIGHTFIELD,)):
            return
        element = SubElement(link_element, tag, name=unique(shape.name or tag, taken))
        _pose(element, shape.pose)
        self._geometry(SubElement(element, "geometry"), shape)
        if tag == "visual":
            self._look(element, shape, where)
            return
        if shape.concave:
            element.set("concave", "yes")
        for key, value in (("group", shape.group), ("mask", shape.mask)):
            if value is not None and (shape.group, shape.mask) != (1, 1):
                element.set(key, str(value))
        friction = link.contact.lateral_friction
        if shape.friction is not None:
            friction = shape.friction[0]
        if friction is not None:
            ode = SubElement(SubElement(SubElement(element, "surface"), "friction"), "ode")
            _text(ode, "mu", repr(float(friction)))
            _text(ode, "mu2", repr(float(friction)))
        if shape.margin:
            self.losses.add("SDF has no margin of a shape, left out", where)

    def _geometry(self, element: Element, shape: Shape) -> None:
        inner = SubElement(element, shape.kind.value)
        if shape.kind is ShapeKind.PLANE:
            _text(inner, "normal", "0 0 1")
            _text(inner, "size", "100 100")  # what is drawn of it; what collides has no end
        elif shape.kind is ShapeKind.MESH and shape.mesh is not None:
            parts = self.folder.parts(shape.mesh)
            name = self.folder.write_mesh(shape.mesh, parts, looks=shape.rgba is None)
            _text(inner, "uri", name)
            _text(inner, "scale", text_of(shape.mesh.scale))
        elif len(_SIZES[shape.kind]) == 1:
            _text(inner, _SIZES[shape.kind][0], text_of(shape.size))
        else:
            for key, value in zip(_SIZES[shape.kind], shape.size, strict=True):
                _text(inner, key, repr(float(value)))

    def _look(self, element: Element, shape: Shape, where: str) -> None:
        if shape.rgba is None and shape.specular is None and not shape.texture:
            return
        material = SubElement(element, "material")
        if shape.rgba is not None:
            _text(material, "ambient", text_of(shape.rgba))
            _text(material, "diffuse", text_of(shape.rgba))
        if shape.specular is not None:
            _text(material, "specular", text_of((*shape.specular, 1.0)))
        if shape.texture:
            metal = SubElement(SubElement(material, "pbr"), "metal")
            _text(metal, "albedo_map", self.folder.write_image(shape.texture))
        if shape.material:
            self.losses.add(f"SDF has no names of materials: {shape.material!r} of", where)

    def _ends(self, element: Element, parent: str, child: Link) -> None:
        _text(element, "parent", parent)
        _text(element, "child", self.names[child.name])

    def _joint(self, model: Element, link: Link, name: str) -> None:
        joint, where = link.joint, f"joint {name!r}"
        kind = joint.type.value
        if joint.type is JointType.SPHERICAL:
            kind = "ball"
            if joint.lower <= joint.upper and bounded(joint.upper):
                self.losses.add("SDF has no limits of a ball joint, left out", where)
            if joint.damping or joint.friction:
                self.losses.add("SDF has no damping of a ball joint, left out", where)
        elif joint.type in (JointType.PLANAR, JointType.FLOATING):
            self.losses.add(f"SDF has no {kind} joint, written as PyBullet reads it", where)
        elif joint.type is JointType.REVOLUTE and not limited(joint):
            kind = JointType.CONTINUOUS.value
        element = SubElement(model, "joint", name=name, type=kind)
        if joint.type is not JointType.FIXED and any(joint.anchor):
            _pose(element, Pose(joint.anchor))
        self._ends(element, self.names[self.asset.links[link.parent].name], link)
        if kind not in ("ball", "fixed", "floating"):
            self._axis(SubElement(element, "axis"), joint)
        if joint.axis_length != 1.0:
            self.losses.add("SDF has no length of an axis, it is written as 1", where)

    def _axis(self, axis: Element, joint: Joint) -> None:
        _text(axis, "xyz", text_of(joint.axis))
        if joint.mimic is not None and joint.mimic.joint not in self.joints:
            where = f"joint {joint.name!r}"
            self.losses.add(f"mimics {joint.mimic.joint!r}, which is not there, left out", where)
        elif joint.mimic is not None:
            mimic = SubElement(axis, "mimic", joint=self.joints[joint.mimic.joint])
            _text(mimic, "multiplier", repr(joint.mimic.multiplier))
            _text(mimic, "offset", repr(joint.mimic.offset))
            _text(mimic, "reference", "0")
        limit = SubElement(axis, "limit")
        if limited(joint):
            _text(limit, "lower", repr(joint.lower))
            _text(limit, "upper", repr(joint.upper))
        for key, value in (("effort", joint.effort), ("velocity", joint.velocity)):
            if bounded(value):
                _text(limit, key, repr(value))
        dynamics = SubElement(axis, "dynamics")
        _text(dynamics, "damping", repr(float(joint.damping)))
        _text(dynamics, "friction", repr(float(joint.friction)))
        if joint.stiffness:
            _text(dynamics, "spring_stiffness", repr(float(joint.stiffness)))
            _text(dynamics, "spring_reference", repr(float(joint.spring_reference)))


def _pose(element: Element, pose: Pose) -> None:
    if pose != Pose():
        _text(element, "pose", text_of((*pose.pos, *rpy_of(pose.quat))))


def _text(element: Element, tag: str, text: str) -> None:
    SubElement(element, tag).text = text
