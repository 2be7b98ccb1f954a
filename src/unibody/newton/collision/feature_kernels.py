# pyright: basic, reportInvalidTypeForm=false
"""Contacts of edges and triangles of soft bodies with shapes."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.collision.feature_point_kernels import (
    Solid,
    corner_of,
    is_faceted,
    is_sheet,
    off,
    on_edge,
    on_triangle,
    towards_point,
    towards_segment,
)
from unibody.newton.collision.soft_contacts import COLLIDES

_INSIDE = wp.constant(1.0e-4)  # share from which on a point is no corner


@wp.struct
class Scene:
    """Particles and shapes.

    Attributes:
        particle_q: Places of particles [m].
        particle_radius: m.
        body_q: Poses of bodies.
        shape_transform: Poses of shapes in their bodies.
        shape_body: Of each shape, or -1.
        shape_type: Kind of each shape.
        shape_scale: Its sizes.
        shape_source: Its mesh.
        shape_flags: What it collides with.
        shape_margin: From how far on it touches [m].
        gap: From how much farther on there are contacts [m].
    """

    particle_q: wp.array(dtype=wp.vec3)
    particle_radius: wp.array(dtype=float)
    body_q: wp.array(dtype=wp.transform)
    shape_transform: wp.array(dtype=wp.transform)
    shape_body: wp.array(dtype=int)
    shape_type: wp.array(dtype=int)
    shape_scale: wp.array(dtype=wp.vec3)
    shape_source: wp.array(dtype=wp.uint64)
    shape_flags: wp.array(dtype=int)
    shape_margin: wp.array(dtype=float)
    gap: float


@wp.struct
class Found:
    """Where contacts are written; see `Contacts`."""

    most: int
    count: wp.array(dtype=int)
    particle: wp.array(dtype=int)
    indices: wp.array(dtype=wp.vec3i)
    barycentric: wp.array(dtype=wp.vec3)
    shape: wp.array(dtype=int)
    body_pos: wp.array(dtype=wp.vec3)
    body_vel: wp.array(dtype=wp.vec3)
    normal: wp.array(dtype=wp.vec3)


@wp.func
def pose_of(scene: Scene, shape: int) -> wp.transform:
    """Pose of a shape in the world."""
    pose = scene.shape_transform[shape]
    if scene.shape_body[shape] >= 0:
        pose = scene.body_q[scene.shape_body[shape]] * pose
    return pose


@wp.func
def solid_of(scene: Scene, shape: int, reach: float, size: float) -> Solid:
    """A shape, looked at from a feature of a size."""
    solid = Solid()
    solid.kind = scene.shape_type[shape]
    solid.scale = scene.shape_scale[shape]
    solid.mesh = scene.shape_source[shape]
    solid.depth = reach
    solid.far = reach + size
    return solid


@wp.func
def write(
    found: Found,
    scene: Scene,
    shape: int,
    corners: wp.vec3i,
    shares: wp.vec3,
    x: wp.vec3,
    off_shape: wp.vec4,
):
    """Write a contact at a point of the shape's frame."""
    i = wp.atomic_add(found.count, 0, 1)
    if i >= found.most:
        return
    direction = wp.vec3(off_shape[0], off_shape[1], off_shape[2])
    found.particle[i] = -1
    found.indices[i] = corners
    found.barycentric[i] = shares
    found.shape[i] = shape
    on_shape = x - off_shape[3] * direction
    found.body_pos[i] = wp.transform_point(scene.shape_transform[shape], on_shape)
    found.body_vel[i] = wp.vec3()
    found.normal[i] = wp.transform_vector(pose_of(scene, shape), direction)


@wp.func
def near_mesh_edges(solid: Solid, a: wp.vec3, b: wp.vec3, reach: float) -> float:
    """Share of an edge at which it is deepest near an edge of a mesh; below 0: nowhere."""
    margin = wp.vec3(reach)
    query = wp.mesh_query_aabb(
        solid.mesh,
        lower_of(wp.min(a, b) - margin, wp.max(a, b) + margin, solid.scale),
        upper_of(wp.min(a, b) - margin, wp.max(a, b) + margin, solid.scale),
    )
    face = int(0)
    found = float(-1.0)
    least = float(reach)
    while wp.mesh_query_aabb_next(query, face):
        for k in range(3):
            u = towards_segment(
                a, b, corner_of(solid, face, k), corner_of(solid, face, (k + 1) % 3)
            )
            if u > _INSIDE and u < 1.0 - _INSIDE:
                height = off(solid, a + u * (b - a))[3]
                if height < least:
                    least = height
                    found = u
    return found


@wp.func
def lower_of(low: wp.vec3, high: wp.vec3, scale: wp.vec3) -> wp.vec3:
    """Lower corner of a box in the frame of a mesh without its scale, which may mirror."""
    return wp.min(wp.cw_div(low, scale), wp.cw_div(high, scale))


@wp.func
def upper_of(low: wp.vec3, high: wp.vec3, scale: wp.vec3) -> wp.vec3:
    """Upper corner of that box."""
    return wp.max(wp.cw_div(low, scale), wp.cw_div(high, scale))


