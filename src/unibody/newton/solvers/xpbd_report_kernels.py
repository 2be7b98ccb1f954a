# pyright: basic, reportInvalidTypeForm=false
"""Forces of contacts from the impulses of SolverXPBD."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def report_forces(
    count: wp.array(dtype=int),
    pressed: wp.array(dtype=wp.vec3),
    dt: float,
    force: wp.array(dtype=wp.spatial_vector),
):
    """One thread a contact: the force on the body of shape0."""
    i = wp.tid()
    if i < count[0]:
        force[i] = wp.spatial_vector(-pressed[i] / dt, wp.vec3())


@wp.kernel
def report_wrenches(
    told: wp.array(dtype=wp.spatial_vector), dt: float, wrench: wp.array(dtype=wp.spatial_vector)
):
    """One thread a body: the mean force of its joint in the step."""
    i = wp.tid()
    wrench[i] = told[i] / dt
