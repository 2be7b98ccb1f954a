# pyright: basic, reportInvalidTypeForm=false
"""Pairs with a triangle mesh or a height field, and vertices of meshes and hulls on planes."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.collision.convex import TRIANGLE, Convex, Meeting, core_of, farthest, meet
from unibody.newton.collision.manifold import Kept, add_manifold, keep
from unibody.newton.collision.output import (
    CONVEX_MESH,
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

# Of longer loops each round would be a copy of its own, with all that it calls.
wp.set_module_options({"enable_backward": False, "max_unroll": 3})

SAMPLES: int = wp.constant(7)  # points of a triangle that are looked at
FACING: float = wp.constant(
    0.3
)  # cosine: contacts that lean more belong to a neighbouring triangle


@wp.func
def is_mesh(kind: int):
    """Whether a shape is a surface of triangles."""
    return kind == MESH or kind == HFIELD


@wp.func
def corner(mesh: wp.uint64, scale: wp.vec3, pose: wp.transform, face: int, k: int):
    """A corner of a triangle, in the world frame."""
    data = wp.mesh_get(mesh)
    return wp.transform_point(pose, wp.cw_mul(scale, data.points[data.indices[3 * face + k]]))


@wp.func
def outward_of(scale: wp.vec3, p: wp.vec3, q: wp.vec3, r: wp.vec3):
    """The normal of a triangle in the world frame; a mirrored mesh is wound the other way."""
    return wp.normalize(wp.cross(q - p, r - p)) * wp.sign(scale[0] * scale[1] * scale[2])


@wp.func
def triangle_of(shapes: Shapes, shape: int, face: int, thick: float):
    """A triangle of a mesh, as the front of a solid."""
    core = Convex()
    core.kind = TRIANGLE
    core.radius = 0.0
    mesh = shapes.source[shape]
    scale = shapes.scale[shape]
    pose = shapes.pose[shape]
    core.p = corner(mesh, scale, pose, face, 0)
    core.q = corner(mesh, scale, pose, face, 1)
    core.r = corner(mesh, scale, pose, face, 2)
    core.behind = -outward_of(scale, core.p, core.q, core.r) * thick
    return core


@wp.func
def local_box(core: Convex, pose: wp.transform, more: float):
    """Lowest and highest corner of a convex shape in a frame, as rows."""
    low = wp.vec3()
    high = wp.vec3()
    inverse = wp.transform_inverse(pose)
    k = int(0)
    while k < 3:  # a loop over a range would be written out
        axis = wp.vec3()
        axis[k] = 1.0
        towards = wp.transform_vector(pose, axis)
        high[k] = wp.transform_point(inverse, farthest(core, towards))[k] + more
        low[k] = wp.transform_point(inverse, farthest(core, -towards))[k] - more
        k += 1
    return wp.matrix_from_rows(low, high)


@wp.func
def straight_down(core: Convex, triangle: Convex, thick: float):
    """Where a shape is deepest in a triangle, if that is over it: tips have no own side."""
    meeting = Meeting()
    meeting.found = 0
    meeting.normal = triangle.behind / thick
    meeting.on_a = farthest(core, meeting.normal) + meeting.normal * core.radius
    depth = wp.dot(meeting.on_a - triangle.p, meeting.normal)
    meeting.on_b = meeting.on_a - meeting.normal * depth
    area = wp.cross(triangle.q - triangle.p, triangle.r - triangle.p)
    u = wp.dot(wp.cross(triangle.q - triangle.p, meeting.on_b - triangle.p), area)
    v = wp.dot(wp.cross(triangle.r - triangle.q, meeting.on_b - triangle.q), area)
    w = wp.dot(wp.cross(triangle.p - triangle.r, meeting.on_b - triangle.r), area)
    least = -1.0e-4 * wp.dot(area, area)
    if u >= least and v >= least and w >= least and depth < thick:
        meeting.found = 1
    return meeting


@wp.func
def write_all(out: Output, shapes: Shapes, pair: wp.vec2i, turned: int, kept: Kept):
    """Write contacts and keep none; with `turned` their direction is that from b to a."""
    for k in range(kept.count):
        if turned == 1:
            write(out, shapes, pair[0], pair[1], kept.on_b[k], kept.on_a[k], -kept.normal[k])
        else:
            write(out, shapes, pair[0], pair[1], kept.on_a[k], kept.on_b[k], kept.normal[k])
    kept.count = 0
    return kept


@wp.func
def convex_on_mesh(
    shapes: Shapes,
    shape: int,
    surface: int,
    reach: float,
    out: Output,
    pair: wp.vec2i,
    turned: int,
):
    """Contacts of a convex shape with a mesh; directions point from the shape to the mesh."""
    kept = Kept()
    kept.count = 0
    kept.most = 12
    core = core_of(shapes, shape)
    scale = shapes.scale[surface]
    box = local_box(core, shapes.pose[surface], core.radius + reach)
    size = box[1] - box[0]
    # Not as thick as the shape: what lies wholly behind a triangle touches the other side of it.
    least = wp.min(size[0], wp.min(size[1], size[2]))
    thick = 0.5 * least
    if shapes.kind[surface] != HFIELD:  # which has no other side
        thick = wp.min(thick, wp.max(0.99 * (least - 2.0 * reach), 1.0e-2 * reach))
    low = wp.cw_div(box[0], scale)
    high = wp.cw_div(box[1], scale)
    query = wp.mesh_query_aabb(shapes.source[surface], wp.min(low, high), wp.max(low, high))
    face = int(0)
    while wp.mesh_query_aabb_next(query, face):
        triangle = triangle_of(shapes, surface, face, thick)
        meeting = meet(core, triangle, reach)
        if meeting.found == 1 and shapes.kind[surface] == HFIELD and core.kind == SPHERE:
            centre = wp.transform_get_translation(core.pose)
            if wp.dot(centre - triangle.p, triangle.behind) > 0.0:
                meeting = straight_down(core, triangle, thick)  # edges of others look aside
        if meeting.found == 1:
            depth = wp.dot(meeting.on_b - meeting.on_a, meeting.normal)
            leaning = wp.dot(meeting.normal, triangle.behind) <= FACING * thick
            if leaning or depth < 0.0:
                straight = straight_down(core, triangle, thick)
                better = wp.dot(straight.on_b - straight.on_a, straight.normal) >= depth
                if leaning or (straight.found == 1 and better):
                    meeting = straight
        if meeting.found == 1:
            kept = add_manifold(kept, core, triangle, meeting)
            if out.every == 1:
                kept = write_all(out, shapes, pair, turned, kept)
    return kept


@wp.func
def point_on_mesh(
    shapes: Shapes,
    surface: int,
    point: wp.vec3,
    facing: wp.vec3,
    reach: float,
    kept: Kept,
    turned: int,
):
    """Add the contact of a point of a triangle that looks in a direction with a mesh."""
    scale = shapes.scale[surface]
    pose = shapes.pose[surface]
    mesh = shapes.source[surface]
    local = wp.cw_div(wp.transform_point(wp.transform_inverse(pose), point), scale)
    smallest = wp.min(wp.abs(scale[0]), wp.min(wp.abs(scale[1]), wp.abs(scale[2])))
    size = wp.length(shapes.upper[surface] - shapes.lower[surface])
    query = wp.mesh_query_point_sign_normal(mesh, local, (reach + 0.25 * size) / smallest)
    if not query.result:
        return kept
    a = corner(mesh, scale, pose, query.face, 0)
    b = corner(mesh, scale, pose, query.face, 1)
    c = corner(mesh, scale, pose, query.face, 2)
    nearest = a * query.u + b * query.v + c * (1.0 - query.u - query.v)
    outward = outward_of(scale, a, b, c)
    apart = point - nearest
    distance = wp.length(apart)
    if query.sign * distance > reach:
        return kept
    if distance > 1.0e-4:
        outward = apart * (query.sign / distance)
    if wp.dot(outward, facing) > -FACING:
        return kept
    if turned == 0:
        return keep(kept, point, nearest, -outward)
    return keep(kept, nearest, point, outward)


@wp.func
def sample_point(p: wp.vec3, q: wp.vec3, r: wp.vec3, number: int):
    """A corner, an edge's middle or the centre of a triangle: ``SAMPLES`` of them."""
    if number == 0:
        return p
    if number == 1:
        return q
    if number == 2:
        return r
    if number == 3:
        return 0.5 * (p + q)
    if number == 4:
        return 0.5 * (q + r)
    if number == 5:
        return 0.5 * (r + p)
    return (p + q + r) / 3.0