@wp.func
def near_mesh_corners(solid: Solid, a: wp.vec3, b: wp.vec3, c: wp.vec3, reach: float) -> wp.vec3:
    """Shares of a triangle at which it is deepest near a corner of a mesh; below 0: nowhere."""
    low = wp.min(a, wp.min(b, c)) - wp.vec3(reach)
    high = wp.max(a, wp.max(b, c)) + wp.vec3(reach)
    query = wp.mesh_query_aabb(
        solid.mesh, lower_of(low, high, solid.scale), upper_of(low, high, solid.scale)
    )
    face = int(0)
    found = wp.vec3(-1.0)
    least = float(reach)
    while wp.mesh_query_aabb_next(query, face):
        for k in range(3):
            shares = towards_point(a, b, c, corner_of(solid, face, k))
            if wp.min(shares[0], wp.min(shares[1], shares[2])) > _INSIDE:
                height = off(solid, shares[0] * a + shares[1] * b + shares[2] * c)[3]
                if height < least:
                    least = height
                    found = shares
    return found


@wp.kernel(enable_backward=False)
def edge_contacts(
    pairs: wp.array(dtype=wp.vec2i),
    edges: wp.array2d(dtype=int),
    scene: Scene,
    found: Found,
):
    """One thread a pair of an edge and a shape; the edge's ends are its third and fourth number."""
    pair = pairs[wp.tid()]
    shape = pair[1]
    if (scene.shape_flags[shape] & COLLIDES) == 0:
        return
    i = edges[pair[0], 2]
    j = edges[pair[0], 3]
    radius = wp.max(scene.particle_radius[i], scene.particle_radius[j])
    reach = scene.gap + scene.shape_margin[shape] + radius
    inverse = wp.transform_inverse(pose_of(scene, shape))
    a = wp.transform_point(inverse, scene.particle_q[i])
    b = wp.transform_point(inverse, scene.particle_q[j])
    half = 0.5 * wp.length(b - a)
    solid = solid_of(scene, shape, reach, 2.0 * half)
    slack = reach + half
    if is_sheet(solid):
        slack += 2.0 * reach
    if off(solid, 0.5 * (a + b))[3] > slack:
        return
    u = float(-1.0)
    if is_faceted(solid.kind):
        u = near_mesh_edges(solid, a, b, reach)
    if not is_faceted(solid.kind):
        u = on_edge(solid, a, b)
    if u < 0.0:
        return
    x = a + u * (b - a)
    at = off(solid, x)
    if at[3] < reach:
        write(found, scene, shape, wp.vec3i(i, j, -1), wp.vec3(1.0 - u, u, 0.0), x, at)


@wp.kernel(enable_backward=False)
def face_contacts(
    pairs: wp.array(dtype=wp.vec2i),
    triangles: wp.array2d(dtype=int),
    scene: Scene,
    found: Found,
):
    """One thread a pair of a triangle and a shape."""
    pair = pairs[wp.tid()]
    shape = pair[1]
    if (scene.shape_flags[shape] & COLLIDES) == 0:
        return
    corners = wp.vec3i(triangles[pair[0], 0], triangles[pair[0], 1], triangles[pair[0], 2])
    radius = wp.max(
        scene.particle_radius[corners[0]],
        wp.max(scene.particle_radius[corners[1]], scene.particle_radius[corners[2]]),
    )
    reach = scene.gap + scene.shape_margin[shape] + radius
    inverse = wp.transform_inverse(pose_of(scene, shape))
    a = wp.transform_point(inverse, scene.particle_q[corners[0]])
    b = wp.transform_point(inverse, scene.particle_q[corners[1]])
    c = wp.transform_point(inverse, scene.particle_q[corners[2]])
    middle = (a + b + c) / 3.0
    size = wp.max(wp.length(a - middle), wp.max(wp.length(b - middle), wp.length(c - middle)))
    solid = solid_of(scene, shape, reach, 2.0 * size)
    slack = reach + size
    if is_sheet(solid):
        slack += 2.0 * reach
    if off(solid, middle)[3] > slack:
        return
    shares = wp.vec3()
    if is_faceted(solid.kind):
        shares = near_mesh_corners(solid, a, b, c, reach)
    else:
        shares = on_triangle(solid, a, b, c)
    if shares[0] < 0.0:
        return
    x = shares[0] * a + shares[1] * b + shares[2] * c
    at = off(solid, x)
    if at[3] < reach:
        write(found, scene, shape, corners, shares, x, at)


@wp.kernel(enable_backward=False)
def mesh_triangles(scene: Scene, found: Found, triangles: wp.array(dtype=wp.vec3i)):
    """One thread a contact: which triangle of a mesh its point is on."""
    i = wp.tid()
    if i >= found.count[0]:
        return
    shape = found.shape[i]
    triangles[i] = wp.vec3i(-1, -1, -1)
    if not is_faceted(scene.shape_type[shape]):
        return
    inverse = wp.transform_inverse(scene.shape_transform[shape])
    point = wp.transform_point(inverse, found.body_pos[i])
    query = wp.mesh_query_point_no_sign(
        scene.shape_source[shape], wp.cw_div(point, scene.shape_scale[shape]), 1.0e6
    )
    if query.result:
        triangles[i] = wp.vec3i(3 * query.face, 3 * query.face + 1, 3 * query.face + 2)
