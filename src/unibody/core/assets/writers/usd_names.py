"""Names, poses and schemas of prims that are written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unibody.core.assets.description import Pose, Vec3
from unibody.core.assets.transforms import IDENTITY
from unibody.core.assets.usd.library import pxr
from unibody.core.assets.writers.trees import unique

_ONE: Vec3 = (1.0, 1.0, 1.0)


class Names:
    """Names of the children of a prim.

    Args:
        taken: Those that there are.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken: set[str] = set(taken)

    def free(self, wanted: str) -> str:
        """A name that a prim may have and no other child has, as near to one as may be."""
        return unique(pxr().Tf.MakeValidIdentifier(wanted), self.taken)

    def note(self, prim: Any, name: str, attribute: str, schema: str) -> None:
        """Say a name that the prim could not have in the attribute that Isaac Sim has for it."""
        if prim.GetName() != name:
            apply_schema(prim, schema)
            kind = pxr().Sdf.ValueTypeNames.String
            prim.CreateAttribute(attribute, kind, custom=False).Set(name)


def place(prim: Any, pose: Pose, scale: Vec3 = _ONE) -> None:
    """Give a prim a pose, and factors along its axes, in the frame of its parent."""
    modules = pxr()
    form, double = modules.UsdGeom.Xformable(prim), modules.UsdGeom.XformOp.PrecisionDouble
    form.AddTranslateOp().Set(modules.Gf.Vec3d(*pose.pos))
    if pose.quat != IDENTITY or scale == _ONE:
        form.AddOrientOp(double).Set(modules.Gf.Quatd(*pose.quat))
    if scale != _ONE:
        form.AddScaleOp(double).Set(modules.Gf.Vec3d(*scale))


def apply_schema(prim: Any, name: str) -> None:
    """Apply a schema that ``usd-core`` need not know."""
    prim.AddAppliedSchema(name)


def set_number(prim: Any, name: str, value: float) -> None:
    """Set a number that a schema which ``usd-core`` need not know has."""
    kind = pxr().Sdf.ValueTypeNames.Float
    prim.CreateAttribute(name, kind, custom=False).Set(float(value))


def set_token(prim: Any, name: str, value: str) -> None:
    """Set a word that a schema which ``usd-core`` need not know has."""
    kind = pxr().Sdf.ValueTypeNames.Token
    prim.CreateAttribute(name, kind, custom=False).Set(value)
