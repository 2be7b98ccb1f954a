"""By how much bodies move as joints are moved back to their limits, within what holds them.

The step's constraints are solved already. About that solution they are linear: what exerts a force
resists by the softness of its row, what exerts none is not there. Rows of single joints stand on
the diagonal of the mass matrix, whose factors stay as sparse as the tree. Other rows, of contacts
and equalities, are few, and are gone through one by one (projected Gauss-Seidel), each within the
forces that it can have.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unibody.core.engine.library.jacobian import is_sparse, row_span, rows_together
from unibody.core.engine.library.layout import Layout
from unibody.core.engine.rules.impedance import NO_FORCE
from unibody.machine_code.jit import rule
from unibody.machine_code.pointers import (
    address_at,
    f64_array,
    i32_array,
    int_at,
    pointer_f64,
)

SWEEPS = 10
_NUMBER = 8  # bytes


class Pushes(NamedTuple):
    """What pushes joints, and what holds single ones.

    Attributes:
        stiffness: Of the rows of each degree of freedom, (nv,): force over acceleration.
        force: What pushes each, (nv,); as a force of the step.
    """

    stiffness: Any
    force: Any


@rule
def displacement(m: int, d: int, lay: Layout, pushes: Pushes, tolerance: float) -> Any:
    """Accelerations by pushes, (nv,), to about ``tolerance``."""
    count = int_at(m, lay.m_nv)
    moved = pushes.force.copy()
    factor = _factor(m, d, lay, pushes.stiffness)
    _solve(m, lay, factor, moved, 0, count)
    rows = _rows_of_several(d, lay)
    if len(rows) > 0:
        _resist(m, d, lay, factor, rows, moved, tolerance)
    return moved


@rule
def _factor(m: int, d: int, lay: Layout, stiffness: Any) -> Any:
    """Factors of the mass matrix with a stiffness on its diagonal, where MuJoCo has its own.

    ``M + S = L^T D L``: the rows of L without their ones, then D inverted.
    """
    nonzero, start = i32_array(m, lay.m_M_rownnz), i32_array(m, lay.m_M_rowadr)
    column, mass = i32_array(m, lay.m_M_colind), f64_array(d, lay.d_M)
    count = int_at(m, lay.m_nv)
    size = start[count - 1] + nonzero[count - 1]
    factor = np.empty(size)
    for i in range(size):
        factor[i] = mass[i]
    for i in range(count):
        factor[start[i] + nonzero[i] - 1] += stiffness[i]
    for i in range(count - 1, -1, -1):
        own, last = start[i], start[i] + nonzero[i] - 1
        inverse = 1.0 / factor[last]
        factor[last] = inverse
        for k in range(last - 1, own - 1, -1):
            share = factor[k] * inverse
            other = start[column[k]]
            for j in range(nonzero[column[k]]):
                factor[other + j] -= share * factor[own + j]
            factor[k] = share
    return factor


@rule
def _solve(m: int, lay: Layout, factor: Any, out: Any, at: int, count: int) -> None:
    """Turn the forces ``out[at:at + count]`` into accelerations."""
    nonzero, start = i32_array(m, lay.m_M_rownnz), i32_array(m, lay.m_M_rowadr)
    column = i32_array(m, lay.m_M_colind)
    for i in range(count - 1, -1, -1):
        if out[at + i] != 0.0:
            for k in range(start[i], start[i] + nonzero[i] - 1):
                out[at + column[k]] -= factor[k] * out[at + i]
    for i in range(count):
        total = out[at + i] * factor[start[i] + nonzero[i] - 1]
        for k in range(start[i], start[i] + nonzero[i] - 1):
            total -= factor[k] * out[at + column[k]]
        out[at + i] = total


@rule
def _rows_of_several(d: int, lay: Layout) -> Any:
    """Rows of several joints that resist: of equalities, and of contacts that exert a force."""
    softness, force = f64_array(d, lay.d_efc_R), f64_array(d, lay.d_efc_force)
    equalities, end = int_at(d, lay.d_ne), int_at(d, lay.d_nefc)
    rows = np.empty(end, np.int32)
    found = 0
    for row in range(equalities):
        rows[found] = row
        found += 1
    row = equalities + int_at(d, lay.d_nf) + int_at(d, lay.d_nl)
    while row < end:
        dim = rows_together(d, lay, row)
        if force[row] > 0.0 and softness[row] < NO_FORCE:
            for k in range(dim):
                rows[found] = row + k
                found += 1
        row += dim
    return rows[:found]


@rule
def _resist(
    m: int,
    d: int,
    lay: Layout,
    factor: Any,
    rows: Any,
    moved: Any,
    tolerance: float,
) -> None:
    """Change accelerations by the forces of rows of several joints."""
    count, total = int_at(m, lay.m_nv), len(rows)
    jacobian, columns = f64_array(d, lay.d_efc_J), i32_array(d, lay.d_efc_J_colind)
    softness, sparse = f64_array(d, lay.d_efc_R), is_sparse(m, lay)
    equalities = int_at(d, lay.d_ne)  # may be springs; a soft contact would be pushed in
    response, force, weight = np.zeros(total * count), np.zeros(total), np.empty(total)
    for r in range(total):
        first, entries = row_span(m, d, lay, rows[r])
        for k in range(entries):
            response[r * count + (columns[first + k] if sparse else k)] = jacobian[first + k]
        _solve(m, lay, factor, response, r * count, count)
        weight[r] = softness[rows[r]] if rows[r] < equalities else 0.0
        for k in range(entries):
            place = columns[first + k] if sparse else k
            weight[r] += jacobian[first + k] * response[r * count + place]
    for _ in range(SWEEPS):
        largest = 0.0
        for r in range(total):
            if weight[r] <= 0.0:
                continue  # no coordinate moves along it
            first, entries = row_span(m, d, lay, rows[r])
            accel = softness[rows[r]] * force[r] if rows[r] < equalities else 0.0
            for k in range(entries):
                accel += jacobian[first + k] * moved[columns[first + k] if sparse else k]
            before = force[r]
            force[r] = _bounded(d, lay, rows, force, r, before - accel / weight[r])
            change = force[r] - before
            largest = max(largest, abs(change * weight[r]))
            for k in range(count):
                moved[k] += change * response[r * count + k]
        if largest < tolerance:
            return


@rule
def _bounded(d: int, lay: Layout, rows: Any, force: Any, r: int, wanted: float) -> float:
    """The force that a row may have besides that of the step: contacts push, and stay in cones."""
    row = rows[r]
    if row < int_at(d, lay.d_ne):
        return wanted
    own = f64_array(d, lay.d_efc_force)
    contact = i32_array(d, lay.d_efc_id)[row]
    con = address_at(d, lay.d_contact) + contact * lay.c_size
    part = row - int_at(con, lay.c_efc_address)
    if part == 0:
        return max(wanted, -own[row])
    friction = pointer_f64(con + lay.c_friction + _NUMBER * (part - 1))[0]
    most = friction * (own[row - part] + force[r - part])
    return min(max(wanted, min(-most - own[row], 0.0)), max(most - own[row], 0.0))
