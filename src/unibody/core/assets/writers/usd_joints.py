"""Joints of a stage: limits, drives, loops, mimics."""

from __future__ import annotations

import math
from typing import Any

from unibody.core.assets.description import (
    Asset,
    Drive,
    Joint,
    JointType,
    Link,
    Pose,
    Quat,
    Vec3,
)
from unibody.core.assets.transforms import IDENTITY, pose_multiply, quat_between
from unibody.core.assets.usd.library import pxr
from unibody.core.assets.writers.losses import Losses
from unibody.core.assets.writers.trees import bounded, joint_names, limited
from unibody.core.assets.writers.usd_names import Names, apply_schema, set_number

_X: Vec3 = (1.0, 0.0, 0.0)
_AXES: dict[Vec3, tuple[str, Quat]] = {
    (1.0, 0.0, 0.0): ("X", IDENTITY),
    (0.0, 1.0, 0.0): ("Y", IDENTITY),
    (0.0, 0.0, 1.0): ("Z", IDENTITY),
    (-1.0, 0.0, 0.0): ("X", (0.0, 0.0, 1.0, 0.0)),
    (0.0, -1.0, 0.0): ("Y", (0.0, 0.0, 0.0, 1.0)),
    (0.0, 0.0, -1.0): ("Z", (0.0, 1.0, 0.0, 0.0)),
}
_TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)
_SLIDES, _TURNS = ("transX", "transY", "transZ"), ("rotX", "rotY", "rotZ")
_PLANAR_LOCKS = ("transX", "rotY", "rotZ")  # of a joint whose x is the plane's normal


