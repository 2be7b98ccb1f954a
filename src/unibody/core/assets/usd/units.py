"""From a stage's units, axes and degrees to metres, kilograms, z up and radians."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from unibody.core.assets.description import Pose, Quat, Vec3
from unibody.core.assets.transforms import quat_multiply, quat_normalize, quat_rotate
from unibody.core.assets.usd.library import pxr
from unibody.errors import AssetError

_FARTHEST = 1e15  # of lengths: products of larger ones overflow in single precision
_LARGEST = 1e100  # larger ones overflow when they are multiplied; no length or mass comes near
_HALF = math.sqrt(0.5)
_Z_UP: dict[str, Quat] = {"Z": (1.0, 0.0, 0.0, 0.0), "Y": (_HALF, _HALF, 0.0, 0.0)}


@dataclass(frozen=True, slots=True)
class Units:
    """What the numbers of a stage mean.

    Attributes:
        file: Named in errors.
        length: Metres in a unit.
        mass: Kilograms in a unit.
        turn: Rotation from the stage's axes to z up.
        up: The stage's up axis, "Y" or "Z".
    """

    file: str
    length: float
    mass: float
    turn: Quat
    up: str

    def number(self, value: Any, prim: object, name: str, *, finite: bool = True) -> float:
        """A number of the stage.

        Raises:
            AssetError: It is none, NaN, or not finite although it has to be.
        """
        try:
            found = float(value)
        except (TypeError, ValueError):  # of a type that the schema does not have
            problem = f"{name}={value!s:.80} is not a number"
            raise AssetError(self.file, str(prim), problem) from None
        if math.isnan(found) or (finite and abs(found) > _LARGEST):
            raise AssetError(self.file, str(prim), f"{name}={found} is not a finite number")
        return found

    def vector(self, value: Any, prim: object, name: str) -> Vec3:
        """Three numbers of the stage; ``AssetError`` where one is not finite, or far too large."""
        x, y, z = (self.number(item, prim, name) for item in value)
        if max(abs(x), abs(y), abs(z)) > _FARTHEST:
            problem = f"{name}={(x, y, z)} has a number above {_FARTHEST:.0e}"
            raise AssetError(self.file, str(prim), problem)
        return (x, y, z)

    def lengths(self, value: Any, prim: object, name: str) -> Vec3:
        """Three lengths, in metres."""
        x, y, z = self.vector(value, prim, name)
        return (x * self.length, y * self.length, z * self.length)

    def quat(self, value: Any, prim: object, name: str) -> Quat:
        """A ``Gf`` quaternion, at unit length."""
        imaginary = value.GetImaginary()
        numbers = (value.GetReal(), imaginary[0], imaginary[1], imaginary[2])
        w, x, y, z = (self.number(item, prim, name) for item in numbers)
        return quat_normalize((w, x, y, z))

    def pose(self, pos: Any, quat: Any, prim: object, name: str) -> Pose:
        """A pose of the stage inside a frame of the stage: lengths change, axes do not."""
        return Pose(self.lengths(pos, prim, name), self.quat(quat, prim, name))

    def upright(self, pose: Pose) -> Pose:
        """A pose in the stage's world, in a world with z up."""
        return Pose(quat_rotate(self.turn, pose.pos), quat_multiply(self.turn, pose.quat))


def read_units(stage: Any, file: str) -> Units:
    """The units of a stage.

    Raises:
        AssetError: A unit is not a positive number, or the up axis is neither Y nor Z.
    """
    modules = pxr()
    up = str(modules.UsdGeom.GetStageUpAxis(stage))
    if up not in _Z_UP:
        raise AssetError(file, "upAxis", f"{up!r} is neither 'Y' nor 'Z'")
    length = float(modules.UsdGeom.GetStageMetersPerUnit(stage))
    mass = float(modules.UsdPhysics.GetStageKilogramsPerUnit(stage))
    for name, value in (("metersPerUnit", length), ("kilogramsPerUnit", mass)):
        if not (1e-12 < value < 1e12):  # NaN fails too
            raise AssetError(file, name, f"{value} is not a positive number")
    return Units(file, length, mass, _Z_UP[up], up)


def stage_units(stage: Any, file: str) -> Units:
    """Units that leave the numbers of a stage as they are."""
    up = str(pxr().UsdGeom.GetStageUpAxis(stage))
    return Units(file, 1.0, 1.0, _Z_UP["Z"], up)
