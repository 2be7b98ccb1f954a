# ruff: noqa: PLR0913, PLR0917 - kernels take their state as plain arguments
"""Casting many rays against all shapes of a world, compiled by numba.

The shapes are passed as a table of addresses (see `Slot`): unpacking a dozen arrays from Python
would cost more than a ray does.
"""

from __future__ import annotations

import enum
import functools
import math
import sys
from typing import Any, NamedTuple

import mujoco
import numpy as np

from unibody.core.engine.mesh_contacts import surface
from unibody.core.engine.queries import ray_shapes, ray_tree, ray_triangles
from unibody.core.engine.queries.ray_shapes import (
    cross_heightfield,
    cross_plane,
    enter_box,
    enter_capsule,
    enter_cylinder,
    enter_ellipsoid,
    enter_hull,
)
from unibody.core.engine.queries.ray_tree import BLOCK, entry
from unibody.core.engine.queries.ray_triangles import cross_triangles
from unibody.machine_code import pointers, types
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import ENTRY, known_of, python_call
from unibody.machine_code.calls.objects import boxed, integer_at, read_numbers
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import kernel, rule
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import (
    pointer_f64,
    pointer_i32,
    pointer_i64,
)

_GEOM = mujoco.mjtGeom
PLANE, HEIGHTFIELD = int(_GEOM.mjGEOM_PLANE), int(_GEOM.mjGEOM_HFIELD)
SPHERE, CAPSULE = int(_GEOM.mjGEOM_SPHERE), int(_GEOM.mjGEOM_CAPSULE)
ELLIPSOID, CYLINDER = int(_GEOM.mjGEOM_ELLIPSOID), int(_GEOM.mjGEOM_CYLINDER)
BOX = int(_GEOM.mjGEOM_BOX)


class Slot(enum.IntEnum):
    """What each number of the table is: a count, or the address of an array over geoms."""

    COUNT = 0  # number of geoms that are tried one by one
    ACTIVE = 1  # int64 (count,): those geoms
    TYPE = 2  # int32: mjtGeom
    SIZE = 3  # float64 (., 3); of a height field, its half sizes and its height
    REACH = 4  # float64: radius of the sphere around the geom, 0: unbounded
    POSITION = 5  # float64 (., 3)
    ROTATION = 6  # float64 (., 9)
    FACES = 7  # int64 (., 2): first face and number of faces of a mesh
    PLANES = 8  # float64 (faces, 4): outward normal and offset
    # int64 (., 3): first height, rows and columns of a height field; or the address of the record
    # of a mesh of triangles, 0 and 0
    GRID = 9
    HEIGHTS = 10  # float64 (heights,)
    BODY = 11  # int64: scene body id
    LINK = 12  # int64: link index
    LEAVES = 13  # number of leaves of the tree over the other geoms; 0: there is none
    TREE_COUNT = 14  # number of geoms in the tree
    TREE_GEOMS = 15  # int64 (tree count,): those geoms in the order of the leaves
    TREE = 16  # float64 (2 leaves - 1, 6): boxes of the nodes
    SIZE_OF_TABLE = 17


_COUNT, _ACTIVE, _TYPE, _SIZE = int(Slot.COUNT), int(Slot.ACTIVE), int(Slot.TYPE), int(Slot.SIZE)
_REACH, _POSITION, _ROTATION = int(Slot.REACH), int(Slot.POSITION), int(Slot.ROTATION)
_FACES, _PLANES, _GRID = int(Slot.FACES), int(Slot.PLANES), int(Slot.GRID)
_HEIGHTS, _BODY, _LINK = int(Slot.HEIGHTS), int(Slot.BODY), int(Slot.LINK)
_LEAVES, _TREE_COUNT = int(Slot.LEAVES), int(Slot.TREE_COUNT)
_TREE_GEOMS, _TREE = int(Slot.TREE_GEOMS), int(Slot.TREE)
_DEPTH = 64  # more levels than the tree of any world has
NUMBERS = 7  # of a hit: fraction, position, normal
_START = -1.0  # before all fractions
_NEXT = 1e-9  # crossings of a mesh of triangles that are closer than this are one


@rule
def _near(table: Any, geom: int, o: Any, d: Any, best: float) -> bool:
    """Can the ray meet the sphere around the geom before ``best``?"""
    reach = pointer_f64(table[_REACH])[geom]
    if reach <= 0.0:
        return True
    position = pointer_f64(table[_POSITION])
    x = position[3 * geom] - o[0]
    y = position[3 * geom + 1] - o[1]
    z = position[3 * geom + 2] - o[2]
    along = x * d[0] + y * d[1] + z * d[2]
    square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    t = min(max(along, 0.0), square * best)
    # |centre - (o + t/square d)|^2 <= reach^2, without the division
    gap = x * x + y * y + z * z
    return (gap - reach * reach) * square <= t * (2.0 * along - t)


