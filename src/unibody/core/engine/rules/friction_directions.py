"""Which way friction pulls: Bullet's rule for contacts that slip.

Bullet's solver limits the impulse of both rows of sliding friction together, and each row alone
asks for what would stop its own slipping. So friction points against the slipping velocity divided
row by row by the inverse mass that the row sees: a wheel that spins and skids resists its light
spinning little and its heavy skidding much. The two rows lie along directions that depend on the
normal alone (`transforms.plane_directions`).

MuJoCo's ellipsoid of friction forces has Bullet's force at the velocity that slips where its
half axes are ``mu_p^2 = mu^2 (v_p^2 + s v_q^2) / (v_p^2 + s^2 v_q^2)`` and ``mu_q^2 = s mu_p^2``;
``s`` is the share of the inverse mass along p in that along q.

Bullet without friction cones limits both rows of sliding friction one by one, whatever the other
does. The ellipsoid has these forces where ``mu_p^2 = mu^2 (|v_p| + |v_q|) / |v_p|``, and q alike.
"""

from __future__ import annotations

import math

from unibody.core.assets import transforms
from unibody.core.engine.library.jacobian import is_sparse, row_span
from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.smooth_acceleration import solve_mass
from unibody.core.engine.rules.tangent_rotation import turn_pair, turn_sliding
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import (
    f64_array,
    i32_array,
    pointer_f64,
    pointer_i32,
)

STILL = 0.01  # m/s: what slips less has friction that is the same in all directions
MOVING = 0.03  # m/s: what slips more has all of its rule; between them the share grows to its own
STILL_TURN = 0.05  # rad/s: the same for spinning and rolling
MOST = 1e4  # of one inverse mass in another
WIDEST_SLIDING = 16.0  # how much larger than its square a coefficient's may become
WIDEST_TURNING = 100.0
WIDEST_BOX = 1e3  # the same along a direction that does not slip beside one that does
AT_LIMIT = 0.98  # share of the largest friction from which on a contact is about to slip

_plane_directions = rule(transforms.plane_directions)


@rule
def turn_rows(m: int, d: int, lay: Layout, con: int, row: int, solved: bool) -> None:
    """Turn the two sliding rows of a contact, and its frame, to Bullet's directions.

    Before they are ``solved``, ``efc_b`` and ``efc_force`` are whatever the memory held.
    """
    frame = pointer_f64(con + lay.c_frame)
    spans = _plane_directions(frame[0], frame[1], frame[2])
    c = spans[0] * frame[3] + spans[1] * frame[4] + spans[2] * frame[5]
    s = spans[0] * frame[6] + spans[1] * frame[7] + spans[2] * frame[8]
    turn_sliding(m, d, lay, con, row, c, s)
    if solved:
        turn_pair(f64_array(d, lay.d_efc_b), row + 1, row + 2, c, s)
        turn_pair(f64_array(d, lay.d_efc_force), row + 1, row + 2, c, s)


@rule
def inverse_mass(m: int, d: int, lay: Layout, row: int, g1: int, g2: int) -> float:
    """What a row of a contact sees of the inertia of its two bodies, without other constraints.

    ``qfrc_constraint`` is room for it: what the next solution overwrites.
    """
    body = i32_array(m, lay.m_geom_bodyid)
    tree_of = i32_array(m, lay.m_body_treeid)
    jacobian = f64_array(d, lay.d_efc_J)
    columns = i32_array(d, lay.d_efc_J_colind)
    out = f64_array(d, lay.d_qfrc_constraint)
    sparse = is_sparse(m, lay)
    start, count = row_span(m, d, lay, row)
    total = 0.0
    done = -1
    for geom in (g1, g2):
        tree = tree_of[body[geom]]
        if tree < 0 or tree == done:
            continue
        done = tree
        first = i32_array(m, lay.m_tree_dofadr)[tree]
        last = first + i32_array(m, lay.m_tree_dofnum)[tree]
        for i in range(first, last):
            out[i] = 0.0
        for k in range(count):
            column = columns[start + k] if sparse else k
            if first <= column < last:
                out[column] = jacobian[start + k]
        solve_mass(m, d, lay, out, first, last)
        for k in range(count):
            column = columns[start + k] if sparse else k
            if first <= column < last:
                total += jacobian[start + k] * out[column]
    return total


@rule
def share_of_masses(m: int, d: int, lay: Layout, row: int, g1: int, g2: int) -> float:
    """The share ``s`` of the inverse mass along the first sliding row in that along the second."""
    first = inverse_mass(m, d, lay, row + 1, g1, g2)
    second = inverse_mass(m, d, lay, row + 2, g1, g2)
    return min(max(first, second / MOST), second * MOST) / second if second > 0.0 else 1.0


@inlined
def half_axes(vp: float, vq: float, share: float) -> tuple[float, float]:
    """Squares of the half axes of the ellipsoid, for a coefficient of 1."""
    p, q = vp * vp, vq * vq
    first = (p + share * q) / (p + share * share * q)
    return first, share * first


@inlined
def box_axes(vp: float, vq: float) -> tuple[float, float]:
    """The same where each of two directions has a limit of its own."""
    total = abs(vp) + abs(vq)
    least = total / WIDEST_BOX
    return total / max(abs(vp), least), total / max(abs(vq), least)


