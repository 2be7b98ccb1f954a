"""The only place where order and frames change between PyBullet and the engine.

PyBullet: quaternions (x, y, z, w), poses at the centre of mass, angular velocity in the world
frame. Engine: quaternions (w, x, y, z), poses of link frames, angular velocity of a free joint in
the body frame.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from unibody.core.assets.description import Pose, Quat, Vec3
from unibody.core.assets.transforms import pose_inverse, quat_multiply, quat_rotate

IDENTITY = Pose()


def xyzw(quat: Sequence[float]) -> tuple[float, float, float, float]:
    """(w, x, y, z) to (x, y, z, w)."""
    w, x, y, z = quat
    return (x, y, z, w)


def signed_xyzw(quat: Quat) -> tuple[float, float, float, float]:
    """(w, x, y, z) to (x, y, z, w) with the sign Bullet reports.

    Bullet keeps matrices and takes the quaternion from them: ``w`` is positive if ``w*w > 1/4``,
    else the largest of x, y, z is.
    """
    w, x, y, z = quat
    if w * w > 0.25:
        lead = w
    elif x * x >= y * y:
        lead = x if x * x >= z * z else z
    else:
        lead = y if y * y >= z * z else z
    return (x, y, z, w) if lead > 0.0 else (-x, -y, -z, -w)


def wxyz(quat: Sequence[float]) -> Quat:
    """(x, y, z, w), of any length but zero, to a unit (w, x, y, z); zero becomes the identity."""
    x, y, z, w = quat
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    if norm == 0.0:
        return (1.0, 0.0, 0.0, 0.0)
    return (w / norm, x / norm, y / norm, z / norm)


def unit(quat: Quat) -> Quat:
    """The quaternion, which is nearly that already, at unit length."""
    w, x, y, z = quat
    norm = math.sqrt(w * w + x * x + y * y + z * z)
    return (w / norm, x / norm, y / norm, z / norm)


def _within(outer: Pose, inner: Pose) -> Pose:
    """``T_a_c = T_a_b T_b_c``, to the last bit as the compiled functions have it."""
    x, y, z = quat_rotate(outer.quat, inner.pos)
    ox, oy, oz = outer.pos
    return Pose((ox + x, oy + y, oz + z), unit(quat_multiply(outer.quat, inner.quat)))


def link_pose(com_pose: Pose, com_in_link: Pose) -> Pose:
    """``T_world_link`` from ``T_world_com``."""
    return _within(com_pose, pose_inverse(com_in_link))


def com_pose(link_pose: Pose, com_in_link: Pose) -> Pose:
    """``T_world_com`` from ``T_world_link``."""
    return _within(link_pose, com_in_link)


def rotate_back(quat: Quat, vector: Vec3) -> Vec3:
    """A world vector in the frame that ``quat`` turns into the world."""
    w, x, y, z = quat
    a, b, c = vector
    tx = 2.0 * (b * z - c * y)
    ty = 2.0 * (c * x - a * z)
    tz = 2.0 * (a * y - b * x)
    return (
        a + w * tx + (z * ty - y * tz),
        b + w * ty + (x * tz - z * tx),
        c + w * tz + (y * tx - x * ty),
    )


def add_cross(base: Vec3, w: Vec3, r: Vec3, sign: float) -> Vec3:
    """``base + sign * (w x r)``."""
    return (
        base[0] + sign * (w[1] * r[2] - w[2] * r[1]),
        base[1] + sign * (w[2] * r[0] - w[0] * r[2]),
        base[2] + sign * (w[0] * r[1] - w[1] * r[0]),
    )
