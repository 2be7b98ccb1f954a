"""Makes the robots that the public suites of sensors load: an arm with a slider, and an ant.

They have the links, joints and masses by which the suites know them. The arm turns in the plane and
weighs 2 kg, its centre 1 m from the joint; the ant stands on a ground of its own, on four balls.
"""

from __future__ import annotations

from pathlib import Path

from isaac_stand_ins import ROBOTS, Link, new_stage, write
from pxr import Gf, Usd, UsdGeom, UsdPhysics
from scipy.spatial.transform import Rotation

STILL = Rotation.identity()
REACH = 40.0  # of the ant's limbs, in centimetres, as the suites place sensors
BALL = 8.0
LEGS = 4


def write_arm(file: Path) -> None:
    """Write an arm that turns about z, with a slider along it."""
    holding = (1e8, 1e8)
    links = [
        Link("CenterPivot", 5.0, (0.0, 0.0, 0.0), "rootJoint", "fixed", "", (0.0, 0.0, 0.0),
             STILL, "X", (0.0, 0.0), 0.0, (0.0, 0.0)),
        Link("Arm", 1.0, (1.0, 0.0, 0.0), "RevoluteJoint", "revolute", "CenterPivot",
             (0.0, 0.0, 0.0), STILL, "Z", (-1e6, 1e6), 1e9, holding, owner="Arm"),
        Link("Slider", 1.0, (0.0, 0.0, 0.0), "PrismaticJoint", "prismatic", "Arm",
             (1.0, 0.0, 0.0), STILL, "X", (-2.0, 2.0), 1e9, holding),
    ]  # fmt: skip
    write(file, links, "Articulation")
    stage = Usd.Stage.Open(str(file))
    beam = UsdGeom.Cube.Define(stage, "/Articulation/Arm/beam")
    beam.CreateSizeAttr(1.0)
    beam.AddTranslateOp().Set(Gf.Vec3d(1.0, 0.0, 0.0))
    beam.AddScaleOp().Set(Gf.Vec3f(2.0, 0.1, 0.1))
    UsdPhysics.CollisionAPI.Apply(beam.GetPrim())
    stage.Save()


def write_ant(file: Path) -> None:
    """Write a ball with four limbs of two parts each, above a ground."""
    stage, root = new_stage(file, "Ant")
    UsdPhysics.Scene.Define(stage, "/physicsScene")
    ground = UsdGeom.Xform.Define(stage, "/World/GroundPlane")
    ground.AddTranslateOp().Set(Gf.Vec3d(0.0, 0.0, -0.78))
    plane = UsdGeom.Plane.Define(stage, "/World/GroundPlane/CollisionPlane")
    plane.CreateAxisAttr("Z")
    UsdPhysics.CollisionAPI.Apply(plane.GetPrim())
    top = stage.GetPrimAtPath(root)
    UsdPhysics.ArticulationRootAPI.Apply(top)
    middle = _part(stage, f"{root}/Sphere", 0.5, Gf.Matrix4d(1.0))
    _ball(stage, f"{middle}/ball", 25.0, 0.0)
    for number in range(LEGS):
        around = Gf.Matrix4d(Gf.Rotation(Gf.Vec3d.ZAxis(), 45.0 + 90.0 * number), Gf.Vec3d())
        arm = f"{root}/Arm_{number + 1:02d}"
        UsdGeom.Xform.Define(stage, arm)
        upper = _part(stage, f"{arm}/Upper_Arm", 0.1, around)
        down = Gf.Matrix4d(Gf.Rotation(Gf.Vec3d.YAxis(), 60.0), Gf.Vec3d(0.01 * REACH, 0.0, 0.0))
        lower = _part(stage, f"{arm}/Lower_Arm", 0.1, down * around)
        _ball(stage, f"{lower}/foot", BALL, REACH)
        _hinge(stage, f"{upper}/shoulder_joint", middle, upper, around, "Z")
        _hinge(stage, f"{lower}/lower_arm_joint", upper, lower, down, "Y")
    stage.Save()


def _part(stage: Usd.Stage, path: str, mass: float, place: Gf.Matrix4d) -> str:
    """A body whose lengths are centimetres."""
    body = UsdGeom.Xform.Define(stage, path)
    body.AddTranslateOp().Set(place.ExtractTranslation())
    body.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(place.ExtractRotationQuat())
    body.AddScaleOp().Set(Gf.Vec3f(0.01))
    UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
    UsdPhysics.MassAPI.Apply(body.GetPrim()).CreateMassAttr(mass)
    return path


def _ball(stage: Usd.Stage, path: str, radius: float, ahead: float) -> None:
    ball = UsdGeom.Sphere.Define(stage, path)
    ball.CreateRadiusAttr(radius)
    ball.AddTranslateOp().Set(Gf.Vec3d(ahead, 0.0, 0.0))
    UsdPhysics.CollisionAPI.Apply(ball.GetPrim())


def _hinge(
    stage: Usd.Stage, path: str, first: str, second: str, place: Gf.Matrix4d, axis: str
) -> None:
    """A joint that its drive holds; ``place`` is that of the second body in the first one [m]."""
    joint = UsdPhysics.RevoluteJoint.Define(stage, path)
    joint.CreateBody0Rel().SetTargets([first])
    joint.CreateBody1Rel().SetTargets([second])
    joint.CreateAxisAttr(axis)
    joint.CreateLocalPos0Attr(Gf.Vec3f(100.0 * place.ExtractTranslation()))
    joint.CreateLocalRot0Attr(Gf.Quatf(place.ExtractRotationQuat()))
    joint.CreateLocalPos1Attr(Gf.Vec3f(0.0))
    joint.CreateLocalRot1Attr(Gf.Quatf(1.0))
    joint.CreateLowerLimitAttr(-30.0)
    joint.CreateUpperLimitAttr(30.0)
    drive = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), "angular")
    drive.CreateStiffnessAttr(10.0)
    drive.CreateDampingAttr(1.0)


def make(folder: Path) -> None:
    """Write them below a folder."""
    write_arm(folder / ROBOTS / "IsaacSim/SimpleArticulation/simple_articulation.usd")
    write_ant(folder / ROBOTS / "IsaacSim/Ant/ant_colored.usd")
