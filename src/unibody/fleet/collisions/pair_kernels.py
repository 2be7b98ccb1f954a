"""Which collisions are new and which have ended: sorted keys of pairs, in one pass each.

The key of a pair is its smaller object number, times 2^32, plus the larger one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.machine_code import numba

_compiled = numba.njit(cache=True, error_model="numpy", nogil=True)
_HIGH = 32
_LOW = 0xFFFFFFFF


@_compiled
def keys_of(pairs: Any, rows: Any, bodies: Any) -> Any:
    """Keys of pairs, sorted.

    Args:
        pairs: (n, 2), indices into ``rows``, no pair twice.
        rows: Rows of ``bodies``.
        bodies: All objects.
    """
    keys = np.empty(len(pairs), dtype=np.int64)
    for n in range(len(pairs)):
        a, b = bodies[rows[pairs[n, 0]]].user, bodies[rows[pairs[n, 1]]].user
        keys[n] = (min(a, b) << _HIGH) | max(a, b)
    return np.sort(keys)


@_compiled
def at_rest(keys: Any, row_of: Any, bodies: Any) -> Any:
    """The keys of pairs neither of which moved.

    Args:
        keys: (n,).
        row_of: Row of ``bodies`` by object number; -1 without one.
        bodies: All objects.
    """
    kept = np.empty(len(keys), dtype=np.int64)
    count = 0
    for key in keys:
        moved = False
        for number in (key >> _HIGH, key & _LOW):
            row = row_of[number] if number < len(row_of) else -1
            moved = moved or (row >= 0 and bodies[row].moved != 0)
        if not moved:
            kept[count] = key
            count += 1
    return kept[:count]


@_compiled
def changes(before: Any, kept: Any, found: Any) -> tuple[Any, Any, Any]:
    """All pairs that collide now, those that began to, and those that ended.

    Args:
        before: Keys of those that did, sorted.
        kept: Those of them that were not checked again, sorted.
        found: Those that were found, sorted.
    """
    now = np.empty(len(kept) + len(found), dtype=np.int64)
    i, j, count = 0, 0, 0
    while i < len(kept) or j < len(found):
        if j == len(found) or (i < len(kept) and kept[i] <= found[j]):
            key = kept[i]
            i += 1
            if j < len(found) and found[j] == key:
                j += 1
        else:
            key = found[j]
            j += 1
        now[count] = key
        count += 1
    now = now[:count]
    started = np.empty(count, dtype=np.int64)
    ended = np.empty(len(before), dtype=np.int64)
    i, j, new, old = 0, 0, 0, 0
    while i < len(before) or j < count:
        if j == count or (i < len(before) and before[i] < now[j]):
            ended[old] = before[i]
            i, old = i + 1, old + 1
        elif i == len(before) or now[j] < before[i]:
            started[new] = now[j]
            j, new = j + 1, new + 1
        else:
            i, j = i + 1, j + 1
    return now, started[:new], ended[:old]


@_compiled
def any_moved(rows: Any, bodies: Any) -> bool:
    """Whether one of the rows moved since the last check."""
    for row in rows:  # noqa: SIM110 - a compiled loop
        if bodies[row].moved:
            return True
    return False


@_compiled
def all_seen(rows: Any, bodies: Any) -> None:
    """Take all rows for not moved."""
    for row in rows:
        bodies[row].moved = 0
