# pyright: basic, reportInvalidTypeForm=false
"""Which of many contacts are kept, on a Warp device: the second execution of ``contact_reduction``.

Contacts are rows of eight numbers: position, unit normal, distance, and a mark.
"""

from __future__ import annotations

import warp as wp

from unibody.core.engine.mesh_contacts import contact_reduction

ROW: int = wp.constant(contact_reduction.ROW)
MOST_KEPT: int = wp.constant(contact_reduction.MOST_KEPT)
DISTANCE: int = wp.constant(6)
MARK: int = wp.constant(7)
FREE: float = wp.constant(0.0)
MEMBER: float = wp.constant(1.0)
TAKEN: float = wp.constant(2.0)
DONE: float = wp.constant(3.0)
ALIKE: float = wp.constant(contact_reduction.ALIKE)
SAME: float = wp.constant(contact_reduction.SAME)
TOUCHING: float = wp.constant(contact_reduction.TOUCHING)
DEEPER: float = wp.constant(1e-7)  # m
ANY: float = wp.constant(1e30)


@wp.func
def _place(found: wp.array2d(dtype=float), i: int) -> wp.vec3:
    return wp.vec3(found[i, 0], found[i, 1], found[i, 2])


@wp.func
def _normal(found: wp.array2d(dtype=float), i: int) -> wp.vec3:
    return wp.vec3(found[i, 3], found[i, 4], found[i, 5])


@wp.func
def _drop_copies(found: wp.array2d(dtype=float), count: int, same: float):
    for i in range(count):
        if found[i, MARK] != DONE:
            j = i + 1
            while j < count:
                way = _place(found, i) - _place(found, j)
                near = found[j, MARK] != DONE and wp.dot(way, way) <= same
                if near and wp.dot(_normal(found, i), _normal(found, j)) >= ALIKE:
                    if found[j, DISTANCE] < found[i, DISTANCE]:
                        found[i, MARK] = DONE
                        j = count
                    else:
                        found[j, MARK] = DONE
                j += 1


@wp.func
def _is_wanted(found: wp.array2d(dtype=float), i: int, deepest: float) -> bool:
    mark = found[i, MARK]
    return (mark == MEMBER or mark == TAKEN) and found[i, DISTANCE] <= deepest


@wp.func
def _farthest(found: wp.array2d(dtype=float), count: int, start: int, deepest: float) -> int:
    best = float(0.0)
    chosen = int(-1)
    for i in range(count):
        if _is_wanted(found, i, deepest):
            way = _place(found, i) - _place(found, start)
            gap = wp.dot(way, way)
            if gap > best:
                best = gap
                chosen = i
    return chosen


@wp.func
def _take_spread(
    found: wp.array2d(dtype=float), count: int, seed: int, deepest: float, same: float
):
    first = _farthest(found, count, seed, deepest)
    if first < 0:
        found[seed, MARK] = TAKEN
        return
    second = _farthest(found, count, first, deepest)
    found[first, MARK] = TAKEN
    found[second, MARK] = TAKEN
    left = int(-1)
    right = int(-1)
    most = float(same)
    least = float(-same)
    start = _place(found, first)
    along = _place(found, second) - start
    for i in range(count):
        if _is_wanted(found, i, deepest):
            turn = wp.dot(_normal(found, first), wp.cross(along, _place(found, i) - start))
            if turn > most:
                most = turn
                left = i
            if turn < least:
                least = turn
                right = i
    if left >= 0:
        found[left, MARK] = TAKEN
    if right >= 0:
        found[right, MARK] = TAKEN


@wp.func
def _deepest(found: wp.array2d(dtype=float), begin: int, count: int) -> int:
    seed = int(-1)
    deepest = float(ANY)
    for i in range(begin, count):
        if found[i, MARK] == FREE and found[i, DISTANCE] < deepest:
            seed = i
            deepest = found[i, DISTANCE]
    return seed


@wp.func
def _gather(found: wp.array2d(dtype=float), begin: int, count: int, seed: int):
    for i in range(begin, count):
        alike = wp.dot(_normal(found, seed), _normal(found, i)) > ALIKE
        if found[i, MARK] == FREE and (alike or i == seed):
            found[i, MARK] = MEMBER


@wp.func
def _move_taken(found: wp.array2d(dtype=float), kept: int, count: int, seed: int) -> int:
    lowest = float(ANY)
    for i in range(kept, count):
        if found[i, MARK] == TAKEN:
            lowest = wp.min(lowest, found[i, DISTANCE])
    if found[seed, DISTANCE] < lowest - DEEPER:
        found[seed, MARK] = TAKEN
    made = int(kept)
    for i in range(kept, count):
        if found[i, MARK] == TAKEN and made < MOST_KEPT:
            found[i, MARK] = DONE
            for n in range(ROW):
                value = found[i, n]
                found[i, n] = found[made, n]
                found[made, n] = value
            made += 1
        if found[i, MARK] == MEMBER or found[i, MARK] == TAKEN:
            found[i, MARK] = DONE
    return made


@wp.func
def reduce_contacts(found: wp.array2d(dtype=float), count: int, size: float) -> int:
    """Keep the contacts of a pair that matter, in the first rows; see ``contact_reduction``."""
    same = SAME * size * size
    for i in range(count):
        found[i, MARK] = FREE
    _drop_copies(found, count, same)
    kept = int(0)
    while kept < MOST_KEPT:
        seed = _deepest(found, kept, count)
        if seed < 0:
            break
        deepest = found[seed, DISTANCE]
        _gather(found, kept, count, seed)
        _take_spread(found, count, seed, deepest + TOUCHING * size, same)
        _take_spread(found, count, seed, ANY, same)
        kept = _move_taken(found, kept, count, seed)
    return kept
