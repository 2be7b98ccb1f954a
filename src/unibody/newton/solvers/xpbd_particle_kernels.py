# pyright: basic, reportInvalidTypeForm=false
"""Corrections of particles by elements and contacts (Macklin et al. 2016, 2021)."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.launching import inlined
from unibody.newton.solvers.contact_force_kernels import arm_of, point_of, velocity_of
from unibody.newton.solvers.xpbd_motion_kernels import Bodies, inverse_mass

wp.set_module_options({"enable_backward": False})


@wp.kernel
def solve_springs(
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    inv_mass: wp.array(dtype=float),
    indices: wp.array(dtype=int),
    rest_length: wp.array(dtype=float),
    stiffness: wp.array(dtype=float),
    damping: wp.array(dtype=float),
    dt: float,
    pulls: wp.array(dtype=float),
    deltas: wp.array(dtype=wp.vec3),
):
    """One thread a spring; `pulls` has what earlier rounds of the step have done."""
    s = wp.tid()
    i = indices[2 * s]
    j = indices[2 * s + 1]
    give = inv_mass[i] + inv_mass[j]
    ke = stiffness[s]
    apart = x[i] - x[j]
    length = wp.length(apart)
    if length == 0.0 or give <= 0.0 or ke <= 0.0:
        return
    n = apart / length
    soft = 1.0 / (ke * dt * dt)
    gamma = damping[s] / (ke * dt)
    error = length - rest_length[s] + gamma * dt * wp.dot(n, v[i] - v[j])
    size = -(error + soft * pulls[s]) / ((1.0 + gamma) * give + soft)
    pulls[s] = pulls[s] + size
    wp.atomic_add(deltas, i, n * (size * inv_mass[i]))
    wp.atomic_sub(deltas, j, n * (size * inv_mass[j]))


@wp.kernel
def solve_edges(
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    inv_mass: wp.array(dtype=float),
    indices: wp.array2d(dtype=int),
    rest_angle: wp.array(dtype=float),
    properties: wp.array2d(dtype=float),
    dt: float,
    pulls: wp.array(dtype=float),
    deltas: wp.array(dtype=wp.vec3),
):
    """One thread an edge between two triangles: its angle; see `solve_springs`."""
    e = wp.tid()
    i = indices[e, 0]
    j = indices[e, 1]
    k = indices[e, 2]
    m = indices[e, 3]
    ke = properties[e, 0]
    if i < 0 or j < 0 or k < 0 or m < 0 or ke <= 0.0:
        return
    edge = x[m] - x[k]
    n1 = wp.cross(x[k] - x[i], x[m] - x[i])
    n2 = wp.cross(x[m] - x[j], x[k] - x[j])
    length = wp.length(edge)
    s1 = wp.length_sq(n1)
    s2 = wp.length_sq(n2)
    if length < 1.0e-6 or s1 < 1.0e-12 or s2 < 1.0e-12:
        return
    along = edge / length
    n1 = n1 / wp.sqrt(s1)
    n2 = n2 / wp.sqrt(s2)
    angle = wp.atan2(wp.dot(wp.cross(n1, n2), along), wp.dot(n1, n2))
    # Unit normals take the place of those of the angle's gradient (Bridson et al. 2003), which are
    # divided by the height of their triangle: so does Newton.
    g1 = -n1 * length
    g2 = -n2 * length
    g3 = n1 * wp.dot(x[m] - x[i], along) + n2 * wp.dot(x[m] - x[j], along)
    g4 = n1 * wp.dot(x[i] - x[k], along) + n2 * wp.dot(x[j] - x[k], along)
    give = (
        inv_mass[i] * wp.length_sq(g1)
        + inv_mass[j] * wp.length_sq(g2)
        + inv_mass[k] * wp.length_sq(g3)
        + inv_mass[m] * wp.length_sq(g4)
    )
    if give <= 0.0:
        return
    soft = 1.0 / (ke * dt * dt)
    gamma = properties[e, 1] / (ke * dt)
    rate = wp.dot(g1, v[i]) + wp.dot(g2, v[j]) + wp.dot(g3, v[k]) + wp.dot(g4, v[m])
    error = angle - rest_angle[e] + gamma * dt * rate + soft * pulls[e]
    size = -error / ((1.0 + gamma) * give + soft)
    pulls[e] = pulls[e] + size
    wp.atomic_add(deltas, i, g1 * (size * inv_mass[i]))
    wp.atomic_add(deltas, j, g2 * (size * inv_mass[j]))
    wp.atomic_add(deltas, k, g3 * (size * inv_mass[k]))
    wp.atomic_add(deltas, m, g4 * (size * inv_mass[m]))


@wp.func
def pull_along(
    g1: wp.vec3,
    g2: wp.vec3,
    g3: wp.vec3,
    error: float,
    soft: float,
    gamma: float,
    v: wp.mat33,
    w: wp.vec4,
    dt: float,
):
    """What a tetrahedron's constraint pulls, without relaxation; its gradients sum to zero.

    Velocities of three corners, less that of the first one, are the columns of `v`.
    """
    give = w[0] * wp.length_sq(g1 + g2 + g3)
    give = give + w[1] * wp.length_sq(g1) + w[2] * wp.length_sq(g2) + w[3] * wp.length_sq(g3)
    rate = wp.dot(g1, wp.vec3(v[0, 0], v[1, 0], v[2, 0]))
    rate = rate + wp.dot(g2, wp.vec3(v[0, 1], v[1, 1], v[2, 1]))
    rate = rate + wp.dot(g3, wp.vec3(v[0, 2], v[1, 2], v[2, 2]))
    return -(error + gamma * dt * rate) / ((1.0 + gamma) * give + soft)


@wp.kernel
def solve_tetrahedra(
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    inv_mass: wp.array(dtype=float),
    indices: wp.array2d(dtype=int),
    pose: wp.array(dtype=wp.mat33),
    activation: wp.array(dtype=float),
    materials: wp.array2d(dtype=float),
    dt: float,
    relaxation: float,
    pulls: wp.array(dtype=float),
    deltas: wp.array(dtype=wp.vec3),
):
    """One thread a tetrahedron: its shape, tr F'F = 3, and its volume, det F = 1 - activation.

    Each is solved by itself, as in Newton. `pulls` has what earlier rounds of the step have done,
    two numbers a tetrahedron.
    """
    t = wp.tid()
    i = indices[t, 0]
    j = indices[t, 1]
    k = indices[t, 2]
    m = indices[t, 3]
    D = pose[t]
    shrink = wp.determinant(D)
    mu = materials[t, 0]
    bulk = materials[t, 1]
    if mu <= 0.0 or bulk <= 0.0 or shrink <= 0.0:
        return
    w = wp.vec4(inv_mass[i], inv_mass[j], inv_mass[k], inv_mass[m])
    e1 = x[j] - x[i]
    e2 = x[k] - x[i]
    e3 = x[m] - x[i]
    apart = wp.matrix_from_cols(v[j] - v[i], v[k] - v[i], v[m] - v[i])
    F = wp.matrix_from_cols(e1, e2, e3) * D
    G = F * wp.transpose(D) * 2.0
    a1 = wp.vec3(G[0, 0], G[1, 0], G[2, 0])
    a2 = wp.vec3(G[0, 1], G[1, 1], G[2, 1])
    a3 = wp.vec3(G[0, 2], G[1, 2], G[2, 2])
    b1 = wp.cross(e2, e3) * shrink
    b2 = wp.cross(e3, e1) * shrink
    b3 = wp.cross(e1, e2) * shrink
    soft = wp.vec2(1.0 / mu, 1.0 / bulk) * (6.0 * shrink / (dt * dt))
    gamma = wp.vec2(1.0 / mu, 1.0 / bulk) * (materials[t, 2] / dt)
    first = wp.ddot(F, F) - 3.0 + soft[0] * pulls[2 * t]
    second = wp.determinant(F) - 1.0 + activation[t] + soft[1] * pulls[2 * t + 1]
    size = relaxation * pull_along(a1, a2, a3, first, soft[0], gamma[0], apart, w, dt)
    more = relaxation * pull_along(b1, b2, b3, second, soft[1], gamma[1], apart, w, dt)
    pulls[2 * t] = pulls[2 * t] + size
    pulls[2 * t + 1] = pulls[2 * t + 1] + more
    d1 = a1 * size + b1 * more
    d2 = a2 * size + b2 * more
    d3 = a3 * size + b3 * more
    wp.atomic_sub(deltas, i, (d1 + d2 + d3) * w[0])
    wp.atomic_add(deltas, j, d1 * w[1])
    wp.atomic_add(deltas, k, d2 * w[2])
    wp.atomic_add(deltas, m, d3 * w[3])


@wp.kernel
def solve_particle_contacts(
    grid: wp.uint64,
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    inv_mass: wp.array(dtype=float),
    radius: wp.array(dtype=float),
    flags: wp.array(dtype=int),
    world: wp.array(dtype=int),
    mu: float,
    cohesion: float,
    max_radius: float,
    dt: float,
    relaxation: float,
    deltas: wp.array(dtype=wp.vec3),
):
    """One thread a particle, in the order of the grid."""
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
            give = inv_mass[i] + inv_mass[j]
            if depth <= cohesion and give > 0.0 and distance > 0.0:
                n = apart / distance
                velocity = v[i] - v[j]
                slip = velocity - n * wp.dot(n, velocity)
                speed = wp.length(slip)
                across = wp.vec3()
                if speed > 0.0:
                    across = slip * (wp.max(mu * depth, -speed * dt) / speed)
                total = total + (across - n * depth) / give
    wp.atomic_add(deltas, i, total * (inv_mass[i] * relaxation))


@inlined
def solve_soft_contact(
    i: int,
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    inv_mass: wp.array(dtype=float),
    radius: wp.array(dtype=float),
    flags: wp.array(dtype=int),
    bodies: Bodies,
    shape_body: wp.array(dtype=int),
    shape_mu: wp.array(dtype=float),
    particle_mu: float,
    adhesion: float,
    contact_particle: wp.array(dtype=int),
    contact_shape: wp.array(dtype=int),
    body_pos: wp.array(dtype=wp.vec3),
    body_vel: wp.array(dtype=wp.vec3),
    normal: wp.array(dtype=wp.vec3),
    dt: float,
    relaxation: float,
    deltas: wp.array(dtype=wp.vec3),
    body_deltas: wp.array(dtype=wp.spatial_vector),
):
    """Correct a particle and the body of a shape that it touches."""
    particle = contact_particle[i]
    if (flags[particle] & 1) == 0:
        return
    shape = contact_shape[i]
    body = shape_body[shape]
    n = normal[i]
    at = point_of(bodies.q, body, body_pos[i], wp.vec3())
    depth = wp.dot(n, x[particle] - at) - radius[particle]
    if depth > adhesion:
        return
    arm = arm_of(bodies.q, bodies.com, body, at)
    give = inv_mass[particle] + inverse_mass(bodies, body, n, wp.cross(arm, n))
    if give <= 0.0:
        return
    carried = body_vel[i]
    if body >= 0:
        carried = wp.transform_vector(bodies.q[body], body_vel[i])
    velocity = v[particle] - velocity_of(bodies.qd, body, arm) - carried
    slip = velocity - n * wp.dot(n, velocity)
    speed = wp.length(slip)
    mu = 0.5 * (particle_mu + shape_mu[shape])
    across = wp.vec3()
    if speed > 0.0:
        across = slip * (wp.max(mu * depth, -speed * dt) / speed)
    total = (across - n * depth) * (relaxation / give)
    wp.atomic_add(deltas, particle, total * inv_mass[particle])
    if body >= 0:  # bodies take impulses, particles distances
        push = total / dt
        wp.atomic_sub(body_deltas, body, wp.spatial_vector(push, wp.cross(arm, push)))


@wp.kernel
def solve_soft_contacts(
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    inv_mass: wp.array(dtype=float),
    radius: wp.array(dtype=float),
    flags: wp.array(dtype=int),
    bodies: Bodies,
    shape_body: wp.array(dtype=int),
    shape_mu: wp.array(dtype=float),
    particle_mu: float,
    adhesion: float,
    count: wp.array(dtype=int),
    contact_particle: wp.array(dtype=int),
    contact_shape: wp.array(dtype=int),
    body_pos: wp.array(dtype=wp.vec3),
    body_vel: wp.array(dtype=wp.vec3),
    normal: wp.array(dtype=wp.vec3),
    dt: float,
    relaxation: float,
    threads: int,
    deltas: wp.array(dtype=wp.vec3),
    body_deltas: wp.array(dtype=wp.spatial_vector),
):
    """Each thread does every so many of the contacts of particles with shapes."""
    for i in range(wp.tid(), wp.min(count[0], contact_shape.shape[0]), threads):
        solve_soft_contact(
            i, x, v, inv_mass, radius, flags, bodies, shape_body, shape_mu, particle_mu, adhesion,
            contact_particle, contact_shape, body_pos, body_vel, normal, dt, relaxation, deltas,
            body_deltas,
        )  # fmt: skip


@wp.kernel
def apply_to_particles(
    x_before: wp.array(dtype=wp.vec3),
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    flags: wp.array(dtype=int),
    deltas: wp.array(dtype=wp.vec3),
    dt: float,
    v_max: float,
    x_out: wp.array(dtype=wp.vec3),
    v_out: wp.array(dtype=wp.vec3),
):
    """One thread a particle: move it, with the velocity of its way since the step began."""
    i = wp.tid()
    if (flags[i] & 1) == 0:
        x_out[i] = x[i]
        v_out[i] = v[i]
        return
    place = x[i] + deltas[i]
    velocity = (place - x_before[i]) / dt
    speed = wp.length(velocity)
    if speed > v_max:
        velocity = velocity * (v_max / speed)
    x_out[i] = place
    v_out[i] = velocity


@wp.kernel
def rebound_particles(
    v_before: wp.array(dtype=wp.vec3),
    x: wp.array(dtype=wp.vec3),
    radius: wp.array(dtype=float),
    flags: wp.array(dtype=int),
    bodies: Bodies,
    shape_body: wp.array(dtype=int),
    adhesion: float,
    restitution: float,
    count: wp.array(dtype=int),
    contact_particle: wp.array(dtype=int),
    contact_shape: wp.array(dtype=int),
    body_pos: wp.array(dtype=wp.vec3),
    normal: wp.array(dtype=wp.vec3),
    dt: float,
    v: wp.array(dtype=wp.vec3),
):
    """One thread a contact of a particle with a shape; `x` are places before the step."""
    i = wp.tid()
    if i >= wp.min(count[0], contact_shape.shape[0]):
        return
    particle = contact_particle[i]
    if (flags[particle] & 1) == 0:
        return
    body = shape_body[contact_shape[i]]
    n = normal[i]
    at = point_of(bodies.q, body, body_pos[i], wp.vec3())
    carried = velocity_of(bodies.qd, body, arm_of(bodies.q, bodies.com, body, at))
    old = wp.dot(n, v_before[particle] - carried)
    new = wp.dot(n, v[particle] - carried)
    depth = wp.dot(n, x[particle] - at) - radius[particle]
    if old < 0.0 and depth + old * dt <= adhesion:  # they meet within the step
        wp.atomic_add(v, particle, n * (-new - restitution * old))
