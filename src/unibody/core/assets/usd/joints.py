"""Joints: one of UsdPhysics becomes one joint, or a chain of joints for several free axes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from unibody.core.assets.description import Drive, Joint, JointType, Mimic, Pose, Quat, Vec3
from unibody.core.assets.transforms import pose_inverse, pose_multiply, quat_multiply, quat_rotate
from unibody.core.assets.usd.library import pxr
from unibody.core.assets.usd.units import Units
from unibody.errors import AssetError, NotSupportedError

AXES: dict[str, Vec3] = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_HALF = math.sqrt(0.5)
# Rotation that takes x, about which the joints of an Asset twist, to the axis of a ball joint.
_FROM_X: dict[str, Quat] = {
    "X": (1.0, 0.0, 0.0, 0.0),
    "Y": (_HALF, 0.0, 0.0, _HALF),
    "Z": (_HALF, 0.0, -_HALF, 0.0),
}
_NOISE = 1e-6  # rad or m: a few roundings of numbers of order 1 in single precision
_TURNS = ("rotX", "rotY", "rotZ")
_DOFS = ("transX", "transY", "transZ", *_TURNS)


@dataclass(slots=True)
class Freedom:
    """One axis along or about which a joint moves; ``axis`` is in the joint's frame."""

    joint: Joint
    suffix: str = ""


@dataclass(slots=True)
class UsdJoint:
    """A joint as the stage states it, in metres and radians.

    Attributes:
        name: Of the prim.
        path: Of the prim.
        first: Path of one body, "" for the world.
        second: Path of the other body.
        first_frame: The joint's frame in the first body.
        second_frame: The joint's frame in the second body.
        freedoms: The axes, in the order of the chain from the first to the second; none: fixed.
        in_tree: The stage does not exclude it from the articulation.
        collide: The two bodies collide with each other.
    """

    name: str
    path: str
    first: str
    second: str
    first_frame: Pose
    second_frame: Pose
    freedoms: list[Freedom] = field(default_factory=list[Freedom])
    in_tree: bool = True
    collide: bool = False

    def reversed(self) -> UsdJoint:
        """The same joint, seen from the other body."""
        freedoms: list[Freedom] = []
        for freedom in reversed(self.freedoms):
            x, y, z = freedom.joint.axis
            freedoms.append(Freedom(replace(freedom.joint, axis=(-x, -y, -z)), freedom.suffix))
        return replace(
            self,
            first=self.second,
            second=self.first,
            first_frame=self.second_frame,
            second_frame=self.first_frame,
            freedoms=freedoms,
        )

    @property
    def simple(self) -> bool:
        """One joint of an Asset says it all: the body needs no further link."""
        if len(self.freedoms) != 1:
            return not self.freedoms
        ball = self.freedoms[0].joint.type is JointType.SPHERICAL
        return not ball or self.second_frame == Pose()

    def tree_joint(self) -> Joint:
        """The joint of a link whose frame is the second body's; see ``simple``."""
        origin = pose_multiply(self.first_frame, pose_inverse(self.second_frame))
        if not self.freedoms:
            return Joint(self.name, JointType.FIXED, origin)
        joint = self.freedoms[0].joint
        axis = quat_rotate(self.second_frame.quat, joint.axis)
        return replace(
            joint, name=self.name, origin=origin, axis=axis, anchor=self.second_frame.pos
        )

    def start_of(self, relative: Pose) -> float:
        """Where a joint with one axis is when the second body is at ``relative`` in the first."""
        if len(self.freedoms) != 1:
            return 0.0
        joint = self.freedoms[0].joint
        moved = pose_multiply(
            pose_inverse(self.first_frame), pose_multiply(relative, self.second_frame)
        )
        if joint.type is JointType.PRISMATIC:
            return _settled(sum(a * b for a, b in zip(moved.pos, joint.axis, strict=True)))
        if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS):
            w, *rest = moved.quat
            sine = sum(a * b for a, b in zip(rest, joint.axis, strict=True))
            angle = 2.0 * math.atan2(sine, w)
            return _settled(math.remainder(angle, 2.0 * math.pi))
        return 0.0


def _settled(position: float) -> float:
    """Zero for what the frames of a joint, in single precision, leave over."""
    return 0.0 if abs(position) < _NOISE else position


