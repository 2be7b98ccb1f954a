"""Mass, centre of mass and inertia of shapes of uniform density.

Closed forms; for meshes the sum over tetrahedra that the origin spans with each triangle. Inertias
are about the centre of mass, in the axes of the shape.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.enums import GeoType


class MassProperties(NamedTuple):
    """Mass [kg], centre of mass [m], inertia about it [kg m^2]."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray


NOTHING = MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))


def _diagonal(mass: float, moments: Sequence[float], com_z: float = 0.0) -> MassProperties:
    return MassProperties(mass, np.array([0.0, 0.0, com_z]), np.diag(moments))


def sphere(density: float, radius: float) -> MassProperties:
    """A ball."""
    mass = density * 4.0 / 3.0 * math.pi * radius**3
    return _diagonal(mass, [0.4 * mass * radius**2] * 3)


def box(density: float, hx: float, hy: float, hz: float) -> MassProperties:
    """A box, by its half extents."""
    mass = density * 8.0 * hx * hy * hz
    moments = (hy**2 + hz**2, hx**2 + hz**2, hx**2 + hy**2)
    return _diagonal(mass, [mass / 3.0 * m for m in moments])


def capsule(density: float, radius: float, half_height: float) -> MassProperties:
    """A cylinder along z with a half ball at each end."""
    height = 2.0 * half_height
    ball = density * 4.0 / 3.0 * math.pi * radius**3
    tube = density * math.pi * radius**2 * height
    axial = ball * 0.4 * radius**2 + tube * 0.5 * radius**2
    across = tube * (0.25 * radius**2 + height**2 / 12.0) + ball * (
        0.4 * radius**2 + 0.375 * radius * height + 0.25 * height**2
    )
    return _diagonal(ball + tube, [across, across, axial])


def cylinder(density: float, radius: float, half_height: float) -> MassProperties:
    """A cylinder along z."""
    height = 2.0 * half_height
    mass = density * math.pi * radius**2 * height
    across = mass * (3.0 * radius**2 + height**2) / 12.0
    return _diagonal(mass, [across, across, 0.5 * mass * radius**2])


def cone(density: float, radius: float, half_height: float) -> MassProperties:
    """A cone along z, its base at -half_height; its centre is a quarter of the height above."""
    height = 2.0 * half_height
    mass = density * math.pi * radius**2 * height / 3.0
    across = mass * (3.0 / 20.0 * radius**2 + 3.0 / 80.0 * height**2)
    return _diagonal(mass, [across, across, 0.3 * mass * radius**2], com_z=-half_height / 2.0)


def ellipsoid(density: float, a: float, b: float, c: float) -> MassProperties:
    """An ellipsoid, by its semi-axes."""
    mass = density * 4.0 / 3.0 * math.pi * a * b * c
    moments = (b**2 + c**2, a**2 + c**2, a**2 + b**2)
    return _diagonal(mass, [0.2 * mass * m for m in moments])


def mesh(
    density: float, vertices: Any, indices: Any, *, solid: bool = True, thickness: float = 0.001
) -> MassProperties:
    """A closed triangle mesh, filled, or a skin of some thickness on it.

    Args:
        density: kg/m^3.
        vertices: Shape (n, 3) [m].
        indices: Three a triangle, flat or in rows.
        solid: Whether the inside is filled.
        thickness: Of the skin [m].
    """
    corners = np.asarray(vertices, dtype=float).reshape(-1, 3)[
        np.asarray(indices, dtype=int).reshape(-1, 3)
    ]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = np.cross(b - a, c - a)
    if solid:
        weights = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0  # signed volumes
        total = corners.sum(axis=1)
        first = (weights[:, None] * total / 4.0).sum(axis=0)
        second = _second_moments(weights / 20.0, corners, total)
    else:
        weights = np.linalg.norm(normal, axis=1) / 2.0 * thickness
        total = corners.sum(axis=1)
        first = (weights[:, None] * total / 3.0).sum(axis=0)
        second = _second_moments(weights / 12.0, corners, total)
    volume = float(weights.sum())
    if volume < 0.0:  # wound the other way round
        volume, first, second = -volume, -first, -second
    mass = density * volume
    if not volume > 0.0:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    com = first / volume
    second = density * second
    about_origin = np.trace(second) * np.eye(3) - second
    return MassProperties(mass, com, about_origin - _point(mass, com))


