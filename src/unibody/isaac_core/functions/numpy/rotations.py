"""Rotations, one or many: quaternions w, x, y, z, angles about x, y, z, and matrices of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf

from unibody.isaac_core import convert

__all__ = [
    "deg2rad", "euler_angles_to_quats", "gf_quat_to_tensor", "quats_to_euler_angles",
    "quats_to_rot_matrices", "quats_to_rotvecs", "rad2deg", "rot_matrices_to_quats",
    "rotvecs_to_quats", "wxyz2xyzw", "xyzw2wxyz",
]  # fmt: skip


def gf_quat_to_tensor(
    orientation: Gf.Quatd | Gf.Quatf | Gf.Quaternion, device: Any = None
) -> np.ndarray:
    """(4,) w, x, y, z of a quaternion of USD."""
    return convert.quat_wxyz(orientation)


def deg2rad(degree_value: np.ndarray, device: Any = None) -> np.ndarray:
    """Radians of degrees."""
    return np.deg2rad(degree_value)


def rad2deg(radian_value: np.ndarray, device: Any = None) -> np.ndarray:
    """Degrees of radians."""
    return np.rad2deg(radian_value)


def xyzw2wxyz(q: Any, ret_torch: bool = False) -> Any:
    """Quaternions w, x, y, z of x, y, z, w."""
    return _returned(np.roll(np.asarray(q), 1, axis=-1), ret_torch)


def wxyz2xyzw(q: Any, ret_torch: bool = False) -> Any:
    """Quaternions x, y, z, w of w, x, y, z."""
    return _returned(np.roll(np.asarray(q), -1, axis=-1), ret_torch)


def quats_to_rot_matrices(quaternions: np.ndarray, device: Any = None) -> np.ndarray:
    """(..., 3, 3) matrices of quaternions, which need not be of unit length."""
    q = np.asarray(quaternions, dtype=np.float64)
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rot_matrices_to_quats(rotation_matrices: np.ndarray, device: Any = None) -> np.ndarray:
    """(..., 4) quaternions of matrices.

    The squares of all four components follow from the diagonal; the largest is taken, and the
    others from the sums and differences that hold its products.
    """
    m = np.asarray(rotation_matrices, dtype=np.float64)[..., :3, :3]
    a, b, c = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    four_squares = np.stack([1 + a + b + c, 1 + a - b - c, 1 - a + b - c, 1 - a - b + c], axis=-1)
    wx, wy, wz = (
        m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    )  # fmt: skip
    xy, xz, yz = (
        m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 2, 1] + m[..., 1, 2]
    )  # fmt: skip
    w, x, y, z = np.moveaxis(four_squares, -1, 0)
    rows = np.stack(
        [
            np.stack([w, wx, wy, wz], axis=-1),
            np.stack([wx, x, xy, xz], axis=-1),
            np.stack([wy, xy, y, yz], axis=-1),
            np.stack([wz, xz, yz, z], axis=-1),
        ],
        axis=-2,
    )
    largest = np.argmax(four_squares, axis=-1)[..., None, None]
    found = np.take_along_axis(rows, largest, axis=-2)[..., 0, :]
    found /= np.linalg.norm(found, axis=-1, keepdims=True)
    return np.where(found[..., :1] < 0, -found, found)


def quats_to_rotvecs(quaternions: np.ndarray, device: Any = None) -> np.ndarray:
    """(..., 3) axes times angles [rad] of quaternions."""
    q = np.asarray(quaternions, dtype=np.float64)
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., :1])
    small = sine < 1e-12  # there sin(a / 2) is a / 2 to the last bit
    return q[..., 1:] * np.where(small, 2.0, angle / np.where(small, 1.0, sine))


def rotvecs_to_quats(
    rotation_vectors: np.ndarray, degrees: bool = False, device: Any = None
) -> np.ndarray:
    """(..., 4) quaternions of axes times angles."""
    v = np.asarray(rotation_vectors, dtype=np.float64)
    v = np.deg2rad(v) if degrees else v
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    half_sinc = 0.5 * np.sinc(angle / (2 * np.pi))
    return np.concatenate([np.cos(angle / 2), v * half_sinc], axis=-1)


def euler_angles_to_quats(
    euler_angles: np.ndarray,
    degrees: bool = False,
    extrinsic: bool = True,
    device: Any = None,
) -> np.ndarray:
    """(..., 4) quaternions of angles about x, y and z.

    Args:
        euler_angles: (..., 3).
        degrees: Whether they are degrees, not radians.
        extrinsic: Whether the axes stay where they are while it turns.
        device: Not used by NumPy.
    """
    angles = np.asarray(euler_angles, dtype=np.float64)
    half = 0.5 * (np.deg2rad(angles) if degrees else angles)
    turns = []
    for axis in range(3):
        turn = np.zeros((*half.shape[:-1], 4))
        turn[..., 0], turn[..., axis + 1] = np.cos(half[..., axis]), np.sin(half[..., axis])
        turns.append(turn)
    x, y, z = turns
    return multiplied(z, multiplied(y, x)) if extrinsic else multiplied(x, multiplied(y, z))


def quats_to_euler_angles(
    quaternions: np.ndarray,
    degrees: bool = False,
    extrinsic: bool = True,
    device: Any = None,
) -> np.ndarray:
    """(..., 3) angles about x, y and z of quaternions; the second is within a quarter turn.

    Where the second is a quarter turn, only the sum or difference of the others is given: then
    one of them is 0.
    """
    m = quats_to_rot_matrices(quaternions)
    if extrinsic:  # R = Rz Ry Rx
        sine = -m[..., 2, 0]
        first = np.arctan2(m[..., 2, 1], m[..., 2, 2])
        last = np.arctan2(m[..., 1, 0], m[..., 0, 0])
        locked = np.arctan2(-m[..., 0, 1], m[..., 1, 1])
    else:  # R = Rx Ry Rz
        sine = m[..., 0, 2]
        first = np.arctan2(-m[..., 1, 2], m[..., 2, 2])
        last = np.arctan2(-m[..., 0, 1], m[..., 0, 0])
        locked = np.arctan2(m[..., 1, 0], m[..., 1, 1])
    second = np.arcsin(np.clip(sine, -1.0, 1.0))
    at_the_pole = np.abs(sine) > 1 - 1e-12
    first = np.where(at_the_pole, 0.0, first)
    last = np.where(at_the_pole, locked, last)
    angles = np.stack([first, second, last], axis=-1)
    return np.rad2deg(angles) if degrees else angles


def multiplied(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(..., 4) products of quaternions w, x, y, z."""
    w1, x1, y1, z1 = np.moveaxis(a, -1, 0)
    w2, x2, y2, z2 = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
        ],
        axis=-1,
    )


def _returned(array: np.ndarray, ret_torch: bool) -> Any:
    if not ret_torch:
        return array
    import torch

    return torch.from_numpy(array.astype(np.float32))
