"""The contact rules: friction combination, restitution, compliance, hard speculative contacts."""

from __future__ import annotations

import math

from unibody.core.engine.library.jacobian import row_span
from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.anisotropy import turn_friction
from unibody.core.engine.rules.friction_directions import remember_surfaces, shape_friction
from unibody.core.engine.rules.impedance import HARD, NO_FORCE, set_impedance
from unibody.core.engine.rules.isolated_contacts import is_alone, rows_of_trees
from unibody.core.engine.rules.manifolds import is_against_one_that_caught, is_shallow_and_new
from unibody.core.engine.rules.moving_surfaces import add_surface_velocity
from unibody.core.engine.rules.pair_filter import apart, filtered, smaller_reach
from unibody.core.engine.rules.slipping import lasting_slip, remember_foreseen
from unibody.core.engine.rules.surface_friction import act_at_surfaces
from unibody.machine_code.jit import inlined
from unibody.machine_code.pointers import (
    Pointer,
    address_at,
    f64_array,
    i32_array,
    int_at,
    pointer_f64,
    pointer_i32,
)

FREE_DOFS = 6  # of a body without joints
MIN_FRICTION = 1e-5  # mjMINMU: MuJoCo's cones need a positive coefficient
STILL = 1e-9  # m/rad or 1: a Jacobian's entry that is rounding
EVEN = 1e-6  # share by which coefficients differ that are the same in all directions
OWN_DAMPING = 0.1  # Ns/m that Bullet adds for a surface without a stiffness
BOUNCE = 1e-4  # R of a rebounding row, relative to its inverse mass: the share of speed it loses
MULTIPLY = int(t.FrictionRule.MULTIPLY)
AVERAGE = int(t.FrictionRule.AVERAGE)
MAXIMUM = int(t.FrictionRule.MAXIMUM)


@inlined
def combine(rule: int, a: float, b: float) -> float:
    """The coefficient of a pair of surfaces."""
    if rule == MULTIPLY:
        return a * b
    if rule == AVERAGE:
        return 0.5 * (a + b)
    if rule == MAXIMUM:
        return max(a, b)
    return min(a, b)


@inlined
def combine_rolling(rule: int, mu_a: float, mu_b: float, a: float, b: float) -> float:
    """Spinning and rolling coefficients: Bullet crosses them with the sliding coefficients."""
    if rule == MULTIPLY:
        return mu_a * b + mu_b * a
    return combine(rule, a, b)


@inlined
def unilateral_velocity(distance: float, erp: float, most: float, dt: float) -> float:
    """Smallest separating speed allowed at the end of a step.

    A gap may close but not be crossed; a penetration shrinks by the share ``erp`` a step, and no
    faster than ``most``.
    """
    if distance > 0.0:
        return -distance / dt
    return min(most, -erp * distance / dt)


@inlined
def squared_impact(speed: float, distance: float, accel: float, dt: float) -> float:
    """Square of the speed at contact of an impact somewhere inside the step.

    The semi-implicit Euler flight ``v += a dt; x += v dt`` conserves ``v^2 - 2 a (x - v dt/2)``.
    What is no faster than one step makes it does not bounce, but rests.
    """
    return speed * speed - 2.0 * accel * (distance - 0.5 * speed * dt)


@inlined
def rebound_velocity(hit: float, distance: float, e: float, accel: float, dt: float) -> float:
    """Speed after an impact that makes the rebound height exact in the discrete time.

    The speed at contact, whose square is ``hit`` (`squared_impact`), is multiplied by ``e``, and is
    carried back to the place where the step starts.
    """
    energy = e * e * hit + 2.0 * accel * distance
    root = accel * accel * dt * dt + 4.0 * energy
    if root <= 0.0:
        return 0.0
    return max(0.0, 0.5 * (accel * dt + math.sqrt(root)))


