"""Stages that tests of physics begin with."""

from __future__ import annotations

from typing import Any

from pxr import Gf, Usd, UsdGeom, UsdPhysics

RAIL, CART, POLE = 8.0, 1.0, 0.5  # kg
HALF_POLE = 0.5  # m, from the hinge to the mass centre


def metric_stage() -> Usd.Stage:
    """The app's stage, z up, in metres."""
    from unibody.isaac_core.kit import context

    if context.get_context().get_stage() is None:
        context.get_context().new_stage()
    stage = context.get_context().get_stage()
    assert stage is not None
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    return stage


def add_body(
    stage: Usd.Stage, path: str, at: tuple[float, float, float], mass: float, size: float = 0.1
) -> Any:
    """A cube that is a rigid body without a collider, with the inertia that is stated."""
    cube = UsdGeom.Cube.Define(stage, path)
    cube.CreateSizeAttr(size)
    cube.AddTranslateOp().Set(Gf.Vec3d(*at))
    prim = cube.GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(prim)
    api = UsdPhysics.MassAPI.Apply(prim)
    api.CreateMassAttr(mass)
    api.CreateDiagonalInertiaAttr(Gf.Vec3f(*[mass * size * size / 6.0] * 3))
    return prim


def add_cube(
    stage: Usd.Stage,
    path: str,
    at: tuple[float, float, float],
    mass: float = 1.0,
    size: float = 1.0,
) -> Any:
    """A cube that moves and collides."""
    prim = add_body(stage, path, at, mass, size)
    UsdPhysics.CollisionAPI.Apply(prim)
    return prim


def add_ground(stage: Usd.Stage, path: str = "/World/ground") -> None:
    """A plane at height 0."""
    plane = UsdGeom.Plane.Define(stage, path)
    plane.CreateAxisAttr("Z")
    UsdPhysics.CollisionAPI.Apply(plane.GetPrim())


def add_cartpole(stage: Usd.Stage, path: str) -> None:
    """A cart on a rail along y with a pole that turns about x, all in its own frame."""
    root = UsdGeom.Xform.Define(stage, path)
    UsdPhysics.ArticulationRootAPI.Apply(root.GetPrim())
    add_body(stage, f"{path}/rail", (0.0, 0.0, 0.0), RAIL)
    add_body(stage, f"{path}/cart", (0.0, 0.0, 0.0), CART)
    add_body(stage, f"{path}/pole", (0.0, 0.0, HALF_POLE), POLE)
    fixed = UsdPhysics.FixedJoint.Define(stage, f"{path}/rootJoint")
    fixed.CreateBody1Rel().SetTargets([f"{path}/rail"])
    slide = UsdPhysics.PrismaticJoint.Define(stage, f"{path}/cartJoint")
    slide.CreateAxisAttr("Y")
    slide.CreateBody0Rel().SetTargets([f"{path}/rail"])
    slide.CreateBody1Rel().SetTargets([f"{path}/cart"])
    slide.CreateLowerLimitAttr(-4.0)
    slide.CreateUpperLimitAttr(4.0)
    hinge = UsdPhysics.RevoluteJoint.Define(stage, f"{path}/poleJoint")
    hinge.CreateAxisAttr("X")
    hinge.CreateBody0Rel().SetTargets([f"{path}/cart"])
    hinge.CreateBody1Rel().SetTargets([f"{path}/pole"])
    hinge.CreateLocalPos1Attr(Gf.Vec3f(0.0, 0.0, -HALF_POLE))
    drive = UsdPhysics.DriveAPI.Apply(slide.GetPrim(), "linear")
    drive.CreateDampingAttr(10.0)
    drive.CreateMaxForceAttr(400.0)


def add_environments(stage: Usd.Stage, count: int, spacing: float = 3.0) -> list[str]:
    """Copies of the first environment by internal references."""
    paths = [f"/World/envs/env_{number}" for number in range(count)]
    for number, path in enumerate(paths):
        place = UsdGeom.Xform.Define(stage, path)
        place.AddTranslateOp().Set(Gf.Vec3d(spacing * number, 0.0, 0.0))
        if number:
            place.GetPrim().GetReferences().AddInternalReference(paths[0])
    return paths
