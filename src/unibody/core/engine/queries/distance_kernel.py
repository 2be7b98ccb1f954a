"""MuJoCo's distance of two geoms and what surrounds it, compiled by numba."""

from __future__ import annotations

import functools
import importlib
import math
import sys
from collections.abc import Callable
from typing import Any

from unibody.core.engine.rules import pair_filter as pairs_module
from unibody.core.engine.rules.pair_filter import boxes_apart
from unibody.machine_code import intrinsic, pointers, types
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import ENTRY, known_of, python_call
from unibody.machine_code.calls.objects import (
    boxed,
    drop,
    integer_at,
    keep,
    new_tuple,
    read_number,
    set_item,
    word_at,
)
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer, pointer_f64, pointer_i64

ir: Any = importlib.import_module("llvmlite.ir")  # comes with numba, untyped
_NOT_DONE = 0
_ABSOLUTE = 1e-6  # m, as in ``overlap``
_CHECKED, _ASK_OTHERWISE = 1, 2
_CLEAR = 1e-4  # m: where bounding boxes are farther apart, MuJoCo's answer is right
_PLANE = 0  # mjGEOM_PLANE
_ROOM = 1 << 20  # bytes: several times what MuJoCo needs for a distance


@kernel
def _apart(  # noqa: PLR0913, PLR0917 - two boxes
    a: int, b: int, box: Pointer, place: Pointer, turn: Pointer, margin: float
) -> bool:
    """Whether the bounding boxes of two geoms are certain to be farther apart than a margin."""
    return boxes_apart(a, b, box, place, turn, margin) or boxes_apart(
        b, a, box, place, turn, margin
    )


@kernel
def _find_near(args: Pointer, limit: float) -> int:
    """Number of the pairs whose bounding volumes are not farther apart than a limit.

    Arguments: addresses of the pairs of geoms (n, 2) and their number; of the positions (ngeom, 3),
    rotations (ngeom, 9), boxes (ngeom, 6), bounding radii (0: it has none) and types of geoms, the
    latter as 64 bits; of room for the numbers of the pairs that were found (n,).
    """
    pairs, count = pointer_i64(integer_at(args, 0)), integer_at(args, 1)
    place, turn = pointer_f64(integer_at(args, 2)), pointer_f64(integer_at(args, 3))
    box, radius = pointer_f64(integer_at(args, 4)), pointer_f64(integer_at(args, 5))
    kind, out = pointer_i64(integer_at(args, 6)), pointer_i64(integer_at(args, 7))
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
    return found


