# pyright: basic, reportInvalidTypeForm=false
"""How kernels read shapes and write contacts."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.enums import GeoType
from unibody.newton.launching import inlined

wp.set_module_options({"enable_backward": False})

PLANE: int = wp.constant(int(GeoType.PLANE))
HFIELD: int = wp.constant(int(GeoType.HFIELD))
SPHERE: int = wp.constant(int(GeoType.SPHERE))
CAPSULE: int = wp.constant(int(GeoType.CAPSULE))
ELLIPSOID: int = wp.constant(int(GeoType.ELLIPSOID))
CYLINDER: int = wp.constant(int(GeoType.CYLINDER))
BOX: int = wp.constant(int(GeoType.BOX))
MESH: int = wp.constant(int(GeoType.MESH))
CONE: int = wp.constant(int(GeoType.CONE))
CONVEX_MESH: int = wp.constant(int(GeoType.CONVEX_MESH))
NONE: int = wp.constant(int(GeoType.NONE))


@wp.struct
class Shapes:
    """What kernels know of shapes; poses are those of the world frame."""

    kind: wp.array(dtype=int)
    scale: wp.array(dtype=wp.vec3)
    pose: wp.array(dtype=wp.transform)
    source: wp.array(dtype=wp.uint64)
    thickness: wp.array(dtype=float)
    reach: wp.array(dtype=float)
    body: wp.array(dtype=int)
    lower: wp.array(dtype=wp.vec3)
    upper: wp.array(dtype=wp.vec3)


@wp.struct
class Output:
    """Where contacts are written."""

    most: int
    body_q: wp.array(dtype=wp.transform)
    count: wp.array(dtype=int)
    shape0: wp.array(dtype=int)
    shape1: wp.array(dtype=int)
    point0: wp.array(dtype=wp.vec3)
    point1: wp.array(dtype=wp.vec3)
    offset0: wp.array(dtype=wp.vec3)
    offset1: wp.array(dtype=wp.vec3)
    normal: wp.array(dtype=wp.vec3)
    margin0: wp.array(dtype=float)
    margin1: wp.array(dtype=float)
    tids: wp.array(dtype=int)
    sign: float
    every: int  # 1 where all contacts of surfaces are written, not a choice of them


@inlined
def in_order(shapes: Shapes, pair: wp.vec2i):
    """A pair with the lower kind first."""
    if shapes.kind[pair[0]] > shapes.kind[pair[1]]:
        return wp.vec2i(pair[1], pair[0])
    return pair


@inlined
def reach_of(shapes: Shapes, a: int, b: int):
    """The distance between surfaces up to which there is a contact [m]."""
    return shapes.reach[a] + shapes.reach[b] + shapes.thickness[a] + shapes.thickness[b]


@inlined
def round_radius(shapes: Shapes, shape: int):
    """The radius around the centre or the axis of a shape: spheres and capsules have one."""
    kind = shapes.kind[shape]
    if kind == SPHERE or kind == CAPSULE:
        return shapes.scale[shape][0]
    return 0.0


@inlined
def body_frame(body_q: wp.array(dtype=wp.transform), body: int):
    """The inverse of the pose of a body, or of the world's."""
    if body < 0:
        return wp.transform_identity()
    return wp.transform_inverse(body_q[body])


@inlined
def write_at(
    out: Output, shapes: Shapes, a: int, b: int, on_a: wp.vec3, on_b: wp.vec3, normal: wp.vec3,
    frame_a: wp.transform, frame_b: wp.transform,
):  # fmt: skip
    """`write`, with the inverse poses of both bodies."""
    thickness_a = shapes.thickness[a]
    thickness_b = shapes.thickness[b]
    distance = wp.dot(on_b - on_a, normal) - thickness_a - thickness_b
    if distance > shapes.reach[a] + shapes.reach[b]:
        return
    i = wp.atomic_add(out.count, 0, 1)
    if i >= out.most:
        return
    radius_a = round_radius(shapes, a)
    radius_b = round_radius(shapes, b)
    out.shape0[i] = a
    out.shape1[i] = b
    out.normal[i] = -out.sign * normal
    out.point0[i] = wp.transform_point(frame_a, on_a - normal * radius_a)
    out.point1[i] = wp.transform_point(frame_b, on_b + normal * radius_b)
    out.margin0[i] = radius_a + thickness_a
    out.margin1[i] = radius_b + thickness_b
    out.offset0[i] = wp.transform_vector(frame_a, normal * (radius_a + thickness_a))
    out.offset1[i] = wp.transform_vector(frame_b, -normal * (radius_b + thickness_b))
    out.tids[i] = 0


@inlined
def write(
    out: Output, shapes: Shapes, a: int, b: int, on_a: wp.vec3, on_b: wp.vec3, normal: wp.vec3
):
    """Write a contact, where the surfaces are near enough.

    `normal` points from a to b, `on_a` and `on_b` are points of the surfaces, all in the world
    frame. What is written points from b to a, or with a sign of -1 from a to b, with
    points of bodies' frames that lie below the surface by the radius of what is round.
    """
    frame_a = body_frame(out.body_q, shapes.body[a])
    frame_b = body_frame(out.body_q, shapes.body[b])
    write_at(out, shapes, a, b, on_a, on_b, normal, frame_a, frame_b)
