# pyright: basic, reportInvalidTypeForm=false
"""How fast the surfaces of meshes move of themselves at contacts, as belts do."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.collision.output import MESH
from unibody.newton.solvers.contact_force_kernels import point_of

FAR: float = wp.constant(1.0e11)


@wp.func
def own_velocity(
    moving: wp.array(dtype=int),
    kind: wp.array(dtype=int),
    scale: wp.array(dtype=wp.vec3),
    pose: wp.array(dtype=wp.transform),
    source: wp.array(dtype=wp.uint64),
    shape: int,
    at: wp.vec3,
):
    """The velocity that a mesh states at a point of the world, in the world frame."""
    if moving[shape] == 0 or kind[shape] != MESH:
        return wp.vec3()
    mesh = source[shape]
    local = wp.cw_div(wp.transform_point(wp.transform_inverse(pose[shape]), at), scale[shape])
    query = wp.mesh_query_point_no_sign(mesh, local, FAR)
    if not query.result:
        return wp.vec3()
    velocity = wp.mesh_eval_velocity(mesh, query.face, query.u, query.v)
    return wp.transform_vector(pose[shape], wp.cw_mul(velocity, scale[shape]))


@wp.kernel(enable_backward=False)
def surface_velocities(
    count: wp.array(dtype=int),
    shape0: wp.array(dtype=int),
    shape1: wp.array(dtype=int),
    point0: wp.array(dtype=wp.vec3),
    point1: wp.array(dtype=wp.vec3),
    body_q: wp.array(dtype=wp.transform),
    body: wp.array(dtype=int),
    moving: wp.array(dtype=int),
    kind: wp.array(dtype=int),
    scale: wp.array(dtype=wp.vec3),
    pose: wp.array(dtype=wp.transform),
    source: wp.array(dtype=wp.uint64),
    velocity: wp.array(dtype=wp.vec3),
):
    """One thread a contact: how fast the surface of shape1 slides on that of shape0."""
    i = wp.tid()
    if i >= wp.min(count[0], shape0.shape[0]):
        return
    a = shape0[i]
    b = shape1[i]
    at_a = point_of(body_q, body[a], point0[i], wp.vec3())
    at_b = point_of(body_q, body[b], point1[i], wp.vec3())
    first = own_velocity(moving, kind, scale, pose, source, a, at_a)
    velocity[i] = own_velocity(moving, kind, scale, pose, source, b, at_b) - first
