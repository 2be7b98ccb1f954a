"""Contacts that nothing else acts beside: a ball on the ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.library.jacobian import is_sparse, rows_together
from unibody.core.engine.library.layout import Layout
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import i32_array, int_at

Counts = NDArray[np.int32]


@rule
def rows_of_trees(m: int, d: int, lay: Layout) -> Counts:
    """How many rows act on each kinematic tree, where MuJoCo has not looked for islands.

    Returns:
        (ntree,); (0,) where there are islands, or only one tree.
    """
    trees = int_at(m, lay.m_ntree)
    if int_at(d, lay.d_nisland) > 0 or trees < 2 or not is_sparse(m, lay):
        return np.zeros(0, dtype=np.int32)
    counts = np.zeros(trees, dtype=np.int32)
    tree = i32_array(m, lay.m_dof_treeid)
    start = i32_array(d, lay.d_efc_J_rowadr)
    length = i32_array(d, lay.d_efc_J_rownnz)
    column = i32_array(d, lay.d_efc_J_colind)
    row, end = 0, int_at(d, lay.d_nefc)
    while row < end:
        dim = rows_together(d, lay, row)
        last = -1
        for k in range(start[row], start[row] + length[row]):
            if tree[column[k]] != last:
                last = tree[column[k]]
                counts[last] += dim
        row += dim
    return counts


@inlined
def is_alone(m: int, d: int, lay: Layout, counts: Counts, row: int, dim: int) -> bool:
    """Whether no other row acts on what a contact acts on; ``counts`` is of `rows_of_trees`."""
    if int_at(d, lay.d_nisland) > 0:
        island = i32_array(d, lay.d_efc_island)[row]
        return i32_array(d, lay.d_island_nefc)[island] == dim
    if len(counts) == 0:
        return int_at(d, lay.d_nefc) == dim
    tree = i32_array(m, lay.m_dof_treeid)
    column = i32_array(d, lay.d_efc_J_colind)
    start = i32_array(d, lay.d_efc_J_rowadr)[row]
    for k in range(start, start + i32_array(d, lay.d_efc_J_rownnz)[row]):
        if counts[tree[column[k]]] != dim:
            return False
    return True
