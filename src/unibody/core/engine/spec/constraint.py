"""Constraints between two links, or a link and the world, on MuJoCo's equality constraints."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mujoco

from unibody.core.assets.description import Pose, Vec3
from unibody.core.assets.transforms import quat_conjugate, quat_multiply
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.spec.writer import body_name
from unibody.errors import InvalidArgumentError

_EQ = mujoco.mjtEq
_ZEROS = (0.0,) * mujoco.mjNEQDATA
_UNTURNED = (1.0, 0.0, 0.0, 0.0)
_HERE = Pose()


class ConstraintKind(enum.Enum):
    """What a constraint holds together."""

    POINT = "point"  # two points coincide
    FIXED = "fixed"  # two frames coincide
    SLIDER = "slider"  # two frames coincide but for a translation along an axis of the parent
    GEAR = "gear"  # joint_a = ratio * joint_b (+ offset)
    TENDON = "tendon"  # a weighted sum of joints of one body is the offset


@dataclass(slots=True)
class Spring:
    """A constraint that gives way: each row pulls its residual towards zero, implicitly.

    Attributes:
        stiffness: [N/m, Nm/rad]
        damping: [Ns/m, Nms/rad]
        bound_stiffness: A further stiffness, where the residual is outside of the bounds.
        lower, upper: The bounds of the residual.
        free: Bit k: row k (three of translation in the world's axes, three of rotation) is free.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    bound_stiffness: float = 0.0
    lower: float = 0.0
    upper: float = 0.0
    free: int = 0

    def numbers(self) -> tuple[float, ...]:
        """As ``records.rule_table`` has them, from E_SPRING on."""
        return (
            1.0,
            self.stiffness,
            self.damping,
            self.bound_stiffness,
            self.lower,
            self.upper,
            float(self.free),
        )


@dataclass
class ConstraintRecord:
    """One constraint of a scene. Frames are in the frames of the links.

    The last fields are the class's until they are set: most constraints come and go without.
    """

    id: int
    kind: ConstraintKind
    parent: tuple[int, int]  # body id, link index
    child: tuple[int, int] | None  # None: the world
    parent_frame: Pose = _HERE
    child_frame: Pose = _HERE
    ratio: float = 1.0
    offset: float = 0.0  # rad or m, gears and tendons
    terms: tuple[tuple[int, float], ...] = ()  # tendons: links of joints, and their weights
    spring: Spring | None = None  # instead of ``erp``
    max_force: float = field(default=0.0, init=False)  # N, of each row; 0: no limit
    erp: float = field(default=0.2, init=False)  # share of an error removed in one step
    axis: Vec3 = field(default=(0.0, 0.0, 0.0), init=False)  # in the parent link, sliders
    aux: tuple[int, int] | None = field(  # gears: the joint that the parent's turns relative to
        default=None, init=False
    )
    spec: Any = field(default=None, init=False)
    tendon: Any = field(default=None, init=False)  # the MjsTendon of a tendon
    index: int = field(default=-1, init=False)  # equality id in the compiled model

    @property
    def body_ids(self) -> tuple[int, ...]:
        """Ids of the bodies it holds."""
        child = self.child
        return (self.parent[0],) if child is None else (self.parent[0], child[0])

    @property
    def is_idle(self) -> bool:
        """Whether it holds a link, or a joint, to itself: its equality is never active."""
        return self.parent == self.child


_TYPES = {
    ConstraintKind.POINT: _EQ.mjEQ_CONNECT,
    ConstraintKind.FIXED: _EQ.mjEQ_WELD,
    ConstraintKind.SLIDER: _EQ.mjEQ_WELD,
    ConstraintKind.GEAR: _EQ.mjEQ_JOINT,
    ConstraintKind.TENDON: _EQ.mjEQ_TENDON,
}
_OBJECTS = {
    ConstraintKind.GEAR: mujoco.mjtObj.mjOBJ_JOINT,
    ConstraintKind.TENDON: mujoco.mjtObj.mjOBJ_TENDON,
}


def equality_type(kind: ConstraintKind) -> Any:
    """MuJoCo's type of equality for a kind of constraint."""
    return _TYPES[kind]


def element_names(record: ConstraintRecord, bodies: Mapping[int, BodyRecord]) -> tuple[str, ...]:
    """Names in the spec of what a constraint holds together.

    Raises:
        InvalidArgumentError: A joint of it does not have one degree of freedom.
    """
    if record.kind is ConstraintKind.TENDON:
        return tuple(_joint_name(bodies, (record.parent[0], link)) for link, _ in record.terms)
    name_of = _joint_name if record.kind is ConstraintKind.GEAR else _body_name
    other = name_of(bodies, record.child) if record.child else "world"
    return name_of(bodies, record.parent), other


def _body_name(bodies: Mapping[int, BodyRecord], end: tuple[int, int]) -> str:
    return body_name(bodies[end[0]], end[1])


def _joint_name(bodies: Mapping[int, BodyRecord], end: tuple[int, int]) -> str:
    joint = bodies[end[0]].joints[end[1]]
    if len(joint.spec_joints) != 1 or joint.nv != 1:
        raise InvalidArgumentError("joint", end, "a joint with one degree of freedom")
    return joint.spec_joints[0].name


def write_constraint(spec: Any, record: ConstraintRecord, names: Sequence[str]) -> None:
    """Add the equality to the spec. ``names`` are those of bodies, or of joints.

    A tendon comes after those of the drives, which are numbered by their place.
    """
    ends = list(names)
    if record.kind is ConstraintKind.TENDON:
        record.tendon = spec.add_tendon(name=f"tendon{record.id}")
        for name, (_, weight) in zip(names, record.terms, strict=True):
            record.tendon.wrap_joint(name, weight)
        ends = [record.tendon.name, ""]
    elif record.is_idle:  # MuJoCo refuses to name one twice
        ends[1] = "" if record.kind is ConstraintKind.GEAR else "world"
    record.spec = spec.add_equality(
        type=_TYPES[record.kind],
        objtype=_OBJECTS.get(record.kind, mujoco.mjtObj.mjOBJ_BODY),
        name1=ends[0],
        name2=ends[1],
        active=not record.is_idle,
    )


def constraint_data(record: ConstraintRecord) -> tuple[float, ...]:
    """The frames (or the ratio) of a constraint as MuJoCo's ``eq_data``, (mjNEQDATA,).

    A weld has the anchor in body 2, and the pose of body 2 in body 1 up to that anchor: it holds
    ``R1 relpos + p1 == p2 + R2 anchor`` and ``q1 relquat == q2``. The residual of rotation is half
    an angle; a spring's is a whole one.
    """
    if record.kind is ConstraintKind.GEAR:
        return (record.offset, record.ratio, *_ZEROS[2:])
    if record.kind is ConstraintKind.TENDON:
        return (record.offset, *_ZEROS[1:])
    parent, child = record.parent_frame, record.child_frame
    if record.kind is ConstraintKind.POINT:
        return (*parent.pos, *child.pos, *_ZEROS[6:])
    relative = parent.quat
    if child.quat != _UNTURNED:
        relative = quat_multiply(relative, quat_conjugate(child.quat))
    turn = 1.0 if record.spring is None else 2.0
    return (*child.pos, *parent.pos, *relative, turn, *_ZEROS[11:])