@intrinsic
def geom_distance(  # noqa: PLR0913, PLR0917 - the function's own arguments
    typing_context: Any, function: Any, model: Any, data: Any, a: Any, b: Any, limit: Any, out: Any
) -> Any:
    """``mj_geomDistance``, found at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word, number = ir.IntType(64), ir.DoubleType()
        kind = ir.FunctionType(number, [word, word, ir.IntType(32), ir.IntType(32), number, word])
        target = builder.inttoptr(args[0], kind.as_pointer())
        first, second = (builder.trunc(args[k], ir.IntType(32)) for k in (3, 4))
        return builder.call(target, [args[1], args[2], first, second, args[5], args[6]])

    words = (types.int64,) * 5
    return types.float64(*words, types.float64, types.int64), codegen


@kernel
def _none() -> int:
    return boxed(None)


@kernel
def _agrees(first: int, second: int, place: Pointer, p: Pointer, sign: float) -> float:
    """Length of the gap that MuJoCo found; 0 where its direction does not agree with the geoms."""
    x, y, z = p[0] - p[3], p[1] - p[4], p[2] - p[5]
    length = math.sqrt(x * x + y * y + z * z)
    if length < _ABSOLUTE or sign < 0.0:
        return 0.0
    x, y, z = x / length, y / length, z / length
    a, b = 3 * first, 3 * second
    ahead = x * (place[a] - p[0]) + y * (place[a + 1] - p[1]) + z * (place[a + 2] - p[2])
    behind = x * (place[b] - p[3]) + y * (place[b + 1] - p[4]) + z * (place[b + 2] - p[5])
    return length if ahead >= -_ABSOLUTE and behind <= _ABSOLUTE else 0.0


@kernel
def _vector(x: float, y: float, z: float) -> int:
    """A tuple; a function of its own, as numba declares C functions in its way."""
    return boxed((x, y, z))


@kernel
def made_row(  # noqa: PLR0913, PLR0917 - a vector
    head: int, tail: int, distance: float, p: Pointer, x: float, y: float, z: float
) -> int:
    """(head, point on A, point on B, normal, distance, tail) as one tuple."""
    before, behind = word_at(head + objects.SIZE_AT), word_at(tail + objects.SIZE_AT)
    made = new_tuple(before + 4 + behind)
    for i in range(before):
        item = word_at(head + objects.TUPLE_AT + 8 * i)
        keep(item)
        set_item(made, i, item)
    set_item(made, before, _vector(p[0], p[1], p[2]))
    set_item(made, before + 1, _vector(p[3], p[4], p[5]))
    set_item(made, before + 2, _vector(x, y, z))
    set_item(made, before + 3, boxed(distance))
    for i in range(behind):
        item = word_at(tail + objects.TUPLE_AT + 8 * i)
        keep(item)
        set_item(made, before + 4 + i, item)
    return made


@kernel
def _first_of(made: int, count: int) -> int:
    """A tuple of the first items of another, which is given up."""
    fewer = new_tuple(count)
    for i in range(count):
        item = word_at(made + objects.TUPLE_AT + 8 * i)
        keep(item)
        set_item(fewer, i, item)
    drop(made)
    return fewer


@kernel
def _measure(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Closest points and normals of the pairs of geoms that are near one another.

    Arguments: the eight of `_find_near`; address of a number for each pair (int64): 1 if MuJoCo's
    answer is worth a check, 0 if it is right, 2 if it has to be asked in another way; addresses of
    the function, of the model, of the data, of the size of MuJoCo's own memory and of what is used
    of it, and of room for the points (6,); of the tuples at the heads of the rows (int64); the
    tuple at the ends of all rows; and the limit.

    Returns:
        Nothing where MuJoCo's own memory is nearly full: it ends the process when it has none. Else
        a row (see `made_row`) for each pair within the limit. A pair whose answer is not certain is
        there by its number, and then the last item is None.
    """
    if not read_number(known, args[17], numbers, 0):
        return _NOT_DONE
    if word_at(integer_at(args, 12)) - word_at(integer_at(args, 13)) < _ROOM:
        return _NOT_DONE
    place, turn = pointer_f64(integer_at(args, 2)), pointer_f64(integer_at(args, 3))
    box, near = pointer_f64(integer_at(args, 4)), pointer_i64(integer_at(args, 7))
    pairs, trust = pointer_i64(integer_at(args, 0)), pointer_i64(integer_at(args, 8))
    function, model, data = integer_at(args, 9), integer_at(args, 10), integer_at(args, 11)
    points, heads, limit = integer_at(args, 14), pointer_i64(integer_at(args, 15)), numbers[0]
    beyond = max(limit, 0.0) * (1.0 + 1e-9) + 1e-6  # as `distances` asks
    p, count, kept, open_questions = pointer_f64(points), _find_near(args, beyond), 0, 0
    made = new_tuple(count + 1)
    for i in range(count):
        k = near[i]
        first, second = pairs[2 * k], pairs[2 * k + 1]
        distance, length, sign = 0.0, 0.0, 1.0
        if trust[k] != _ASK_OTHERWISE:
            distance = geom_distance(function, model, data, first, second, beyond, points)
            if distance >= beyond:
                checked = trust[k] == _CHECKED
                if not checked or _apart(first, second, box, place, turn, _CLEAR):
                    continue
            elif trust[k] == _CHECKED:
                length = _agrees(first, second, place, p, distance)
            else:
                length = math.sqrt((p[0] - p[3]) ** 2 + (p[1] - p[4]) ** 2 + (p[2] - p[5]) ** 2)
                sign = 1.0 if distance > 0.0 else -1.0
        if length < _ABSOLUTE:
            set_item(made, kept, boxed(k))
            kept += 1
            open_questions += 1
        elif distance <= limit:
            scale = sign / length
            x, y, z = (p[0] - p[3]) * scale, (p[1] - p[4]) * scale, (p[2] - p[5]) * scale
            row = made_row(heads[k], args[16], distance, p, x + 0.0, y + 0.0, z + 0.0)
            set_item(made, kept, row)
            kept += 1
    if open_questions > 0:
        set_item(made, kept, _none())
        kept += 1
    return made if kept == count + 1 else _first_of(made, kept)


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            found = _measure(known_of(self), functions.numbers_of(self), pointer_i64(args))
            if found != _NOT_DONE:
                return found
        return python_call(self, args, count, names)

    return entry


@functools.cache
def measure() -> Callable[..., Any]:
    """The compiled function `_measure`, or one that returns None."""
    sources = (sys.modules[__name__], functions, objects, pairs_module, pointers)
    entry = None
    if functions.builtins_work():
        entry = compiled("the gaps of shapes", _build, *sources)
    return functions.make_functions(entry, 1)[0]
