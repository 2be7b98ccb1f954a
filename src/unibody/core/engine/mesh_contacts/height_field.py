# ruff: noqa: PLR0913, PLR0917 - kernels take their state as plain arguments
"""The contacts of one convex geom with a height field, compiled by numba.

The cells under the geom, and one more around them, become a small surface of triangles for
``touch``. A height field is solid below: what has its middle under the surface is pushed out along
the normal there, and no contact points down. In worlds whose pairs are Bullet's it is a sheet, like
a mesh of triangles: what is below falls, or is stopped on its way up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.mesh.types import FloatArray, IntArray
from unibody.core.engine.mesh_contacts import surface
from unibody.core.engine.mesh_contacts.clip import ROOM
from unibody.core.engine.mesh_contacts.contact_reduction import MOST_FOUND, ROW, reduce_contacts
from unibody.core.engine.mesh_contacts.convex import WHOLE, Convex, support
from unibody.core.engine.mesh_contacts.geom_pose import Placed, Reach, Room
from unibody.core.engine.mesh_contacts.struct_fields import Fields, int64
from unibody.core.engine.mesh_contacts.touch import load, touch
from unibody.core.engine.records import rule_table as t
from unibody.machine_code.jit import inlined, kernel
from unibody.machine_code.pointers import (
    Pointer,
    address_at,
    f64_array,
    i32_array,
    pointer_f32,
    pointer_i64,
)

_DOWN = -1e-3  # cosine to a face's normal from which on a contact is on its other side
_AROUND = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))  # edges meet at a corner of cells
_RING = len(_AROUND)
_FACES, _VERTICES = int(surface.Slot.FACES), int(surface.Slot.VERTICES)
_NORMALS, _ACROSS = int(surface.Slot.NORMALS), int(surface.Slot.ACROSS)
_RING_START, _RING_AT = int(surface.Slot.RING_START), int(surface.Slot.RING)
_COUNT, _SIZE = int(surface.Slot.COUNT), int(surface.Slot.SIZE)


class Grid(NamedTuple):
    """A height field in its own frame.

    Attributes:
        heights: In shares of ``top``, float32; x runs along a row.
        columns: Samples along x.
        rows: Samples along y.
        x: Of the first sample [m].
        y: See x.
        dx: Size of a cell [m].
        dy: See dx.
        top: Unit of the heights [m].
    """

    heights: Pointer
    columns: int
    rows: int
    x: float
    y: float
    dx: float
    dy: float
    top: float


class Patch(NamedTuple):
    """Some cells of a grid as a surface; ``record`` is what ``touch`` reads."""

    vertices: FloatArray
    faces: IntArray
    normals: FloatArray
    across: IntArray
    ring_start: IntArray
    ring: IntArray
    record: NDArray[np.int64]


@kernel
def grid_of(m: int, geom: int, at: Fields) -> Grid:
    """The height field that a geom is."""
    field = i32_array(m, at.m_geom_dataid)[geom]
    size = f64_array(m, at.m_hfield_size)
    x, y, top = size[4 * field], size[4 * field + 1], size[4 * field + 2]
    columns = int64(i32_array(m, at.m_hfield_ncol)[field])
    rows = int64(i32_array(m, at.m_hfield_nrow)[field])
    first = int64(i32_array(m, at.m_hfield_adr)[field])
    heights = pointer_f32(address_at(m, at.m_hfield_data) + 4 * first)
    dx, dy = 2.0 * x / (columns - 1), 2.0 * y / (rows - 1)
    return Grid(heights, columns, rows, -x, -y, dx, dy, top)


@inlined
def _cells(low: float, high: float, start: float, step: float, samples: int) -> tuple[int, int]:
    """First and one past the last cell between two places along an axis."""
    first = min(max(math.floor((low - start) / step), -1.0), samples + 1.0)
    last = min(max(math.floor((high - start) / step), -2.0), samples + 1.0)
    return max(int64(first), 0), min(int64(last) + 1, samples - 1)


@kernel
def _is_above(grid: Grid, here: Placed, i0: int, i1: int, j0: int, j1: int) -> bool:
    """Whether all of some cells lie below a geom's box."""
    share = here.low[2] / grid.top
    for j in range(j0, j1 + 1):
        row = j * grid.columns
        for i in range(i0, i1 + 1):
            if grid.heights[row + i] >= share:
                return False
    return True


