# pyright: basic, reportInvalidTypeForm=false
"""Contacts of Newton's pipeline as contacts of mujoco-warp, as a kernel of Warp."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.newton.enums import BodyFlags

KINEMATIC = wp.constant(int(BodyFlags.KINEMATIC))


@wp.func
def frame_of(normal: wp.vec3):
    """Rows of a contact's frame: the normal, and two directions across it."""
    aside = wp.vec3(0.0, 1.0, 0.0)
    if wp.abs(normal[1]) > 0.5:
        aside = wp.vec3(0.0, 0.0, 1.0)
    second = wp.normalize(aside - normal * wp.dot(normal, aside))
    third = wp.cross(normal, second)
    return wp.matrix_from_rows(normal, second, third)


@wp.func
def stays(body_flags: wp.array(dtype=wp.int32), body_held: wp.array(dtype=wp.int32), body: int):
    """Whether no force moves a body: -1, what is welded to the world, and kinematic ones."""
    if body < 0:
        return True
    return body_held[body] != 0 or (body_flags[body] & KINEMATIC) != 0


@wp.kernel(enable_backward=False)
def put_contacts(
    count: wp.array(dtype=wp.int32),
    shape0: wp.array(dtype=wp.int32),
    shape1: wp.array(dtype=wp.int32),
    point0: wp.array(dtype=wp.vec3),
    point1: wp.array(dtype=wp.vec3),
    normal: wp.array(dtype=wp.vec3),
    margin0: wp.array(dtype=float),
    margin1: wp.array(dtype=float),
    sign: float,
    shape_body: wp.array(dtype=wp.int32),
    body_flags: wp.array(dtype=wp.int32),
    body_held: wp.array(dtype=wp.int32),
    shape_thickness: wp.array(dtype=float),
    body_q: wp.array(dtype=wp.transform),
    shape_geom: wp.array(dtype=wp.int32),
    body_place: wp.array(dtype=wp.int32),
    geom_condim: wp.array(dtype=wp.int32),
    geom_friction: wp.array2d(dtype=wp.vec3),
    geom_solref: wp.array2d(dtype=wp.vec2),
    geom_solimp: wp.array2d(dtype=Any),
    geom_margin: wp.array2d(dtype=float),
    most: int,
    nacon: wp.array(dtype=wp.int32),
    out_dist: wp.array(dtype=float),
    out_pos: wp.array(dtype=wp.vec3),
    out_frame: wp.array(dtype=wp.mat33),
    out_margin: wp.array(dtype=float),
    out_friction: wp.array(dtype=Any),
    out_solref: wp.array(dtype=wp.vec2),
    out_solreffriction: wp.array(dtype=wp.vec2),
    out_solimp: wp.array(dtype=Any),
    out_dim: wp.array(dtype=wp.int32),
    out_geom: wp.array(dtype=wp.vec2i),
    out_address: wp.array2d(dtype=wp.int32),
    out_world: wp.array(dtype=wp.int32),
):
    """One thread a contact. With a sign of 1 normals point from the second shape to the first."""
    i = wp.tid()
    if i >= count[0]:
        return
    a = shape0[i]
    b = shape1[i]
    if a < 0 or b < 0:
        return
    geom_a = shape_geom[a]
    geom_b = shape_geom[b]
    if geom_a < 0 or geom_b < 0:
        return
    body_a = shape_body[a]
    body_b = shape_body[b]
    if stays(body_flags, body_held, body_a) and stays(body_flags, body_held, body_b):
        return
    X_a = wp.transform_identity()
    X_b = wp.transform_identity()
    world = 0
    if body_a >= 0:
        X_a = body_q[body_a]
        world = body_place[body_a]
    if body_b >= 0:
        X_b = body_q[body_b]
        world = body_place[body_b]
    slot = wp.atomic_add(nacon, 0, 1)
    if slot >= most:
        wp.atomic_sub(nacon, 0, 1)
        return
    at_a = wp.transform_point(X_a, point0[i])
    at_b = wp.transform_point(X_b, point1[i])
    n = -sign * normal[i]
    radii = margin0[i] - shape_thickness[a] + margin1[i] - shape_thickness[b]
    out_dist[slot] = wp.dot(n, at_b - at_a) - radii
    out_pos[slot] = 0.5 * (at_a + at_b)
    out_frame[slot] = frame_of(n)
    w = world % geom_margin.shape[0]
    out_margin[slot] = geom_margin[w, geom_a] + geom_margin[w, geom_b]
    w = world % geom_friction.shape[0]
    mu = wp.max(geom_friction[w, geom_a], geom_friction[w, geom_b])
    friction = out_friction[slot]
    friction[0] = wp.max(mu[0], 1.0e-5)
    friction[1] = friction[0]
    friction[2] = wp.max(mu[1], 1.0e-5)
    friction[3] = wp.max(mu[2], 1.0e-5)
    friction[4] = friction[3]
    out_friction[slot] = friction
    w = world % geom_solref.shape[0]
    out_solref[slot] = 0.5 * (geom_solref[w, geom_a] + geom_solref[w, geom_b])
    out_solreffriction[slot] = wp.vec2(0.0, 0.0)
    w = world % geom_solimp.shape[0]
    out_solimp[slot] = 0.5 * (geom_solimp[w, geom_a] + geom_solimp[w, geom_b])
    out_dim[slot] = wp.max(geom_condim[geom_a], geom_condim[geom_b])
    out_geom[slot] = wp.vec2i(geom_a, geom_b)
    out_world[slot] = world
    for k in range(out_address.shape[1]):
        out_address[slot, k] = -1
