"""Makes robots under the names that the public suites of Isaac core load them by.

The suites load robots from a server of assets. What stands here has the same links and joints by
name: an arm with a gripper from the URDF of ``pybullet_data``, a cart with a pole, and an arm
with three joints, parts of a humanoid and of two arms, a hand, and props. Shapes are boxes.
"""

from __future__ import annotations

import xml.etree.ElementTree as Xml
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pybullet_data
from pxr import Gf, Usd, UsdGeom, UsdPhysics
from scipy.spatial.transform import Rotation

from unibody.isaac_core.schemas import physx_schema

ROBOTS = Path("Isaac/Robots")
URDF = Path(pybullet_data.getDataPath()) / "franka_panda/panda.urdf"
FLIP = Rotation.from_euler("z", np.pi)
ARM_START = (0.012, -0.57, 0.0, -2.81, 0.0, 3.03, 0.741, 0.04, 0.04)  # as the original's arm stands
ARM_EFFORTS = (5220.0,) * 4 + (720.0,) * 5  # as its document prints, and so the gains
ARM_GAINS = (
    *((6e4, 3e3),) * 4, (2.5e4, 3e3), (1.5e4, 3e3), (5e3, 3e3), *((6e3, 1e3),) * 2,
)  # fmt: skip


class Link(NamedTuple):
    """A body, and the joint that holds it."""

    name: str
    mass: float
    centre: tuple[float, ...]
    joint: str
    kind: str
    parent: str
    place: tuple[float, ...]
    turn: Rotation
    axis: str
    limits: tuple[float, float]
    effort: float
    gains: tuple[float, float]
    start: float = 0.0
    owner: str = ""  # link that the joint's prim is below, where it is not the parent


def new_stage(file: Path, name: str = "", units: float = 1.0) -> tuple[Usd.Stage, str]:
    """A stage with a root, and the path of that."""
    file.parent.mkdir(parents=True, exist_ok=True)
    stage = Usd.Stage.CreateNew(str(file))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, units)
    root = f"/{name or file.stem}"
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, root).GetPrim())
    return stage, root


def write(file: Path, links: list[Link], name: str = "", articulation: str = "") -> None:
    """Write an articulation; it stands fixed in the world if its first link has a joint.

    Args:
        file: The file.
        links: Of it.
        name: Of its root; "": as the file.
        articulation: Path below the root of the prim that is marked as one.
    """
    stage, root = new_stage(file, name)
    placed: dict[str, tuple[np.ndarray, Rotation]] = {"": (np.zeros(3), Rotation.identity())}
    for link in links:
        at, turn = placed[link.parent]
        along = np.eye(3)["XYZ".index(link.axis[-1])] * (-1.0 if link.axis[0] == "-" else 1.0)
        slid = along * (link.start if link.kind == "prismatic" else 0.0)
        spun = along * (link.start if link.kind == "revolute" else 0.0)
        own = turn * link.turn
        at = at + turn.apply(link.place) + own.apply(slid)
        placed[link.name] = (at, own * Rotation.from_rotvec(spun))
        _write_body(stage, f"{root}/{link.name}", link, *placed[link.name])
        if link.joint:
            _write_joint(stage, root, link)
    marked = stage.GetPrimAtPath(f"{root}/{articulation}".rstrip("/"))
    UsdPhysics.ArticulationRootAPI.Apply(marked)
    if not articulation:
        arm = physx_schema.PhysxArticulationAPI.Apply(marked)
        arm.CreateEnabledSelfCollisionsAttr(False)
    stage.Save()


def write_prop(file: Path, name: str, *, rigid: bool, scale: float = 1.0) -> None:
    """Write a box with a collider below the root."""
    stage, root = new_stage(file)
    box = UsdGeom.Cube.Define(stage, f"{root}/{name}")
    box.CreateSizeAttr(0.1)
    box.AddScaleOp().Set(Gf.Vec3f(scale))
    UsdPhysics.CollisionAPI.Apply(box.GetPrim())
    if rigid:
        UsdPhysics.RigidBodyAPI.Apply(box.GetPrim())
    stage.Save()


