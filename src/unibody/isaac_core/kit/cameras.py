"""The four cameras that every stage has, in its session layer: they are not saved with it."""

from __future__ import annotations

from pxr import Gf, Usd, UsdGeom

PERSPECTIVE = "/OmniverseKit_Persp"
_PLACES = {
    PERSPECTIVE: ((5.0, 5.0, 5.0), (54.735610317245346, 0.0, 135.0)),
    "/OmniverseKit_Front": ((500.0, 0.0, 0.0), (90.0, 0.0, 90.0)),
    "/OmniverseKit_Top": ((0.0, 0.0, 500.0), (0.0, 0.0, -90.0)),
    "/OmniverseKit_Right": ((0.0, -500.0, 0.0), (90.0, 0.0, 0.0)),
}
"""Path -> position and angles about x, y, z [deg]."""


def define_cameras(stage: Usd.Stage) -> None:
    """Define those that a stage does not have."""
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        for path, (position, angles) in _PLACES.items():
            if stage.GetPrimAtPath(path):
                continue
            camera = UsdGeom.Camera.Define(stage, path)
            camera.CreateProjectionAttr(
                UsdGeom.Tokens.perspective if path == PERSPECTIVE else UsdGeom.Tokens.orthographic
            )
            camera.CreateClippingRangeAttr(Gf.Vec2f(0.01, 10000000.0))
            camera.CreateFocalLengthAttr(18.14756)
            prim = camera.GetPrim()
            xform = UsdGeom.Xformable(prim)
            xform.AddTranslateOp().Set(Gf.Vec3d(*position))
            xform.AddRotateXYZOp().Set(Gf.Vec3d(*angles))
            prim.SetMetadata("no_delete", True)
            prim.SetMetadata("hide_in_stage_window", True)


def is_where_it_was_put(stage: Usd.Stage, path: str) -> bool:
    """Whether one of the four stands where `define_cameras` puts it."""
    position, angles = _PLACES[path]
    found = UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath(path))
    turn = Gf.Rotation()
    turn.SetIdentity()
    axes = (Gf.Vec3d.XAxis(), Gf.Vec3d.YAxis(), Gf.Vec3d.ZAxis())
    for axis, angle in zip(axes, angles, strict=True):
        turn = turn * Gf.Rotation(axis, angle)
    return Gf.IsClose(found, Gf.Matrix4d(turn, Gf.Vec3d(*position)), 1e-6)
