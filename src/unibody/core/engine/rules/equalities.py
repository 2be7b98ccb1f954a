"""Equality constraints: limited in force, and welds that slide along an axis."""

from __future__ import annotations

import math

from unibody.core.engine.library.jacobian import row_span
from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.drives import UNLIMITED
from unibody.core.engine.rules.impedance import HARD, set_impedance, set_limit
from unibody.core.engine.rules.smooth_acceleration import smooth_acceleration
from unibody.core.engine.rules.weld_angles import LAST, TURNING, force_of_torque, refer_rotation
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import (
    Pointer,
    f64_array,
    i32_array,
    int_at,
    pointer_i32,
)

WELD = 1  # mjtEq: before it, point to point
LOOP = 1e-3
"""R of a row that joins two bodies of one tree, relative to its inverse mass.

Files round the angles of axes, and what a loop cannot correct otherwise it can by these: hard rows
press with tens of kilonewtons along an axis and turn the joints by it. Bullet's rows are about as
soft there, as it leaves out how the two ends of a row belong together.
"""


@inlined
def _softness(m: int, lay: Layout, eq: int) -> float:
    """R of a constraint's rows, relative to their inverse mass."""
    if i32_array(m, lay.m_eq_type)[eq] > WELD:
        return HARD
    tree = i32_array(m, lay.m_body_treeid)
    one = tree[i32_array(m, lay.m_eq_obj1id)[eq]]
    return LOOP if one >= 0 and one == tree[i32_array(m, lay.m_eq_obj2id)[eq]] else HARD


@inlined
def _turned(values: Pointer, row: int, stride: int, frame: tuple[float, ...]) -> None:
    """Replace three numbers, ``stride`` apart, by their components along three axes."""
    x = values[row]
    y = values[row + stride]
    z = values[row + 2 * stride]
    for k in range(3):
        values[row + k * stride] = frame[3 * k] * x + frame[3 * k + 1] * y + frame[3 * k + 2] * z


@rule
def free_axis_frame(a0: float, a1: float, a2: float) -> tuple[float, ...]:
    """A right-handed orthonormal frame, by rows, whose first axis is the given one."""
    n = math.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
    a0, a1, a2 = a0 / n, a1 / n, a2 / n
    if abs(a0) < 0.6:
        b0, b1, b2 = 0.0, a2, -a1  # a x ex
    else:
        b0, b1, b2 = -a2, 0.0, a0  # a x ey
    n = math.sqrt(b0 * b0 + b1 * b1 + b2 * b2)
    b0, b1, b2 = b0 / n, b1 / n, b2 / n
    c0, c1, c2 = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    return (a0, a1, a2, b0, b1, b2, c0, c1, c2)


@rule
def _turn_rows(m: int, d: int, lay: Layout, row: int, eq: int, rule: Pointer, base: int) -> None:
    """Turn the three translation rows of a weld so that the first lies along its free axis."""
    body = i32_array(m, lay.m_eq_obj1id)[eq]
    xmat = f64_array(d, lay.d_xmat)
    u = rule[base + t.E_AXIS]
    v = rule[base + t.E_AXIS + 1]
    w = rule[base + t.E_AXIS + 2]
    o = 9 * body
    frame = free_axis_frame(
        xmat[o] * u + xmat[o + 1] * v + xmat[o + 2] * w,
        xmat[o + 3] * u + xmat[o + 4] * v + xmat[o + 5] * w,
        xmat[o + 6] * u + xmat[o + 7] * v + xmat[o + 8] * w,
    )
    jacobian = f64_array(d, lay.d_efc_J)
    start, count = row_span(m, d, lay, row)
    for column in range(count):
        _turned(jacobian, start + column, count, frame)
    _turned(f64_array(d, lay.d_efc_pos), row, 1, frame)
    _turned(f64_array(d, lay.d_efc_vel), row, 1, frame)