def _write_body(stage: Usd.Stage, path: str, link: Link, at: np.ndarray, turn: Rotation) -> None:
    body = UsdGeom.Xform.Define(stage, path)
    body.AddTranslateOp().Set(Gf.Vec3d(*at))
    body.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(*_wxyz(turn)))
    body.AddScaleOp().Set(Gf.Vec3f(1.0))
    UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
    mass = UsdPhysics.MassAPI.Apply(body.GetPrim())
    mass.CreateMassAttr(link.mass)
    mass.CreateCenterOfMassAttr(Gf.Vec3f(*link.centre))
    mass.CreateDiagonalInertiaAttr(Gf.Vec3f(0.01 * link.mass))
    box = UsdGeom.Cube.Define(stage, f"{path}/collisions")
    box.CreateSizeAttr(0.02)
    UsdPhysics.CollisionAPI.Apply(box.GetPrim())


def _write_joint(stage: Usd.Stage, root: str, link: Link) -> None:
    kinds = {
        "revolute": (UsdPhysics.RevoluteJoint, "angular", 180.0 / np.pi),
        "prismatic": (UsdPhysics.PrismaticJoint, "linear", 1.0),
        "fixed": (UsdPhysics.FixedJoint, "", 1.0),
        "turning": (UsdPhysics.Joint, "", 180.0 / np.pi),
    }
    kind, drive, unit = kinds[link.kind]
    place = link.owner or link.parent
    joint = kind.Define(stage, f"{root}/{place}/{link.joint}" if place else f"{root}/{link.joint}")
    if link.parent:
        joint.CreateBody0Rel().SetTargets([f"{root}/{link.parent}"])
    joint.CreateBody1Rel().SetTargets([f"{root}/{link.name}"])
    flip = FLIP if link.axis.startswith("-") else Rotation.identity()
    joint.CreateLocalPos0Attr(Gf.Vec3f(*link.place))
    joint.CreateLocalRot0Attr(Gf.Quatf(*_wxyz(link.turn * flip)))
    joint.CreateLocalPos1Attr(Gf.Vec3f(0.0))
    joint.CreateLocalRot1Attr(Gf.Quatf(*_wxyz(flip)))
    if link.kind == "turning":  # about several axes
        for axis in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ"):
            limit = UsdPhysics.LimitAPI.Apply(joint.GetPrim(), axis)
            free = axis.startswith("rot") and axis[-1] in link.axis
            limit.CreateLowAttr(link.limits[0] * unit if free else 1.0)
            limit.CreateHighAttr(link.limits[1] * unit if free else -1.0)
    if link.kind in ("fixed", "turning"):
        return
    joint.CreateAxisAttr(link.axis[-1])
    joint.CreateLowerLimitAttr(link.limits[0] * unit)
    joint.CreateUpperLimitAttr(link.limits[1] * unit)
    motor = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), drive)
    motor.CreateMaxForceAttr(link.effort)
    motor.CreateStiffnessAttr(link.gains[0] / unit)
    motor.CreateDampingAttr(link.gains[1] / unit)
    motor.CreateTargetPositionAttr(link.start * unit)


def _wxyz(turn: Rotation) -> list[float]:
    return [float(x) for x in np.roll(turn.as_quat(), 1)]


def franka(urdf: Path) -> list[Link]:
    """The links of the arm of ``pybullet_data``; the empty ones are left out."""
    tree = Xml.parse(urdf).getroot()
    bodies = {one.get("name"): one for one in tree.findall("link")}
    joints = {one.find("child").get("link"): one for one in tree.findall("joint")}  # type: ignore[union-attr]
    hand = "panda_hand"
    arm = [f"panda_link{number}" for number in range(8)]
    found = []
    for name in (*arm, hand, "panda_leftfinger", "panda_rightfinger"):
        inertial = bodies[name].find("inertial")
        assert inertial is not None
        joint = joints.get(name)
        place, turn = _numbers(joint, "origin", "xyz"), _numbers(joint, "origin", "rpy")
        if name == hand:  # beyond the empty eighth link
            place = _numbers(joints["panda_link8"], "origin", "xyz")
        limit = None if joint is None else joint.find("limit")
        fixed = limit is None
        parent = "" if joint is None else joint.find("parent").get("link")  # type: ignore[union-attr]
        axis = _numbers(joint, "axis", "xyz")
        letter = "XYZ"[int(np.argmax(np.abs(axis)))]
        found.append(
            Link(
                name,
                float(inertial.find("mass").get("value", 0)),  # type: ignore[union-attr]
                _numbers(inertial, "origin", "xyz"),
                "rootJoint" if joint is None else joint.get("name", ""),
                "fixed" if fixed or joint is None else joint.get("type", ""),
                "panda_link7" if name == hand else str(parent),
                place,
                Rotation.from_euler("xyz", turn),
                f"-{letter}" if sum(axis) < 0 else letter,
                (0.0, 0.0) if limit is None else (_value(limit, "lower"), _value(limit, "upper")),
                0.0 if limit is None else _value(limit, "effort"),
                (0.0, 0.0),
            )
        )
    moving = [place for place, link in enumerate(found) if link.kind != "fixed"]
    rows = zip(moving, ARM_START, ARM_EFFORTS, ARM_GAINS, strict=True)
    for place, start, most, gains in rows:
        found[place] = found[place]._replace(start=start, effort=most, gains=gains)
    return found


