# pyright: basic, reportInvalidTypeForm=false
"""Corrections of SolverXPBD by joints that follow others, coordinate by coordinate."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.solvers.contact_force_kernels import arm_of
from unibody.newton.solvers.xpbd_joint_kernels import Axes, impulse, turn_rows
from unibody.newton.solvers.xpbd_motion_kernels import Bodies, apply_pair, inverse_mass

wp.set_module_options({"enable_backward": False})


@wp.struct
class Places:
    """Joints by their bodies, anchors and axes."""

    parent: wp.array(dtype=int)
    child: wp.array(dtype=int)
    X_p: wp.array(dtype=wp.transform)
    X_c: wp.array(dtype=wp.transform)
    dims: wp.array(dtype=int, ndim=2)
    start: wp.array(dtype=int)


@wp.struct
class Direction:
    """A coordinate, and what an impulse along it is for the joint's bodies."""

    value: float
    linear: wp.vec3
    on_parent: wp.vec3
    on_child: wp.vec3
    give: float


@wp.func
def direction_of(bodies: Bodies, axes: Axes, joints: Places, j: int, k: int):
    """The direction of a coordinate of a joint."""
    parent = joints.parent[j]
    child = joints.child[j]
    X_wp = joints.X_p[j]
    if parent >= 0:
        X_wp = bodies.q[parent] * X_wp
    X_wc = bodies.q[child] * joints.X_c[j]
    start = joints.start[j]
    linear = joints.dims[j, 0]
    found = Direction()
    if k < linear:
        n = wp.transform_vector(X_wp, axes.axis[start + k])
        place = wp.transform_get_translation(X_wc)
        found.value = wp.dot(n, place - wp.transform_get_translation(X_wp))
        found.linear = n
        found.on_parent = wp.cross(arm_of(bodies.q, bodies.com, parent, place), n)
        found.on_child = wp.cross(arm_of(bodies.q, bodies.com, child, place), n)
    else:
        frame = wp.transform_get_rotation(X_wp)
        rotation = wp.quat_inverse(frame) * wp.transform_get_rotation(X_wc)
        rows = turn_rows(axes, start + linear, joints.dims[j, 1], frame, rotation)
        found.value = rows[0][k - linear]
        found.on_parent = rows[k - linear + 1]
        found.on_child = found.on_parent
    found.give = inverse_mass(bodies, parent, found.linear, found.on_parent) + inverse_mass(
        bodies, child, found.linear, found.on_child
    )
    return found


@wp.kernel
def solve_followers(
    bodies: Bodies,
    axes: Axes,
    joints: Places,
    enabled: wp.array(dtype=bool),
    mimic_joint: wp.array(dtype=int),
    mimic_coeffs: wp.array(dtype=wp.vec2),
    relaxation: float,
    dt: float,
    deltas: wp.array(dtype=wp.spatial_vector),
):
    """One thread a joint: its coordinates become what those of the joint that it follows say."""
    j = wp.tid()
    leader = mimic_joint[j]
    if leader < 0 or not enabled[j]:
        return
    factor = mimic_coeffs[j][1]
    for k in range(joints.dims[j, 0] + joints.dims[j, 1]):
        own = direction_of(bodies, axes, joints, j, k)
        other = direction_of(bodies, axes, joints, leader, k)
        error = own.value - mimic_coeffs[j][0] - factor * other.value
        give = own.give + factor * factor * other.give
        size = relaxation * impulse(error, 0.0, give, 0.0, 0.0, dt)
        apply_pair(
            deltas,
            joints.parent[j],
            joints.child[j],
            own.linear * size,
            own.on_parent * size,
            own.on_child * size,
        )
        size = -factor * size
        apply_pair(
            deltas,
            joints.parent[leader],
            joints.child[leader],
            other.linear * size,
            other.on_parent * size,
            other.on_child * size,
        )
