# pyright: basic, reportInvalidTypeForm=false
"""Pairs of shapes with closed forms: planes, spheres, capsules, and spheres at boxes."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.collision.convex import farthest_of_cylinder
from unibody.newton.collision.output import (
    BOX,
    CAPSULE,
    CONE,
    CONVEX_MESH,
    CYLINDER,
    ELLIPSOID,
    MESH,
    NONE,
    PLANE,
    SPHERE,
    Output,
    Shapes,
    in_order,
    round_radius,
    write,
)
from unibody.newton.launching import inlined

wp.set_module_options({"enable_backward": False})


@wp.func
def is_simple(first: int, second: int):
    """Whether a pair, the lower kind first, is one of these."""
    if first == PLANE:
        return second != PLANE and second != MESH and second != CONVEX_MESH and second != NONE
    if first == SPHERE:
        return second == SPHERE or second == CAPSULE or second == BOX
    return first == CAPSULE and second == CAPSULE


@inlined
def half_axis(shapes: Shapes, shape: int):
    """From the centre of a sphere or capsule to the end of its axis, in the world frame."""
    half = float(0.0)
    if shapes.kind[shape] == CAPSULE:
        half = shapes.scale[shape][1]
    return wp.quat_rotate(wp.transform_get_rotation(shapes.pose[shape]), wp.vec3(0.0, 0.0, half))


@inlined
def plane_point(out: Output, shapes: Shapes, a: int, b: int, point: wp.vec3):
    """A contact of a plane and a point of a surface, both in the plane's frame."""
    size = shapes.scale[a]
    if size[0] > 0.0 and wp.abs(point[0]) > 0.5 * size[0]:
        return
    if size[1] > 0.0 and wp.abs(point[1]) > 0.5 * size[1]:
        return
    pose = shapes.pose[a]
    write(
        out,
        shapes,
        a,
        b,
        wp.transform_point(pose, wp.vec3(point[0], point[1], 0.0)),
        wp.transform_point(pose, point),
        wp.transform_vector(pose, wp.vec3(0.0, 0.0, 1.0)),
    )


@wp.func
def plane_rims(out: Output, shapes: Shapes, a: int, b: int, down: wp.vec3, pose: wp.transform):
    """A plane and a cylinder or cone: the lowest points of both ends, and three more of one rim."""
    radius = shapes.scale[b][0]
    half = shapes.scale[b][1]
    side = wp.vec3(down[0], down[1], 0.0)
    if wp.length(side) < 1.0e-6:
        side = wp.vec3(1.0, 0.0, 0.0)
    side = wp.normalize(side) * radius
    across = wp.vec3(-side[1], side[0], 0.0)
    lower = -half
    if shapes.kind[b] == CYLINDER and shapes.scale[b][2] > 0.0:
        bulge = farthest_of_cylinder(shapes.scale[b], down)
        plane_point(out, shapes, a, b, wp.transform_point(pose, bulge))
    if shapes.kind[b] == CONE:
        plane_point(out, shapes, a, b, wp.transform_point(pose, wp.vec3(0.0, 0.0, half)))
    else:
        if down[2] > 0.0:
            lower = half
        plane_point(out, shapes, a, b, wp.transform_point(pose, side + wp.vec3(0.0, 0.0, -lower)))
    end = wp.vec3(0.0, 0.0, lower)
    plane_point(out, shapes, a, b, wp.transform_point(pose, end + side))
    plane_point(out, shapes, a, b, wp.transform_point(pose, end - side))
    plane_point(out, shapes, a, b, wp.transform_point(pose, end + across))
    plane_point(out, shapes, a, b, wp.transform_point(pose, end - across))


@inlined
def plane_box(out: Output, shapes: Shapes, a: int, b: int, down: wp.vec3, pose: wp.transform):
    """A plane and a box: the corners of the side that looks at the plane most."""
    half = shapes.scale[b]
    side = int(0)
    for k in range(1, 3):
        if wp.abs(down[k]) > wp.abs(down[side]):
            side = k
    for corner in range(4):
        point = wp.vec3()
        u = (side + 1) % 3
        v = (side + 2) % 3
        point[side] = half[side] * wp.sign(down[side])
        point[u] = half[u] * (2.0 * float(corner % 2) - 1.0)
        point[v] = half[v] * (2.0 * float(corner / 2) - 1.0)
        plane_point(out, shapes, a, b, wp.transform_point(pose, point))


@inlined
def plane_pair(out: Output, shapes: Shapes, a: int, b: int):
    """A plane and another shape."""
    kind = shapes.kind[b]
    pose = wp.transform_inverse(shapes.pose[a]) * shapes.pose[b]
    down = wp.quat_rotate_inv(wp.transform_get_rotation(pose), wp.vec3(0.0, 0.0, -1.0))
    if kind == SPHERE or kind == CAPSULE:
        axis = wp.vec3()
        if kind == CAPSULE:
            axis = wp.transform_vector(pose, wp.vec3(0.0, 0.0, shapes.scale[b][1]))
        lowest = wp.transform_get_translation(pose) - wp.vec3(0.0, 0.0, shapes.scale[b][0])
        plane_point(out, shapes, a, b, lowest + axis)
        if kind == CAPSULE:
            plane_point(out, shapes, a, b, lowest - axis)
    elif kind == BOX:
        plane_box(out, shapes, a, b, down, pose)
    elif kind == ELLIPSOID:
        s = wp.cw_mul(shapes.scale[b], down)
        lowest = wp.cw_mul(shapes.scale[b], s) / wp.length(s)
        plane_point(out, shapes, a, b, wp.transform_point(pose, lowest))
    elif kind == CYLINDER or kind == CONE:
        plane_rims(out, shapes, a, b, down, pose)