class JointWriter:
    """Writes the joints of a model.

    Args:
        stage: The stage.
        path: Of the model's prim.
        asset: The model.
        links: Paths of its bodies, by the names of the links.
        losses: What joints cannot say is noted there.

    Attributes:
        apart: Names of links that do not collide, without those that loops keep apart.
    """

    def __init__(
        self, stage: Any, path: str, asset: Asset, links: dict[str, str], losses: Losses
    ) -> None:
        self.stage = stage
        self.path = path
        self.asset = asset
        self.links = links
        self.losses = losses
        self.names: Names = Names()
        self.joints: dict[str, str] = {}  # paths by the names of joints
        self.apart = list(asset.excluded)

    def write(self) -> None:
        """Write all."""
        asset = self.asset
        if asset.fixed_base:
            held = self._define("FixedJoint", self.names.free("root_joint"))
            self._ends(held, self.path, Pose(), self.links[asset.links[0].name], Pose())
        names = joint_names(asset)
        written: list[tuple[Joint, Any]] = []
        for name, link in zip(names[1:], asset.links[1:], strict=True):
            above = self.links[asset.links[link.parent].name]
            joint = self._joint(link.joint, name, (above, link.joint.origin), self._end(link))
            if joint is None:
                continue
            self.joints[link.joint.name] = str(joint.GetPath())
            written.append((link.joint, joint))
            if ("physics:collisionEnabled", "True") in link.notes:
                pxr().UsdPhysics.Joint(joint).CreateCollisionEnabledAttr(True)
        self._loops()
        for joint, prim in written:
            self._mimic(joint, prim)

    def _end(self, link: Link) -> tuple[str, Pose]:
        return self.links[link.name], Pose()

    def _define(self, kind: str, name: str) -> Any:
        physics = pxr().UsdPhysics
        if not self.stage.GetPrimAtPath(f"{self.path}/joints"):
            pxr().UsdGeom.Scope.Define(self.stage, f"{self.path}/joints")
        return getattr(physics, kind).Define(self.stage, f"{self.path}/joints/{name}").GetPrim()

    def _ends(self, prim: Any, first: str, one: Pose, second: str, other: Pose) -> None:
        """Name the two bodies, "" for the world, and place the joint's frames in them."""
        gf, joint = pxr().Gf, pxr().UsdPhysics.Joint(prim)
        if first:
            joint.CreateBody0Rel().SetTargets([first])
        if second:
            joint.CreateBody1Rel().SetTargets([second])
        joint.CreateLocalPos0Attr(gf.Vec3f(*one.pos))
        joint.CreateLocalRot0Attr(gf.Quatf(*one.quat))
        joint.CreateLocalPos1Attr(gf.Vec3f(*other.pos))
        joint.CreateLocalRot1Attr(gf.Quatf(*other.quat))

    def _joint(
        self, joint: Joint, name: str, first: tuple[str, Pose], second: tuple[str, Pose]
    ) -> Any:
        """The prim of a joint between frames of two bodies; None where it holds nothing."""
        where = f"joint {name!r}"
        if joint.type is JointType.FLOATING:
            self.losses.add("a joint that leaves all free is none in USD, left out", where)
            return None
        kind, letter, turn = _kind_of(joint)
        prim = self._define(kind, self.names.free(name))
        self.names.note(prim, name, "isaac:NameOverride", "IsaacJointAPI")
        frame = Pose(joint.anchor, turn)
        one, other = (pose_multiply(pose, frame) for pose in (first[1], second[1]))
        self._ends(prim, first[0], one, second[0], other)
        if letter:
            pxr().UsdPhysics.RevoluteJoint(prim).CreateAxisAttr(letter)
        if joint.type is JointType.SPHERICAL:
            self._ball(joint, prim, where)
        elif joint.type is JointType.PLANAR:
            _lock(prim, _PLANAR_LOCKS)
            self.losses.add("a planar joint is written axis by axis", where)
        elif joint.type is not JointType.FIXED:
            self._axis(joint, prim)
        _write_passive(joint, prim)
        self._joint_losses(joint, where)
        return prim

    def _axis(self, joint: Joint, prim: Any) -> None:
        """Limits and the drive of a joint with one axis."""
        turns = joint.type in _TURNING
        unit = math.degrees(1.0) if turns else 1.0
        if limited(joint):
            physics = pxr().UsdPhysics
            limits = (physics.RevoluteJoint if turns else physics.PrismaticJoint)(prim)
            limits.CreateLowerLimitAttr(joint.lower * unit)
            limits.CreateUpperLimitAttr(joint.upper * unit)
        drives = joint.drives
        if not drives and bounded(joint.effort):  # a largest force has its place in a drive
            drives = (Drive(max_force=joint.effort),)
        for drive in drives:
            _write_drive(drive, prim, "angular" if turns else "linear", unit)
        if bounded(joint.velocity):
            apply_schema(prim, "PhysxJointAPI")
            set_number(prim, "physxJoint:maxJointVelocity", joint.velocity * unit)

    def _ball(self, joint: Joint, prim: Any, where: str) -> None:
        unit = math.degrees(1.0)
        if joint.drives:
            _lock(prim, _SLIDES)
            for drive in joint.drives:
                _write_drive(drive, prim, f"rot{drive.axis.upper()}", unit)
        if not (0.0 < joint.upper < math.inf and joint.lower <= joint.upper):
            return
        if joint.drives or joint.lower <= 0.0:
            self.losses.add("limits of a ball joint with drives, or without a cone", where)
            return
        ball = pxr().UsdPhysics.SphericalJoint(prim)
        ball.CreateConeAngle0LimitAttr(joint.lower * unit)
        ball.CreateConeAngle1LimitAttr(joint.upper * unit)
        if not math.isclose(joint.twist, math.pi):
            self.losses.add("USD has no limit of the twist of a ball joint, left out", where)

    def _joint_losses(self, joint: Joint, where: str) -> None:
        for what, lost in (
            ("USD has no length of an axis, it is written as 1", joint.axis_length != 1.0),
            ("USD asks for no collapse of fixed joints, left out", not joint.collapsible),
            ("what a ball joint has about single axes is not written", bool(joint.axes)),
        ):
            if lost:
                self.losses.add(what, where)

    def _loops(self) -> None:
        for loop in self.asset.loops:
            first = (self.links.get(loop.first, ""), loop.first_pose)
            second = (self.links.get(loop.second, ""), loop.second_pose)
            prim = self._joint(loop.joint, loop.joint.name or "loop", first, second)
            if prim is None:
                continue
            joint = pxr().UsdPhysics.Joint(prim)
            joint.CreateExcludeFromArticulationAttr(True)
            pair = (loop.first, loop.second)
            apart = {pair, pair[::-1]} & set(self.apart)
            joint.CreateCollisionEnabledAttr(not apart)
            self.apart: list[tuple[str, str]] = [
                other for other in self.apart if other not in apart
            ]

    def _mimic(self, joint: Joint, prim: Any) -> None:
        mimic = joint.mimic
        if mimic is None:
            return
        if mimic.joint not in self.joints:
            problem = f"mimics {mimic.joint!r}, which is not there, left out"
            self.losses.add(problem, f"joint {joint.name!r}")
            return
        turns = joint.type in _TURNING
        axis = "rotX" if turns else "transX"
        apply_schema(prim, f"PhysxMimicJointAPI:{axis}")
        start = f"physxMimicJoint:{axis}"
        prim.CreateRelationship(f"{start}:referenceJoint", custom=False).SetTargets(
            [self.joints[mimic.joint]]
        )
        # PhysX: q + gearing * q_of(joint) + offset = 0
        set_number(prim, f"{start}:gearing", -mimic.multiplier)
        set_number(prim, f"{start}:offset", -mimic.offset * (math.degrees(1.0) if turns else 1.0))


