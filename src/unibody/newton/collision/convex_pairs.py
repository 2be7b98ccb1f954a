# pyright: basic, reportInvalidTypeForm=false
"""Pairs of convex shapes without a closed form."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.collision.convex import core_of, meet
from unibody.newton.collision.manifold import Kept, add_manifold
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


@wp.kernel
def convex_pairs(
    pairs: wp.array(dtype=wp.vec2i), count: wp.array(dtype=int), shapes: Shapes, out: Output
):
    """One thread a pair that may touch."""
    i = wp.tid()
    if i >= count[0]:
        return
    pair = in_order(shapes, pairs[i])
    if not is_convex(shapes.kind[pair[0]], shapes.kind[pair[1]]):
        return
    a = core_of(shapes, pair[0])
    b = core_of(shapes, pair[1])
    meeting = meet(a, b, reach_of(shapes, pair[0], pair[1]))
    if meeting.found == 0:
        return
    kept = Kept()
    kept.count = 0
    kept.most = 8
    kept = add_manifold(kept, a, b, meeting)
    for k in range(kept.count):
        write(out, shapes, pair[0], pair[1], kept.on_a[k], kept.on_b[k], kept.normal[k])
