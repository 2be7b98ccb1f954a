"""In which order the blocks of an island are eliminated, and which of them that couples.

Minimum degree: the block that couples fewest others goes first. Robots lose their limbs before
their trunks, towers their blocks from the ends.
"""

from __future__ import annotations

from typing import NamedTuple

from unibody.core.engine.block_solver.arena import filled, integers
from unibody.machine_code.jit import inlined, kernel
from unibody.machine_code.pointers import Pointer


class Pattern(NamedTuple):
    """The upper triangular factor of an island's matrix, without numbers.

    Attributes:
        order: Local numbers of the blocks as they are eliminated, (n,).
        start: Where the entries of each row begin, by place in ``order``, (n + 1,).
        column: Places in ``order`` of the entries right of the diagonal, ascending within a row.
    """

    order: Pointer
    start: Pointer
    column: Pointer


class _Lists(NamedTuple):
    """Who couples whom: a list of local numbers a block, in one pool."""

    pool: Pointer
    start: Pointer
    length: Pointer


class _Buckets(NamedTuple):
    """Blocks by the number of others that they couple, in doubly linked lists."""

    head: Pointer
    after: Pointer
    before: Pointer
    degree: Pointer


@kernel
def _couplings(arena: int, count: int, pairs: Pointer, found: int, room: int) -> _Lists:
    """Lists of both directions of pairs, each other block once, in a pool of ``room`` integers."""
    start = filled(arena, count + 1, 0)
    for k in range(2 * found):
        start[pairs[k] + 1] += 1
    for k in range(count):
        start[k + 1] += start[k]
    lists = _Lists(integers(arena, room), start, filled(arena, count, 0))
    for k in range(found):
        _include(lists, pairs[2 * k], pairs[2 * k + 1])
        _include(lists, pairs[2 * k + 1], pairs[2 * k])
    return lists


@inlined
def _include(lists: _Lists, a: int, b: int) -> None:
    end = lists.start[a] + lists.length[a]
    for k in range(lists.start[a], end):
        if lists.pool[k] == b:
            return
    lists.pool[end] = b
    lists.length[a] += 1


@inlined
def _enter(buckets: _Buckets, k: int, degree: int) -> None:
    first = buckets.head[degree]
    buckets.head[degree] = k
    buckets.after[k] = first
    buckets.before[k] = -1
    if first >= 0:
        buckets.before[first] = k
    buckets.degree[k] = degree


@inlined
def _leave(buckets: _Buckets, k: int) -> None:
    before, after = buckets.before[k], buckets.after[k]
    if before >= 0:
        buckets.after[before] = after
    else:
        buckets.head[buckets.degree[k]] = after
    if after >= 0:
        buckets.before[after] = before


@inlined
def _join(pool: Pointer, at: int, lists: _Lists, node: int, other: int, mark: Pointer) -> int:
    """Write who ``other`` couples once ``node`` is gone to ``pool[at:]``; returns how many."""
    size = 0
    mark[other] = other
    for j in range(lists.start[other], lists.start[other] + lists.length[other]):
        if pool[j] != node:
            pool[at + size] = pool[j]
            mark[pool[j]] = other
            size += 1
    for j in range(lists.start[node], lists.start[node] + lists.length[node]):
        if mark[pool[j]] != other:
            pool[at + size] = pool[j]
            mark[pool[j]] = other
            size += 1
    return size


@kernel
def eliminate(arena: int, count: int, pairs: Pointer, found: int) -> Pattern:
    """The pattern of the factor of ``count`` blocks.

    ``pairs`` are the numbers of two blocks that are coupled, ``found`` times.
    """
    room = 8 * found + 16 * count
    lists = _couplings(arena, count, pairs, found, room)
    pool, end = lists.pool, lists.start[count]
    buckets = _Buckets(
        filled(arena, count + 1, -1),
        integers(arena, count),
        integers(arena, count),
        integers(arena, count),
    )
    for k in range(count - 1, -1, -1):
        _enter(buckets, k, lists.length[k])
    order, place = integers(arena, count), integers(arena, count)
    mark = filled(arena, count, -1)
    start = filled(arena, count + 1, 0)
    least = 0
    for step in range(count):
        while buckets.head[least] < 0:
            least += 1
        node = buckets.head[least]
        _leave(buckets, node)
        order[step] = node
        place[node] = step
        near = lists.length[node]
        start[step + 1] = start[step] + near
        for i in range(lists.start[node], lists.start[node] + near):
            other = pool[i]
            needed = end + lists.length[other] + near
            if needed > room:
                room = 2 * needed
                larger = integers(arena, room)
                for j in range(end):
                    larger[j] = pool[j]
                pool = larger
            size = _join(pool, end, lists, node, other, mark)
            lists.start[other] = end
            lists.length[other] = size
            end += size
            _leave(buckets, other)
            _enter(buckets, other, size)
            least = min(least, size)
    column = integers(arena, start[count])
    for step in range(count):
        first = lists.start[order[step]]
        _sort(pool, first, place, column, start[step], start[step + 1])
    return Pattern(order, start, column)


@inlined
def _sort(pool: Pointer, first: int, place: Pointer, column: Pointer, begin: int, end: int) -> None:
    """Write the places of ``pool[first:]`` to ``column[begin:end]``, ascending."""
    for k in range(end - begin):
        value = place[pool[first + k]]
        i = begin + k
        while i > begin and column[i - 1] > value:
            column[i] = column[i - 1]
            i -= 1
        column[i] = value


@inlined
def entry_of(pattern: Pattern, row: int, column: int) -> int:
    """Index in ``pattern.column`` of an entry that is there."""
    low, high = pattern.start[row], pattern.start[row + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if pattern.column[middle] > column:
            high = middle
        else:
            low = middle
    return low
