"""Mass, centre of mass and inertia of a body, by OpenUSD's rules of what overrides what."""

from __future__ import annotations

import math
from typing import Any

from unibody.core.assets.description import Inertial, Pose, Shape
from unibody.core.assets.limits import Limits
from unibody.core.assets.mass import properties as mass
from unibody.core.assets.transforms import pose_inverse, pose_multiply, quat_normalize
from unibody.core.assets.usd.library import pxr
from unibody.core.assets.usd.units import Units


def read_inertial(
    prim: Any, shapes: dict[str, tuple[Pose, list[Shape]]], units: Units, limits: Limits
) -> Inertial:
    """The inertial of a body.

    Args:
        prim: With the rigid body API.
        shapes: By the path of a collision prim: its pose, and its shapes, in the body's frame.
        units: Of the stage.
        limits: Bounds on meshes.

    Returns:
        ``stated`` is False where neither a mass nor a shape with a volume is there.
    """
    modules = pxr()
    scale = units.length
    whole = _whole_statement(prim, units)
    if whole is not None:
        return whole
    parts = {path: _information(*found, scale, limits) for path, found in shapes.items()}
    empty = modules.UsdPhysics.RigidBodyAPI.MassInformation()
    body = modules.UsdPhysics.RigidBodyAPI(prim)

    def look_up(part: Any) -> Any:
        return parts.get(str(part.GetPath()), empty)

    stage_mass, inertia, com, axes = body.ComputeMassProperties(look_up)
    where = prim.GetPath()
    kilograms = units.number(stage_mass, where, "mass") * units.mass
    has_volume = any(part.volume > 0.0 for part in parts.values())
    if kilograms <= 0.0 or not (has_volume or _states_mass(prim)):
        return Inertial(stated=False)
    centre = units.lengths(com, where, "centerOfMass")
    if not parts:
        axes = modules.Gf.Quatf(1.0)  # moments are those of a ball, and OpenUSD sets no axes
    inertia, axes = _stated_moments(prim) or (inertia, axes)
    if not all(map(math.isfinite, (*inertia, axes.GetReal(), *axes.GetImaginary()))):
        # OpenUSD divides by the volume of shapes that have none
        return Inertial(kilograms, Pose(centre), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    x, y, z = units.vector(inertia, where, "diagonalInertia")
    factor = units.mass * scale**2
    quat = quat_normalize(units.quat(axes, where, "principalAxes"))
    moments = (max(x, 0.0) * factor, max(y, 0.0) * factor, max(z, 0.0) * factor)
    return Inertial(kilograms, Pose(centre, quat), (*moments, 0.0, 0.0, 0.0))


def _whole_statement(prim: Any, units: Units) -> Inertial | None:
    """What a body says of itself where it says all: OpenUSD then has nothing to work out."""
    moments = _stated_moments(prim)
    if moments is None or not _states_mass(prim):
        return None
    stated, where = pxr().UsdPhysics.MassAPI(prim), prim.GetPath()
    centre = stated.GetCenterOfMassAttr().Get()
    if centre is None or not all(map(math.isfinite, centre)):  # minus infinity: not stated
        return None
    factor = units.mass * units.length**2
    x, y, z = units.vector(moments[0], where, "diagonalInertia")
    quat = quat_normalize(units.quat(moments[1], where, "principalAxes"))
    return Inertial(
        units.number(stated.GetMassAttr().Get(), where, "mass") * units.mass,
        Pose(units.lengths(centre, where, "centerOfMass"), quat),
        (x * factor, y * factor, z * factor, 0.0, 0.0, 0.0),
    )


def _stated_moments(prim: Any) -> tuple[Any, Any] | None:
    """Moments that a body states, and their axes: OpenUSD takes small ones, of 1e-5, for none."""
    modules = pxr()
    stated = modules.UsdPhysics.MassAPI(prim)
    if not prim.HasAPI(modules.UsdPhysics.MassAPI):
        return None
    moments = stated.GetDiagonalInertiaAttr().Get()
    axes = stated.GetPrincipalAxesAttr().Get()
    if moments is None or not min(moments) > 0.0:
        return None
    no_axes = axes is None or axes.GetLength() == 0.0
    return moments, modules.Gf.Quatf(1.0) if no_axes else axes


def _states_mass(prim: Any) -> bool:
    stated = pxr().UsdPhysics.MassAPI(prim).GetMassAttr()
    return bool(stated) and (stated.Get() or 0.0) > 0.0


def _information(local: Pose, shapes: list[Shape], scale: float, limits: Limits) -> Any:
    """Volume, centroid and inertia of the shapes of one prim, in its frame and in stage units."""
    modules = pxr()
    total = mass.combined(
        mass.of_shape(shape, limits, concave=shape.concave).moved(
            pose_multiply(pose_inverse(local), shape.pose)
        )
        for shape in shapes
    )
    info = modules.UsdPhysics.RigidBodyAPI.MassInformation()
    if total.mass <= 0.0:
        return info
    gf = modules.Gf
    info.volume = total.mass / scale**3
    info.inertia = gf.Matrix3f(*(total.inertia / scale**5).ravel().tolist())
    info.centerOfMass = gf.Vec3f(*(total.com / scale).tolist())
    info.localPos = gf.Vec3f(*(part / scale for part in local.pos))
    info.localRot = gf.Quatf(*local.quat)
    return info
