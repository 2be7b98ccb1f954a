"""The order in which the solver eliminates the bodies of an island.

Newton's method factorises one sparse matrix an island, in the order of the bodies in the model. A
pile that was built layer by layer makes its factor several times as full as one built column by
column. Here the bodies of a large island are put in an order of least fill (minimum degree). The
solver gathers its matrices through the maps that are rewritten; it wants the columns of a row in
ascending order, so the two blocks of a row change places where theirs did.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.layout import Layout
from unibody.core.engine.rows.jacobian import is_sparse
from unibody.core.engine.rows.jit import rule
from unibody.core.engine.rows.pointers import (
    Pointer,
    address_at,
    f64_array,
    i32_array,
    int_at,
    pointer_i32,
)

LEAST_TREES = 24  # smaller islands gain nothing
MOST_TREES = 2000  # what is kept of who touches whom is the square of this in bytes
_Ints = NDArray[np.int32]


@rule
def _neighbours(m: int, d: int, lay: Layout, trees: int) -> tuple[_Ints, _Ints]:
    """Which trees touch which: where each one's begin, and their numbers."""
    tree = i32_array(m, lay.m_body_treeid)
    body = i32_array(m, lay.m_geom_bodyid)
    contacts = address_at(d, lay.d_contact)
    count = int_at(d, lay.d_ncon)
    pairs = np.empty((count, 2), dtype=np.int32)
    starts = np.zeros(trees + 1, dtype=np.int32)
    found = 0
    for i in range(count):
        con = contacts + i * lay.c_size
        geom = pointer_i32(con + lay.c_geom)
        if int_at(con, lay.c_efc_address) < 0 or geom[0] < 0 or geom[1] < 0:
            continue
        a, b = tree[body[geom[0]]], tree[body[geom[1]]]
        repeated = found > 0 and pairs[found - 1, 0] == a and pairs[found - 1, 1] == b
        if a >= 0 and b >= 0 and a != b and not repeated:
            pairs[found, 0], pairs[found, 1] = a, b
            starts[a + 1] += 1
            starts[b + 1] += 1
            found += 1
    for k in range(trees):
        starts[k + 1] += starts[k]
    free = starts[:-1].copy()
    others = np.empty(2 * found, dtype=np.int32)
    for k in range(found):
        a, b = pairs[k, 0], pairs[k, 1]
        others[free[a]], others[free[b]] = b, a
        free[a] += 1
        free[b] += 1
    return starts, others


@rule
def _touching(
    members: _Ints, starts: _Ints, others: _Ints, local: _Ints
) -> tuple[NDArray[np.uint8], _Ints]:
    """Which of the trees of an island touch, and how many each one does."""
    count = len(members)
    for k in range(count):
        local[members[k]] = k
    joined = np.zeros((count, count), dtype=np.uint8)
    degree = np.zeros(count, dtype=np.int32)
    for k in range(count):
        tree = members[k]
        for i in range(starts[tree], starts[tree + 1]):
            other = local[others[i]]
            if not joined[k, other]:
                joined[k, other] = 1
                degree[k] += 1
    return joined, degree


@rule
def _eliminate(members: _Ints, starts: _Ints, others: _Ints, local: _Ints, order: _Ints) -> None:
    """Order trees so that each one, when it goes, joins as few others as possible.

    Args:
        members: The trees of an island.
        starts: Where the neighbours of each tree begin in ``others``.
        others: Trees that touch.
        local: Scratch, one a tree.
        order: Written.
    """
    count = len(members)
    joined, degree = _touching(members, starts, others, local)
    near = np.empty(count, dtype=np.int32)
    for place in range(count):
        best = -1
        for k in range(count):
            if degree[k] >= 0 and (best < 0 or degree[k] < degree[best]):
                best = k
        order[place] = members[best]
        found = 0
        for k in range(count):
            if joined[best, k] and degree[k] >= 0:
                near[found] = k
                found += 1
        degree[best] = -1
        for i in range(found):
            degree[near[i]] -= 1
        for i in range(found):
            for j in range(i + 1, found):
                if not joined[near[i], near[j]]:
                    joined[near[i], near[j]] = 1
                    joined[near[j], near[i]] = 1
                    degree[near[i]] += 1
                    degree[near[j]] += 1


