"""Joints of files that follow others."""

from __future__ import annotations

from typing import Any

from unibody.core.assets.description import Joint, JointType
from unibody.errors import InvalidArgumentError
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.exceptions import warn


def follow(
    builder: Any, joint: int, leader: int, coefficients: tuple[float, float], **constraint: Any
) -> None:
    """Let a joint follow another one: by a mimic constraint, in later releases of 1.x as a joint.

    Args:
        builder: The builder.
        joint: What follows.
        leader: What it follows.
        coefficients: Offset and factor.
        **constraint: Whether it is enabled, and its key; what is not follows nothing as a joint.
    """
    if not is_after_first_of_1():
        offset, factor = coefficients
        builder.add_constraint_mimic(joint, leader, coef0=offset, coef1=factor, **constraint)
    elif constraint.get("enabled", True):
        builder.set_joint_mimic(joint, leader, coeffs=coefficients)


def add_mimics(
    builder: Any, joints: list[Joint], found: dict[str, int], scale: float, prefix: str
) -> None:
    """Let joints follow others: by mimic constraints, in later releases of 1.x as joints.

    Args:
        builder: The builder.
        joints: All joints of a robot.
        found: Name of a joint -> joint of the builder.
        scale: Factor on lengths.
        prefix: In front of the names of constraints.

    Raises:
        ValueError: Joints follow one another in a circle, or lengths have no scale.
    """
    by_name = {joint.name: joint for joint in joints}
    for joint in joints:
        mimic = joint.mimic
        if mimic is None:
            continue
        if joint.name not in found:
            warn(f"Mimic joint {joint.name!r} was not created, skipping mimic constraint")
            continue
        if mimic.joint not in found:
            raise InvalidArgumentError(f"mimic of {joint.name}", mimic.joint, f"one of {[*found]}")
        key = f"{prefix}mimic_{joint.name}"
        if not is_after_first_of_1():
            direct = (mimic.offset, mimic.multiplier)
            follow(builder, found[joint.name], found[mimic.joint], direct, key=key)
            continue
        leader, offset, factor = _chain(joint, by_name)
        own, other = (scale if j.type == JointType.PRISMATIC else 1.0 for j in (joint, leader))
        if other == 0.0:
            raise ValueError(f"scale={scale}: the scale must be nonzero, as {joint.name!r} follows")
        coefficients = (offset * own, factor * own / other)
        follow(builder, found[joint.name], found[leader.name], coefficients)


def _chain(joint: Joint, by_name: dict[str, Joint]) -> tuple[Joint, float, float]:
    """What a joint follows in the end, and the offset and factor of all links of the chain."""
    offset, factor, seen = 0.0, 1.0, [joint.name]
    while joint.mimic is not None and joint.mimic.joint in by_name:
        offset += factor * joint.mimic.offset
        factor *= joint.mimic.multiplier
        joint = by_name[joint.mimic.joint]
        seen.append(joint.name)
        if joint.name in seen[:-1]:
            raise ValueError(f"Cyclic mimic joints: {' follows '.join(seen)}")
    return joint, offset, factor
