# ruff: noqa: PLR0913, PLR0917 - entries take addresses and counts
"""Welding, neighbours and boxes of a triangle mesh, compiled by numba.

What Python calls are entries that take addresses; their code is loaded in a millisecond.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.mesh.types import FloatArray, IntArray
from unibody.machine_code import numba, pointers, types
from unibody.machine_code.compiled import compiled
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import (
    pointer_f64,
    pointer_i32,
    pointer_i64,
)

_numba: Any = numba  # its stub does not list what it exports
carray = _numba.carray
_compiled = numba.njit

_int64 = types.int64
_WELD, _SORT = types.void(*[_int64] * 7), types.void(*[_int64] * 5)
_ARRANGE = types.void(*[_int64] * 10)
_FLAT = 1e-12  # of the square of the longest edge: a triangle with less area has no normal


@_compiled
def _mixed(a: Any, b: Any, c: Any) -> Any:
    """A hash of three 64-bit numbers."""
    value = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(29)) ^ np.uint64(b)) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(32)) ^ np.uint64(c)) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@_compiled
def _places(count: int) -> int:
    """Room of a hash table: a power of two, at least twice as much as needed."""
    size = 16
    while size < 2 * count:
        size *= 2
    return size


@_compiled
def _weld(vertices: FloatArray, bits: NDArray[np.int64]) -> tuple[IntArray, int]:
    """Number each place among vertices.

    Args:
        vertices: (V, 3); no minus zeros.
        bits: The same memory as integers.

    Returns:
        Number of the place of each vertex, (V,), and how many places there are.
    """
    size = _places(len(vertices))
    table = np.full(size, -1, dtype=np.int32)
    result = np.empty(len(vertices), dtype=np.int32)
    count = 0
    for i in range(len(vertices)):
        at = _mixed(bits[i, 0], bits[i, 1], bits[i, 2]) & np.uint64(size - 1)
        while True:
            other = table[at]
            if other < 0:
                table[at], result[i] = i, count
                count += 1
                break
            if (
                bits[other, 0] == bits[i, 0]
                and bits[other, 1] == bits[i, 1]
                and bits[other, 2] == bits[i, 2]
            ):
                result[i] = result[other]
                break
            at = (at + np.uint64(1)) & np.uint64(size - 1)
    return result, count


@_compiled
def _gather(vertices: FloatArray, number: IntArray, count: int) -> FloatArray:
    """The places of welded vertices, (count, 3)."""
    result = np.empty((count, 3))
    for i in range(len(vertices)):
        for k in range(3):
            result[number[i], k] = vertices[i, k]
    return result


@_compiled
def _same(faces: IntArray, i: int, j: int) -> bool:
    """Whether two triangles have the same corners."""
    for k in range(3):
        if faces[i, k] != faces[j, 0] and faces[i, k] != faces[j, 1] and faces[i, k] != faces[j, 2]:
            return False
    return True


@_compiled
def _solid_faces(vertices: FloatArray, faces: IntArray) -> tuple[IntArray, FloatArray]:
    """The triangles that have an area, each once whichever way it is wound, and unit normals."""
    size = _places(len(faces))
    table = np.full(size, -1, dtype=np.int32)
    kept, normals = np.empty_like(faces), np.empty((len(faces), 3))
    count = 0
    for i in range(len(faces)):
        a, b, c = faces[i, 0], faces[i, 1], faces[i, 2]
        ux, uy, uz = (vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1],
                      vertices[b, 2] - vertices[a, 2])  # fmt: skip
        vx, vy, vz = (vertices[c, 0] - vertices[a, 0], vertices[c, 1] - vertices[a, 1],
                      vertices[c, 2] - vertices[a, 2])  # fmt: skip
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        length = np.sqrt(nx * nx + ny * ny + nz * nz)
        longest = max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz)
        if not length > _FLAT * longest:
            continue
        low, high = min(a, b, c), max(a, b, c)
        at = _mixed(low, high, a + b + c - low - high) & np.uint64(size - 1)
        known = False
        while table[at] >= 0:
            if _same(faces, i, table[at]):
                known = True
                break
            at = (at + np.uint64(1)) & np.uint64(size - 1)
        if known:
            continue
        table[at] = i
        kept[count, 0], kept[count, 1], kept[count, 2] = a, b, c
        normals[count, 0], normals[count, 1] = nx / length, ny / length
        normals[count, 2] = nz / length
        count += 1
    return kept[:count], normals[:count]


@_compiled
def _across_edges(faces: IntArray) -> IntArray:
    """Third corner of the triangle beyond each edge, (F, 3); -1 at a border."""
    result = np.full(faces.shape, -1, dtype=np.int32)
    size = _places(3 * len(faces))
    table = np.full(size, -1, dtype=np.int64)
    for edge in range(3 * len(faces)):
        i, k = edge // 3, edge % 3
        a, b = faces[i, k], faces[i, (k + 1) % 3]
        low, high = min(a, b), max(a, b)
        at = _mixed(low, high, 0) & np.uint64(size - 1)
        while table[at] >= 0:
            j, n = table[at] // 3, table[at] % 3
            p, q = faces[j, n], faces[j, (n + 1) % 3]
            if min(p, q) == low and max(p, q) == high:
                result[i, k] = faces[j, (n + 2) % 3]
                if result[j, n] < 0:
                    result[j, n] = faces[i, (k + 2) % 3]
                break
            at = (at + np.uint64(1)) & np.uint64(size - 1)
        if table[at] < 0:
            table[at] = edge
    return result


@_compiled
def _rings(faces: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """Neighbours of each vertex one after the other, some twice, and where those of each begin."""
    start = np.zeros(count + 1, dtype=np.int32)
    for i in range(len(faces)):
        for k in range(3):
            start[faces[i, k] + 1] += 2
    for v in range(count):
        start[v + 1] += start[v]
    at = start[:-1].copy()
    ring = np.empty(6 * len(faces), dtype=np.int32)
    for i in range(len(faces)):
        for k in range(3):
            v = faces[i, k]
            ring[at[v]] = faces[i, (k + 1) % 3]
            ring[at[v] + 1] = faces[i, (k + 2) % 3]
            at[v] += 2
    return start, ring


@_compiled
def _curve_keys(vertices: FloatArray, faces: IntArray) -> NDArray[np.int64]:
    """Numbers that sort triangles along a space-filling curve through a cube, (F,)."""
    low = np.full(3, np.inf)
    high = -low
    for v in range(len(vertices)):
        for k in range(3):
            low[k], high[k] = min(low[k], vertices[v, k]), max(high[k], vertices[v, k])
    extent = max(high[0] - low[0], high[1] - low[1], high[2] - low[2])
    scale = 2097151.0 / extent if extent > 0.0 else 0.0
    keys = np.zeros(len(faces), dtype=np.int64)
    for i in range(len(faces)):
        for k in range(3):
            middle = 0.0
            for n in range(3):
                middle += vertices[faces[i, n], k] / 3.0
            cell = int((middle - low[k]) * scale)
            for bit in range(21):
                keys[i] |= ((cell >> bit) & 1) << (3 * bit + k)
    return keys


@_compiled
def _tree_boxes(vertices: FloatArray, faces: IntArray, leaves: int, leaf: int) -> FloatArray:
    """Boxes of a complete tree over blocks of triangles, as a heap, (2 leaves - 1, 6)."""
    tree = np.empty((2 * leaves - 1, 6))
    tree[:, :3], tree[:, 3:] = np.inf, -np.inf
    for i in range(len(faces)):
        node = leaves - 1 + i // leaf
        for n in range(3):
            for k in range(3):
                value = vertices[faces[i, n], k]
                tree[node, k] = min(tree[node, k], value)
                tree[node, 3 + k] = max(tree[node, 3 + k], value)
    for node in range(leaves - 2, -1, -1):
        for k in range(3):
            tree[node, k] = min(tree[2 * node + 1, k], tree[2 * node + 2, k])
            tree[node, 3 + k] = max(tree[2 * node + 1, 3 + k], tree[2 * node + 2, 3 + k])
    return tree


def _build(digest: str) -> tuple[Any, Any, Any]:
    @kept_entry(_WELD)
    def weld(
        vertices_at: int, vertex_count: int, faces_at: int, face_count: int, places_at: int,
        normals_at: int, counts_at: int,
    ) -> None:  # fmt: skip
        vertices = carray(pointer_f64(vertices_at), (vertex_count, 3))
        bits = carray(pointer_i64(vertices_at), (vertex_count, 3))
        faces = carray(pointer_i32(faces_at), (face_count, 3))
        places = carray(pointer_f64(places_at), (vertex_count, 3))
        normals = carray(pointer_f64(normals_at), (face_count, 3))
        number, count = _weld(vertices, bits)
        places[:count] = _gather(vertices, number, count)
        for i in range(face_count):
            for k in range(3):
                faces[i, k] = number[faces[i, k]]
        kept, found = _solid_faces(places, faces)
        faces[: len(kept)], normals[: len(kept)] = kept, found
        counts = pointer_i64(counts_at)
        counts[0], counts[1] = count, len(kept) if len(digest) > 0 else 0

    @kept_entry(_SORT)
    def sort(
        vertices_at: int, vertex_count: int, faces_at: int, face_count: int, keys_at: int
    ) -> None:
        vertices = carray(pointer_f64(vertices_at), (vertex_count, 3))
        faces = carray(pointer_i32(faces_at), (face_count, 3))
        if len(digest) > 0:
            carray(pointer_i64(keys_at), (face_count,))[:] = _curve_keys(vertices, faces)

    @kept_entry(_ARRANGE)
    def arrange(
        vertices_at: int, vertex_count: int, faces_at: int, face_count: int, leaves: int, leaf: int,
        tree_at: int, across_at: int, start_at: int, ring_at: int,
    ) -> None:  # fmt: skip
        vertices = carray(pointer_f64(vertices_at), (vertex_count, 3))
        faces = carray(pointer_i32(faces_at), (face_count, 3))
        tree = carray(pointer_f64(tree_at), (2 * leaves - 1, 6))
        tree[:] = _tree_boxes(vertices, faces, leaves, leaf)
        carray(pointer_i32(across_at), (face_count, 3))[:] = _across_edges(faces)
        start, ring = _rings(faces, vertex_count)
        carray(pointer_i32(start_at), (vertex_count + 1,))[:] = start
        if len(digest) > 0:
            carray(pointer_i32(ring_at), (6 * face_count,))[:] = ring

    return weld.ctypes, sort.ctypes, arrange.ctypes


@functools.cache
def _entries() -> tuple[Any, Any, Any]:
    return compiled("the preparation of meshes", _build, sys.modules[__name__], pointers)


def welded(vertices: FloatArray, faces: IntArray) -> tuple[FloatArray, IntArray, FloatArray]:
    """Weld equal vertices, and keep the triangles that have an area.

    Args:
        vertices: (V, 3), contiguous; no minus zeros.
        faces: (F, 3), contiguous; written to.

    Returns:
        Places (P, 3), triangles over them (T, 3), each once whichever way it is wound, and their
        unit normals (T, 3).
    """
    places, normals = np.empty_like(vertices), np.empty((len(faces), 3))
    counts = np.zeros(2, dtype=np.int64)
    _entries()[0](
        vertices.ctypes.data, len(vertices), faces.ctypes.data, len(faces),
        places.ctypes.data, normals.ctypes.data, counts.ctypes.data,
    )  # fmt: skip
    place_count, face_count = counts.tolist()
    return places[:place_count].copy(), faces[:face_count].copy(), normals[:face_count].copy()


def curve_keys(vertices: FloatArray, faces: IntArray) -> NDArray[np.int64]:
    """Numbers that sort triangles along a space-filling curve through a cube, (F,)."""
    keys = np.zeros(len(faces), dtype=np.int64)
    _entries()[1](
        vertices.ctypes.data, len(vertices), faces.ctypes.data, len(faces), keys.ctypes.data
    )
    return keys


class Arrangement(NamedTuple):
    """What is looked up in a mesh.

    Attributes:
        tree: Boxes of a complete tree over blocks of triangles, as a heap, (2 leaves - 1, 6).
        across: Third corner of the triangle beyond each edge, (F, 3); -1 at a border.
        start, ring: Where the neighbours of each vertex begin, (V + 1,), and the neighbours one
            after the other, some twice, (6 F,).
    """

    tree: FloatArray
    across: IntArray
    start: IntArray
    ring: IntArray


def arranged(vertices: FloatArray, faces: IntArray, leaves: int, leaf: int) -> Arrangement:
    """Boxes and neighbours of sorted triangles; all arrays contiguous."""
    made = Arrangement(
        np.empty((2 * leaves - 1, 6)),
        np.empty((len(faces), 3), dtype=np.int32),
        np.empty(len(vertices) + 1, dtype=np.int32),
        np.empty(6 * len(faces), dtype=np.int32),
    )
    _entries()[2](
        vertices.ctypes.data, len(vertices), faces.ctypes.data, len(faces), leaves, leaf,
        *(array.ctypes.data for array in made),
    )  # fmt: skip
    return made
