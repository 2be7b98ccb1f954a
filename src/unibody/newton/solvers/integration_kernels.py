# pyright: basic, reportInvalidTypeForm=false
"""Semi-implicit Euler steps of bodies and particles, as kernels of Warp."""

from __future__ import annotations

import warp as wp

from unibody.newton.enums import BodyFlags
from unibody.newton.gravity_kernels import Gravity, gravity_of

KINEMATIC: int = wp.constant(int(BodyFlags.KINEMATIC))


@wp.kernel
def integrate_particles(
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    f: wp.array(dtype=wp.vec3),
    inv_mass: wp.array(dtype=float),
    flags: wp.array(dtype=wp.int32),
    world: wp.array(dtype=wp.int32),
    gravity: Gravity,
    dt: float,
    v_max: float,
    x_new: wp.array(dtype=wp.vec3),
    v_new: wp.array(dtype=wp.vec3),
):
    """One thread a particle."""
    i = wp.tid()
    velocity = wp.vec3()
    active = (flags[i] & 1) != 0
    if active and inv_mass[i] > 0.0:
        velocity = v[i] + (f[i] * inv_mass[i] + gravity_of(world[i], gravity)) * dt
        speed = wp.length(velocity)
        if speed > v_max:
            velocity = velocity * (v_max / speed)
    elif active:  # a particle without mass moves as it is told
        velocity = v[i]
    x_new[i] = x[i] + velocity * dt
    v_new[i] = velocity


@wp.kernel
def integrate_bodies(
    q: wp.array(dtype=wp.transform),
    qd: wp.array(dtype=wp.spatial_vector),
    f: wp.array(dtype=wp.spatial_vector),
    com: wp.array(dtype=wp.vec3),
    inertia: wp.array(dtype=wp.mat33),
    inv_mass: wp.array(dtype=float),
    inv_inertia: wp.array(dtype=wp.mat33),
    flags: wp.array(dtype=wp.int32),
    world: wp.array(dtype=wp.int32),
    gravity: Gravity,
    angular_damping: float,
    dt: float,
    q_new: wp.array(dtype=wp.transform),
    qd_new: wp.array(dtype=wp.spatial_vector),
):
    """Velocities are those of centres of mass, forces act there."""
    i = wp.tid()
    if (flags[i] & KINEMATIC) != 0:  # it is where scripts put it
        q_new[i] = q[i]
        qd_new[i] = qd[i]
        return
    rot = wp.transform_get_rotation(q[i])
    centre = wp.transform_point(q[i], com[i])
    linear = wp.spatial_top(qd[i])
    angular = wp.spatial_bottom(qd[i])
    if inv_mass[i] > 0.0:
        linear = linear + (wp.spatial_top(f[i]) * inv_mass[i] + gravity_of(world[i], gravity)) * dt
    # Euler's equations in the body's frame
    w = wp.quat_rotate_inv(rot, angular)
    torque = wp.quat_rotate_inv(rot, wp.spatial_bottom(f[i])) - wp.cross(w, inertia[i] * w)
    angular = wp.quat_rotate(rot, w + inv_inertia[i] * torque * dt)
    centre = centre + linear * dt
    rot = wp.normalize(rot + wp.quat(angular, 0.0) * rot * (0.5 * dt))
    angular = angular * (1.0 - angular_damping * dt)
    q_new[i] = wp.transform(centre - wp.quat_rotate(rot, com[i]), rot)
    qd_new[i] = wp.spatial_vector(linear, angular)


@wp.kernel(enable_backward=False)
def mass_of_moving(
    flags: wp.array(dtype=wp.int32),
    inv_mass: wp.array(dtype=float),
    inv_inertia: wp.array(dtype=wp.mat33),
    mass_out: wp.array(dtype=float),
    inertia_out: wp.array(dtype=wp.mat33),
):
    """One thread a body: its inverse mass and inertia, zero if it is kinematic."""
    i = wp.tid()
    if (flags[i] & KINEMATIC) != 0:
        mass_out[i] = 0.0
        inertia_out[i] = wp.mat33()
    else:
        mass_out[i] = inv_mass[i]
        inertia_out[i] = inv_inertia[i]