@kernel
def is_solid(m: int, at: Fields) -> bool:
    """Whether the height fields of a model are filled below, which Bullet's are not."""
    return f64_array(m, at.m_numeric_data)[t.N_PAIRS] == 0.0


@kernel
def contacts_over(
    grid: Grid, geom: Convex, at: Fields, here: Placed, reach: Reach, room: Room, solid: bool
) -> int:
    """Find the contacts of a geom with a height field; see ``touch.contacts_with``.

    ``solid``: it is filled below the surface.
    """
    i0, i1 = _cells(here.low[0], here.high[0], grid.x, grid.dx, grid.columns)
    j0, j1 = _cells(here.low[1], here.high[1], grid.y, grid.dy, grid.rows)
    if i0 >= i1 or j0 >= j1 or _is_above(grid, here, i0, i1, j0, j1):
        return 0
    if solid and _sunk(grid, geom, here, room):
        return 1
    a0, a1 = max(i0 - 1, 0), min(i1 + 1, grid.columns - 1)
    b0, b1 = max(j0 - 1, 0), min(j1 + 1, grid.rows - 1)
    patch = _patch(grid, a0, a1, b0, b1)
    record = pointer_i64(patch.record.ctypes.data)
    count = int64(0)
    for j in range(j0 - b0, j1 - b0):
        for i in range(i0 - a0, i1 - a0):
            for half in range(2):
                face = 2 * (j * (a1 - a0) + i) + half
                if not load(record, face, here, room.triangle):
                    continue
                if count + ROOM >= MOST_FOUND:
                    count = reduce_contacts(room.found, count, here.size)
                made = touch(record, face, geom, at, here, reach, room, count)
                if solid:
                    made = _drop_below(patch, face, here, room.found, count, made)
                count = made
    return reduce_contacts(room.found, count, here.size)


@kernel
def _patch(grid: Grid, a0: int, a1: int, b0: int, b1: int) -> Patch:
    """The cells between some samples, as a surface."""
    wide, deep = a1 - a0 + 1, b1 - b0 + 1
    cells = (wide - 1) * (deep - 1)
    patch = Patch(
        np.empty((wide * deep, 3)), np.empty((2 * cells, 3), np.int32), np.empty((2 * cells, 3)),
        np.empty((2 * cells, 3), np.int32), np.empty(wide * deep + 1, np.int32),
        np.empty(_RING * wide * deep, np.int32), np.zeros(_SIZE, np.int64),
    )  # fmt: skip
    vertices, rings = patch.vertices, int64(0)
    for j in range(deep):
        for i in range(wide):
            v = j * wide + i
            vertices[v, 0] = grid.x + (a0 + i) * grid.dx
            vertices[v, 1] = grid.y + (b0 + j) * grid.dy
            vertices[v, 2] = grid.top * grid.heights[(b0 + j) * grid.columns + a0 + i]
            patch.ring_start[v] = rings
            for x, y in _AROUND:
                if 0 <= i + x < wide and 0 <= j + y < deep:
                    patch.ring[rings] = v + y * wide + x
                    rings += 1
    patch.ring_start[wide * deep] = rings
    for j in range(deep - 1):
        for i in range(wide - 1):
            _split(patch, 2 * (j * (wide - 1) + i), i, j, wide, deep)
    record = patch.record
    record[_FACES], record[_COUNT] = patch.faces.ctypes.data, 2 * cells
    record[_VERTICES], record[_NORMALS] = vertices.ctypes.data, patch.normals.ctypes.data
    record[_ACROSS] = patch.across.ctypes.data
    record[_RING_START], record[_RING_AT] = patch.ring_start.ctypes.data, patch.ring.ctypes.data
    return patch


