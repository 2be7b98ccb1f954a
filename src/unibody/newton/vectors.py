"""Functions of vectors for kernels, which scripts know as ``newton.math``."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import warp as wp


@wp.func
def vec_allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> bool:
    """Whether all numbers of two vectors are near."""
    for i in range(wp.static(len(a))):  # noqa: SIM110
        if wp.abs(a[i] - b[i]) > atol + rtol * wp.abs(b[i]):
            return False
    return True


@wp.func
def vec_inside_limits(a: Any, lower: Any, upper: Any) -> bool:
    """Whether all numbers of a vector are between those of two others."""
    for i in range(wp.static(len(a))):  # noqa: SIM110
        if a[i] < lower[i] or a[i] > upper[i]:
            return False
    return True


@wp.func
def vec_min(a: Any, b: Any):
    """The lesser of each two numbers."""
    return wp.min(a, b)


@wp.func
def vec_max(a: Any, b: Any):
    """The greater of each two numbers."""
    return wp.max(a, b)


@wp.func
def vec_abs(a: Any):
    """The absolute value of each number."""
    return wp.abs(a)


@wp.func
def quat_between_vectors_robust(from_vec: wp.vec3, to_vec: wp.vec3, eps: float = 1.0e-8) -> wp.quat:
    """The shortest rotation from a unit vector to another; opposite ones turn about some axis.

    Args:
        from_vec: Unit vector.
        to_vec: Unit vector.
        eps: Half the squared distance below which vectors count as equal or opposite.
    """
    apart = from_vec - to_vec
    if wp.length_sq(apart) <= 2.0 * eps:
        return wp.quat_identity()
    together = from_vec + to_vec
    if wp.length_sq(together) > 2.0 * eps:
        return wp.quat_between_vectors(from_vec, to_vec)
    side = wp.vec3(1.0, 0.0, 0.0)
    if wp.abs(from_vec[0]) >= 0.9:
        side = wp.vec3(0.0, 1.0, 0.0)
    return wp.quat_from_axis_angle(wp.normalize(wp.cross(from_vec, side)), wp.pi)


@wp.func
def boltzmann(a: float, b: float, alpha: float):
    """The mean for alpha 0, towards the greater above and the lesser below."""
    first = wp.exp(alpha * a)
    second = wp.exp(alpha * b)
    return (a * first + b * second) / (first + second)


@wp.func
def smooth_max(a: float, b: float, eps: float):
    """The greater of two numbers, rounded where they are within the root of ``eps``."""
    return 0.5 * (a + b + wp.sqrt((a - b) * (a - b) + eps))


@wp.func
def smooth_min(a: float, b: float, eps: float):
    """The lesser of two numbers, rounded where they are within the root of ``eps``."""
    return 0.5 * (a + b - wp.sqrt((a - b) * (a - b) + eps))


@wp.func
def leaky_max(a: float, b: float):
    """`smooth_max` with 1e-5."""
    return smooth_max(a, b, 1e-5)


@wp.func
def leaky_min(a: float, b: float):
    """`smooth_min` with 1e-5."""
    return smooth_min(a, b, 1e-5)


@wp.func
def vec_leaky_max(a: wp.vec3, b: wp.vec3):
    """`leaky_max` of each two numbers."""
    return wp.vec3(leaky_max(a[0], b[0]), leaky_max(a[1], b[1]), leaky_max(a[2], b[2]))


@wp.func
def vec_leaky_min(a: wp.vec3, b: wp.vec3):
    """`leaky_min` of each two numbers."""
    return wp.vec3(leaky_min(a[0], b[0]), leaky_min(a[1], b[1]), leaky_min(a[2], b[2]))


@wp.func
def velocity_at_point(qd: wp.spatial_vector, r: wp.vec3):
    """Velocity of a point of a body [m/s], from the point that its twist is for [m]."""
    return wp.spatial_top(qd) + wp.cross(wp.spatial_bottom(qd), r)


@wp.func
def quat_twist(axis: wp.vec3, q: wp.quat):
    """The part of a rotation that turns about an axis."""
    along = wp.dot(wp.vec3(q[0], q[1], q[2]), axis)
    return wp.normalize(wp.quat(along * axis[0], along * axis[1], along * axis[2], q[3]))


@wp.func
def quat_twist_angle(axis: wp.vec3, q: wp.quat):
    """The angle of `quat_twist` [rad]."""
    return 2.0 * wp.acos(quat_twist(axis, q)[3])


@wp.func
def transform_twist(t: wp.transform, x: wp.spatial_vector):
    """A twist in another frame: linear part first."""
    angular = wp.quat_rotate(wp.transform_get_rotation(t), wp.spatial_bottom(x))
    linear = wp.quat_rotate(wp.transform_get_rotation(t), wp.spatial_top(x))
    return wp.spatial_vector(linear + wp.cross(wp.transform_get_translation(t), angular), angular)


@wp.func
def transform_wrench(t: wp.transform, x: wp.spatial_vector):
    """A wrench in another frame: force first."""
    force = wp.quat_rotate(wp.transform_get_rotation(t), wp.spatial_top(x))
    torque = wp.quat_rotate(wp.transform_get_rotation(t), wp.spatial_bottom(x))
    return wp.spatial_vector(force, torque + wp.cross(wp.transform_get_translation(t), force))


def quat_between_axes(*axes: Any) -> wp.quat:
    """The rotation from each axis to the next, one behind another.

    Until newton 1.0 each is about axes that those before it have turned.
    """
    from unibody.newton.dialect import is_after_first_of_1
    from unibody.newton.enums import Axis

    turn = wp.quat_identity()
    for first, second in pairwise(axes):
        more = Axis.from_any(first).quat_between_axes(Axis.from_any(second))
        turn = more * turn if is_after_first_of_1() else turn * more
    return turn
