"""Contacts that slip: Coulomb's law, as a fixed point around MuJoCo's convex cones.

A convex cone asks for ``v_n - target = |mu v_t|`` of the velocities at the end of a step, Coulomb's
law for ``v_n = target``. The contact rules lower the target by the right-hand side as they foresee
it for a free body (`contacts.dilation`). Where joints or other contacts make a body slip otherwise,
the problem is solved again with what the solution slips, from there on: the fixed point of Acary,
Cadoux, Lemarechal and Malick, "A formulation of the linear discrete Coulomb friction problem via
convex optimization", ZAMM 91 (2011).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from unibody.core.engine.library.jacobian import is_sparse, row_span
from unibody.core.engine.library.layout import Layout
from unibody.core.engine.rules.friction_directions import shape_friction
from unibody.core.engine.rules.impedance import NO_FORCE, set_impedance
from unibody.machine_code import types
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import (
    Pointer,
    address_at,
    f64_array,
    i32_array,
    int_at,
    pointer_f64,
)

if TYPE_CHECKING:
    from unibody.machine_code.deferred import ExternalFunction

SOLVES = 4  # at most; an impact takes two, a body that goes on sliding none or one
ALIKE = 5.0  # s/m: coefficients that differ by less, as a share for 1 m/s of tolerance, stay
LASTING = 0.01  # m/s: what slips less is not asked for how it went on
CLOSED = 2e-3  # m/s: contacts that open or close faster are not the last step's
STEEPEST = 0.9  # slope that is believed of what a contact slips over what was foreseen

_ADDRESS = types.int64
solve_constraints: ExternalFunction = types.ExternalFunction(
    "mj_fwdConstraint", types.void(_ADDRESS, _ADDRESS)
)
_multiply_jacobian = types.ExternalFunction(
    "mj_mulJacVec", types.void(_ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS)
)
MUJOCO_FUNCTIONS = ("mj_fwdConstraint", "mj_mulJacVec")  # of libmujoco, called by name


@inlined
def start_from_solution(m: int, d: int, lay: Layout) -> None:
    """Have the next solve begin with what the last one found."""
    solution = f64_array(d, lay.d_qacc)
    start = f64_array(d, lay.d_qacc_warmstart)
    for i in range(int_at(m, lay.m_nv)):
        start[i] = solution[i]


@inlined
def remember_foreseen(d: int, lay: Layout, row: int, speed: float) -> None:
    """Note by how much the target of the normal row ``row`` was lowered [m/s].

    Margins and positions of its rows of friction mean nothing to MuJoCo. Here they hold what is
    foreseen (``efc_margin[row + 1]``), what was before that (``efc_pos[row + 1]``), and what the
    contact slipped then (``efc_margin[row + 2]``).
    """
    f64_array(d, lay.d_efc_margin)[row + 1] = speed


@rule
def lasting_slip(
    m: int, d: int, lay: Layout, row: int, dim: int, friction: Pointer, target: float, dt: float
) -> float:
    """``|mu v_t|`` at the end of the step where all goes on as in the last one [m/s].

    Which of the contacts of a body that slides bear how much of it is decided by differences of
    this that are smaller than any other guess.

    Returns:
        The speed; -1 if a contact does not slip, or with the last step's accelerations would not
        go on as it is: an impact, a new contact.
    """
    velocity = f64_array(d, lay.d_efc_vel)
    a, b = friction[0] * velocity[row + 1], friction[1] * velocity[row + 2]
    if a * a + b * b < LASTING * LASTING:
        return -1.0
    last = f64_array(d, lay.d_qacc_warmstart)
    jacobian = f64_array(d, lay.d_efc_J)
    columns = i32_array(d, lay.d_efc_J_colind)
    sparse = is_sparse(m, lay)
    total = 0.0
    for j in range(dim):
        start, count = row_span(m, d, lay, row + j)
        gained = 0.0
        for k in range(count):
            gained += jacobian[start + k] * last[columns[start + k] if sparse else k]
        speed = velocity[row + j] + dt * gained
        if j == 0 and abs(speed - target) > CLOSED:
            return -1.0
        if j > 0:
            total += (friction[j - 1] * speed) ** 2
    return math.sqrt(total)


@inlined
def _slip(
    velocity: Pointer, accel: Pointer, row: int, dim: int, friction: Pointer, dt: float
) -> float:
    """``|mu v_t|`` at the end of the step, of sliding, spinning and rolling [m/s]."""
    total = 0.0
    for j in range(1, dim):
        speed = friction[j - 1] * (velocity[row + j] + dt * accel[row + j])
        total += speed * speed
    return math.sqrt(total)


@inlined
def _better(foreseen: float, now: float, earlier: float, then: float) -> float:
    """A secant's guess at a fixed point, from two pairs of what was foreseen and what came."""
    slope = 0.0
    if foreseen != earlier:
        slope = min(max((now - then) / (foreseen - earlier), -STEEPEST), STEEPEST)
    return max(0.0, foreseen + (now - foreseen) / (1.0 - slope))


