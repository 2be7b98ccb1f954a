"""Mass properties of solids of uniform density: volume, centre and inertia at unit density."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import Inertial, MeshSource, Pose, Quat, Shape, ShapeKind
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.mesh.load import convex_hull, load_mesh
from unibody.core.assets.mesh.types import TriMesh

Array = npt.NDArray[np.float64]
Faces = npt.NDArray[np.integer[Any]]
_FLAT = 1e-12  # share of the cube of a mesh's size: less volume is none


@dataclass(slots=True)
class Solid:
    """A body of some density.

    Attributes:
        mass: [kg]; at unit density that is the volume [m^3].
        com: Centre of mass, (3,) [m].
        inertia: About the centre of mass, in the axes of ``com``, (3, 3) [kg m^2].
    """

    mass: float
    com: Array
    inertia: Array

    def moved(self, pose: Pose) -> Solid:
        """The solid in the frame that ``pose`` gives its own frame in."""
        turn = rotation(pose.quat)
        com = turn @ self.com + np.array(pose.pos)
        return Solid(self.mass, com, turn @ self.inertia @ turn.T)

    def scaled(self, factor: float) -> Solid:
        """The solid at ``factor`` times the density."""
        return Solid(self.mass * factor, self.com, self.inertia * factor)

    def about(self, point: Array) -> Array:
        """The inertia about another point (3,), (3, 3)."""
        return self.inertia + self.mass * spread(self.com - point)


def spread(offset: Array) -> Array:
    """Inertia (3, 3) of a unit mass at ``offset`` (3,)."""
    return offset @ offset * np.eye(3) - np.outer(offset, offset)


def nothing() -> Solid:
    """What has no mass."""
    return Solid(0.0, np.zeros(3), np.zeros((3, 3)))


def combined(solids: Iterable[Solid]) -> Solid:
    """All solids as one; without mass where none of them has any."""
    parts = list(solids)
    mass = sum(part.mass for part in parts)
    if not mass > 0.0:
        inertia = sum((part.inertia for part in parts), np.zeros((3, 3)))
        return Solid(0.0, np.zeros(3), inertia)
    com = sum((part.mass * part.com for part in parts), np.zeros(3)) / mass
    return Solid(mass, com, sum((part.about(com) for part in parts), np.zeros((3, 3))))


# --- links ---------------------------------------------------------------------------------------


def of_inertial(inertial: Inertial) -> Solid:
    """Mass properties as a file states them, in the frame of the link."""
    xx, yy, zz, xy, xz, yz = inertial.inertia
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Solid(inertial.mass, np.zeros(3), tensor).moved(inertial.pose)


def to_inertial(solid: Solid) -> Inertial:
    """Mass properties in the frame of the link, for the engine."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = solid.inertia.tolist()
    x, y, z = solid.com.tolist()
    return Inertial(solid.mass, Pose((x, y, z)), (xx, yy, zz, xy, xz, yz))


def rotation(quat_wxyz: Quat) -> Array:
    """Matrix (3, 3) of a unit quaternion."""
    w, x, y, z = quat_wxyz
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


# --- shapes --------------------------------------------------------------------------------------


def geometry(shapes: Iterable[Shape]) -> Solid:
    """What collision shapes make up at unit density, where they overlap counted twice."""
    return combined(of_shape(shape).moved(shape.pose) for shape in shapes)


def of_shape(shape: Shape, limits: Limits = DEFAULT_LIMITS, *, concave: bool = False) -> Solid:
    """What a shape encloses at unit density, in its own frame; planes and height fields nothing.

    Args:
        shape: The shape; its pose does not matter.
        limits: Bounds on a mesh that has to be read.
        concave: Meshes count as they are where they enclose anything. Otherwise, and where they
            do not, the convex hulls of their parts do.

    Raises:
        AssetError: A mesh cannot be read.
    """
    match shape.kind:
        case ShapeKind.BOX:
            return box(*shape.size)
        case ShapeKind.SPHERE:
            return sphere(*shape.size)
        case ShapeKind.ELLIPSOID:
            return ellipsoid(*shape.size)
        case ShapeKind.CYLINDER:
            return cylinder(*shape.size)
        case ShapeKind.CAPSULE:
            return capsule(*shape.size)
        case ShapeKind.MESH if shape.mesh is not None:
            return _mesh(shape.mesh, limits, concave=concave)
        case _:
            return nothing()


