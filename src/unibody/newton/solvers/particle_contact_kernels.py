# pyright: basic, reportInvalidTypeForm=false
"""Forces of contacts of particles with particles, and with triangles of cloth and soft bodies."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp


@wp.kernel
def particle_contact_forces(
    grid: wp.uint64,
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    radius: wp.array(dtype=float),
    flags: wp.array(dtype=int),
    world: wp.array(dtype=int),
    ke: float,
    kd: float,
    kf: float,
    mu: float,
    cohesion: float,
    max_radius: float,
    f: wp.array(dtype=wp.vec3),
):
    """One thread a particle, in the order of a grid that a script has built."""
    i = wp.hash_grid_point_id(grid, wp.tid())
    if i < 0:
        return
    if (flags[i] & 1) == 0:
        return
    total = wp.vec3()
    for j in wp.hash_grid_query(grid, x[i], radius[i] + max_radius + cohesion):
        near = world[i] == world[j] or world[i] < 0 or world[j] < 0
        if j != i and (flags[j] & 1) != 0 and near:
            apart = x[i] - x[j]
            distance = wp.length(apart)
            depth = distance - radius[i] - radius[j]
            if depth <= cohesion and distance > 0.0:
                n = apart / distance
                velocity = v[i] - v[j]
                vn = wp.dot(n, velocity)
                along = depth * ke + wp.min(vn, 0.0) * kd
                slip = velocity - n * vn
                speed = wp.length(slip)
                across = wp.vec3()
                if speed > 1.0e-9:
                    across = slip * (wp.min(speed * kf, mu * wp.abs(along)) / speed)
                total = total - n * along - across
    wp.atomic_add(f, i, total)


@wp.kernel
def triangle_boxes(
    x: wp.array(dtype=wp.vec3),
    indices: wp.array2d(dtype=int),
    lower: wp.array(dtype=wp.vec3),
    upper: wp.array(dtype=wp.vec3),
):
    """Boxes around triangles."""
    t = wp.tid()
    a = x[indices[t, 0]]
    b = x[indices[t, 1]]
    c = x[indices[t, 2]]
    lower[t] = wp.min(a, wp.min(b, c))
    upper[t] = wp.max(a, wp.max(b, c))


@wp.func
def nearest_on_segment(a: wp.vec3, b: wp.vec3, p: wp.vec3):
    """Which share of a segment is nearest to a point."""
    edge = b - a
    return wp.clamp(wp.dot(p - a, edge) / wp.max(wp.dot(edge, edge), 1.0e-12), 0.0, 1.0)


@wp.func
def nearest_on_triangle(a: wp.vec3, b: wp.vec3, c: wp.vec3, p: wp.vec3):
    """Weights of the corners at the point of a triangle that is nearest to a point."""
    normal = wp.cross(b - a, c - a)
    square = wp.dot(normal, normal)
    if square > 1.0e-20:
        u = wp.dot(wp.cross(c - b, p - b), normal) / square
        v = wp.dot(wp.cross(a - c, p - c), normal) / square
        if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
            return wp.vec3(u, v, 1.0 - u - v)
    s = nearest_on_segment(a, b, p)
    t = nearest_on_segment(b, c, p)
    r = nearest_on_segment(c, a, p)
    on_ab = wp.length_sq(a + (b - a) * s - p)
    on_bc = wp.length_sq(b + (c - b) * t - p)
    on_ca = wp.length_sq(c + (a - c) * r - p)
    if on_ab <= on_bc and on_ab <= on_ca:
        return wp.vec3(1.0 - s, s, 0.0)
    if on_bc <= on_ca:
        return wp.vec3(0.0, 1.0 - t, t)
    return wp.vec3(r, 0.0, 1.0 - r)


@wp.func
def push_apart(
    x: wp.array(dtype=wp.vec3),
    indices: wp.array2d(dtype=int),
    world: wp.array(dtype=int),
    radius: float,
    ke: float,
    particle: int,
    triangle: int,
    f: wp.array(dtype=wp.vec3),
):
    """The force of one particle and one triangle."""
    i = indices[triangle, 0]
    j = indices[triangle, 1]
    k = indices[triangle, 2]
    if i == particle or j == particle or k == particle:
        return
    if world[i] != world[particle] and world[i] >= 0 and world[particle] >= 0:
        return
    p = x[particle]
    weights = nearest_on_triangle(x[i], x[j], x[k], p)
    apart = p - x[i] * weights[0] - x[j] * weights[1] - x[k] * weights[2]
    distance = wp.length(apart)
    if distance >= radius or distance < 1.0e-6:
        return
    force = apart * (ke * (radius - distance) / distance)
    wp.atomic_add(f, particle, force)
    wp.atomic_sub(f, i, force * weights[0])
    wp.atomic_sub(f, j, force * weights[1])
    wp.atomic_sub(f, k, force * weights[2])


@wp.kernel
def triangle_contact_forces_by_tree(
    tree: wp.uint64,
    grouped: bool,
    x: wp.array(dtype=wp.vec3),
    indices: wp.array2d(dtype=int),
    world: wp.array(dtype=int),
    radius: wp.array(dtype=float),
    ke: float,
    f: wp.array(dtype=wp.vec3),
):
    """One thread a particle, with the triangles whose boxes are near, of its world if grouped."""
    particle = wp.tid()
    reach = wp.vec3(radius[particle], radius[particle], radius[particle])
    root = int(-1)  # of the whole tree
    if grouped:
        root = wp.bvh_get_group_root(tree, world[particle])
        if root < 0:  # no triangles there
            return
    query = wp.bvh_query_aabb(tree, x[particle] - reach, x[particle] + reach, root)
    triangle = int(0)
    while wp.bvh_query_next(query, triangle):
        push_apart(x, indices, world, radius[particle], ke, particle, triangle, f)


@wp.kernel
def triangle_contact_forces(
    x: wp.array(dtype=wp.vec3),
    indices: wp.array2d(dtype=int),
    world: wp.array(dtype=int),
    radius: wp.array(dtype=float),
    ke: float,
    f: wp.array(dtype=wp.vec3),
):
    """One thread a particle and triangle: a tree would not be that of the step in reverse."""
    particle, triangle = wp.tid()
    push_apart(x, indices, world, radius[particle], ke, particle, triangle, f)
