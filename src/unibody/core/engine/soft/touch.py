# ruff: noqa: PLR0913, PLR0917 - compiled code takes its state as plain arguments
"""How far particles are from shapes, compiled by numba."""

from __future__ import annotations

import math
from typing import Any

import mujoco

from unibody.core.engine.soft.shape_distance import (
    FAR,
    nearest_on_triangle,
    of_ball,
    of_box,
    of_capsule,
    of_cylinder,
    of_ellipsoid,
)
from unibody.core.engine.soft.shapes import TRIANGLES
from unibody.machine_code.jit import rule

_PLANE = int(mujoco.mjtGeom.mjGEOM_PLANE)
_FIELD = int(mujoco.mjtGeom.mjGEOM_HFIELD)
_BALL = int(mujoco.mjtGeom.mjGEOM_SPHERE)
_CAPSULE = int(mujoco.mjtGeom.mjGEOM_CAPSULE)
_ELLIPSOID = int(mujoco.mjtGeom.mjGEOM_ELLIPSOID)
_CYLINDER = int(mujoco.mjtGeom.mjGEOM_CYLINDER)
_BOX = int(mujoco.mjtGeom.mjGEOM_BOX)
_MESH = int(mujoco.mjtGeom.mjGEOM_MESH)
_TRIANGLES = TRIANGLES
_LEAF = 4  # triangles in a leaf; see mesh_contacts.surface
DEPTH = 64  # of the walk through a tree


@rule
def _of_hull(x: float, y: float, z: float, planes: Any, first: int, count: int) -> Any:
    """A hull; outside its corners are those of its faces moved outwards."""
    best, found = -FAR, first
    for k in range(first, first + count):
        away = planes[k, 0] * x + planes[k, 1] * y + planes[k, 2] * z - planes[k, 3]
        if away > best:
            best, found = away, k
    return best, planes[found, 0], planes[found, 1], planes[found, 2]


@rule
def _of_field(
    x: float, y: float, z: float, sizes: Any, heights: Any, first: int, rows: int, columns: int
) -> Any:
    """A height field: how far a point is above the triangle below it."""
    sx, sy, top = sizes[0], sizes[1], sizes[2]
    u = (x + sx) / (2.0 * sx) * (columns - 1)
    v = (y + sy) / (2.0 * sy) * (rows - 1)
    if not (0.0 <= u <= columns - 1 and 0.0 <= v <= rows - 1):
        return FAR, 0.0, 0.0, 1.0
    i, j = min(int(u), columns - 2), min(int(v), rows - 2)
    s, t = u - i, v - j
    at = first + j * columns + i
    a, b = heights[at], heights[at + 1]
    c, d = heights[at + columns], heights[at + columns + 1]
    if s + t <= 1.0:
        along, across = b - a, c - a
        ground = a + s * along + t * across
    else:
        along, across = d - c, d - b
        ground = d - (1.0 - s) * along - (1.0 - t) * across
    nx = -top * along * (columns - 1) / (2.0 * sx)
    ny = -top * across * (rows - 1) / (2.0 * sy)
    length = math.sqrt(nx * nx + ny * ny + 1.0)
    return (z - top * ground) / length, nx / length, ny / length, 1.0 / length


@rule
def _box_distance(boxes: Any, node: int, x: float, y: float, z: float) -> float:
    dx = max(boxes[node, 0] - x, 0.0, x - boxes[node, 3])
    dy = max(boxes[node, 1] - y, 0.0, y - boxes[node, 4])
    dz = max(boxes[node, 2] - z, 0.0, z - boxes[node, 5])
    return dx * dx + dy * dy + dz * dz


@rule
def _of_triangles(
    x: float, y: float, z: float, corners: Any, boxes: Any, first: int, count: int, root: int,
    leaves: int, reach: float, stack: Any,
) -> Any:  # fmt: skip
    """Triangles: a side that a point is on is that of the nearest triangle."""
    best = reach * reach
    away, nx, ny, nz = FAR, 0.0, 0.0, 1.0
    stack[0] = 0
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if _box_distance(boxes, root + node, x, y, z) >= best:
            continue
        if node < leaves - 1:
            stack[depth] = 2 * node + 1
            stack[depth + 1] = 2 * node + 2
            depth += 2
            continue
        begin = _LEAF * (node - leaves + 1)
        for k in range(begin, min(begin + _LEAF, count)):
            a, b, c = corners[first + k, 0], corners[first + k, 1], corners[first + k, 2]
            px, py, pz = nearest_on_triangle((x, y, z), a, b, c)
            gap = (x - px) ** 2 + (y - py) ** 2 + (z - pz) ** 2
            if gap < best:
                best = gap
                ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
                vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
                fx, fy, fz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
                side = fx * (x - px) + fy * (y - py) + fz * (z - pz)
                length = math.sqrt(gap)
                size = math.sqrt(fx * fx + fy * fy + fz * fz)
                if length > 1e-9:
                    away = math.copysign(length, side)
                    nx, ny, nz = (x - px) / away, (y - py) / away, (z - pz) / away
                elif size > 0.0:
                    away, nx, ny, nz = 0.0, fx / size, fy / size, fz / size
    return away, nx, ny, nz


@rule
def distance(geom: int, x: float, y: float, z: float, shapes: Any, reach: float, stack: Any) -> Any:
    """How far a point is from a geom, and the normal there, all in the geom's frame.

    Args:
        geom: The geom.
        x: The point [m].
        y: The point [m].
        z: The point [m].
        shapes: See `shapes.Shapes`.
        reach: Beyond it distances need not be known [m].
        stack: Room for a walk.
    """
    kind, size = shapes.kinds[geom], shapes.sizes[geom]
    if kind == _PLANE:
        return z, 0.0, 0.0, 1.0
    if kind == _BOX:
        return of_box(x, y, z, size[0], size[1], size[2])
    if kind == _BALL:
        return of_ball(x, y, z, size[0])
    if kind == _CAPSULE:
        return of_capsule(x, y, z, size[0], size[1])
    if kind == _CYLINDER:
        return of_cylinder(x, y, z, size[0], size[1])
    if kind == _ELLIPSOID:
        return of_ellipsoid(x, y, z, size[0], size[1], size[2])
    first, counts = shapes.first[geom], shapes.counts[geom]
    if kind == _MESH:
        return _of_hull(x, y, z, shapes.planes, first, counts[0])
    if kind == _FIELD:
        return _of_field(x, y, z, size, shapes.heights, first, counts[0], counts[1])
    if kind == _TRIANGLES:
        return _of_triangles(
            x, y, z, shapes.corners, shapes.boxes, first, counts[0], shapes.roots[geom],
            counts[1], reach, stack,
        )  # fmt: skip
    return FAR, 0.0, 0.0, 1.0