def _value(element: Xml.Element, name: str) -> float:
    return float(element.get(name, 0.0))


def _numbers(above: Xml.Element | None, name: str, part: str) -> tuple[float, ...]:
    element = None if above is None else above.find(name)
    text = None if element is None else element.get(part)
    return tuple(float(word) for word in (text or "0 0 0").split())


def _chain(*rows: tuple[str, float, str, str, tuple[float, ...], str, float]) -> list[Link]:
    found: list[Link] = []
    for name, mass, joint, kind, place, axis, limit in rows:
        parent = found[-1].name if found else ""
        found.append(
            Link(
                name, mass, (0.0, 0.0, 0.0), joint, kind, parent, place, Rotation.identity(),
                axis, (-limit, limit), 400.0, (0.0, 0.0),
            )
        )  # fmt: skip
    return found


def ant() -> list[Link]:
    """A torso with four legs of two links each; the names and masses are those of MuJoCo's ant."""
    found = _chain(("torso", 0.33, "", "", (0.0, 0.0, 0.0), "X", 0.0))
    corners = {
        "front_left": (0.2, 0.2),
        "front_right": (-0.2, 0.2),
        "left_back": (-0.2, -0.2),
        "right_back": (0.2, -0.2),
    }
    for corner, (x, y) in corners.items():
        leg, foot = _chain(
            (f"{corner}_leg", 0.06, f"{corner}_leg", "revolute", (x, y, 0.0), "Z", 0.7),
            (f"{corner}_foot", 0.08, f"{corner}_foot", "revolute", (x, y, 0.0), "Y", 1.2),
        )
        found += [leg._replace(parent="torso", owner="joints"), foot._replace(owner="joints")]
    return found


def humanoid() -> list[Link]:
    """Sixteen links, of which eight joints have one axis, four two, and two three."""
    found = _chain(("torso", 8.0, "", "", (0.0, 0.0, 0.0), "X", 0.0))
    rows = (
        ("head", "torso", "fixed", "X", 0.3),
        ("lower_waist", "torso", "turning", "YZ", -0.2),
        ("pelvis", "lower_waist", "revolute", "X", -0.15),
        *(
            (f"{side}_{name}", parent.format(side), kind, axes, height)
            for side in ("right", "left")
            for name, parent, kind, axes, height in (
                ("upper_arm", "torso", "turning", "XZ", 0.1),
                ("lower_arm", "{}_upper_arm", "revolute", "Y", -0.2),
                ("hand", "{}_lower_arm", "fixed", "X", -0.2),
                ("thigh", "pelvis", "turning", "XYZ", -0.1),
                ("shin", "{}_thigh", "revolute", "Y", -0.4),
                ("foot", "{}_shin", "turning", "XY", -0.4),
            )
        ),
    )
    for name, parent, kind, axes, height in rows:
        side = {"right": -0.15, "left": 0.15}.get(name.partition("_")[0], 0.0)
        at = (0.0, side if parent in ("torso", "pelvis") else 0.0, height)
        (link,) = _chain((name, 2.0, f"{name}_joint", kind, at, axes, 1.0))
        found.append(link._replace(parent=parent, owner="torso"))
    return found


