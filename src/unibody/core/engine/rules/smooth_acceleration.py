"""Accelerations that forces give without constraints, by MuJoCo's factors of the mass matrix."""

from __future__ import annotations

from unibody.core.engine.library.layout import Layout
from unibody.machine_code import types
from unibody.machine_code.jit import rule
from unibody.machine_code.pointers import Pointer, address_at, f64_array, i32_array, int_at

_ADDRESS = types.int64
_apply_wrench = types.ExternalFunction(
    "mj_applyFT",
    types.void(_ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, types.int32, _ADDRESS),
)
MUJOCO_FUNCTIONS = ("mj_applyFT",)  # of libmujoco, called by name
_NUMBER = 8  # bytes
LEAST_RESPONSE = 1e-12  # 1/(kg m^2), 1/kg: of a joint that nothing can move


@rule
def smooth_acceleration(m: int, d: int, lay: Layout) -> Pointer:
    """What all coordinates would do without constraints.

    The motion Bullet's rules start from. It is written to ``qacc_smooth``, which MuJoCo fills only
    after this.
    """
    passive = f64_array(d, lay.d_qfrc_passive)
    bias = f64_array(d, lay.d_qfrc_bias)
    applied = f64_array(d, lay.d_qfrc_applied)
    out = f64_array(d, lay.d_qacc_smooth)
    for i in range(int_at(m, lay.m_nv)):
        out[i] = passive[i] - bias[i] + applied[i]
    _add_wrenches(m, d, lay)
    solve_mass(m, d, lay, out, 0, int_at(m, lay.m_nv))
    return out


@rule
def _add_wrenches(m: int, d: int, lay: Layout) -> None:
    """Add what forces and torques on bodies are at the coordinates to ``qacc_smooth``."""
    tree = i32_array(m, lay.m_body_treeid)
    wrenches = f64_array(d, lay.d_xfrc_applied)
    for body in range(int_at(m, lay.m_nbody)):
        k = 6 * body
        idle = tree[body] < 0
        if not idle:
            idle = wrenches[k] == 0.0 and wrenches[k + 1] == 0.0 and wrenches[k + 2] == 0.0
            idle = idle and wrenches[k + 3] == 0.0 and wrenches[k + 4] == 0.0
            idle = idle and wrenches[k + 5] == 0.0
        if not idle:
            force = address_at(d, lay.d_xfrc_applied) + _NUMBER * k
            centre = address_at(d, lay.d_xipos) + _NUMBER * 3 * body
            target = address_at(d, lay.d_qacc_smooth)
            _apply_wrench(m, d, force, force + 3 * _NUMBER, centre, body, target)


@rule
def response(m: int, d: int, lay: Layout, dof: int) -> Pointer:
    """Accelerations by a unit force at one coordinate.

    They are written to ``qacc_smooth``: for rules after the solve, where nothing reads it any more.
    """
    out = f64_array(d, lay.d_qacc_smooth)
    for i in range(int_at(m, lay.m_nv)):
        out[i] = 0.0
    out[dof] = 1.0
    solve_mass(m, d, lay, out, 0, int_at(m, lay.m_nv))
    return out


@rule
def moved_inertia(m: int, d: int, lay: Layout, dof: int) -> float:
    """The force at a coordinate over its acceleration where all others are free, 1 / (M^-1)_ii.

    With M = L' D L it is one over the sum of y_k^2 / D_k, y = L'^-1 e_i, which has numbers only
    where row i has some. They are written to ``qfrc_smooth``, which MuJoCo fills only after the
    rules before the solve.
    """
    nonzero = i32_array(m, lay.m_M_rownnz)
    start = i32_array(m, lay.m_M_rowadr)
    column = i32_array(m, lay.m_M_colind)
    factor = f64_array(d, lay.d_qLD)
    diagonal = f64_array(d, lay.d_qLDiagInv)
    y = f64_array(d, lay.d_qfrc_smooth)
    first, last = start[dof], start[dof] + nonzero[dof] - 1
    for k in range(first, last):
        y[column[k]] = 0.0
    y[dof] = 1.0
    total = LEAST_RESPONSE
    for k in range(last, first - 1, -1):
        i = column[k]
        total += y[i] * y[i] * diagonal[i]
        for n in range(start[i], start[i] + nonzero[i] - 1):
            y[column[n]] -= factor[n] * y[i]
    return 1.0 / total


@rule
def solve_mass(m: int, d: int, lay: Layout, out: Pointer, first: int, last: int) -> None:
    """Turn generalised forces into accelerations, in place.

    Of the coordinates from ``first`` to ``last``: those of one tree, or all.
    """
    nonzero = i32_array(m, lay.m_M_rownnz)
    start = i32_array(m, lay.m_M_rowadr)
    column = i32_array(m, lay.m_M_colind)
    factor = f64_array(d, lay.d_qLD)
    diagonal = f64_array(d, lay.d_qLDiagInv)
    for i in range(last - 1, first - 1, -1):
        for k in range(start[i], start[i] + nonzero[i] - 1):
            out[column[k]] -= factor[k] * out[i]
    for i in range(first, last):
        out[i] *= diagonal[i]
    for i in range(first, last):
        for k in range(start[i], start[i] + nonzero[i] - 1):
            out[i] -= factor[k] * out[column[k]]
