"""Asset descriptions of USD stages into builders."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import warp as wp

from unibody.core.assets.description import (
    Asset,
    Joint,
    JointType,
    Link,
    LoopJoint,
    Shape,
    ShapeKind,
)
from unibody.errors import InvalidArgumentError
from unibody.newton.builder.shapes import filterable
from unibody.newton.configs import JointDofConfig
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import ActuatorMode, BodyFlags
from unibody.newton.importers import mimics
from unibody.newton.importers.attachment import Attachment
from unibody.newton.importers.masses import set_mass
from unibody.newton.importers.shapes import ShapeAdder, config_of, transform
from unibody.newton.importers.usd_joints import JointFields
from unibody.newton.importers.usd_masses import Collider
from unibody.newton.importers.usd_prims import Prims


class StageAdder:
    """Adds the assets of a stage.

    Attributes:
        bodies: Path of a prim -> body.
        joints: Path of a prim -> joint.
        shape_paths: Path of a prim -> its first shape.
        orphans: Paths of joints that belong to no articulation.
        merged: Path of a prim that is part of a joint -> which of its axes it is.
    """

    def __init__(
        self,
        builder: Any,
        place: Attachment,
        shapes: ShapeAdder,
        prims: Prims,
        fields: JointFields,
    ) -> None:
        self.builder: Any = builder
        self.place: Attachment = place
        self.shapes: ShapeAdder = shapes
        self.prims: Prims = prims
        self.fields = fields
        self.static_visuals = True
        self.bodies: dict[str, int] = {}
        self.joints: dict[str, int] = {}
        self.shape_paths: dict[str, int] = {}
        self.orphans: list[str] = []
        self.merged: dict[str, int] = {}
        self.gains: float = 1.0
        self.both: bool = False
        self.show_colliders = self.sites = True
        self.breadth_first: bool = False
        self.bodies_follow: bool = True
        self.colliders: dict[str, Collider] = {}
        self._later = is_after_first_of_1()
        self._articulated = prims.has_articulations()

    def scales(self) -> dict[str, Any]:
        """Path of a shape's prim -> its scale in the stage."""
        return {path: self.prims.scale_of(path) for path in self.shape_paths}

    def colliding(self) -> dict[str, list[int]]:
        """Path of a prim that collides -> its shapes."""
        return {path: collider.shapes for path, collider in self.colliders.items()}

    def add(self, asset: Asset) -> None:
        """Add an asset: bodies and an articulation, or shapes of the world.

        Bodies that joints connect and that the stage does not call an articulation keep their
        joints, which belong to none.
        """
        if asset.static:
            self._add_shapes(asset.links[0], -1, self.place.xform * transform(asset.pose))
            return
        path = dict(asset.notes).get("prim_path") or _path(
            next(link for link in asset.links if not _is_axis(link))
        )
        local = self._in_articulation(asset, path)
        base, world = self.place.root(local), self.place.in_world(local)
        if self.place.override:
            base, world = base * local, world * local
        poses: list[Any] = []
        for link in asset.links:
            origin = transform(link.joint.origin)
            poses.append(world if link.parent < 0 else poses[link.parent] * origin)
        order = self._order(asset)
        loose = not asset.articulation and any(_joint_path(link) for link in asset.links)
        if not loose and self._later and self.bodies_follow:
            self._refuse_reversed(asset, order)
        numbers = [self.place.parent_body] * len(asset.links)
        for n in order if self.bodies_follow else self._as_in_stage(asset, order):
            numbers[n] = self._add_body(asset.links[n], poses[n])
        if not loose:
            self._refuse_reversed(asset, order)
        joints = [
            self._join(asset, n, numbers, base, path)
            for n in order
            if not loose or self._articulated or _joint_path(asset.links[n])
        ]
        if loose:
            self.orphans += [loop.path for loop in asset.loops]
            self._leave_out(asset, order, joints)
        else:
            self.place.finish(joints, path)
        self._finish(asset, numbers)

    def _in_articulation(self, asset: Asset, path: str) -> wp.transform:
        """Pose of an asset in its stage, or relative to the prim of its articulation."""
        pose = transform(asset.pose)
        root = asset.links[0]
        own, held = self.prims.pose_of(_path(root)), None
        if asset.fixed_base and not _is_axis(root):
            held = self.prims.held_at(_joint_path(root), _path(root))
        if own is not None and held is not None:
            pose = pose * wp.transform_inverse(own) * held
        above = self.prims.pose_of(path) if self.place.override else None
        return pose if above is None else wp.transform_inverse(above) * pose

    def _order(self, asset: Asset) -> list[int]:
        """Links that are bodies, parents first."""
        links = asset.links
        order = list(range(len(links)))
        if self.breadth_first:
            depth: list[int] = []
            for link in links:
                step = 0 if _is_axis(link) else 1
                depth.append(step if link.parent < 0 else depth[link.parent] + step)
            order.sort(key=depth.__getitem__)
        return [n for n in order if not _is_axis(links[n])]

    def _as_in_stage(self, asset: Asset, order: list[int]) -> list[int]:
        return sorted(order, key=lambda n: self.prims.place_of(_path(asset.links[n])))

    def _refuse_reversed(self, asset: Asset, order: list[int]) -> None:
        """Check that the joints of an articulation lead from parents to children."""
        links = asset.links
        found: list[str] = []
        for n in order:
            parent = links[n].parent
            while parent >= 0 and _is_axis(links[parent]):
                parent = links[parent].parent
            joint = _joint_path(links[n])
            if joint and parent >= 0 and self.prims.is_reversed(joint, _path(links[parent])):
                found.append(joint)
        if found:
            raise InvalidArgumentError(
                "source",
                found,
                "joints of an articulation whose physics:body0 is the parent of physics:body1: some"
                f" are reversed among {[_joint_path(links[n]) for n in order]}",
            )

    def _leave_out(self, asset: Asset, order: list[int], joints: list[int]) -> None:
        """Note joints of no articulation; bodies that only float are articulations of their own."""
        numbered = [n for n in order if self._articulated or _joint_path(asset.links[n])]
        for n, joint in zip(numbered, joints, strict=True):
            path = _joint_path(asset.links[n])
            if path:
                self.orphans.append(path)
            else:
                self.place.finish([joint], _path(asset.links[n]))

    def _finish(self, asset: Asset, numbers: list[int]) -> None:
        names = {link.name: body for link, body in zip(asset.links, numbers, strict=True)}
        for loop in asset.loops:
            self._close(loop, names)
        for pair in asset.excluded:
            for a in filterable(self.builder, names[pair[0]]):
                for b in filterable(self.builder, names[pair[1]]):
                    self.builder.add_shape_collision_filter_pair(a, b)
        by_name = {link.joint.name: self.joints.get(_joint_path(link)) for link in asset.links}
        for link in asset.links:
            mimic, own = link.joint.mimic, self.joints.get(_joint_path(link))
            leader = by_name.get(mimic.joint) if mimic is not None else None
            if mimic is not None and own is not None and leader is not None:
                coefficients = (mimic.offset, mimic.multiplier)
                mimics.follow(self.builder, own, leader, coefficients, key=_joint_path(link))

    def _add_body(self, link: Link, pose: Any) -> int:
        held = self.prims.is_kinematic(_path(link))
        body = self.builder.add_link(xform=pose, key=_path(link), is_kinematic=held)
        self.bodies[_path(link)] = body
        self._add_shapes(link, body, None)
        if self._later:
            self.prims.warn_of_mirror(_path(link))
        else:
            self._set_mass(link, body)
        return body

    def _join(self, asset: Asset, n: int, numbers: list[int], base: Any, path: str) -> int:
        """Add the joint of a body: that of its link, or one of all axes in front of it."""
        links = asset.links
        link = links[n]
        axes: list[Joint] = []
        parent = link.parent
        while parent >= 0 and _is_axis(links[parent]) and links[parent].parent >= 0:
            axes.insert(0, links[parent].joint)
            parent = links[parent].parent
        held = parent < 0 or _is_axis(links[parent])  # by the world
        asked = self.place.base_joint is not None or self.place.floating is not None
        key = _joint_path(link) or f"{path}/{link.joint.name}"
        if parent < 0 or (held and asked):
            kinematic = bool(self.builder.body_flags[numbers[n]] & BodyFlags.KINEMATIC)
            floats = not asset.fixed_base or (kinematic and not _joint_path(link))
            options = self._filtering(self.place.parent_body, [_joint_path(link)])
            if self._later and _joint_path(link):
                options["child_xform"] = self.prims.frame_on(_joint_path(link), _path(link))
            joint = self.place.add_joint(
                numbers[n], base, f"{path}/", floating=floats, free_key=None, options=options
            )
            if asset.fixed_base and not asked and _joint_path(link):
                self.joints[key], self.builder.joint_key[joint] = joint, key
            return joint
        generic = self.prims.is_generic(_joint_path(link))
        frame = base if held else wp.transform_identity()
        given: dict[str, Any] = {"parent": numbers[parent], "child": numbers[n], "key": key}
        if axes:
            given["parent_xform"] = frame * transform(axes[0].origin)
            given["child_xform"] = wp.transform_inverse(transform(link.joint.origin))
            if generic:  # in the original, an axis without a limit does not move
                axes = [a for a in axes if self.prims.moves(key, a.name.rpartition(":")[2])]
                return self._add_joint(axes, given, generic=True)
        else:
            anchor = wp.transform(wp.vec3(*link.joint.anchor), wp.quat_identity())
            given["parent_xform"] = frame * transform(link.joint.origin) * anchor
            given["child_xform"] = anchor
        moves = link.joint.type in {JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC}
        return self._add_joint(axes or [link.joint], given, generic=generic and moves)

    def _add_shapes(self, link: Link, body: int, frame: Any) -> None:
        builder = self.builder
        for shape in link.collisions:
            self._add_collider(shape, body, frame)
        others = {_shape_path(shape) for shape in link.collisions} | {_path(link)}
        config = config_of(builder, collides=False, visible=True, density=0.0)
        drawn = link.visuals if body >= 0 or self.static_visuals else []
        for shape in drawn:
            if "site" in dict(shape.notes):
                if self.sites:
                    self._add_shape(shape, body, builder.default_site_cfg, frame)
            elif _shape_path(shape) not in others and not self._below_collider(link, shape):
                self._add_shape(shape, body, config, frame)

    def _below_collider(self, link: Link, shape: Shape) -> bool:
        """Whether a shape that is only drawn is part of one that collides, in later releases."""
        paths = {_shape_path(collider) for collider in link.collisions} - {_path(link)}
        above = tuple(f"{path}/" for path in paths)
        return self._later and _shape_path(shape).startswith(above)

    def _add_collider(self, shape: Shape, body: int, frame: Any) -> None:
        builder, path = self.builder, _shape_path(shape)
        on = "off" not in dict(shape.notes)
        stated = shape.surface.density if shape.surface is not None else 0.0
        density = stated if stated > 0.0 else builder.default_shape_cfg.density
        if self._later and shape.kind == ShapeKind.ELLIPSOID:
            logging.getLogger("newton").warning(
                "Non-uniform scaling of spheres: %s collides as the ellipsoid that is drawn", path
            )
        config = config_of(
            builder, collides=on, visible=self.show_colliders, density=density if on else 0.0
        )
        if shape.surface is not None:
            config.mu = shape.surface.dynamic_friction or config.mu
            config.restitution = shape.surface.restitution
        most = self.prims.configure(config, path)
        margin = config.thickness
        if self._later:
            config.is_solid, config.thickness = self.prims.wall_of(path, margin)
        first, wall = builder.shape_count, config.thickness
        self._add_shape(shape, body, config, frame, most)
        added = list(range(first, builder.shape_count))
        for number in added:
            builder.shape_thickness[number] = margin
        known = self.colliders.get(path)
        if known is not None:
            known.shapes.extend(added)
        elif added and path and on:
            self.colliders[path] = Collider(added, density, wall)

    def _add_shape(
        self, shape: Shape, body: int, config: Any, frame: Any, most: int | None = None
    ) -> None:
        path = _shape_path(shape)
        first = self.builder.shape_count
        self.shapes.add(
            shape,
            body,
            config=config,
            key=path or shape.name or None,
            frame=frame,
            most=most,
            is_cone=self.prims.is_cone(path),
        )
        if path and self.builder.shape_count > first:
            self.shape_paths.setdefault(path, first)
            if self._later:
                self.prims.draw(self.builder, range(first, self.builder.shape_count), path)
                extents = None if config.has_shape_collision else self.prims.plane_of(path)
                if extents is not None and shape.kind == ShapeKind.PLANE:
                    self.builder.shape_scale[first] = extents

    def _set_mass(self, link: Link, body: int) -> None:
        inertial = link.inertial
        if not inertial.stated or inertial.mass <= 0.0 or not self.prims.states_mass(_path(link)):
            return
        frame = transform(inertial.pose)
        xx, yy, zz, xy, xz, yz = (float(v) for v in inertial.inertia)
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        turn = np.array(wp.quat_to_matrix(wp.transform_get_rotation(frame))).reshape(3, 3)
        set_mass(self.builder, body, inertial.mass, frame, turn @ own @ turn.T)

    def _add_joint(self, axes: list[Joint], given: dict[str, Any], *, generic: bool = False) -> int:
        builder = self.builder
        number = self._of_kind(axes, given, generic=generic)
        self.joints[given["key"]] = number
        for place, axis in enumerate(axes if len(axes) > 1 else ()):
            path = _axis_path(axis, "")
            if path:
                self.joints[path], self.merged[path] = number, place
        self._label_dofs(axes, given["key"], number)
        for place, axis in enumerate(axes):
            if axis.start:
                builder.joint_q[builder.joint_q_start[number] + place] = axis.start
        return number

    def _label_dofs(self, axes: list[Joint], key: str, joint: int) -> None:
        """Name the degrees of freedom of a joint, where the builder has names for them."""
        attribute = self.builder.custom_attributes.get("mujoco:joint_dof_label")
        if attribute is None:
            return
        labels = [key] if axes and axes[0].type != JointType.FIXED else []
        if len(axes) > 1:
            slides = [axis for axis in axes if axis.type == JointType.PRISMATIC]
            turns = [axis for axis in axes if axis.type != JointType.PRISMATIC]
            labels = [
                _axis_path(axis, f"{key}:{axis.name.rpartition(':')[2]}")
                for axis in [*slides, *turns]
            ]
        elif axes and axes[0].type == JointType.SPHERICAL:
            labels = [f"{key}:rot{letter}" for letter in "XYZ"]
        first = self.builder.joint_qd_start[joint]
        attribute.values.update({first + i: label for i, label in enumerate(labels)})

    def _filtering(self, parent: int, paths: list[str]) -> dict[str, Any]:
        """Whether shapes of the two bodies of a joint do not collide, where its prims say so."""
        if not self._later or not any(paths):
            return {}
        together = all(self.fields.collides(path) for path in paths)
        return {"collision_filter_parent": parent >= 0 and not together}

    def _of_kind(self, axes: list[Joint], given: dict[str, Any], *, generic: bool) -> int:
        builder, path = self.builder, given["key"]
        given |= self._filtering(given["parent"], [_axis_path(axis, path) for axis in axes])
        if generic or len(axes) > 1:
            slides = [axis for axis in axes if axis.type == JointType.PRISMATIC]
            turns = [axis for axis in axes if axis.type != JointType.PRISMATIC]
            return builder.add_joint_d6(
                linear_axes=[JointDofConfig(**self._axis(axis, path)) for axis in slides],
                angular_axes=[JointDofConfig(**self._axis(axis, path)) for axis in turns],
                **given,
            )
        first = axes[0]
        if first.type == JointType.FIXED:
            return builder.add_joint_fixed(**given)
        if first.type == JointType.SPHERICAL:
            return builder.add_joint_ball(**given)
        if first.type == JointType.PRISMATIC:
            return builder.add_joint_prismatic(**self._axis(first, path, single=True), **given)
        return builder.add_joint_revolute(**self._axis(first, path, single=True), **given)

    def _axis(self, joint: Joint, path: str, *, single: bool = False) -> dict[str, Any]:
        default = self.builder.default_joint_cfg
        axis: dict[str, Any] = {"axis": wp.vec3(*joint.axis)}
        limited = joint.lower <= joint.upper and joint.type != JointType.CONTINUOUS
        for end, value in (("lower", joint.lower), ("upper", joint.upper)):
            stated = limited and np.isfinite(value)
            axis[f"limit_{end}"] = value if stated else getattr(default, f"limit_{end}")
        if joint.armature:
            axis["armature"] = joint.armature
        if joint.friction:
            axis["friction"] = joint.friction
        if self._later:
            own, turns = _axis_path(joint, ""), joint.type != JointType.PRISMATIC
            path, single = own or path, single or bool(own)
            axis = self.fields.of_axis(path, turns=turns, single=single) | axis
        if not joint.drives:
            return axis | {"actuator_mode": ActuatorMode.NONE}
        drive = joint.drives[0]
        ke, kd = drive.stiffness * self.gains, drive.damping * self.gains
        axis |= {"target_ke": ke, "target_kd": kd}
        axis |= {"target_q": drive.target_position, "target_qd": drive.target_velocity}
        if np.isfinite(drive.max_force):
            axis["effort_limit"] = drive.max_force
        axis["actuator_mode"] = ActuatorMode.from_gains(ke, kd, self.both, has_drive=True)
        return axis

    def _close(self, loop: LoopJoint, names: dict[str, int]) -> None:
        """Add a joint that closes a loop, which belongs to no articulation."""
        given: dict[str, Any] = {"key": loop.path or loop.joint.name}
        given["parent"], given["child"] = (names.get(n, -1) for n in (loop.first, loop.second))
        given["parent_xform"] = transform(loop.first_pose)
        given["child_xform"] = transform(loop.second_pose)
        if given["child"] < 0:  # the world is no child
            given["parent"], given["child"] = given["child"], given["parent"]
            frames = given["child_xform"], given["parent_xform"]
            given["parent_xform"], given["child_xform"] = frames
        if given["parent"] < 0:
            given["parent_xform"] = self.place.xform * given["parent_xform"]
        self._add_joint([loop.joint], given)


def _path(link: Link) -> str:
    return dict(link.notes).get("prim_path", link.name)


def _is_axis(link: Link) -> bool:
    """Whether a link stands for an axis of a joint, or the world, and not for a body."""
    return "prim_path" not in dict(link.notes)


def _shape_path(shape: Shape) -> str:
    """Path of the prim of a shape; in later releases that of its part of a material's own."""
    notes = dict(shape.notes)
    path = notes.get("prim_path", "")
    return notes.get("subset", path) if is_after_first_of_1() else path


def _axis_path(axis: Joint, path: str) -> str:
    """Path of the prim of an axis of several that are one joint, or another one's."""
    suffix = axis.name.partition(":")[2]
    return suffix if suffix.startswith("/") else path


def _joint_path(link: Link) -> str:
    return dict(link.notes).get("joint_prim_path", "")