@rule
def _spring_row(
    d: int, lay: Layout, rule: Pointer, base: int, row: int, number: int, dt: float
) -> float:
    """Make a row an implicit spring; the force's limit is returned, 0 for a row without force.

    Its force is that of the end of the step, ``K (x - p+) - B v+``, like a PD drive's.
    """
    position = f64_array(d, lay.d_efc_pos)[row]
    stiffness = rule[base + t.E_STIFFNESS]
    damping = rule[base + t.E_DAMPING]
    force = -stiffness * position
    bound = min(max(position, rule[base + t.E_LOWER]), rule[base + t.E_UPPER])
    if bound != position:
        stiffness += rule[base + t.E_BOUND_STIFFNESS]
        force += rule[base + t.E_BOUND_STIFFNESS] * (bound - position)
    gain = dt * (damping + dt * stiffness)
    if (int(rule[base + t.E_FREE]) >> number) & 1 or gain <= 0.0:
        return 0.0
    velocity = f64_array(d, lay.d_efc_vel)[row]
    f64_array(d, lay.d_efc_aref)[row] = force / gain - velocity / dt
    set_impedance(d, lay, row, 1.0 / gain)
    return UNLIMITED


@inlined
def _stiff_row(
    m: int, d: int, lay: Layout, rule: Pointer, base: int, row: int, number: int, dt: float
) -> None:
    """Write a row that takes a share of its error away in a step: ``number`` of its constraint."""
    erp = rule[base + t.E_ERP]
    eq = i32_array(d, lay.d_efc_id)[row]
    aref = f64_array(d, lay.d_efc_aref)
    position = f64_array(d, lay.d_efc_pos)[row]
    aref[row] = -(erp * position / dt + f64_array(d, lay.d_efc_vel)[row]) / dt
    aux = int(rule[base + t.E_AUX]) - 1
    if aux >= 0:
        dof = i32_array(m, lay.m_jnt_dofadr)[aux]
        at = i32_array(m, lay.m_jnt_qposadr)[aux]
        aref[row] += erp * f64_array(d, lay.d_qpos)[at] / (dt * dt)
        aref[row] += f64_array(d, lay.d_qvel)[dof] / dt
        aref[row] += smooth_acceleration(m, d, lay)[dof]
    set_impedance(d, lay, row, _softness(m, lay, eq) * f64_array(d, lay.d_efc_diagA)[row])
    if number == LAST:
        refer_rotation(m, d, lay, eq, row - LAST + TURNING, base + t.E_FRAME, erp, dt)


@inlined
def apply_equalities(m: int, d: int, lay: Layout, params: Pointer, dt: float) -> None:
    """Equality rows with a rule of ours become bounded rows.

    MuJoCo knows by its index whether a row is an equality or a friction row, so all equality
    rows move over the boundary between the two; those without a limit get one out of reach.
    """
    count = int(params[t.N_EQUALITIES])
    rows = int_at(d, lay.d_ne)
    if count == 0 or rows == 0:
        return
    rule = f64_array(d, lay.d_userdata)
    first = int(params[t.N_DRIVES]) * t.DRIVE_SIZE
    efc_id = i32_array(d, lay.d_efc_id)
    for row in range(rows):
        limit = UNLIMITED
        if efc_id[row] < count:
            base = first + efc_id[row] * t.EQUALITY_SIZE
            starts = row == 0 or efc_id[row - 1] != efc_id[row]
            sliding = rule[base + t.E_AXIS] != 0.0 or rule[base + t.E_AXIS + 1] != 0.0
            sliding = sliding or rule[base + t.E_AXIS + 2] != 0.0
            if starts and sliding:
                _turn_rows(m, d, lay, row, efc_id[row], rule, base)
            if starts:
                rule[base + t.E_ROW] = float(row)
            number = row - int(rule[base + t.E_ROW])
            if rule[base + t.E_SPRING] > 0.0:
                limit = _spring_row(d, lay, rule, base, row, number, dt)
            elif rule[base + t.E_ERP] >= 0.0:
                _stiff_row(m, d, lay, rule, base, row, number, dt)
            if rule[base + t.E_LIMIT] > 0.0 and limit > 0.0:
                limit = rule[base + t.E_LIMIT]
                if number >= TURNING:
                    limit *= force_of_torque(m, d, lay, efc_id[row])
            if starts and sliding:
                limit = 0.0  # the row along the free axis has no force
        set_limit(d, lay, row, limit)
    islands = int_at(d, lay.d_nisland)
    if islands > 0:
        island_ne = i32_array(d, lay.d_island_ne)
        island_nf = i32_array(d, lay.d_island_nf)
        for k in range(islands):
            island_nf[k] += island_ne[k]
            island_ne[k] = 0
    pointer_i32(d + lay.d_nf)[0] += rows
    pointer_i32(d + lay.d_ne)[0] = 0
