# pyright: basic, reportInvalidTypeForm=false
"""The rules of contacts as Warp kernels: ``contacts``, ``isolated_contacts``, ``slipping``."""

from __future__ import annotations

import warp as wp

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules import warp_kernels as k
from unibody.core.engine.rules.contacts import BOUNCE, FREE_DOFS, MIN_FRICTION
from unibody.core.engine.rules.slipping import CLOSED, LASTING

MIN_MU: float = wp.constant(MIN_FRICTION)
REBOUND: float = wp.constant(BOUNCE)
SLIPS: float = wp.constant(LASTING)  # m/s
OPENS: float = wp.constant(CLOSED)  # m/s
FREE: int = wp.constant(FREE_DOFS)
# R of a contact row over its inverse mass: rule_table.SOLIMP
SOFTNESS: float = wp.constant(0.005 / 0.995)
NO_FORCE: float = wp.constant(1e-15)  # D of a row that exerts none
# R of a row at least, relative to a joint's inverse mass: 50 roundings
RESOLVED: float = wp.constant(3e-6)
STILL: float = wp.constant(1e-6)  # m/rad or 1: a Jacobian's entry that is rounding, of float32
MULTIPLY: int = wp.constant(int(t.FrictionRule.MULTIPLY))
AVERAGE: int = wp.constant(int(t.FrictionRule.AVERAGE))
MAXIMUM: int = wp.constant(int(t.FrictionRule.MAXIMUM))
G_RESTITUTION: int = wp.constant(t.G_RESTITUTION)
G_STIFFNESS: int = wp.constant(t.G_STIFFNESS)
G_DAMPING: int = wp.constant(t.G_DAMPING)
G_FARTHEST: int = wp.constant(t.G_FARTHEST)


class vec5(wp.types.vector(length=5, dtype=wp.float32)):  # noqa: N801, D101 - a Warp type
    pass


@wp.struct
class Surfaces:
    """What the contact rules need to know of geoms and of the world."""

    friction: wp.array2d(dtype=wp.vec3)  # (N or 1, ngeom)
    user: wp.array3d(dtype=float)  # (N or 1, ngeom, GEOM_USER_SIZE)
    inverse_inertia: wp.array2d(dtype=float)  # (N or 1, nv)
    tree: wp.array(dtype=int)  # (ngeom,) its tree; -1: it cannot move
    dofs: wp.array(dtype=int)  # (ntree,)
    gravity: wp.array(dtype=wp.vec3)
    timestep: wp.array(dtype=float)
    friction_rule: int
    restitution_rule: int
    restitution_speed: float
    erp: float
    parting_speed: float
    friction_cfm: float  # at bodies with joints
    free_cfm: float  # between others
    world_cfm: float  # what MuJoCo's cones have


@wp.struct
class Contacts:
    """Contacts of all worlds together."""

    count: wp.array(dtype=int)
    world: wp.array(dtype=int)
    dist: wp.array(dtype=float)
    pos: wp.array(dtype=wp.vec3)
    frame: wp.array(dtype=wp.mat33)
    friction: wp.array(dtype=vec5)
    dim: wp.array(dtype=int)
    geom: wp.array(dtype=wp.vec2i)
    row: wp.array2d(dtype=int)  # efc_address
    stretch: wp.array(dtype=float)  # what the normal row was multiplied by


@wp.struct
class Jacobian:
    """Jacobians of all worlds, dense (N, njmax, nv) or sparse (N, 1, entries), and who is alone."""

    sparse: int
    nv: int
    values: wp.array3d(dtype=float)
    start: wp.array2d(dtype=int)
    length: wp.array2d(dtype=int)
    column: wp.array3d(dtype=int)
    tree: wp.array(dtype=int)  # (nv,)
    rows: wp.array2d(dtype=int)  # (N, ntree) how many rows act on each tree


@wp.func
def _entries(j: Jacobian, w: int, row: int) -> int:
    if j.sparse == 1:
        return j.length[w, row]
    return j.nv


@wp.func
def _value(j: Jacobian, w: int, row: int, n: int) -> float:
    if j.sparse == 1:
        return j.values[w, 0, j.start[w, row] + n]
    return j.values[w, row, n]


@wp.func
def _column(j: Jacobian, w: int, row: int, n: int) -> int:
    if j.sparse == 1:
        return j.column[w, 0, j.start[w, row] + n]
    return n