def box(x: float, y: float, z: float) -> Solid:
    """A box, by its edges [m]."""
    return _centred(x * y * z, (y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12)


def sphere(r: float) -> Solid:
    """A ball."""
    moment = 0.4 * r * r
    return _centred(4 / 3 * math.pi * r**3, moment, moment, moment)


def ellipsoid(a: float, b: float, c: float) -> Solid:
    """An ellipsoid, by its semi-axes [m]."""
    volume = 4 / 3 * math.pi * a * b * c
    return _centred(volume, (b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5)


def cylinder(r: float, length: float) -> Solid:
    """A cylinder along z."""
    across = r * r / 4 + length * length / 12
    return _centred(math.pi * r * r * length, across, across, r * r / 2)


def capsule(r: float, length: float) -> Solid:
    """A cylinder along z of some length with a half ball at each end."""
    tube, ball = math.pi * r * r * length, 4 / 3 * math.pi * r**3
    along = tube * r * r / 2 + ball * 0.4 * r * r
    # The mass centre of a half ball is 3/8 r from its flat side.
    across = tube * (r * r / 4 + length * length / 12)
    across += ball * (0.4 * r * r + length * length / 4 + 3 / 8 * length * r)
    return Solid(tube + ball, np.zeros(3), np.diag([across, across, along]))


def cone(r: float, height: float) -> Solid:
    """A cone along z with its origin at half of its height, its base below."""
    solid = _centred(
        math.pi * r * r * height / 3,
        3 / 20 * r * r + 3 / 80 * height * height,
        3 / 20 * r * r + 3 / 80 * height * height,
        3 / 10 * r * r,
    )
    solid.com[2] = -height / 4
    return solid


def _centred(volume: float, xx: float, yy: float, zz: float) -> Solid:
    """A solid about its frame's origin, from its volume and moments for unit mass."""
    return Solid(volume, np.zeros(3), volume * np.diag([xx, yy, zz]))


# --- meshes --------------------------------------------------------------------------------------


def _mesh(source: MeshSource, limits: Limits, *, concave: bool) -> Solid:
    parts = load_mesh(source, limits)
    if concave and parts:
        firsts = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
        vertices = np.concatenate([part.vertices for part in parts])
        faces = [part.faces + first for part, first in zip(parts, firsts, strict=True)]
        whole = filled(vertices, np.concatenate(faces))
        if _has_volume(whole, vertices):
            return whole
    return combined(enclosed(convex_hull(part)) for part in parts)


def enclosed(mesh: TriMesh) -> Solid:
    """What a closed mesh encloses, at unit density; one that is inside out encloses nothing."""
    solid = filled(mesh.vertices, mesh.faces)
    if _has_volume(solid, mesh.vertices):
        return solid
    return Solid(0.0, mesh.vertices.mean(axis=0), np.zeros((3, 3)))


def _has_volume(solid: Solid, vertices: Array) -> bool:
    return solid.mass > _FLAT * float(np.ptp(vertices, axis=0).max(initial=0.0)) ** 3


def filled(vertices: Array, faces: Faces) -> Solid:
    """The inside of closed triangles; negative where they are clockwise from outside.

    A sum over the tetrahedra between them and one point: the integral of x x^T over a tetrahedron
    with corners 0, a, b, c is det(a, b, c)/120 (aa + bb + cc + ss), s = a + b + c.

    Args:
        vertices: (V, 3) [m].
        faces: (F, 3).
    """
    origin = vertices.mean(axis=0)
    a, b, c = (vertices[faces[:, column]] - origin for column in range(3))
    det = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(det.sum()) / 6.0
    if volume == 0.0:
        return Solid(0.0, origin, np.zeros((3, 3)))
    com = np.einsum("i,ij->j", det, a + b + c) / 24.0 / volume
    return _about_centre(volume, com, origin, _products(det / 120.0, a, b, c))


def skin(vertices: Array, faces: Faces, thickness: float) -> Solid:
    """A thin skin on triangles.

    The integral of x x^T over a triangle of area A is A/12 (aa + bb + cc + ss), s = a + b + c.

    Args:
        vertices: (V, 3) [m].
        faces: (F, 3).
        thickness: [m]
    """
    origin = vertices.mean(axis=0)
    a, b, c = (vertices[faces[:, column]] - origin for column in range(3))
    shares = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1) * thickness
    volume = float(shares.sum())
    if not volume > 0.0:
        return Solid(0.0, origin, np.zeros((3, 3)))
    com = np.einsum("i,ij->j", shares, a + b + c) / 3.0 / volume
    return _about_centre(volume, com, origin, _products(shares / 12.0, a, b, c))


def _products(weights: Array, a: Array, b: Array, c: Array) -> Array:
    """The sum of aa + bb + cc + ss with weights, (3, 3)."""
    found = np.zeros((3, 3))
    for corner in (a, b, c, a + b + c):
        found += np.einsum("i,ij,ik->jk", weights, corner, corner)
    return found


def _about_centre(volume: float, com: Array, origin: Array, second: Array) -> Solid:
    """A solid from its volume, centre and second moments, both about the origin."""
    second = second - volume * np.outer(com, com)
    return Solid(volume, com + origin, np.trace(second) * np.eye(3) - second)
