"""Kinds of objects, joints, degrees of freedom and drives, with the numbers of the original."""

from __future__ import annotations

import enum


class ObjectType(enum.IntEnum):
    """What a prim is to the physics."""

    Invalid = 0
    RigidBody = 1
    Articulation = 2
    ArticulationLink = 3
    ArticulationRootLink = 4
    ArticulationJoint = 5


class JointType(enum.IntEnum):
    """How a joint moves."""

    Fixed = 0
    Revolute = 1
    Prismatic = 2
    Spherical = 3
    Invalid = 255


class DofType(enum.IntEnum):
    """How a degree of freedom moves."""

    Rotation = 0
    Translation = 1
    Invalid = 255


class DofMotion(enum.IntEnum):
    """Whether a degree of freedom has limits."""

    Free = 0
    Limited = 1
    Locked = 2
    Invalid = 255


DofDriveType = enum.IntEnum("DofDriveType", [("None", 0), ("Force", 1), ("Acceleration", 2)])
"""What a drive of a degree of freedom computes."""
