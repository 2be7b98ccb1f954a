"""Meshes of plain shapes, one unit across."""

from __future__ import annotations

import itertools
import math

from pxr import Gf, UsdGeom, Vt

from unibody.errors import NotSupportedError

_Points = list[tuple[float, float, float]]
_Faces = list[tuple[int, ...]]
_AROUND = 32
_UP = 16


def write(mesh: UsdGeom.Mesh, shape: str, half: float) -> None:
    """Give a mesh the points and faces of a shape.

    Args:
        mesh: The mesh.
        shape: "Cube", "Sphere", "Cylinder", "Cone", "Plane", "Disk" or "Torus".
        half: Half of its width.

    Raises:
        NotSupportedError: The shape is none of these.
    """
    if shape not in _SHAPES:
        raise NotSupportedError(f"a mesh of {shape!r}", f"the shapes are {', '.join(_SHAPES)}")
    points, faces = _SHAPES[shape]()
    scaled = Vt.Vec3fArray([Gf.Vec3f(*(half * c for c in point)) for point in points])
    mesh.CreatePointsAttr(scaled)
    mesh.CreateFaceVertexCountsAttr([len(face) for face in faces])
    mesh.CreateFaceVertexIndicesAttr([index for face in faces for index in face])
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateExtentAttr(UsdGeom.PointBased.ComputeExtent(scaled))


def _cube() -> tuple[_Points, _Faces]:
    points = [(x, y, z) for x, y, z in itertools.product((-1.0, 1.0), repeat=3)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return points, faces


def _ring(radius: float, z: float) -> _Points:
    angles = (2 * math.pi * i / _AROUND for i in range(_AROUND))
    return [(radius * math.cos(a), radius * math.sin(a), z) for a in angles]


def _sides(low: int, high: int) -> _Faces:
    following = [(i + 1) % _AROUND for i in range(_AROUND)]
    return [(low + i, low + j, high + j, high + i) for i, j in enumerate(following)]


def _fan(tip: int, ring: int, up: bool) -> _Faces:
    pairs = [(ring + i, ring + (i + 1) % _AROUND) for i in range(_AROUND)]
    return [(tip, a, b) if up else (tip, b, a) for a, b in pairs]


def _cylinder() -> tuple[_Points, _Faces]:
    points = [*_ring(1.0, -1.0), *_ring(1.0, 1.0), (0.0, 0.0, -1.0), (0.0, 0.0, 1.0)]
    low, high = 2 * _AROUND, 2 * _AROUND + 1
    return points, [*_sides(0, _AROUND), *_fan(low, 0, False), *_fan(high, _AROUND, True)]


def _cone() -> tuple[_Points, _Faces]:
    points = [*_ring(1.0, -1.0), (0.0, 0.0, -1.0), (0.0, 0.0, 1.0)]
    return points, [*_fan(_AROUND, 0, False), *_fan(_AROUND + 1, 0, True)]


def _sphere() -> tuple[_Points, _Faces]:
    heights = [math.pi * i / _UP for i in range(1, _UP)]
    rings = [point for a in heights for point in _ring(math.sin(a), -math.cos(a))]
    count = len(rings)
    faces = [f for i in range(_UP - 2) for f in _sides(i * _AROUND, (i + 1) * _AROUND)]
    faces += [*_fan(count, 0, False), *_fan(count + 1, count - _AROUND, True)]
    return [*rings, (0.0, 0.0, -1.0), (0.0, 0.0, 1.0)], faces


def _plane() -> tuple[_Points, _Faces]:
    return [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)], [(0, 1, 2, 3)]


def _disk() -> tuple[_Points, _Faces]:
    return [*_ring(1.0, 0.0), (0.0, 0.0, 0.0)], _fan(_AROUND, 0, True)


def _torus() -> tuple[_Points, _Faces]:
    """A ring of half the width, whose tube is half as wide as that, about z."""
    turn, tube = 2.0 * math.pi / _AROUND, 2.0 * math.pi / _UP
    points = [
        (
            (0.75 + 0.25 * math.cos(b * tube)) * math.cos(a * turn),
            (0.75 + 0.25 * math.cos(b * tube)) * math.sin(a * turn),
            0.25 * math.sin(b * tube),
        )
        for a in range(_AROUND)
        for b in range(_UP)
    ]
    faces = []
    for a, b in itertools.product(range(_AROUND), range(_UP)):
        this, following = a * _UP, (a + 1) % _AROUND * _UP
        up = (b + 1) % _UP
        faces.append((this + b, following + b, following + up, this + up))
    return points, faces


_SHAPES = {
    "Cube": _cube,
    "Sphere": _sphere,
    "Cylinder": _cylinder,
    "Cone": _cone,
    "Plane": _plane,
    "Disk": _disk,
    "Torus": _torus,
}
KINDS: tuple[str, ...] = tuple(_SHAPES)
"""The shapes there are."""
