"""The MJCF writer: a file for plain MuJoCo, and for our reader with MuJoCo's rules."""

from __future__ import annotations

import math
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from unibody.core.assets.description import (
    Actuator,
    ActuatorKind,
    Asset,
    Drive,
    FixedTendon,
    Joint,
    JointType,
    LoopJoint,
    Pose,
    Vec3,
)
from unibody.core.assets.transforms import IDENTITY, pose_multiply, quat_rotate
from unibody.core.assets.writers.folder import OutputFolder
from unibody.core.assets.writers.losses import Losses
from unibody.core.assets.writers.mjcf_bodies import Body, BodyJoint, bodies_of, inertial_of
from unibody.core.assets.writers.mjcf_shapes import GeomPlace, ShapeWriter
from unibody.core.assets.writers.numbers import text_of
from unibody.core.assets.writers.trees import (
    bounded,
    check_names,
    drives_something,
    has_one_axis,
    joint_names,
    limited,
    prepared,
    the_one_model,
    unique,
)

_FAR = 1e10  # rad or m: stands for a limit that is not there, on a joint with one on the other side
_HAIR = 1e-9  # rad or m, what is left of the range of a locked joint: MuJoCo takes no empty one


def write_mjcf(assets: list[Asset], folder: OutputFolder, model: str = "") -> Losses:
    """Write assets as an MJCF file, each as a body of the world.

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
    losses = Losses("MJCF")
    chosen = [the_one_model(assets, model, folder.file, losses)] if model else assets
    document = _Document(chosen[0].name if len(chosen) == 1 else "scene", folder, losses)
    for asset in chosen:
        document.add(prepared(asset))
    folder.write_text(document.text())
    return losses


class _Document:
    """The document while assets are added."""

    def __init__(self, name: str, folder: OutputFolder, losses: Losses) -> None:
        self.folder = folder
        self.losses = losses
        self.root = Element("mujoco", model=name or "robot")
        # Radians and inertias as they stand, and links that are fixed stay bodies of their own.
        SubElement(self.root, "compiler", angle="radian", fusestatic="false", autolimits="true")
        self.assets = SubElement(self.root, "asset")
        self.world = SubElement(self.root, "worldbody")
        self.parts = {tag: Element(tag) for tag in ("contact", "equality", "tendon", "actuator")}
        self.shapes = ShapeWriter(self.assets, folder, losses)
        self.bodies: set[str] = {"world"}
        self.joints: set[str] = set()
        self.others: set[str] = set()

    def text(self) -> str:
        """The document, without its empty parts."""
        for part in self.parts.values():
            if len(part):
                self.root.append(part)
        if not len(self.assets):
            self.root.remove(self.assets)
        ElementTree.indent(self.root)
        return ElementTree.tostring(self.root, encoding="unicode") + "\n"

    def add(self, asset: Asset) -> None:
        """Add a body of the world with all below it."""
        check_names(asset, self.folder.file)
        self._note(asset)
        own = joint_names(asset)
        names = [unique(name, self.joints) if name else "" for name in own]
        renamed = dict(zip(own, names, strict=True))
        elements: dict[int, Element] = {}
        bodies: dict[str, str] = {"": "world"}
        if asset.name == "world" and asset.static and len(asset.links) == 1:
            base = asset.links[0]
            bodies[base.name] = "world"
            self.shapes.write(GeomPlace(self.world, True, asset.pose), base)
        else:
            for body in bodies_of(asset, names, self.losses):
                element = self._body(asset, body, elements, bodies)
                elements[body.link] = element
        self._between(asset, renamed, bodies)

    def _body(
        self, asset: Asset, body: Body, above: dict[int, Element], bodies: dict[str, str]
    ) -> Element:
        link = asset.links[body.link]
        name = bodies[link.name] = unique(link.name, self.bodies)
        if name != link.name:
            self.losses.add(f"the name is taken, {name!r} is written", f"link {link.name!r}")
        pose = pose_multiply(asset.pose, body.pose) if body.parent < 0 else body.pose
        element = SubElement(above.get(body.parent, self.world), "body", name=name)
        _place(element, pose)
        free = body.parent < 0 and not (asset.fixed_base or asset.static)
        inertial = inertial_of(link, moving=free or bool(body.joints), losses=self.losses)
        if inertial is not None:
            inner = SubElement(element, "inertial", pos=text_of(inertial.pose.pos))
            inner.set("quat", text_of(inertial.pose.quat))
            inner.set("mass", repr(float(inertial.mass)))
            inner.set("diaginertia", text_of(inertial.inertia[:3]))
        if free:
            SubElement(element, "freejoint", name=unique(f"{name}/free", self.joints))
        for joint in body.joints:
            self._joint(element, joint)
        static = not free and not _moves(asset, body.link)
        self.shapes.write(GeomPlace(element, static), link)
        return element

    def _joint(self, element: Element, body_joint: BodyJoint) -> None:
        joint, where = body_joint.joint, f"joint {body_joint.name!r}"
        inner = SubElement(element, "joint", name=body_joint.name)
        inner.set("pos", text_of(body_joint.pos))
        if joint.type is JointType.SPHERICAL:
            inner.set("type", "ball")
            if 0.0 < joint.upper < math.inf and joint.lower <= joint.upper:
                inner.set("range", text_of((0.0, joint.upper)))
                if joint.lower or joint.twist > 0.0:
                    self.losses.add("MJCF has one limit for a ball joint, the upper", where)
        else:
            slides = joint.type is JointType.PRISMATIC
            inner.set("type", "slide" if slides else "hinge")
            inner.set("axis", text_of(body_joint.axis))
            if limited(joint):
                inner.set("range", text_of(_range(joint)))
            if bounded(joint.effort):
                inner.set("actuatorfrcrange", text_of((-joint.effort, joint.effort)))
        for key, value in (
            ("damping", joint.damping),
            ("frictionloss", joint.friction),
            ("armature", joint.armature),
        ):
            if value < 0.0:
                self.losses.add(f"MJCF has no negative {key}, left out", where)
            elif value:
                inner.set(key, repr(float(value)))
        if joint.stiffness:
            inner.set("stiffness", repr(float(joint.stiffness)))
            if has_one_axis(joint):
                inner.set("springref", repr(float(joint.spring_reference)))
        self._joint_losses(joint, where)

    def _joint_losses(self, joint: Joint, where: str) -> None:
        for what, lost in (
            ("MJCF has no largest speed of a joint, left out", bounded(joint.velocity)),
            ("MJCF has no length of an axis, it is written as 1", joint.axis_length != 1.0),
            ("begins at 0 in place of its position in the file", bool(joint.start)),
        ):
            if lost:
                self.losses.add(what, where)

    def _between(self, asset: Asset, joints: dict[str, str], bodies: dict[str, str]) -> None:
        """What stands beside the tree: mimics, loops, exclusions, tendons and actuators."""
        for link in asset.links[1:]:
            mimic, drives = link.joint.mimic, link.joint.drives
            if mimic is not None and mimic.joint in joints:
                ratio = text_of((mimic.offset, mimic.multiplier, 0.0, 0.0, 0.0))
                follower = joints[link.joint.name]
                names = {"joint1": follower, "joint2": joints[mimic.joint]}
                SubElement(self.parts["equality"], "joint", {**names, "polycoef": ratio})
            elif mimic is not None:
                where = f"joint {link.joint.name!r}"
                self.losses.add(f"mimics {mimic.joint!r}, which is not there, left out", where)
            for drive in filter(drives_something, drives):
                self._drive(drive, link.joint, joints[link.joint.name])
        for loop in asset.loops:
            self._loop(loop, bodies)
        pairs = list(asset.excluded)
        if asset.self_collision is False:
            names = [link.name for link in asset.links if link.collisions]
            pairs += [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        for first, second in dict.fromkeys(pairs):
            if first in bodies and second in bodies:
                ends = {"body1": bodies[first], "body2": bodies[second]}
                SubElement(self.parts["contact"], "exclude", ends)
        for tendon in asset.tendons:
            self._tendon(tendon, joints)
        for actuator in asset.actuators:
            self._actuator(actuator, joints[actuator.joint])

    def _tendon(self, tendon: FixedTendon, joints: dict[str, str]) -> None:
        """A fixed tendon; MuJoCo's length has no offset."""
        name = unique(tendon.name, self.others)
        element = SubElement(self.parts["tendon"], "fixed", name=name)
        if tendon.limits is not None and tendon.limit_stiffness != 0.0:
            low, high = (limit - tendon.offset for limit in tendon.limits)
            if math.isfinite(low) and math.isfinite(high):
                element.set("range", text_of((low, high)))
            else:
                self.losses.add("MJCF bounds tendons on both sides, left out", repr(name))
        element.set("stiffness", repr(float(tendon.stiffness * tendon.force_ratio)))
        element.set("damping", repr(float(tendon.damping * tendon.force_ratio)))
        element.set("springlength", repr(float(tendon.rest_length - tendon.offset)))
        for joint, coefficient in zip(tendon.joints, tendon.coefficients, strict=True):
            SubElement(element, "joint", joint=joints[joint], coef=repr(float(coefficient)))

    def _drive(self, drive: Drive, joint: Joint, name: str) -> None:
        """A drive, as the actuator that has its target for its control."""
        where = f"drive of joint {name!r}"
        if drive.acceleration or drive.axis or not has_one_axis(joint):
            kind = "of an acceleration" if drive.acceleration else "of a ball joint"
            self.losses.add(f"MJCF has no drive {kind}, left out", where)
            return
        kind = ActuatorKind.POSITION if drive.stiffness else ActuatorKind.VELOCITY
        actuator = Actuator(name, name, kind, kp=drive.stiffness, kv=drive.damping)
        if bounded(drive.max_force):
            actuator.force_range = (-drive.max_force, drive.max_force)
        self._actuator(actuator, name)
        target = drive.target_position if drive.stiffness else drive.target_velocity
        both = drive.stiffness and drive.target_velocity
        if target or both:
            self.losses.add("a target of a drive is a control in MJCF, which begins at 0", where)

    def _actuator(self, actuator: Actuator, joint: str) -> None:
        element = SubElement(self.parts["actuator"], actuator.kind.value)
        element.set("name", unique(actuator.name, self.others))
        element.set("joint", joint)
        element.set("gear", repr(float(actuator.gear)))
        if actuator.kind is ActuatorKind.POSITION:
            element.set("kp", repr(float(actuator.kp)))
        if actuator.kind is not ActuatorKind.MOTOR:
            element.set("kv", repr(float(actuator.kv)))
        if actuator.control_range is not None:
            element.set("ctrlrange", text_of(actuator.control_range))
        if actuator.force_range is not None:
            element.set("forcerange", text_of(actuator.force_range))

    def _loop(self, loop: LoopJoint, bodies: dict[str, str]) -> None:
        """A loop: links that become one, or share one point, or two points of an axis."""
        joint, frame = loop.joint, loop.first_pose
        first, second = bodies.get(loop.first), bodies.get(loop.second)
        where = f"joint {joint.name!r}"
        points: list[Vec3] = {JointType.SPHERICAL: [(0.0, 0.0, 0.0)]}.get(joint.type, [])
        if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS):
            points = [(0.0, 0.0, 0.0), joint.axis]
            if limited(joint):
                self.losses.add("MJCF has no limits of a joint that closes a loop, left out", where)
        if first is None or second is None or not (points or joint.type is JointType.FIXED):
            kind = joint.type.value
            self.losses.add(f"MJCF closes no loop by a {kind} joint, left out", where)
            return
        ends = {"body1": first, "body2": second}
        if joint.type is JointType.FIXED:
            SubElement(self.parts["equality"], "weld", ends)
        for point in points:
            x, y, z = quat_rotate(frame.quat, point)
            anchor = (frame.pos[0] + x, frame.pos[1] + y, frame.pos[2] + z)
            SubElement(self.parts["equality"], "connect", {**ends, "anchor": text_of(anchor)})

    def _note(self, asset: Asset) -> None:
        """Note what no part of the file has a place for."""
        if asset.notes or any(link.notes for link in asset.links):
            self.losses.add("MJCF has no notes, left out", f"model {asset.name!r}")
        for link in asset.links[1:]:
            fixed, name = link.joint.type is JointType.FIXED, link.joint.name
            if fixed and name and name != f"{link.name}/fixed":
                self.losses.add("MJCF has no names of fixed joints, left out", f"joint {name!r}")


def _moves(asset: Asset, link: int) -> bool:
    while link > 0:
        if asset.links[link].joint.type is not JointType.FIXED:
            return True
        link = asset.links[link].parent
    return not (asset.fixed_base or asset.static)


def _range(joint: Joint) -> tuple[float, float]:
    low, high = max(joint.lower, -_FAR), min(joint.upper, _FAR)
    return (low, high) if high > low else (low, low + _HAIR * max(1.0, abs(low)))


def _place(element: Element, pose: Pose) -> None:
    if any(pose.pos):
        element.set("pos", text_of(pose.pos))
    if pose.quat != IDENTITY:
        element.set("quat", text_of(pose.quat))
