"""Mass, centre of mass and inertia of shapes of uniform density.

Inertias are about the centre of mass, in the axes of the shape.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from unibody.core.assets.mass import properties
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.enums import GeoType


class MassProperties(NamedTuple):
    """Mass [kg], centre of mass [m], inertia about it [kg m^2]."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray


NOTHING = MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))


def _of_density(solid: properties.Solid, density: float) -> MassProperties:
    return MassProperties(density * solid.mass, solid.com, density * solid.inertia)


def sphere(density: float, radius: float) -> MassProperties:
    """A ball."""
    return _of_density(properties.sphere(radius), density)


def box(density: float, hx: float, hy: float, hz: float) -> MassProperties:
    """A box, by its half extents."""
    return _of_density(properties.box(2.0 * hx, 2.0 * hy, 2.0 * hz), density)


def capsule(density: float, radius: float, half_height: float) -> MassProperties:
    """A cylinder along z with a half ball at each end."""
    return _of_density(properties.capsule(radius, 2.0 * half_height), density)


def cylinder(density: float, radius: float, half_height: float) -> MassProperties:
    """A cylinder along z."""
    return _of_density(properties.cylinder(radius, 2.0 * half_height), density)


def barrel(density: float, radius: float, half_height: float, arc: float) -> MassProperties:
    """A cylinder along z whose side is an arc of a radius that bulges."""
    nodes, weights = np.polynomial.legendre.leggauss(24)  # exact but for the roots in the arc
    height = half_height * nodes
    rim = math.sqrt(arc**2 - half_height**2)
    across = np.square(radius + np.sqrt(arc**2 - height**2) - rim)
    slices = density * math.pi * half_height * weights * across  # mass of each
    mass = float(slices.sum())
    along = float((slices * across).sum()) / 2.0
    aside = along / 2.0 + float((slices * height**2).sum())
    return MassProperties(mass, np.zeros(3), np.diag([aside, aside, along]))


def cone(density: float, radius: float, half_height: float) -> MassProperties:
    """A cone along z, its base at -half_height; its centre is a quarter of the height above."""
    return _of_density(properties.cone(radius, 2.0 * half_height), density)


def ellipsoid(density: float, a: float, b: float, c: float) -> MassProperties:
    """An ellipsoid, by its semi-axes."""
    return _of_density(properties.ellipsoid(a, b, c), density)


def mesh(
    density: float, vertices: Any, indices: Any, *, solid: bool = True, thickness: float = 0.001
) -> MassProperties:
    """A closed triangle mesh, filled, or a skin of some thickness on it.

    Args:
        density: kg/m^3.
        vertices: Shape (n, 3) [m].
        indices: Three a triangle, flat or in rows; wound either way round.
        solid: Whether the inside is filled.
        thickness: Of the skin [m].
    """
    points = np.asarray(vertices, dtype=float).reshape(-1, 3)
    faces = np.asarray(indices, dtype=int).reshape(-1, 3)
    if not len(points) or not len(faces):
        return NOTHING
    if solid:
        found = properties.filled(points, faces)
        found = found.scaled(math.copysign(1.0, found.mass))
    else:
        found = properties.skin(points, faces, thickness)
    return _of_density(found, density) if found.mass > 0.0 else NOTHING


def _point(mass: float, at: np.ndarray) -> np.ndarray:
    return mass * properties.spread(at)


def about(
    part: MassProperties,
    rotation: np.ndarray,
    at: np.ndarray,
    com: np.ndarray,
) -> Any:
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
    if kind == GeoType.CYLINDER and len(scale) > 2 and scale[2] > 0.0:
        if not solid:
            raise NotSupportedError("a hollow barrel", "is_solid=True, or barrel_radius=0")
        return barrel(density, *(float(v) for v in scale[:3]))
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
    volume = abs(float(np.prod(factors)))
    mass = float(source.mass) * density * volume
    given = np.array(source.inertia, dtype=float).reshape(3, 3)
    second = np.trace(given) / 2.0 * np.eye(3) - given  # of x_i x_j, which scale by themselves
    second = second * np.outer(factors, factors) * density * volume
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