@rule
def _box(
    m: int, d: int, lay: Layout, con: int, row: int, mu: float, dt: float, after: bool
) -> tuple[float, float, float]:
    """Squares of the half axes for limits one by one, and the power of sliding over its force.

    A contact that does not slip yet, but is about to, has those of where it is pushed.
    """
    noted = pointer_f64(con + lay.c_solimp)
    vp, vq = _speed(d, lay, row + 1, dt, after), _speed(d, lay, row + 2, dt, after)
    slips = vp * vp + vq * vq > STILL * STILL
    friction, force = pointer_f64(con + lay.c_friction), f64_array(d, lay.d_efc_force)
    if not slips and not after:
        return 1.0, 1.0, 0.0
    if not slips:
        p, q = force[row + 1] / friction[0], force[row + 2] / friction[1]
        if p * p + q * q < (AT_LIMIT * force[row]) ** 2:
            return (friction[0] / mu) ** 2, (friction[1] / mu) ** 2, 0.0
    if noted[3] == 0.0:
        turn_rows(m, d, lay, con, row, after)
        noted[3] = 1.0
        vp, vq = _speed(d, lay, row + 1, dt, after), _speed(d, lay, row + 2, dt, after)
    if not slips:
        first, second = box_axes(force[row + 1], force[row + 2])
        return first, second, 0.0
    first, second = box_axes(vp, vq)
    return first, second, mu * math.sqrt(first * vp * vp + second * vq * vq)


@inlined
def remember_surfaces(
    con: int, lay: Layout, mu: float, spinning: float, rolling: float, even: bool
) -> None:
    """Note the coefficients of a contact, whose directions are not known yet.

    ``solimp`` means nothing any more when rules act. Its fourth number is the share of masses, 0
    until the rows are turned, and negative where friction is not ``even``, the same in all
    directions: then it stays what it is.
    """
    noted = pointer_f64(con + lay.c_solimp)
    noted[0], noted[1], noted[2], noted[3] = mu, spinning, rolling, 0.0 if even else -1.0


@inlined
def _speed(d: int, lay: Layout, row: int, dt: float, after: bool) -> float:
    """Speed along a row, now or ``after`` the step that the last solution makes."""
    speed = f64_array(d, lay.d_efc_vel)[row]
    if after:
        speed += dt * f64_array(d, lay.d_efc_b)[row]
    return speed


@rule
def shape_friction(
    m: int, d: int, lay: Layout, con: int, row: int, dim: int, dt: float, after: bool
) -> None:
    """Give the ellipsoid of friction forces of a contact Bullet's force at what slips.

    Sliding, spinning and rolling have each their own limit: those of them that slip share the
    ellipsoid by their power, those that do not keep their coefficients.

    Args:
        m: The mjModel.
        d: The mjData.
        lay: Offsets.
        con: The contact.
        row: Its first row.
        dim: Number of its rows.
        dt: Time step [s].
        after: Of the velocities that the last solution gives (``efc_b``), not of the present ones.
    """
    noted = pointer_f64(con + lay.c_solimp)
    mu, spinning, rolling = noted[0], noted[1], noted[2]
    if noted[3] < 0.0:
        return
    vp, vq = _speed(d, lay, row + 1, dt, after), _speed(d, lay, row + 2, dt, after)
    first, second, sliding = 1.0, 1.0, 0.0
    if f64_array(m, lay.m_numeric_data)[t.N_SLIP_BY_MASS] == t.BOX:
        first, second, sliding = _box(m, d, lay, con, row, mu, dt, after)
    elif vp * vp + vq * vq > STILL * STILL:
        if noted[3] == 0.0:
            turn_rows(m, d, lay, con, row, after)
            geom = pointer_i32(con + lay.c_geom)
            noted[3] = share_of_masses(m, d, lay, row, geom[0], geom[1])
            vp, vq = _speed(d, lay, row + 1, dt, after), _speed(d, lay, row + 2, dt, after)
        known = min((math.sqrt(vp * vp + vq * vq) - STILL) / (MOVING - STILL), 1.0)
        first, second = half_axes(vp, vq, noted[3] ** known)
        sliding = mu * math.sqrt(first * vp * vp + second * vq * vq)
    friction = pointer_f64(con + lay.c_friction)
    spin, roll, scale = spinning, rolling, 1.0
    if dim > 3:
        w = abs(_speed(d, lay, row + 3, dt, after))
        r = 0.0
        if dim > 4:  # it rolls with friction, too
            r = math.hypot(_speed(d, lay, row + 4, dt, after), _speed(d, lay, row + 5, dt, after))
        power = sliding
        power += spinning * w if w > STILL_TURN else 0.0
        power += rolling * r if r > STILL_TURN else 0.0
        if power > 0.0:  # what does not slide yet must not creep for want of a share
            share = power / max(sliding, mu * STILL)
            scale = math.sqrt(min(max(share, 1.0), WIDEST_SLIDING))
        if w > STILL_TURN:
            spin = math.sqrt(min(spinning * power / w, WIDEST_TURNING * spinning * spinning))
        if r > STILL_TURN:
            roll = math.sqrt(min(rolling * power / r, WIDEST_TURNING * rolling * rolling))
        friction[2], friction[3], friction[4] = spin, roll, roll
    friction[0] = scale * mu * math.sqrt(first)
    friction[1] = scale * mu * math.sqrt(second)