@wp.func
def sample(
    shapes: Shapes,
    a: int,
    b: int,
    reach: float,
    kept: Kept,
    turned: int,
    out: Output,
    pair: wp.vec2i,
):
    """Contacts of the corners, edges' middles and centres of the triangles of a with the mesh b."""
    mesh = shapes.source[a]
    scale = shapes.scale[a]
    pose = shapes.pose[a]
    count = wp.mesh_get(mesh).indices.shape[0] / 3
    low = shapes.lower[b]
    high = shapes.upper[b]
    for face in range(count):
        p = corner(mesh, scale, pose, face, 0)
        q = corner(mesh, scale, pose, face, 1)
        r = corner(mesh, scale, pose, face, 2)
        least = wp.min(p, wp.min(q, r))
        most = wp.max(p, wp.max(q, r))
        if (
            least[0] <= high[0]
            and least[1] <= high[1]
            and least[2] <= high[2]
            and most[0] >= low[0]
            and most[1] >= low[1]
            and most[2] >= low[2]
        ):
            facing = outward_of(scale, p, q, r)
            number = int(0)
            while number < SAMPLES:  # one query in the code, not one for each
                point = sample_point(p, q, r, number)
                kept = point_on_mesh(shapes, b, point, facing, reach, kept, turned)
                if out.every == 1:
                    kept = write_all(out, shapes, pair, 0, kept)
                number += 1
    return kept


