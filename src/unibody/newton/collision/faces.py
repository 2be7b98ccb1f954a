# pyright: basic, reportInvalidTypeForm=false
"""Contacts of two sides of four corners that look at one another: corners of what they share."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.collision.convex import mat43
from unibody.newton.collision.manifold import Side, mat83
from unibody.newton.collision.output import Output, Shapes, body_frame, write_at
from unibody.newton.launching import inlined

wp.set_module_options({"enable_backward": False})

MOST: int = wp.constant(8)  # corners of what two such sides share
SAME: float = wp.constant(1.0e-8)  # square of the distance up to which corners are one [m^2]
mat42: type = wp.types.matrix(shape=(4, 2), dtype=float)
mat82: type = wp.types.matrix(shape=(8, 2), dtype=float)


@wp.struct
class Corner:
    """A corner of what two sides share: its place across the normal, and a point on each."""

    is_met: bool
    place: wp.vec2
    on_a: wp.vec3
    on_b: wp.vec3


@inlined
def crossed(a: wp.vec2, b: wp.vec2):
    """The cross product of two vectors of a plane."""
    return a[0] * b[1] - a[1] * b[0]


@inlined
def flat(points: mat43, origin: wp.vec3, u: wp.vec3, v: wp.vec3):
    """Corners as seen along the normal of two directions."""
    found = mat42()
    for i in range(4):
        found[i] = wp.vec2(wp.dot(points[i] - origin, u), wp.dot(points[i] - origin, v))
    return found


@inlined
def within(corners: mat42, sign: float, point: wp.vec2):
    """Whether a point is in a polygon of four corners, which go around by the sign."""
    inside = bool(True)
    for i in range(4):
        edge = corners[(i + 1) % 4] - corners[i]
        if crossed(edge, point - corners[i]) * sign < -1.0e-6 * wp.length(edge):
            inside = False
    return inside


@inlined
def on_side(point: wp.vec3, corner: wp.vec3, up: wp.vec3, normal: wp.vec3):
    """The point of a side's plane that a normal through a point meets."""
    return point + normal * (wp.dot(corner - point, up) / wp.dot(up, normal))


@inlined
def crossing(a: mat43, b: mat43, flat_a: mat42, flat_b: mat42, i: int, j: int):
    """Where two edges cross."""
    found = Corner()
    found.is_met = False
    edge_a = flat_a[(i + 1) % 4] - flat_a[i]
    edge_b = flat_b[(j + 1) % 4] - flat_b[j]
    cross = crossed(edge_a, edge_b)
    if cross * cross > 1.0e-6 * wp.length_sq(edge_a) * wp.length_sq(edge_b):
        apart = flat_b[j] - flat_a[i]
        s = crossed(apart, edge_b) / cross
        t = crossed(apart, edge_a) / cross
        if s >= 0.0 and s <= 1.0 and t >= 0.0 and t <= 1.0:
            found.is_met = True
            found.place = flat_b[j] + edge_b * t
            found.on_a = a[i] + (a[(i + 1) % 4] - a[i]) * s
            found.on_b = b[j] + (b[(j + 1) % 4] - b[j]) * t
    return found


@inlined
def write_faces(
    out: Output, shapes: Shapes, first: int, second: int, side_a: Side, side_b: Side,
    normal: wp.vec3, most: float,
):  # fmt: skip
    """Write the contacts of two sides, as seen along the normal: how many there are.

    Those are the corners of one side on the other, and where edges cross. Nothing is written
    where all of them are farther apart than `most`.
    """
    aside = wp.vec3(1.0, 0.0, 0.0)
    if wp.abs(normal[0]) > 0.7:
        aside = wp.vec3(0.0, 1.0, 0.0)
    u = wp.normalize(wp.cross(normal, aside))
    v = wp.cross(normal, u)
    a = mat43()
    b = mat43()
    for i in range(4):
        a[i] = side_a.points[i]
        b[i] = side_b.points[i]
    flat_a = flat(a, a[0], u, v)
    flat_b = flat(b, a[0], u, v)
    up_a = wp.cross(a[1] - a[0], a[3] - a[0])
    up_b = wp.cross(b[1] - b[0], b[3] - b[0])
    found = mat82()
    points_a = mat83()
    points_b = mat83()
    nearest = float(1.0e30)
    count = int(0)
    for n in range(24):
        corner = Corner()
        if n < 4:
            corner.place = flat_a[n]
            corner.is_met = within(flat_b, wp.sign(wp.dot(up_b, normal)), flat_a[n])
            corner.on_a = a[n]
            corner.on_b = on_side(a[n], b[0], up_b, normal)
        elif n < 8:
            corner.place = flat_b[n - 4]
            corner.is_met = within(flat_a, wp.sign(wp.dot(up_a, normal)), flat_b[n - 4])
            corner.on_b = b[n - 4]
            corner.on_a = on_side(b[n - 4], a[0], up_a, normal)
        else:
            corner = crossing(a, b, flat_a, flat_b, (n - 8) / 4, n % 4)
        is_new = corner.is_met and count < MOST
        for k in range(count):
            if wp.length_sq(found[k] - corner.place) < SAME:
                is_new = False
        if is_new:
            found[count] = corner.place
            points_a[count] = corner.on_a
            points_b[count] = corner.on_b
            nearest = wp.min(nearest, wp.dot(corner.on_b - corner.on_a, normal))
            count = count + 1
    if nearest > most:
        return 0
    frame_a = body_frame(out.body_q, shapes.body[first])
    frame_b = body_frame(out.body_q, shapes.body[second])
    for k in range(count):
        write_at(out, shapes, first, second, points_a[k], points_b[k], normal, frame_a, frame_b)
    return count
