"""What surrounds MuJoCo's distance of two geoms, compiled by numba."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numba

from unibody.core.engine.builtins import functions, objects
from unibody.core.engine.builtins.functions import ENTRY, python_call, short_cut
from unibody.core.engine.builtins.objects import boxed, integer_at
from unibody.core.engine.queries.compiled import compiled
from unibody.core.engine.rows import pairs as pairs_module
from unibody.core.engine.rows import pointers
from unibody.core.engine.rows.pairs import boxes_apart
from unibody.core.engine.rows.pointers import Pointer, pointer_f64, pointer_i64

_ABSOLUTE = 1e-6  # m, as in ``overlap``
_APART = 0
_CLEAR = 1e-4  # m: where bounding boxes are farther apart, MuJoCo's answer is right
_PLANE = 0  # mjGEOM_PLANE


@numba.njit(error_model="numpy")
def _apart(  # noqa: PLR0913, PLR0917 - two boxes
    a: int, b: int, box: Pointer, place: Pointer, turn: Pointer, margin: float
) -> bool:
    """Whether the bounding boxes of two geoms are certain to be farther apart than a margin."""
    return boxes_apart(a, b, box, place, turn, margin) or boxes_apart(
        b, a, box, place, turn, margin
    )


@numba.njit(error_model="numpy")
def _near(args: Pointer) -> int:
    """Number of the pairs whose bounding volumes are not farther apart than a limit.

    Arguments: addresses of the pairs of geoms (n, 2) and their number; of the positions (ngeom, 3),
    rotations (ngeom, 9), boxes (ngeom, 6), bounding radii (0: it has none) and types of geoms, the
    latter as 64 bits; of room for the numbers of the pairs that were found (n,); the limit.
    """
    pairs, count = pointer_i64(integer_at(args, 0)), integer_at(args, 1)
    place, turn = pointer_f64(integer_at(args, 2)), pointer_f64(integer_at(args, 3))
    box, radius = pointer_f64(integer_at(args, 4)), pointer_f64(integer_at(args, 5))
    kind, out = pointer_i64(integer_at(args, 6)), pointer_i64(integer_at(args, 7))
    limit = pointer_f64(args[8] + objects.FLOAT_AT)[0]
    found = 0
    for k in range(count):
        a, b = pairs[2 * k], pairs[2 * k + 1]
        x = place[3 * b] - place[3 * a]
        y = place[3 * b + 1] - place[3 * a + 1]
        z = place[3 * b + 2] - place[3 * a + 2]
        if radius[a] > 0.0 and radius[b] > 0.0:
            near = math.sqrt(x * x + y * y + z * z) - radius[a] - radius[b] <= limit
            near = near and not _apart(a, b, box, place, turn, limit)
        elif kind[a] == _PLANE and radius[b] > 0.0:
            o = 9 * a
            above = turn[o + 2] * x + turn[o + 5] * y + turn[o + 8] * z
            near = above - radius[b] <= limit
        elif kind[b] == _PLANE and radius[a] > 0.0:
            o = 9 * b
            above = -turn[o + 2] * x - turn[o + 5] * y - turn[o + 8] * z
            near = above - radius[a] <= limit
        else:
            near = True
        if near:
            out[found] = k
            found += 1
    return boxed(found)


@numba.njit(error_model="numpy")
def _gap(args: Pointer) -> int:
    """Closest points and normal of two geoms that are apart.

    Arguments: numbers of the geoms; addresses of positions, rotations and bounding boxes of all
    geoms, and of the closest points (6,); the distance that MuJoCo found, and the one it looked
    up to.

    Returns:
        0 where the geoms are farther apart than that for certain; the closest points and the unit
        normal from B to A where the distance is a gap and agrees with the geoms; else nothing.
    """
    first, second = integer_at(args, 0), integer_at(args, 1)
    place, turn = pointer_f64(integer_at(args, 2)), pointer_f64(integer_at(args, 3))
    box, p = pointer_f64(integer_at(args, 4)), pointer_f64(integer_at(args, 5))
    distance = pointer_f64(args[6] + objects.FLOAT_AT)[0]
    if distance >= pointer_f64(args[7] + objects.FLOAT_AT)[0]:
        return boxed(_APART) if _apart(first, second, box, place, turn, _CLEAR) else 0
    x, y, z = p[0] - p[3], p[1] - p[4], p[2] - p[5]
    length = math.sqrt(x * x + y * y + z * z)
    if distance <= 0.0 or length < _ABSOLUTE:
        return 0
    x, y, z = x / length, y / length, z / length
    a, b = 3 * first, 3 * second
    ahead = x * (place[a] - p[0]) + y * (place[a + 1] - p[1]) + z * (place[a + 2] - p[2])
    behind = x * (place[b] - p[3]) + y * (place[b + 1] - p[4]) + z * (place[b + 2] - p[5])
    if ahead < -_ABSOLUTE or behind > _ABSOLUTE:
        return 0
    return boxed(((p[0], p[1], p[2]), (p[3], p[4], p[5]), (x + 0.0, y + 0.0, z + 0.0)))


def _build(digest: str) -> Any:
    @numba.cfunc(ENTRY, cache=True)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            found = _near(pointer_i64(args)) if short_cut(self) else _gap(pointer_i64(args))
            if found != 0:
                return found
        return python_call(self, args, count, names)

    return entry


class Kernels(NamedTuple):
    """The compiled functions. They return None where they have done nothing."""

    gap: Callable[..., Any]
    near: Callable[..., Any]


@functools.cache
def kernels() -> Kernels:
    """The functions, compiled when they are first needed."""
    sources = (sys.modules[__name__], functions, objects, pairs_module, pointers)
    entry = None
    if functions.layout_is_known():
        entry = compiled("the gaps of shapes", _build, *sources)
    return Kernels(*functions.make_functions(entry, len(Kernels._fields)))
