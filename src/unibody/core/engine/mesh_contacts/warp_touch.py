# pyright: basic, reportInvalidTypeForm=false
"""The contacts of a convex geom with a triangle on a Warp device: see ``touch``."""

from __future__ import annotations

import warp as wp

from unibody.core.engine.mesh_contacts import touch as cpu
from unibody.core.engine.mesh_contacts import warp_surface as on
from unibody.core.engine.mesh_contacts.contact_reduction import MOST_FOUND
from unibody.core.engine.mesh_contacts.directions import MEETING as MOST_ROUNDS
from unibody.core.engine.mesh_contacts.directions import MET as MET_SHARE
from unibody.core.engine.mesh_contacts.warp_clip import STEEP, across, over_triangle, under_side
from unibody.core.engine.mesh_contacts.warp_gjk import Near, nearest, nearest_on_triangle
from unibody.core.engine.mesh_contacts.warp_shapes import (
    CAPSULE,
    SPHERE,
    WHOLE,
    Hulls,
    Shape,
    feature,
    support,
)

FOUND: int = wp.constant(MOST_FOUND)
POINT: int = wp.constant(3)  # level at which the core is a point
ALONG_FACE: float = wp.constant(
    1e-6
)  # one less the cosine: closer directions are the face's normal
SLACK: float = wp.constant(1e-6)  # of the size, of distances along two directions that should agree
WORSE: float = wp.constant(cpu.WORSE)
MEETING: int = wp.constant(MOST_ROUNDS)
MET: float = wp.constant(MET_SHARE)
DOWN: float = wp.constant(
    -1e-3
)  # cosine to a face's normal from which on a contact is on its other side


@wp.struct
class Reach:
    """Which contacts are looked for, see ``geom_pose.Reach``; ``way`` is in the geom's frame."""

    ahead: float
    way: wp.vec3
    spin: float
    box: float


@wp.struct
class Room:
    """Memory of all threads."""

    found: wp.array3d(dtype=float)
    side: wp.array2d(dtype=wp.vec3)
    other: wp.array2d(dtype=wp.vec3)
    spare: wp.array2d(dtype=wp.vec3)
    over: wp.array2d(dtype=wp.vec4)


@wp.func
def _limit(reach: Reach, n: wp.vec3) -> float:
    return wp.max(reach.ahead, reach.spin - wp.dot(reach.way, n))


@wp.func
def _write(found: wp.array2d(dtype=float), row: int, base: wp.vec3, n: wp.vec3, distance: float):
    for k in range(3):
        found[row, k] = base[k] + 0.5 * distance * n[k]
        found[row, 3 + k] = n[k]
    found[row, 6] = distance
    found[row, 7] = 0.0


@wp.func
def _direction(shape: Shape, hulls: Hulls, t: wp.mat33) -> Near:
    """From the triangle to the core, drawn in as far as it takes."""
    if shape.kind != SPHERE:
        first = wp.where(shape.kind == CAPSULE, WHOLE, WHOLE + 1)
        for level in range(first, POINT):
            near = nearest(shape, hulls, level, t)
            if near.length > 0.0:
                return near
    point = Near()
    point.shares = nearest_on_triangle(t[0], t[1], t[2])
    point.vector = -(point.shares[0] * t[0] + point.shares[1] * t[1] + point.shares[2] * t[2])
    point.length = wp.length(point.vector)
    return point


@wp.func
def _separation(shape: Shape, hulls: Hulls, t: wp.mat33, n: wp.vec3) -> float:
    """Distance of the geom from a triangle along a direction."""
    top = wp.max(wp.dot(n, t[0]), wp.max(wp.dot(n, t[1]), wp.dot(n, t[2])))
    return wp.dot(n, support(shape, hulls, WHOLE, -n)) - shape.radius - top


@wp.func
def _direction_met(
    shape: Shape, hulls: Hulls, t: wp.mat33, reach: Reach, now: Near, own: wp.vec3
) -> Near:
    """From the triangle to the core when the two meet, see ``touch``; length -1: they do not."""
    close = wp.max(reach.ahead, reach.spin)
    near = now
    moved = t
    gone = float(0.0)
    met = float(-1.0)
    rounds = int(0)
    while rounds < MEETING:  # a loop over a range would be written out, all of GJK in each round
        rounds += 1
        n = near.vector / near.length
        if wp.abs(wp.dot(n, own)) > 1.0 - ALONG_FACE:
            return near
        gap = _separation(shape, hulls, moved, n) - close
        if met < 0.0:
            met = wp.max(MET * gap, 0.0)
        if gap <= met:
            return near
        closing = -wp.dot(n, reach.way)
        if gap > (1.0 - gone) * closing:
            near.length = -1.0
            return near
        gone += gap / closing
        way = gone * reach.way
        a = t[0] - way
        b = t[1] - way
        c = t[2] - way
        moved = wp.mat33(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])
        near = _direction(shape, hulls, moved)
        if near.length <= 0.0:
            return near
    return near


