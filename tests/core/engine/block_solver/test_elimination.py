"""The order of elimination, and the pattern that comes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import types

from unibody.core.engine.block_solver.arena import HEADER, begin, end
from unibody.core.engine.block_solver.elimination import eliminate
from unibody.machine_code import numba
from unibody.machine_code.pointers import address_of, pointer_i32

MOST = 24


@numba.njit(types.int64(types.int64, types.int64, types.int64, types.int64, types.int64))
def _run(arena: int, memory: int, count: int, pairs: int, found: int) -> int:
    """Writes order, starts and columns one after the other to the memory behind ``memory``."""
    begin(arena, memory + 65536, 1 << 18)
    pattern = eliminate(arena, count, pointer_i32(pairs), found)
    out = pointer_i32(memory)
    for k in range(count):
        out[k] = pattern.order[k]
    for k in range(count + 1):
        out[count + k] = pattern.start[k]
    for k in range(pattern.start[count]):
        out[2 * count + 1 + k] = pattern.column[k]
    end(arena)
    return address_of(out)


def pattern_of(count: int, pairs: list[tuple[int, int]]) -> tuple[Any, Any, Any]:
    memory = np.zeros(65536 + (1 << 18), np.uint8)
    arena = np.zeros(HEADER, np.int64)
    numbers = np.array(pairs, np.int32).reshape(-1, 2)
    _run(arena.ctypes.data, memory.ctypes.data, count, numbers.ctypes.data, len(numbers))
    found = memory.view(np.int32)
    starts = found[count : 2 * count + 1]
    return found[:count], starts, found[2 * count + 1 : 2 * count + 1 + starts[-1]]


def graphs() -> st.SearchStrategy[tuple[int, list[tuple[int, int]]]]:
    def edges(count: int) -> st.SearchStrategy[tuple[int, list[tuple[int, int]]]]:
        node = st.integers(0, count - 1)
        pair = st.tuples(node, node).filter(lambda ends: ends[0] != ends[1])
        return st.tuples(
            st.just(count), st.lists(pair, max_size=4 * count) if count > 1 else st.just([])
        )

    return st.integers(1, MOST).flatmap(edges)


@given(graphs())
def test_the_pattern_is_that_of_eliminating_one_after_the_other(
    graph: tuple[int, list[tuple[int, int]]],
) -> None:
    count, pairs = graph
    order, start, column = pattern_of(count, pairs)
    assert sorted(order) == list(range(count))
    joined = np.zeros((count, count), bool)
    for a, b in pairs:
        joined[a, b] = joined[b, a] = True
    joined = joined[np.ix_(order, order)]
    for k in range(count):
        others = k + 1 + np.flatnonzero(joined[k, k + 1 :])
        assert column[start[k] : start[k + 1]].tolist() == others.tolist()
        joined[np.ix_(others, others)] = True


def test_a_chain_fills_nothing() -> None:
    chain = [(k, k + 1) for k in range(MOST - 1)]
    np.random.default_rng(0).shuffle(chain)
    _, start, _ = pattern_of(MOST, [(a, b) for a, b in chain])
    assert start[-1] == MOST - 1


def test_a_star_loses_its_points_first() -> None:
    order, start, _ = pattern_of(MOST, [(0, k) for k in range(1, MOST)])
    assert start[-1] == MOST - 1
    assert list(order).index(0) >= MOST - 2
