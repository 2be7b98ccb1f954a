"""The operations by which a prim stands where it does: one translation, rotation and scale."""

from __future__ import annotations

from typing import Any

from pxr import Gf, Usd, UsdGeom

_QUATERNIONS = {
    UsdGeom.XformOp.PrecisionDouble: Gf.Quatd,
    UsdGeom.XformOp.PrecisionFloat: Gf.Quatf,
    UsdGeom.XformOp.PrecisionHalf: Gf.Quath,
}
_VECTORS = {
    UsdGeom.XformOp.PrecisionDouble: Gf.Vec3d,
    UsdGeom.XformOp.PrecisionFloat: Gf.Vec3f,
    UsdGeom.XformOp.PrecisionHalf: Gf.Vec3h,
}


def clear(prim: Usd.Prim) -> None:
    """Take all operations of a prim away."""
    xform = UsdGeom.Xformable(prim)
    if not xform:
        return
    xform.ClearXformOpOrder()
    for name in prim.GetPropertyNames():
        if name.startswith("xformOp:"):
            prim.RemoveProperty(name)


def ops(prim: Usd.Prim) -> tuple[UsdGeom.XformOp, UsdGeom.XformOp, UsdGeom.XformOp]:
    """The operations translate, orient and scale of a prim; they are made if it lacks one.

    Other operations are replaced by these three, at the same place.
    """
    xform = UsdGeom.Xformable(prim)
    found = xform.GetOrderedXformOps()
    wished = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]
    if [op.GetOpName() for op in found] == wished:
        return found[0], found[1], found[2]
    local = Gf.Transform(xform.GetLocalTransformation())
    clear(prim)
    made = (
        xform.AddTranslateOp(_precision(prim, wished[0])),
        xform.AddOrientOp(_precision(prim, wished[1])),
        xform.AddScaleOp(_precision(prim, wished[2])),
    )
    made[0].Set(_VECTORS[made[0].GetPrecision()](local.GetTranslation()))
    made[1].Set(_QUATERNIONS[made[1].GetPrecision()](local.GetRotation().GetQuat()))
    made[2].Set(_VECTORS[made[2].GetPrecision()](local.GetScale()))
    return made


def _precision(prim: Usd.Prim, name: str) -> UsdGeom.XformOp.Precision:
    """That of an attribute which a weaker layer has; double where there is none."""
    known = prim.GetAttribute(name)
    if not known:
        return UsdGeom.XformOp.PrecisionDouble
    return UsdGeom.XformOp(known).GetPrecision()


def write(
    prim: Usd.Prim, translation: Any = None, orientation: Any = None, scale: Any = None
) -> None:
    """Set translation, rotation and scale to the parent.

    Args:
        prim: The prim.
        translation: Three numbers; None: as it was.
        orientation: A quaternion w, x, y, z, or one of USD's; None: as it was.
        scale: Three numbers; None: as it was.
    """
    moved, turned, scaled = ops(prim)
    if translation is not None:
        moved.Set(_VECTORS[moved.GetPrecision()](*(float(c) for c in translation)))
    if orientation is not None:
        turned.Set(_QUATERNIONS[turned.GetPrecision()](quaternion(orientation)))
    if scale is not None:
        scaled.Set(_VECTORS[scaled.GetPrecision()](*(float(c) for c in scale)))


def quaternion(value: Any) -> Gf.Quatd:
    """A quaternion of USD from one of its own, or from w, x, y, z."""
    if hasattr(value, "GetReal"):
        return Gf.Quatd(value.GetReal(), Gf.Vec3d(*value.GetImaginary()))
    w, x, y, z = (float(c) for c in value)
    return Gf.Quatd(w, x, y, z)
