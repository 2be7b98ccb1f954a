"""Asset descriptions of USD stages into builders."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.assets.description import Asset, Joint, JointType, Link, LoopJoint, Shape
from unibody.newton.configs import JointDofConfig
from unibody.newton.enums import ActuatorMode
from unibody.newton.importers.attachment import Attachment
from unibody.newton.importers.masses import set_mass
from unibody.newton.importers.shapes import ShapeAdder, config_of, transform


class StageAdder:
    """Adds the assets of a stage.

    Attributes:
        bodies: Path of a prim -> body.
        joints: Path of a prim -> joint.
        shape_paths: Path of a prim -> its first shape.
    """

    def __init__(self, builder: Any, place: Attachment, shapes: ShapeAdder) -> None:
        self.builder, self.place, self.shapes = builder, place, shapes
        self.bodies: dict[str, int] = {}
        self.joints: dict[str, int] = {}
        self.shape_paths: dict[str, int] = {}
        self.gains, self.both = 1.0, False
        self.show_colliders = self.sites = True

    def scales(self) -> dict[str, Any]:
        """Path of a prim -> the scale of its shape."""
        return {path: self.builder.shape_scale[shape] for path, shape in self.shape_paths.items()}

    def add(self, asset: Asset) -> None:
        """Add an asset: bodies and an articulation, or shapes of the world."""
        base = self.place.xform * transform(asset.pose)
        world = self.place.world * transform(asset.pose)
        if asset.static:
            self._add_shapes(asset.links[0], -1, base)
            return
        path = dict(asset.notes).get("prim_path") or _path(
            next(link for link in asset.links if not _is_axis(link))
        )
        numbers: list[int] = []
        poses: list[Any] = []
        for link in asset.links:
            origin = transform(link.joint.origin)
            poses.append(world if link.parent < 0 else poses[link.parent] * origin)
            numbers.append(
                self.place.parent_body if _is_axis(link) else self._add_body(link, poses[-1])
            )
        joints = [
            self._join(asset, n, numbers, base, path)
            for n, link in enumerate(asset.links)
            if not _is_axis(link)
        ]
        self.place.finish(joints, path)
        names = {link.name: body for link, body in zip(asset.links, numbers, strict=True)}
        for loop in asset.loops:
            self._close(loop, names)
        for pair in asset.excluded:
            for a in self.builder.body_shapes[names[pair[0]]]:
                for b in self.builder.body_shapes[names[pair[1]]]:
                    self.builder.add_shape_collision_filter_pair(a, b)

    def _add_body(self, link: Link, pose: Any) -> int:
        body = self.builder.add_link(xform=pose, key=_path(link))
        self.bodies[_path(link)] = body
        self._add_shapes(link, body, None)
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
        key = dict(link.notes).get("joint_prim_path") or f"{path}/{link.joint.name}"
        if parent < 0 or (held and asked):
            joint = self.place.add_joint(
                numbers[n], base, f"{path}/", floating=not asset.fixed_base
            )
            if asset.fixed_base and not asked and "joint_prim_path" in dict(link.notes):
                self.joints[key], self.builder.joint_key[joint] = joint, key
            return joint
        frame = base if held else wp.transform_identity()
        given: dict[str, Any] = {"parent": numbers[parent], "child": numbers[n], "key": key}
        if axes:
            given["parent_xform"] = frame * transform(axes[0].origin)
            given["child_xform"] = wp.transform_inverse(transform(link.joint.origin))
        else:
            anchor = wp.transform(wp.vec3(*link.joint.anchor), wp.quat_identity())
            given["parent_xform"] = frame * transform(link.joint.origin) * anchor
            given["child_xform"] = anchor
        return self._add_joint(axes or [link.joint], given)

    def _add_shapes(self, link: Link, body: int, frame: Any) -> None:
        builder = self.builder
        for shape in link.collisions:
            stated = shape.surface.density if shape.surface is not None else 0.0
            density = stated or builder.default_shape_cfg.density
            config = config_of(builder, collides=True, visible=self.show_colliders, density=density)
            if shape.surface is not None:
                config.mu = shape.surface.dynamic_friction or config.mu
                config.restitution = shape.surface.restitution
            self._add_shape(shape, body, config, frame)
        same = {(s.kind, s.size, s.pose, s.mesh) for s in link.collisions}
        config = config_of(builder, collides=False, visible=True, density=0.0)
        for shape in link.visuals:
            if "site" in dict(shape.notes):
                if not self.sites:
                    continue
                self._add_shape(shape, body, builder.default_site_cfg, frame)
            elif (shape.kind, shape.size, shape.pose, shape.mesh) not in same:
                self._add_shape(shape, body, config, frame)

    def _add_shape(self, shape: Shape, body: int, config: Any, frame: Any) -> None:
        path = dict(shape.notes).get("prim_path")
        first = self.builder.shape_count
        self.shapes.add(shape, body, config=config, key=path or shape.name or None, frame=frame)
        if path and self.builder.shape_count > first:
            self.shape_paths.setdefault(path, first)

    def _set_mass(self, link: Link, body: int) -> None:
        inertial = link.inertial
        if not inertial.stated or inertial.mass <= 0.0:
            return
        frame = transform(inertial.pose)
        xx, yy, zz, xy, xz, yz = (float(v) for v in inertial.inertia)
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        turn = np.array(wp.quat_to_matrix(wp.transform_get_rotation(frame))).reshape(3, 3)
        set_mass(self.builder, body, inertial.mass, frame, turn @ own @ turn.T)

    def _add_joint(self, axes: list[Joint], given: dict[str, Any]) -> int:
        builder = self.builder
        number = self._of_kind(axes, given)
        self.joints[given["key"]] = number
        for place, axis in enumerate(axes):
            if axis.start:
                builder.joint_q[builder.joint_q_start[number] + place] = axis.start
        return number

    def _of_kind(self, axes: list[Joint], given: dict[str, Any]) -> int:
        builder, first = self.builder, axes[0]
        if len(axes) > 1:
            slides = [axis for axis in axes if axis.type == JointType.PRISMATIC]
            turns = [axis for axis in axes if axis.type != JointType.PRISMATIC]
            return builder.add_joint_d6(
                linear_axes=[JointDofConfig(**self._axis(axis)) for axis in slides],
                angular_axes=[JointDofConfig(**self._axis(axis)) for axis in turns],
                **given,
            )
        if first.type == JointType.FIXED:
            return builder.add_joint_fixed(**given)
        if first.type == JointType.SPHERICAL:
            return builder.add_joint_ball(**given)
        if first.type == JointType.PRISMATIC:
            return builder.add_joint_prismatic(**self._axis(first), **given)
        return builder.add_joint_revolute(**self._axis(first), **given)

    def _axis(self, joint: Joint) -> dict[str, Any]:
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
        if not joint.drives:
            return axis | {"actuator_mode": ActuatorMode.NONE}
        drive = joint.drives[0]
        ke, kd = drive.stiffness * self.gains, drive.damping * self.gains
        axis |= {"target_ke": ke, "target_kd": kd}
        axis |= {"target_pos": drive.target_position, "target_vel": drive.target_velocity}
        if np.isfinite(drive.max_force):
            axis["effort_limit"] = drive.max_force
        axis["actuator_mode"] = ActuatorMode.from_gains(ke, kd, self.both, has_drive=True)
        return axis

    def _close(self, loop: LoopJoint, names: dict[str, int]) -> None:
        """Close a loop: a point of two bodies, or all of their relative pose."""
        bodies = [names.get(name, -1) for name in (loop.first, loop.second)]
        first = transform(loop.first_pose)
        if loop.joint.type == JointType.FIXED:
            relative = first * wp.transform_inverse(transform(loop.second_pose))
            self.builder.add_equality_constraint_weld(
                body1=bodies[0], body2=bodies[1], relpose=relative, key=loop.joint.name
            )
            return
        self.builder.add_equality_constraint_connect(
            body1=bodies[0],
            body2=bodies[1],
            anchor=wp.transform_get_translation(first),
            key=loop.joint.name,
        )


def _path(link: Link) -> str:
    return dict(link.notes).get("prim_path", link.name)


def _is_axis(link: Link) -> bool:
    """Whether a link stands for an axis of a joint, or the world, and not for a body."""
    return "prim_path" not in dict(link.notes)