@wp.kernel(enable_backward=False)
def count_rows(joints: k.Joints, j: Jacobian, rows: k.Rows):
    """Add the rows that are of no contact to the trees that they act on; see ``count_contacts``."""
    w, row = wp.tid()
    if row >= wp.min(rows.nefc[w], rows.type.shape[1]):
        return
    kind = rows.type[w, row]
    number = rows.id[w, row]
    if kind >= k.OF_CONTACT:
        return
    dof = int(-1)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
    if kind == k.OF_DOF:
        dof = number
    elif kind == k.OF_TENDON and number < joints.drives:
        dof = joints.dof[joints.tendon_joint[number]]
    elif kind == k.OF_LIMIT:
        dof = joints.dof[number]
    if dof >= 0:
        wp.atomic_add(j.rows, w, j.tree[dof], 1)
        return
    last = int(-1)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
    for n in range(_entries(j, w, row)):
        tree = j.tree[_column(j, w, row, n)]
        if tree != last and _value(j, w, row, n) != 0.0:
            wp.atomic_add(j.rows, w, tree, 1)
            last = tree


@wp.kernel(enable_backward=False)
def count_contacts(s: Surfaces, contacts: Contacts, j: Jacobian):
    """Add the rows of each contact to the trees of its two geoms."""
    i = wp.tid()
    if i >= wp.min(contacts.count[0], contacts.world.shape[0]):
        return
    g1 = contacts.geom[i][0]
    g2 = contacts.geom[i][1]
    if contacts.row[i, 0] < 0 or g1 < 0 or g2 < 0:
        return
    w = contacts.world[i]
    a = s.tree[g1]
    b = s.tree[g2]
    if a >= 0:
        wp.atomic_add(j.rows, w, a, contacts.dim[i])
    if b >= 0 and b != a:
        wp.atomic_add(j.rows, w, b, contacts.dim[i])


@wp.func
def _is_alone(s: Surfaces, j: Jacobian, w: int, g1: int, g2: int, dim: int) -> bool:
    """Whether no other row acts on what a contact acts on."""
    a = s.tree[g1]
    b = s.tree[g2]
    # Warp works out all parts of a condition, wherever they read
    others = (a >= 0 and j.rows[w, wp.max(a, 0)] != dim) or (
        b >= 0 and j.rows[w, wp.max(b, 0)] != dim
    )
    return not others


@wp.func
def _moves_nothing(j: Jacobian, w: int, row: int) -> bool:
    for n in range(_entries(j, w, row)):  # noqa: SIM110 - Warp has no all()
        if wp.abs(_value(j, w, row, n)) > STILL:
            return False
    return True


@wp.func
def _is_too_far(s: Surfaces, w: int, g1: int, g2: int, dist: float) -> bool:
    user = w % s.user.shape[0]
    a = s.user[user, g1, G_FARTHEST]
    b = s.user[user, g2, G_FARTHEST]
    return (a > 0.0 and a < 1.0 + dist) or (b > 0.0 and b < 1.0 + dist)


@wp.func
def _combine(rule: int, a: float, b: float) -> float:
    if rule == MULTIPLY:
        return a * b
    if rule == AVERAGE:
        return 0.5 * (a + b)
    if rule == MAXIMUM:
        return wp.max(a, b)
    return wp.min(a, b)


@wp.func
def _rebound(hit: float, distance: float, e: float, accel: float, dt: float) -> float:
    energy = e * e * hit + 2.0 * accel * distance
    root = accel * accel * dt * dt + 4.0 * energy
    return wp.max(0.0, 0.5 * (accel * dt + wp.sqrt(wp.max(root, 0.0))))


@wp.func
def _normal_row(
    s: Surfaces,
    rows: k.Rows,
    w: int,
    row: int,
    g1: int,
    g2: int,
    dist: float,
    accel: float,
    inverse_mass: float,
    dt: float,
) -> float:
    user = w % s.user.shape[0]
    speed = rows.vel[w, row]
    stiffness = wp.max(s.user[user, g1, G_STIFFNESS], s.user[user, g2, G_STIFFNESS])
    if stiffness > 0.0:
        damping = wp.max(s.user[user, g1, G_DAMPING], s.user[user, g2, G_DAMPING])
        r = 1.0 / (dt * (damping + dt * stiffness))
        share = wp.where(dist > 0.0, 1.0 / dt, r * dt * stiffness)  # gaps may close, not be crossed
        rows.aref[w, row] = -(share * dist + speed) / dt
        rows.D[w, row] = 1.0 / wp.max(r, k.MIN_R)
        return r
    target = wp.min(s.parting_speed, k.unilateral(dist, s.erp, dt))
    e = _combine(
        s.restitution_rule, s.user[user, g1, G_RESTITUTION], s.user[user, g2, G_RESTITUTION]
    )
    if e > 0.0 and speed < -s.restitution_speed and dist + speed * dt <= 0.0:
        hit = speed * speed - 2.0 * accel * (dist - 0.5 * speed * dt)
        if hit > accel * accel * dt * dt:
            target = wp.max(target, _rebound(hit, dist, e, accel, dt))
            rows.D[w, row] = 1.0 / wp.max(REBOUND * inverse_mass, k.MIN_R)
    rows.aref[w, row] = (target - speed) / dt
    return 1.0 / rows.D[w, row]


