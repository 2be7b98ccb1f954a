"""Forces that contacts found again take over from earlier ones, compiled by numba."""

from __future__ import annotations

import functools
import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.machine_code import numba, pointers, types
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import rule
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import pointer_f64, pointer_i64

if TYPE_CHECKING:
    from unibody.machine_code.deferred import Late

MATCH_DISTANCE = 0.02  # m: a contact found again within this distance keeps its force
_MIX, _HIGH = 0x9E3779B1, 29  # of a hash: a large odd factor, and bits that are mixed in
_POSITION, _FORCE = 3, 10  # rows of ``Contacts.numbers``: position on B, and three forces
carray: Late = numba.carray  # pyright: ignore[reportPrivateImportUsage] - numba exports it


@rule
def _place(a: int, b: int, c: int, d: int, mask: int) -> int:
    """Where in a table of ``mask + 1`` places contacts between two links are."""
    mixed = ((a * _MIX + b) * _MIX + c) * _MIX + d
    return (mixed ^ (mixed >> _HIGH)) & mask


@rule
def _inherit(
    known: NDArray[np.int64],
    earlier: NDArray[np.float64],
    wanted: NDArray[np.int64],
    found: NDArray[np.float64],
) -> None:
    """Give each contact the force of the nearest earlier one of the same links.

    Args:
        known: Ids of the earlier contacts, (4, M).
        earlier: Their numbers, (19, M).
        wanted: Ids of the new contacts, (4, N).
        found: Their numbers, (19, N); the forces are written to.
    """
    count = known.shape[1]
    mask = 1
    while mask < count:
        mask = 2 * mask + 1
    first = np.full(mask + 1, -1, dtype=np.int64)  # contact of each place
    following = np.empty(count, dtype=np.int64)  # the next one of the same place
    for j in range(count - 1, -1, -1):
        place = _place(known[0, j], known[1, j], known[2, j], known[3, j], mask)
        following[j] = first[place]
        first[place] = j
    taken = np.zeros(count, dtype=np.bool_)
    for i in range(wanted.shape[1]):
        a, b, c, d = wanted[0, i], wanted[1, i], wanted[2, i], wanted[3, i]
        nearest, least = -1, math.inf
        j = first[_place(a, b, c, d, mask)]
        while j >= 0:
            same = known[0, j] == a and known[1, j] == b and known[2, j] == c and known[3, j] == d
            if same and not taken[j]:
                squared = 0.0
                for k in range(_POSITION, _POSITION + 3):
                    squared += (earlier[k, j] - found[k, i]) ** 2
                if squared < least:
                    nearest, least = j, squared
            j = following[j]
        if nearest >= 0 and least <= MATCH_DISTANCE * MATCH_DISTANCE:
            taken[nearest] = True
            for k in range(_FORCE, _FORCE + 3):
                found[k, i] = earlier[k, nearest]


def _build(digest: str) -> Any:
    @kept_entry(types.void(*[types.int64] * 6))
    def inherit(  # noqa: PLR0913, PLR0917 - two tables
        known: int, earlier: int, count: int, wanted: int, found: int, more: int
    ) -> None:
        if len(digest) > 0:
            _inherit(
                carray(pointer_i64(known), (4, count)),
                carray(pointer_f64(earlier), (19, count)),
                carray(pointer_i64(wanted), (4, more)),
                carray(pointer_f64(found), (19, more)),
            )

    return inherit.ctypes


@functools.cache
def _kernel() -> Any:
    return compiled("the search for earlier contacts", _build, sys.modules[__name__], pointers)


def inherit_forces(earlier: tuple[int, int], count: int, found: tuple[int, int], more: int) -> None:
    """Give each contact the force of the nearest earlier one of the same links.

    Args:
        earlier: Addresses of ids (4, count) and numbers (19, count), see ``Contacts``.
        count: Number of them.
        found: The same of the new contacts; the forces are written to.
        more: Number of those.
    """
    _kernel()(*earlier, count, *found, more)