@inlined
def _contact_acceleration(m: int, lay: Layout, con: int, g1: int, g2: int) -> float:
    """Gravity's acceleration of ``g2`` against ``g1`` along the normal, of bodies that can fall."""
    normal = pointer_f64(con + lay.c_frame)
    gravity = pointer_f64(m + lay.m_opt + lay.o_gravity)
    tree = i32_array(m, lay.m_body_treeid)
    body = i32_array(m, lay.m_geom_bodyid)
    along = normal[0] * gravity[0] + normal[1] * gravity[1] + normal[2] * gravity[2]
    accel = 0.0
    if tree[body[g1]] >= 0:
        accel -= along
    if tree[body[g2]] >= 0:
        accel += along
    return accel


@inlined
def _compliance(params: Pointer, user: Pointer, u1: int, u2: int) -> tuple[float, float]:
    """Stiffness [N/m] and damping [Ns/m] of a contact; a stiffness of 0 is a hard one.

    In Bullet two surfaces are springs one behind the other, and their dampings add up.
    """
    k1, k2 = user[u1 + t.G_STIFFNESS], user[u2 + t.G_STIFFNESS]
    c1, c2 = user[u1 + t.G_DAMPING], user[u2 + t.G_DAMPING]
    if params[t.N_PAIRS] == 0.0 or (k1 <= 0.0 and k2 <= 0.0):
        return max(k1, k2), max(c1, c2)
    if k1 > 0.0 and k2 > 0.0:
        return k1 * k2 / (k1 + k2), c1 + c2
    return max(k1, k2), (c1 if k1 > 0.0 else c2) + OWN_DAMPING


@inlined
def _bounces_like_bullet(m: int, lay: Layout, params: Pointer, g1: int, g2: int) -> bool:
    """Whether two bodies can both move, of a world in which they part as in Bullet.

    There the speed of restitution comes on top of that at which a penetration shrinks. What
    bounces off something fixed has an exact height instead.
    """
    tree = i32_array(m, lay.m_body_treeid)
    body = i32_array(m, lay.m_geom_bodyid)
    return params[t.N_PAIRS] != 0.0 and tree[body[g1]] >= 0 and tree[body[g2]] >= 0


@inlined
def _normal_row(
    m: int, d: int, lay: Layout, params: Pointer, con: int, row: int, g1: int, g2: int, dt: float
) -> float:
    """Rewrite the normal row of a contact of geoms ``g1`` and ``g2``; returns its ``R``."""
    geom_user = f64_array(m, lay.m_geom_user)
    u1 = g1 * t.GEOM_USER_SIZE
    u2 = g2 * t.GEOM_USER_SIZE
    distance = pointer_f64(con + lay.c_dist)[0]
    seen = distance + params[t.N_SLOP]
    speed = f64_array(d, lay.d_efc_vel)[row]
    aref = f64_array(d, lay.d_efc_aref)
    e = combine(
        int(params[t.N_RESTITUTION_RULE]),
        geom_user[u1 + t.G_RESTITUTION],
        geom_user[u2 + t.G_RESTITUTION],
    )
    fast = e > 0.0 and speed < -params[t.N_RESTITUTION_SPEED]
    stiffness, damping = _compliance(params, geom_user, u1, u2)
    if stiffness > 0.0:
        r = 1.0 / (dt * (damping + dt * stiffness))
        target = -(seen / dt if seen > 0.0 else r * dt * stiffness * seen)
        if fast and params[t.N_PAIRS] != 0.0:
            target -= e * (speed + _contact_acceleration(m, lay, con, g1, g2) * dt)
        aref[row] = (target - speed) / dt
        set_impedance(d, lay, row, r)
        return r
    target = unilateral_velocity(seen, params[t.N_CONTACT_ERP], params[t.N_PARTING_SPEED], dt)
    if fast and _bounces_like_bullet(m, lay, params, g1, g2):
        target -= e * speed
        set_impedance(d, lay, row, BOUNCE * f64_array(d, lay.d_efc_diagA)[row])
    elif fast and distance + speed * dt <= 0.0:
        accel = _contact_acceleration(m, lay, con, g1, g2)
        hit = squared_impact(speed, distance, accel, dt)
        if hit > accel * accel * dt * dt:
            target = max(target, rebound_velocity(hit, distance, e, accel, dt))
            set_impedance(d, lay, row, BOUNCE * f64_array(d, lay.d_efc_diagA)[row])
    aref[row] = (target - speed) / dt
    return f64_array(d, lay.d_efc_R)[row]


