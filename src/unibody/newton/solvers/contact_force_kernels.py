# pyright: basic, reportInvalidTypeForm=false
"""Forces of contacts between shapes: a spring and a damper along the normal, friction across."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.launching import inlined


@wp.struct
class Materials:
    """Stiffness, damping, friction and adhesion of shapes."""

    ke: wp.array(dtype=float)
    kd: wp.array(dtype=float)
    kf: wp.array(dtype=float)
    ka: wp.array(dtype=float)
    mu: wp.array(dtype=float)
    body: wp.array(dtype=int)


@wp.struct
class Points:
    """Contacts as a pipeline writes them."""

    count: wp.array(dtype=int)
    shape0: wp.array(dtype=int)
    shape1: wp.array(dtype=int)
    point0: wp.array(dtype=wp.vec3)
    point1: wp.array(dtype=wp.vec3)
    normal: wp.array(dtype=wp.vec3)
    margin0: wp.array(dtype=float)
    margin1: wp.array(dtype=float)
    stiffness: wp.array(dtype=float)
    damping: wp.array(dtype=float)
    friction: wp.array(dtype=float)
    surface_velocity: wp.array(dtype=wp.vec3)
    sign: float


@inlined
def sliding(points: Points, i: int, n: wp.vec3):
    """How fast the surface of shape1 slides of itself on that of shape0: across the normal."""
    if points.surface_velocity.shape[0] == 0:
        return wp.vec3()
    velocity = points.surface_velocity[i]
    return velocity - n * wp.dot(n, velocity)


@inlined
def point_of(body_q: wp.array(dtype=wp.transform), body: int, local: wp.vec3, offset: wp.vec3):
    """A point of a body, or of the world, in the world frame."""
    if body < 0:
        return local + offset
    return wp.transform_point(body_q[body], local) + offset


@inlined
def arm_of(
    body_q: wp.array(dtype=wp.transform), body_com: wp.array(dtype=wp.vec3), body: int, at: wp.vec3
):
    """From the centre of mass of a body to a point."""
    if body < 0:
        return wp.vec3()
    return at - wp.transform_point(body_q[body], body_com[body])


@wp.func
def velocity_of(body_qd: wp.array(dtype=wp.spatial_vector), body: int, arm: wp.vec3):
    """Velocity of a point of a body."""
    if body < 0:
        return wp.vec3()
    return wp.spatial_top(body_qd[body]) + wp.cross(wp.spatial_bottom(body_qd[body]), arm)


@wp.kernel
def contact_forces(
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    body_com: wp.array(dtype=wp.vec3),
    materials: Materials,
    points: Points,
    smoothing: float,
    body_f: wp.array(dtype=wp.spatial_vector),
    force_out: wp.array(dtype=wp.spatial_vector),
):
    """One thread a contact; `force_out` gets the wrench on the body of shape0, if it has room."""
    i = wp.tid()
    if i >= wp.min(points.count[0], points.shape0.shape[0]):
        return
    a = points.shape0[i]
    b = points.shape1[i]
    if a == b or a < 0 or b < 0:
        return
    ke = 0.5 * (materials.ke[a] + materials.ke[b])
    kd = 0.5 * (materials.kd[a] + materials.kd[b])
    kf = 0.5 * (materials.kf[a] + materials.kf[b])
    ka = 0.5 * (materials.ka[a] + materials.ka[b])
    mu = 0.5 * (materials.mu[a] + materials.mu[b])
    if points.stiffness.shape[0] > 0:
        if points.stiffness[i] > 0.0:
            ke = points.stiffness[i]
        if points.damping[i] > 0.0:
            kd = points.damping[i]
        if points.friction[i] > 0.0:
            mu = mu * points.friction[i]
    body_a = materials.body[a]
    body_b = materials.body[b]
    n = points.sign * points.normal[i]
    at_a = point_of(body_q, body_a, points.point0[i], -points.margin0[i] * n)
    at_b = point_of(body_q, body_b, points.point1[i], points.margin1[i] * n)
    depth = wp.dot(n, at_a - at_b)
    if depth >= ka:
        return
    arm_a = arm_of(body_q, body_com, body_a, at_a)
    arm_b = arm_of(body_q, body_com, body_b, at_b)
    v = velocity_of(body_qd, body_a, arm_a) - velocity_of(body_qd, body_b, arm_b)
    vn = wp.dot(n, v)
    along = depth * ke
    across = wp.vec3()
    if depth < 0.0:
        along = along + wp.min(vn, 0.0) * kd
        slip = v - n * vn - sliding(points, i, n)
        most = -mu * along
        if smoothing > 0.0:
            speed = wp.norm_huber(slip, smoothing)
            if speed > 0.0:
                across = slip * (wp.min(kf * speed, most) / speed)
        elif most > 0.0:
            across = slip * kf
            if wp.length_sq(slip) * kf * kf > most * most:
                across = slip * (most / wp.length(slip))
    force = n * along + across
    if force_out:
        force_out[i] = wp.spatial_vector(-force, -wp.cross(arm_a, force))
    if body_a >= 0:
        wp.atomic_sub(body_f, body_a, wp.spatial_vector(force, wp.cross(arm_a, force)))
    if body_b >= 0:
        wp.atomic_add(body_f, body_b, wp.spatial_vector(force, wp.cross(arm_b, force)))


@wp.kernel
def soft_contact_forces(
    particle_q: wp.array(dtype=wp.vec3),
    particle_qd: wp.array(dtype=wp.vec3),
    particle_radius: wp.array(dtype=float),
    particle_flags: wp.array(dtype=int),
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    body_com: wp.array(dtype=wp.vec3),
    materials: Materials,
    particle_ke: float,
    particle_kd: float,
    particle_kf: float,
    particle_mu: float,
    adhesion: float,
    count: wp.array(dtype=int),
    contact_particle: wp.array(dtype=int),
    contact_shape: wp.array(dtype=int),
    body_pos: wp.array(dtype=wp.vec3),
    body_vel: wp.array(dtype=wp.vec3),
    normal: wp.array(dtype=wp.vec3),
    particle_f: wp.array(dtype=wp.vec3),
    body_f: wp.array(dtype=wp.spatial_vector),
):
    """One thread a contact of a particle with a shape."""
    i = wp.tid()
    if i >= wp.min(count[0], contact_shape.shape[0]):
        return
    particle = contact_particle[i]
    if (particle_flags[particle] & 1) == 0:
        return
    shape = contact_shape[i]
    body = materials.body[shape]
    n = normal[i]
    at = point_of(body_q, body, body_pos[i], wp.vec3())
    depth = wp.dot(n, particle_q[particle] - at) - particle_radius[particle]
    if depth > adhesion:
        return
    ke = 0.5 * (particle_ke + materials.ke[shape])
    kd = 0.5 * (particle_kd + materials.kd[shape])
    kf = 0.5 * (particle_kf + materials.kf[shape])
    mu = 0.5 * (particle_mu + materials.mu[shape])
    arm = arm_of(body_q, body_com, body, at)
    carried = body_vel[i]
    if body >= 0:
        carried = wp.transform_vector(body_q[body], body_vel[i])
    v = particle_qd[particle] - velocity_of(body_qd, body, arm) - carried
    vn = wp.dot(n, v)
    slip = v - n * vn
    speed = wp.length(slip)
    across = wp.vec3()
    if speed > 1.0e-9:
        across = slip * (wp.min(kf * speed, wp.abs(mu * depth * ke)) / speed)
    force = n * (depth * ke + wp.min(vn, 0.0) * kd) + across
    wp.atomic_sub(particle_f, particle, force)
    if body >= 0:
        wp.atomic_add(body_f, body, wp.spatial_vector(force, wp.cross(arm, force)))