def _kind_of(joint: Joint) -> tuple[str, str, Quat]:
    """The schema of a joint, the letter of its axis, and what turns that to the joint's axis."""
    if joint.type is JointType.FIXED:
        return "FixedJoint", "", IDENTITY
    if joint.type is JointType.SPHERICAL:
        return ("Joint", "", IDENTITY) if joint.drives else ("SphericalJoint", "X", IDENTITY)
    if joint.type is JointType.PLANAR:
        return "Joint", "", quat_between(_X, joint.axis)
    letter, turn = _AXES.get(joint.axis) or ("X", quat_between(_X, joint.axis))
    return ("RevoluteJoint" if joint.type in _TURNING else "PrismaticJoint"), letter, turn


def _lock(prim: Any, axes: tuple[str, ...]) -> None:
    """Let a generic joint not move along, or about, some axes: their limits have no inside."""
    for axis in axes:
        limit = pxr().UsdPhysics.LimitAPI.Apply(prim, axis)
        limit.CreateLowAttr(1.0)
        limit.CreateHighAttr(-1.0)


def _write_drive(drive: Drive, prim: Any, name: str, unit: float) -> None:
    written = pxr().UsdPhysics.DriveAPI.Apply(prim, name)
    written.CreateTypeAttr("acceleration" if drive.acceleration else "force")
    written.CreateStiffnessAttr(drive.stiffness / unit)
    written.CreateDampingAttr(drive.damping / unit)
    if math.isfinite(drive.max_force):
        written.CreateMaxForceAttr(float(drive.max_force))
    written.CreateTargetPositionAttr(drive.target_position * unit)
    written.CreateTargetVelocityAttr(drive.target_velocity * unit)


def _write_passive(joint: Joint, prim: Any) -> None:
    """What a joint has without a drive: PhysX, Newton and MuJoCo have attributes for it."""
    unit = math.degrees(1.0) if joint.type is not JointType.PRISMATIC else 1.0
    reference = joint.spring_reference if joint.stiffness else 0.0
    for schema, numbers in (
        (
            "PhysxJointAPI",
            {"physxJoint:armature": joint.armature, "physxJoint:jointFriction": joint.friction},
        ),
        ("NewtonJointAPI", {"newton:damping": joint.damping / unit}),
        # MuJoCo's stiffness is one of radians, its reference an angle in degrees.
        ("MjcJointAPI", {"mjc:stiffness": joint.stiffness, "mjc:springref": reference * unit}),
    ):
        stated = {name: value for name, value in numbers.items() if value}
        if stated:
            apply_schema(prim, schema)
        for name, value in stated.items():
            set_number(prim, name, value)