@inlined
def _friction_softness(m: int, lay: Layout, params: Pointer, g1: int, g2: int) -> float:
    """``R`` of a friction row relative to the normal row.

    Creep is ``dt R f``, and R follows the inverse mass that a contact sees. For a free body that
    is its own; for the light finger of a gripper it is many times that of what it holds.
    """
    body = i32_array(m, lay.m_geom_bodyid)
    tree = i32_array(m, lay.m_body_treeid)
    dofs = i32_array(m, lay.m_tree_dofnum)
    for geom in (g1, g2):
        own = tree[body[geom]]
        if own >= 0 and dofs[own] > FREE_DOFS:
            return params[t.N_FRICTION_CFM]
    return params[t.N_FREE_FRICTION_CFM]


@inlined
def dilation(velocity: Pointer, row: int, dim: int, friction: Pointer, stopped: float) -> float:
    """Speed at which the convex cone would lift a contact that slips, spins or rolls.

    The optimality conditions of MuJoCo's cones hold ``v_n - target = |mu v_t|`` of the velocities
    at the end of the step, where Coulomb's law has ``v_n = target``: a box sliding at 3 m/s would
    take off at 1.5 m/s. Lowering the target by the expected right-hand side cancels that. A
    normal speed ``stopped`` within the step brakes slipping by ``mu * stopped``; a contact that
    sticks is left alone.
    """
    a = friction[0] * velocity[row + 1]
    b = friction[1] * velocity[row + 2]
    lift = math.sqrt(a * a + b * b)
    if lift > 0.0:
        braking = math.sqrt((friction[0] * a) ** 2 + (friction[1] * b) ** 2) / lift
        lift = max(0.0, lift - braking * braking * stopped)
    total = lift * lift
    for j in range(3, dim):
        turning = friction[j - 1] * velocity[row + j]
        total += turning * turning
    return math.sqrt(total)


@inlined
def _friction_rows(
    m: int,
    d: int,
    lay: Layout,
    params: Pointer,
    con: int,
    row: int,
    g1: int,
    g2: int,
    r: float,
    dt: float,
) -> None:
    """Rewrite coefficients and rows of friction; ``r`` is the ``R`` of the normal row.

    MuJoCo's elliptic cones need ``R[j] mu[j]^2`` to be the same for all j, and ``contact.mu`` to
    be the slope of the cone in the metric of R.
    """
    rule = int(params[t.N_FRICTION_RULE])
    surface = f64_array(m, lay.m_geom_friction)
    f1 = 3 * g1
    f2 = 3 * g2
    mu1 = surface[f1]
    mu2 = surface[f2]
    mu = max(MIN_FRICTION, combine(rule, mu1, mu2))
    friction = pointer_f64(con + lay.c_friction)
    friction[0] = mu
    friction[1] = mu
    if params[t.N_ANISOTROPY] != 0.0:
        first, second = turn_friction(m, d, lay, con, row, g1, g2)
        friction[0] = max(MIN_FRICTION, first * mu)
        friction[1] = max(MIN_FRICTION, second * mu)
        mu = friction[0]
    dim = int_at(con, lay.c_dim)
    if dim > 3:
        spinning = combine_rolling(rule, mu1, mu2, surface[f1 + 1], surface[f2 + 1])
        rolling = combine_rolling(rule, mu1, mu2, surface[f1 + 2], surface[f2 + 2])
        friction[2] = max(MIN_FRICTION, spinning)
        friction[3] = max(MIN_FRICTION, rolling)
        friction[4] = friction[3]
    if params[t.N_SLIP_BY_MASS] != 0.0 and dim >= 3:
        even = abs(friction[1] - friction[0]) <= EVEN * friction[0]
        remember_surfaces(con, lay, mu, friction[2], friction[3], even)
        shape_friction(m, d, lay, con, row, dim, dt, False)
    r_slide = r * _friction_softness(m, lay, params, g1, g2)
    pointer_f64(con + lay.c_mu)[0] = mu * math.sqrt(r_slide / r)
    aref = f64_array(d, lay.d_efc_aref)
    velocity = f64_array(d, lay.d_efc_vel)
    for j in range(1, dim):
        ratio = mu / friction[j - 1]
        set_impedance(d, lay, row + j, r_slide * ratio * ratio)
        aref[row + j] = -velocity[row + j] / dt
    target = velocity[row] + aref[row] * dt
    accel = _contact_acceleration(m, lay, con, g1, g2)
    stopped = max(0.0, target - velocity[row] - accel * dt)
    foreseen = -1.0
    if params[t.N_MOVING_SURFACES] == 0.0:  # which change their speed without an acceleration
        foreseen = lasting_slip(m, d, lay, row, dim, friction, target, dt)
    if foreseen < 0.0:
        foreseen = dilation(velocity, row, dim, friction, stopped)
    remember_foreseen(d, lay, row, foreseen)
    aref[row] -= foreseen / dt


