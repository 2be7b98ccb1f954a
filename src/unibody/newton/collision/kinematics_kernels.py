# pyright: basic, reportInvalidTypeForm=false
"""Points and distances of contacts, with gradients."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.solvers.contact_force_kernels import point_of


@wp.kernel
def contact_kinematics(
    body_q: wp.array(dtype=wp.transform),
    shape_body: wp.array(dtype=int),
    count: wp.array(dtype=int),
    shape0: wp.array(dtype=int),
    shape1: wp.array(dtype=int),
    point0: wp.array(dtype=wp.vec3),
    point1: wp.array(dtype=wp.vec3),
    normal: wp.array(dtype=wp.vec3),
    margin0: wp.array(dtype=float),
    margin1: wp.array(dtype=float),
    sign: float,
    distance: wp.array(dtype=float),
    world0: wp.array(dtype=wp.vec3),
    world1: wp.array(dtype=wp.vec3),
):
    """One thread a contact."""
    i = wp.tid()
    if i >= wp.min(count[0], shape0.shape[0]):
        return
    a = point_of(body_q, shape_body[shape0[i]], point0[i], wp.vec3())
    b = point_of(body_q, shape_body[shape1[i]], point1[i], wp.vec3())
    if world0:
        world0[i] = a
    if world1:
        world1[i] = b
    if distance:
        # With a sign of 1 the normal points from the second shape to the first.
        distance[i] = -sign * wp.dot(normal[i], b - a) - margin0[i] - margin1[i]