def _second_moments(weights: np.ndarray, corners: np.ndarray, total: np.ndarray) -> np.ndarray:
    """The integrals of x_i x_j over simplices: all products of two corners, equal ones twice."""
    moments = np.einsum("t,ti,tj->ij", weights, total, total)
    return moments + np.einsum("t,tci,tcj->ij", weights, corners, corners)


def _point(mass: float, at: np.ndarray) -> np.ndarray:
    return mass * (at @ at * np.eye(3) - np.outer(at, at))


def about(part: MassProperties, rotation: np.ndarray, at: np.ndarray, com: np.ndarray) -> Any:
    """The inertia of a part about a point, in the axes it is turned into.

    Args:
        part: In its own axes.
        rotation: Of the part, shape (3, 3).
        at: Its centre of mass.
        com: The point.
    """
    return rotation @ part.inertia @ rotation.T + _point(part.mass, at - com)


def shape(
    kind: int, scale: Sequence[float], source: Any, density: float, solid: bool, thickness: float
) -> MassProperties:
    """Mass properties of a shape of the builder.

    Raises:
        NotSupportedError: The kind has none.
        InvalidArgumentError: A hollow shape is thinner than its wall.
    """
    if density == 0.0 or kind in {GeoType.PLANE, GeoType.HFIELD, GeoType.NONE}:
        return NOTHING
    if kind in {GeoType.MESH, GeoType.CONVEX_MESH}:
        return _mesh_shape(scale, source, density, solid, thickness)
    if kind not in _FORMS:
        raise NotSupportedError(f"mass of a shape of type {kind}", "state mass and inertia")
    form, count = _FORMS[kind]
    sizes = [float(v) for v in scale[:count]]
    full = form(density, *sizes)
    if solid:
        return full
    inner = form(density, *(size - thickness for size in sizes))
    mass = full.mass - inner.mass
    if not mass > 0.0:
        raise InvalidArgumentError("thickness", thickness, f"less than {min(sizes)}, for a shell")
    com = (full.mass * full.com - inner.mass * inner.com) / mass
    whole = full.inertia + _point(full.mass, full.com - com)
    return MassProperties(mass, com, whole - inner.inertia - _point(inner.mass, inner.com - com))


def _mesh_shape(
    scale: Sequence[float], source: Any, density: float, solid: bool, thickness: float
) -> MassProperties:
    if source is None:
        raise InvalidArgumentError("src", None, "a Mesh, for a shape of type MESH or CONVEX_MESH")
    factors = np.array([float(v) for v in scale])
    stated = source.has_inertia and source.mass > 0.0 and source.is_solid == solid
    if not stated:
        points = np.asarray(source.vertices) * factors
        return mesh(density, points, source.indices, solid=solid, thickness=thickness)
    mass = float(source.mass) * density * float(np.prod(factors))
    given = np.array(source.inertia, dtype=float).reshape(3, 3)
    second = np.trace(given) / 2.0 * np.eye(3) - given  # of x_i x_j, which scale by themselves
    second = second * np.outer(factors, factors) * density * float(np.prod(factors))
    inertia = np.trace(second) * np.eye(3) - second
    return MassProperties(mass, np.array(source.com, dtype=float) * factors, inertia)


_FORMS: dict[int, tuple[Any, int]] = {
    GeoType.SPHERE: (sphere, 1),
    GeoType.BOX: (box, 3),
    GeoType.CAPSULE: (capsule, 2),
    GeoType.CYLINDER: (cylinder, 2),
    GeoType.CONE: (cone, 2),
    GeoType.ELLIPSOID: (ellipsoid, 3),
}


def inverse(inertia: wp.mat33) -> wp.mat33:
    """The inverse of an inertia; zero for zero, which stands for a body that does not turn."""
    matrix = np.array(inertia, dtype=float).reshape(3, 3)
    if not matrix.any():
        return wp.mat33()
    try:
        return wp.mat33(*np.linalg.inv(matrix).reshape(-1).tolist())
    except np.linalg.LinAlgError:
        return wp.mat33()
