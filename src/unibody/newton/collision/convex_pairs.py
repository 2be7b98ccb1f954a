# pyright: basic, reportInvalidTypeForm=false
"""Pairs of convex shapes without a closed form."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.collision.boxes import ASIDE, UNKNOWN, meet_boxes, nearest_of_boxes
from unibody.newton.collision.convex import Meeting, core_of, meet
from unibody.newton.collision.faces import write_faces
from unibody.newton.collision.manifold import Kept, add_manifold, box_side
from unibody.newton.collision.output import (
    BOX,
    CAPSULE,
    HFIELD,
    MESH,
    NONE,
    PLANE,
    SPHERE,
    Output,
    Shapes,
    in_order,
    reach_of,
    write,
)

wp.set_module_options({"enable_backward": False})

EXACT: float = wp.constant(1.000001)  # what nearest points may be farther apart than they are
ROUNDING: float = wp.constant(1.0e-6)  # of places [m]


@wp.func
def is_convex(first: int, second: int):
    """Whether a pair, the lower kind first, is one of these."""
    if first == PLANE or first == HFIELD or first == MESH:
        return False
    if second == MESH or second == NONE:
        return False
    if first == SPHERE and (second == SPHERE or second == CAPSULE or second == BOX):
        return False
    return not (first == CAPSULE and second == CAPSULE)


@wp.func
def convex_pair(pair: wp.vec2i, shapes: Shapes, out: Output):
    """Contacts of a pair, the lower kind first."""
    a = core_of(shapes, pair[0])
    b = core_of(shapes, pair[1])
    reach = reach_of(shapes, pair[0], pair[1])
    meeting = Meeting()
    meeting.found = UNKNOWN
    if a.kind == BOX and b.kind == BOX:
        meeting = meet_boxes(a, b, reach)
        if meeting.found == 0:
            return
        if meeting.found != ASIDE:
            side_a = box_side(a, meeting.normal)
            side_b = box_side(b, -meeting.normal)
            if side_a.count == 4 and side_b.count == 4:
                most = float(1.0e30)
                if meeting.found == UNKNOWN:
                    gap = wp.dot(meeting.on_b - meeting.on_a, meeting.normal)
                    most = gap * EXACT + ROUNDING
                written = write_faces(
                    out, shapes, pair[0], pair[1], side_a, side_b, meeting.normal, most
                )
                if written > 0:
                    return
        if meeting.found != 1:
            meeting = nearest_of_boxes(a, b, reach)
    if meeting.found == UNKNOWN:
        meeting = meet(a, b, reach)
    if meeting.found == 0:
        return
    kept = Kept()
    kept.count = 0
    kept.most = 8
    kept = add_manifold(kept, a, b, meeting)
    for k in range(kept.count):
        write(out, shapes, pair[0], pair[1], kept.on_a[k], kept.on_b[k], kept.normal[k])


@wp.kernel
def convex_pairs(
    pairs: wp.array(dtype=wp.vec2i),
    count: wp.array(dtype=int),
    shapes: Shapes,
    out: Output,
    threads: int,
):
    """Each thread does every so many of the pairs that may touch."""
    for i in range(wp.tid(), wp.min(count[0], pairs.shape[0]), threads):
        pair = in_order(shapes, pairs[i])
        if is_convex(shapes.kind[pair[0]], shapes.kind[pair[1]]):
            convex_pair(pair, shapes, out)
