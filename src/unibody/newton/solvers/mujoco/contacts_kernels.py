# pyright: basic, reportInvalidTypeForm=false
"""Contacts of Newton's pipeline as contacts of mujoco-warp, as a kernel of Warp."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.newton.enums import BodyFlags

KINEMATIC: int = wp.constant(int(BodyFlags.KINEMATIC))


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


@wp.struct
class Material:
    """What two geoms share in a contact: their dimension, friction and softness."""

    dim: int
    friction: wp.vec3
    solref: wp.vec2
    weight: float  # of the first geom's softness


@wp.func
def weight_of(mix_a: float, mix_b: float):
    """The share of the first of two geoms."""
    least = 1.0e-15
    if mix_a >= least and mix_b >= least:
        return mix_a / (mix_a + mix_b)
    if mix_a < least and mix_b < least:
        return 0.5
    return wp.where(mix_a < least, 0.0, 1.0)


@wp.func
def material_of(
    a: int,
    b: int,
    world: int,
    condim: wp.array(dtype=wp.int32),
    priority: wp.array(dtype=wp.int32),
    solmix: wp.array2d(dtype=float),
    friction: wp.array2d(dtype=wp.vec3),
    solref: wp.array2d(dtype=wp.vec2),
):
    """What two geoms share, by MuJoCo's rules: the one of higher priority decides, or both do."""
    found = Material()
    row = world % friction.shape[0]
    ref = world % solref.shape[0]
    ref_a = solref[ref, a]
    ref_b = solref[ref, b]
    if priority[a] != priority[b]:
        chosen = wp.where(priority[a] > priority[b], a, b)
        found.weight = wp.where(priority[a] > priority[b], 1.0, 0.0)
        found.dim = condim[chosen]
        found.friction = friction[row, chosen]
        found.solref = solref[ref, chosen]
        return found
    mix = world % solmix.shape[0]
    found.weight = weight_of(solmix[mix, a], solmix[mix, b])
    found.dim = wp.max(condim[a], condim[b])
    found.friction = wp.max(friction[row, a], friction[row, b])
    if ref_a[0] > 0.0 and ref_b[0] > 0.0:
        found.solref = found.weight * ref_a + (1.0 - found.weight) * ref_b
    else:
        found.solref = wp.min(ref_a, ref_b)
    return found


@wp.func
def friction_reference(kf: float, compliance: float, give: float, dmax: float):
    """MuJoCo's reference of friction that is viscous by kf [N s/m].

    Friction of a row is b v / (1/D + A) at a rate b = 2 / (dmax timeconst), where A is about the
    inverse weight of the bodies and 1/D is (1 - d)/d A, over the ratio of impedances.

    Args:
        kf: Of the contact.
        compliance: Inverse of the ratio of impedances.
        give: Inverse weight of both bodies [1/kg].
        dmax: Highest impedance of the contact.
    """
    below = kf * give * ((1.0 - dmax) * compliance + dmax)
    if below <= 0.0:
        return wp.vec2(0.0, 0.0)
    return wp.vec2(2.0 / below, 1.0)


@wp.func
def five(friction: Any, mu: wp.vec3):
    """The five numbers of a contact: of sliding twice, of turning, of rolling twice."""
    friction[0] = mu[0]
    friction[1] = mu[0]
    friction[2] = mu[1]
    friction[3] = mu[2]
    friction[4] = mu[2]
    return friction


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
    geom_priority: wp.array(dtype=wp.int32),
    geom_solmix: wp.array2d(dtype=float),
    geom_friction: wp.array2d(dtype=wp.vec3),
    geom_solref: wp.array2d(dtype=wp.vec2),
    geom_solimp: wp.array2d(dtype=Any),
    geom_margin: wp.array2d(dtype=float),
    shape_kf: wp.array(dtype=float),
    geom_bodyid: wp.array(dtype=wp.int32),
    body_invweight: wp.array2d(dtype=wp.vec2),
    compliance: wp.array(dtype=float),
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
    n = -sign * normal[i]
    # from the points inside round shapes to their surfaces
    at_a = wp.transform_point(X_a, point0[i]) + (margin0[i] - shape_thickness[a]) * n
    at_b = wp.transform_point(X_b, point1[i]) - (margin1[i] - shape_thickness[b]) * n
    out_dist[slot] = wp.dot(n, at_b - at_a)
    out_pos[slot] = 0.5 * (at_a + at_b)
    out_frame[slot] = frame_of(n)
    w = world % geom_margin.shape[0]
    out_margin[slot] = geom_margin[w, geom_a] + geom_margin[w, geom_b]
    material = material_of(
        geom_a, geom_b, world, geom_condim, geom_priority, geom_solmix, geom_friction, geom_solref
    )
    out_friction[slot] = five(out_friction[slot], wp.max(material.friction, wp.vec3(1.0e-5)))
    out_solref[slot] = material.solref
    w = world % geom_solimp.shape[0]
    share = material.weight
    solimp = share * geom_solimp[w, geom_a] + (1.0 - share) * geom_solimp[w, geom_b]
    out_solimp[slot] = solimp
    out_dim[slot] = material.dim
    out_solreffriction[slot] = wp.vec2(0.0, 0.0)
    if shape_kf:  # friction is viscous, by both shapes
        kf = share * shape_kf[a] + (1.0 - share) * shape_kf[b]
        w = world % body_invweight.shape[0]
        give = body_invweight[w, geom_bodyid[geom_a]][0] + body_invweight[w, geom_bodyid[geom_b]][0]
        ratio = compliance[world % compliance.shape[0]]
        out_solreffriction[slot] = friction_reference(kf, ratio * ratio, give, solimp[1])
        if kf <= 0.0:
            out_dim[slot] = 1
    out_geom[slot] = wp.vec2i(geom_a, geom_b)
    out_world[slot] = world
    for k in range(out_address.shape[1]):
        out_address[slot, k] = -1