@inlined
def _moves_nothing(m: int, d: int, lay: Layout, row: int) -> bool:
    """Whether nothing that can move moves along a row: a blade that turns along a wall."""
    jacobian = f64_array(d, lay.d_efc_J)
    start, count = row_span(m, d, lay, row)
    at = start
    while at < start + count and abs(jacobian[at]) <= STILL:
        at += 1
    return at == start + count


@inlined
def _is_too_far(m: int, d: int, lay: Layout, con: int, g1: int, g2: int) -> bool:
    """Whether a contact is at a larger distance than one of its geoms wants forces of, or sees.

    MuJoCo does not ask the contact filter about two geoms that collide as a pair of their own.
    """
    user = f64_array(m, lay.m_geom_user)
    a = user[g1 * t.GEOM_USER_SIZE + t.G_FARTHEST]
    b = user[g2 * t.GEOM_USER_SIZE + t.G_FARTHEST]
    distance = pointer_f64(con + lay.c_dist)[0]
    if 0.0 < a < 1.0 + distance or 0.0 < b < 1.0 + distance:
        return True
    if distance <= 0.0:
        return False
    return distance > smaller_reach(m, lay, g1, g2) or (
        filtered(m, lay, g1, g2) and apart(m, d, lay, g1, g2)
    )


@inlined
def apply_contacts(m: int, d: int, lay: Layout, params: Pointer, dt: float) -> None:
    """Rewrite the rows of every contact according to the rules of its two geoms."""
    contacts = address_at(d, lay.d_contact)
    counts = rows_of_trees(m, d, lay)
    for i in range(int_at(d, lay.d_ncon)):
        con = contacts + i * lay.c_size
        row = int_at(con, lay.c_efc_address)
        geom = pointer_i32(con + lay.c_geom)
        g1 = geom[0]
        g2 = geom[1]
        if row < 0 or g1 < 0 or g2 < 0:  # excluded, or of a flex
            continue
        if params[t.N_MOVING_SURFACES] != 0.0:
            add_surface_velocity(m, d, lay, con, row, g1, -1.0)
            add_surface_velocity(m, d, lay, con, row, g2, 1.0)
        dim = int_at(con, lay.c_dim)
        # of the first, no force reaches its target; Bullet has none for any of them
        if (
            _moves_nothing(m, d, lay, row)
            or _is_too_far(m, d, lay, con, g1, g2)
            or (
                params[t.N_POINT_BY_POINT] != 0.0
                and (
                    is_shallow_and_new(m, d, lay, contacts, i, g1, g2, dt)
                    or is_against_one_that_caught(m, d, lay, contacts, i, g1, g2)
                )
            )
        ):
            pointer_f64(con + lay.c_mu)[0] = pointer_f64(con + lay.c_friction)[0]
            for j in range(dim):
                set_impedance(d, lay, row + j, NO_FORCE)
            continue
        if params[t.N_PAIRS] != 0.0:
            act_at_surfaces(m, d, lay, con, row, g1, g2)
        if is_alone(
            m, d, lay, counts, row, dim
        ):  # softness is for what bears, or wedges, something else
            set_impedance(d, lay, row, HARD * f64_array(d, lay.d_efc_diagA)[row])
        r = _normal_row(m, d, lay, params, con, row, g1, g2, dt)
        if dim > 1:
            _friction_rows(m, d, lay, params, con, row, g1, g2, r, dt)
