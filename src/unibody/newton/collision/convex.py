# pyright: basic, reportInvalidTypeForm=false
"""Distance and depth of two convex shapes, by their farthest points in a direction.

Shapes that are apart: the algorithm of Gilbert, Johnson and Keerthi. Shapes that overlap: Minkowski
portal refinement (Snethen, XenoCollide). Both work on cores: a sphere is a point, a capsule a
segment, and their radius is taken off afterwards.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.collision.output import (
    BOX,
    CAPSULE,
    CONE,
    CONVEX_MESH,
    CYLINDER,
    ELLIPSOID,
    SPHERE,
    Shapes,
)
from unibody.newton.launching import inlined

wp.set_module_options({"enable_backward": False})

TRIANGLE: int = wp.constant(100)
mat43: type = wp.types.matrix(shape=(4, 3), dtype=float)


@wp.struct
class Convex:
    """A convex core: its kind, size, mesh and pose; a triangle has corners in place of a size."""

    kind: int
    scale: wp.vec3
    mesh: wp.uint64
    pose: wp.transform
    p: wp.vec3
    q: wp.vec3
    r: wp.vec3
    behind: wp.vec3
    radius: float


@wp.struct
class Meeting:
    """Where two shapes meet: the direction from a to b, and a point on each surface."""

    normal: wp.vec3
    on_a: wp.vec3
    on_b: wp.vec3
    found: int


@inlined
def core_of(shapes: Shapes, shape: int):
    """The core of a shape."""
    core = Convex()
    core.kind = shapes.kind[shape]
    core.scale = shapes.scale[shape]
    core.mesh = shapes.source[shape]
    core.pose = shapes.pose[shape]
    core.radius = 0.0
    if core.kind == SPHERE or core.kind == CAPSULE:
        core.radius = core.scale[0]
    return core


@wp.func
def farthest_of_mesh(mesh: wp.uint64, scale: wp.vec3, d: wp.vec3):
    """The vertex of a mesh that is farthest in a direction."""
    points = wp.mesh_get(mesh).points
    towards = wp.cw_mul(scale, d)
    best = int(0)
    most = wp.dot(points[0], towards)
    for i in range(1, points.shape[0]):
        far = wp.dot(points[i], towards)
        if far > most:
            most = far
            best = i
    return wp.cw_mul(points[best], scale)


@wp.func
def farthest_of_cone(radius: float, half: float, d: wp.vec3):
    """The tip of a cone, or a point of its rim."""
    flat = wp.vec3(d[0], d[1], 0.0)
    length = wp.length(flat)
    if half * d[2] >= radius * length - half * d[2]:
        return wp.vec3(0.0, 0.0, half)
    if length > 0.0:
        flat = flat * (radius / length)
    return wp.vec3(flat[0], flat[1], -half)


@wp.func
def barrel_radius_at(size: wp.vec3, height: float):
    """The radius of a barrel at a height: its side is an arc that ends at both rims."""
    arc = size[2]
    return size[0] + wp.sqrt(arc * arc - height * height) - wp.sqrt(arc * arc - size[1] * size[1])


@wp.func
def farthest_of_cylinder(size: wp.vec3, d: wp.vec3):
    """A point of the rim of a cylinder, or of the bulge of a barrel."""
    flat = wp.vec3(d[0], d[1], 0.0)
    length = wp.length(flat)
    height = size[1]
    if d[2] < 0.0:
        height = -size[1]
    radius = size[0]
    if size[2] > 0.0:
        height = wp.clamp(size[2] * d[2] / wp.max(wp.length(d), 1.0e-12), -size[1], size[1])
        radius = barrel_radius_at(size, height)
    point = wp.vec3(0.0, 0.0, height)
    if length > 0.0:
        point = point + flat * (radius / length)
    return point


@wp.func
def farthest(core: Convex, direction: wp.vec3):
    """The point of a core that is farthest in a direction, in the world frame."""
    if core.kind == TRIANGLE:
        best = core.p
        if wp.dot(core.q, direction) > wp.dot(best, direction):
            best = core.q
        if wp.dot(core.r, direction) > wp.dot(best, direction):
            best = core.r
        if wp.dot(core.behind, direction) > 0.0:
            best = best + core.behind
        return best
    d = wp.quat_rotate_inv(wp.transform_get_rotation(core.pose), direction)
    s = core.scale
    point = wp.vec3()
    if core.kind == BOX:
        for k in range(3):
            point[k] = s[k]
            if d[k] < 0.0:
                point[k] = -s[k]
    elif core.kind == CAPSULE:
        point = wp.vec3(0.0, 0.0, s[1])
        if d[2] < 0.0:
            point = -point
    elif core.kind == CYLINDER:
        point = farthest_of_cylinder(s, d)
    elif core.kind == ELLIPSOID:
        stretched = wp.cw_mul(s, d)
        point = wp.cw_mul(s, stretched) / wp.max(wp.length(stretched), 1.0e-12)
    elif core.kind == CONE:
        point = farthest_of_cone(s[0], s[1], d)
    elif core.kind == CONVEX_MESH:
        point = farthest_of_mesh(core.mesh, s, d)
    return wp.transform_point(core.pose, point)


@wp.func
def centre_of(core: Convex):
    """A point inside a core."""
    if core.kind == TRIANGLE:
        return (core.p + core.q + core.r) / 3.0 + core.behind * 0.5
    if core.kind == CONVEX_MESH:
        points = wp.mesh_get(core.mesh).points
        total = wp.vec3()
        for i in range(points.shape[0]):
            total = total + points[i]
        return wp.transform_point(core.pose, wp.cw_mul(total / float(points.shape[0]), core.scale))
    return wp.transform_get_translation(core.pose)


@wp.func
def weights_of_segment(a: wp.vec3, b: wp.vec3):
    """Weights of the point of a segment that is nearest to the origin."""
    ab = b - a
    t = wp.clamp(-wp.dot(a, ab) / wp.max(wp.dot(ab, ab), 1.0e-30), 0.0, 1.0)
    return wp.vec2(1.0 - t, t)


@wp.func
def weights_of_triangle(a: wp.vec3, b: wp.vec3, c: wp.vec3):
    """Weights of the point of a triangle that is nearest to the origin."""
    normal = wp.cross(b - a, c - a)
    square = wp.dot(normal, normal)
    if square > 1.0e-30:
        u = wp.dot(wp.cross(b, c), normal)
        v = wp.dot(wp.cross(c, a), normal)
        w = wp.dot(wp.cross(a, b), normal)
        if u >= 0.0 and v >= 0.0 and w >= 0.0:
            return wp.vec3(u, v, w) / (u + v + w)
    ab = weights_of_segment(a, b)
    bc = weights_of_segment(b, c)
    ca = weights_of_segment(c, a)
    best = wp.vec3(ab[0], ab[1], 0.0)
    nearest = wp.length_sq(a * ab[0] + b * ab[1])
    far = wp.length_sq(b * bc[0] + c * bc[1])
    if far < nearest:
        nearest = far
        best = wp.vec3(0.0, bc[0], bc[1])
    if wp.length_sq(c * ca[0] + a * ca[1]) < nearest:
        best = wp.vec3(ca[1], 0.0, ca[0])
    return best


@wp.func
def weights_of_simplex(w: mat43, count: int):
    """Weights of the point of a simplex that is nearest to the origin; all four: it is inside."""
    if count == 1:
        return wp.vec4(1.0, 0.0, 0.0, 0.0)
    if count == 2:
        two = weights_of_segment(w[0], w[1])
        return wp.vec4(two[0], two[1], 0.0, 0.0)
    if count == 3:
        three = weights_of_triangle(w[0], w[1], w[2])
        return wp.vec4(three[0], three[1], three[2], 0.0)
    best = wp.vec4(0.25, 0.25, 0.25, 0.25)
    nearest = float(1.0e30)
    for apex in range(4):
        i = (apex + 1) % 4
        j = (apex + 2) % 4
        k = (apex + 3) % 4
        normal = wp.cross(w[j] - w[i], w[k] - w[i])
        height = wp.dot(w[apex] - w[i], normal)
        if wp.dot(-w[i], normal) * wp.sign(height) <= 0.0 or height == 0.0:
            three = weights_of_triangle(w[i], w[j], w[k])
            far = wp.length_sq(w[i] * three[0] + w[j] * three[1] + w[k] * three[2])
            if far < nearest:
                nearest = far
                best = wp.vec4()
                best[i] = three[0]
                best[j] = three[1]
                best[k] = three[2]
    return best


@wp.func
def nearest_points(a: Convex, b: Convex):
    """Nearest points of two cores that are apart; `found` is 0 where they touch or overlap."""
    w = mat43()
    p = mat43()
    meeting = Meeting()
    meeting.found = 0
    v = centre_of(a) - centre_of(b)
    if wp.length_sq(v) < 1.0e-12:
        v = wp.vec3(1.0, 0.0, 0.0)
    count = int(0)
    for step in range(32):
        on_a = farthest(a, -v)
        on_b = farthest(b, v)
        support = on_a - on_b
        square = wp.length_sq(v)
        if step > 0 and square - wp.dot(v, support) <= 1.0e-6 * square:
            break
        known = int(0)
        for i in range(count):
            if wp.length_sq(w[i] - support) <= 1.0e-14:
                known = int(1)
        if known == 1:
            break
        w[count] = support
        p[count] = on_a
        count = count + 1
        weights = weights_of_simplex(w, count)
        kept = int(0)
        v = wp.vec3()
        on_a = wp.vec3()
        for i in range(count):
            if weights[i] > 0.0:
                v = v + w[i] * weights[i]
                on_a = on_a + p[i] * weights[i]
                w[kept] = w[i]
                p[kept] = p[i]
                kept = kept + 1
        count = kept
        meeting.on_a = on_a
        if kept == 4 or wp.length_sq(v) < 1.0e-12:
            return meeting
    distance = wp.length(v)
    meeting.normal = -v / distance
    meeting.on_b = meeting.on_a - v
    meeting.found = 1
    return meeting


@wp.func
def difference(a: Convex, b: Convex, d: wp.vec3, more: float):
    """The farthest point of the difference of two cores, each bigger by half of `more`."""
    return farthest(a, d) - farthest(b, -d) + d * (more / wp.max(wp.length(d), 1.0e-12))


@wp.struct
class Portal:
    """A triangle of the surface of the difference of two cores, and a point inside it."""

    v0: wp.vec3
    v1: wp.vec3
    v2: wp.vec3
    v3: wp.vec3
    normal: wp.vec3
    found: int


@wp.func
def portal_through(portal: Portal, a: Convex, b: Convex, more: float):
    """Turn a portal until the ray from its point inside through the origin goes through it."""
    v0 = portal.v0
    v1 = portal.v1
    v2 = portal.v2
    v3 = wp.vec3()
    n = wp.cross(v1 - v0, v2 - v0)
    if wp.dot(n, v0) > 0.0:
        v1 = portal.v2
        v2 = portal.v1
        n = -n
    for _i in range(32):
        n = wp.normalize(n)
        v3 = difference(a, b, n, more)
        if wp.dot(v3, n) <= 0.0:
            return portal
        if wp.dot(wp.cross(v1, v3), v0) < 0.0:
            v2 = v3
            n = wp.cross(v1 - v0, v3 - v0)
        elif wp.dot(wp.cross(v3, v2), v0) < 0.0:
            v1 = v3
            n = wp.cross(v3 - v0, v2 - v0)
        else:
            portal.found = 1
            break
    portal.v1 = v1
    portal.v2 = v2
    portal.v3 = v3
    return portal


@wp.func
def portal_at_surface(portal: Portal, a: Convex, b: Convex, more: float):
    """Push a portal outwards until it is part of the surface; found: the origin is inside."""
    v0 = portal.v0
    v1 = portal.v1
    v2 = portal.v2
    v3 = portal.v3
    portal.found = 0
    for _i in range(40):
        n = wp.cross(v2 - v1, v3 - v1)
        if wp.length_sq(n) < 1.0e-20:
            break
        n = wp.normalize(n)
        if wp.dot(n, v1) >= 0.0:
            portal.found = 1
        portal.normal = n
        v4 = difference(a, b, n, more)
        if wp.dot(v4, n) < 0.0:
            portal.found = 0
            return portal
        if wp.dot(v4 - v3, n) <= 1.0e-6:
            break
        across = wp.cross(v4, v0)
        if wp.dot(v1, across) > 0.0:
            if wp.dot(v2, across) > 0.0:
                v1 = v4
            else:
                v3 = v4
        elif wp.dot(v3, across) > 0.0:
            v2 = v4
        else:
            v1 = v4
    return portal


@wp.func
def depth_of_overlap(a: Convex, b: Convex, more: float):
    """The direction from a to b in which cores, bigger by `more`, overlap least, as a Meeting."""
    meeting = Meeting()
    meeting.found = 0
    portal = Portal()
    portal.found = 0
    portal.v0 = centre_of(a) - centre_of(b)
    if wp.length_sq(portal.v0) < 1.0e-12:
        portal.v0 = wp.vec3(1.0e-5, 0.0, 0.0)
    n = wp.normalize(-portal.v0)
    portal.v1 = difference(a, b, n, more)
    if wp.dot(portal.v1, n) <= 0.0:
        return meeting
    n = wp.cross(portal.v1, portal.v0)
    if wp.length_sq(n) < 1.0e-14 * wp.length_sq(portal.v0) * wp.length_sq(portal.v1):
        meeting.normal = wp.normalize(-portal.v0)
        meeting.found = 1
        return meeting
    n = wp.normalize(n)
    portal.v2 = difference(a, b, n, more)
    if wp.dot(portal.v2, n) <= 0.0:
        return meeting
    portal = portal_through(portal, a, b, more)
    if portal.found == 1:
        portal = portal_at_surface(portal, a, b, more)
        meeting.normal = portal.normal
        meeting.found = portal.found
    return meeting


@wp.func
def meet(a: Convex, b: Convex, reach: float):
    """Where two shapes meet, if their surfaces are not farther apart than `reach`.

    Directions of nearest points lose their digits where cores touch; there the depth of cores that
    are bigger by a millimetre has them.
    """
    meeting = nearest_points(a, b)
    if meeting.found == 1:
        distance = wp.length(meeting.on_b - meeting.on_a)
        if distance - a.radius - b.radius > reach:
            meeting.found = 0
            return meeting
        if distance < 1.0e-3:
            meeting.found = 0
    if meeting.found == 0:
        deep = depth_of_overlap(a, b, 2.0e-3)
        if deep.found == 0:
            return deep
        meeting = deep
        meeting.on_a = farthest(a, deep.normal)
        meeting.on_b = farthest(b, -deep.normal)
        # One of the two may lie on a face, whose farthest point is any: take the other's place.
        meeting.on_b = meeting.on_a + deep.normal * wp.dot(meeting.on_b - meeting.on_a, deep.normal)
    meeting.found = 1
    meeting.on_a = meeting.on_a + meeting.normal * a.radius
    meeting.on_b = meeting.on_b - meeting.normal * b.radius
    return meeting
