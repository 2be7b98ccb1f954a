# pyright: basic, reportInvalidTypeForm=false
"""Contacts of particles with shapes; they have gradients."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.collision.output import (
    BOX,
    CAPSULE,
    CONE,
    CONVEX_MESH,
    CYLINDER,
    ELLIPSOID,
    HFIELD,
    MESH,
    PLANE,
    SPHERE,
)
from unibody.newton.enums import ParticleFlags, ShapeFlags
from unibody.newton.geometry.distances import (
    of_barrel,
    of_box,
    of_capsule,
    of_ellipsoid,
    revolved,
    sdf_plane,
)

ACTIVE: int = wp.constant(int(ParticleFlags.ACTIVE))
COLLIDES: int = wp.constant(int(ShapeFlags.COLLIDE_PARTICLES))


@wp.func
def next_place(count: wp.array(dtype=int), places: wp.array(dtype=int), thread: int):
    """The next free place; kept by thread, for the gradient."""
    place = wp.atomic_add(count, 0, 1)
    places[thread] = place
    return place


@wp.func_replay(next_place)
def same_place(count: wp.array(dtype=int), places: wp.array(dtype=int), thread: int):
    """The place that a thread had."""
    return places[thread]


@wp.func
def of_shape(kind: int, scale: wp.vec3, mesh: wp.uint64, point: wp.vec3, far: float):
    """Direction and signed distance of a shape at a point of its frame."""
    if kind == PLANE:
        return wp.vec4(0.0, 0.0, 1.0, sdf_plane(point, 0.5 * scale[0], 0.5 * scale[1]))
    if kind == SPHERE:
        return of_capsule(point, scale[0], 0.0)
    if kind == CAPSULE:
        return of_capsule(point, scale[0], scale[1])
    if kind == BOX:
        return of_box(point, scale)
    if kind == CYLINDER and scale[2] > 0.0:
        return of_barrel(point, scale)
    if kind == CYLINDER:
        return revolved(point, scale[0], scale[0], scale[1])
    if kind == CONE:
        return revolved(point, scale[0], 0.0, scale[1])
    if kind == ELLIPSOID:
        return of_ellipsoid(point, scale)
    if kind == MESH or kind == CONVEX_MESH or kind == HFIELD:
        smallest = wp.min(wp.abs(scale[0]), wp.min(wp.abs(scale[1]), wp.abs(scale[2])))
        query = wp.mesh_query_point_sign_normal(mesh, wp.cw_div(point, scale), far / smallest)
        if query.result:
            nearest = wp.cw_mul(wp.mesh_eval_position(mesh, query.face, query.u, query.v), scale)
            apart = point - nearest
            n = wp.normalize(apart) * query.sign
            return wp.vec4(n[0], n[1], n[2], wp.length(apart) * query.sign)
    return wp.vec4(0.0, 0.0, 1.0, 1.0e6)


@wp.kernel
def soft_contacts(
    particle_q: wp.array(dtype=wp.vec3),
    particle_radius: wp.array(dtype=float),
    particle_flags: wp.array(dtype=int),
    particle_world: wp.array(dtype=int),
    body_q: wp.array(dtype=wp.transform),
    shape_transform: wp.array(dtype=wp.transform),
    shape_body: wp.array(dtype=int),
    shape_type: wp.array(dtype=int),
    shape_scale: wp.array(dtype=wp.vec3),
    shape_source: wp.array(dtype=wp.uint64),
    shape_world: wp.array(dtype=int),
    shape_flags: wp.array(dtype=int),
    shape_margin: wp.array(dtype=float),
    use_margin: float,
    margin: float,
    most: int,
    count: wp.array(dtype=int),
    contact_particle: wp.array(dtype=int),
    contact_shape: wp.array(dtype=int),
    body_pos: wp.array(dtype=wp.vec3),
    body_vel: wp.array(dtype=wp.vec3),
    normal: wp.array(dtype=wp.vec3),
    places: wp.array(dtype=int),
    corners: wp.array(dtype=wp.vec3i),
    shares: wp.array(dtype=wp.vec3),
):
    """One thread a particle and shape."""
    particle, shape = wp.tid()
    if (particle_flags[particle] & ACTIVE) == 0 or (shape_flags[shape] & COLLIDES) == 0:
        return
    here = particle_world[particle]
    there = shape_world[shape]
    if here != there and here >= 0 and there >= 0:
        return
    pose = shape_transform[shape]
    if shape_body[shape] >= 0:
        pose = body_q[shape_body[shape]] * pose
    reach = margin + particle_radius[particle] + use_margin * shape_margin[shape]
    point = wp.transform_point(wp.transform_inverse(pose), particle_q[particle])
    found = of_shape(shape_type[shape], shape_scale[shape], shape_source[shape], point, reach)
    distance = found[3]
    direction = wp.vec3(found[0], found[1], found[2])
    if distance >= reach:
        return
    i = next_place(count, places, particle * shape_flags.shape[0] + shape)
    if i >= most:
        return
    contact_particle[i] = particle
    contact_shape[i] = shape
    body_pos[i] = wp.transform_point(shape_transform[shape], point - direction * distance)
    body_vel[i] = wp.vec3()
    normal[i] = wp.transform_vector(pose, direction)
    corners[i] = wp.vec3i(particle, -1, -1)
    shares[i] = wp.vec3(1.0, 0.0, 0.0)
