# pyright: basic, reportInvalidTypeForm=false
"""Bodies of SolverVBD, the blocks that they are solved by, and rows with compliance."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.launching import inlined

wp.set_module_options({"enable_backward": False})


@wp.struct
class Bodies:
    """Bodies now, at the step's begin, and where they would be without constraints."""

    q: wp.array(dtype=wp.transform)
    before: wp.array(dtype=wp.transform)
    free: wp.array(dtype=wp.transform)
    com: wp.array(dtype=wp.vec3)
    mass: wp.array(dtype=float)
    inv_mass: wp.array(dtype=float)
    inertia: wp.array(dtype=wp.mat33)
    inv_inertia: wp.array(dtype=wp.mat33)


@wp.struct
class Block:
    """Force and torque on a body, and the stiffness against its motion."""

    force: wp.vec3
    torque: wp.vec3
    ll: wp.mat33
    al: wp.mat33
    aa: wp.mat33


@wp.struct
class Loads:
    """What particles, or tendons, do to bodies: a block of each body, or no arrays."""

    force: wp.array(dtype=wp.vec3)
    torque: wp.array(dtype=wp.vec3)
    ll: wp.array(dtype=wp.mat33)
    al: wp.array(dtype=wp.mat33)
    aa: wp.array(dtype=wp.mat33)


@inlined
def pushed(block: Block, arm: wp.vec3, force: wp.vec3, stiffness: wp.mat33):
    """A block with a force at a point of the body."""
    turn = wp.skew(arm)
    block.force = block.force + force
    block.torque = block.torque + wp.cross(arm, force)
    block.ll = block.ll + stiffness
    block.al = block.al + turn * stiffness
    block.aa = block.aa + turn * stiffness * wp.transpose(turn)
    return block


@inlined
def inverse_of(stiffness: wp.mat33):
    """The inverse of a stiffness, whose determinant single precision need not hold."""
    scale = 1.0 / wp.max(wp.trace(stiffness), 1.0e-30)
    return wp.inverse(stiffness * scale) * scale


@inlined
def pose_of(q: wp.array(dtype=wp.transform), body: int):
    """The pose of a body; -1: the world."""
    if body < 0:
        return wp.transform_identity()
    return q[body]


@inlined
def eased(material: float, metric: float):
    """Of a row with compliance: the share of its multiplier that stays, and its stiffness.

    The row's force is ``stiffness * error + share * multiplier``, and is the next multiplier: at
    rest it is ``material * error``, however large the metric is. Rows without either do nothing.
    """
    if material <= 0.0 or metric <= 0.0:
        return wp.vec2(0.0, 0.0)
    if material >= metric:
        share = 1.0 / (1.0 + metric / material)
        return wp.vec2(share, metric * share)
    rest = 1.0 / (1.0 + material / metric)
    return wp.vec2(material / metric * rest, material * rest)


@wp.func
def mobility_along(bodies: Bodies, body: int, at: wp.vec3, way: wp.vec3):
    """How easily a body lets a point of it go along a direction [1/kg]; none of the world."""
    if body < 0:
        return 0.0
    if bodies.inv_mass[body] == 0.0:
        return 0.0
    arm = at - wp.transform_point(bodies.q[body], bodies.com[body])
    rotation = wp.transform_get_rotation(bodies.q[body])
    lever = wp.quat_rotate_inv(rotation, wp.cross(arm, way))
    return bodies.inv_mass[body] + wp.dot(lever, bodies.inv_inertia[body] * lever)


@wp.func
def mobility_about(bodies: Bodies, body: int, axis: wp.vec3):
    """How easily a body turns about an axis [1/(kg m^2)]; none of the world."""
    if body < 0:
        return 0.0
    if bodies.inv_mass[body] == 0.0:
        return 0.0
    own = wp.quat_rotate_inv(wp.transform_get_rotation(bodies.q[body]), axis)
    return wp.dot(own, bodies.inv_inertia[body] * own)
