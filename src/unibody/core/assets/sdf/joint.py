"""SDF joints: type, ends, axis, limits and dynamics."""

from __future__ import annotations

import math

from unibody.core.assets.description import Joint, JointType, Vec3
from unibody.core.assets.sdf.link import number_of, numbers, value_of
from unibody.core.assets.urdf.joint import JOINT_TYPES, JointEntry
from unibody.core.assets.urdf.node import Node

# Names of SDF that PyBullet does not know; the two axes of a universal joint are read apart.
_MORE_TYPES = {
    "ball": JointType.SPHERICAL,
    "universal": JointType.REVOLUTE,
    "revolute2": JointType.REVOLUTE,
}
_WITHOUT_AXIS = (JointType.FIXED, JointType.FLOATING, JointType.SPHERICAL)
_NEEDS_LIMIT = (JointType.REVOLUTE, JointType.PRISMATIC)


def read_joint(node: Node, *, strict: bool, axis: str = "axis") -> JointEntry:
    """Reads a ``<joint>``; where it stands is left to the caller.

    Args:
        node: The element.
        strict: With PyBullet's rules: its types only, limits required for revolute and prismatic.
        axis: Tag of the axis that is read: "axis" or "axis2".

    Raises:
        AssetError: Something that PyBullet also refuses, or a value without a meaning.
    """
    name = node.name()
    node = node.at(f"joint {name!r}")
    types = JOINT_TYPES if strict else {**JOINT_TYPES, **_MORE_TYPES}
    text = node.require("type")
    if text not in types:
        raise node.error(f"type={text!r} is unknown, expected one of {', '.join(types)}")
    joint = Joint(name, types[text])
    ends: list[str] = []
    for tag in ("parent", "child"):
        end = value_of(node, tag)
        if end is None:
            raise node.error(f"has no <{tag}>")
        ends.append(end.require("text").strip())
    element = node.child(axis)
    if element is not None and (joint.type not in _WITHOUT_AXIS or text == "spherical"):
        if element.child("xyz") is not None:
            joint.axis, joint.axis_length = _read_axis(element, joint.type)
        _read_limit(element, joint, strict=strict)
        _read_dynamics(element, joint, strict=strict)
    return JointEntry(joint, ends[0], ends[1], node)


def _read_axis(node: Node, kind: JointType) -> tuple[Vec3, float]:
    """The axis as a unit vector, and the length that it was stated with."""
    xyz = value_of(node, "xyz")
    values = [] if xyz is None else numbers(xyz)
    if len(values) < 3:
        raise node.error("its <xyz> does not have 3 numbers")
    length = math.hypot(*values[:3])
    if length < 1e-100:
        if kind in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC):
            raise node.error("its <xyz> has no direction")
        return (1.0, 0.0, 0.0), 1.0
    return (values[0] / length, values[1] / length, values[2] / length), length


def _read_limit(node: Node, joint: Joint, *, strict: bool) -> None:
    limit = node.child("limit")
    if limit is None:
        if strict and joint.type in _NEEDS_LIMIT:
            raise node.error(f"has no <limit>, which a {joint.type.value} joint needs")
        if joint.type is JointType.REVOLUTE:
            joint.type = JointType.CONTINUOUS
        return
    if joint.type is JointType.CONTINUOUS:
        return
    # SDF's own default is no limit, PyBullet's is 0 below and -1 above.
    lower, upper = (joint.lower, joint.upper) if strict else (-math.inf, math.inf)
    joint.lower = number_of(limit, "lower", lower)
    joint.upper = number_of(limit, "upper", upper)
    joint.effort = number_of(limit, "effort", 0.0)
    if not strict:  # SDF writes -1 for "no limit"
        joint.effort = max(0.0, joint.effort)
    joint.velocity = number_of(limit, "velocity", 0.0)
    joint.twist = number_of(limit, "twist", joint.twist)
    if not strict and not math.isfinite(joint.lower) and not math.isfinite(joint.upper):
        joint.lower, joint.upper = 0.0, -1.0
        if joint.type is JointType.REVOLUTE:
            joint.type = JointType.CONTINUOUS


def _read_dynamics(node: Node, joint: Joint, *, strict: bool) -> None:
    dynamics = node.child("dynamics")
    if dynamics is None:
        return
    stated = dynamics.child("damping") is not None or dynamics.child("friction") is not None
    if strict and not stated:
        raise dynamics.error("has neither <damping> nor <friction>")
    joint.damping = number_of(dynamics, "damping", 0.0)
    joint.friction = number_of(dynamics, "friction", 0.0)
    if not strict:
        joint.stiffness = number_of(dynamics, "spring_stiffness", 0.0)
        joint.spring_reference = number_of(dynamics, "spring_reference", 0.0)
