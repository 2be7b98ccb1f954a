"""URDF files into builders."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
import warp as wp

from unibody.core.assets.description import Asset, Joint, JointType, Link
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import UrdfOptions, load_urdf
from unibody.core.assets.xml import read_xml
from unibody.errors import AssetError, InvalidArgumentError
from unibody.newton.builder.collapse import collapse_massless_roots
from unibody.newton.configs import JointDofConfig
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import ActuatorMode, Axis
from unibody.newton.exceptions import warn
from unibody.newton.importers.attachment import Attachment, keep_apart
from unibody.newton.importers.masses import set_mass, weigh_links
from unibody.newton.importers.mimics import add_mimics
from unibody.newton.importers.shapes import ShapeAdder, config_of, transform
from unibody.newton.importers.sources import local_path, opened

_ORDERS = ("bfs", "dfs", None)
_DAMPING_MODES = ("drive", "passive")


def add_urdf(
    self: Any,
    source: Any,
    *,
    xform: Any = None,
    floating: bool | None = None,
    base_joint: dict[str, Any] | None = None,
    parent_body: int = -1,
    scale: float = 1.0,
    hide_visuals: bool = False,
    parse_visuals_as_colliders: bool = False,
    up_axis: Any = Axis.Z,
    force_show_colliders: bool = False,
    enable_self_collisions: bool = True,
    ignore_inertial_definitions: bool = False,
    ensure_nonstatic_links: bool = True,
    static_link_mass: float = 1e-2,
    joint_ordering: str | None = "dfs",
    bodies_follow_joint_ordering: bool = True,
    collapse_fixed_joints: bool = False,
    mesh_maxhullvert: int | None = None,
    force_position_velocity_actuation: bool = False,
    override_root_xform: bool = False,
    joint_damping_mode: str = "drive",
    collapse_massless_fixed_root: bool = False,
) -> None:
    """Add what a URDF file holds.

    Args:
        self: The builder.
        source: Path of the file, or its text.
        xform: Pose of the root.
        floating: Whether the root is free; None: it is fixed.
        base_joint: Arguments of `add_joint` for the root's joint.
        parent_body: Body that the root is attached to, or -1 for the world.
        scale: Factor on all lengths.
        hide_visuals: Whether visual shapes are not seen.
        parse_visuals_as_colliders: Whether visual shapes collide, in the place of the others.
        up_axis: The file's; cylinders and capsules lie along it.
        force_show_colliders: Whether shapes that collide are seen beside visual ones.
        enable_self_collisions: Whether shapes of the file collide with one another.
        ignore_inertial_definitions: Whether masses follow from shapes.
        ensure_nonstatic_links: Whether links without mass that could not move get one.
        static_link_mass: That mass [kg].
        joint_ordering: "dfs", "bfs" or None: as in the file.
        bodies_follow_joint_ordering: Whether bodies are in that order, too.
        collapse_fixed_joints: Whether links of fixed joints are merged.
        mesh_maxhullvert: Most vertices of hulls; None: 64.
        force_position_velocity_actuation: Whether joints follow both targets.
        override_root_xform: Whether a joint of `base_joint` begins at `xform`, turned.
        joint_damping_mode: Whether damping of joints is that of their drives ("drive"), or acts
            whatever drives them ("passive").
        collapse_massless_fixed_root: Whether a free root without mass becomes one with what fixed
            joints hold to it, as far as the first body with a mass.

    Raises:
        AssetError: The file cannot be read.
        InvalidArgumentError: Arguments exclude one another.
    """
    if joint_ordering not in _ORDERS:
        raise InvalidArgumentError("joint_ordering", joint_ordering, "'dfs', 'bfs' or None")
    if joint_damping_mode not in _DAMPING_MODES:
        allowed = " or ".join(map(repr, _DAMPING_MODES))
        raise InvalidArgumentError("joint_damping_mode", joint_damping_mode, allowed)
    place = Attachment(
        self, xform, up_axis, floating, base_joint, parent_body, override=override_root_xform
    )
    options = UrdfOptions(pybullet_defaults=False, skip_missing_visuals=True)
    with opened(source, ".urdf") as (file, search_path):
        root = read_xml(search_path.locate(file) or file, root="robot")
        _check_references(root, file, search_path)
        asset = load_urdf(file, search_path=search_path, options=options)
        for link in asset.links:
            if not link.joint.damping >= 0.0:
                problem = f"damping={link.joint.damping:g}, 0 or more is needed"
                raise AssetError(file, f"joint {link.joint.name!r}", problem)
        order = _Order(asset.links, root)
    first, bodies = self.shape_count, self.body_count
    adder = _Robot(self, asset, scale, ShapeAdder(self, scale, mesh_maxhullvert, up_axis))
    adder.visuals_collide, adder.hide_visuals = parse_visuals_as_colliders, hide_visuals
    adder.show_colliders = force_show_colliders
    adder.damped = _damped_joints(root)
    adder.passive = joint_damping_mode == "passive"
    adder.own_masses = ignore_inertial_definitions
    mode = ActuatorMode.POSITION
    if force_position_velocity_actuation:
        mode = ActuatorMode.POSITION_VELOCITY
    joints = order.joints(joint_ordering)
    links = order.bodies(joints, follow=bodies_follow_joint_ordering)
    added = adder.add(place, mode, joints, links)
    if not enable_self_collisions:
        keep_apart(self, first)
    if ensure_nonstatic_links:
        weigh_links(self, bodies, static_link_mass)
    if collapse_fixed_joints:
        self.collapse_fixed_joints()
    elif collapse_massless_fixed_root:
        collapse_massless_roots(self, added)


def _check_references(root: Element, file: str, search_path: SearchPath) -> None:
    """Check what meshes refer to, and warn of those that are only seen and not there."""
    for mesh in root.iter("mesh"):
        local_path("filename", mesh.get("filename") or "")
    for visual in root.iter("visual"):
        for mesh in visual.iter("mesh"):
            name = mesh.get("filename") or ""
            if name and search_path.resolve(name, referrer=file) is None:
                text = f"Could not resolve the mesh {name!r} of {file}: the visual is left out"
                warn(text)


def _damped_joints(root: Element) -> set[str]:
    """Names of joints that state a damping, which may be zero."""
    return {
        joint.get("name") or ""
        for joint in root.findall("joint")
        if any(found.get("damping") is not None for found in joint.findall("dynamics"))
    }


class _Robot:
    """Adds one robot of a file."""

    def __init__(self, builder: Any, asset: Asset, scale: float, shapes: ShapeAdder) -> None:
        self.builder, self.asset, self.scale, self.shapes = builder, asset, scale, shapes
        self.passive = False
        self.damped: set[str] = set()
        self._has_visuals = any(link.visuals for link in asset.links)
        self.visuals_collide = self.hide_visuals = self.show_colliders = self.own_masses = False
        self.prefix = f"{asset.name}/" if asset.name else ""

    def add(
        self, place: Attachment, mode: ActuatorMode, joint_order: list[int], body_order: list[int]
    ) -> list[int]:
        """Add links, shapes and joints.

        Args:
            place: Where the root is.
            mode: Of all joints.
            joint_order: Links by the order of their joints, without the root.
            body_order: All links.

        Returns:
            The joints, but for those of links that the builder's `add_link` leaves out.
        """
        links = self.asset.links
        poses = self._poses(place)
        bodies = {number: self._add_link(links[number], poses[number]) for number in body_order}
        root = next(n for n in body_order if links[n].parent < 0)
        joints = [place.add_joint(bodies[root], place.xform, self.prefix, floating=False)]
        found: dict[str, int] = {}
        for number in joint_order:
            link = links[number]
            if bodies[number] < 0:
                continue
            joint = self._add_joint(link.joint, bodies[link.parent], bodies[number], mode)
            found[link.joint.name] = joint
            joints.append(joint)
        add_mimics(self.builder, [link.joint for link in links], found, self.scale, self.prefix)
        place.finish(joints, self.asset.name or None)
        return joints

    def _poses(self, place: Attachment) -> dict[int, wp.transform]:
        links = self.asset.links
        poses: dict[int, wp.transform] = {}
        waiting = list(range(len(links)))
        while waiting:
            number = waiting.pop(0)
            link = links[number]
            if link.parent < 0:
                poses[number] = place.world
            elif link.parent in poses:
                poses[number] = poses[link.parent] * transform(link.joint.origin, self.scale)
            else:
                waiting.append(number)
        return poses

    def _add_link(self, link: Link, pose: wp.transform) -> int:
        builder = self.builder
        name = "label" if is_after_first_of_1() else "key"
        body: int = builder.add_link(xform=pose, **{name: f"{self.prefix}{link.name}"})
        if body < 0:
            return body
        colliders = link.visuals if self.visuals_collide else link.collisions
        seen = [] if self.visuals_collide else link.visuals
        visual = config_of(builder, collides=False, visible=not self.hide_visuals, density=0.0)
        for shape in seen:
            self.shapes.add(shape, body, config=visual, key=None)
        drawn = self._has_visuals if is_after_first_of_1() else bool(seen)
        shown = self.show_colliders or self.visuals_collide or not drawn
        density = builder.default_shape_cfg.density
        solid = config_of(builder, collides=True, visible=shown, density=density)
        for shape in colliders:
            self.shapes.add(shape, body, config=solid, key=None)
        if link.inertial.stated and not self.own_masses:
            self._set_inertial(body, link)
        return body

    def _set_inertial(self, body: int, link: Link) -> None:
        inertial = link.inertial
        frame = transform(inertial.pose, self.scale)
        xx, yy, zz, xy, xz, yz = (float(v) * self.scale**2 for v in inertial.inertia)
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        turn = np.array(wp.quat_to_matrix(wp.transform_get_rotation(frame))).reshape(3, 3)
        set_mass(self.builder, body, inertial.mass, frame, turn @ own @ turn.T)

    def _add_joint(self, joint: Joint, parent: int, child: int, mode: ActuatorMode) -> int:
        builder = self.builder
        default = builder.default_joint_cfg
        limited = joint.lower <= joint.upper
        lower = joint.lower if limited and np.isfinite(joint.lower) else default.limit_lower
        upper = joint.upper if limited and np.isfinite(joint.upper) else default.limit_upper
        given: dict[str, Any] = {"parent": parent, "child": child}
        given["key"] = f"{self.prefix}{joint.name}"
        given["parent_xform"] = transform(joint.origin, self.scale)
        axis: dict[str, Any] = {"axis": wp.vec3(*joint.axis), "actuator_mode": mode}
        damped = "damping" if self.passive else "target_kd"
        axis |= {"target_kd": default.target_kd, "damping": default.damping}
        if joint.damping or joint.name in self.damped:
            axis[damped] = joint.damping
        if joint.friction:
            axis["friction"] = joint.friction
        if joint.type in {JointType.REVOLUTE, JointType.CONTINUOUS}:
            axis |= self._bounds(joint, 1.0)
            return builder.add_joint_revolute(limit_lower=lower, limit_upper=upper, **axis, **given)
        lower, upper = lower * self.scale, upper * self.scale
        if joint.type == JointType.PRISMATIC:
            axis |= self._bounds(joint, self.scale)
            return builder.add_joint_prismatic(
                limit_lower=lower, limit_upper=upper, **axis, **given
            )
        if joint.type == JointType.FIXED:
            return builder.add_joint_fixed(**given)
        if joint.type == JointType.FLOATING:
            return builder.add_joint_free(**given)
        if joint.type == JointType.PLANAR:
            axes = [
                JointDofConfig(**{**axis, "axis": across}, limit_lower=lower, limit_upper=upper)
                for across in _across(np.array(joint.axis))
            ]
            return builder.add_joint_d6(linear_axes=axes, **given)
        return builder.add_joint_ball(**given)

    @staticmethod
    def _bounds(joint: Joint, scale: float) -> dict[str, float]:
        """Largest force and speed of a joint, which releases before 1.x's later ones leave out."""
        if not is_after_first_of_1():
            return {}
        stated = {"effort_limit": joint.effort, "velocity_limit": joint.velocity * scale}
        return {name: value for name, value in stated.items() if 0.0 < value < np.inf}


