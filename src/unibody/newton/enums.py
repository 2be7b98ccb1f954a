"""Enumerations of the API, with the numbers of the original."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import warp as wp

MAXVAL = 1e10
"""What stands for a limit that does not exist."""

_INTEGERS = (int, np.integer, wp.int32, wp.int64)


class Axis(enum.IntEnum):
    """A coordinate axis; equal to its number and to its letter."""

    X = 0
    Y = 1
    Z = 2

    @classmethod
    def from_string(cls, axis_str: str) -> Axis:
        """The axis of a letter.

        Raises:
            ValueError: It is not x, y or z, in either case.
        """
        try:
            return cls[axis_str.upper()]
        except KeyError:
            raise ValueError(f"Invalid axis string: {axis_str!r}; expected x, y or z") from None

    @classmethod
    def from_any(cls, value: Any) -> Axis:
        """The axis of an axis, a letter or a number.

        Raises:
            TypeError: The value is none of them.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            return cls.from_string(value)
        if isinstance(value, _INTEGERS) and not isinstance(value, bool):
            return cls(int(value))
        raise TypeError(f"axis={value!r} is not an axis: expected Axis, 'x', 'y', 'z', 0, 1 or 2")

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, str):
            return self.name == other.upper()
        if isinstance(other, _INTEGERS):
            return int(self) == int(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Axis.{self.name}"

    def to_vector(self) -> tuple[float, float, float]:
        """The unit vector along the axis."""
        return (float(self is Axis.X), float(self is Axis.Y), float(self is Axis.Z))

    def to_vec3(self) -> wp.vec3:
        """The unit vector along the axis, as Warp's type."""
        return wp.vec3(*self.to_vector())

    def quat_between_axes(self, other: Axis) -> wp.quat:
        """The shortest rotation that turns this axis to another, as (x, y, z, w)."""
        return wp.quat_between_vectors(self.to_vec3(), other.to_vec3())


class JointType(enum.IntEnum):
    """Kinds of joints."""

    PRISMATIC = 0
    REVOLUTE = 1
    BALL = 2
    FIXED = 3
    FREE = 4
    DISTANCE = 5
    D6 = 6
    CABLE = 7
    ROD = 8

    def dof_count(self, num_axes: int) -> tuple[int, int]:
        """How many velocities and positions a joint has.

        Args:
            num_axes: Its axes, which decide where the kind does not.
        """
        return _COUNTS.get(self, (num_axes, num_axes, 0))[:2]

    def constraint_count(self, num_axes: int) -> int:
        """How many of the six directions a joint takes away."""
        return _COUNTS[self][2] if self in _COUNTS else 6 - num_axes


# velocities, positions, directions taken away
_COUNTS = {
    JointType.BALL: (3, 4, 3),
    JointType.FREE: (6, 7, 0),
    JointType.DISTANCE: (6, 7, 0),
    JointType.ROD: (6, 7, 0),
    JointType.FIXED: (0, 0, 6),
}


class ActuatorMode(enum.IntEnum):
    """What drives a degree of freedom."""

    NONE = 0
    POSITION = 1
    VELOCITY = 2
    POSITION_VELOCITY = 3
    EFFORT = 4

    @staticmethod
    def from_gains(
        target_ke: float,
        target_kd: float,
        force_position_velocity: bool = False,
        has_drive: bool = False,
    ) -> ActuatorMode:
        """The mode that gains mean.

        Args:
            target_ke: Stiffness.
            target_kd: Damping.
            force_position_velocity: Whether both gains together mean both targets.
            has_drive: Whether there is a drive at all.
        """
        if not has_drive:
            return ActuatorMode.NONE
        if target_ke != 0.0:
            both = force_position_velocity and target_kd != 0.0
            return ActuatorMode.POSITION_VELOCITY if both else ActuatorMode.POSITION
        return ActuatorMode.VELOCITY if target_kd != 0.0 else ActuatorMode.EFFORT


class GeoType(enum.IntEnum):
    """Kinds of shapes."""

    PLANE = 0
    HFIELD = 1
    SPHERE = 2
    CAPSULE = 3
    ELLIPSOID = 4
    CYLINDER = 5
    BOX = 6
    MESH = 7
    SDF = 8
    CONE = 9
    CONVEX_MESH = 10
    NONE = 11


class EqType(enum.IntEnum):
    """Kinds of equality constraints."""

    CONNECT = 0
    WELD = 1
    JOINT = 2
    TENDON = 3


class BodyFlags(enum.IntEnum):
    """Bits of a body: it moves by forces, or as scripts write its state."""

    DYNAMIC = 1
    KINEMATIC = 2
    ALL = 3


class ParticleFlags(enum.IntEnum):
    """Bits of a particle."""

    ACTIVE = 1


class ShapeFlags(enum.IntEnum):
    """Bits of a shape."""

    VISIBLE = 1
    COLLIDE_SHAPES = 2
    COLLIDE_PARTICLES = 4
    SITE = 8
    HYDROELASTIC = 16


class ColoringAlgorithm(enum.Enum):
    """How vertices of a graph get colours."""

    MCS = 0
    GREEDY = 1


class AttributeAssignment(enum.IntEnum):
    """The object that a custom attribute becomes part of."""

    MODEL = 0
    STATE = 1
    CONTROL = 2
    CONTACT = 3


class AttributeFrequency(enum.IntEnum):
    """The entities that an attribute has one value for."""

    ONCE = 0
    JOINT = 1
    JOINT_DOF = 2
    JOINT_COORD = 3
    JOINT_CONSTRAINT = 4
    BODY = 5
    SHAPE = 6
    ARTICULATION = 7
    EQUALITY_CONSTRAINT = 8
    PARTICLE = 9
    EDGE = 10
    TRIANGLE = 11
    TETRAHEDRON = 12
    SPRING = 13
    CONSTRAINT_MIMIC = 14
    WORLD = 15
    ATTACHMENT_PARTICLE_BODY = 16
    TENDON = 20
    TENDON_GUIDE = 21
    TENDON_SEGMENT = 22
    CURVE = 23
    SURFACE = 24
    VOLUME = 25


class ActuatorControl(enum.IntEnum):
    """What drives one of MuJoCo's actuators: ``SolverMuJoCo.CtrlSource``."""

    JOINT_TARGET = 0
    CTRL_DIRECT = 1


class ActuatorKind(enum.IntEnum):
    """What one of MuJoCo's actuators follows: ``SolverMuJoCo.CtrlType``."""

    POSITION = 0
    VELOCITY = 1
    GENERAL = 2
    DCMOTOR = 3


class ActuatorTarget(enum.IntEnum):
    """What one of MuJoCo's actuators acts on: ``SolverMuJoCo.TrnType``."""

    UNDEFINED = -1
    JOINT = 0
    JOINT_IN_PARENT = 1
    TENDON = 2
    SITE = 3
    BODY = 4
    SLIDERCRANK = 5
