"""The Newton matrix of an island: put together from blocks, factorised, solved with."""

from __future__ import annotations

from typing import NamedTuple

from unibody.core.engine.block_solver import vectors as v
from unibody.core.engine.block_solver.arena import doubles, integers, zeros
from unibody.core.engine.block_solver.elimination import Pattern, eliminate, entry_of
from unibody.core.engine.block_solver.problem import Blocks, Groups, Island, Problem
from unibody.machine_code.jit import inlined, kernel
from unibody.machine_code.pointers import Pointer, address_of

_LEAST_PIVOT = 1e-15  # mjMINVAL


class Matrix(NamedTuple):
    """The upper triangle of an island's Newton matrix, in the order of elimination.

    Attributes:
        number: How many blocks.
        entries: How many of them it consists of.
        block: The blocks, by place in that order, (n,).
        pattern: Which entries there are.
        values: Blocks on the diagonal, then those right of it row by row, 48 numbers each.
        factor: The same of its factor.
        inverse: One over the diagonal of the factor, eight numbers a block.
        work: A vector in the order of elimination.
        place: Where each block is in the order of elimination.
        start: Where the targets of each group of the island begin.
        target: Blocks of ``values`` that the pairs of segments of each group go to.
    """

    number: int
    entries: int
    block: Pointer
    pattern: Pattern
    values: Pointer
    factor: Pointer
    inverse: Pointer
    work: Pointer
    place: Pointer
    start: Pointer
    target: Pointer


class _Pairs(NamedTuple):
    """Blocks that are coupled, by local number; a pair may be listed again."""

    pair: Pointer
    found: Pointer


@inlined
def _push(pairs: _Pairs, a: int, b: int) -> None:
    """Add a pair to the list, unless it was the last one."""
    k = 2 * pairs.found[0]
    if k and pairs.pair[k - 2] == a and pairs.pair[k - 1] == b:
        return
    pairs.pair[k] = a
    pairs.pair[k + 1] = b
    pairs.found[0] += 1


@inlined
def _pairs_at_most(groups: Groups, blocks: Blocks, island: Island) -> int:
    total = 0
    for k in range(island.groups):
        g = island.group[k]
        count = groups.segment[g + 1] - groups.segment[g]
        total += count * (count - 1) // 2
    for k in range(island.blocks):
        total += island.block[k] - blocks.start[blocks.tree[island.block[k]]]
    return total


@kernel
def _coupled(p: Problem, island: Island, local: Pointer, arena: int) -> _Pairs:
    """Pairs of blocks that groups or the mass matrix couple."""
    blocks, groups = p.blocks, p.groups
    room = 2 * _pairs_at_most(groups, blocks, island)
    pairs = _Pairs(integers(arena, room), integers(arena, 1))
    pairs.found[0] = 0
    for k in range(island.groups):
        g = island.group[k]
        last = groups.segment[g + 1]
        for i in range(groups.segment[g], last):
            for j in range(i + 1, last):
                _push(pairs, local[groups.block[i]], local[groups.block[j]])
    for k in range(island.blocks):
        ancestor = p.rows.parent[blocks.first[island.block[k]]]
        while ancestor >= 0:
            block = blocks.block[ancestor]
            _push(pairs, local[block], k)
            ancestor = p.rows.parent[blocks.first[block]]
    return pairs


@kernel
def make_matrix(p: Problem, island: Island, place: Pointer, arena: int) -> Matrix:
    """The matrix of an island without constraints, with room for their curvature.

    Args:
        p: The problem.
        island: The island.
        place: Written: where each of its blocks is in the order of elimination.
        arena: Memory.
    """
    count = island.blocks
    for k in range(count):
        place[island.block[k]] = k
    pairs = _coupled(p, island, place, arena)
    pattern = eliminate(arena, count, pairs.pair, pairs.found[0])
    block = integers(arena, count)
    for k in range(count):
        block[k] = island.block[pattern.order[k]]
        place[block[k]] = k
    entries = count + pattern.start[count]
    start, target = _find_targets(p.groups, island, place, pattern, arena)
    matrix = Matrix(
        count,
        entries,
        block,
        pattern,
        zeros(arena, v.BLOCK * entries),
        doubles(arena, v.BLOCK * entries),
        zeros(arena, v.WIDTH * count),
        zeros(arena, v.WIDTH * count),
        place,
        start,
        target,
    )
    _add_mass(p, matrix)
    return matrix


@kernel
def _add_mass(p: Problem, matrix: Matrix) -> None:
    """Add the mass matrix, and ones where a block is not full."""
    place, column, mass = matrix.place, p.rows.mass_column, p.rows.mass
    for k in range(matrix.number):
        block = matrix.block[k]
        first, size = p.blocks.first[block], p.blocks.size[block]
        for lane in range(size, v.LANES):
            matrix.values[v.BLOCK * k + (v.WIDTH + 1) * lane] = 1.0
        last, target = block, k
        for lane in range(size):
            begin = p.rows.mass_start[first + lane]
            for i in range(begin, begin + p.rows.mass_length[first + lane]):
                other = p.blocks.block[column[i]]
                if other != last:
                    last = other
                    low, high = min(place[other], k), max(place[other], k)
                    target = _entry(matrix.pattern, matrix.number, low, high)
                at = v.BLOCK * target
                across = p.blocks.place[column[i]] % v.WIDTH
                if other == block or place[other] > k:
                    matrix.values[at + v.WIDTH * lane + across] = mass[i]
                if other == block or place[other] < k:
                    matrix.values[at + v.WIDTH * across + lane] = mass[i]


