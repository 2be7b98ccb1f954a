# pyright: basic, reportInvalidTypeForm=false
"""Where a side of a geom lies over a triangle, on a Warp device: the second execution of ``clip``.

Rows of polygons are two coordinates in the plane and the height.
"""

from __future__ import annotations

import warp as wp

from unibody.core.engine.mesh_contacts import clip

STEEP: float = wp.constant(clip.STEEP)
LEVEL: float = wp.constant(clip.LEVEL)
SLACK: float = wp.constant(1e-6)  # of an edge


@wp.func
def across(n: wp.vec3) -> wp.vec3:
    """A unit vector across another; its cross product with that is the third of a frame."""
    if wp.abs(n[0]) < 0.6:
        return wp.vec3(0.0, n[2], -n[1]) / wp.sqrt(n[1] * n[1] + n[2] * n[2])
    return wp.vec3(-n[2], 0.0, n[0]) / wp.sqrt(n[0] * n[0] + n[2] * n[2])


@wp.func
def _left_of(p: wp.vec3, a: wp.vec3, e: wp.vec2) -> float:
    return e[0] * (p[1] - a[1]) - e[1] * (p[0] - a[0])


@wp.func
def _cut(
    polygon: wp.array(dtype=wp.vec3),
    count: int,
    a: wp.vec3,
    b: wp.vec3,
    out: wp.array(dtype=wp.vec3),
) -> int:
    """The part of a polygon, segment or point to the left of a line from a to b."""
    e = wp.vec2(b[0] - a[0], b[1] - a[1])
    slack = -SLACK * wp.dot(e, e)
    made = int(0)
    for i in range(count):
        j = wp.where(i + 1 < count, i + 1, 0)
        p = polygon[i]
        q = polygon[j]
        here = _left_of(p, a, e)
        there = _left_of(q, a, e)
        if here >= slack:
            out[made] = p
            made += 1
        crosses = (here >= slack) != (there >= slack)
        if crosses and (count > 2 or i == 0):
            share = wp.clamp(here / (here - there), 0.0, 1.0)
            out[made] = p + share * (q - p)
            made += 1
    return made


@wp.func
def over_triangle(
    side: wp.array(dtype=wp.vec3),
    corners: int,
    t: wp.mat33,
    slope: wp.vec3,
    spare: wp.array(dtype=wp.vec3),
    out: wp.array(dtype=wp.vec4),
) -> int:
    """The part of a side above a triangle: place, height of the side, height of the triangle."""
    area = (t[1, 0] - t[0, 0]) * (t[2, 1] - t[0, 1]) - (t[1, 1] - t[0, 1]) * (t[2, 0] - t[0, 0])
    a, b, c = t[0], t[1], t[2]
    if area <= 0.0:
        b, c = t[2], t[1]
    count = _cut(side, corners, a, b, spare)
    count = _cut(spare, count, b, c, side)
    count = _cut(side, count, c, a, spare)
    for i in range(count):
        p = spare[i]
        out[i] = wp.vec4(p[0], p[1], p[2], slope[0] + slope[1] * p[0] + slope[2] * p[1])
    return count


@wp.func
def _plane(side: wp.array(dtype=wp.vec3), count: int) -> wp.vec4:
    """Height at the origin and its two slopes of a polygon, and its signed area; 0: upright."""
    n = wp.vec3()
    m = wp.vec3()
    for i in range(count):
        p = side[i]
        q = side[wp.where(i + 1 < count, i + 1, 0)]
        n += wp.vec3(
            (p[1] - q[1]) * (p[2] + q[2]),
            (p[2] - q[2]) * (p[0] + q[0]),
            (p[0] - q[0]) * (p[1] + q[1]),
        )
        m += p / float(count)
    if wp.abs(n[2]) <= LEVEL * wp.length(n):
        return wp.vec4()
    sx = -n[0] / n[2]
    sy = -n[1] / n[2]
    return wp.vec4(m[2] - sx * m[0] - sy * m[1], sx, sy, n[2])


@wp.func
def under_side(
    side: wp.array(dtype=wp.vec3),
    count: int,
    edge: wp.array(dtype=wp.vec3),
    spare: wp.array(dtype=wp.vec3),
    out: wp.array(dtype=wp.vec4),
) -> int:
    """The part of an edge below a side of three corners or more; see ``over_triangle``."""
    slope = _plane(side, count)
    if slope[3] == 0.0:
        return 0
    left = int(2)
    for i in range(count):
        j = wp.where(i + 1 < count, i + 1, 0)
        a = side[wp.where(slope[3] > 0.0, i, j)]
        b = side[wp.where(slope[3] > 0.0, j, i)]
        left = _cut(edge, left, a, b, spare)
        for n in range(left):
            edge[n] = spare[n]
    for n in range(left):
        p = edge[n]
        out[n] = wp.vec4(p[0], p[1], slope[0] + slope[1] * p[0] + slope[2] * p[1], p[2])
    return left
