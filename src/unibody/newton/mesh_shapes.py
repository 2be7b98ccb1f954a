"""Vertices and triangles of simple solids, and convex hulls.

Each function gives points, triangles, normals and texture coordinates; triangles are wound
counterclockwise as seen from outside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unibody.core.assets.mesh.hull import convex_hull as exact_hull
from unibody.core.assets.mesh.types import TriMesh
from unibody.newton.enums import Axis

Made = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

_SQUARE = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
_TWO = np.array([(0, 1, 2), (0, 2, 3)])


def rectangle(width: float, length: float) -> Made:
    """A rectangle that faces z."""
    points = np.zeros((4, 3))
    points[:, :2] = _SQUARE * (width / 2.0, length / 2.0)
    return points, _TWO, np.tile((0.0, 0.0, 1.0), (4, 1)), (_SQUARE + 1.0) / 2.0


def box(hx: float, hy: float, hz: float, separate: bool) -> Made:
    """A box by its half extents.

    Args:
        hx: m.
        hy: m.
        hz: m.
        separate: Whether each face has four corners of its own.
    """
    points, normals, uvs, triangles = [], [], [], []
    for number, (axis, sign) in enumerate((a, s) for a in range(3) for s in (-1.0, 1.0)):
        right, up = ((axis + 1) % 3, (axis + 2) % 3)
        corners = np.zeros((4, 3))
        corners[:, axis] = sign
        corners[:, right], corners[:, up] = _SQUARE[:, 0] * sign, _SQUARE[:, 1]
        points.append(corners * (hx, hy, hz))
        normal = np.zeros(3)
        normal[axis] = sign
        normals.append(np.tile(normal, (4, 1)))
        uvs.append((_SQUARE + 1.0) / 2.0)
        triangles.append(_TWO + 4 * number)
    made = tuple(np.concatenate(part) for part in (points, triangles, normals, uvs))
    if separate:
        return made  # type: ignore[return-value]
    shared, where = np.unique(made[0], axis=0, return_inverse=True)
    outward = shared / np.linalg.norm(shared, axis=1, keepdims=True)
    return shared, where.reshape(-1)[made[1]], outward, np.zeros((len(shared), 2))


def ellipsoid(rx: float, ry: float, rz: float, latitudes: int, longitudes: int) -> Made:
    """An ellipsoid by its semi-axes; its poles are on the y axis."""
    theta, phi = np.meshgrid(
        np.linspace(0.0, math.pi, latitudes + 1),
        np.linspace(0.0, 2.0 * math.pi, longitudes + 1),
        indexing="ij",
    )
    unit = np.stack(
        [np.cos(phi) * np.sin(theta), np.cos(theta), np.sin(phi) * np.sin(theta)], axis=-1
    ).reshape(-1, 3)
    normals = unit / (rx, ry, rz)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    uvs = np.stack([phi / (2.0 * math.pi), theta / math.pi], axis=-1).reshape(-1, 2)
    return unit * (rx, ry, rz), _grid(latitudes, longitudes, flip=True), normals, uvs


def capsule_outline(radius: float, half_height: float, segments: int) -> list[tuple[float, float]]:
    """Distances from the axis and heights of a capsule's outline, from below to above."""
    quarter = np.linspace(0.0, math.pi / 2.0, max(segments // 4, 1) + 1)
    below = [(radius * math.sin(t), -half_height - radius * math.cos(t)) for t in quarter]
    return below + [(r, -z) for r, z in reversed(below)]


def lathe(outline: Sequence[tuple[float, float]], segments: int, up_axis: Axis) -> Made:
    """A solid of revolution.

    Args:
        outline: (distance from the axis, height), from below to above.
        segments: Steps around the axis.
        up_axis: The axis.
    """
    up = Axis.from_any(up_axis)
    phi = np.linspace(0.0, 2.0 * math.pi, segments + 1)
    radii, heights = np.array(outline).T
    points = np.zeros((len(outline), segments + 1, 3))
    points[..., (up + 1) % 3] = radii[:, None] * np.cos(phi)
    points[..., (up + 2) % 3] = radii[:, None] * np.sin(phi)
    points[..., up] = heights[:, None]
    flat = points.reshape(-1, 3)
    triangles = _grid(len(outline) - 1, segments, flip=False)
    a, b, c = (flat[triangles[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    kept = np.linalg.norm(area, axis=1) > 0.0
    normals = np.zeros_like(flat)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], area)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    v = np.linspace(0.0, 1.0, len(outline))
    uvs = np.stack(np.meshgrid(phi / (2.0 * math.pi), v), axis=-1).reshape(-1, 2)
    return flat, triangles[kept], normals / np.where(length > 0.0, length, 1.0), uvs


def _grid(rows: int, columns: int, *, flip: bool) -> np.ndarray:
    """Two triangles for each cell of a grid of rows + 1 by columns + 1 points."""
    row, column = (g.reshape(-1) for g in np.mgrid[0:rows, 0:columns])
    a = row * (columns + 1) + column
    b, c, d = a + 1, a + columns + 2, a + columns + 1
    if flip:
        b, d = d, b
        return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])[:, [0, 2, 1]]
    return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def convex_hull(vertices: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The convex hull of points, and what is left of it with fewer vertices.

    Args:
        vertices: Shape (n, 3).
        most: Most vertices.

    Returns:
        Points and triangles.
    """
    mesh = TriMesh(np.asarray(vertices, dtype=float), np.zeros((0, 3), dtype=np.int32))
    hull = exact_hull(mesh, most)
    return np.asarray(hull.vertices), np.asarray(hull.faces)