@wp.func
def _spread(
    shape: Shape,
    hulls: Hulls,
    reach: Reach,
    room: Room,
    slot: int,
    t: wp.mat33,
    n: wp.vec3,
    floor: float,
    own: wp.vec3,
    height: float,
    count: int,
) -> int:
    """Add the contacts of the geom's side over the triangle, see ``touch``."""
    limit = _limit(reach, n)
    u = across(n)
    v = wp.cross(n, u)
    side = room.side[slot]
    other = room.other[slot]
    spare = room.spare[slot]
    over = room.over[slot]
    found = room.found[slot]
    corners = feature(shape, hulls, -n, side)
    for i in range(corners):
        p = side[i]
        side[i] = wp.vec3(wp.dot(u, p), wp.dot(v, p), wp.dot(n, p))
    frame = wp.mat33(u[0], u[1], u[2], v[0], v[1], v[2], n[0], n[1], n[2])
    a = frame @ t[0]
    b = frame @ t[1]
    c = frame @ t[2]
    cosine = wp.dot(n, own)
    rows = int(0)
    if wp.abs(cosine) >= STEEP:
        slope = wp.vec3(height / cosine, -wp.dot(own, u) / cosine, -wp.dot(own, v) / cosine)
        flat = wp.mat33(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])
        rows = over_triangle(side, corners, flat, slope, other, over)
    elif corners > 2:
        other[0] = b  # the triangle's two upper corners
        other[1] = c
        if b[2] < a[2] and b[2] <= c[2]:
            other[0] = c
            other[1] = a
        elif c[2] < a[2]:
            other[0] = a
            other[1] = b
        rows = under_side(side, corners, other, spare, over)
    made = int(count)
    for i in range(rows):
        place = over[i]
        distance = place[2] - shape.radius - place[3]
        if floor <= distance and distance <= limit and made < FOUND:
            _write(found, made, place[0] * u + place[1] * v + place[3] * n, n, distance)
            made += 1
    if rows > 0 and made == count:
        return -1
    return made


@wp.func
def touch(
    s: on.Surface,
    here: on.Placed,
    shape: Shape,
    hulls: Hulls,
    reach: Reach,
    room: Room,
    slot: int,
    face: int,
    t: wp.mat33,
    own: wp.vec3,
    count: int,
) -> int:
    """Add the contacts with a triangle, in the frame of the geom; returns the new number.

    Args:
        s: The surface.
        here: Where the geom is.
        shape: The geom.
        hulls: All meshes.
        reach: What to look for.
        room: Memory.
        slot: Which part of it is this thread's.
        face: Which triangle.
        t: Its corners as rows.
        own: Its unit normal.
        count: Contacts so far.
    """
    height = wp.dot(own, t[0])
    below = height - wp.dot(own, support(shape, hulls, WHOLE, own)) - shape.radius
    above = wp.dot(own, support(shape, hulls, WHOLE, -own)) - shape.radius - height
    if above > _limit(reach, own) or below > _limit(reach, -own):
        return count
    near = _direction(shape, hulls, t)
    if near.length > wp.max(reach.ahead, reach.spin):
        near = _direction_met(shape, hulls, t, reach, near, own)
        if near.length < 0.0:
            return count
    n = own
    if near.length > 0.0:
        n = near.vector / near.length
    cosine = wp.dot(n, own)
    sign = wp.where(cosine > 0.0 or (cosine == 0.0 and height < 0.0), 1.0, -1.0)
    face_distance = wp.where(sign > 0.0, above, below)
    least = wp.min(near.shares[0], wp.min(near.shares[1], near.shares[2]))
    on_face = wp.abs(cosine) > 1.0 - ALONG_FACE or least > on.SHARE
    lowest = on_face or on.is_lowest(s, here, face, near.shares, here.turn @ n)
    if on_face:
        n = sign * own
    elif not lowest and shape.kind == SPHERE:
        return count
    distance = _separation(shape, hulls, t, n)
    if distance > _limit(reach, n):
        return count
    floor = float(-1e30)
    if not lowest or face_distance > distance + WORSE * here.size:
        lowest = bool(False)
        floor = distance - SLACK * here.size
        n = sign * own
        if face_distance > _limit(reach, n):
            return count
    if shape.kind != SPHERE:
        made = _spread(shape, hulls, reach, room, slot, t, n, floor, own, height, count)
        if made != count or not lowest:
            return wp.max(made, count)
    base = near.shares[0] * t[0] + near.shares[1] * t[1] + near.shares[2] * t[2]
    _write(room.found[slot], count, base, n, distance)
    return count + 1
