# pyright: basic, reportInvalidTypeForm=false
"""Which rollers tendons touch, and how material moves with rollers: one thread a tendon."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.solvers.tendons.geometry_kernels import (
    LEAST,
    ROLLER,
    Guides,
    Rules,
    Spans,
    ends_of,
    flat,
    local_of,
    place_of,
    turned_by,
    vector_of,
    wrap_of,
)
from unibody.newton.tendons import TendonGuideFlags

wp.set_module_options({"enable_backward": False})

DYNAMIC: int = wp.constant(int(TendonGuideFlags.DYNAMIC))
AT_BASE: int = wp.constant(0)
ANEW: int = wp.constant(1)


@wp.func
def lay(guides: Guides, spans: Spans, q: wp.array(dtype=wp.transform), s: int):
    """Find the ends of a span, and note them as those that rollers carry on."""
    gl = spans.guide_l[s]
    gr = spans.guide_r[s]
    left, right = ends_of(guides, q, gl, gr)
    spans.left[s] = left
    spans.right[s] = right
    spans.length[s] = wp.length(right - left)
    spans.left_local[s] = local_of(q, guides.body[gl], left)
    spans.right_local[s] = local_of(q, guides.body[gr], right)


@wp.func
def disable(spans: Spans, s: int):
    """Let a span do nothing."""
    spans.active[s] = 0
    spans.left[s] = wp.vec3()
    spans.right[s] = wp.vec3()
    spans.left_local[s] = wp.vec3()
    spans.right_local[s] = wp.vec3()
    spans.length[s] = 0.0
    spans.length_before[s] = 0.0
    spans.stretch[s] = 0.0
    spans.material[s] = 0.0
    spans.drag[s] = 0.0
    spans.rolled_l[s] = 0.0
    spans.rolled_r[s] = 0.0
    spans.pull[s] = 0.0


@wp.func
def route(guides: Guides, spans: Spans, t: int):
    """Let spans of a tendon run between the guides that it touches."""
    last = int(-1)
    for g in range(guides.start[t], guides.start[t + 1] - 1):
        s = g - t
        spans.guide_l[s] = g
        spans.guide_r[s] = g + 1
        spans.compliance[s] = spans.material_compliance[s]
        spans.damping[s] = spans.material_damping[s]
        if spans.touched[g]:
            spans.active[s] = 1
            last = s
        else:
            disable(spans, s)
            spans.guide_r[last] = g + 1
            spans.compliance[last] = spans.compliance[last] + spans.material_compliance[s]
            spans.damping[last] = spans.damping[last] + spans.material_damping[s]


@wp.func
def is_touched(guides: Guides, spans: Spans, rules: Rules, q: wp.array(dtype=wp.transform), g: int):
    """Whether a cable runs around a roller that it may leave out."""
    left, right = ends_of(guides, q, g - 1, g + 1)
    n = vector_of(q, guides.body[g], guides.axis[g])
    middle = place_of(q, guides.body[g], guides.offset[g])
    way = flat(right - left, n)
    size = wp.length(way)
    if size < 1.0e-9:
        return spans.touched[g]
    way = way / size
    along = wp.dot(middle - left, way)
    side = wp.cross(way, n) * float(guides.orientation[g])
    clear = wp.dot(left - middle, side)
    radius = guides.radius[g]
    if not spans.touched[g]:
        radius = radius * (1.0 - rules.activation)
    return along > 0.0 and along < size and clear < radius


@wp.func
def take_up(guides: Guides, spans: Spans, q: wp.array(dtype=wp.transform), t: int, g: int):
    """Let a cable run around a roller: its material is shared out with one tension."""
    a = g - 1 - t
    b = g - t
    whole = spans.rest[a]
    beyond = spans.right_local[a]
    before = spans.left_local[a]
    spans.touched[g] = True
    route(guides, spans, t)
    lay(guides, spans, q, a)
    lay(guides, spans, q, b)
    spans.left_local[a] = before
    spans.right_local[b] = beyond
    arc = wp.max(wrap_of(guides, g, spans.right_local[a], spans.left_local[b]), 0.0)
    free = whole - arc * guides.radius[g]
    near = spans.length[a]
    far = spans.length[b]
    first = free * near / wp.max(near + far, LEAST)
    soft = spans.compliance[a] + spans.compliance[b]
    if near + far > free and soft > 0.0:
        first = near - (near + far - free) * spans.compliance[a] / soft
    first = wp.clamp(first, LEAST, wp.max(free - LEAST, LEAST))
    spans.rest[a] = first
    spans.rest[b] = wp.max(free - first, LEAST)


@wp.func
def leave_out(guides: Guides, spans: Spans, t: int, g: int):
    """Let a cable pass a roller: one span has the material of both, and that of the wrap."""
    a = g - 1 - t
    b = g - t
    arc = wrap_of(guides, g, spans.right_local[a], spans.left_local[b])
    whole = spans.rest[a] + spans.rest[b] + arc * guides.radius[g]
    beyond = spans.right_local[b]
    spans.touched[g] = False
    route(guides, spans, t)
    spans.rest[a] = whole
    spans.rest[b] = LEAST
    spans.right_local[a] = beyond


@wp.kernel
def choose_guides(guides: Guides, spans: Spans, rules: Rules, q: wp.array(dtype=wp.transform)):
    """Take up and leave out rollers by where bodies are."""
    t = wp.tid()
    first = guides.start[t]
    end = guides.start[t + 1]
    for g in range(first, end):
        if (guides.flags[g] & DYNAMIC) == 0:
            spans.touched[g] = True
    route(guides, spans, t)
    for g in range(first + 1, end - 1):
        if (guides.flags[g] & DYNAMIC) != 0:
            touched = is_touched(guides, spans, rules, q, g)
            if touched and not spans.touched[g]:
                take_up(guides, spans, q, t, g)
            elif spans.touched[g] and not touched:
                leave_out(guides, spans, t, g)


@wp.func
def let_go(guides: Guides, spans: Spans, rules: Rules, q: wp.array(dtype=wp.transform), t: int):
    """Leave out rollers that have come away from a cable in a step."""
    first = guides.start[t]
    end = guides.start[t + 1]
    for g in range(first + 1, end - 1):
        if (guides.flags[g] & DYNAMIC) != 0 and spans.touched[g]:
            if not is_touched(guides, spans, rules, q, g):
                leave_out(guides, spans, t, g)
    lay_all(guides, spans, q, t)


@wp.kernel
def begin_tendons(
    guides: Guides,
    spans: Spans,
    rules: Rules,
    q: wp.array(dtype=wp.transform),
    authored: wp.array(dtype=float),
    total: wp.array(dtype=float),
):
    """Lay cables where a model has its bodies, and measure the material that is not stated."""
    t = wp.tid()
    first = guides.start[t]
    end = guides.start[t + 1]
    for g in range(first, end):
        spans.touched[g] = True
        if (guides.flags[g] & DYNAMIC) != 0:
            spans.touched[g] = False
            spans.touched[g] = is_touched(guides, spans, rules, q, g)
    route(guides, spans, t)
    sum = float(0.0)
    for g in range(first, end - 1):
        s = g - t
        spans.rest[s] = LEAST
        if spans.active[s] != 0:
            lay(guides, spans, q, s)
            rest = float(0.0)
            measured = bool(False)
            for m in range(s, spans.guide_r[s] - t):
                if authored[m] < 0.0:
                    measured = True
                else:
                    rest = rest + authored[m]
            if measured:
                rest = wp.max(rest, spans.length[s])
            spans.rest[s] = wp.max(rest, LEAST)
            sum = sum + spans.rest[s]
            if g > first and guides.kind[g] == ROLLER:
                before = spans.right_local[last_before(spans, s)]
                arc = wp.max(wrap_of(guides, g, before, spans.left_local[s]), 0.0)
                sum = sum + arc * guides.radius[g]
    total[t] = sum


@wp.func
def last_before(spans: Spans, s: int):
    """The span before one of the same tendon, which has one."""
    found = s - 1
    if spans.active[found] == 0:
        found = found - 1
    return found


@wp.func
def roll(guides: Guides, g: int, before: wp.vec3, after: wp.vec3):
    """How far the end of a span has moved forward along the rim of its roller [m]."""
    if guides.kind[g] != ROLLER or before == after:
        return 0.0
    c = guides.offset[g]
    angle = turned_by(before - c, after - c, guides.axis[g])
    return angle * guides.radius[g] * float(guides.orientation[g])


@wp.func
def lay_all(guides: Guides, spans: Spans, q: wp.array(dtype=wp.transform), t: int):
    """Lay a cable anew, and let rollers carry its material as they have turned."""
    first = guides.start[t] - t
    end = guides.start[t + 1] - t - 1
    for s in range(first, end):
        if spans.active[s] != 0:
            left = spans.left_local[s]
            right = spans.right_local[s]
            lay(guides, spans, q, s)
            spans.rolled_l[s] = -roll(guides, spans.guide_l[s], left, spans.left_local[s])
            spans.rolled_r[s] = roll(guides, spans.guide_r[s], right, spans.right_local[s])
            gain = spans.rolled_l[s] + spans.rolled_r[s]
            if gain != 0.0:
                spans.rest[s] = spans.rest[s] + gain
            if s > first and guides.kind[spans.guide_l[s]] == ROLLER:
                given = -spans.rolled_r[last_before(spans, s)]
                taken = spans.rolled_l[s]
                if given * taken > 0.0:
                    share = wp.sign(given) * wp.min(wp.abs(given), wp.abs(taken))
                    g = spans.guide_l[s]
                    spans.carried[g] = spans.carried[g] + share
    # A span that has no more to give is fed by its neighbours: there the cable slips.
    before = int(-1)
    for s in range(first, end):
        if spans.active[s] != 0:
            if before >= 0 and spans.rest[before] < LEAST:
                spans.rest[s] = spans.rest[s] + spans.rest[before] - LEAST
                spans.rest[before] = LEAST
            before = s
    after = int(-1)
    for n in range(end - first):
        s = end - 1 - n
        if spans.active[s] != 0:
            if after >= 0 and spans.rest[after] < LEAST:
                spans.rest[s] = spans.rest[s] + spans.rest[after] - LEAST
                spans.rest[after] = LEAST
            after = s
    spans.rest[first] = wp.max(spans.rest[first], LEAST)


@wp.kernel
def load_tendons(
    guides: Guides,
    spans: Spans,
    base: Spans,
    phase: wp.array(dtype=int),
    rest: wp.array(dtype=float),
    left: wp.array(dtype=wp.vec3),
    right: wp.array(dtype=wp.vec3),
    touched: wp.array(dtype=bool),
    q: wp.array(dtype=wp.transform),
):
    """Begin a step with what a state keeps of tendons, or as the solver has begun."""
    t = wp.tid()
    first = guides.start[t]
    end = guides.start[t + 1]
    for g in range(first, end):
        spans.carried[g] = 0.0
        spans.touched[g] = base.touched[g]
        if phase[t] != AT_BASE:
            spans.touched[g] = touched[g]
    for g in range(first, end - 1):
        s = g - t
        if phase[t] == AT_BASE:
            spans.rest[s] = base.rest[s]
            spans.left_local[s] = base.left_local[s]
            spans.right_local[s] = base.right_local[s]
        else:
            spans.rest[s] = rest[s]
            spans.left_local[s] = left[s]
            spans.right_local[s] = right[s]
    route(guides, spans, t)
    if phase[t] == ANEW:
        for g in range(first, end - 1):
            if spans.active[g - t] != 0:
                lay(guides, spans, q, g - t)


@wp.kernel
def save_tendons(
    guides: Guides,
    spans: Spans,
    which: wp.array(dtype=bool),
    into: int,
    phase: wp.array(dtype=int),
    rest: wp.array(dtype=float),
    left: wp.array(dtype=wp.vec3),
    right: wp.array(dtype=wp.vec3),
    touched: wp.array(dtype=bool),
):
    """Keep what tendons have become in a state; of some of them, where ``which`` says which."""
    t = wp.tid()
    if which:
        if not which[t]:
            return
    phase[t] = into
    for g in range(guides.start[t], guides.start[t + 1]):
        touched[g] = spans.touched[g]
    for g in range(guides.start[t], guides.start[t + 1] - 1):
        s = g - t
        rest[s] = spans.rest[s]
        left[s] = spans.left_local[s]
        right[s] = spans.right_local[s]
