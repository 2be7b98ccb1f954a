# pyright: basic, reportInvalidTypeForm=false
"""Tendons of SolverXPBD: impulses of spans on bodies, and slip with bodies that give way.

In a round each tendon is solved as a whole where its spans lie: the impulse of a span takes its
stretch away, as its compliance and damping let it, and material slips where impulses would leave
the cone of the Capstan equation. So light cables slip as freely as soft ones.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.solvers.tendons.geometry_kernels import (
    LEAST,
    ROLLER,
    Guides,
    Rules,
    Spans,
    place_of,
)
from unibody.newton.solvers.tendons.routing_kernels import lay_all, let_go
from unibody.newton.solvers.tendons.slip_kernels import (
    axis_at,
    held_back,
    note_neighbours,
    settle,
    softness,
)
from unibody.newton.solvers.xpbd_motion_kernels import Bodies

wp.set_module_options({"enable_backward": False})

NEARLY: float = wp.constant(1.0e-6)


@wp.func
def pushed_at(guides: Guides, bodies: Bodies, g: int, way: wp.vec3, at: wp.vec3):
    """What a force on a guide does to its body, about its centre of mass; rollers turn freely."""
    b = guides.body[g]
    if b < 0:
        return wp.spatial_vector()
    com = wp.transform_point(bodies.q[b], bodies.com[b])
    torque = wp.cross(at - com, way)
    if guides.kind[g] == ROLLER:
        n = axis_at(guides, bodies.q, g)
        middle = place_of(bodies.q, b, guides.offset[g])
        torque = torque - n * wp.dot(n, wp.cross(at - middle, way))
    return wp.spatial_vector(way, torque)


@wp.func
def spun_at(guides: Guides, bodies: Bodies, g: int):
    """What a force along the rim of a roller, forward, does to its body."""
    b = guides.body[g]
    if b < 0 or guides.kind[g] != ROLLER:
        return wp.spatial_vector()
    turn = axis_at(guides, bodies.q, g) * (guides.radius[g] * float(guides.orientation[g]))
    return wp.spatial_vector(wp.vec3(), turn)


@wp.func
def through(bodies: Bodies, b: int, first: wp.spatial_vector, second: wp.spatial_vector):
    """How fast a body goes along one wrench by the impulse of another."""
    if b < 0:
        return 0.0
    if bodies.inv_mass[b] == 0.0:
        return 0.0
    r = wp.transform_get_rotation(bodies.q[b])
    turn = wp.quat_rotate_inv(r, wp.spatial_bottom(first))
    other = wp.quat_rotate_inv(r, wp.spatial_bottom(second))
    return bodies.inv_mass[b] * wp.dot(wp.spatial_top(first), wp.spatial_top(second)) + wp.dot(
        turn, bodies.inv_inertia[b] * other
    )


@wp.func
def way_of(spans: Spans, s: int):
    """The direction of a span."""
    way = spans.right[s] - spans.left[s]
    size = wp.length(way)
    if size < 1.0e-9:
        return wp.vec3()
    return way / size


@wp.func
def speed_of(guides: Guides, bodies: Bodies, spans: Spans, s: int):
    """How fast a span becomes longer [m/s]; turns of rollers about their axes do not count."""
    way = way_of(spans, s)
    gl = spans.guide_l[s]
    gr = spans.guide_r[s]
    speed = float(0.0)
    if guides.body[gr] >= 0:
        speed = speed + wp.dot(
            pushed_at(guides, bodies, gr, way, spans.right[s]), bodies.qd[guides.body[gr]]
        )
    if guides.body[gl] >= 0:
        speed = speed + wp.dot(
            pushed_at(guides, bodies, gl, -way, spans.left[s]), bodies.qd[guides.body[gl]]
        )
    return speed


@wp.func
def moved_along(
    guides: Guides, bodies: Bodies, spans: Spans, t: int, b: int, wrench: wp.spatial_vector
):
    """How fast a body goes along a wrench by what the tendon has done to it in this round."""
    if b < 0:
        return 0.0
    if bodies.inv_mass[b] == 0.0:
        return 0.0
    given = wp.spatial_vector()
    for g in range(guides.start[t], guides.start[t + 1]):
        if guides.body[g] == b:
            given = given + spans.moved[g]
    return through(bodies, b, wrench, given)


@wp.func
def rub(guides: Guides, bodies: Bodies, spans: Spans, t: int, g: int, a: int, b: int):
    """Let the rim of a roller take what its spans differ by, as far as friction holds.

    ``a`` and ``b``: the spans before and behind the roller; -1: it ends the tendon and holds it.
    """
    if guides.kind[g] != ROLLER:
        return
    force = float(0.0)
    grip = float(1.0)
    if a < 0:
        force = spans.pull[b]
    elif b < 0:
        force = -spans.pull[a]
    else:
        ratio = spans.ratio[b]
        if spans.neighbour[b] != a:
            ratio = 1.0
        most = (ratio - 1.0) / (ratio + 1.0) * (spans.pull[a] + spans.pull[b])
        force = spans.pull[b] - spans.pull[a]
        if wp.abs(force) >= most * (1.0 - NEARLY):
            force = wp.clamp(force, -most, most)
            grip = float(0.0)
            if ratio > 1.0 and spans.pull[a] + spans.pull[b] == 0.0:
                grip = 1.0
    spans.grip[g] = grip
    change = force - spans.friction[g]
    if change != 0.0:
        spans.friction[g] = force
        spans.moved[g] = spans.moved[g] + spun_at(guides, bodies, g) * change


@wp.func
def span_before(guides: Guides, spans: Spans, t: int, s: int):
    """The span before one of a tendon, or -1."""
    found = s - 1
    first = guides.start[t] - t
    while found >= first and spans.active[found] == 0:
        found = found - 1
    if found < first:
        return int(-1)
    return found


@wp.func
def span_behind(guides: Guides, spans: Spans, t: int, s: int):
    """The span behind one of a tendon, or -1."""
    found = spans.guide_r[s] - t
    if found >= guides.start[t + 1] - t - 1:
        return int(-1)
    return found


@wp.func
def tighten(guides: Guides, bodies: Bodies, spans: Spans, t: int, s: int, dt: float):
    """Give a span the impulse that it asks for.

    Returns how much that has changed, what follows of material that slips [N s/m], and how slack
    the span was [m].
    """
    gl = spans.guide_l[s]
    gr = spans.guide_r[s]
    bl = guides.body[gl]
    br = guides.body[gr]
    way = way_of(spans, s)
    at_l = pushed_at(guides, bodies, gl, -way, spans.left[s])
    at_r = pushed_at(guides, bodies, gr, way, spans.right[s])
    carried_l = at_l - spun_at(guides, bodies, gl) * spans.grip[gl]
    carried_r = at_r + spun_at(guides, bodies, gr) * spans.grip[gr]
    weight = float(0.0)
    gone = float(0.0)
    if bl == br:
        carried = carried_l + carried_r
        weight = through(bodies, bl, carried, carried)
        gone = moved_along(guides, bodies, spans, t, bl, carried)
    else:
        weight = through(bodies, bl, carried_l, carried_l)
        weight = weight + through(bodies, br, carried_r, carried_r)
        gone = moved_along(guides, bodies, spans, t, bl, carried_l)
        gone = gone + moved_along(guides, bodies, spans, t, br, carried_r)
    soft = softness(spans, s)
    drag = spans.damping[s]
    asked = (spans.stretch[s] + gone * dt) / soft + spans.drag[s] + drag * gone
    below = 1.0 / dt + weight * (dt / soft + drag)
    before = spans.pull[s]
    after = wp.max(before + (asked - before / dt) / below, 0.0)
    change = after - before
    if change != 0.0:
        spans.pull[s] = after
        spans.moved[gl] = spans.moved[gl] - at_l * change
        spans.moved[gr] = spans.moved[gr] - at_r * change
        before_s = span_before(guides, spans, t, s)
        behind_s = span_behind(guides, spans, t, s)
        rub(guides, bodies, spans, t, gl, before_s, s)
        rub(guides, bodies, spans, t, gr, s, behind_s)
    return change, 1.0 / (soft * below), -asked * soft


@wp.func
def slip(
    spans: Spans,
    a: int,
    b: int,
    follow_a: float,
    follow_b: float,
    slack_a: float,
    slack_b: float,
):
    """Let material slip between two spans so that their impulses come into the cone."""
    ratio = spans.ratio[b]
    taut = a
    loose = b
    per_taut = follow_a
    per_loose = follow_b
    slack = slack_b
    if spans.pull[b] > ratio * spans.pull[a]:
        taut = b
        loose = a
        per_taut = follow_b
        per_loose = follow_a
        slack = slack_a
    kept = float(0.0)
    if spans.pull[loose] == 0.0:
        kept = held_back(spans, b, taut == a)
    over = spans.pull[taut] - kept * per_taut - ratio * spans.pull[loose]
    if over <= NEARLY * spans.pull[taut]:
        return False
    way = over / (per_taut + ratio * per_loose)
    if kept > 0.0:
        way = wp.max(way, wp.min(over / per_taut, slack))
    way = wp.min(way, wp.max(spans.rest[loose] - LEAST, 0.0))
    if way == 0.0:
        return False
    spans.rest[taut] = spans.rest[taut] + way
    spans.rest[loose] = spans.rest[loose] - way
    spans.stretch[taut] = spans.stretch[taut] - way
    spans.stretch[loose] = spans.stretch[loose] + way
    return True


@wp.func
def solve_span(guides: Guides, bodies: Bodies, spans: Spans, t: int, s: int, dt: float):
    """Tighten a span, and let it and the one before it slip; the greatest change of an impulse."""
    change, follow, slack = tighten(guides, bodies, spans, t, s, dt)
    largest = wp.abs(change)
    a = spans.neighbour[s]
    if a < 0:
        return largest
    other, follow_a, slack_a = tighten(guides, bodies, spans, t, a, dt)
    largest = wp.max(largest, wp.abs(other))
    if slip(spans, a, s, follow_a, follow, slack_a, slack):
        other, follow_a, slack_a = tighten(guides, bodies, spans, t, a, dt)
        largest = wp.max(largest, wp.abs(other))
        other, follow_a, slack_a = tighten(guides, bodies, spans, t, s, dt)
        largest = wp.max(largest, wp.abs(other))
    return largest


@wp.kernel
def begin_pulls(guides: Guides, spans: Spans):
    """Begin a step without impulses; rough rollers grip."""
    t = wp.tid()
    for g in range(guides.start[t], guides.start[t + 1]):
        spans.friction[g] = 0.0
        spans.grip[g] = 0.0
        if guides.mu[g] > 0.0 or g == guides.start[t] or g == guides.start[t + 1] - 1:
            spans.grip[g] = 1.0
    for g in range(guides.start[t], guides.start[t + 1] - 1):
        spans.pull[g - t] = 0.0


@wp.func
def measure(guides: Guides, bodies: Bodies, spans: Spans, t: int):
    """Stretch of spans where they lie, and what damping adds to their tensions."""
    for g in range(guides.start[t], guides.start[t + 1] - 1):
        s = g - t
        if spans.active[s] != 0:
            spans.stretch[s] = spans.length[s] - spans.rest[s]
            spans.drag[s] = 0.0
            if spans.damping[s] > 0.0:
                spans.drag[s] = spans.damping[s] * speed_of(guides, bodies, spans, s)


@wp.kernel
def pull_tendons(
    guides: Guides,
    bodies: Bodies,
    spans: Spans,
    rules: Rules,
    relaxation: float,
    dt: float,
    deltas: wp.array(dtype=wp.spatial_vector),
):
    """One thread a tendon: lay it, solve for its impulses, and add them to those of bodies."""
    t = wp.tid()
    first = guides.start[t] - t
    count = guides.start[t + 1] - guides.start[t] - 1
    lay_all(guides, spans, bodies.q, t)
    note_neighbours(guides, spans, bodies.q, t)
    measure(guides, bodies, spans, t)
    for g in range(guides.start[t], guides.start[t + 1]):
        spans.moved[g] = wp.spatial_vector()
        spans.rubbed[g] = spans.friction[g]
    for n in range(count):
        spans.pulled[first + n] = spans.pull[first + n]
    sweep = int(0)
    goes_on = bool(True)
    while goes_on and sweep < rules.max_sweeps:
        largest = float(0.0)
        most = float(0.0)
        for n in range(count):
            if spans.active[first + n] != 0:
                other = solve_span(guides, bodies, spans, t, first + n, dt)
                largest = wp.max(largest, other)
        for n in range(count):
            s = first + count - 1 - n
            if spans.active[s] != 0:
                other = solve_span(guides, bodies, spans, t, s, dt)
                largest = wp.max(largest, other)
                most = wp.max(most, spans.pull[s])
        sweep = sweep + 1
        if largest <= wp.max(rules.settled, NEARLY) * most:
            goes_on = False
    for n in range(count):
        s = first + n
        spans.pull[s] = spans.pulled[s] + relaxation * (spans.pull[s] - spans.pulled[s])
    for g in range(guides.start[t], guides.start[t + 1]):
        spans.friction[g] = spans.rubbed[g] + relaxation * (spans.friction[g] - spans.rubbed[g])
        if guides.body[g] >= 0:
            wp.atomic_add(deltas, guides.body[g], spans.moved[g] * relaxation)


@wp.kernel
def finish_tendons(guides: Guides, bodies: Bodies, spans: Spans, rules: Rules):
    """One thread a tendon: lay it where bodies have come to, and let it settle there."""
    t = wp.tid()
    lay_all(guides, spans, bodies.q, t)
    let_go(guides, spans, rules, bodies.q, t)
    note_neighbours(guides, spans, bodies.q, t)
    measure(guides, bodies, spans, t)
    settle(guides, spans, rules, t)
    for g in range(guides.start[t], guides.start[t + 1] - 1):
        spans.multiplier[g - t] = -spans.pull[g - t]