@rule
def _reshape(
    m: int, d: int, lay: Layout, con: int, row: int, dim: int, alike: float, dt: float
) -> bool:
    """Give a contact the friction that belongs to what it slips now; says whether it had another.

    That is judged by the force that each would have, as a share of its coefficient.
    """
    friction = pointer_f64(con + lay.c_friction)
    before_p, before_q = friction[0], friction[1]
    before_spin = friction[2] if dim > 3 else 0.0
    before_roll = friction[3] if dim > 3 else 0.0
    shape_friction(m, d, lay, con, row, dim, dt, True)
    same = abs(friction[0] - before_p) <= alike * before_p
    same = same and abs(friction[1] - before_q) <= alike * before_q
    if dim > 3:
        same = same and abs(friction[2] - before_spin) <= alike * before_spin
        same = same and abs(friction[3] - before_roll) <= alike * before_roll
    mu = pointer_f64(con + lay.c_solimp)[0]
    slope = pointer_f64(con + lay.c_mu)[0] / mu
    r_slide = f64_array(d, lay.d_efc_R)[row] * slope * slope
    for j in range(1, dim):
        ratio = mu / friction[j - 1]
        set_impedance(d, lay, row + j, r_slide * ratio * ratio)
    return not same


@rule
def _correct(
    m: int, d: int, lay: Layout, tolerance: float, dt: float, first: bool, by_mass: bool
) -> bool:
    """Lower each target by what its contact slips now; says whether that changed anything.

    ``efc_b`` holds the accelerations of all rows.
    """
    velocity = f64_array(d, lay.d_efc_vel)
    accel = f64_array(d, lay.d_efc_b)
    aref = f64_array(d, lay.d_efc_aref)
    force = f64_array(d, lay.d_efc_force)
    margin = f64_array(d, lay.d_efc_margin)
    pos = f64_array(d, lay.d_efc_pos)
    softness = f64_array(d, lay.d_efc_R)
    contacts = address_at(d, lay.d_contact)
    alike = ALIKE * tolerance
    changed = False
    for i in range(int_at(d, lay.d_ncon)):
        con = contacts + i * lay.c_size
        row = int_at(con, lay.c_efc_address)
        dim = int_at(con, lay.c_dim)
        if row < 0 or dim < 3 or softness[row] == NO_FORCE:
            continue
        friction = pointer_f64(con + lay.c_friction)
        foreseen = margin[row + 1]
        if by_mass and force[row] > 0.0 and _reshape(m, d, lay, con, row, dim, alike, dt):
            changed = True
        now = _slip(velocity, accel, row, dim, friction, dt)
        wrong = abs(now - foreseen) >= tolerance
        if wrong and force[row] == 0.0:  # it may open, but not go on sinking in
            target = velocity[row] + dt * aref[row] + foreseen
            wrong = velocity[row] + dt * accel[row] < target
        earlier = foreseen if first else pos[row + 1]
        guess = _better(foreseen, now, earlier, margin[row + 2]) if wrong else foreseen
        pos[row + 1] = foreseen
        margin[row + 2] = now
        margin[row + 1] = guess
        aref[row] -= (guess - foreseen) / dt
        changed = changed or wrong
    return changed


@rule
def slips_otherwise(
    m: int, d: int, lay: Layout, tolerance: float, dt: float, by_mass: bool, first: bool
) -> bool:
    """Whether contacts slip otherwise than foreseen; then all is ready to solve again."""
    # efc_b is worked out anew in each solve.
    _multiply_jacobian(m, d, address_at(d, lay.d_efc_b), address_at(d, lay.d_qacc))
    if not _correct(m, d, lay, tolerance, dt, first, by_mass):
        return False
    start_from_solution(m, d, lay)
    return True


@rule
def settle_slipping(
    m: int, d: int, lay: Layout, tolerance: float, dt: float, by_mass: bool
) -> None:
    """Solve again until contacts slip as was foreseen, to ``tolerance`` [m/s]."""
    if int_at(d, lay.d_ncon) == 0 or int_at(d, lay.d_nefc) == 0:
        return
    for k in range(SOLVES):
        if not slips_otherwise(m, d, lay, tolerance, dt, by_mass, k == 0):
            return
        solve_constraints(m, d)
