# pyright: basic, reportInvalidTypeForm=false
"""Height fields and triangle meshes on a Warp device: see ``height_field``, ``surface``."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.engine.mesh_contacts import registry
from unibody.core.engine.mesh_contacts.install import surface_of_geom

ACROSS: float = wp.constant(1e-4)  # cosine: a neighbour that rises less than this is not nearer
SHARE: float = wp.constant(1e-6)  # of a corner in a point that does not lie on the opposite edge


@wp.struct
class Surface:
    """Triangles: cells of a grid, cut from their first to their last corner, or a mesh."""

    geom: int
    grid: int  # 1: it is one; else it is a mesh
    columns: int
    rows: int
    first: wp.vec2  # sample [m]
    step: wp.vec2  # size of a cell [m]
    unit: float  # of heights [m]
    heights: wp.array(dtype=float)
    vertices: wp.array(dtype=wp.vec3)
    faces: wp.array(dtype=wp.vec3i)
    normals: wp.array(dtype=wp.vec3)
    across: wp.array(dtype=wp.vec3i)
    ring_first: wp.array(dtype=int)
    ring: wp.array(dtype=int)
    tree: wp.array2d(dtype=float)
    leaves: int
    skin: float  # how much thicker than its triangles it is on both sides [m]


@wp.struct
class Placed:
    """A geom in the frame of a surface, whose origin is moved to a sample near it if a grid's."""

    place: wp.vec3
    turn: wp.mat33
    low: wp.vec3
    high: wp.vec3
    size: float  # half the diagonal of its own box
    i: int  # the sample at the origin
    j: int


def surface_on_device(model: Any, geom: int) -> Any:
    """The surface that a geom of a compiled model is."""
    s = Surface()
    s.geom = geom
    field = int(model.geom_dataid[geom])
    found = surface_of_geom(model, geom)
    if found is None:
        s.grid = 1
        s.columns, s.rows = int(model.hfield_ncol[field]), int(model.hfield_nrow[field])
        x, y, top = (float(size) for size in model.hfield_size[field][:3])
        s.first = wp.vec2(-x, -y)
        s.step = wp.vec2(2.0 * x / (s.columns - 1), 2.0 * y / (s.rows - 1))
        s.unit = top
        first = int(model.hfield_adr[field])
        heights = model.hfield_data[first : first + s.columns * s.rows]
        s.heights = wp.array(np.asarray(heights, np.float32), dtype=float)
        return s
    s.vertices = wp.array(found.vertices.astype(np.float32), dtype=wp.vec3)
    s.faces = wp.array(found.faces.astype(np.int32), dtype=wp.vec3i)
    s.normals = wp.array(found.normals.astype(np.float32), dtype=wp.vec3)
    s.across = wp.array(found.across.astype(np.int32), dtype=wp.vec3i)
    s.ring_first = wp.array(found.ring_start.astype(np.int32), dtype=int)
    s.ring = wp.array(found.ring.astype(np.int32), dtype=int)
    s.tree = wp.array(found.tree.reshape(-1, 6).astype(np.float32), dtype=float)
    s.leaves = found.leaves
    base = float(model.hfield_size[field][3])
    s.skin = base if base > registry.BASE else 0.0
    return s


@wp.func
def vertex(s: Surface, here: Placed, v: int) -> wp.vec3:
    """Where a vertex is [m]."""
    if s.grid == 1:
        j = v / s.columns
        i = v - j * s.columns
        return wp.vec3(
            float(i - here.i) * s.step[0], float(j - here.j) * s.step[1], s.unit * s.heights[v]
        )
    return s.vertices[v]


@wp.func
def corners(s: Surface, face: int) -> wp.vec3i:
    """Numbers of the vertices of a triangle."""
    if s.grid == 1:
        cell = face / 2
        j = cell / (s.columns - 1)
        v = j * s.columns + cell - j * (s.columns - 1)
        if face - 2 * cell == 0:
            return wp.vec3i(v, v + 1, v + s.columns + 1)
        return wp.vec3i(v, v + s.columns + 1, v + s.columns)
    return s.faces[face]


@wp.func
def normal(s: Surface, face: int, t: wp.mat33) -> wp.vec3:
    """Unit normal of a triangle, whose corners are rows."""
    if s.grid == 1:
        return wp.normalize(wp.cross(t[1] - t[0], t[2] - t[0]))
    return s.normals[face]


@wp.func
def _beyond(s: Surface, face: int, edge: int) -> int:
    """The neighbour's vertex beyond the edge from a corner to the next; -1: there is none."""
    if s.grid == 0:
        return s.across[face][edge]
    cell = face / 2
    j = cell / (s.columns - 1)
    i = cell - j * (s.columns - 1)
    v = j * s.columns + i
    if face - 2 * cell == 0:
        if edge == 0:
            return wp.where(j > 0, v - s.columns, -1)
        if edge == 1:
            return wp.where(i + 2 < s.columns, v + s.columns + 2, -1)
        return v + s.columns
    if edge == 0:
        return v + 1
    if edge == 1:
        return wp.where(j + 2 < s.rows, v + 2 * s.columns + 1, -1)
    return wp.where(i > 0, v - 1, -1)


@wp.func
def _rises(s: Surface, here: Placed, v: int, base: wp.vec3, up: wp.vec3) -> bool:
    way = vertex(s, here, v) - base
    return wp.dot(way, up) > ACROSS * wp.length(way)


@wp.func
def _ring_rises(s: Surface, here: Placed, v: int, base: wp.vec3, up: wp.vec3) -> bool:
    """Whether one of the vertices at the other ends of a vertex's edges rises."""
    if s.grid == 0:
        for n in range(s.ring_first[v], s.ring_first[v + 1]):
            if _rises(s, here, s.ring[n], base, up):
                return True
        return False
    j = v / s.columns
    i = v - j * s.columns
    for y in range(-1, 2):
        for x in range(-1, 2):
            inside = i + x >= 0 and i + x < s.columns and j + y >= 0 and j + y < s.rows
            # Warp works out all parts of a condition, wherever they read
            if inside and x * y >= 0 and x + y != 0:  # noqa: SIM102
                if _rises(s, here, v + y * s.columns + x, base, up):
                    return True
    return False


@wp.func
def is_lowest(s: Surface, here: Placed, face: int, shares: wp.vec3, up: wp.vec3) -> bool:
    """Whether no neighbour rises towards a geom from a point on an edge or corner of a face.

    Args:
        s: The surface.
        here: Where the geom is.
        face: Which.
        shares: Of its corners in the point.
        up: To the geom, unit vector in the frame of the surface.
    """
    own = corners(s, face)
    base = wp.vec3()
    involved = int(0)
    missing = int(0)
    corner = int(0)
    for n in range(3):
        if shares[n] > SHARE:
            involved += 1
            corner = own[n]
        else:
            missing = n
        base += shares[n] * vertex(s, here, own[n])
    if involved == 2:
        other = _beyond(s, face, (missing + 1) % 3)
        if other < 0:
            return True
        return not _rises(s, here, other, base, up)
    return not _ring_rises(s, here, corner, base, up)
