"""The box of one link, turned into the world, compiled by numba."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numba

from unibody.core.engine.builtins import functions, objects
from unibody.core.engine.builtins.functions import ENTRY, python_call
from unibody.core.engine.builtins.objects import boxed, integer_at
from unibody.core.engine.queries.compiled import compiled
from unibody.core.engine.rows import pointers
from unibody.core.engine.rows.pointers import Pointer, pointer_f64, pointer_i64


@numba.njit(error_model="numpy")
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


def _build(digest: str) -> Any:
    @numba.cfunc(ENTRY, cache=True)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            return _box(pointer_i64(args))
        return python_call(self, args, count, names)

    return entry


@functools.cache
def turned_box() -> Callable[..., Any]:
    """The compiled function, or one that returns None."""
    sources = (sys.modules[__name__], functions, objects, pointers)
    entry = None
    if functions.layout_is_known():
        entry = compiled("the boxes of links", _build, *sources)
    return functions.make_functions(entry, 1)[0]
