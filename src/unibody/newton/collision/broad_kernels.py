# pyright: basic, reportInvalidTypeForm=false
"""Boxes around shapes, and the pairs whose boxes overlap."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.enums import BodyFlags, GeoType, ShapeFlags

wp.set_module_options({"enable_backward": False})

PLANE: int = wp.constant(int(GeoType.PLANE))
COLLIDES: int = wp.constant(int(ShapeFlags.COLLIDE_SHAPES))
KINEMATIC: int = wp.constant(int(BodyFlags.KINEMATIC))
FAR: float = wp.constant(1.0e8)


@wp.kernel
def place_shapes(
    body_q: wp.array(dtype=wp.transform),
    shape_transform: wp.array(dtype=wp.transform),
    shape_body: wp.array(dtype=int),
    shape_type: wp.array(dtype=int),
    shape_scale: wp.array(dtype=wp.vec3),
    local_lower: wp.array(dtype=wp.vec3),
    local_upper: wp.array(dtype=wp.vec3),
    thickness: wp.array(dtype=float),
    contact_margin: wp.array(dtype=float),
    with_thickness: float,
    pose: wp.array(dtype=wp.transform),
    reach: wp.array(dtype=float),
    lower: wp.array(dtype=wp.vec3),
    upper: wp.array(dtype=wp.vec3),
):
    """Poses of shapes in the world, how far they look for contacts, and boxes around both.

    ``with_thickness`` is 1 where the margins are distances of the shapes themselves, 0 where they
    are what is beyond the thickness.
    """
    i = wp.tid()
    world = shape_transform[i]
    if shape_body[i] >= 0:
        world = body_q[shape_body[i]] * world
    pose[i] = world
    beyond = wp.max(contact_margin[i] - with_thickness * thickness[i], 0.0)
    reach[i] = beyond
    low = local_lower[i]
    high = local_upper[i]
    if shape_type[i] == PLANE:
        size = shape_scale[i]
        high = wp.vec3(0.5 * size[0], 0.5 * size[1], 0.0)
        if size[0] == 0.0 or size[1] == 0.0:
            lower[i] = wp.vec3(-FAR, -FAR, -FAR)
            upper[i] = wp.vec3(FAR, FAR, FAR)
            return
        low = -high
    centre = wp.transform_point(world, 0.5 * (low + high))
    rotation = wp.quat_to_matrix(wp.transform_get_rotation(world))
    half = 0.5 * (high - low)
    more = beyond + thickness[i]
    around = wp.vec3(more, more, more)
    for k in range(3):
        for j in range(3):
            around[k] = around[k] + wp.abs(rotation[k, j]) * half[j]
    lower[i] = centre - around
    upper[i] = centre + around


@wp.func
def overlap(lower: wp.array(dtype=wp.vec3), upper: wp.array(dtype=wp.vec3), a: int, b: int):
    """Whether the boxes of two shapes overlap."""
    for k in range(3):
        if lower[a][k] > upper[b][k] or lower[b][k] > upper[a][k]:
            return False
    return True


@wp.func
def append(pairs: wp.array(dtype=wp.vec2i), count: wp.array(dtype=int), a: int, b: int):
    """Add a pair, the lower index first."""
    i = wp.atomic_add(count, 0, 1)
    if i < pairs.shape[0]:
        pairs[i] = wp.vec2i(wp.min(a, b), wp.max(a, b))


@wp.func
def may_collide(
    flags: wp.array(dtype=int),
    group: wp.array(dtype=int),
    world: wp.array(dtype=int),
    filtered: wp.array(dtype=wp.vec2i),
    a: int,
    b: int,
):
    """Whether flags, worlds, groups and filters let two shapes collide."""
    if (flags[a] & flags[b] & COLLIDES) == 0:
        return False
    if world[a] != world[b] and world[a] >= 0 and world[b] >= 0:
        return False
    ga = group[a]
    gb = group[b]
    if ga == 0 or gb == 0:
        return False
    if ga > 0 and gb > 0 and ga != gb:
        return False
    if ga < 0 and ga == gb:
        return False
    first = wp.min(a, b)
    second = wp.max(a, b)
    low = int(0)
    high = filtered.shape[0]
    while low < high:
        middle = (low + high) / 2
        pair = filtered[middle]
        if pair[0] == first and pair[1] == second:
            return False
        if pair[0] < first or (pair[0] == first and pair[1] < second):
            low = middle + 1
        else:
            high = middle
    return True


@wp.func
def both_held(
    shape_body: wp.array(dtype=int), body_flags: wp.array(dtype=int), refused: int, a: int, b: int
):
    """Whether neither shape moves by forces, where such pairs are refused."""
    if refused == 0:
        return False
    if shape_body[a] >= 0:
        if (body_flags[shape_body[a]] & KINEMATIC) == 0:
            return False
    if shape_body[b] >= 0:
        if (body_flags[shape_body[b]] & KINEMATIC) == 0:
            return False
    return True


@wp.kernel
def of_list(
    candidates: wp.array(dtype=wp.vec2i),
    shape_body: wp.array(dtype=int),
    body_flags: wp.array(dtype=int),
    refused: int,
    lower: wp.array(dtype=wp.vec3),
    upper: wp.array(dtype=wp.vec3),
    pairs: wp.array(dtype=wp.vec2i),
    count: wp.array(dtype=int),
):
    """Pairs of a list."""
    pair = candidates[wp.tid()]
    if overlap(lower, upper, pair[0], pair[1]):
        if not both_held(shape_body, body_flags, refused, pair[0], pair[1]):
            append(pairs, count, pair[0], pair[1])


@wp.kernel
def of_all(
    shape_body: wp.array(dtype=int),
    body_flags: wp.array(dtype=int),
    refused: int,
    lower: wp.array(dtype=wp.vec3),
    upper: wp.array(dtype=wp.vec3),
    flags: wp.array(dtype=int),
    group: wp.array(dtype=int),
    world: wp.array(dtype=int),
    filtered: wp.array(dtype=wp.vec2i),
    pairs: wp.array(dtype=wp.vec2i),
    count: wp.array(dtype=int),
):
    """Pairs of all shapes with all later ones."""
    a = wp.tid()
    for b in range(a + 1, lower.shape[0]):
        if overlap(lower, upper, a, b):
            if may_collide(flags, group, world, filtered, a, b):
                if not both_held(shape_body, body_flags, refused, a, b):
                    append(pairs, count, a, b)


@wp.kernel
def of_tree(
    tree: wp.uint64,
    shape_body: wp.array(dtype=int),
    body_flags: wp.array(dtype=int),
    refused: int,
    lower: wp.array(dtype=wp.vec3),
    upper: wp.array(dtype=wp.vec3),
    flags: wp.array(dtype=int),
    group: wp.array(dtype=int),
    world: wp.array(dtype=int),
    filtered: wp.array(dtype=wp.vec2i),
    pairs: wp.array(dtype=wp.vec2i),
    count: wp.array(dtype=int),
):
    """Pairs by a tree of boxes."""
    a = wp.tid()
    query = wp.bvh_query_aabb(tree, lower[a], upper[a])
    b = int(0)
    while wp.bvh_query_next(query, b):
        if b > a:
            if may_collide(flags, group, world, filtered, a, b):
                if not both_held(shape_body, body_flags, refused, a, b):
                    append(pairs, count, a, b)
