# pyright: basic, reportInvalidTypeForm=false
"""Kernels of muscles."""

from __future__ import annotations

import warp as wp

from unibody.newton.solvers.contact_force_kernels import arm_of, point_of


@wp.kernel
def muscle_forces(
    body_q: wp.array(dtype=wp.transform),
    body_com: wp.array(dtype=wp.vec3),
    start: wp.array(dtype=int),
    bodies: wp.array(dtype=int),
    points: wp.array(dtype=wp.vec3),
    activation: wp.array(dtype=float),
    body_f: wp.array(dtype=wp.spatial_vector),
):
    """One thread a muscle: its activation [N] pulls neighbouring points together."""
    m = wp.tid()
    for i in range(start[m], start[m + 1] - 1):
        a = bodies[i]
        b = bodies[i + 1]
        if a != b:
            at_a = point_of(body_q, a, points[i], wp.vec3())
            at_b = point_of(body_q, b, points[i + 1], wp.vec3())
            force = wp.normalize(at_b - at_a) * activation[m]
            if a >= 0:
                arm = arm_of(body_q, body_com, a, at_a)
                wp.atomic_add(body_f, a, wp.spatial_vector(force, wp.cross(arm, force)))
            if b >= 0:
                arm = arm_of(body_q, body_com, b, at_b)
                wp.atomic_sub(body_f, b, wp.spatial_vector(force, wp.cross(arm, force)))
