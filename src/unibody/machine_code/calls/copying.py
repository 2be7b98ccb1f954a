"""Copying numbers between many places in memory with one call."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.machine_code import pointers
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import ENTRY, make_functions, python_call
from unibody.machine_code.calls.objects import boxed, integer_at
from unibody.machine_code.compiled import compiled
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import pointer_i64

_ROW = 3  # words: where to, where from, how many words
_word_at = ctypes.c_int64.from_address
_DATA_AT = objects.ARRAY_AT if functions.builtins_work() else -1


def address_of(array: NDArray[Any]) -> int:
    """Where the numbers of an array begin: a third of the time that NumPy takes to say it."""
    if _DATA_AT < 0:
        return array.__array_interface__["data"][0]
    return _word_at(id(array) + _DATA_AT).value


class CopyPlan:
    """What is copied where.

    Attributes:
        address: Of the rows, behind their number; for ``copier``.
    """

    __slots__ = ("_kept", "_rows", "address")

    def __init__(self, rows: Sequence[tuple[int, int, int]], kept: Any) -> None:
        """Take addresses to write to and to read from, and numbers of words; keep what is read."""
        self._rows = np.array([len(rows), *(word for row in rows for word in row)], dtype=np.int64)
        self._kept = kept
        self.address: int = int(self._rows.ctypes.data)


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            plan = pointer_i64(integer_at(pointer_i64(args), 0))
            for k in range(plan[0]):
                row = 1 + k * _ROW
                to, origin = pointer_i64(plan[row]), pointer_i64(plan[row + 1])
                for i in range(plan[row + 2]):
                    to[i] = origin[i]
            return boxed(True)
        return python_call(self, args, count, names)

    return entry


@functools.cache
def copier() -> Callable[[int], Any]:
    """The compiled function that carries a plan out, by its address; None: it has done nothing."""
    entry = None
    if functions.builtins_work():
        sources = (sys.modules[__name__], functions, objects, pointers)
        entry = compiled("the copying of states", _build, *sources)
    return make_functions(entry, 1)[0]
