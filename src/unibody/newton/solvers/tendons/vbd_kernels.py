# pyright: basic, reportInvalidTypeForm=false
"""Tendons of SolverVBD: forces of spans on bodies, and their stiffness, as blocks of bodies.

Material has slipped before each colour of bodies moves. Spans that it slips between give way
together: one of them is as stiff as their compliances in a row are, each by its share of tension.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.solvers.rigid_vbd_block_kernels import Bodies, Loads
from unibody.newton.solvers.tendons.geometry_kernels import (
    ROLLER,
    Guides,
    Rules,
    Spans,
    ends_of,
    place_of,
)
from unibody.newton.solvers.tendons.routing_kernels import lay_all, let_go
from unibody.newton.solvers.tendons.slip_kernels import (
    axis_at,
    note_neighbours,
    settle,
    softness,
    tension,
)

wp.set_module_options({"enable_backward": False})

NEAR: float = wp.constant(1.0e-3)
"""Share of the greatest ratio of tensions from which on a cable counts as slipping."""


@wp.kernel
def note_lengths(guides: Guides, spans: Spans, before: wp.array(dtype=wp.transform)):
    """One thread a tendon: lengths of spans at the begin of a step."""
    t = wp.tid()
    for g in range(guides.start[t], guides.start[t + 1] - 1):
        s = g - t
        if spans.active[s] != 0:
            left, right = ends_of(guides, before, spans.guide_l[s], spans.guide_r[s])
            spans.length_before[s] = wp.length(right - left)


@wp.func
def settle_at(
    guides: Guides,
    spans: Spans,
    rules: Rules,
    q: wp.array(dtype=wp.transform),
    t: int,
    dt: float,
):
    """Lay a tendon where bodies are, and let it settle there."""
    lay_all(guides, spans, q, t)
    note_neighbours(guides, spans, q, t)
    for g in range(guides.start[t], guides.start[t + 1] - 1):
        s = g - t
        if spans.active[s] != 0:
            spans.drag[s] = spans.damping[s] * (spans.length[s] - spans.length_before[s]) / dt
    settle(guides, spans, rules, t)


@wp.func
def slides(spans: Spans, s: int):
    """Whether material slips between a span and the one before it."""
    a = spans.neighbour[s]
    if a < 0:
        return False
    first = tension(spans, a)
    second = tension(spans, s)
    least = wp.min(first, second)
    return wp.max(first, second) * (1.0 + NEAR) >= spans.ratio[s] * least


@wp.func
def softness_together(guides: Guides, spans: Spans, t: int, s: int):
    """Compliance of a span with those that it shares material with."""
    own = tension(spans, s)
    found = softness(spans, s)
    b = s
    while b >= 0 and slides(spans, b):
        b = spans.neighbour[b]
        found = found + softness(spans, b) * wp.min(tension(spans, b) / own, 1.0)
    last = s
    for b in range(s + 1, guides.start[t + 1] - t - 1):
        if spans.active[b] != 0 and spans.neighbour[b] == last:
            if not slides(spans, b):
                return found
            found = found + softness(spans, b) * wp.min(tension(spans, b) / own, 1.0)
            last = b
    return found


@wp.func
def add_wrench(
    loads: Loads, b: int, force: wp.vec3, torque: wp.vec3, size: float, stiffness: float
):
    """Add a force along a wrench, and its stiffness along it, to the block of a body."""
    wp.atomic_add(loads.force, b, force * size)
    wp.atomic_add(loads.torque, b, torque * size)
    wp.atomic_add(loads.ll, b, wp.outer(force, force) * stiffness)
    wp.atomic_add(loads.al, b, wp.outer(torque, force) * stiffness)
    wp.atomic_add(loads.aa, b, wp.outer(torque, torque) * stiffness)


@wp.func
def lever_of(guides: Guides, bodies: Bodies, g: int, way: wp.vec3, at: wp.vec3):
    """Torque of a force on a guide about the centre of mass of its body; rollers turn freely."""
    b = guides.body[g]
    torque = wp.cross(at - wp.transform_point(bodies.q[b], bodies.com[b]), way)
    if guides.kind[g] == ROLLER:
        n = axis_at(guides, bodies.q, g)
        middle = place_of(bodies.q, b, guides.offset[g])
        torque = torque - n * wp.dot(n, wp.cross(at - middle, way))
    return torque


@wp.func
def add_across(
    guides: Guides,
    bodies: Bodies,
    loads: Loads,
    g: int,
    way: wp.vec3,
    at: wp.vec3,
    stiffness: float,
):
    """Add what a taut span resists motion across it by."""
    b = guides.body[g]
    point = at
    if guides.kind[g] == ROLLER:
        point = place_of(bodies.q, b, guides.offset[g])
    turn = wp.skew(point - wp.transform_point(bodies.q[b], bodies.com[b]))
    across = (wp.identity(n=3, dtype=float) - wp.outer(way, way)) * stiffness
    wp.atomic_add(loads.ll, b, across)
    wp.atomic_add(loads.al, b, turn * across)
    wp.atomic_add(loads.aa, b, turn * across * wp.transpose(turn))


@wp.func
def add_span(guides: Guides, spans: Spans, bodies: Bodies, loads: Loads, t: int, s: int, dt: float):
    """Add the tension of a span to the blocks of the bodies at its ends."""
    pull = tension(spans, s)
    length = spans.length[s]
    if pull <= 0.0 or length < 1.0e-9:
        return
    way = (spans.right[s] - spans.left[s]) / length
    stiffness = 1.0 / softness_together(guides, spans, t, s) + spans.damping[s] / dt
    gl = spans.guide_l[s]
    gr = spans.guide_r[s]
    bl = guides.body[gl]
    br = guides.body[gr]
    if bl == br:
        if bl >= 0:
            torque = lever_of(guides, bodies, gr, way, spans.right[s])
            torque = torque - lever_of(guides, bodies, gl, way, spans.left[s])
            add_wrench(loads, bl, wp.vec3(), torque, -pull, stiffness)
        return
    if bl >= 0:
        torque = lever_of(guides, bodies, gl, way, spans.left[s])
        add_wrench(loads, bl, way, torque, pull, stiffness)
        add_across(guides, bodies, loads, gl, way, spans.left[s], pull / length)
    if br >= 0:
        torque = lever_of(guides, bodies, gr, way, spans.right[s])
        add_wrench(loads, br, way, torque, -pull, stiffness)
        add_across(guides, bodies, loads, gr, way, spans.right[s], pull / length)


@wp.func
def rub(
    guides: Guides, spans: Spans, bodies: Bodies, loads: Loads, g: int, a: int, b: int, dt: float
):
    """Add the force on the rim of a roller; ``a`` and ``b``: its spans, -1 where it ends."""
    body = guides.body[g]
    if guides.kind[g] != ROLLER or body < 0:
        return
    force = float(0.0)
    stiffness = float(0.0)
    if a >= 0:
        force = force - tension(spans, a)
        stiffness = stiffness + 1.0 / softness(spans, a) + spans.damping[a] / dt
    if b >= 0:
        force = force + tension(spans, b)
        stiffness = stiffness + 1.0 / softness(spans, b) + spans.damping[b] / dt
    if a >= 0 and b >= 0:
        ratio = spans.ratio[b]
        if spans.neighbour[b] != a:
            ratio = 1.0
        most = (ratio - 1.0) / (ratio + 1.0) * (tension(spans, a) + tension(spans, b))
        if wp.abs(force) >= most * (1.0 - NEAR):
            force = wp.clamp(force, -most, most)
            stiffness = 0.0
    turn = axis_at(guides, bodies.q, g) * (guides.radius[g] * float(guides.orientation[g]))
    add_wrench(loads, body, wp.vec3(), turn, force, stiffness)


@wp.kernel
def clear_loads(loads: Loads):
    """One thread a body."""
    i = wp.tid()
    loads.force[i] = wp.vec3()
    loads.torque[i] = wp.vec3()
    loads.ll[i] = wp.mat33()
    loads.al[i] = wp.mat33()
    loads.aa[i] = wp.mat33()


@wp.kernel
def load_bodies(
    guides: Guides, spans: Spans, rules: Rules, bodies: Bodies, dt: float, loads: Loads
):
    """One thread a tendon: let it settle, and add what it does to bodies."""
    t = wp.tid()
    settle_at(guides, spans, rules, bodies.q, t, dt)
    before = int(-1)
    last = guides.start[t + 1] - 1
    for g in range(guides.start[t], last):
        s = g - t
        if spans.active[s] != 0:
            add_span(guides, spans, bodies, loads, t, s, dt)
            rub(guides, spans, bodies, loads, g, before, s, dt)
            before = s
    rub(guides, spans, bodies, loads, last, before, -1, dt)


@wp.kernel
def finish_tendons(
    guides: Guides, spans: Spans, rules: Rules, q: wp.array(dtype=wp.transform), dt: float
):
    """One thread a tendon: let it settle where bodies have come to."""
    t = wp.tid()
    lay_all(guides, spans, q, t)
    let_go(guides, spans, rules, q, t)
    settle_at(guides, spans, rules, q, t, dt)
