"""USD stages into builders."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import warp as wp

from unibody.core.assets.description import Asset, Joint, JointType, Link, LoopJoint
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd import UsdOptions, load_usd
from unibody.errors import NotSupportedError
from unibody.newton.enums import ActuatorMode, Axis
from unibody.newton.importers.attachment import Attachment, keep_apart
from unibody.newton.importers.masses import set_mass
from unibody.newton.importers.shapes import ShapeAdder, config_of, transform

_SWITCHES = {  # argument -> the value that works
    "only_load_enabled_rigid_bodies": False,
    "only_load_enabled_joints": True,
    "ignore_paths": None,
    "apply_up_axis_from_stage": False,
    "joint_ordering": "dfs",
    "bodies_follow_joint_ordering": True,
    "schema_resolvers": None,
}


def add_usd(
    self: Any,
    source: Any,
    *,
    xform: Any = None,
    floating: bool | None = None,
    base_joint: dict[str, Any] | None = None,
    parent_body: int = -1,
    only_load_enabled_rigid_bodies: bool = False,
    only_load_enabled_joints: bool = True,
    joint_drive_gains_scaling: float = 1.0,
    verbose: bool = False,
    ignore_paths: list[str] | None = None,
    collapse_fixed_joints: bool = False,
    enable_self_collisions: bool = True,
    apply_up_axis_from_stage: bool = False,
    root_path: str = "/",
    joint_ordering: str | None = "dfs",
    bodies_follow_joint_ordering: bool = True,
    skip_mesh_approximation: bool = False,
    load_sites: bool = True,
    load_visual_shapes: bool = True,
    hide_collision_shapes: bool = False,
    parse_mujoco_options: bool = True,
    mesh_maxhullvert: int | None = None,
    schema_resolvers: Any = None,
    force_position_velocity_actuation: bool = False,
) -> dict[str, Any]:
    """Add what a USD stage holds by UsdPhysics.

    Args:
        self: The builder.
        source: Path of the stage, or a stage.
        xform: Pose of the stage.
        floating: Whether roots that the stage leaves free are; None: they are.
        base_joint: Arguments of `add_joint` for the joints of roots.
        parent_body: Body that roots are attached to, or -1 for the world.
        only_load_enabled_rigid_bodies: Not supported but for False.
        only_load_enabled_joints: Not supported but for True.
        joint_drive_gains_scaling: Factor on stiffness and damping of drives.
        verbose: Whether what was read is printed; nothing is.
        ignore_paths: Not supported but for None.
        collapse_fixed_joints: Whether links of fixed joints are merged.
        enable_self_collisions: Whether shapes of an articulation collide with one another.
        apply_up_axis_from_stage: Not supported: the stage is turned to the builder's axis.
        root_path: Prim that is read, with all below it.
        joint_ordering: Not supported but for "dfs".
        bodies_follow_joint_ordering: Not supported but for True.
        skip_mesh_approximation: Whether meshes are not taken apart where the stage says so.
        load_sites: Whether sites are read; the reader knows none.
        load_visual_shapes: Whether what is only drawn is read.
        hide_collision_shapes: Whether shapes that collide are not seen.
        parse_mujoco_options: Whether options of MuJoCo are read; the reader knows none.
        mesh_maxhullvert: Most vertices of hulls; None: 64.
        schema_resolvers: Not supported but for None.
        force_position_velocity_actuation: Whether joints with both gains follow both targets.

    Returns:
        Maps of paths of prims: ``path_body_map`` and ``path_joint_map``, and ``up_axis``.

    Raises:
        AssetError: The file cannot be read.
        NotSupportedError: usd-core is not installed, or an argument is not supported.
    """
    given = locals()
    for name, works in _SWITCHES.items():
        if given[name] != works:
            raise NotSupportedError(f"add_usd({name}={given[name]!r})", f"{name}={works!r} works")
    place = Attachment(self, xform, Axis.Z, floating, base_joint, parent_body)
    options = UsdOptions(
        root=root_path, visuals=load_visual_shapes, decompose=not skip_mesh_approximation
    )
    with _file(source) as (file, search_path):
        assets = load_usd(file, search_path=search_path, options=options)
    adder = _Stage(self, place, ShapeAdder(self, 1.0, mesh_maxhullvert))
    adder.gains, adder.both = joint_drive_gains_scaling, force_position_velocity_actuation
    adder.show_colliders = not hide_collision_shapes
    for asset in assets:
        first = self.shape_count
        adder.add(asset)
        if not enable_self_collisions or asset.self_collision is False:
            keep_apart(self, first)
    if collapse_fixed_joints:
        self.collapse_fixed_joints()
    return {
        "path_body_map": adder.bodies,
        "path_joint_map": adder.joints,
        "up_axis": self.up_axis,
    }


@contextlib.contextmanager
def _file(source: Any) -> Iterator[tuple[str, SearchPath]]:
    if not hasattr(source, "Flatten"):
        name = os.fspath(source)
        folder = os.path.dirname(os.path.abspath(name))
        yield name, SearchPath((folder,), confined=False)
        return
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "stage.usda")
        source.Flatten().Export(name)
        yield name, SearchPath((os.getcwd(),), confined=False)


class _Stage:
    """Adds the assets of a stage.

    Attributes:
        bodies: Path of a prim -> body.
        joints: Path of a prim -> joint.
    """

    def __init__(self, builder: Any, place: Attachment, shapes: ShapeAdder) -> None:
        self.builder, self.place, self.shapes = builder, place, shapes
        self.bodies: dict[str, int] = {}
        self.joints: dict[str, int] = {}
        self.gains, self.both, self.show_colliders = 1.0, False, True

    def add(self, asset: Asset) -> None:
        """Add an asset: bodies and an articulation, or shapes of the world."""
        base = self.place.xform * transform(asset.pose)
        world = self.place.world * transform(asset.pose)
        if asset.static:
            self._add_shapes(asset.links[0], -1, base)
            return
        path = dict(asset.notes).get("prim_path") or _path(asset.links[0])
        numbers: list[int] = []
        poses: list[Any] = []
        joints: list[int] = []
        for link in asset.links:
            if not link.inertial.stated and not link.collisions and ":" in link.name:
                raise NotSupportedError(
                    f"{path}: joint {link.joint.name} of several axes in a USD stage",
                    "add_joint_d6 makes such joints",
                )
            origin = transform(link.joint.origin)
            poses.append(world if link.parent < 0 else poses[link.parent] * origin)
            body = self.builder.add_link(xform=poses[-1], key=_path(link))
            numbers.append(body)
            self.bodies[_path(link)] = body
            self._add_shapes(link, body, None)
            self._set_mass(link, body)
        for link, body in zip(asset.links, numbers, strict=True):
            if link.parent < 0:
                free = not asset.fixed_base
                joints.append(self.place.add_joint(body, base, f"{path}/", floating=free))
            else:
                joints.append(self._add_joint(link.joint, numbers[link.parent], body, path))
        self.place.finish(joints, path)
        names = {link.name: body for link, body in zip(asset.links, numbers, strict=True)}
        for loop in asset.loops:
            self._close(loop, names)
        for pair in asset.excluded:
            for a in self.builder.body_shapes[names[pair[0]]]:
                for b in self.builder.body_shapes[names[pair[1]]]:
                    self.builder.add_shape_collision_filter_pair(a, b)

    def _add_shapes(self, link: Link, body: int, frame: Any) -> None:
        builder = self.builder
        for shape in link.collisions:
            stated = shape.surface.density if shape.surface is not None else 0.0
            density = stated or builder.default_shape_cfg.density
            config = config_of(builder, collides=True, visible=self.show_colliders, density=density)
            if shape.surface is not None:
                config.mu = shape.surface.dynamic_friction or config.mu
                config.restitution = shape.surface.restitution
            self.shapes.add(shape, body, config=config, key=shape.name or None, frame=frame)
        same = {(s.kind, s.size, s.pose, s.mesh) for s in link.collisions}
        config = config_of(builder, collides=False, visible=True, density=0.0)
        for shape in link.visuals:
            if (shape.kind, shape.size, shape.pose, shape.mesh) not in same:
                self.shapes.add(shape, body, config=config, key=shape.name or None, frame=frame)

    def _set_mass(self, link: Link, body: int) -> None:
        inertial = link.inertial
        if not inertial.stated or inertial.mass <= 0.0:
            return
        frame = transform(inertial.pose)
        xx, yy, zz, xy, xz, yz = (float(v) for v in inertial.inertia)
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        turn = np.array(wp.quat_to_matrix(wp.transform_get_rotation(frame))).reshape(3, 3)
        set_mass(self.builder, body, inertial.mass, frame, turn @ own @ turn.T)

    def _add_joint(self, joint: Joint, parent: int, child: int, path: str) -> int:
        builder = self.builder
        anchor = wp.transform(wp.vec3(*joint.anchor), wp.quat_identity())
        key = f"{path}/{joint.name}"
        given: dict[str, Any] = {"parent": parent, "child": child, "key": key}
        given["parent_xform"] = transform(joint.origin) * anchor
        given["child_xform"] = anchor
        number = self._of_kind(joint, given)
        self.joints[key] = number
        if joint.start:
            builder.joint_q[builder.joint_q_start[number]] = joint.start
        return number

    def _of_kind(self, joint: Joint, given: dict[str, Any]) -> int:
        builder, default = self.builder, self.builder.default_joint_cfg
        if joint.type == JointType.FIXED:
            return builder.add_joint_fixed(**given)
        if joint.type == JointType.SPHERICAL:
            return builder.add_joint_ball(**given)
        axis: dict[str, Any] = {"axis": wp.vec3(*joint.axis)}
        limited = joint.lower <= joint.upper and joint.type != JointType.CONTINUOUS
        for end, value in (("lower", joint.lower), ("upper", joint.upper)):
            stated = limited and np.isfinite(value)
            axis[f"limit_{end}"] = value if stated else getattr(default, f"limit_{end}")
        if joint.armature:
            axis["armature"] = joint.armature
        if joint.friction:
            axis["friction"] = joint.friction
        if joint.drives:
            drive = joint.drives[0]
            ke, kd = drive.stiffness * self.gains, drive.damping * self.gains
            axis |= {"target_ke": ke, "target_kd": kd}
            axis |= {"target_pos": drive.target_position, "target_vel": drive.target_velocity}
            if np.isfinite(drive.max_force):
                axis["effort_limit"] = drive.max_force
            axis["actuator_mode"] = ActuatorMode.from_gains(ke, kd, self.both, has_drive=True)
        else:
            axis["actuator_mode"] = ActuatorMode.NONE
        if joint.type == JointType.PRISMATIC:
            return builder.add_joint_prismatic(**axis, **given)
        return builder.add_joint_revolute(**axis, **given)

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
