"""MJCF files into builders."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np
import warp as wp

from unibody.core.assets.mjcf.model import Changes, MjcfModel, load_mjcf_model
from unibody.errors import AssetError
from unibody.newton import exceptions
from unibody.newton.builder.collapse import collapse_massless_roots
from unibody.newton.configs import JointDofConfig
from unibody.newton.dialect import is_after_first_of_1, is_first_of_1
from unibody.newton.enums import ActuatorMode, AttributeFrequency, Axis, JointType
from unibody.newton.importers import mjcf_leniency as leniency
from unibody.newton.importers import verbose as verbose_lines
from unibody.newton.importers.attachment import Attachment, keep_apart
from unibody.newton.importers.masses import set_mass, weigh_links
from unibody.newton.importers.mjcf_actuator_leniency import leave_out
from unibody.newton.importers.mjcf_actuators import Targets, add_actuators
from unibody.newton.importers.mjcf_constraints import (
    add_constraints,
    add_pairs,
    keep_apart_by_masks,
)
from unibody.newton.importers.mjcf_fields import Fields
from unibody.newton.importers.mjcf_includes import document, original_errors
from unibody.newton.importers.mjcf_meshes import FlatMeshes
from unibody.newton.importers.mjcf_options import (
    MjcfOptions,
    matches,
    pose_of,
    stiffness_of,
)
from unibody.newton.importers.mjcf_shapes import BodyShapes
from unibody.newton.importers.mjcf_tendons import Tendons
from unibody.newton.importers.mjcf_textures import Textures
from unibody.newton.solvers.mujoco.attributes import FLAGS, OPTIONS, register, switch

_OWN = ("dof_passive_stiffness", "dof_passive_damping", "dof_springref")
"""Attributes of MuJoCo that are properties of joints themselves in later releases of 1.x."""
_FREE, _BALL, _SLIDE, _HINGE = range(4)
_NEVER, _AUTO = 0, 2  # compiler.inertiafromgeom


def add_mjcf(
    self: Any,
    source: Any,
    *,
    xform: Any = None,
    floating: bool | None = None,
    base_joint: dict[str, Any] | None = None,
    parent_body: int = -1,
    armature_scale: float = 1.0,
    scale: float = 1.0,
    hide_visuals: bool = False,
    parse_visuals_as_colliders: bool = False,
    parse_meshes: bool = True,
    parse_sites: bool = True,
    parse_visuals: bool = True,
    parse_mujoco_options: bool = True,
    up_axis: Any = Axis.Z,
    ignore_names: Sequence[str] = (),
    ignore_classes: Sequence[str] = (),
    visual_classes: Sequence[str] = ("visual",),
    collider_classes: Sequence[str] = ("collision",),
    no_class_as_colliders: bool = True,
    force_show_colliders: bool = False,
    enable_self_collisions: bool = True,
    ignore_inertial_definitions: bool = False,
    ensure_nonstatic_links: bool = True,
    static_link_mass: float = 1e-2,
    collapse_fixed_joints: bool = False,
    verbose: bool = False,
    skip_equality_constraints: bool = False,
    convert_3d_hinge_to_ball_joints: bool = False,
    mesh_maxhullvert: int | None = None,
    ctrl_direct: bool = False,
    path_resolver: Any = None,
    override_root_xform: bool = False,
    legacy_margin_gap: bool = False,
    collapse_massless_fixed_root: bool = False,
) -> None:
    """Add what an MJCF file holds.

    What MuJoCo's solver alone knows (softness of constraints, damping, actuators, options) becomes
    attributes, which `SolverMuJoCo` reads.

    Args:
        self: The builder.
        source: Path of the file, or its text.
        xform: Pose of the file's world.
        floating: Whether roots are free; None: as the file says.
        base_joint: Arguments of `add_joint` for the joints of roots.
        parent_body: Body that roots are attached to, or -1 for the world.
        armature_scale: Factor on armatures.
        scale: Factor on all lengths.
        hide_visuals: Whether visual shapes are not seen.
        parse_visuals_as_colliders: Whether visual shapes collide, in the place of the others.
        parse_meshes: Whether meshes are read.
        parse_sites: Whether sites are.
        parse_visuals: Whether visual shapes are.
        parse_mujoco_options: Whether options of the solver are.
        up_axis: The file's.
        ignore_names: Patterns of names of geoms that are left out.
        ignore_classes: Patterns of classes of bodies and geoms that are left out.
        visual_classes: Patterns of classes of geoms that are only seen.
        collider_classes: Patterns of classes of geoms that collide.
        no_class_as_colliders: Whether geoms of other classes collide, if their masks let them.
        force_show_colliders: Whether shapes that collide are seen beside visual ones.
        enable_self_collisions: Whether shapes of the file collide with one another.
        ignore_inertial_definitions: Whether masses follow from shapes.
        ensure_nonstatic_links: Whether links without mass that could not move get one.
        static_link_mass: That mass [kg].
        collapse_fixed_joints: Whether links of fixed joints are merged.
        verbose: Whether what was added is printed.
        skip_equality_constraints: Whether equality constraints are left out.
        convert_3d_hinge_to_ball_joints: Whether three hinges of a body are a ball joint.
        mesh_maxhullvert: Most vertices of hulls; None: 64.
        ctrl_direct: Whether scripts set the controls of all actuators themselves.
        path_resolver: Called with the folder of the file (None: of a text) and what it refers to;
            returns a path, or for an include the text itself.
        override_root_xform: Whether roots are at `xform`, wherever the file has them.
        collapse_massless_fixed_root: Whether a free root without mass becomes one with what fixed
            joints hold to it.
        legacy_margin_gap: Whether margins of the file contain its gaps, as in older MuJoCo; in the
            first release of 1.x they do.

    Raises:
        AssetError: The file cannot be read.
        InvalidArgumentError: Arguments exclude one another.
    """
    register(self)
    place = Attachment(
        self, xform, up_axis, floating, base_joint, parent_body, override=override_root_xform
    )
    options = MjcfOptions(
        armature_scale, scale, hide_visuals, parse_visuals_as_colliders, parse_meshes, parse_sites,
        parse_visuals, ignore_names, ignore_classes, visual_classes, collider_classes,
        no_class_as_colliders, force_show_colliders, ignore_inertial_definitions,
        convert_3d_hinge_to_ball_joints, mesh_maxhullvert, ctrl_direct,
        legacy_margin_gap or is_first_of_1(),
    )  # fmt: skip
    tell = verbose_lines.tell if verbose else _quiet
    warn = logging.getLogger("newton").warning if verbose else _quiet
    tendons, fields, flat, textures = Tendons(), Fields(scale), FlatMeshes(), Textures()
    activations: dict[int, leniency.Activation] = {}

    def accept(root: ElementTree.Element) -> None:
        leniency.accept(root, tell, warn)
        fields.accept(root)
        tendons.read_paths(root)

    def adjust(spec: Any) -> None:
        leniency.adjust(spec)
        activations.update(leniency.without_dynamics(spec))
        flat.replace(spec)
        tendons.read(spec)

    changes = Changes(partial(_screen, textures=textures, warn=warn), accept, adjust)
    with original_errors(source), document(source, path_resolver) as (file, search_path):
        fields.file = file
        found = load_mjcf_model(file, search_path, changes=changes)
        _check_damping(file, found, tendons)
    first, bodies, before = self.shape_count, self.body_count, verbose_lines.sizes(self)
    if parse_mujoco_options:
        _set_options(self, found)
    fields.files = found.fields
    reader = _Bodies(self, found, options, place)
    shapes = reader.shapes
    shapes.fields, shapes.flat_meshes, shapes.textures = fields, flat, textures
    reader.add()
    if not skip_equality_constraints:
        add_constraints(self, found, reader.bodies, reader.dofs, scale)
    add_pairs(self, found, reader.shapes.by_number, scale)
    joints = {found.name_of("joint", j): joint for j, (joint, _) in reader.dofs.items()}
    numbers = tendons.add(self, joints, reader.shapes.by_name, tell)
    if is_after_first_of_1() and not skip_equality_constraints:
        tendons.couple(self, numbers, f"{found.name}/" if found.name else "")
    targets = Targets(reader.bodies, reader.dofs, numbers, reader.shapes.by_name["site"])
    add_actuators(self, found, targets, activations, scale, direct=ctrl_direct)
    _filter(self, found, reader, verbose=verbose)
    if not enable_self_collisions:
        keep_apart(self, first)
    if ensure_nonstatic_links:
        weigh_links(self, bodies, static_link_mass)
    if verbose:
        verbose_lines.report(self, before)
    if collapse_fixed_joints:
        self.collapse_fixed_joints()
    elif collapse_massless_fixed_root:
        collapse_massless_roots(self, list(range(before["joint"], self.joint_count)))


def _rotation(quat: Any) -> np.ndarray:
    """A quaternion wxyz as a matrix, in double precision."""
    w, x, y, z = (float(v) for v in quat)
    return np.array(wp.quat_to_matrix(wp.quatd(x, y, z, w))).reshape(3, 3)


def _quiet(_: str) -> None:
    """Say nothing."""


def _screen(root: ElementTree.Element, textures: Textures, warn: Callable[[str], None]) -> None:
    """Read and change the elements of a file before any are taken out."""
    textures.accept(root)
    leave_out(root, warn)


def _check_damping(file: str, found: MjcfModel, tendons: Tendons) -> None:
    """Refuse joints and tendons that are driven by what should brake them."""
    model = found.model
    for dof in np.flatnonzero(~(model.dof_damping >= 0.0)):
        joint = int(model.dof_jntid[dof])
        name = found.name_of("joint", joint) or joint
        problem = f"damping={model.dof_damping[dof]:g}, 0 or more is needed"
        raise AssetError(file, f"joint {name!r}", problem)
    for tendon in tendons.found:
        damping = float(tendon.values["damping"].flat[0])
        if not damping >= 0.0:
            problem = f"damping={damping:g}, 0 or more is needed"
            raise AssetError(file, f"tendon {tendon.name!r}", problem)


def _set_options(builder: Any, found: MjcfModel) -> None:
    """Write options of the file, where the builder knows them and the file states them."""
    known = {
        name: attribute
        for name in OPTIONS
        if (attribute := builder.custom_attributes.get(f"mujoco:{name}")) is not None
    }
    for name, value in found.stated_options(known).items():
        attribute = known[name]
        of_world = attribute.frequency == AttributeFrequency.WORLD
        number = max(builder.current_world, 0) if of_world else 0
        attribute.values[number] = wp.vec3(*value) if np.ndim(value) else value
    if is_after_first_of_1():
        _set_flags(builder, found)


def _set_flags(builder: Any, found: MjcfModel) -> None:
    """Write flags of the file: those that MuJoCo knows, and whether there is gravity."""
    has_gravity = True
    for element in found.document.iterfind("option/flag"):
        for name in element.attrib.keys() & FLAGS.keys():
            attribute = builder.custom_attributes[f"mujoco:flag_{name}"]
            attribute.values[0] = switch(element.attrib[name])
        if "gravity" in element.attrib:
            has_gravity = switch(element.attrib["gravity"])
    if has_gravity:
        return
    if builder.current_world >= 0:
        builder.world_gravity[builder.current_world] = (0.0, 0.0, 0.0)
    else:
        builder.gravity = (0.0, 0.0, 0.0)


def _filter(builder: Any, found: MjcfModel, reader: _Bodies, *, verbose: bool) -> None:
    """Let bodies that the file excludes not collide, nor shapes that its masks keep apart."""
    if is_after_first_of_1():
        keep_apart_by_masks(builder, found, reader.shapes.by_number)
    bodies = reader.bodies
    for signature in found.model.exclude_signature:
        pair = [bodies.get(int(n)) for n in (signature >> 16, signature & 0xFFFF)]
        if None in pair:
            continue
        for a in builder.body_shapes[pair[0]]:
            for b in builder.body_shapes[pair[1]]:
                builder.add_shape_collision_filter_pair(a, b)
        if verbose:
            names = ["the world" if body in {None, -1} else builder.body_key[body] for body in pair]
            verbose_lines.tell(f"Parsed collision exclude: {names[0]} and {names[1]}")


class _Bodies:
    """Adds the bodies of a file.

    Attributes:
        bodies: MuJoCo's body -> body.
        dofs: MuJoCo's joint -> joint, and the first of its degrees of freedom in the builder.
        shapes: Adds shapes, and knows them by name.
    """

    def __init__(
        self, builder: Any, found: MjcfModel, options: MjcfOptions, place: Attachment
    ) -> None:
        self.builder, self.found, self.options, self.place = builder, found, options, place
        self.model = found.model
        self.bodies: dict[int, int] = {0: place.parent_body}
        self.dofs: dict[int, tuple[int, int]] = {}
        root = f"{found.name}/worldbody" if found.name else "worldbody"
        self._labels: dict[int, str] = {0: root}
        self._poses: dict[int, Any] = {0: place.world}
        self._ignored: set[int] = set()
        self.shapes = BodyShapes(builder, found, options)

    def add(self) -> None:
        """Add all bodies, in MuJoCo's order, and an articulation for each root."""
        self.shapes.add(0, self.bodies[0], self._labels[0], self.place.xform)
        roots: list[tuple[str, list[int]]] = []
        for number in range(1, self.model.nbody):
            parent = int(self.model.body_parentid[number])
            if parent in self._ignored or self._is_ignored(number):
                self._ignored.add(number)
                continue
            joint = self._add_body(number, parent)
            if parent == 0:
                roots.append((self._name(number), []))
            roots[-1][1].append(joint)
        if self.place.parent_body != -1 or len(roots) <= 1:
            joints = [joint for _, members in roots for joint in members]
            self.place.finish(joints, self.found.name or None)
            return
        for name, members in roots:
            label = f"{self.found.name}/{name}" if self.found.name else name
            self.place.finish(members, label)

    def _name(self, number: int) -> str:
        return self.found.name_of("body", number) or f"body_{number}"

    def _is_ignored(self, number: int) -> bool:
        cls = self.found.class_of("body", number)
        return matches(self.options.ignore_classes, cls)

    def _add_body(self, number: int, parent: int) -> int:
        builder, model, scale = self.builder, self.model, self.options.scale
        pose = pose_of(model.body_pos[number] * scale, model.body_quat[number])
        world = self._poses[parent] * pose if parent else self.place.in_world(pose)
        label = f"{self._labels[parent]}/{self._name(number)}"
        given = self.found_attributes("body", number)
        body = builder.add_link(xform=world, key=label, custom_attributes=given)
        self.bodies[number], self._labels[number], self._poses[number] = body, label, world
        self.shapes.add(number, body, label, None)
        stated = self.found.has_inertial(number)
        if self._has_inertial(number) or (not stated and self.shapes.are_weighed_by_mujoco(number)):
            frame = pose_of(model.body_ipos[number] * scale, model.body_iquat[number])
            turn = _rotation(model.body_iquat[number])
            own = np.diag(leniency.without_bounds(model.body_inertia[number])) * scale**2
            mass = float(leniency.without_bounds(model.body_mass[number]))
            set_mass(builder, body, mass, frame, turn @ own @ turn.T)
        local = self.place.root(pose) if parent == 0 else pose
        return self._add_joint(number, parent, body, local)

    def _has_inertial(self, number: int) -> bool:
        """Whether the mass of a body is that which the file states.

        Raises:
            ValueError: The file says that all masses are stated, and that of a body that moves is
                not.
        """
        stated = self.found.has_inertial(number) and not self.options.ignore_inertial_definitions
        mode = int(self.found.spec.compiler.inertiafromgeom)
        if not is_after_first_of_1() or mode == _AUTO:
            return stated
        if mode == _NEVER and not stated and self.model.body_jntnum[number]:
            name = self._name(number)
            told = 'the file has inertiafromgeom="false"'
            raise ValueError(f"Body {name!r} requires an <inertial> element: {told}")
        return stated and mode == _NEVER

    def found_attributes(self, kind: str, number: int) -> dict[str, Any]:
        """Attributes that the builder knows, of a body."""
        if kind == "body" and "mujoco:gravcomp" in self.builder.custom_attributes:
            return {"mujoco:gravcomp": float(self.model.body_gravcomp[number])}
        return {}

    def _add_joint(self, number: int, parent: int, body: int, local: Any) -> int:
        model, builder = self.model, self.builder
        first, count = int(model.body_jntadr[number]), int(model.body_jntnum[number])
        joints = list(range(first, first + count))
        kinds = [int(model.jnt_type[j]) for j in joints]
        prefix = f"{self._labels[number]}/"
        place = self.place
        asked = place.base_joint is not None or place.floating is not None
        if parent == 0 and (asked or place.parent_body != -1):
            return place.add_joint(body, local, prefix, floating=_FREE in kinds)
        usuals = ["freejoint" if k == _FREE else f"joint_{i}" for i, k in enumerate(kinds)]
        names = [
            self.found.name_of("joint", j) or f"{self._name(number)}_{usual}"
            for j, usual in zip(joints, usuals, strict=True)
        ]
        key = prefix + ("_".join(names) if names else f"{self._name(number)}_joint")
        if _FREE in kinds:
            joint = builder.add_joint_free(body, key=key)
            self.dofs[first] = (joint, builder.joint_qd_start[joint])
            return joint
        anchor = model.jnt_pos[first] * self.options.scale if joints else np.zeros(3)
        child = wp.transform(wp.vec3(*anchor.tolist()), wp.quat_identity())
        given = {"parent": self.bodies[parent], "child": body, "key": key}
        given |= {"parent_xform": local * child, "child_xform": child}
        if kinds == [_BALL]:
            dof = model.jnt_dofadr[first]
            if is_after_first_of_1():
                usual = builder.default_joint_cfg.damping
                given["damping"] = float(model.dof_damping[dof]) or usual
                given["stiffness"] = float(model.jnt_stiffness[first])
                given["friction"] = float(model.dof_frictionloss[dof])
            joint = builder.add_joint_ball(armature=float(model.dof_armature[dof]), **given)
            self.dofs[first] = (joint, builder.joint_qd_start[joint])
            return joint
        return self._add_axes(joints, kinds, given)

    def _add_axes(self, joints: list[int], kinds: list[int], given: dict[str, Any]) -> int:
        builder = self.builder
        slides = [j for j, kind in zip(joints, kinds, strict=True) if kind == _SLIDE]
        hinges = [j for j, kind in zip(joints, kinds, strict=True) if kind == _HINGE]
        linear, angular = [self._axis(j) for j in slides], [self._axis(j) for j in hinges]
        kind = JointType.D6
        if not slides and len(hinges) <= 1:
            kind = JointType.REVOLUTE if hinges else JointType.FIXED
        elif not slides and len(hinges) == 3 and self.options.convert_3d_hinge_to_ball_joints:
            kind = JointType.BALL
            if any(axis.stiffness and axis.rest_q for axis in angular):
                exceptions.warn(
                    "three hinges with springs are one ball joint, which has an identity spring "
                    "rest orientation: their references are left out",
                    UserWarning,
                )
        elif len(slides) == 1 and not hinges:
            kind = JointType.PRISMATIC
        joint = builder.add_joint(
            kind,
            linear_axes=linear,
            angular_axes=angular,
            custom_attributes=self._dof_attributes([*slides, *hinges]),
            **given,
        )
        for place, j in enumerate([*slides, *hinges]):
            self.dofs[j] = (joint, builder.joint_qd_start[joint] + place)
        return joint

    def _axis(self, j: int) -> JointDofConfig:
        model, default = self.model, self.builder.default_joint_cfg
        dof = int(model.jnt_dofadr[j])
        slide = int(model.jnt_type[j]) == _SLIDE
        factor = self.options.scale if slide else 1.0
        limits = (default.limit_lower, default.limit_upper)
        if model.jnt_limited[j]:
            limits = tuple(float(v) for v in model.jnt_range[j])
        passive: dict[str, float] = {}
        if is_after_first_of_1():  # whose limits and springs count from the joint's reference
            place = model.jnt_qposadr[j]
            reference = float(model.qpos0[place])
            if model.jnt_limited[j]:
                limits = (limits[0] - reference, limits[1] - reference)
            passive["damping"] = float(model.dof_damping[dof]) or default.damping
            passive["stiffness"] = float(model.jnt_stiffness[j])
            passive["rest_q"] = (float(model.qpos_spring[place]) - reference) * factor
        ke, kd = stiffness_of(model.jnt_solref[j])
        armature = float(model.dof_armature[dof]) * self.options.armature_scale
        effort = default.effort_limit
        if model.jnt_actfrclimited[j]:
            effort = float(np.abs(model.jnt_actfrcrange[j]).max())
        return JointDofConfig(
            axis=wp.vec3(*model.jnt_axis[j].tolist()),
            limit_lower=limits[0] * factor if abs(limits[0]) < 1e9 else limits[0],
            limit_upper=limits[1] * factor if abs(limits[1]) < 1e9 else limits[1],
            limit_ke=ke,
            limit_kd=kd,
            target_ke=default.target_ke,
            target_kd=default.target_kd,
            armature=armature or default.armature,
            friction=float(model.dof_frictionloss[dof]),
            effort_limit=effort,
            actuator_mode=ActuatorMode.NONE,
            **passive,
        )

    def _dof_attributes(self, joints: list[int]) -> dict[str, Any]:
        model = self.model

        def factor(j: int) -> float:
            """What coordinates of a joint are multiplied by: those of slides are lengths."""
            return self.options.scale if int(model.jnt_type[j]) == _SLIDE else 1.0

        rows: dict[str, Any] = {
            "limit_margin": lambda j, _: factor(j) * float(model.jnt_margin[j]),
            "solimplimit": lambda j, _: model.jnt_solimp[j],
            "solreffriction": lambda _, d: model.dof_solref[d],
            "solimpfriction": lambda _, d: model.dof_solimp[d],
            "dof_passive_stiffness": lambda j, _: float(model.jnt_stiffness[j]),
            "dof_passive_damping": lambda _, d: float(model.dof_damping[d]),
            "dof_springref": lambda j, _: (
                factor(j) * float(model.qpos_spring[model.jnt_qposadr[j]])
            ),
            "dof_ref": lambda j, _: factor(j) * float(model.qpos0[model.jnt_qposadr[j]]),
            "jnt_actgravcomp": lambda j, _: bool(model.jnt_actgravcomp[j]),
        }
        found: dict[str, Any] = {}
        for name, read in rows.items():
            if is_after_first_of_1() and name in _OWN:
                continue
            attribute = self.builder.custom_attributes.get(f"mujoco:{name}")
            if attribute is None:
                continue
            values = {}
            for place, j in enumerate(joints):
                value = read(j, int(model.jnt_dofadr[j]))
                values[place] = attribute.dtype(*value) if np.ndim(value) else value
            found[attribute.key] = values
        return found
