"""Where a row of the constraint Jacobian lies: MuJoCo stores it dense or sparse."""

from __future__ import annotations

from unibody.core.engine.library.layout import Layout
from unibody.machine_code.jit import inlined
from unibody.machine_code.pointers import address_at, i32_array, int_at

_SPARSE, _AUTO = 1, 2  # mjtJacobian
PYRAMIDAL, ELLIPTIC = 6, 7  # mjtConstraint: a row of a contact with friction
SPARSE_FROM = 60  # nv from which MuJoCo chooses the sparse Jacobian by itself


@inlined
def is_sparse(m: int, lay: Layout) -> bool:
    """Whether a model's Jacobian is stored sparse."""
    mode = int_at(m, lay.m_opt + lay.o_jacobian)
    return mode == _SPARSE or (mode == _AUTO and int_at(m, lay.m_nv) >= SPARSE_FROM)


@inlined
def row_span(m: int, d: int, lay: Layout, row: int) -> tuple[int, int]:
    """First index into ``efc_J`` of the entries of a row, and their number.

    Rows of one contact or one equality have the same columns and follow one another.
    """
    if is_sparse(m, lay):
        return i32_array(d, lay.d_efc_J_rowadr)[row], i32_array(d, lay.d_efc_J_rownnz)[row]
    nv = int_at(m, lay.m_nv)
    return row * nv, nv


@inlined
def rows_together(d: int, lay: Layout, row: int) -> int:
    """How many rows the contact has that begins at ``row``; 1 of anything else."""
    if i32_array(d, lay.d_efc_type)[row] != ELLIPTIC:
        return 1
    contact = i32_array(d, lay.d_efc_id)[row]
    return int_at(address_at(d, lay.d_contact) + contact * lay.c_size, lay.c_dim)
