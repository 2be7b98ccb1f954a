"""Which of many contacts of a pair are kept, compiled by numba.

Contacts are rows of `ROW` numbers: position (3) [m], unit normal (3), distance [m], and a mark.
"""

from __future__ import annotations

import math

from unibody.core.assets.mesh.types import FloatArray
from unibody.core.engine.mesh_contacts.struct_fields import int64
from unibody.machine_code.jit import kernel

ROW = 8
MOST_FOUND = 160
MOST_KEPT = 45  # MuJoCo has room for 50 contacts of a pair
_DISTANCE, _MARK = 6, 7
_FREE, _MEMBER, _TAKEN, _DONE = 0.0, 1.0, 2.0, 3.0
ALIKE = 0.9  # cosine between the normals of contacts that stand for one another
SAME = 1e-6  # m^2 of a square metre: contacts closer than this are one
TOUCHING = 2e-3  # of the size: contacts that are as deep as the deepest but for this come first
DEEPER = 1e-8  # m


@kernel
def _gap(a: FloatArray, b: FloatArray) -> float:
    """Squared distance of two contacts."""
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return x * x + y * y + z * z


@kernel
def _turn(a: FloatArray, b: FloatArray, c: FloatArray) -> float:
    """Twice the area of three contacts, seen along the first one's normal: positive to the left."""
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    return a[3] * (uy * vz - uz * vy) + a[4] * (uz * vx - ux * vz) + a[5] * (ux * vy - uy * vx)


@kernel
def _farthest(found: FloatArray, count: int, start: int, deepest: float) -> int:
    """The member that is farthest from a contact; -1: none is elsewhere."""
    best, chosen = 0.0, int64(-1)
    for i in range(count):
        if found[i, _MARK] in (_MEMBER, _TAKEN) and found[i, _DISTANCE] <= deepest:
            gap = _gap(found[i], found[start])
            if gap > best:
                best, chosen = gap, i
    return chosen


@kernel
def _take_spread(found: FloatArray, count: int, seed: int, deepest: float, same: float) -> None:
    """Mark up to four members that span the others that are not farther than ``deepest``."""
    first = _farthest(found, count, seed, deepest)
    if first < 0:
        found[seed, _MARK] = _TAKEN
        return
    second = _farthest(found, count, first, deepest)
    found[first, _MARK] = found[second, _MARK] = _TAKEN
    left, right = int64(-1), int64(-1)
    most, least = same, -same
    for i in range(count):
        if found[i, _MARK] in (_MEMBER, _TAKEN) and found[i, _DISTANCE] <= deepest:
            turn = _turn(found[first], found[second], found[i])
            if turn > most:
                most, left = turn, i
            if turn < least:
                least, right = turn, i
    if left >= 0:
        found[left, _MARK] = _TAKEN
    if right >= 0:
        found[right, _MARK] = _TAKEN


@kernel
def _drop_copies(found: FloatArray, count: int, same: float) -> None:
    """Of contacts at one place, keep the deepest; contacts of all marks but done ones count."""
    for i in range(count):
        if found[i, _MARK] == _DONE:
            continue
        for j in range(i + 1, count):
            if found[j, _MARK] != _DONE and _gap(found[i], found[j]) <= same:
                if (
                    found[i, 3] * found[j, 3]
                    + found[i, 4] * found[j, 4]
                    + found[i, 5] * found[j, 5]
                    < ALIKE
                ):
                    continue
                if found[j, _DISTANCE] < found[i, _DISTANCE]:
                    found[i, _MARK] = _DONE
                    break
                found[j, _MARK] = _DONE


@kernel
def reduce_contacts(found: FloatArray, count: int, size: float) -> int:
    """Keep the contacts of a pair that matter, in the first rows.

    Of contacts with about the same normal these are the deepest one, up to four that span those
    as deep, and up to four that span all.

    Args:
        found: (MOST_FOUND, ROW); rows are moved.
        count: How many are filled.
        size: Of the geom [m].

    Returns:
        How many are left, at most MOST_KEPT.
    """
    same = SAME * size * size
    for i in range(count):
        found[i, _MARK] = _FREE
    _drop_copies(found, count, same)
    kept = int64(0)
    while kept < MOST_KEPT:
        seed = _deepest(found, kept, count)
        if seed < 0:
            break
        deepest = found[seed, _DISTANCE]
        _gather(found, kept, count, seed)
        _take_spread(found, count, seed, deepest + TOUCHING * size, same)
        _take_spread(found, count, seed, math.inf, same)
        kept = _move_taken(found, kept, count, seed)
    return kept


@kernel
def _deepest(found: FloatArray, begin: int, count: int) -> int:
    """The deepest contact that is free; -1: there is none."""
    seed, deepest = int64(-1), math.inf
    for i in range(begin, count):
        if found[i, _MARK] == _FREE and found[i, _DISTANCE] < deepest:
            seed, deepest = i, found[i, _DISTANCE]
    return seed


@kernel
def _gather(found: FloatArray, begin: int, count: int, seed: int) -> None:
    """Make members of the free contacts with a normal like that of one of them."""
    nx, ny, nz = found[seed, 3], found[seed, 4], found[seed, 5]
    for i in range(begin, count):
        alike = nx * found[i, 3] + ny * found[i, 4] + nz * found[i, 5] > ALIKE
        if found[i, _MARK] == _FREE and (alike or i == seed):
            found[i, _MARK] = _MEMBER


@kernel
def _move_taken(found: FloatArray, kept: int, count: int, seed: int) -> int:
    """Move what was taken, and the seed if it is deeper, to those that are kept."""
    lowest = math.inf
    for i in range(kept, count):
        if found[i, _MARK] == _TAKEN:
            lowest = min(lowest, found[i, _DISTANCE])
    if found[seed, _DISTANCE] < lowest - DEEPER:
        found[seed, _MARK] = _TAKEN
    made = kept
    for i in range(kept, count):
        if found[i, _MARK] == _TAKEN and made < MOST_KEPT:
            found[i, _MARK] = _DONE
            for k in range(ROW):
                found[i, k], found[made, k] = found[made, k], found[i, k]
            made += 1
        if found[i, _MARK] in (_MEMBER, _TAKEN):
            found[i, _MARK] = _DONE
    return made
