"""What can be seen: shapes on frames, and their triangles."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import MeshSource, Pose, Shape, ShapeKind

Array = NDArray[np.float64]
PLANE_SIZE = 100.0  # m: how much of an infinite plane is drawn
PLANE_KEY = "plane"
_CIRCLE = 32  # sections of round shapes


@dataclass(frozen=True, slots=True)
class Part:
    """One shape on one moving frame.

    Attributes:
        frame: Row of the poses it follows.
        shape: Geometry, and its pose in the frame.
        rgba: Colour and opacity, 0 to 1.
        texture: Image file, or "".
        owner: What a click on it means to the surface, such as (body id, link index).
    """

    frame: int
    shape: Shape
    rgba: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    texture: str = ""
    owner: tuple[int, int] = (-1, -1)


class Triangles(NamedTuple):
    """A triangle mesh: (V, 3) [m], (F, 3), texture coordinates (V, 2) or None.

    ``smooth`` meshes are shaded across the edges of their triangles.
    """

    key: str
    vertices: Array
    faces: NDArray[np.int32]
    uv: Array | None = None
    smooth: bool = False


def triangles_of(shape: Shape) -> list[Triangles]:
    """Triangles of a shape in its own frame; a mesh file may have several parts."""
    if shape.kind is ShapeKind.MESH:
        return _of_mesh(shape.mesh) if shape.mesh else []
    if shape.kind is ShapeKind.HEIGHTFIELD:
        return [_of_heightfield(shape)] if shape.heightfield else []
    return [_primitive(shape.kind, tuple(shape.size))]


def _of_mesh(source: MeshSource) -> list[Triangles]:
    from unibody.core.assets.meshes import load_mesh

    return [
        Triangles(mesh.key, mesh.vertices, mesh.faces, mesh.uv, smooth=True)
        for mesh in load_mesh(source)
        if len(mesh.faces)
    ]


def _of_heightfield(shape: Shape) -> Triangles:
    data = shape.heightfield
    if data is None:
        raise ValueError("a height field without heights")
    x = (np.arange(data.columns) - 0.5 * (data.columns - 1)) * data.spacing[0]
    y = (np.arange(data.rows) - 0.5 * (data.rows - 1)) * data.spacing[1]
    grid_x, grid_y = np.meshgrid(x, y)
    heights = np.asarray(data.heights, dtype=np.float64)
    vertices: Array = np.column_stack([grid_x.ravel(), grid_y.ravel(), heights]).astype(np.float64)
    number = np.arange(data.rows * data.columns, dtype=np.int32).reshape(data.rows, data.columns)
    a, b = number[:-1, :-1].ravel(), number[:-1, 1:].ravel()
    c, d = number[1:, :-1].ravel(), number[1:, 1:].ravel()
    faces = np.concatenate([np.column_stack([a, b, d]), np.column_stack([a, d, c])])
    return Triangles(f"heights{id(data)}", vertices, faces)


@functools.lru_cache(maxsize=1024)
def _primitive(kind: ShapeKind, size: tuple[float, ...]) -> Triangles:
    import trimesh.creation as make

    mesh: Any
    match kind:
        case ShapeKind.BOX:
            mesh = make.box(size)
        case ShapeKind.SPHERE:
            mesh = make.icosphere(3, size[0])
        case ShapeKind.CYLINDER:
            mesh = make.cylinder(size[0], size[1], _CIRCLE)
        case ShapeKind.CAPSULE:
            mesh = make.capsule(size[1], size[0], count=(_CIRCLE, _CIRCLE))
            mesh.apply_translation(-mesh.bounds.mean(axis=0))
        case ShapeKind.ELLIPSOID:
            mesh = make.icosphere(3, 1.0)
            mesh.apply_scale(size)
        case _:
            half = 0.5 * PLANE_SIZE
            corners = [[-half, -half, 0.0], [half, -half, 0.0], [half, half, 0.0], [-half, half, 0]]
            faces = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
            uv = np.asarray(corners)[:, :2]
            return Triangles(PLANE_KEY, np.asarray(corners), faces, uv)
    key = f"{kind.value}{size}"
    faces = np.asarray(mesh.faces, dtype=np.int32)
    smooth = kind in {ShapeKind.SPHERE, ShapeKind.CAPSULE, ShapeKind.ELLIPSOID}
    return Triangles(key, np.asarray(mesh.vertices), faces, smooth=smooth)


def offsets(poses: list[Pose]) -> tuple[Array, Array]:
    """Positions (n, 3) and quaternions wxyz (n, 4) of poses."""
    positions = np.array([pose.pos for pose in poses]).reshape(-1, 3)
    return positions, np.array([pose.quat for pose in poses]).reshape(-1, 4)