def write_hand(file: Path) -> None:
    """Write a palm with four fingers of two links, each with a fixed tendon over its hinges."""
    found = _chain(("palm", 3.0, "rootJoint", "fixed", (0.0, 0.0, 0.0), "X", 0.0))
    fingers = ("FF", "MF", "RF", "LF")
    for number, name in enumerate(fingers):
        first, second = _chain(
            (f"{name}middle", 0.1, f"{name}J2", "revolute", (0.1 * number, 0.3, 0.0), "X", 1.5),
            (f"{name}distal", 0.1, f"{name}J1", "revolute", (0.0, 0.1, 0.0), "X", 1.5),
        )
        found += [first._replace(parent="palm"), second]
    write(file, found)
    stage = Usd.Stage.Open(str(file))
    root = stage.GetDefaultPrim().GetPath()
    for name in fingers:
        tendon = f"T_{name}"
        first = stage.GetPrimAtPath(f"{root}/palm/{name}J2")
        second = stage.GetPrimAtPath(f"{root}/{name}middle/{name}J1")
        physx_schema.PhysxTendonAxisRootAPI.Apply(first, tendon).CreateStiffnessAttr(1.0)
        begin = physx_schema.PhysxTendonAxisAPI(first, tendon)
        end = physx_schema.PhysxTendonAxisAPI.Apply(second, tendon)
        for axis, gearing in ((begin, 1.0), (end, -1.0)):
            axis.CreateGearingAttr([gearing])
            axis.CreateForceCoefficientAttr([gearing])
    stage.Save()


def make(folder: Path) -> None:
    """Write all robots and props below a folder."""
    write(folder / ROBOTS / "FrankaRobotics/FrankaPanda/franka.usd", franka(URDF), "panda")
    write_prop(
        folder / ROBOTS / "FrankaRobotics/FrankaPanda/Props/panda_hand.usd", "hand", rigid=True
    )
    write_prop(folder / "Isaac/Props/KLT_Bin/small_KLT.usd", "bin", rigid=False)
    write_prop(folder / "Isaac/Props/Blocks/basic_block.usd", "block", rigid=True)
    for name in ("ur10e", "ur3e"):
        arm = _chain(
            ("base_link", 4.0, "root_joint", "fixed", (0.0, 0.0, 0.0), "X", 0.0),
            ("shoulder_link", 4.0, "shoulder_pan_joint", "revolute", (0.0, 0.0, 0.2), "Z", 6.0),
            ("upper_arm_link", 8.0, "shoulder_lift_joint", "revolute", (0.0, 0.0, 0.0), "Y", 6.0),
        )
        write(folder / ROBOTS / f"UniversalRobots/{name}/{name}.usd", arm, "", "root_joint")
    for name in ("humanoid", "humanoid_instanceable"):
        parts = _chain(
            ("torso", 8.0, "", "", (0.0, 0.0, 0.0), "X", 0.0),
            ("lower_waist", 2.0, "abdomen_z", "revolute", (0.0, 0.0, -0.3), "Z", 0.8),
            ("pelvis", 6.0, "abdomen_x", "revolute", (0.0, 0.0, -0.2), "X", 0.6),
        )
        write(folder / ROBOTS / f"IsaacSim/Humanoid/{name}.usd", parts, "humanoid", "torso")
    signs = _chain(
        ("CenterPivot", 1.0, "rootJoint", "fixed", (0.0, 0.0, 1.0), "X", 0.0),
        ("Arm", 1.0, "CenterRevoluteJoint", "revolute", (0.0, 0.0, 0.1), "-Y", 3.0),
        ("Slider", 1.0, "PrismaticJoint", "prismatic", (0.5, 0.0, 0.0), "X", 1.0),
        ("DistalPivot", 1.0, "DistalRevoluteJoint", "revolute", (0.2, 0.0, 0.0), "-Y", 3.0),
    )
    turned = [
        link._replace(start=start, owner=link.name if start else "", gains=(1e4, 1e3))
        for link, start in zip(signs, (0.0, 0.14, 0.5, -0.14), strict=True)
    ]
    write(folder / ROBOTS / "IsaacSim/SimpleArticulation/articulation_3_joints.usd", turned)
    write_hand(folder / ROBOTS / "ShadowRobot/ShadowHand/shadow_hand_instanceable.usd")
    cartpole = _chain(
        ("rail", 1.0, "rootJoint", "fixed", (0.0, 0.0, 2.0), "X", 0.0),
        ("cart", 1.0, "cartJoint", "prismatic", (0.0, 0.0, 0.0), "Y", 4.0),
        ("pole", 1.0, "poleJoint", "revolute", (0.0, 0.0, 0.5), "X", 1e3),
    )
    write(folder / ROBOTS / "IsaacSim/Cartpole/cartpole.usd", cartpole)
