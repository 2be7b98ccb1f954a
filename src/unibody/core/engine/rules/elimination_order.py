"""The order in which the solver eliminates the bodies of an island.

Newton's method factorises one sparse matrix an island, in the order of the bodies in the model. A
pile that was built layer by layer makes its factor several times as full as one built column by
column. Here the bodies of a large island are put in an order of least fill (minimum degree). The
solver gathers its matrices through the maps that are rewritten; it wants the columns of a row in
ascending order, so the two blocks of a row change places where theirs did.
"""

from __future__ import annotations

import numpy as np

from unibody.core.engine.block_solver.arena import HEADER, begin, end, filled, integers
from unibody.core.engine.block_solver.elimination import eliminate
from unibody.core.engine.library.jacobian import is_sparse
from unibody.core.engine.library.layout import Layout
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import (
    Pointer,
    address_at,
    f64_array,
    i32_array,
    int_at,
    pointer_i32,
)

_INT = 4  # bytes
LEAST_TREES = 24  # smaller islands gain nothing


@inlined
def _touching(m: int, d: int, lay: Layout, pairs: Pointer) -> int:
    """Write the pairs of trees that touch to ``pairs``; returns how many."""
    tree = i32_array(m, lay.m_body_treeid)
    body = i32_array(m, lay.m_geom_bodyid)
    contacts = address_at(d, lay.d_contact)
    found = 0
    for i in range(int_at(d, lay.d_ncon)):
        con = contacts + i * lay.c_size
        geom = pointer_i32(con + lay.c_geom)
        if int_at(con, lay.c_efc_address) < 0 or geom[0] < 0 or geom[1] < 0:
            continue
        a, b = tree[body[geom[0]]], tree[body[geom[1]]]
        repeated = found > 0 and pairs[2 * found - 2] == a and pairs[2 * found - 1] == b
        if a >= 0 and b >= 0 and a != b and not repeated:
            pairs[2 * found], pairs[2 * found + 1] = a, b
            found += 1
    return found


@inlined
def _order(
    arena: int, members: Pointer, count: int, pairs: Pointer, found: int, local: Pointer
) -> Pointer:
    """The trees of an island in an order of least fill; ``local`` is -1 for all trees."""
    own, size = integers(arena, 2 * found), 0
    for k in range(count):
        local[members[k]] = k
    for k in range(found):
        if local[pairs[2 * k]] >= 0:  # and so is the other one, in the same island
            own[2 * size], own[2 * size + 1] = local[pairs[2 * k]], local[pairs[2 * k + 1]]
            size += 1
    order = eliminate(arena, count, own, size).order
    for k in range(count):
        order[k] = members[order[k]]
        local[members[k]] = -1
    return order


@rule
def _renumber(
    m: int, d: int, lay: Layout, order: Pointer, count: int, start: int, moved: Pointer
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
def _sort_rows(m: int, d: int, lay: Layout, moved: Pointer) -> None:
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


@inlined
def _order_large(m: int, d: int, lay: Layout, arena: int) -> None:
    begin(arena, 0, 0)
    islands = int_at(d, lay.d_nisland)
    size = i32_array(d, lay.d_island_ntree)
    start = i32_array(d, lay.d_island_itreeadr)
    member = address_at(d, lay.d_map_itree2tree)
    dof = i32_array(d, lay.d_island_idofadr)
    trees = int_at(m, lay.m_ntree)
    local, moved = filled(arena, trees, -1), filled(arena, trees, 0)
    pairs = integers(arena, 2 * int_at(d, lay.d_ncon))
    found = _touching(m, d, lay, pairs)
    for k in range(islands):
        if size[k] >= LEAST_TREES:
            members = pointer_i32(member + _INT * start[k])
            order = _order(arena, members, size[k], pairs, found, local)
            _renumber(m, d, lay, order, size[k], dof[k], moved)
    _sort_rows(m, d, lay, moved)
    end(arena)


@rule
def order_islands(m: int, d: int, lay: Layout) -> None:
    """Renumber the degrees of freedom of large islands where the Jacobian is sparse."""
    if not is_sparse(m, lay):
        return
    islands = int_at(d, lay.d_nisland)
    size = i32_array(d, lay.d_island_ntree)
    large = False
    for k in range(islands):
        large = large or size[k] >= LEAST_TREES
    if not large or not _joins_pairs(d, lay, i32_array(m, lay.m_dof_treeid)):
        return
    header = np.zeros(HEADER, dtype=np.int64)
    _order_large(m, d, lay, header.ctypes.data)
    header[0] = 0  # it is still there: what refers to its memory has ended