@kernel
def _split(patch: Patch, face: int, i: int, j: int, wide: int, deep: int) -> None:
    """The two triangles of a cell, along the diagonal from its first to its last corner."""
    v = j * wide + i
    right, up, over = v + 1, v + wide, v + wide + 1
    faces, across = patch.faces, patch.across
    faces[face, 0], faces[face, 1], faces[face, 2] = v, right, over
    faces[face + 1, 0], faces[face + 1, 1], faces[face + 1, 2] = v, over, up
    across[face, 0] = v - wide if j > 0 else -1  # the cell below, beyond v to right
    across[face, 1] = over + 1 if i + 2 < wide else -1
    across[face, 2] = up
    across[face + 1, 0] = right
    across[face + 1, 1] = over + wide if j + 2 < deep else -1
    across[face + 1, 2] = v - 1 if i > 0 else -1
    for half in range(2):
        _normal(patch, face + half)


@kernel
def _normal(patch: Patch, face: int) -> None:
    vertices, faces = patch.vertices, patch.faces
    a, b, c = faces[face, 0], faces[face, 1], faces[face, 2]
    ux, uy = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1]
    vx, vy = vertices[c, 0] - vertices[a, 0], vertices[c, 1] - vertices[a, 1]
    uz, vz = vertices[b, 2] - vertices[a, 2], vertices[c, 2] - vertices[a, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    patch.normals[face, 0], patch.normals[face, 1] = nx / length, ny / length
    patch.normals[face, 2] = nz / length


@kernel
def _drop_below(
    patch: Patch, face: int, here: Placed, found: FloatArray, count: int, made: int
) -> int:
    """Leave out the new contacts of a face that are on its lower side; returns the new number."""
    turn = here.turn
    u, v, w = patch.normals[face, 0], patch.normals[face, 1], patch.normals[face, 2]
    fx = turn[0] * u + turn[3] * v + turn[6] * w
    fy = turn[1] * u + turn[4] * v + turn[7] * w
    fz = turn[2] * u + turn[5] * v + turn[8] * w
    for row in range(count, made):
        if fx * found[row, 3] + fy * found[row, 4] + fz * found[row, 5] >= _DOWN:
            for k in range(ROW):
                found[count, k] = found[row, k]
            count += 1
    return count


@kernel
def _sunk(grid: Grid, geom: Convex, here: Placed, room: Room) -> bool:
    """Push out a geom whose middle is below the surface: one contact, along the normal there."""
    place, turn = here.place, here.turn
    x, y = (place[0] - grid.x) / grid.dx, (place[1] - grid.y) / grid.dy
    if not (0.0 <= x <= grid.columns - 1 and 0.0 <= y <= grid.rows - 1):
        return False
    i = min(int64(math.floor(x)), grid.columns - 2)
    j = min(int64(math.floor(y)), grid.rows - 2)
    first = j * grid.columns + i
    h = grid.heights
    start, end = h[first], h[first + grid.columns + 1]
    if x - i >= y - j:
        along, side = h[first + 1] - start, end - h[first + 1]
    else:
        along, side = end - h[first + grid.columns], h[first + grid.columns] - start
    level = grid.top * (start + along * (x - i) + side * (y - j))
    if place[2] >= level:
        return False
    nx, ny, nz = -grid.top * along / grid.dx, -grid.top * side / grid.dy, 1.0
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = nx / length, ny / length, nz / length
    gx = turn[0] * nx + turn[3] * ny + turn[6] * nz
    gy = turn[1] * nx + turn[4] * ny + turn[7] * nz
    gz = turn[2] * nx + turn[5] * ny + turn[8] * nz
    px, py, pz = support(geom, WHOLE, -gx, -gy, -gz)
    lowest = gx * px + gy * py + gz * pz - geom.radius
    distance = lowest + nz * (place[2] - level)
    found = room.found
    px, py, pz = px - geom.radius * gx, py - geom.radius * gy, pz - geom.radius * gz
    found[0, 0], found[0, 1] = px - 0.5 * distance * gx, py - 0.5 * distance * gy
    found[0, 2] = pz - 0.5 * distance * gz
    found[0, 3], found[0, 4], found[0, 5] = gx, gy, gz
    found[0, 6], found[0, 7] = distance, 0.0
    return True
