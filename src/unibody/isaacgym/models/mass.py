"""Mass properties of collision shapes: volume, centre and inertia at unit density."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import Inertial, MeshSource, Pose, Quat, Shape, ShapeKind
from unibody.core.assets.mesh_types import TriMesh
from unibody.core.assets.meshes import convex_hull, load_mesh

Array = npt.NDArray[np.float64]


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


def combined(solids: Iterable[Solid]) -> Solid:
    """All solids as one; without mass where none of them has any."""
    parts = list(solids)
    mass = sum(part.mass for part in parts)
    if not mass > 0.0:
        inertia = sum((part.inertia for part in parts), np.zeros((3, 3)))
        return Solid(0.0, np.zeros(3), inertia)
    com = sum((part.mass * part.com for part in parts), np.zeros(3)) / mass
    return Solid(mass, com, sum((part.about(com) for part in parts), np.zeros((3, 3))))


def geometry(shapes: Iterable[Shape]) -> Solid:
    """What collision shapes make up at unit density, where they overlap counted twice."""
    return combined(_solid(shape).moved(shape.pose) for shape in shapes)


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


def _solid(shape: Shape) -> Solid:
    match shape.kind:
        case ShapeKind.BOX:
            x, y, z = shape.size
            return _centred(
                x * y * z, (y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12
            )
        case ShapeKind.SPHERE:
            (r,) = shape.size
            moment = 0.4 * r * r
            return _centred(4 / 3 * math.pi * r**3, moment, moment, moment)
        case ShapeKind.ELLIPSOID:
            a, b, c = shape.size
            volume = 4 / 3 * math.pi * a * b * c
            return _centred(volume, (b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5)
        case ShapeKind.CYLINDER:
            r, length = shape.size
            across = r * r / 4 + length * length / 12
            return _centred(math.pi * r * r * length, across, across, r * r / 2)
        case ShapeKind.CAPSULE:
            return _capsule(*shape.size)
        case ShapeKind.MESH if shape.mesh is not None:
            return _mesh(shape.mesh)
        case _:  # a plane or a height field encloses nothing
            return Solid(0.0, np.zeros(3), np.zeros((3, 3)))


def _centred(volume: float, xx: float, yy: float, zz: float) -> Solid:
    """A solid about its frame's origin, from its volume and moments for unit mass."""
    return Solid(volume, np.zeros(3), volume * np.diag([xx, yy, zz]))


def _capsule(r: float, length: float) -> Solid:
    tube, ball = math.pi * r * r * length, 4 / 3 * math.pi * r**3
    along = tube * r * r / 2 + ball * 0.4 * r * r
    # The mass centre of a half ball is 3/8 r from its flat side.
    across = tube * (r * r / 4 + length * length / 12)
    across += ball * (0.4 * r * r + length * length / 4 + 3 / 8 * length * r)
    return Solid(tube + ball, np.zeros(3), np.diag([across, across, along]))


def _mesh(source: MeshSource) -> Solid:
    return combined(enclosed(convex_hull(part)) for part in load_mesh(source))


def enclosed(mesh: TriMesh) -> Solid:
    """What a closed mesh encloses, at unit density: a sum over tetrahedra from one point.

    The integral of x x^T over a tetrahedron with corners 0, a, b, c is
    det(a, b, c)/120 (aa + bb + cc + ss), s = a + b + c.
    """
    origin = mesh.vertices.mean(axis=0)
    a, b, c = (mesh.vertices[mesh.faces[:, column]] - origin for column in range(3))
    det = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(det.sum()) / 6.0
    if not volume > 0.0:
        return Solid(0.0, origin, np.zeros((3, 3)))
    total = a + b + c
    com = np.einsum("i,ij->j", det, total) / 24.0 / volume
    second = sum(np.einsum("i,ij,ik->jk", det, v, v) for v in (a, b, c, total)) / 120.0
    second = second - volume * np.outer(com, com)
    return Solid(volume, com + origin, np.trace(second) * np.eye(3) - second)
