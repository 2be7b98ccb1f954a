# pyright: basic, reportInvalidTypeForm=false
"""Slip of tendons over their guides while bodies rest, by the Capstan equation.

Of two neighbouring spans none is more taut than the other by more than ``exp(mu * angle)``. Where
it would be, material slips to it; what a tendon has in all stays.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.solvers.tendons.geometry_kernels import (
    ANCHOR,
    LEAST,
    ROLLER,
    Guides,
    Rules,
    Spans,
    vector_of,
    wrap_of,
)

wp.set_module_options({"enable_backward": False})

STIFFEST: float = wp.constant(1.0e-8)
"""Compliance [m/N] that spans have at least: their stretch under a newton is near what single
precision can tell of a metre."""
STEEPEST: float = wp.constant(40.0)
"""Exponent of the Capstan equation above which a cable holds anyhow."""


@wp.func
def softness(spans: Spans, s: int):
    """The compliance of a span that the solvers go by [m/N]."""
    return wp.max(spans.compliance[s], STIFFEST)


@wp.func
def is_spent(spans: Spans, s: int):
    """Whether a span is a point without material: a cable goes on behind it."""
    return spans.length[s] <= LEAST and spans.rest[s] <= 2.0 * LEAST


@wp.func
def rest_angle(
    guides: Guides, spans: Spans, q: wp.array(dtype=wp.transform), t: int, a: int, b: int
):
    """Friction times angle from one span to another, over all guides between; -1: they are apart.

    Pinholes in one place share the bend there.
    """
    total = float(0.0)
    holes = float(0.0)
    rough = float(0.0)
    rollers = int(0)
    before = a
    for s in range(a + 1, b + 1):
        if spans.active[s] != 0:
            g = spans.guide_l[s]
            if guides.kind[g] == ANCHOR:
                return -1.0
            if guides.kind[g] == ROLLER:
                angle = wrap_of(guides, g, spans.right_local[before], spans.left_local[s])
                total = total + guides.mu[g] * wp.max(angle, 0.0)
                rollers = rollers + 1
            else:
                holes = holes + 1.0
                rough = rough + guides.mu[g]
            before = s
    if holes > 0.0 and rollers == 0:
        way_a = spans.right[a] - spans.left[a]
        way_b = spans.right[b] - spans.left[b]
        bend = wp.atan2(wp.length(wp.cross(way_a, way_b)), wp.dot(way_a, way_b))
        total = total + bend * rough / holes
    return total


@wp.func
def note_neighbours(guides: Guides, spans: Spans, q: wp.array(dtype=wp.transform), t: int):
    """Note of each span the one before it that material may slip from, and the ratio."""
    before = int(-1)
    for g in range(guides.start[t], guides.start[t + 1] - 1):
        s = g - t
        spans.neighbour[s] = -1
        spans.ratio[s] = 1.0
        if spans.active[s] != 0 and not is_spent(spans, s):
            if before >= 0:
                angle = rest_angle(guides, spans, q, t, before, s)
                if angle >= 0.0:
                    spans.neighbour[s] = before
                    spans.ratio[s] = wp.exp(wp.min(angle, STEEPEST))
            before = s


@wp.func
def tension(spans: Spans, s: int):
    """Tension of a span at rest [N], with what damping adds."""
    return wp.max(spans.stretch[s] / softness(spans, s) + spans.drag[s], 0.0)


@wp.func
def held_back(spans: Spans, b: int, forward: bool):
    """Material that a roller has carried in a step and that does not slip back in it [m].

    Where one side is slack the Capstan equation lets a cable go without any friction. Cables keep
    touching their rollers, though: what these carry is kept by the share of friction that the
    equation gives spans of like tension.
    """
    moved = spans.carried[spans.guide_l[b]]
    if not forward:
        moved = -moved
    ratio = spans.ratio[b]
    return wp.max(moved, 0.0) * (ratio - 1.0) / (ratio + 1.0)


@wp.func
def give(spans: Spans, taut: int, loose: int, way: float):
    """Let material slip to a span; never more than the other has."""
    most = wp.max(spans.rest[loose] - LEAST, 0.0)
    slip = wp.min(way, most)
    spans.rest[taut] = spans.rest[taut] + slip
    spans.rest[loose] = spans.rest[loose] - slip
    spans.stretch[taut] = spans.stretch[taut] - slip
    spans.stretch[loose] = spans.stretch[loose] + slip
    return slip


@wp.func
def draw(spans: Spans, b: int, taut: int, loose: int, forward: bool):
    """Let material slip over the guide before a span; ``forward``: against what it rolls that way.

    Returns how much has slipped [m].
    """
    ratio = spans.ratio[b]
    pull = tension(spans, taut)
    other = tension(spans, loose)
    soft = softness(spans, taut)
    kept = float(0.0)
    if other == 0.0:
        kept = held_back(spans, b, forward)
    over = pull - kept / soft
    if over <= ratio * other:
        return 0.0
    way = (over - ratio * other) / (1.0 / soft + ratio / softness(spans, loose))
    if kept > 0.0:
        slack = -(spans.stretch[loose] + spans.drag[loose] * softness(spans, loose))
        way = wp.max(way, wp.min(over * soft, slack))
    return give(spans, taut, loose, way)


@wp.func
def level(spans: Spans, s: int):
    """Let material slip between a span and the one before it; how far tensions have changed."""
    a = spans.neighbour[s]
    if a < 0:
        return 0.0
    first = tension(spans, a)
    second = tension(spans, s)
    soft_a = softness(spans, a)
    soft_b = softness(spans, s)
    if first > spans.ratio[s] * second:
        return draw(spans, s, a, s, True) / wp.min(soft_a, soft_b)
    if second > spans.ratio[s] * first:
        return draw(spans, s, s, a, False) / wp.min(soft_a, soft_b)
    return 0.0


@wp.func
def settle(guides: Guides, spans: Spans, rules: Rules, t: int):
    """Sweep forth and back over the guides of a tendon, by turns, until its tensions stay."""
    first = guides.start[t] - t
    count = guides.start[t + 1] - guides.start[t] - 1
    most = float(0.0)
    for n in range(count):
        s = first + n
        if spans.active[s] != 0:
            spans.stretch[s] = spans.length[s] - spans.rest[s]
            most = wp.max(most, tension(spans, s))
    sweep = int(0)
    goes_on = bool(True)
    slipped = bool(False)
    while goes_on and sweep < rules.max_sweeps:
        change = float(0.0)
        for n in range(1, count):
            s = first + n
            if sweep % 2 == 1:
                s = first + count - n
            change = wp.max(change, level(spans, s))
        if change > 0.0:
            slipped = True
        sweep = sweep + 1
        if rules.settled > 0.0 and change <= rules.settled * most:
            goes_on = False
    spans.sweeps[t] = sweep
    for n in range(count):
        s = first + n
        spans.material[s] = 0.0
        if spans.active[s] != 0:
            spans.material[s] = wp.max(spans.stretch[s] / softness(spans, s), 0.0)
            if slipped:  # stretches have not rounded as lengths did in each sweep
                spans.rest[s] = wp.max(spans.length[s] - spans.stretch[s], LEAST)


@wp.func
def axis_at(guides: Guides, q: wp.array(dtype=wp.transform), g: int):
    """The axis of a roller in the world."""
    return vector_of(q, guides.body[g], guides.axis[g])
