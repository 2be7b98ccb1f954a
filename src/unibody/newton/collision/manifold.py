# pyright: basic, reportInvalidTypeForm=false
"""All points of contact of two convex shapes, from the sides that look at one another."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.collision.convex import (
    TRIANGLE,
    Convex,
    Meeting,
    farthest,
)
from unibody.newton.collision.output import BOX, CONE, CYLINDER, ELLIPSOID

wp.set_module_options({"enable_backward": False})

MOST_KEPT: int = wp.constant(12)
TILT: float = wp.constant(0.05)  # sine of the angle up to which a side counts as facing [rad]
mat83: type = wp.types.matrix(shape=(8, 3), dtype=float)
mat123: type = wp.types.matrix(shape=(12, 3), dtype=float)


@wp.struct
class Side:
    """A polygon, or a segment, or a point, around a direction."""

    points: mat83
    count: int


@wp.struct
class Kept:
    """Contacts of a pair, and where new ones go."""

    on_a: mat123
    on_b: mat123
    normal: mat123
    count: int
    most: int


@wp.func
def lying(side: Side, pose: wp.transform, low: wp.vec3, high: wp.vec3):
    """The line of a cylinder or a cone that lies on something."""
    side.points[0] = wp.transform_point(pose, low)
    side.points[1] = wp.transform_point(pose, high)
    side.count = 2
    return side


@wp.func
def rim(side: Side, pose: wp.transform, radius: float, height: float):
    """The circle of an end."""
    for k in range(8):
        angle = float(k) * wp.pi / 4.0
        place = wp.vec3(radius * wp.cos(angle), radius * wp.sin(angle), height)
        side.points[k] = wp.transform_point(pose, place)
    side.count = 8
    return side


@wp.func
def round_side(core: Convex, normal: wp.vec3):
    """The side of a cylinder or cone that looks in a direction."""
    side = Side()
    side.count = 0
    d = wp.quat_rotate_inv(wp.transform_get_rotation(core.pose), normal)
    radius = core.scale[0]
    half = core.scale[1]
    flat = wp.vec3(d[0], d[1], 0.0)
    length = wp.max(wp.length(flat), 1.0e-9)
    flat = flat * (radius / length)
    if length < TILT and (core.kind == CYLINDER or d[2] < 0.0):
        height = half
        if d[2] < 0.0:
            height = -half
        return rim(side, core.pose, radius, height)
    low = wp.vec3(flat[0], flat[1], -half)
    if core.kind == CYLINDER and core.scale[2] > 0.0:
        side.points[0] = farthest(core, normal)
        side.count = 1
        return side
    if core.kind == CYLINDER:
        if wp.abs(d[2]) < TILT:
            return lying(side, core.pose, low, wp.vec3(flat[0], flat[1], half))
    else:
        slant = wp.sqrt(radius * radius + 4.0 * half * half)
        if wp.abs(d[2] * 2.0 * half / slant - length * radius / slant) < TILT:
            return lying(side, core.pose, low, wp.vec3(0.0, 0.0, half))
    side.points[0] = farthest(core, normal)
    side.count = 1
    return side


@wp.func
def box_side(core: Convex, normal: wp.vec3):
    """The side, edge or corner of a box that looks in a direction."""
    side = Side()
    turn = wp.transform_get_rotation(core.pose)
    d = wp.quat_rotate_inv(turn, normal)
    corner = wp.vec3()
    first = int(-1)
    second = int(-1)
    for k in range(3):
        corner[k] = wp.where(d[k] < 0.0, -core.scale[k], core.scale[k])
        if wp.abs(d[k]) < TILT * wp.sqrt(wp.max(1.0 - d[k] * d[k], 0.0)):
            if first < 0:
                first = k
            else:
                second = k
    corner = wp.transform_point(core.pose, corner)
    side.points[0] = corner
    side.count = 1
    if first >= 0:
        along = wp.vec3()
        along[first] = wp.where(d[first] < 0.0, 2.0, -2.0) * core.scale[first]
        along = wp.quat_rotate(turn, along)
        side.points[1] = corner + along
        side.count = 2
        if second >= 0:
            aside = wp.vec3()
            aside[second] = wp.where(d[second] < 0.0, 2.0, -2.0) * core.scale[second]
            aside = wp.quat_rotate(turn, aside)
            side.points[2] = corner + along + aside
            side.points[3] = corner + aside
            side.count = 4
    return side


@wp.func
def side_of(core: Convex, normal: wp.vec3):
    """The side of a core that looks in a direction: corners in order around it."""
    if core.kind == CYLINDER or core.kind == CONE:
        return round_side(core, normal)
    if core.kind == BOX:
        return box_side(core, normal)
    side = Side()
    side.count = 0
    if core.kind == ELLIPSOID:
        side.points[0] = farthest(core, normal)
        side.count = 1
        return side
    aside = wp.vec3(1.0, 0.0, 0.0)
    if wp.abs(normal[0]) > 0.7:
        aside = wp.vec3(0.0, 1.0, 0.0)
    u = wp.normalize(wp.cross(normal, aside))
    v = wp.cross(normal, u)
    for k in range(8):
        angle = (float(k) + 0.37) * wp.pi / 4.0
        tilted = normal + (u * wp.cos(angle) + v * wp.sin(angle)) * TILT
        point = farthest(core, tilted)
        fresh = int(1)
        if side.count > 0:
            if wp.length_sq(point - side.points[side.count - 1]) < 1.0e-12:
                fresh = int(0)
            if wp.length_sq(point - side.points[0]) < 1.0e-12:
                fresh = int(0)
        if fresh == 1:
            side.points[side.count] = point
            side.count = side.count + 1
    return side


@wp.func
def keep(kept: Kept, on_a: wp.vec3, on_b: wp.vec3, normal: wp.vec3):
    """Add a contact; where there are too many, the shallower of the two that are nearest goes."""
    depth = wp.dot(on_b - on_a, normal)
    for i in range(kept.count):
        same = wp.dot(kept.normal[i], normal) > 0.9
        if same and wp.length_sq(kept.on_b[i] - on_b) < 1.0e-8:
            if depth < wp.dot(kept.on_b[i] - kept.on_a[i], kept.normal[i]):
                kept.on_a[i] = on_a
                kept.on_b[i] = on_b
                kept.normal[i] = normal
            return kept
    place = kept.count
    if kept.count == kept.most:
        nearest = float(1.0e30)
        first = int(0)
        second = int(-1)
        for i in range(kept.count):
            for j in range(i + 1, kept.count + 1):
                other = on_b
                facing = normal
                if j < kept.count:
                    other = kept.on_b[j]
                    facing = kept.normal[j]
                far = wp.length_sq(kept.on_b[i] - other) * (2.0 - wp.dot(kept.normal[i], facing))
                if far < nearest:
                    nearest = far
                    first = i
                    second = j
        other_depth = depth
        if second < kept.count:
            other_depth = wp.dot(kept.on_b[second] - kept.on_a[second], kept.normal[second])
        place = first
        if wp.dot(kept.on_b[first] - kept.on_a[first], kept.normal[first]) < other_depth:
            place = second
        if place == kept.count:
            return kept
    else:
        kept.count = kept.count + 1
    kept.on_a[place] = on_a
    kept.on_b[place] = on_b
    kept.normal[place] = normal
    return kept


@wp.func
def face_normal(side: Side):
    """Twice the area of a side, as a vector."""
    total = wp.vec3()
    for i in range(1, side.count - 1):
        total = total + wp.cross(
            side.points[i] - side.points[0], side.points[i + 1] - side.points[0]
        )
    return total


@wp.func
def is_inside(side: Side, area: wp.vec3, point: wp.vec3, normal: wp.vec3):
    """Whether a point is on a side, as seen along a normal."""
    sign = wp.sign(wp.dot(area, normal))
    for i in range(side.count):
        start = side.points[i]
        edge = side.points[(i + 1) % side.count] - start
        if wp.dot(wp.cross(edge, point - start), normal) * sign < -1.0e-6 * wp.length(edge):
            return False
    return True


@wp.func
def corners_on_side(
    kept: Kept,
    corners: Side,
    side: Side,
    normal: wp.vec3,
    raise_corner: float,
    raise_side: float,
    turned: int,
):
    """Contacts of the corners of one side that are on the other."""
    area = face_normal(side)
    steep = wp.dot(area, normal)
    if side.count < 3 or wp.abs(steep) < 0.1 * wp.length(area) or wp.length(area) < 1.0e-12:
        return kept
    for i in range(corners.count):
        point = corners.points[i]
        if is_inside(side, area, point, normal):
            there = point + normal * (wp.dot(side.points[0] - point, area) / steep)
            mine = point + normal * raise_corner
            other = there + normal * raise_side
            if turned == 0:
                kept = keep(kept, mine, other, normal)
            else:
                kept = keep(kept, other, mine, normal)
    return kept


@wp.func
def crossings(kept: Kept, a: Side, b: Side, normal: wp.vec3, radius_a: float, radius_b: float):
    """Contacts where edges of the two sides cross, as seen along the normal."""
    edges_a = a.count
    edges_b = b.count
    if a.count == 2:
        edges_a = int(1)
    if b.count == 2:
        edges_b = int(1)
    for i in range(edges_a):
        start_a = a.points[i]
        edge_a = a.points[(i + 1) % a.count] - start_a
        for j in range(edges_b):
            start_b = b.points[j]
            edge_b = b.points[(j + 1) % b.count] - start_b
            cross = wp.dot(wp.cross(edge_a, edge_b), normal)
            if wp.abs(cross) > 1.0e-3 * wp.length(edge_a) * wp.length(edge_b):
                apart = start_b - start_a
                s = wp.dot(wp.cross(apart, edge_b), normal) / cross
                t = wp.dot(wp.cross(apart, edge_a), normal) / cross
                if s >= 0.0 and s <= 1.0 and t >= 0.0 and t <= 1.0:
                    kept = keep(
                        kept,
                        start_a + edge_a * s + normal * radius_a,
                        start_b + edge_b * t - normal * radius_b,
                        normal,
                    )
    return kept


@wp.func
def along_segments(kept: Kept, a: Side, b: Side, normal: wp.vec3, radius_a: float, radius_b: float):
    """Contacts of two segments side by side: the ends of what they share."""
    start = a.points[0]
    edge = a.points[1] - start
    edge = edge - normal * wp.dot(edge, normal)
    square = wp.dot(edge, edge)
    other = b.points[1] - b.points[0]
    other = other - normal * wp.dot(other, normal)
    if wp.length(wp.cross(edge, other)) > 0.05 * wp.length(edge) * wp.length(other):
        return kept
    first = wp.dot(b.points[0] - start, edge) / square
    second = wp.dot(b.points[1] - start, edge) / square
    if wp.abs(second - first) < 1.0e-6:
        return kept
    low = wp.max(wp.min(first, second), 0.0)
    high = wp.min(wp.max(first, second), 1.0)
    if low > high:
        return kept
    for k in range(2):
        s = low
        if k == 1:
            s = high
        on_a = start + (a.points[1] - start) * s
        share = (s - first) / (second - first)
        on_b = b.points[0] + (b.points[1] - b.points[0]) * share
        # Both on one line along the normal: a segment's own direction may lean a little.
        on_b = on_a + normal * wp.dot(on_b - on_a, normal)
        kept = keep(kept, on_a + normal * radius_a, on_b - normal * radius_b, normal)
    return kept


@wp.func
def add_manifold(kept: Kept, a: Convex, b: Convex, meeting: Meeting):
    """Add all contacts of two shapes whose nearest points and direction are known."""
    normal = meeting.normal
    side_a = side_of(a, normal)
    side_b = side_of(b, -normal)
    before = kept.count
    if side_a.count > 1 and side_b.count > 1:
        if side_a.count == 2 and side_b.count == 2:
            kept = along_segments(kept, side_a, side_b, normal, a.radius, b.radius)
        kept = corners_on_side(kept, side_a, side_b, normal, a.radius, -b.radius, 0)
        kept = corners_on_side(kept, side_b, side_a, normal, -b.radius, a.radius, 1)
        kept = crossings(kept, side_a, side_b, normal, a.radius, b.radius)
        if kept.count > before:
            return kept
    on_a = meeting.on_a
    on_b = meeting.on_b
    distance = wp.dot(on_b - on_a, normal)
    if side_a.count == 1 and a.kind != TRIANGLE:
        on_a = side_a.points[0] + normal * a.radius
        on_b = on_a + normal * distance
    elif side_b.count == 1:
        on_b = side_b.points[0] - normal * b.radius
        on_a = on_b - normal * distance
    return keep(kept, on_a, on_b, normal)
