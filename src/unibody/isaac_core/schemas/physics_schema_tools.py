"""``pxr.PhysicsSchemaTools``: numbers that stand for paths, and grounds."""

from __future__ import annotations

from typing import Any

from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from unibody.errors import InvalidArgumentError

__all__ = ["addGroundPlane", "intToSdfPath", "sdfPathToInt"]

_paths: list[Sdf.Path] = [Sdf.Path()]
"""Paths by their numbers: names alone, no state of a simulation."""
_numbers: dict[Sdf.Path, int] = {Sdf.Path(): 0}
_TURNS = {"X": Gf.Rotation(Gf.Vec3d(0, 0, 1), Gf.Vec3d(1, 0, 0)),
          "Y": Gf.Rotation(Gf.Vec3d(0, 0, 1), Gf.Vec3d(0, 1, 0)), "Z": Gf.Rotation()}  # fmt: skip


def sdfPathToInt(path: str | Sdf.Path) -> int:
    """The number of a path: the same one each time in a process; 0 is the empty path."""
    found = Sdf.Path(str(path)) if str(path) else Sdf.Path()
    if found not in _numbers:
        _numbers[found] = len(_paths)
        _paths.append(found)
    return _numbers[found]


def intToSdfPath(number: int) -> Sdf.Path:
    """The path of a number.

    Raises:
        InvalidArgumentError: No path has it.
    """
    if not 0 <= int(number) < len(_paths):
        raise InvalidArgumentError("number", number, "the number of a path, as sdfPathToInt gives")
    return _paths[int(number)]


def addGroundPlane(
    stage: Usd.Stage, planePath: str, axis: str, size: float, position: Any, color: Any
) -> str:
    """Make a ground: a plane that collides everywhere, and a square that is seen.

    Args:
        stage: The stage.
        planePath: Where; with a number behind it where something is.
        axis: That is up: "X", "Y" or "Z".
        size: From the middle to the edges.
        position: Of the middle.
        color: Red, green, blue from 0 to 1.

    Returns:
        The path.

    Raises:
        InvalidArgumentError: There is no such axis.
    """
    if axis not in _TURNS:
        raise InvalidArgumentError("axis", axis, "'X', 'Y' or 'Z'")
    path, number = str(planePath), 0
    while stage.GetPrimAtPath(path):
        number += 1
        path = f"{planePath}_{number:02d}"
    top = UsdGeom.Xform.Define(stage, path)
    top.AddTranslateOp().Set(Gf.Vec3d(*map(float, position)))
    top.AddOrientOp().Set(Gf.Quatf(_TURNS[axis].GetQuat()))
    top.AddScaleOp().Set(Gf.Vec3f(1.0))
    seen = UsdGeom.Mesh.Define(stage, f"{path}/CollisionMesh")
    reach = float(size)
    seen.CreatePointsAttr([(x, y, 0) for x, y in ((-reach, -reach), (reach, -reach),
                                                  (reach, reach), (-reach, reach))])  # fmt: skip
    seen.CreateNormalsAttr([(0, 0, 1)] * 4)
    seen.CreateFaceVertexCountsAttr([4])
    seen.CreateFaceVertexIndicesAttr([0, 1, 2, 3])
    seen.CreateDisplayColorAttr([Gf.Vec3f(*map(float, color))])
    plane = UsdGeom.Plane.Define(stage, f"{path}/CollisionPlane")
    plane.CreateAxisAttr("Z")
    plane.CreatePurposeAttr(UsdGeom.Tokens.guide)
    UsdPhysics.CollisionAPI.Apply(plane.GetPrim())
    return path