@rule
def _enter(table: Any, geom: int, origin: Any, direction: Any, after: float) -> Any:
    """Fraction and world normal where a ray enters a geom.

    It crosses a mesh of triangles beyond the fraction ``after``.
    """
    p = pointer_f64(table[_POSITION])
    r = pointer_f64(table[_ROTATION])
    size = pointer_f64(table[_SIZE])
    kind = pointer_i32(table[_TYPE])[geom]
    at, turn = 3 * geom, 9 * geom
    x, y, z = origin[0] - p[at], origin[1] - p[at + 1], origin[2] - p[at + 2]
    o = (
        r[turn] * x + r[turn + 3] * y + r[turn + 6] * z,
        r[turn + 1] * x + r[turn + 4] * y + r[turn + 7] * z,
        r[turn + 2] * x + r[turn + 5] * y + r[turn + 8] * z,
    )
    x, y, z = direction
    d = (
        r[turn] * x + r[turn + 3] * y + r[turn + 6] * z,
        r[turn + 1] * x + r[turn + 4] * y + r[turn + 7] * z,
        r[turn + 2] * x + r[turn + 5] * y + r[turn + 8] * z,
    )
    if kind == BOX:
        t, x, y, z = enter_box(o, d, size[at], size[at + 1], size[at + 2])
    elif kind == SPHERE:
        t, x, y, z = enter_ellipsoid(o, d, size[at], size[at], size[at])
    elif kind == CAPSULE:
        t, x, y, z = enter_capsule(o, d, size[at], size[at + 1])
    elif kind == CYLINDER:
        t, x, y, z = enter_cylinder(o, d, size[at], size[at + 1])
    elif kind == ELLIPSOID:
        t, x, y, z = enter_ellipsoid(o, d, size[at], size[at + 1], size[at + 2])
    elif kind == PLANE:
        t, x, y, z = cross_plane(o, d)
    elif kind == HEIGHTFIELD:
        grid = pointer_i64(table[_GRID])
        if grid[at + 1] == 0:
            t, x, y, z = cross_triangles(o, d, grid[at], after)
        else:
            t, x, y, z = cross_heightfield(
                o, d, pointer_f64(table[_HEIGHTS]), grid[at], grid[at + 1], grid[at + 2],
                size[at], size[at + 1], size[at + 2],
            )  # fmt: skip
    else:
        faces = pointer_i64(table[_FACES])
        t, x, y, z = enter_hull(
            o, d, pointer_f64(table[_PLANES]), faces[2 * geom], faces[2 * geom + 1]
        )
    return (
        t,
        r[turn] * x + r[turn + 1] * y + r[turn + 2] * z,
        r[turn + 3] * x + r[turn + 4] * y + r[turn + 5] * z,
        r[turn + 6] * x + r[turn + 7] * y + r[turn + 8] * z,
    )


@rule
def _is_triangles(table: Any, geom: int) -> bool:
    """Whether a geom is a mesh of triangles, which a ray can cross several times."""
    field = pointer_i32(table[_TYPE])[geom] == HEIGHTFIELD
    return field and pointer_i64(table[_GRID])[3 * geom + 1] == 0


@rule
def _write(
    table: Any, geom: int, origin: Any, direction: Any, hit: Any, ids: Any, numbers: Any,
    ray: int, count: int,
) -> None:  # fmt: skip
    """Write the hit of one ray; ``geom`` -1 is a miss."""
    if geom < 0:
        ids[ray], ids[count + ray] = -1, -1
        numbers[ray] = 1.0
        for k in range(1, NUMBERS):
            numbers[k * count + ray] = 0.0
        return
    ids[ray] = pointer_i64(table[_BODY])[geom]
    ids[count + ray] = pointer_i64(table[_LINK])[geom]
    numbers[ray] = hit[0]
    for k in range(3):
        numbers[(1 + k) * count + ray] = origin[k] + hit[0] * direction[k]
        numbers[(4 + k) * count + ray] = hit[1 + k]


