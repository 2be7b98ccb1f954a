"""Links, bodies and articulations, and what shapes add to a body's mass."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import warp as wp

from unibody.newton import convert, handles
from unibody.newton import inertia as mass_properties
from unibody.newton.builder import custom
from unibody.newton.builder.tables import Tables
from unibody.newton.dialect import with_later_names
from unibody.newton.enums import AttributeFrequency, BodyFlags
from unibody.newton.inertia import MassProperties


@with_later_names
def add_link(
    self: Tables,
    xform: Any = None,
    armature: float | None = None,
    com: Any = None,
    inertia: Any = None,
    mass: float = 0.0,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
    lock_inertia: bool = False,
    is_kinematic: bool = False,
) -> int:
    """Add a body without a joint.

    Args:
        self: The builder.
        xform: Pose in the world.
        armature: Added to each moment of inertia; None: `default_body_armature`.
        com: Centre of mass in the body's frame [m].
        inertia: 3x3, about the centre of mass.
        mass: kg; what no body can have is corrected by `finalize`, with a warning.
        key: Name.
        custom_attributes: Key -> value, of frequency BODY.
        lock_inertia: Whether shapes add nothing to its mass.
        is_kinematic: Whether it moves as scripts write its state, and nothing pushes it.

    Returns:
        The index of the body.
    """
    body = self.body_count
    pose = convert.transform("xform", xform)
    centre = wp.vec3() if com is None else convert.vec3("com", com)
    added = self.default_body_armature if armature is None else armature
    tensor = convert.mat33("inertia", inertia)
    if added:
        tensor = tensor + wp.mat33(added, 0.0, 0.0, 0.0, added, 0.0, 0.0, 0.0, added)
    lightness = 1.0 / mass if mass > 0.0 else 0.0
    inverse = mass_properties.inverse(tensor) if any(tensor) else tensor
    flags = int(BodyFlags.KINEMATIC if is_kinematic else BodyFlags.DYNAMIC)
    held, name = bool(lock_inertia), key or f"body_{body}"
    self.body_q.append(pose)
    self.body_qd.append(wp.spatial_vector())
    self.body_mass.append(mass)
    self.body_inertia.append(tensor)
    self.body_com.append(centre)
    self.body_lock_inertia.append(held)
    self.body_flags.append(flags)
    self.body_inv_mass.append(lightness)
    self.body_inv_inertia.append(inverse)
    self.body_key.append(name)
    self.body_shapes[body] = []
    self.body_world.append(self.current_world)
    custom.set_values(self, body, custom_attributes, AttributeFrequency.BODY)
    return body


@with_later_names
def add_articulation(
    self: Tables,
    joints: list[int],
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> None:
    """Make an articulation of joints.

    Args:
        self: The builder.
        joints: Their indices: each one more than the one before, of the current world.
        key: Name.
        custom_attributes: Key -> value, of frequency ARTICULATION.

    Raises:
        ValueError: The joints do not make a tree of their own.
    """
    _check_order(self, joints)
    number = self.articulation_count
    for joint in joints:
        owner = self.joint_articulation[joint]
        if owner >= 0:
            raise ValueError(
                f"{self.label_of('joint', joint)} already belongs to"
                f" {self.label_of('articulation', owner)}: a joint can be in one only"
            )
        if self.joint_world[joint] != self.current_world:
            raise ValueError(
                f"{self.label_of('joint', joint)} belongs to world {self.joint_world[joint]},"
                f" not to the current world {self.current_world}: all joints of an articulation"
                " are of one world"
            )
    _check_tree(self, joints)
    _check_kinematic(self, joints)
    name = key or f"articulation_{number}"
    self.articulation_start.append(joints[0])
    self.articulation_key.append(name)
    self.articulation_world.append(self.current_world)
    for joint in joints:
        self.joint_articulation[joint] = number
    custom.set_values(self, number, custom_attributes, AttributeFrequency.ARTICULATION)


def _check_order(self: Tables, joints: list[int]) -> None:
    if not joints:
        raise ValueError("Cannot create an articulation with no joints: joints=[]")
    for joint in joints:
        handles.check("joints", joint, self.joint_count, "joints")
    for before, after in pairwise(joints):
        if after <= before:
            raise ValueError(
                f"joints={joints} is not in monotonically increasing order: {after} after {before}"
            )
        if after != before + 1:
            raise ValueError(
                f"joints={joints} must be contiguous: there is a gap between {before} and {after}."
                " Create all joints of an articulation before those of the next"
            )


def _check_tree(self: Tables, joints: list[int]) -> None:
    parents: dict[int, int] = {}
    for joint in joints:
        child, parent = self.joint_child[joint], self.joint_parent[joint]
        before = parents.setdefault(child, parent)
        if before != parent:
            raise ValueError(
                f"{self.label_of('body', child)} has multiple parents in this articulation,"
                f" {before} and {parent}: a joint that closes a loop is left out of it"
            )


def _check_kinematic(self: Tables, joints: list[int]) -> None:
    for joint in joints:
        parent, child = self.joint_parent[joint], self.joint_child[joint]
        if parent >= 0 and self.body_flags[child] & BodyFlags.KINEMATIC:
            raise ValueError(
                f"{self.label_of('body', child)} is kinematic, and {self.label_of('joint', joint)}"
                f" holds it to {self.label_of('body', parent)}: Only root bodies, whose parent is"
                " the world (-1), can be kinematic"
            )


def add_mass(self: Tables, body: int, part: MassProperties, xform: wp.transform) -> None:
    """Add the mass of a shape to its body.

    Args:
        self: The builder.
        body: The body.
        part: Mass properties in the shape's frame.
        xform: Pose of the shape in the body's frame.
    """
    before = body_properties(self, body)
    if before.mass + part.mass == 0.0:
        return
    turn = convert.rotation(xform[3:])
    at = np.array(xform[:3], dtype=float) + turn @ part.com
    set_properties(self, body, joined(before, part, turn, at))


def joined(
    first: MassProperties,
    part: MassProperties,
    turn: np.ndarray,
    at: np.ndarray,
) -> MassProperties:
    """The mass properties of two parts that are one body.

    Args:
        first: In the body's frame.
        part: In axes of its own.
        turn: Rotation of these, shape (3, 3).
        at: Centre of mass of the part in the body's frame.
    """
    mass = first.mass + part.mass
    com = (first.com * first.mass + at * part.mass) / mass
    own = mass_properties.about(first, np.eye(3), first.com, com)
    return MassProperties(mass, com, own + mass_properties.about(part, turn, at, com))


def body_properties(self: Tables, body: int) -> MassProperties:
    """Mass, centre of mass and inertia of a body as arrays."""
    name = f"body_inertia of {self.label_of('body', body)}"
    tensor = np.array(convert.mat33(name, self.body_inertia[body]), dtype=float).reshape(3, 3)
    com = convert.vec3(f"body_com of {self.label_of('body', body)}", self.body_com[body])
    return MassProperties(self.body_mass[body], np.array(com, dtype=float), tensor)


def set_properties(self: Tables, body: int, found: MassProperties) -> None:
    """Write mass, centre of mass and inertia of a body, and what follows from them."""
    tensor = wp.mat33(*found.inertia.reshape(-1).tolist())
    self.body_mass[body] = float(found.mass)
    self.body_com[body] = wp.vec3(*found.com.tolist())
    self.body_inertia[body] = tensor
    self.body_inv_mass[body] = 1.0 / float(found.mass) if found.mass > 0.0 else 0.0
    self.body_inv_inertia[body] = mass_properties.inverse(tensor)
