"""Forces that contacts found again take over from earlier ones, compiled by numba."""

from __future__ import annotations

import functools
import math
import sys
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from unibody.core.engine.queries.compiled import compiled

MATCH_DISTANCE = 0.02  # m: a contact found again within this distance keeps its force
_POSITION, _FORCE = 3, 10  # rows of ``Contacts.numbers``: position on B, and three forces


@numba.njit
def _inherit(
    keys: NDArray[np.int64],
    order: NDArray[np.int64],
    known: NDArray[np.float64],
    wanted: NDArray[np.int64],
    found: NDArray[np.float64],
) -> None:
    """Give each contact the force of the nearest earlier one with the same key.

    Args:
        keys: What the earlier contacts touch, in rising order, (M,).
        order: Columns of the earlier contacts in that order, (M,).
        known: Their numbers, (19, M).
        wanted: What the new contacts touch, (N,).
        found: Their numbers, (19, N); the forces are written to.
    """
    taken = np.zeros(len(order), dtype=np.bool_)
    for i in range(len(wanted)):
        low, high = 0, len(keys)
        while low < high:
            middle = (low + high) // 2
            if keys[middle] < wanted[i]:
                low = middle + 1
            else:
                high = middle
        nearest, least = -1, math.inf
        while low < len(keys) and keys[low] == wanted[i]:
            j = order[low]
            squared = 0.0
            for k in range(_POSITION, _POSITION + 3):
                squared += (known[k, j] - found[k, i]) ** 2
            if not taken[low] and squared < least:
                nearest, least = low, squared
            low += 1
        if nearest >= 0 and least <= MATCH_DISTANCE * MATCH_DISTANCE:
            taken[nearest] = True
            for k in range(_FORCE, _FORCE + 3):
                found[k, i] = known[k, order[nearest]]


def _build(digest: str) -> Any:
    integers, numbers = types.int64[::1], types.float64[:, ::1]
    signature = types.void(integers, integers, numbers, integers, numbers)

    @numba.njit(signature, cache=True)
    def inherit(keys: Any, order: Any, known: Any, wanted: Any, found: Any) -> None:
        if len(digest) > 0:
            _inherit(keys, order, known, wanted, found)

    return inherit


@functools.cache
def _kernel() -> Any:
    return compiled("the search for earlier contacts", _build, sys.modules[__name__])


def inherit_forces(
    earlier: tuple[NDArray[np.int64], NDArray[np.float64]],
    found: tuple[NDArray[np.int64], NDArray[np.float64]],
) -> None:
    """Give each contact the force of the nearest earlier one of the same links.

    Args:
        earlier: Ids (4, M) and numbers (19, M), see ``Contacts``.
        found: The same of the new contacts; the forces are written to.
    """
    count = found[0].shape[1]
    if not count or not earlier[0].shape[1]:
        return
    ids = np.concatenate((earlier[0], found[0]), axis=1)
    links, keys = np.int64(ids[2:].max() + 2), np.zeros(ids.shape[1], dtype=np.int64)
    for row, size in zip(ids, (1, ids[1].max() + 2, links, links), strict=True):
        keys = keys * size + row + 1
    known, wanted = keys[:-count], keys[-count:]
    order = np.argsort(known, kind="stable")
    numbers = np.ascontiguousarray(earlier[1])
    _kernel()(known[order], order, numbers, np.array(wanted), found[1])