@rule
def _renumber(
    m: int, d: int, lay: Layout, order: _Ints, count: int, start: int, moved: _Ints
) -> None:
    """Number the degrees of freedom of an island by its trees; the solver begins with the last."""
    first = i32_array(m, lay.m_tree_dofadr)
    dofs = i32_array(m, lay.m_tree_dofnum)
    forward = i32_array(d, lay.d_map_dof2idof)
    backward = i32_array(d, lay.d_map_idof2dof)
    place = start
    for k in range(count - 1, -1, -1):
        tree = order[k]
        moved[tree] = 1
        for dof in range(first[tree], first[tree] + dofs[tree]):
            forward[dof] = place
            backward[place] = dof
            place += 1


@rule
def _reverse(values: Pointer, begin: int, end: int) -> None:
    i, j = begin, end - 1
    while i < j:
        low, high = values[i], values[j]
        values[i] = high
        values[j] = low
        i += 1
        j -= 1


@rule
def _rotate(values: Pointer, begin: int, middle: int, end: int) -> None:
    """Let ``values[middle:end]`` and ``values[begin:middle]`` change places."""
    _reverse(values, begin, middle)
    _reverse(values, middle, end)
    _reverse(values, begin, end)


@rule
def _sort_rows(m: int, d: int, lay: Layout, moved: _Ints) -> None:
    """Put the columns of the rows of two trees in ascending order of the new numbers."""
    tree = i32_array(m, lay.m_dof_treeid)
    forward = i32_array(d, lay.d_map_dof2idof)
    start = i32_array(d, lay.d_efc_J_rowadr)
    length = i32_array(d, lay.d_efc_J_rownnz)
    column = i32_array(d, lay.d_efc_J_colind)
    value = f64_array(d, lay.d_efc_J)
    for row in range(int_at(d, lay.d_nefc)):
        begin, end = start[row], start[row] + length[row]
        if begin == end or not moved[tree[column[begin]]]:
            continue
        if tree[column[begin]] == tree[column[end - 1]]:
            continue
        if forward[column[begin]] < forward[column[end - 1]]:
            continue
        middle = begin + 1
        while tree[column[middle]] == tree[column[begin]]:
            middle += 1
        _rotate(value, begin, middle, end)
        _rotate(column, begin, middle, end)


@rule
def _joins_pairs(d: int, lay: Layout, tree: Pointer) -> bool:
    """Whether no row has the columns of more than two trees; those of contacts never do."""
    start = i32_array(d, lay.d_efc_J_rowadr)
    length = i32_array(d, lay.d_efc_J_rownnz)
    column = i32_array(d, lay.d_efc_J_colind)
    for row in range(int_at(d, lay.d_ne) + int_at(d, lay.d_nf) + int_at(d, lay.d_nl)):
        changes = 0
        for k in range(start[row] + 1, start[row] + length[row]):
            changes += tree[column[k]] != tree[column[k - 1]]
        if changes > 1:
            return False
    return True


@rule
def order_islands(m: int, d: int, lay: Layout) -> None:
    """Renumber the degrees of freedom of large islands where the Jacobian is sparse."""
    if not is_sparse(m, lay):
        return
    islands = int_at(d, lay.d_nisland)
    size = i32_array(d, lay.d_island_ntree)
    large = False
    for k in range(islands):
        large = large or LEAST_TREES <= size[k] <= MOST_TREES
    if not large or not _joins_pairs(d, lay, i32_array(m, lay.m_dof_treeid)):
        return
    trees = int_at(m, lay.m_ntree)
    begin = i32_array(d, lay.d_island_itreeadr)
    member = i32_array(d, lay.d_map_itree2tree)
    dof = i32_array(d, lay.d_island_idofadr)
    starts, others = _neighbours(m, d, lay, trees)
    place = np.zeros(trees, dtype=np.int32)
    moved = np.zeros(trees, dtype=np.int32)
    order = np.empty(trees, dtype=np.int32)
    for k in range(islands):
        if LEAST_TREES <= size[k] <= MOST_TREES:
            members = np.empty(size[k], dtype=np.int32)
            for i in range(size[k]):
                members[i] = member[begin[k] + i]
            _eliminate(members, starts, others, place, order)
            _renumber(m, d, lay, order, size[k], dof[k], moved)
    _sort_rows(m, d, lay, moved)
