"""URDF joint elements."""

from __future__ import annotations

import math
from dataclasses import dataclass

from unibody.core.assets.description import Joint, JointType, Mimic, Vec3
from unibody.core.assets.urdf.node import Node

JOINT_TYPES = {
    kind.value: kind
    for kind in (
        JointType.REVOLUTE,
        JointType.CONTINUOUS,
        JointType.PRISMATIC,
        JointType.FIXED,
        JointType.FLOATING,
        JointType.PLANAR,
        JointType.SPHERICAL,
    )
}
_WITHOUT_AXIS = (JointType.FIXED, JointType.FLOATING)
_NEEDS_DIRECTION = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
_SHORTEST_AXIS = 1e-100  # shorter ones lose their direction to rounding
_OPEN = (-math.inf, math.inf, math.inf, math.inf)  # limits, effort and velocity not stated
_NEEDS_LIMIT = (JointType.REVOLUTE, JointType.PRISMATIC)


@dataclass(frozen=True, slots=True)
class JointEntry:
    """A joint and the names of the links it connects."""

    joint: Joint
    parent: str
    child: str
    node: Node


def read_joint(node: Node) -> JointEntry:
    """Reads a ``<joint>``.

    Raises:
        AssetError: Something that PyBullet also refuses, or a value without a meaning.
    """
    name = node.name()
    node = node.at(f"joint {name!r}")
    joint = Joint(name=name, type=_read_type(node), origin=node.pose())
    if joint.type not in _WITHOUT_AXIS:
        joint.axis, joint.axis_length = _read_axis(node, joint.type)
    _read_limit(node, joint)
    _read_dynamics(node, joint)
    joint.mimic = _read_mimic(node)
    joint.collapsible = node.get("dont_collapse") != "true"
    return JointEntry(joint, _read_end(node, "parent"), _read_end(node, "child"), node)


def _read_type(node: Node) -> JointType:
    text = node.require("type")
    if text not in JOINT_TYPES:
        raise node.error(f"type={text!r} is unknown, expected one of {', '.join(JOINT_TYPES)}")
    return JOINT_TYPES[text]


def _read_end(node: Node, tag: str) -> str:
    element = node.child(tag)
    if element is None:
        raise node.error(f"has no <{tag}>")
    link = element.require("link")
    if not link:
        raise element.error("link='' names no link")
    return link


def _read_axis(node: Node, kind: JointType) -> tuple[Vec3, float]:
    """The axis as a unit vector, and the length that it was stated with."""
    element = node.child("axis")
    if element is None or element.get("xyz") is None:
        return (1.0, 0.0, 0.0), 1.0
    values = element.numbers("xyz")
    text = element.get("xyz")
    if len(values) < 3:
        raise element.error(f"xyz={text!r} does not have 3 numbers")
    length = math.hypot(*values[:3])
    if length < _SHORTEST_AXIS:
        if kind in _NEEDS_DIRECTION:
            raise element.error(f"xyz={text!r} has no direction, which a {kind.value} joint needs")
        return (1.0, 0.0, 0.0), 1.0
    return (values[0] / length, values[1] / length, values[2] / length), length


def _read_limit(node: Node, joint: Joint) -> None:
    element = node.child("limit")
    if not node.context.pybullet_defaults:
        joint.lower, joint.upper, joint.effort, joint.velocity = _OPEN
        if element is None:
            return
    if element is None:
        if joint.type in _NEEDS_LIMIT:
            raise node.error(f"has no <limit>, which a {joint.type.value} joint needs")
        return
    joint.lower = element.number("lower", joint.lower, finite=False)
    joint.upper = element.number("upper", joint.upper, finite=False)
    joint.effort = element.number("effort", joint.effort, finite=False)
    joint.velocity = element.number("velocity", joint.velocity, finite=False)
    joint.twist = element.number("twist", joint.twist, finite=False)
    if joint.type is JointType.PRISMATIC:
        joint.lower *= node.context.scale
        joint.upper *= node.context.scale


def _read_dynamics(node: Node, joint: Joint) -> None:
    element = node.child("dynamics")
    if element is None:
        return
    stated = element.get("damping") is not None or element.get("friction") is not None
    if node.context.pybullet_defaults and not stated:
        raise element.error("has neither damping nor friction")
    joint.damping = element.number("damping", 0.0)
    joint.friction = element.number("friction", 0.0)


def _read_mimic(node: Node) -> Mimic | None:
    element = node.child("mimic")
    if element is None:
        return None
    joint = element.get("joint")
    if not joint:  # PyBullet does not look at the element at all, so the file has to load
        element.warn("names no joint to follow, left out")
        return None
    return Mimic(joint, element.number("multiplier", 1.0), element.number("offset", 0.0))
