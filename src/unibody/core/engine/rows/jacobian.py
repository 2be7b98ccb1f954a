"""Where a row of the constraint Jacobian lies: MuJoCo stores it dense or sparse."""

from __future__ import annotations

from unibody.core.engine.layout import Layout
from unibody.core.engine.rows.jit import inlined
from unibody.core.engine.rows.pointers import i32_array, int_at

_SPARSE, _AUTO = 1, 2  # mjtJacobian
_SPARSE_FROM = 60  # nv from which MuJoCo chooses the sparse Jacobian by itself


@inlined
def is_sparse(m: int, lay: Layout) -> bool:
    """Whether a model's Jacobian is stored sparse."""
    mode = int_at(m, lay.m_opt + lay.o_jacobian)
    return mode == _SPARSE or (mode == _AUTO and int_at(m, lay.m_nv) >= _SPARSE_FROM)


@inlined
def row_span(m: int, d: int, lay: Layout, row: int) -> tuple[int, int]:
    """First index into ``efc_J`` of the entries of a row, and their number.

    Rows of one contact or one equality have the same columns and follow one another.
    """
    if is_sparse(m, lay):
        return i32_array(d, lay.d_efc_J_rowadr)[row], i32_array(d, lay.d_efc_J_rownnz)[row]
    nv = int_at(m, lay.m_nv)
    return row * nv, nv
