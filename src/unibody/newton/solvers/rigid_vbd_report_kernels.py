# pyright: basic, reportInvalidTypeForm=false
"""Contacts of SolverVBD's rigid bodies, told after a step."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.solvers.contact_force_kernels import Points, point_of
from unibody.newton.solvers.rigid_vbd_block_kernels import Block, Bodies
from unibody.newton.solvers.rigid_vbd_contact_kernels import Materials, add_contact

wp.set_module_options({"enable_backward": False})


@wp.kernel
def report_contacts(
    bodies: Bodies,
    points: Points,
    shapes: Materials,
    offset0: wp.array(dtype=wp.vec3),
    offset1: wp.array(dtype=wp.vec3),
    slow: float,
    dt: float,
    first: wp.array(dtype=int),
    second: wp.array(dtype=int),
    at_first: wp.array(dtype=wp.vec3),
    at_second: wp.array(dtype=wp.vec3),
    force: wp.array(dtype=wp.vec3),
):
    """One thread a contact: its bodies, where they touch, and the force on the second."""
    c = wp.tid()
    if c >= wp.min(points.count[0], points.shape0.shape[0]):
        return
    a = shapes.body[points.shape0[c]]
    b = shapes.body[points.shape1[c]]
    first[c] = a
    second[c] = b
    at_first[c] = point_of(bodies.q, a, points.point0[c] + offset0[c], wp.vec3())
    at_second[c] = point_of(bodies.q, b, points.point1[c] + offset1[c], wp.vec3())
    if a == b:
        return
    block = Block()
    if b >= 0:
        block = add_contact(block, bodies, points, shapes, c, b, slow, dt)
        force[c] = block.force
    else:
        block = add_contact(block, bodies, points, shapes, c, a, slow, dt)
        force[c] = -block.force