@rule
def _through_tree(
    table: Any, o: Any, d: Any, best: Any, found: int, stack: Any, starts: Any
) -> Any:
    """The first hit among the geoms of the tree, if it comes before ``best``."""
    tree, geoms = pointer_f64(table[_TREE]), pointer_i64(table[_TREE_GEOMS])
    leaves, count = table[_LEAVES], table[_TREE_COUNT]
    inverse = (
        1.0 / d[0] if d[0] != 0.0 else math.inf,
        1.0 / d[1] if d[1] != 0.0 else math.inf,
        1.0 / d[2] if d[2] != 0.0 else math.inf,
    )
    stack[0], starts[0] = 0, entry(tree, 0, o, inverse, best[0])
    height = 1
    while height > 0:
        height -= 1
        node = stack[height]
        if starts[height] > best[0]:
            continue
        if node < leaves - 1:
            near, far = 2 * node + 1, 2 * node + 2
            t_near = entry(tree, near, o, inverse, best[0])
            t_far = entry(tree, far, o, inverse, best[0])
            if t_far < t_near:
                near, far, t_near, t_far = far, near, t_far, t_near
            if t_far <= best[0]:
                stack[height], starts[height] = far, t_far
                height += 1
            if t_near <= best[0]:
                stack[height], starts[height] = near, t_near
                height += 1
            continue
        first = BLOCK * (node - (leaves - 1))
        for k in range(first, min(first + BLOCK, count)):
            if _near(table, geoms[k], o, d, best[0]):
                hit = _enter(table, geoms[k], o, d, _START)
                if hit[0] < best[0]:
                    best, found = hit, geoms[k]
    return best, found


@rule
def _first_of_each(table: Any, o: Any, d: Any) -> Any:
    """The first hit among the geoms that are tried one by one, and its geom (-1: none)."""
    active = pointer_i64(table[_ACTIVE])
    best, found = (1.0, 0.0, 0.0, 0.0), -1
    for k in range(table[_COUNT]):
        geom = active[k]
        if _near(table, geom, o, d, best[0]):
            hit = _enter(table, geom, o, d, _START)
            if hit[0] < best[0]:
                best, found = hit, geom
    return best, found


@rule
def _cast(
    table_at: int, from_at: int, to_at: int, count: int, ids_at: int, numbers_at: int
) -> None:
    """The first hit of every ray.

    Args:
        table_at: Address of the table.
        from_at: Address of the starts, float64 (count, 3) [m].
        to_at: Address of the ends, float64 (count, 3) [m].
        count: Number of rays.
        ids_at: Address of int64 (2, count): body and link that was hit, -1 and -1 for none.
        numbers_at: Address of float64 (7, count): fraction, position, normal.
    """
    table = pointer_i64(table_at)
    start, end = pointer_f64(from_at), pointer_f64(to_at)
    stack, starts = np.empty(_DEPTH, dtype=np.int64), np.empty(_DEPTH)
    for ray in range(count):
        i = 3 * ray
        o = (start[i], start[i + 1], start[i + 2])
        d = (end[i] - o[0], end[i + 1] - o[1], end[i + 2] - o[2])
        best, found = _first_of_each(table, o, d)
        if table[_LEAVES] > 0:
            best, found = _through_tree(table, o, d, best, found, stack, starts)
        _write(table, found, o, d, best, pointer_i64(ids_at), pointer_f64(numbers_at), ray, count)


@rule
def _select(table: Any, hits: Any, geoms: Any, found: int, number: int, epsilon: float) -> int:
    """Index of the ``number``-th hit in order of distance, -1 if there are fewer.

    Of the hits of one link that are at most ``epsilon`` apart only the first counts.
    """
    body, link = pointer_i64(table[_BODY]), pointer_i64(table[_LINK])
    for i in range(1, found):  # insertion sort: a ray rarely meets more than a few shapes
        value, geom = hits[i], geoms[i]
        k = i
        while k > 0 and hits[k - 1] > value:
            hits[k], geoms[k] = hits[k - 1], geoms[k - 1]
            k -= 1
        hits[k], geoms[k] = value, geom
    seen = 0
    for i in range(found):
        again = False
        for k in range(i):
            again |= (
                body[geoms[k]] == body[geoms[i]]
                and link[geoms[k]] == link[geoms[i]]
                and hits[i] - hits[k] <= epsilon
            )
        if not again:
            if seen == number:
                return i
            seen += 1
    return -1


