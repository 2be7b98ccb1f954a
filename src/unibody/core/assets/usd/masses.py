"""Mass, centre of mass and inertia of a body, by OpenUSD's rules of what overrides what."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.core.assets.description import Inertial, Pose, Shape, ShapeKind, Vec3
from unibody.core.assets.limits import Limits
from unibody.core.assets.mesh_hull import convex_hull
from unibody.core.assets.mesh_types import TriMesh
from unibody.core.assets.meshes import load_mesh
from unibody.core.assets.transforms import pose_inverse, pose_multiply, quat_normalize
from unibody.core.assets.usd.geometry import FloatArray, matrix_of
from unibody.core.assets.usd.library import pxr
from unibody.core.assets.usd.units import Units

_FLAT = 1e-12  # share of the cube of a mesh's size: less volume is none


def volume_of(shape: Shape, limits: Limits) -> tuple[float, Vec3, FloatArray]:
    """Volume [m^3], centroid [m] and inertia at density 1 [m^5] of a shape, in its own frame.

    The inertia (3, 3) is about the centroid. A plane has no volume.
    """
    size = shape.size
    centre: Vec3 = (0.0, 0.0, 0.0)
    match shape.kind:
        case ShapeKind.BOX:
            x, y, z = (side * side for side in size)
            volume = math.prod(size)
            moments = [volume * part / 12.0 for part in (y + z, x + z, x + y)]
        case ShapeKind.SPHERE:
            volume = 4.0 / 3.0 * math.pi * size[0] ** 3
            moments = [0.4 * volume * size[0] ** 2] * 3
        case ShapeKind.ELLIPSOID:
            x, y, z = (axis * axis for axis in size)
            volume = 4.0 / 3.0 * math.pi * math.prod(size)
            moments = [0.2 * volume * part for part in (y + z, x + z, x + y)]
        case ShapeKind.CYLINDER:
            volume, moments = _cylinder(*size)
        case ShapeKind.CAPSULE:
            volume, moments = _capsule(*size)
        case ShapeKind.MESH if shape.mesh is not None:
            return _mesh(load_mesh(shape.mesh, limits), concave=shape.concave)
        case _:
            volume, moments = 0.0, [0.0, 0.0, 0.0]
    return volume, centre, np.diag(moments)


def _cylinder(radius: float, length: float) -> tuple[float, list[float]]:
    volume = math.pi * radius**2 * length
    across = volume * (radius**2 / 4.0 + length**2 / 12.0)
    return volume, [across, across, 0.5 * volume * radius**2]


def _capsule(radius: float, length: float) -> tuple[float, list[float]]:
    volume, (across, _, along) = _cylinder(radius, length)
    balls = 4.0 / 3.0 * math.pi * radius**3
    # Two half balls, each at the end of the cylinder: its centroid lies 3/8 of the radius further.
    across += balls * (0.4 * radius**2 + length**2 / 4.0 + 3.0 / 8.0 * radius * length)
    return volume + balls, [across, across, along + 0.4 * balls * radius**2]


def _mesh(parts: list[TriMesh], *, concave: bool) -> tuple[float, Vec3, FloatArray]:
    if concave:
        found = mesh_volume(parts)
        if found[0] > 0.0:
            return found
    return mesh_volume([convex_hull(part) for part in parts])


def mesh_volume(parts: list[TriMesh]) -> tuple[float, Vec3, FloatArray]:
    """Volume, centroid and inertia at density 1 of what closed meshes enclose.

    Sums over the tetrahedra between the triangles and the origin (Tonon, "Explicit exact formulas
    for the 3-D tetrahedron inertia tensor", 2004). Nothing enclosed, or inside out: zeros.
    """
    nothing = (0.0, (0.0, 0.0, 0.0), np.zeros((3, 3)))
    if not parts:
        return nothing
    corners = np.concatenate([part.vertices[part.faces] for part in parts])
    if not len(corners):
        return nothing
    sixths = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    volume = float(sixths.sum())
    size = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    if volume <= _FLAT * size**3:
        return nothing
    sums = corners.sum(axis=1)
    centroid = (sixths[:, None] * sums).sum(axis=0) / (4.0 * volume)
    products = np.einsum("t,tki,tkj->ij", sixths, corners, corners)
    second = (products + np.einsum("t,ti,tj->ij", sixths, sums, sums)) / 20.0
    second -= volume * np.outer(centroid, centroid)
    x, y, z = centroid.tolist()
    return volume, (x, y, z), np.trace(second) * np.eye(3) - second


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
    parts = {path: _information(*found, scale, limits) for path, found in shapes.items()}
    empty = modules.UsdPhysics.RigidBodyAPI.MassInformation()
    body = modules.UsdPhysics.RigidBodyAPI(prim)

    def look_up(part: Any) -> Any:
        return parts.get(str(part.GetPath()), empty)

    mass, inertia, com, axes = body.ComputeMassProperties(look_up)
    where = prim.GetPath()
    kilograms = units.number(mass, where, "mass") * units.mass
    has_volume = any(part.volume > 0.0 for part in parts.values())
    if kilograms <= 0.0 or not (has_volume or _states_mass(prim)):
        return Inertial(stated=False)
    centre = units.lengths(com, where, "centerOfMass")
    x, y, z = units.vector(inertia, where, "diagonalInertia")
    factor = units.mass * scale**2
    quat = quat_normalize(units.quat(axes, where, "principalAxes"))
    moments = (max(x, 0.0) * factor, max(y, 0.0) * factor, max(z, 0.0) * factor)
    return Inertial(kilograms, Pose(centre, quat), (*moments, 0.0, 0.0, 0.0))


def _states_mass(prim: Any) -> bool:
    mass = pxr().UsdPhysics.MassAPI(prim).GetMassAttr()
    return bool(mass) and (mass.Get() or 0.0) > 0.0


def _information(local: Pose, shapes: list[Shape], scale: float, limits: Limits) -> Any:
    """Volume, centroid and inertia of the shapes of one prim, in its frame and in stage units."""
    modules = pxr()
    total, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for shape in shapes:
        volume, centroid, inertia = volume_of(shape, limits)
        frame = matrix_of(pose_multiply(pose_inverse(local), shape.pose))
        turn, centre = frame[:3, :3], frame[:3, :3] @ np.asarray(centroid) + frame[:3, 3]
        total += volume
        first += volume * centre
        second += turn @ inertia @ turn.T + _shifted(volume, centre)
    info = modules.UsdPhysics.RigidBodyAPI.MassInformation()
    if total <= 0.0:
        return info
    centre = first / total
    second -= _shifted(total, centre)
    gf = modules.Gf
    info.volume = total / scale**3
    info.inertia = gf.Matrix3f(*(second / scale**5).ravel().tolist())
    info.centerOfMass = gf.Vec3f(*(centre / scale).tolist())
    info.localPos = gf.Vec3f(*(part / scale for part in local.pos))
    info.localRot = gf.Quatf(*local.quat)
    return info


def _shifted(mass: float, offset: FloatArray) -> FloatArray:
    """What an offset adds to an inertia."""
    return mass * (np.dot(offset, offset) * np.eye(3) - np.outer(offset, offset))