@wp.func
def _slides_on(
    j: Jacobian,
    contacts: Contacts,
    rows: k.Rows,
    warm: wp.array2d(dtype=float),
    i: int,
    w: int,
    friction: vec5,
    target: float,
    dt: float,
) -> float:
    """``slipping.lasting_slip``: what slips at the end of a step like the last one; or -1."""
    v1 = friction[0] * rows.vel[w, contacts.row[i, 1]]
    v2 = friction[1] * rows.vel[w, contacts.row[i, 2]]
    if v1 * v1 + v2 * v2 < SLIPS * SLIPS:
        return -1.0
    total = float(0.0)  # noqa: UP018 - a variable to Warp, not a constant
    for part in range(contacts.dim[i]):
        row = contacts.row[i, part]
        gained = float(0.0)  # noqa: UP018 - a variable to Warp, not a constant
        for n in range(_entries(j, w, row)):
            gained += _value(j, w, row, n) * warm[w, _column(j, w, row, n)]
        speed = rows.vel[w, row] + dt * gained
        if part == 0:
            if wp.abs(speed - target) > OPENS:
                return -1.0
        else:
            slip = friction[part - 1] * speed
            total += slip * slip
    return wp.sqrt(total)


@wp.func
def _dilation(
    contacts: Contacts, rows: k.Rows, i: int, w: int, friction: vec5, stopped: float
) -> float:
    """Speed at which the convex cone would lift a contact that slips; see ``contacts``."""
    v1 = rows.vel[w, contacts.row[i, 1]]
    v2 = rows.vel[w, contacts.row[i, 2]]
    mu = friction[0]
    lift = mu * wp.max(0.0, wp.sqrt(v1 * v1 + v2 * v2) - mu * stopped)
    total = lift * lift
    for part in range(3, contacts.dim[i]):
        turning = friction[part - 1] * rows.vel[w, contacts.row[i, part]]
        total += turning * turning
    return wp.sqrt(total)


@wp.func
def _coefficients(s: Surfaces, w: int, g1: int, g2: int, dim: int) -> vec5:
    """Friction of a pair: sliding twice, spinning, rolling twice."""
    shared = w % s.friction.shape[0]
    a = s.friction[shared, g1]
    b = s.friction[shared, g2]
    mu = wp.max(MIN_MU, _combine(s.friction_rule, a[0], b[0]))
    friction = vec5(mu, mu, mu, mu, mu)
    if dim > 3:
        spinning = _combine(s.friction_rule, a[1], b[1])
        rolling = _combine(s.friction_rule, a[2], b[2])
        if s.friction_rule == MULTIPLY:
            spinning = a[0] * b[1] + b[0] * a[1]
            rolling = a[0] * b[2] + b[0] * a[2]
        friction[2] = wp.max(MIN_MU, spinning)
        friction[3] = wp.max(MIN_MU, rolling)
        friction[4] = friction[3]
    return friction


@wp.func
def _softness(s: Surfaces, g1: int, g2: int) -> float:
    """``R`` of a friction row relative to the normal row; see ``contacts``."""
    a = s.tree[g1]
    b = s.tree[g2]
    if (a >= 0 and s.dofs[wp.max(a, 0)] > FREE) or (b >= 0 and s.dofs[wp.max(b, 0)] > FREE):
        return s.friction_cfm
    return s.free_cfm


