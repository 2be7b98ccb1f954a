# pyright: basic, reportInvalidTypeForm=false
"""Where edges and triangles of soft bodies are nearest to a shape, or deepest in it.

Distances to solids without dents are convex along segments, so that golden sections find their
least value: along an edge, and in a triangle along lines through a corner. Where many points are as
deep as one another, as in a box that a flat triangle lies on, the one nearest to the middle of
those is taken. Meshes and height fields may have dents: there the nearest points to their edges
(for edges) and corners (for triangles) are looked at one by one.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.collision.output import CONVEX_MESH, HFIELD, MESH, PLANE
from unibody.newton.collision.soft_contacts import of_shape

_CUTS = wp.constant(18)  # sections of an edge: of its length 2e-4 is left
_SAMPLES = wp.constant(6)  # of an edge
_GOLDEN = wp.constant(0.6180339887)
_FLAT = wp.constant(1.0e-4)  # slope that counts as none
_FIRM = wp.constant(64.0)  # what a point beside a rectangle is worth more than one below it


@wp.struct
class Solid:
    """A shape that is looked at.

    Attributes:
        kind: Of its geometry.
        scale: Its sizes.
        mesh: Its mesh, if it has one.
        depth: How deep below a rectangle a point is still below it [m].
        far: How far a mesh is looked for [m].
    """

    kind: int
    scale: wp.vec3
    mesh: wp.uint64
    depth: float
    far: float


@wp.func
def is_faceted(kind: int) -> bool:
    """Whether a shape consists of triangles."""
    return kind == MESH or kind == CONVEX_MESH or kind == HFIELD


@wp.func
def is_sheet(solid: Solid) -> bool:
    """Whether a shape is a rectangle."""
    return solid.kind == PLANE and solid.scale[0] > 0.0 and solid.scale[1] > 0.0


@wp.func
def beside(solid: Solid, x: wp.vec3) -> float:
    """How far a point is beside a rectangle, along it [m]."""
    over = wp.vec2(
        wp.max(wp.abs(x[0]) - 0.5 * solid.scale[0], 0.0),
        wp.max(wp.abs(x[1]) - 0.5 * solid.scale[1], 0.0),
    )
    return wp.length(over)


@wp.func
def off_mesh(solid: Solid, x: wp.vec3) -> wp.vec4:
    """Direction and distance of a mesh at a point; a point on a triangle has its normal."""
    scale = solid.scale
    smallest = wp.min(wp.abs(scale[0]), wp.min(wp.abs(scale[1]), wp.abs(scale[2])))
    query = wp.mesh_query_point_sign_normal(solid.mesh, wp.cw_div(x, scale), solid.far / smallest)
    if not query.result:
        return wp.vec4(0.0, 0.0, 1.0, 1.0e6)
    nearest = wp.cw_mul(wp.mesh_eval_position(solid.mesh, query.face, query.u, query.v), scale)
    apart = x - nearest
    distance = wp.length(apart)
    n = wp.normalize(wp.cw_div(wp.mesh_eval_face_normal(solid.mesh, query.face), scale))
    if distance > 1.0e-6:
        n = apart * (query.sign / distance)
    return wp.vec4(n[0], n[1], n[2], distance * query.sign)


@wp.func
def off_sheet(solid: Solid, x: wp.vec3) -> wp.vec4:
    """Direction and distance of a rectangle: a point just below it is in it."""
    room = 1.0e-3 * wp.max(solid.scale[0], solid.scale[1])
    if beside(solid, x) <= room and x[2] >= -solid.depth:
        return wp.vec4(0.0, 0.0, 1.0, x[2])
    half = 0.5 * solid.scale
    nearest = wp.vec3(wp.clamp(x[0], -half[0], half[0]), wp.clamp(x[1], -half[1], half[1]), 0.0)
    distance = wp.length(x - nearest)
    n = wp.vec3(0.0, 0.0, 1.0)
    if distance > 0.0:
        n = (x - nearest) / distance
    return wp.vec4(n[0], n[1], n[2], distance)


@wp.func
def off(solid: Solid, x: wp.vec3) -> wp.vec4:
    """Direction and signed distance of a shape at a point of its frame."""
    if is_faceted(solid.kind):
        return off_mesh(solid, x)
    if is_sheet(solid):
        return off_sheet(solid, x)
    return of_shape(solid.kind, solid.scale, solid.mesh, x, solid.far)


@wp.func
def height(solid: Solid, x: wp.vec3) -> float:
    """What is least where a point is nearest or deepest, and convex."""
    if is_sheet(solid):
        return x[2] + _FIRM * beside(solid, x)
    return of_shape(solid.kind, solid.scale, solid.mesh, x, solid.far)[3]


@wp.func
def worth(solid: Solid, x: wp.vec3, middle: wp.vec3, size: float) -> float:
    """`height`, and a little more away from a middle."""
    return height(solid, x) + _FLAT * wp.length_sq(x - middle) / size


@wp.func
def along_segment(solid: Solid, a: wp.vec3, b: wp.vec3, middle: wp.vec3, size: float) -> float:
    """Share of the way from a to b at which a segment is nearest to a shape."""
    low = float(0.0)
    high = float(1.0)
    u = 1.0 - _GOLDEN
    v = float(_GOLDEN)
    at_u = worth(solid, a + u * (b - a), middle, size)
    at_v = worth(solid, a + v * (b - a), middle, size)
    for _ in range(int(_CUTS)):
        if at_u < at_v:
            high = v
            v = u
            at_v = at_u
            u = high - _GOLDEN * (high - low)
            at_u = worth(solid, a + u * (b - a), middle, size)
        else:
            low = u
            u = v
            at_u = at_v
            v = low + _GOLDEN * (high - low)
            at_v = worth(solid, a + v * (b - a), middle, size)
    found = 0.5 * (low + high)
    least = worth(solid, a + found * (b - a), middle, size)
    if worth(solid, a, middle, size) < least:
        found = 0.0
        least = worth(solid, a, middle, size)
    if worth(solid, b, middle, size) < least:
        found = 1.0
    return found


@wp.func
def middle_of_least(solid: Solid, a: wp.vec3, b: wp.vec3, c: wp.vec3, size: float) -> wp.vec3:
    """Middle of those of some points of a triangle that are hardly less deep than the deepest."""
    least = float(1.0e30)
    total = wp.vec3()
    count = float(0.0)
    for i in range(int(_SAMPLES) + 1):
        for j in range(int(_SAMPLES) + 1 - i):
            u = float(i) / float(_SAMPLES)
            v = float(j) / float(_SAMPLES)
            x = a + u * (b - a) + v * (c - a)
            h = height(solid, x)
            if h < least - _FLAT * size:
                total = wp.vec3()
                count = 0.0
                least = h
            if h < least + _FLAT * size:
                total += x
                count += 1.0
    return total / count


@wp.func
def on_edge(solid: Solid, a: wp.vec3, b: wp.vec3) -> float:
    """Share of the way from a to b at which an edge is nearest to a solid without dents."""
    size = wp.max(wp.length(b - a), 1.0e-9)
    middle = middle_of_least(solid, a, b, a, size)
    return along_segment(solid, a, b, middle, size)


@wp.func
def across(
    solid: Solid, a: wp.vec3, b: wp.vec3, c: wp.vec3, u: float, middle: wp.vec3, size: float
) -> wp.vec2:
    """Along the line from a point of the side a-b to c: the least worth, and where it is."""
    e = a + u * (b - a)
    v = along_segment(solid, e, c, middle, size)
    return wp.vec2(worth(solid, e + v * (c - e), middle, size), v)


@wp.func
def on_triangle(solid: Solid, a: wp.vec3, b: wp.vec3, c: wp.vec3) -> wp.vec3:
    """Shares of the corners at the point of a triangle that is nearest to a solid without dents."""
    size = wp.max(wp.length(b - a), wp.max(wp.length(c - a), 1.0e-9))
    middle = middle_of_least(solid, a, b, c, size)
    low = float(0.0)
    high = float(1.0)
    u = 1.0 - _GOLDEN
    v = float(_GOLDEN)
    at_u = across(solid, a, b, c, u, middle, size)
    at_v = across(solid, a, b, c, v, middle, size)
    for _ in range(int(_CUTS)):
        if at_u[0] < at_v[0]:
            high = v
            v = u
            at_v = at_u
            u = high - _GOLDEN * (high - low)
            at_u = across(solid, a, b, c, u, middle, size)
        else:
            low = u
            u = v
            at_u = at_v
            v = low + _GOLDEN * (high - low)
            at_v = across(solid, a, b, c, v, middle, size)
    s = 0.5 * (low + high)
    best = across(solid, a, b, c, s, middle, size)
    first = across(solid, a, b, c, 0.0, middle, size)
    if first[0] < best[0]:
        s = 0.0
        best = first
    last = across(solid, a, b, c, 1.0, middle, size)
    if last[0] < best[0]:
        s = 1.0
        best = last
    return wp.vec3((1.0 - s) * (1.0 - best[1]), s * (1.0 - best[1]), best[1])


@wp.func
def corner_of(solid: Solid, face: int, corner: int) -> wp.vec3:
    """Corner of a triangle of a mesh [m]."""
    return wp.cw_mul(wp.mesh_get_point(solid.mesh, 3 * face + corner), solid.scale)


@wp.func
def towards_segment(a: wp.vec3, b: wp.vec3, p: wp.vec3, q: wp.vec3) -> float:
    """Share of the way from a to b at which two segments are nearest to one another."""
    return wp.closest_point_edge_edge(a, b, p, q, 1.0e-7)[0]


@wp.func
def towards_point(a: wp.vec3, b: wp.vec3, c: wp.vec3, p: wp.vec3) -> wp.vec3:
    """Shares of the corners where the plane of a triangle is nearest to a point; may be below 0."""
    ab = b - a
    ac = c - a
    n = wp.cross(ab, ac)
    area = wp.dot(n, n)
    if area < 1.0e-20:
        return wp.vec3(-1.0)
    v = wp.dot(wp.cross(p - a, ac), n) / area
    w = wp.dot(wp.cross(ab, p - a), n) / area
    return wp.vec3(1.0 - v - w, v, w)