@inlined
def add_group(groups: Groups, matrix: Matrix, g: int, number: int, weights: int) -> None:
    """Add ``J^T W J`` of a group.

    Args:
        groups: All groups.
        matrix: Of the island.
        g: The group.
        number: Which one it is in the island.
        weights: Address of W.
    """
    values, jacobian = address_of(matrix.values), address_of(groups.jacobian)
    dim, k = groups.dim[g], matrix.start[number]
    for i in range(groups.segment[g], groups.segment[g + 1]):
        for j in range(i, groups.segment[g + 1]):
            a = jacobian + 8 * groups.entry[i]
            b = jacobian + 8 * groups.entry[j]
            if matrix.place[groups.block[i]] > matrix.place[groups.block[j]]:
                a, b = b, a
            block = values + 8 * v.BLOCK * matrix.target[k]
            k += 1
            if dim == 3:
                v.add_outer_3(block, a, weights, b)
            elif dim == 1:
                v.add_outer_1(block, a, weights, b)
            elif dim == 4:
                v.add_outer_4(block, a, weights, b)
            else:
                v.add_outer_6(block, a, weights, b)


@inlined
def _entry(pattern: Pattern, count: int, row: int, column: int) -> int:
    """Number of the block at two places in the order of elimination, ``row <= column``."""
    return row if row == column else count + entry_of(pattern, row, column)


@kernel
def _find_targets(
    groups: Groups, island: Island, place: Pointer, pattern: Pattern, arena: int
) -> tuple[Pointer, Pointer]:
    """``start`` and ``target`` of a matrix."""
    start = integers(arena, island.groups + 1)
    start[0] = 0
    for k in range(island.groups):
        g = island.group[k]
        count = groups.segment[g + 1] - groups.segment[g]
        start[k + 1] = start[k] + count * (count + 1) // 2
    target = integers(arena, start[island.groups])
    found, low, high, last = 0, -1, -1, -1
    for k in range(island.groups):
        g = island.group[k]
        for i in range(groups.segment[g], groups.segment[g + 1]):
            for j in range(i, groups.segment[g + 1]):
                a, b = place[groups.block[i]], place[groups.block[j]]
                if a > b:
                    a, b = b, a
                if a != low or b != high:
                    low, high, last = a, b, _entry(pattern, island.blocks, a, b)
                target[found] = last
                found += 1
    return start, target


@kernel
def factorise(matrix: Matrix) -> bool:
    """Factorise the matrix; False where it is not positive definite."""
    count = matrix.number
    pattern = matrix.pattern
    for k in range(v.BLOCK * matrix.entries):
        matrix.factor[k] = matrix.values[k]
    base = address_of(matrix.factor)
    inverse = address_of(matrix.inverse)
    size = 8 * v.BLOCK
    for p in range(count):
        if not v.factor(base + size * p, inverse + v.BYTES * p) > _LEAST_PIVOT:
            return False
        begin, end = pattern.start[p], pattern.start[p + 1]
        for k in range(begin, end):
            v.divide_rows(base + size * (count + k), base + size * p, inverse + v.BYTES * p)
        for k in range(begin, end):
            row = pattern.column[k]
            left = base + size * (count + k)
            v.subtract_square(base + size * row, left, left)
            at = pattern.start[row]
            for j in range(k + 1, end):
                while pattern.column[at] != pattern.column[j]:
                    at += 1
                right = base + size * (count + j)
                v.subtract_square(base + size * (count + at), left, right)
    return True


@kernel
def solve_factored(matrix: Matrix, right: Pointer, result: Pointer) -> None:
    """Solve with the factor: ``result = A^-1 right``, both vectors of all blocks."""
    count = matrix.number
    pattern = matrix.pattern
    base = address_of(matrix.factor)
    work = address_of(matrix.work)
    size = 8 * v.BLOCK
    for p in range(count):
        for lane in range(v.WIDTH):
            matrix.work[v.WIDTH * p + lane] = right[v.WIDTH * matrix.block[p] + lane]
    for p in range(count):
        _forward(matrix, p)
        for k in range(pattern.start[p], pattern.start[p + 1]):
            target = work + v.BYTES * pattern.column[k]
            v.subtract_transposed(target, base + size * (count + k), work + v.BYTES * p)
    for p in range(count - 1, -1, -1):
        for k in range(pattern.start[p], pattern.start[p + 1]):
            other = work + v.BYTES * pattern.column[k]
            v.subtract_applied(work + v.BYTES * p, base + size * (count + k), other)
        _backward(matrix, p)
        for lane in range(v.WIDTH):
            result[v.WIDTH * matrix.block[p] + lane] = matrix.work[v.WIDTH * p + lane]


@inlined
def _forward(matrix: Matrix, p: int) -> None:
    """``y = U^-T y`` of the block on the diagonal."""
    factor, y, at = matrix.factor, matrix.work, v.WIDTH * p
    for i in range(v.LANES):
        total = y[at + i]
        for k in range(i):
            total -= factor[v.BLOCK * p + v.WIDTH * k + i] * y[at + k]
        y[at + i] = total * matrix.inverse[at + i]


@inlined
def _backward(matrix: Matrix, p: int) -> None:
    """``y = U^-1 y`` of the block on the diagonal."""
    factor, y, at = matrix.factor, matrix.work, v.WIDTH * p
    for i in range(v.LANES - 1, -1, -1):
        total = y[at + i]
        for k in range(i + 1, v.LANES):
            total -= factor[v.BLOCK * p + v.WIDTH * i + k] * y[at + k]
        y[at + i] = total * matrix.inverse[at + i]