@rule
def _cast_through(
    table_at: int, from_at: int, to_at: int, count: int, number: int, epsilon: float, ids_at: int,
    numbers_at: int, hits_at: int, geoms_at: int, room: int,
) -> None:  # fmt: skip
    """The ``number``-th hit of every ray, counted from 0 in order of distance.

    Args as `_cast`, and:
        number: Which hit.
        epsilon: Hits of one link are the same up to this difference of fractions.
        hits_at: Address of memory for ``room`` float64.
        geoms_at: Address of memory for ``room`` int64.
        room: More than there are geoms.
    """
    table = pointer_i64(table_at)
    start, end = pointer_f64(from_at), pointer_f64(to_at)
    active = pointer_i64(table[_ACTIVE])
    hits, geoms = pointer_f64(hits_at), pointer_i64(geoms_at)
    for ray in range(count):
        i = 3 * ray
        o = (start[i], start[i + 1], start[i + 2])
        d = (end[i] - o[0], end[i + 1] - o[1], end[i + 2] - o[2])
        found = 0
        for k in range(table[_COUNT]):
            geom = active[k]
            if _near(table, geom, o, d, 1.0):
                t = _enter(table, geom, o, d, _START)[0]
                again = _is_triangles(table, geom)
                while t < 1.0:
                    hits[found], geoms[found] = t, geom
                    found += 1
                    if not again or found + table[_COUNT] - k > room:
                        break
                    t = _enter(table, geom, o, d, t + _NEXT)[0]
        chosen = _select(table, hits, geoms, found, number, epsilon)
        best, geom = (1.0, 0.0, 0.0, 0.0), -1
        if chosen >= 0:
            geom = geoms[chosen]
            best = _enter(table, geom, o, d, hits[chosen] - 0.5 * _NEXT)
        _write(table, geom, o, d, best, pointer_i64(ids_at), pointer_f64(numbers_at), ray, count)


@kernel
def _cast_one(known: Any, numbers: Any, args: Any) -> int:
    """The first hit of one ray as a Python tuple; 0 for arguments of unusual types.

    Arguments: address of the table (without a tree), start, end.
    """
    if not read_numbers(known, args[1], 3, numbers, 0):
        return 0
    if not read_numbers(known, args[2], 3, numbers, 3):
        return 0
    table = pointer_i64(integer_at(args, 0))
    o = (numbers[0], numbers[1], numbers[2])
    d = (numbers[3] - o[0], numbers[4] - o[1], numbers[5] - o[2])
    best, geom = _first_of_each(table, o, d)
    if geom < 0:
        nowhere = (0.0, 0.0, 0.0)
        return boxed((-1, -1, 1.0, nowhere, nowhere))
    f = best[0]
    place = (o[0] + f * d[0], o[1] + f * d[1], o[2] + f * d[2])
    body, link = pointer_i64(table[_BODY])[geom], pointer_i64(table[_LINK])[geom]
    return boxed((body, link, f, place, (best[1], best[2], best[3])))


class Kernels(NamedTuple):
    """The compiled functions; the arguments of each are those of its namesake, as int64.

    ``cast_one`` returns None for arguments of unusual types, and where it cannot be compiled.
    """

    cast: Any
    cast_through: Any
    sort_keys: Any
    build: Any
    cast_one: Any


def _build(digest: str) -> Kernels:
    six, seven = (types.void(*[types.int64] * count) for count in (6, 7))
    through = types.void(*[types.int64] * 5, types.float64, *[types.int64] * 5)

    @kept_entry(six)
    def cast(a: int, b: int, c: int, d: int, e: int, f: int) -> None:
        if len(digest) > 0:
            _cast(a, b, c, d, e, f)

    @kept_entry(through)
    def cast_through(
        a: int, b: int, c: int, d: int, e: int, epsilon: float, f: int, g: int, h: int, i: int,
        j: int,
    ) -> None:  # fmt: skip
        if len(digest) > 0:
            _cast_through(a, b, c, d, e, epsilon, f, g, h, i, j)

    @kept_entry(seven)
    def sort_keys(a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> None:
        if len(digest) > 0:
            ray_tree.sort_keys(a, b, c, d, e, f, g)

    @kept_entry(seven)
    def build(a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> None:
        if len(digest) > 0:
            ray_tree.build(a, b, c, d, e, f, g)

    cast_one = functions.make_functions(_entry(digest), 1)[0]
    return Kernels(cast.ctypes, cast_through.ctypes, sort_keys.ctypes, build.ctypes, cast_one)


def _entry(digest: str) -> Any:
    """How Python enters ``_cast_one``."""
    if not functions.builtins_work():
        return None

    @kept_entry(ENTRY)
    def entry_of_one(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            hit = _cast_one(known_of(self), functions.numbers_of(self), pointer_i64(args))
            if hit != 0:
                return hit
        return python_call(self, args, count, names)

    return entry_of_one


@functools.cache
def kernels() -> Kernels:
    """The compiled functions."""
    rays = (sys.modules[__name__], ray_shapes, ray_tree, ray_triangles)
    sources = (*rays, surface, functions, objects, pointers)
    return compiled("the casting of rays", _build, *sources)