@wp.func
def round_points(out: Output, shapes: Shapes, a: int, b: int, on_a: wp.vec3, on_b: wp.vec3):
    """A contact of two round shapes at two points of their axes."""
    apart = on_b - on_a
    distance = wp.length(apart)
    normal = wp.vec3(0.0, 0.0, 1.0)
    if distance > 1.0e-9:
        normal = apart / distance
    write(
        out,
        shapes,
        a,
        b,
        on_a + normal * round_radius(shapes, a),
        on_b - normal * round_radius(shapes, b),
        normal,
    )


@wp.func
def along(point: wp.vec3, centre: wp.vec3, half: wp.vec3):
    """Which point of an axis, from -1 to 1, is nearest to a point."""
    square = wp.dot(half, half)
    if square == 0.0:
        return 0.0
    return wp.clamp(wp.dot(point - centre, half) / square, -1.0, 1.0)


@wp.func
def round_pair(out: Output, shapes: Shapes, a: int, b: int):
    """Two spheres or capsules; axes that are parallel have two contacts."""
    centre_a = wp.transform_get_translation(shapes.pose[a])
    centre_b = wp.transform_get_translation(shapes.pose[b])
    half_a = half_axis(shapes, a)
    half_b = half_axis(shapes, b)
    aa = wp.dot(half_a, half_a)
    bb = wp.dot(half_b, half_b)
    ab = wp.dot(half_a, half_b)
    denominator = aa * bb - ab * ab
    apart = centre_b - centre_a
    if aa > 0.0 and bb > 0.0 and denominator < 1.0e-4 * aa * bb:
        first = along(centre_b - half_b, centre_a, half_a)
        second = along(centre_b + half_b, centre_a, half_a)
        if wp.abs(first - second) > 1.0e-3:
            for k in range(2):
                s = first
                if k == 1:
                    s = second
                point = centre_a + half_a * s
                round_points(
                    out, shapes, a, b, point, centre_b + half_b * along(point, centre_b, half_b)
                )
            return
    s = float(0.0)
    if denominator > 0.0:
        s = (wp.dot(apart, half_a) * bb - wp.dot(apart, half_b) * ab) / denominator
        s = wp.clamp(s, -1.0, 1.0)
    t = along(centre_a + half_a * s, centre_b, half_b)
    s = along(centre_b + half_b * t, centre_a, half_a)
    round_points(out, shapes, a, b, centre_a + half_a * s, centre_b + half_b * t)


@wp.func
def sphere_box(out: Output, shapes: Shapes, a: int, b: int):
    """A sphere and a box: the nearest point of the box, or the nearest side from inside."""
    pose = shapes.pose[b]
    half = shapes.scale[b]
    centre = wp.transform_get_translation(shapes.pose[a])
    local = wp.transform_point(wp.transform_inverse(pose), centre)
    nearest = wp.min(wp.max(local, -half), half)
    apart = nearest - local
    distance = wp.length(apart)
    normal = wp.vec3()
    if distance > 1.0e-6:
        normal = apart / distance
    else:
        side = int(0)
        for k in range(1, 3):
            if half[k] - wp.abs(local[k]) < half[side] - wp.abs(local[side]):
                side = k
        sign = float(1.0)
        if local[side] < 0.0:
            sign = float(-1.0)
        nearest[side] = sign * half[side]
        normal[side] = -sign
    normal = wp.transform_vector(pose, normal)
    write(
        out,
        shapes,
        a,
        b,
        centre + normal * shapes.scale[a][0],
        wp.transform_point(pose, nearest),
        normal,
    )


@inlined
def simple_pair(first: int, second: int, a: int, b: int, shapes: Shapes, out: Output):
    """Contacts of a pair whose kinds are known."""
    if first == PLANE:
        plane_pair(out, shapes, a, b)
    elif second == BOX:
        sphere_box(out, shapes, a, b)
    else:
        round_pair(out, shapes, a, b)


@wp.kernel
def simple_pairs(
    pairs: wp.array(dtype=wp.vec2i),
    count: wp.array(dtype=int),
    shapes: Shapes,
    out: Output,
    threads: int,
):
    """Each thread does every so many of the pairs that may touch."""
    for i in range(wp.tid(), wp.min(count[0], pairs.shape[0]), threads):
        pair = in_order(shapes, pairs[i])
        first = shapes.kind[pair[0]]
        second = shapes.kind[pair[1]]
        if is_simple(first, second):
            simple_pair(first, second, pair[0], pair[1], shapes, out)
