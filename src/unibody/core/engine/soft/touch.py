# ruff: noqa: PLR0913, PLR0917 - compiled code takes its state as plain arguments
"""Which particles touch which shapes, compiled by numba."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from unibody.core.engine.soft.shape_distance import (
    FAR,
    nearest_on_triangle,
    of_ball,
    of_box,
    of_capsule,
    of_cylinder,
    of_ellipsoid,
)
from unibody.core.engine.soft.shapes import TRIANGLES, Shapes
from unibody.machine_code import numba
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
_ROOM = 4  # contacts of a particle, at first
_DEPTH = 64  # of the walk through a tree

_kernel: Any = numba.njit(cache=True, nogil=True, error_model="numpy")


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


@_kernel
def _find(
    positions: Any, ways: Any, radii: Any, geoms: Any, poses: Any, turns: Any, shapes: Any,
    particles: Any, partners: Any, normals: Any, gaps: Any,
) -> int:  # fmt: skip
    """Find particles that are near a shape, or will be at the end of a step.

    Args:
        positions: Of particles, (p, 3) [m].
        ways: How far each may come in the step, (p,) [m].
        radii: How thick each is, (p,) [m].
        geoms: Which geoms are looked at, (g,).
        poses: Where all geoms are, (ngeom, 3) [m].
        turns: How they are turned, (ngeom, 9).
        shapes: See `shapes.Shapes`.
        particles: Gets particles that are near.
        partners: Gets the geom.
        normals: Gets the outward normal there, (n, 3).
        gaps: Gets how far the particle's centre is from the surface [m].

    Returns:
        How many there are; those beyond the room are left out.
    """
    room, found = len(particles), 0
    stack = np.zeros(_DEPTH, dtype=np.int64)
    for g in geoms:
        px, py, pz = poses[g, 0], poses[g, 1], poses[g, 2]
        r = turns[g]
        around = shapes.kinds[g] != _PLANE
        for p in range(len(positions)):
            dx, dy, dz = positions[p, 0] - px, positions[p, 1] - py, positions[p, 2] - pz
            skin = radii[p] + ways[p]
            if around:
                bound = shapes.reaches[g] + skin
                if dx * dx + dy * dy + dz * dz > bound * bound:
                    continue
            x = r[0] * dx + r[3] * dy + r[6] * dz
            y = r[1] * dx + r[4] * dy + r[7] * dz
            z = r[2] * dx + r[5] * dy + r[8] * dz
            gap, nx, ny, nz = distance(g, x, y, z, shapes, max(4.0 * skin, 0.05), stack)
            if gap > skin:
                continue
            if found < room:
                particles[found] = p
                partners[found] = g
                normals[found, 0] = r[0] * nx + r[1] * ny + r[2] * nz
                normals[found, 1] = r[3] * nx + r[4] * ny + r[5] * nz
                normals[found, 2] = r[6] * nx + r[7] * ny + r[8] * nz
                gaps[found] = gap
            found += 1
    return found


def near(
    positions: Any, ways: Any, radii: Any, geoms: Any, poses: Any, turns: Any, shapes: Shapes
) -> tuple[Any, Any, Any, Any]:
    """Particles that are near a shape, or will be at the end of a step.

    Args:
        positions: Of particles, (p, 3) [m].
        ways: How far each may come in the step, (p,) [m].
        radii: How thick each is, (p,) [m].
        geoms: Which geoms are looked at, (g,).
        poses: Where all geoms are, (ngeom, 3) [m].
        turns: How they are turned, (ngeom, 9).
        shapes: Those of the model.

    Returns:
        Particles (n,), geoms (n,), outward normals (n, 3), and how far each particle's centre is
        from the surface, (n,) [m].
    """
    room = max(_ROOM * len(positions), 64)
    while True:
        particles, partners = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
        normals, gaps = np.zeros((room, 3)), np.zeros(room)
        number = _find(
            positions, ways, radii, geoms, poses, turns, shapes, particles, partners, normals, gaps
        )
        if number <= room:
            return particles[:number], partners[:number], normals[:number], gaps[:number]
        room = number
