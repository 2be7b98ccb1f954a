# pyright: basic, reportInvalidTypeForm=false
"""Two boxes that touch or overlap: the direction in which they overlap least, in closed form.

Boxes are apart along one of fifteen directions or not at all: those of the sides of both, and those
across an edge of each (Gottschalk, Lin and Manocha 1996).
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.collision.convex import Convex, Meeting
from unibody.newton.launching import inlined

wp.set_module_options({"enable_backward": False})

UNKNOWN: int = wp.constant(2)
ASIDE: int = wp.constant(3)
TOUCHING: float = wp.constant(1.0e-3)  # up to which directions of nearest points lose digits [m]
PARALLEL: float = wp.constant(1.0e-2)  # sine of the angle up to which edges are parallel
PREFERRED: float = wp.constant(1.0e-5)  # by how much sides go before edges [m]
PROJECTIONS: int = wp.constant(8)
mat33: type = wp.types.matrix(shape=(3, 3), dtype=float)


@inlined
def extent(half: wp.vec3, axis: wp.vec3):
    """How far a box reaches along an axis of its own frame."""
    return half[0] * wp.abs(axis[0]) + half[1] * wp.abs(axis[1]) + half[2] * wp.abs(axis[2])


@inlined
def edge_direction(turn: mat33, half_a: wp.vec3, half_b: wp.vec3, apart: wp.vec3, least: float):
    """Of directions across an edge of each: the one of the largest gap, in a's frame, and the gap.

    Args:
        turn: From b's frame to a's.
        half_a: Half the sizes of a.
        half_b: Those of b.
        apart: From the centre of a to that of b, in a's frame.
        least: Gaps that are not larger do not count.
    """
    best = wp.vec4(0.0, 0.0, 0.0, least)
    for i in range(3):
        e = wp.vec3(0.0, 0.0, 0.0)
        e[i] = 1.0
        for j in range(3):
            across = wp.cross(e, wp.vec3(turn[0, j], turn[1, j], turn[2, j]))
            size = wp.length(across)
            if size > PARALLEL:
                across = across / size
                middle = wp.dot(apart, across)
                gap = wp.abs(middle) - extent(half_a, across)
                gap = gap - extent(half_b, wp.transpose(turn) * across)
                if gap > best[3]:
                    side = wp.where(middle < 0.0, -1.0, 1.0)
                    best = wp.vec4(side * across[0], side * across[1], side * across[2], gap)
    return best


@inlined
def meet_boxes(a: Convex, b: Convex, reach: float):
    """Where two boxes meet: `found` is 0 if they are farther apart than `reach`.

    It is `UNKNOWN` where they are apart: then they are no nearer than what is told, and nearest
    points may lie in another direction. It is `ASIDE` where their sides do not look at one another.
    """
    meeting = Meeting()
    meeting.found = 0
    rotation_a = wp.quat_to_matrix(wp.transform_get_rotation(a.pose))
    rotation_b = wp.quat_to_matrix(wp.transform_get_rotation(b.pose))
    turn = wp.transpose(rotation_a) * rotation_b
    between = wp.transform_get_translation(b.pose) - wp.transform_get_translation(a.pose)
    apart = wp.transpose(rotation_a) * between
    seen = wp.transpose(rotation_b) * between
    gap = float(-1.0e30)
    axis = int(0)
    open_a = int(0)
    open_b = int(0)
    for k in range(3):
        of_a = wp.abs(apart[k]) - a.scale[k]
        of_a = of_a - extent(b.scale, wp.vec3(turn[k, 0], turn[k, 1], turn[k, 2]))
        if of_a > 0.0:
            open_a = open_a + 1
        if of_a > gap:
            gap = of_a
            axis = k
    for k in range(3):
        of_b = wp.abs(seen[k]) - b.scale[k]
        of_b = of_b - extent(a.scale, wp.vec3(turn[0, k], turn[1, k], turn[2, k]))
        if of_b > 0.0:
            open_b = open_b + 1
        if of_b > gap + PREFERRED:
            gap = of_b
            axis = 3 + k
    if gap > reach:
        return meeting
    if open_a > 1 or open_b > 1:
        meeting.found = ASIDE
        return meeting
    normal = wp.vec3()
    if axis < 3:
        side = wp.where(apart[axis] < 0.0, -1.0, 1.0)
        normal = side * wp.vec3(rotation_a[0, axis], rotation_a[1, axis], rotation_a[2, axis])
    else:
        k = axis - 3
        side = wp.where(seen[k] < 0.0, -1.0, 1.0)
        normal = side * wp.vec3(rotation_b[0, k], rotation_b[1, k], rotation_b[2, k])
    if gap <= TOUCHING:
        edges = edge_direction(turn, a.scale, b.scale, apart, gap + PREFERRED)
        if edges[3] > gap + PREFERRED:
            gap = edges[3]
            normal = rotation_a * wp.vec3(edges[0], edges[1], edges[2])
    if gap > reach:
        return meeting
    on_a = wp.transpose(rotation_a) * normal
    on_b = wp.transpose(rotation_b) * -normal
    for k in range(3):
        on_a[k] = wp.where(on_a[k] < 0.0, -a.scale[k], a.scale[k])
        on_b[k] = wp.where(on_b[k] < 0.0, -b.scale[k], b.scale[k])
    meeting.on_a = wp.transform_get_translation(a.pose) + rotation_a * on_a
    meeting.on_b = meeting.on_a + normal * gap
    meeting.normal = normal
    meeting.found = 1
    if gap > TOUCHING:
        meeting.found = UNKNOWN
    return meeting


@wp.func
def clamped(point: wp.vec3, half: wp.vec3):
    """The point of a box that is nearest to a point of its frame."""
    return wp.max(wp.min(point, half), -half)


@wp.func
def nearest_of_boxes(a: Convex, b: Convex, reach: float):
    """Nearest points of two boxes that are apart: `found` is 0 if they are farther than `reach`.

    Points of one are projected on the other in turn, which meets corners and edges at once; it is
    `UNKNOWN` where that goes on for long.
    """
    meeting = Meeting()
    meeting.found = UNKNOWN
    rotation = wp.quat_to_matrix(wp.transform_get_rotation(a.pose))
    turn = wp.transpose(rotation) * wp.quat_to_matrix(wp.transform_get_rotation(b.pose))
    back = wp.transpose(turn)
    place = wp.transform_get_translation(a.pose)
    apart = wp.transpose(rotation) * (wp.transform_get_translation(b.pose) - place)
    on_a = clamped(apart, a.scale)
    for _i in range(PROJECTIONS):
        on_b = apart + turn * clamped(back * (on_a - apart), b.scale)
        on_a = clamped(on_b, a.scale)
        way = on_b - on_a
        square = wp.length_sq(way)
        least = wp.dot(way, apart) - extent(a.scale, way) - extent(b.scale, back * way)
        if square - least <= 1.0e-6 * square:
            distance = wp.sqrt(square)
            if distance > reach:
                meeting.found = 0
            elif distance > TOUCHING:
                meeting.found = 1
                meeting.normal = rotation * (way / distance)
                meeting.on_a = place + rotation * on_a
                meeting.on_b = place + rotation * on_b
            return meeting
    return meeting