@wp.func
def _most_moved(s: Surfaces, j: Jacobian, contacts: Contacts, i: int, w: int) -> float:
    """Largest inverse mass with which a contact moves one degree of freedom.

    A light joint far down a heavy chain has one that is much above the contact's own. Where ``D``
    times it is beyond what float32 resolves, the joint's inertia is lost in the solver's matrix.
    """
    most = float(0.0)  # noqa: UP018 - a variable to Warp, not a constant
    shared = w % s.inverse_inertia.shape[0]
    for part in range(wp.min(contacts.dim[i], 3)):
        row = contacts.row[i, part]
        for n in range(_entries(j, w, row)):
            value = _value(j, w, row, n)
            inverse = s.inverse_inertia[shared, _column(j, w, row, n)]
            most = wp.max(most, value * value * inverse)
    return most


@wp.func
def _stretch_normal(
    j: Jacobian, contacts: Contacts, rows: k.Rows, i: int, w: int, friction: vec5, by: float
):
    """Multiply the normal row by a number, which changes nothing but what its cone looks like.

    mujoco-warp takes the slope of a cone, in the metric of its ``R``, from the friction and from a
    number that a world has for all contacts. Where a row is ``by`` times as long, its force is that
    much smaller, so that with friction ``by`` times as large the slope is, too.
    """
    row = contacts.row[i, 0]
    for n in range(_entries(j, w, row)):
        if j.sparse == 1:
            place = j.start[w, row] + n
            j.values[w, 0, place] = by * j.values[w, 0, place]
        else:
            j.values[w, row, n] = by * j.values[w, row, n]
    rows.aref[w, row] = by * rows.aref[w, row]
    rows.D[w, row] = rows.D[w, row] / (by * by)
    contacts.friction[i] = by * friction
    contacts.stretch[i] = by


@wp.kernel(enable_backward=False)
def contact_rows(
    s: Surfaces, contacts: Contacts, j: Jacobian, rows: k.Rows, warm: wp.array2d(dtype=float)
):
    """Friction combination, restitution, compliance; slipping does not lift."""
    i = wp.tid()
    if i >= wp.min(contacts.count[0], contacts.world.shape[0]):
        return
    contacts.stretch[i] = 1.0
    w = contacts.world[i]
    row = contacts.row[i, 0]
    g1 = contacts.geom[i][0]
    g2 = contacts.geom[i][1]
    if row < 0 or g1 < 0 or g2 < 0:
        return
    dim = contacts.dim[i]
    if _moves_nothing(j, w, row) or _is_too_far(s, w, g1, g2, contacts.dist[i]):
        for part in range(dim):
            rows.D[w, contacts.row[i, part]] = NO_FORCE
        return
    dt = s.timestep[w % s.timestep.shape[0]]
    inverse_mass = 1.0 / (SOFTNESS * rows.D[w, row])
    if _is_alone(s, j, w, g1, g2, dim):  # softness is for what bears, or wedges, something else
        least = RESOLVED * _most_moved(s, j, contacts, i, w)
        rows.D[w, row] = 1.0 / wp.max(wp.max(k.HARD * inverse_mass, least), k.MIN_R)
    normal = wp.vec3(contacts.frame[i][0, 0], contacts.frame[i][0, 1], contacts.frame[i][0, 2])
    along = wp.dot(normal, s.gravity[w % s.gravity.shape[0]])
    accel = along * (wp.where(s.tree[g2] >= 0, 1.0, 0.0) - wp.where(s.tree[g1] >= 0, 1.0, 0.0))
    r = _normal_row(s, rows, w, row, g1, g2, contacts.dist[i], accel, inverse_mass, dt)
    if dim == 1:
        return
    friction = _coefficients(s, w, g1, g2, dim)
    contacts.friction[i] = friction
    softness = _softness(s, g1, g2)
    for part in range(1, dim):
        address = contacts.row[i, part]
        ratio = friction[0] / friction[part - 1]
        rows.D[w, address] = 1.0 / wp.max(r * softness * ratio * ratio, k.MIN_R)
        rows.aref[w, address] = -rows.vel[w, address] / dt
    gained = rows.aref[w, row] * dt
    speed = rows.vel[w, row] + gained
    foreseen = _slides_on(j, contacts, rows, warm, i, w, friction, speed, dt)
    if foreseen < 0.0:
        stopped = wp.max(0.0, gained - accel * dt)
        foreseen = _dilation(contacts, rows, i, w, friction, stopped)
    rows.aref[w, row] = rows.aref[w, row] - foreseen / dt
    if softness != s.world_cfm:
        by = wp.sqrt(softness / s.world_cfm)
        _stretch_normal(j, contacts, rows, i, w, friction, by)
