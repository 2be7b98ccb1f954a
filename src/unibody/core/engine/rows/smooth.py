"""Accelerations that forces give without constraints, by MuJoCo's factors of the mass matrix."""

from __future__ import annotations

from unibody.core.engine.layout import Layout
from unibody.core.engine.rows.jit import rule
from unibody.core.engine.rows.pointers import Pointer, f64_array, i32_array, int_at


@rule
def smooth_acceleration(m: int, d: int, lay: Layout) -> Pointer:
    """What all coordinates would do without constraints and without ``xfrc_applied``.

    The motion Bullet's rules start from. It is written to ``qacc_smooth``, which MuJoCo fills only
    after this.
    """
    passive = f64_array(d, lay.d_qfrc_passive)
    bias = f64_array(d, lay.d_qfrc_bias)
    applied = f64_array(d, lay.d_qfrc_applied)
    out = f64_array(d, lay.d_qacc_smooth)
    for i in range(int_at(m, lay.m_nv)):
        out[i] = passive[i] - bias[i] + applied[i]
    solve_mass(m, d, lay, out)
    return out


@rule
def response(m: int, d: int, lay: Layout, dof: int) -> Pointer:
    """Accelerations by a unit force at one coordinate.

    They are written to ``qacc_smooth``: for rules after the solve, where nothing reads it any more.
    """
    out = f64_array(d, lay.d_qacc_smooth)
    for i in range(int_at(m, lay.m_nv)):
        out[i] = 0.0
    out[dof] = 1.0
    solve_mass(m, d, lay, out)
    return out


@rule
def solve_mass(m: int, d: int, lay: Layout, out: Pointer) -> None:
    """Turn generalised forces into accelerations, in place."""
    count = int_at(m, lay.m_nv)
    nonzero = i32_array(m, lay.m_M_rownnz)
    start = i32_array(m, lay.m_M_rowadr)
    column = i32_array(m, lay.m_M_colind)
    factor = f64_array(d, lay.d_qLD)
    diagonal = f64_array(d, lay.d_qLDiagInv)
    for i in range(count - 1, -1, -1):
        for k in range(start[i], start[i] + nonzero[i] - 1):
            out[column[k]] -= factor[k] * out[i]
    for i in range(count):
        out[i] *= diagonal[i]
    for i in range(count):
        for k in range(start[i], start[i] + nonzero[i] - 1):
            out[i] -= factor[k] * out[column[k]]