def read_joint(desc: Any, prim: Any, units: Units) -> UsdJoint:
    """A joint of a stage.

    Raises:
        AssetError: A value is not finite, or both bodies are the same.
        NotSupportedError: It is of a kind that no Asset has.
    """
    where = desc.primPath
    kinds = pxr().UsdPhysics.ObjectType
    joint = UsdJoint(
        str(where.name),
        str(where),
        str(desc.body0),
        str(desc.body1),
        units.pose(desc.localPose0Position, desc.localPose0Orientation, where, "localPose0"),
        units.pose(desc.localPose1Position, desc.localPose1Orientation, where, "localPose1"),
        in_tree=not desc.excludeFromArticulation,
        collide=bool(desc.collisionEnabled),
    )
    if joint.first == joint.second:
        problem = f"joins {joint.first or 'the world'} with itself"
        raise AssetError(units.file, str(where), problem)
    if desc.type in (kinds.RevoluteJoint, kinds.PrismaticJoint):
        joint.freedoms = [_single(desc, prim, units)]
    elif desc.type == kinds.SphericalJoint:
        joint = _ball(joint, desc, prim, units)
    elif desc.type == kinds.D6Joint:
        joint.freedoms = _generic(desc, prim, units)
    elif desc.type != kinds.FixedJoint:
        raise NotSupportedError(
            f"{units.file}: {where}: a joint of type {prim.GetTypeName()!r}",
            "fixed, revolute, prismatic, spherical and generic joints are",
        )
    return joint


@dataclass(frozen=True, slots=True)
class _Dof:
    """One axis of a joint: its letter, whether it turns, and the name of its drive and limit."""

    axis: str
    turns: bool
    name: str


def _single(desc: Any, prim: Any, units: Units) -> Freedom:
    turns = desc.type == pxr().UsdPhysics.ObjectType.RevoluteJoint
    limit = desc.limit if desc.limit.enabled else None
    drive = desc.drive if desc.drive.enabled else None
    dof = _Dof(str(desc.axis)[-1:], turns, "angular" if turns else "linear")
    return Freedom(_axis_joint(prim, units, dof, limit, drive))


def _axis_joint(prim: Any, units: Units, dof: _Dof, limit: Any, drive: Any) -> Joint:
    """A joint with one axis; None stands for a limit or a drive that is not there."""
    where = prim.GetPath()
    turns = dof.turns
    factor = math.radians(1.0) if turns else units.length
    joint = Joint(type=JointType.CONTINUOUS if turns else JointType.PRISMATIC, axis=AXES[dof.axis])
    if limit is not None:
        lower = units.number(limit.lower, where, "lower limit", finite=False) * factor
        upper = units.number(limit.upper, where, "upper limit", finite=False) * factor
        if lower > upper:
            problem = f"lower limit {limit.lower} above upper limit {limit.upper}"
            raise AssetError(units.file, str(where), problem)
        if math.isfinite(lower) or math.isfinite(upper):
            joint.lower, joint.upper = lower, upper
            joint.type = JointType.REVOLUTE if turns else JointType.PRISMATIC
    if drive is not None:
        joint.drives = (_drive(drive, where, units, turns=turns),)
    _read_physx(joint, prim, units, dof)
    _read_passive(joint, prim, units, turns=turns)
    return joint


def _drive(drive: Any, where: object, units: Units, *, turns: bool, axis: str = "") -> Drive:
    """A drive; OpenUSD states the gains of turning ones in degrees."""
    acceleration = bool(drive.acceleration)
    amount = 1.0 if acceleration else units.mass * (units.length**2 if turns else 1.0)
    gain = amount * (math.degrees(1.0) if turns else 1.0)
    angle = math.radians(1.0) if turns else units.length
    force = units.mass * units.length * (units.length if turns else 1.0)
    numbers = {
        name: units.number(getattr(drive, name), where, f"drive {name}")
        for name in ("stiffness", "damping", "targetPosition", "targetVelocity")
    }
    return Drive(
        numbers["stiffness"] * gain,
        numbers["damping"] * gain,
        units.number(drive.forceLimit, where, "maxForce", finite=False) * force,
        numbers["targetPosition"] * angle,
        numbers["targetVelocity"] * angle,
        acceleration,
        axis,
    )


def _ball(joint: UsdJoint, desc: Any, prim: Any, units: Units) -> UsdJoint:
    ball = Joint(type=JointType.SPHERICAL)
    _read_passive(ball, prim, units, turns=True)
    where = desc.primPath
    axis = str(desc.axis)[-1:]
    if desc.limit.enabled:
        cones = [
            math.radians(units.number(value, where, "cone angle", finite=False))
            for value in (desc.limit.lower, desc.limit.upper)
        ]
        if all(0.0 < cone < math.inf for cone in cones):
            ball.lower, ball.upper, ball.twist = *cones, math.pi
    turn = Pose(quat=_FROM_X[axis])
    return replace(
        joint,
        first_frame=_turned(joint.first_frame, turn),
        second_frame=_turned(joint.second_frame, turn),
        freedoms=[Freedom(ball)],
    )


