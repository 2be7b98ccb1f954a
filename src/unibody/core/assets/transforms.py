"""Rotations and poses as plain floats: quaternions are (w, x, y, z), angles radians."""

from __future__ import annotations

import math

from unibody.core.assets.description import Pose, Quat, Vec3

IDENTITY: Quat = (1.0, 0.0, 0.0, 0.0)
_ROOT_HALF = math.sqrt(0.5)


def quat_from_rpy(roll: float, pitch: float, yaw: float) -> Quat:
    """Quaternion of a rotation about x, then y, then z of the fixed parent frame [rad]."""
    sr, cr = math.sin(roll / 2), math.cos(roll / 2)
    sp, cp = math.sin(pitch / 2), math.cos(pitch / 2)
    sy, cy = math.sin(yaw / 2), math.cos(yaw / 2)
    return quat_normalize(
        (
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        )
    )


def quat_normalize(quat: Quat) -> Quat:
    """The quaternion at unit length; the identity where its length is zero."""
    length = math.hypot(*quat)
    if length == 0.0:
        return IDENTITY
    w, x, y, z = quat
    return (w / length, x / length, y / length, z / length)


def quat_multiply(a: Quat, b: Quat) -> Quat:
    """The rotation ``b`` followed by ``a``: ``R(result) = R(a) R(b)``."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def quat_conjugate(quat: Quat) -> Quat:
    """The inverse rotation of a unit quaternion."""
    w, x, y, z = quat
    return (w, -x, -y, -z)


def quat_rotate(quat: Quat, vector: Vec3) -> Vec3:
    """The vector, given in the child frame, expressed in the parent frame."""
    w, x, y, z = quat
    vx, vy, vz = vector
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


def rotation_vector(quat: Quat) -> Vec3:
    """Axis times angle [rad] of a rotation, of at most half a turn; the length does not matter."""
    w, x, y, z = quat
    sine = math.sqrt(x * x + y * y + z * z)
    if sine == 0.0:
        return 0.0, 0.0, 0.0
    k = 2.0 * math.atan2(sine, abs(w)) / sine
    if w < 0.0:
        k = -k
    return k * x, k * y, k * z


def quat_of_vector(vector: Vec3) -> Quat:
    """The rotation whose axis times angle [rad] a vector is."""
    x, y, z = vector
    angle = math.sqrt(x * x + y * y + z * z)
    k = 0.5 if angle == 0.0 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), k * x, k * y, k * z


def quat_between(start: Vec3, end: Vec3) -> Quat:
    """The shortest rotation that turns the unit vector ``start`` into the unit vector ``end``."""
    cosine = sum(a * b for a, b in zip(start, end, strict=True))
    if cosine < -1.0 + 1e-12:  # opposite: half a turn about any axis at a right angle to start
        smallest = min(range(3), key=lambda index: abs(start[index]))
        other = [0.0, 0.0, 0.0]
        other[smallest] = 1.0
        return quat_normalize((0.0, *_cross(start, (other[0], other[1], other[2]))))
    return quat_normalize((1.0 + cosine, *_cross(start, end)))


def pose_multiply(outer: Pose, inner: Pose) -> Pose:
    """``T_a_c = T_a_b T_b_c`` for ``outer = T_a_b`` and ``inner = T_b_c``."""
    x, y, z = quat_rotate(outer.quat, inner.pos)
    ox, oy, oz = outer.pos
    return Pose((ox + x, oy + y, oz + z), quat_normalize(quat_multiply(outer.quat, inner.quat)))


def pose_inverse(pose: Pose) -> Pose:
    """``T_b_a`` of ``pose = T_a_b``."""
    inverse = quat_conjugate(pose.quat)
    x, y, z = quat_rotate(inverse, pose.pos)
    return Pose((-x, -y, -z), inverse)


def _cross(a: Vec3, b: Vec3) -> Vec3:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def plane_directions(x: float, y: float, z: float) -> tuple[float, ...]:
    """Two unit vectors that span the plane of a unit normal, as Bullet chooses them."""
    if abs(z) > _ROOT_HALF:
        k = 1.0 / math.sqrt(y * y + z * z)
        px, py, pz = 0.0, -z * k, y * k
    else:
        k = 1.0 / math.sqrt(x * x + y * y)
        px, py, pz = -y * k, x * k, 0.0
    return px, py, pz, y * pz - z * py, z * px - x * pz, x * py - y * px