@wp.func
def vertices_on_plane(
    shapes: Shapes, plane: int, shape: int, reach: float, out: Output, pair: wp.vec2i
):
    """Contacts of the vertices of a mesh or hull with a plane."""
    kept = Kept()
    kept.count = 0
    kept.most = 12
    if shapes.kind[shape] == CONVEX_MESH:
        kept.most = 6
    frame = shapes.pose[plane]
    normal = wp.transform_vector(frame, wp.vec3(0.0, 0.0, 1.0))
    place = wp.transform_inverse(frame) * shapes.pose[shape]
    size = shapes.scale[plane]
    scale = shapes.scale[shape]
    points = wp.mesh_get(shapes.source[shape]).points
    for i in range(points.shape[0]):
        local = wp.transform_point(place, wp.cw_mul(scale, points[i]))
        beside = (size[0] > 0.0 and wp.abs(local[0]) > 0.5 * size[0]) or (
            size[1] > 0.0 and wp.abs(local[1]) > 0.5 * size[1]
        )
        if local[2] <= reach and not beside:
            foot = wp.transform_point(frame, wp.vec3(local[0], local[1], 0.0))
            kept = keep(kept, foot, wp.transform_point(frame, local), normal)
            if out.every == 1:
                kept = write_all(out, shapes, pair, 0, kept)
    return kept


@wp.func
def triangle_pair(pair: wp.vec2i, shapes: Shapes, out: Output):
    """Contacts of a pair, the lower kind first, if there are triangles."""
    a = pair[0]
    b = pair[1]
    first = shapes.kind[a]
    second = shapes.kind[b]
    on_plane = first == PLANE and (second == MESH or second == CONVEX_MESH)
    if second == NONE or not (on_plane or is_mesh(first) or is_mesh(second)):
        return
    if first == PLANE and not on_plane:
        return
    reach = reach_of(shapes, a, b)
    kept = Kept()
    kept.count = 0
    kept.most = 12
    turned = int(0)
    if on_plane:
        kept = vertices_on_plane(shapes, a, b, reach, out, pair)
    elif is_mesh(first) and is_mesh(second):
        back = int(1)
        while back >= 0:  # b on a, then a on b: one call in the code
            own = wp.where(back == 1, b, a)
            other = wp.where(back == 1, a, b)
            kept = sample(shapes, own, other, reach, kept, back, out, pair)
            back -= 1
    else:
        turned = wp.where(is_mesh(first), 1, 0)
        shape = wp.where(turned == 1, b, a)
        surface = wp.where(turned == 1, a, b)
        kept = convex_on_mesh(shapes, shape, surface, reach, out, pair, turned)
    kept = write_all(out, shapes, pair, turned, kept)


@wp.kernel
def triangle_pairs(
    pairs: wp.array(dtype=wp.vec2i),
    count: wp.array(dtype=int),
    shapes: Shapes,
    out: Output,
    threads: int,
):
    """Each thread does every so many of the pairs that may touch."""
    for i in range(wp.tid(), wp.min(count[0], pairs.shape[0]), threads):
        triangle_pair(in_order(shapes, pairs[i]), shapes, out)
