"""From a tree of links to a ``Model``: its bodies, joints, degrees of freedom and shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy

from unibody.core.assets import description as core
from unibody.core.assets.description import JointType as Kind
from unibody.core.assets.mass.defaults import override, thicken, weigh_down
from unibody.errors import NotSupportedError
from unibody.isaacgym.models import drives
from unibody.isaacgym.models.links import ball_axes, split_joints
from unibody.isaacgym.models.model import DofInfo, JointInfo, Model, ShapeInfo
from unibody.isaacgym.models.soft import SoftInfo
from unibody.isaacgym.types.asset_options import AssetOptions
from unibody.isaacgym.types.enums import DofType, JointType
from unibody.isaacgym.types.properties import RigidShapeProperties

_FAR = 1e10  # rad, m: the open end of a limit that has one end only
_JOINT_TYPES = {
    Kind.FIXED: JointType.JOINT_FIXED,
    Kind.REVOLUTE: JointType.JOINT_REVOLUTE,
    Kind.CONTINUOUS: JointType.JOINT_REVOLUTE,
    Kind.PRISMATIC: JointType.JOINT_PRISMATIC,
    Kind.SPHERICAL: JointType.JOINT_BALL,
    Kind.PLANAR: JointType.JOINT_PLANAR,
}


def describe(
    tree: core.Asset, virtual: set[str], options: AssetOptions, soft: Sequence[SoftInfo] = ()
) -> Model:
    """Make the model of a tree.

    Args:
        tree: As ``read_urdf`` and ``read_mjcf`` give it; it is taken over.
        virtual: Names of links that are no rigid bodies.
        options: Those that concern mass, drives and shapes are applied.
        soft: Its soft bodies; one that is alone has a first link that is none and stays in place.

    Raises:
        NotSupportedError: A link that carries a soft body is part of another one.
    """
    alone = any(not body.carrier for body in soft)
    fixed = options.fix_base_link or tree.fixed_base is True or alone
    _check_carriers(tree, soft)
    before = {link.name for link in tree.links}
    tree.links, whole = split_joints(tree.links)
    virtual = virtual | {link.name for link in tree.links if link.name not in before}
    override(tree, com=options.override_com, inertia=options.override_inertia)
    if not options.use_physx_armature:
        thicken(tree, options.armature, virtual)
    weigh_down(tree, fixed=fixed)
    bodies = [number for number, link in enumerate(tree.links) if link.name not in virtual]
    joints, dofs = _joints(tree, whole)
    shapes, surfaces = _shapes(tree, bodies, options)
    model = Model(
        name=tree.name,
        tree=tree,
        options=options,
        fixed=fixed,
        body_names=[tree.links[number].name for number in bodies],
        body_links=bodies,
        joints=joints,
        dofs=dofs,
        dof_properties=drives.dof_properties(tree, [dof.joint_of(tree) for dof in dofs], options),
        shapes=shapes,
        shape_properties=surfaces,
        actuators=drives.actuator_infos(tree),
        tendons=drives.tendon_infos(tree, options.tendon_limit_stiffness),
        soft=list(soft),
    )
    _strip(tree, fixed=fixed)
    return model


def _check_carriers(tree: core.Asset, soft: Sequence[SoftInfo]) -> None:
    names = {link.name for link in tree.links}
    for body in soft:
        if body.carrier and body.carrier not in names:
            raise NotSupportedError(
                f"collapse_fixed_joints of {body.carrier!r}, which carries a soft body",
                "AssetOptions.collapse_fixed_joints = False",
            )


def _joints(
    tree: core.Asset, whole: dict[str, core.Joint]
) -> tuple[list[JointInfo], list[DofInfo]]:
    joints: list[JointInfo] = []
    dofs: list[DofInfo] = []
    for number, link in enumerate(tree.links[1:], start=1):
        if link.joint.type is Kind.SPHERICAL:
            _add_ball(number, link.joint, joints, dofs)
            continue
        joint = whole.get(link.joint.name, link.joint)
        name = joint.name or f"{link.name}/fixed"
        if joints and joints[-1].name == name:
            joints[-1].link = number
        else:
            joints.append(JointInfo(name, _JOINT_TYPES[joint.type], number))
        if link.joint.type is Kind.FIXED:
            continue
        slides = link.joint.type is Kind.PRISMATIC
        moves = DofType.DOF_TRANSLATION if slides else DofType.DOF_ROTATION
        dofs.append(DofInfo(link.joint.name, moves, len(joints) - 1, number))
    return joints, dofs


def _add_ball(link: int, joint: core.Joint, joints: list[JointInfo], dofs: list[DofInfo]) -> None:
    """Add a ball joint: one joint, or the three hinges of the file that it is made of."""
    hinges = bool(joint.axes)
    joint.axes = ball_axes(joint)
    if not hinges:
        joints.append(JointInfo(joint.name, JointType.JOINT_BALL, link))
    for component, axis in enumerate(joint.axes):
        if hinges:
            joints.append(JointInfo(axis.name, JointType.JOINT_REVOLUTE, link))
        moves = DofType.DOF_ROTATION
        dofs.append(DofInfo(axis.name, moves, len(joints) - 1, link, component))


def _shapes(
    tree: core.Asset, bodies: list[int], options: AssetOptions
) -> tuple[list[ShapeInfo], list[RigidShapeProperties]]:
    infos: list[ShapeInfo] = []
    surfaces: list[RigidShapeProperties] = []
    for body, number in enumerate(bodies):
        for place, shape in enumerate(tree.links[number].collisions):
            surface = RigidShapeProperties()
            surface.thickness = options.thickness
            surface.filter = shape.group or 0
            if shape.friction is not None:
                surface.friction = shape.friction[0]
            infos.append(ShapeInfo(body, place))
            surfaces.append(surface)
    return infos, surfaces


def _strip(tree: core.Asset, *, fixed: bool) -> None:
    """Leave to the engine only what no property says."""
    tree.fixed_base = True if fixed else None
    tree.static = False
    tree.self_collision = None
    tree.actuators, tree.tendons, tree.joint_efforts = [], [], {}
    for link in tree.links:
        link.contact = core.ContactParameters()
        link.joint = _plain(link.joint)
        for shape in link.collisions:
            shape.group = shape.mask = shape.friction = None


def _plain(joint: core.Joint) -> core.Joint:
    """The geometry of a joint with its limits, and no more."""
    plain = copy(joint)
    plain.effort = plain.velocity = plain.damping = plain.friction = plain.armature = 0.0
    plain.stiffness = plain.spring_reference = 0.0
    plain.axes = tuple(map(_plain, joint.axes))
    low, high = sorted((joint.lower, joint.upper))
    open_ = math.isinf(low) and math.isinf(high)
    if joint.type is Kind.CONTINUOUS or open_:
        plain.lower, plain.upper = 0.0, -1.0
        if joint.type is Kind.REVOLUTE:
            plain.type = Kind.CONTINUOUS
    else:
        plain.lower, plain.upper = max(low, -_FAR), min(high, _FAR)
    return plain
