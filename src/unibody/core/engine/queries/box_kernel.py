"""The boxes of links, turned into the world, compiled by numba."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from unibody.machine_code import pointers
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import ENTRY, known_of, python_call
from unibody.machine_code.calls.objects import (
    boxed,
    integer_at,
    keep,
    new_tuple,
    read_number,
    read_numbers,
    set_item,
)
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer, pointer_f64, pointer_i64

_NOT_DONE = 0


@kernel
def _box(args: Pointer) -> int:
    """Both corners of a box.

    Arguments: addresses of position (3,) and rotation (9,) of the inertial frame, and of the box
    in it: centre (3,), half sizes (3,), and 0 for a ball, which does not turn.
    """
    p, r = pointer_f64(integer_at(args, 0)), pointer_f64(integer_at(args, 1))
    box = pointer_f64(integer_at(args, 2))
    x, y, z, hx, hy, hz = p[0], p[1], p[2], box[3], box[4], box[5]
    if box[6] != 0.0:
        x += r[0] * box[0] + r[1] * box[1] + r[2] * box[2]
        y += r[3] * box[0] + r[4] * box[1] + r[5] * box[2]
        z += r[6] * box[0] + r[7] * box[1] + r[8] * box[2]
        hx = abs(r[0]) * box[3] + abs(r[1]) * box[4] + abs(r[2]) * box[5]
        hy = abs(r[3]) * box[3] + abs(r[4]) * box[4] + abs(r[5]) * box[5]
        hz = abs(r[6]) * box[3] + abs(r[7]) * box[4] + abs(r[8]) * box[5]
    return boxed(((x - hx, y - hy, z - hz), (x + hx, y + hy, z + hz)))


@kernel
def _meeting(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """The names of those of some boxes that meet another one; nothing for unusual types.

    Arguments: how many boxes there are, addresses of the positions and rotations of all bodies, of
    the bodies (int64) and of seven numbers a box (see `_box`), address of room for the indices of
    those that meet it (int64) and of the objects that name the boxes (int64), smallest and largest
    corner, and what widens each box.
    """
    for i in range(2):
        if not read_numbers(known, args[7 + i], 3, numbers, 3 * i):
            return _NOT_DONE
    if not read_number(known, args[9], numbers, 6):
        return _NOT_DONE
    places, turns = integer_at(args, 1), integer_at(args, 2)
    bodies, boxes = pointer_i64(integer_at(args, 3)), integer_at(args, 4)
    out, found, margin = pointer_i64(integer_at(args, 5)), 0, numbers[6]
    for i in range(integer_at(args, 0)):
        p, r = pointer_f64(places + 24 * bodies[i]), pointer_f64(turns + 72 * bodies[i])
        box, meets = pointer_f64(boxes + 56 * i), True
        for k in range(3):
            middle, half = p[k], box[3 + k]
            if box[6] != 0.0:
                a, b, c = r[3 * k], r[3 * k + 1], r[3 * k + 2]
                middle += a * box[0] + b * box[1] + c * box[2]
                half = abs(a) * box[3] + abs(b) * box[4] + abs(c) * box[5]
            half += margin
            meets = meets and middle - half <= numbers[3 + k] and middle + half >= numbers[k]
        if meets:
            out[found] = i
            found += 1
    made, names = new_tuple(found), pointer_i64(integer_at(args, 6))
    for k in range(found):
        keep(names[out[k]])
        set_item(made, k, names[out[k]])
    return made


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            if functions.short_cut(self) == 0:
                return _box(pointer_i64(args))
            done = _meeting(known_of(self), functions.numbers_of(self), pointer_i64(args))
            if done != _NOT_DONE:
                return done
        return python_call(self, args, count, names)

    return entry


class Boxes(NamedTuple):
    """The compiled functions. They return None where they have done nothing."""

    turned: Callable[..., Any]
    meeting: Callable[..., Any]


@functools.cache
def box_functions() -> Boxes:
    """The compiled functions `_box` and `_meeting`, or ones that return None."""
    sources = (sys.modules[__name__], functions, objects, pointers)
    entry = None
    if functions.builtins_work():
        entry = compiled("the boxes of links", _build, *sources)
    return Boxes(*functions.make_functions(entry, len(Boxes._fields)))