def _turned(frame: Pose, turn: Pose) -> Pose:
    if turn == Pose():
        return frame
    return Pose(frame.pos, quat_multiply(frame.quat, turn.quat))


def _generic(desc: Any, prim: Any, units: Units) -> list[Freedom]:
    """The free axes of a joint that names limits axis by axis: first along, then about x, y, z."""
    limits = _by_dof(desc.jointLimits)
    drives = _by_dof(desc.jointDrives)
    if "distance" in limits:
        raise NotSupportedError(
            f"{units.file}: {prim.GetPath()}: a limit on the distance",
            "limits along and about single axes are",
        )
    free: list[str] = []
    for dof in _DOFS:
        limit = limits.get(dof)
        if limit is None or not limit.lower > limit.upper:  # lower above upper: locked
            free.append(dof)
    turns = tuple(dof for dof in free if dof in _TURNS)
    if turns == _TURNS and not any(dof in limits for dof in turns) and len(free) == len(turns):
        ball = Joint(type=JointType.SPHERICAL)
        _read_passive(ball, prim, units, turns=True)
        ball.drives = tuple(
            _drive(drives[dof], prim.GetPath(), units, turns=True, axis=dof[-1].lower())
            for dof in turns
            if dof in drives
        )
        return [Freedom(ball)]
    found: list[Freedom] = []
    for name in free:
        dof = _Dof(name[-1], name in _TURNS, name)
        joint = _axis_joint(prim, units, dof, limits.get(name), drives.get(name))
        found.append(Freedom(joint, name))
    return found


def _by_dof(pairs: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for pair in pairs:
        if pair.second.enabled:
            name = str(pair.first).rsplit(".", maxsplit=1)[-1]
            found[name[0].lower() + name[1:]] = pair.second
    return found


def _read_physx(joint: Joint, prim: Any, units: Units, dof: _Dof) -> None:
    """What PhysX adds to a joint: armature, friction, largest speed, mimicry."""
    turns = dof.turns
    speed = math.radians(1.0) if turns else units.length
    inertia = units.mass * (units.length**2 if turns else 1.0)
    force = units.mass * units.length * (units.length if turns else 1.0)
    joint.armature = max(_plain(prim, "physxJoint:armature", units) or 0.0, 0.0) * inertia
    joint.friction = max(_plain(prim, "physxJoint:jointFriction", units) or 0.0, 0.0) * force
    largest = _plain(prim, "physxJoint:maxJointVelocity", units)
    if largest is not None and 0.0 < largest < 1e6:  # PhysX's default stands for no limit
        joint.velocity = largest * speed
    if joint.drives and math.isfinite(joint.drives[0].max_force):
        joint.effort = joint.drives[0].max_force
    axis = {"angular": "rotX", "linear": "transX"}.get(dof.name, dof.name)
    for name in (axis, "rotX", "rotY", "rotZ") if turns else (axis,):
        relation = prim.GetRelationship(f"physxMimicJoint:{name}:referenceJoint")
        targets: list[Any] = relation.GetTargets() if relation else []
        if targets:
            gearing = _plain(prim, f"physxMimicJoint:{name}:gearing", units)
            offset = _plain(prim, f"physxMimicJoint:{name}:offset", units) or 0.0
            # PhysX: q + gearing * q_of(joint) + offset = 0
            ratio = -(1.0 if gearing is None else gearing)
            joint.mimic = Mimic(str(targets[0].name), ratio, -offset * speed)
            return


def _read_passive(joint: Joint, prim: Any, units: Units, *, turns: bool) -> None:
    """Damping of Newton's schema and the spring of MuJoCo's, whose stiffness is per radian."""
    unit = math.radians(1.0) if turns else units.length
    force = units.mass * units.length * (units.length if turns else 1.0)
    joint.damping = max(_plain(prim, "newton:damping", units) or 0.0, 0.0) * force / unit
    stiffness = max(_plain(prim, "mjc:stiffness", units) or 0.0, 0.0)
    joint.stiffness = stiffness * force / (1.0 if turns else unit)
    joint.spring_reference = (_plain(prim, "mjc:springref", units) or 0.0) * unit


def _plain(prim: Any, name: str, units: Units) -> float | None:
    attribute = prim.GetAttribute(name)
    value = attribute.Get() if attribute else None
    if not isinstance(value, int | float):
        return None
    return units.number(value, prim.GetPath(), name, finite=False)