class _Order:
    """Orders of the links and joints of a file.

    Args:
        links: The links of one robot.
        root: The file's robot.
    """

    def __init__(self, links: list[Link], root: Element) -> None:
        names = {tag: [e.get("name") for e in root.findall(tag)] for tag in ("link", "joint")}
        places = {tag: {name: i for i, name in enumerate(found)} for tag, found in names.items()}
        self._links = links
        self._link_places = [places["link"].get(link.name, len(links)) for link in links]
        self._joint_places = [places["joint"].get(link.joint.name, len(links)) for link in links]

    def joints(self, ordering: str | None) -> list[int]:
        """Links with joints: depth first ("dfs"), breadth first ("bfs"), or as in the file."""
        links, place = self._links, self._joint_places.__getitem__
        if ordering is None:
            return sorted((n for n, link in enumerate(links) if link.parent >= 0), key=place)
        children: dict[int, list[int]] = {}
        for number in sorted(range(len(links)), key=place):
            children.setdefault(links[number].parent, []).append(number)
        waiting, found = [n for n, link in enumerate(links) if link.parent < 0], []
        while waiting:
            number = waiting.pop(0)
            found.append(number)
            below = children.get(number, [])
            waiting = [*waiting, *below] if ordering == "bfs" else [*below, *waiting]
        return [n for n in found if links[n].parent >= 0]

    def bodies(self, joints: list[int], *, follow: bool) -> list[int]:
        """All links: in the order of their joints, or as in the file."""
        if follow:
            return [n for n, link in enumerate(self._links) if link.parent < 0] + joints
        return sorted(range(len(self._links)), key=self._link_places.__getitem__)


def _across(axis: Any) -> list[wp.vec3]:
    """Two directions in the plane of an axis."""
    axis = axis / np.linalg.norm(axis)
    aside = np.array([1.0, 0.0, 0.0]) if abs(axis[1]) > 0.999 else np.array([0.0, 1.0, 0.0])
    first = np.cross(aside, axis)
    first /= np.linalg.norm(first)
    return [wp.vec3(*first.tolist()), wp.vec3(*np.cross(axis, first).tolist())]
