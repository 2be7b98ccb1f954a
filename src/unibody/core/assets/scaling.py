"""Assets of another size."""

from __future__ import annotations

import copy
import math
from dataclasses import replace

from unibody.core.assets.description import (
    Asset,
    HeightfieldData,
    Inertial,
    Joint,
    JointType,
    MeshSource,
    Pose,
    Shape,
    Vec3,
)
from unibody.errors import InvalidArgumentError


def scaled_tree(tree: Asset, factor: float) -> Asset:
    """Make a tree ``factor`` times as large, of the same density.

    Lengths are multiplied by the factor, masses by its third power and inertias by its fifth.

    Args:
        tree: Not changed.
        factor: A positive number.

    Raises:
        InvalidArgumentError: The factor is not positive and finite.
    """
    if not (math.isfinite(factor) and factor > 0.0):
        raise InvalidArgumentError("scale", factor, "a positive number")
    out = copy.deepcopy(tree)
    out.pose = _pose(out.pose, factor)
    for link in out.links:
        link.joint = _joint(link.joint, factor)
        link.inertial = _inertial(link.inertial, factor)
        link.visuals = [_shape(shape, factor) for shape in link.visuals]
        link.collisions = [_shape(shape, factor) for shape in link.collisions]
    return out


def _vector(vector: Vec3, factor: float) -> Vec3:
    x, y, z = vector
    return (x * factor, y * factor, z * factor)


def _pose(pose: Pose, factor: float) -> Pose:
    return Pose(_vector(pose.pos, factor), pose.quat)


def _joint(joint: Joint, factor: float) -> Joint:
    scaled = replace(
        joint, origin=_pose(joint.origin, factor), anchor=_vector(joint.anchor, factor)
    )
    if joint.type is JointType.PRISMATIC and joint.lower <= joint.upper:
        scaled.lower, scaled.upper = joint.lower * factor, joint.upper * factor
    return scaled


def _inertial(inertial: Inertial, factor: float) -> Inertial:
    xx, yy, zz, xy, xz, yz = (moment * factor**5 for moment in inertial.inertia)
    return replace(
        inertial,
        mass=inertial.mass * factor**3,
        pose=_pose(inertial.pose, factor),
        inertia=(xx, yy, zz, xy, xz, yz),
    )


def _shape(shape: Shape, factor: float) -> Shape:
    scaled = replace(
        shape,
        size=tuple(length * factor for length in shape.size),
        pose=_pose(shape.pose, factor),
    )
    if shape.mesh is not None:
        scaled.mesh = _mesh(shape.mesh, factor)
    if shape.heightfield is not None:
        scaled.heightfield = _heightfield(shape.heightfield, factor)
    return scaled


def _mesh(mesh: MeshSource, factor: float) -> MeshSource:
    return replace(mesh, scale=_vector(mesh.scale, factor))


def _heightfield(field: HeightfieldData, factor: float) -> HeightfieldData:
    along_x, along_y = field.spacing
    heights = tuple(height * factor for height in field.heights)
    return replace(field, heights=heights, spacing=(along_x * factor, along_y * factor))
