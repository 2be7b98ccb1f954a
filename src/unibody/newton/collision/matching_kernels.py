# pyright: basic, reportInvalidTypeForm=false
"""Which contact of the pass before each contact is."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

wp.set_module_options({"enable_backward": False})

NEW: int = wp.constant(-1)
BROKEN: int = wp.constant(-2)


@wp.struct
class Found:
    """Contacts of a pass."""

    count: wp.array(dtype=int)
    shape0: wp.array(dtype=int)
    shape1: wp.array(dtype=int)
    point0: wp.array(dtype=wp.vec3)
    point1: wp.array(dtype=wp.vec3)
    offset0: wp.array(dtype=wp.vec3)
    offset1: wp.array(dtype=wp.vec3)
    normal: wp.array(dtype=wp.vec3)
    margin0: wp.array(dtype=float)
    margin1: wp.array(dtype=float)


@wp.struct
class Kept:
    """Contacts of the pass before, and lists of those whose pairs share a bucket."""

    shape0: wp.array(dtype=int)
    shape1: wp.array(dtype=int)
    point0: wp.array(dtype=wp.vec3)
    point1: wp.array(dtype=wp.vec3)
    offset0: wp.array(dtype=wp.vec3)
    offset1: wp.array(dtype=wp.vec3)
    normal: wp.array(dtype=wp.vec3)
    middle: wp.array(dtype=wp.vec3)
    heads: wp.array(dtype=int)
    following: wp.array(dtype=int)
    nearest: wp.array(dtype=float)
    owner: wp.array(dtype=int)


@wp.func
def bucket(a: int, b: int, buckets: int):
    """The list that contacts of two shapes are in."""
    mixed = wp.uint32(a) * wp.uint32(73856093) ^ wp.uint32(b) * wp.uint32(19349663)
    return int(mixed % wp.uint32(buckets))


@wp.func
def placed(body_q: wp.array(dtype=wp.transform), body: int, point: wp.vec3):
    """A point of a body, or of the world, in the world frame."""
    if body < 0:
        return point
    return wp.transform_point(body_q[body], point)


@wp.func
def middle_of(
    found: Found, i: int, body_q: wp.array(dtype=wp.transform), shape_body: wp.array(dtype=int)
):
    """The point half way between the two points of a contact."""
    on_0 = placed(body_q, shape_body[found.shape0[i]], found.point0[i])
    on_1 = placed(body_q, shape_body[found.shape1[i]], found.point1[i])
    return 0.5 * (on_0 + on_1)


@wp.kernel
def nearest_before(
    found: Found,
    kept: Kept,
    body_q: wp.array(dtype=wp.transform),
    shape_body: wp.array(dtype=int),
    farthest: float,
    least_dot: float,
    match: wp.array(dtype=int),
):
    """One thread a contact: the nearest contact before of the same shapes and direction."""
    i = wp.tid()
    match[i] = NEW
    if i >= found.count[0]:
        return
    middle = middle_of(found, i, body_q, shape_body)
    best = farthest
    k = kept.heads[bucket(found.shape0[i], found.shape1[i], len(kept.heads))]
    while k >= 0:
        if kept.shape0[k] == found.shape0[i] and kept.shape1[k] == found.shape1[i]:
            if match[i] == NEW:
                match[i] = BROKEN
            distance = wp.length(middle - kept.middle[k])
            if wp.dot(found.normal[i], kept.normal[k]) >= least_dot:
                # The order of a list is that of threads: of two as near, the lower one counts.
                if distance < best or (distance == best and (match[i] < 0 or k < match[i])):
                    best = distance
                    match[i] = k
        k = kept.following[k]
    if match[i] >= 0:
        wp.atomic_min(kept.nearest, match[i], best)


@wp.kernel
def claim(
    found: Found,
    kept: Kept,
    body_q: wp.array(dtype=wp.transform),
    shape_body: wp.array(dtype=int),
    match: wp.array(dtype=int),
):
    """The nearest of several contacts has the one before; of two as near, the lower one."""
    i = wp.tid()
    if i >= found.count[0] or match[i] < 0:
        return
    distance = wp.length(middle_of(found, i, body_q, shape_body) - kept.middle[match[i]])
    if distance <= kept.nearest[match[i]]:
        wp.atomic_min(kept.owner, match[i], i)


@wp.kernel
def give_up(found: Found, kept: Kept, match: wp.array(dtype=int)):
    """Contacts whose contact before is another's have none."""
    i = wp.tid()
    if i < found.count[0] and match[i] >= 0:
        if kept.owner[match[i]] != i:
            match[i] = BROKEN


@wp.kernel
def hold(
    found: Found,
    kept: Kept,
    body_q: wp.array(dtype=wp.transform),
    shape_body: wp.array(dtype=int),
    farthest: float,
    sign: float,
    match: wp.array(dtype=int),
):
    """Contacts that press stay at the points of their bodies where they began."""
    i = wp.tid()
    if i >= found.count[0]:
        return
    k = match[i]
    if k < 0:
        return
    body0 = shape_body[found.shape0[i]]
    body1 = shape_body[found.shape1[i]]
    on_0 = placed(body_q, body0, found.point0[i])
    on_1 = placed(body_q, body1, found.point1[i])
    gap = -sign * wp.dot(on_1 - on_0, found.normal[i]) - found.margin0[i] - found.margin1[i]
    if gap > 0.0:
        return
    if wp.length(placed(body_q, body0, kept.point0[k]) - on_0) > farthest:
        return
    if wp.length(placed(body_q, body1, kept.point1[k]) - on_1) > farthest:
        return
    found.point0[i] = kept.point0[k]
    found.point1[i] = kept.point1[k]
    found.offset0[i] = kept.offset0[k]
    found.offset1[i] = kept.offset1[k]
    found.normal[i] = kept.normal[k]


@wp.kernel
def keep(
    found: Found,
    kept: Kept,
    body_q: wp.array(dtype=wp.transform),
    shape_body: wp.array(dtype=int),
):
    """Note the contacts of this pass for the next one."""
    i = wp.tid()
    if i >= found.count[0]:
        return
    kept.shape0[i] = found.shape0[i]
    kept.shape1[i] = found.shape1[i]
    kept.point0[i] = found.point0[i]
    kept.point1[i] = found.point1[i]
    kept.offset0[i] = found.offset0[i]
    kept.offset1[i] = found.offset1[i]
    kept.normal[i] = found.normal[i]
    kept.middle[i] = middle_of(found, i, body_q, shape_body)
    place = bucket(found.shape0[i], found.shape1[i], len(kept.heads))
    kept.following[i] = wp.atomic_exch(kept.heads, place, i)
