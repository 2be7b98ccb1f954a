"""Properties as arrays: one record a degree of freedom, a rigid body, a collision shape.

``DOF``: limits [rad, m] count where ``limited``; stiffness and damping of the drive, its largest
effort [Nm, N], the largest speed [rad/s, m/s] (both may be infinite), friction, armature
[kg m^2, kg], and ``controls``, the bits of ``layout.Control`` it listens to. With ``acceleration``
the drive's gains give accelerations: they act on the inertia that the joint moves.

``BODY``: mass [kg], mass centre in the body's frame [m], inertia about it in axes parallel to the
body's [kg m^2], bits of ``BodyFlag``.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets import description as core
from unibody.core.assets.rotations import rotations

Records = npt.NDArray[np.void]
Array = npt.NDArray[np.float64]

DOF = np.dtype(
    [
        ("limited", "?"),
        ("controls", "<i1"),
        ("acceleration", "?"),
        *((name, "<f8") for name in ("lower", "upper", "stiffness", "damping")),
        *((name, "<f8") for name in ("effort", "speed", "friction", "armature")),
    ]
)
BODY = np.dtype(
    [("mass", "<f8"), ("com", "<f8", (3,)), ("inertia", "<f8", (3, 3)), ("flags", "<u4")]
)
SURFACE = np.dtype([("friction", "<f8"), ("restitution", "<f8")])
_ROUNDING = 1e-6  # share of the sum of the moments


class BodyFlag(enum.IntFlag):
    """What is special about a body; a surface may have further bits of its own."""

    NONE = 0
    WEIGHTLESS = 1  # gravity does not act on it
    DISABLED = 2  # its actor takes no part in the simulation: it stays, and touches nothing
    HELD = 4  # its actor stays where it is put, and others touch it


def body_records(tree: core.Asset, links: Sequence[int]) -> Records:
    """Mass properties of the rigid bodies of a tree.

    Args:
        tree: The links.
        links: Which of them are rigid bodies.

    Returns:
        One ``BODY`` a rigid body: centre of mass in the body's frame, inertia about it in axes
        parallel to the body's.
    """
    records = np.zeros(len(links), BODY)
    for record, number in zip(records, links, strict=True):
        inertial = tree.links[number].inertial
        xx, yy, zz, xy, xz, yz = inertial.inertia
        turn = rotations(inertial.pose.quat)
        record["mass"] = inertial.mass
        record["com"] = inertial.pose.pos
        record["inertia"] = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    return records


def principal(inertia: Array, compiled: Array) -> tuple[Array, Array]:
    """Principal moments and axes of bodies.

    Axes stay those that a body was compiled with where they are principal: MuJoCo treats a body
    whose inertial frame is its own as a simple one, and refuses another frame later.

    Args:
        inertia: Inertias (n, 3, 3) in the frames of the bodies.
        compiled: Axes as quaternions wxyz (n, 4).

    Returns:
        Moments (n, 3), and axes as quaternions wxyz (n, 4).
    """
    moments, axes = np.linalg.eigh(inertia)
    axes[np.linalg.det(axes) < 0.0, :, 2] *= -1.0
    quats = quaternions(axes)
    turn = rotations(compiled)
    own = np.swapaxes(turn, -1, -2) @ inertia @ turn
    kept = ~has_products(own)
    moments[kept] = np.diagonal(own, axis1=-2, axis2=-1)[kept]
    quats[kept] = compiled[kept]
    return moments, quats


def has_products(inertia: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.bool_]:
    """Whether axes are not principal ones of inertias (..., 3, 3), beyond float32's rounding."""
    products = np.abs(inertia[..., (0, 0, 1), (1, 2, 2)]).max(axis=-1)
    return products > _ROUNDING * np.trace(inertia, axis1=-2, axis2=-1)


def quaternions(matrices: npt.NDArray[np.floating[Any]]) -> Array:
    """Unit quaternions wxyz (n, 4) of rotations (n, 3, 3): Bar-Itzhack's eigenvector method.

    Those of rotations that are not finite are NaN.
    """
    m = matrices
    k = np.zeros((len(m), 4, 4))
    k[:, 0, 0] = m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]
    k[:, 1:, 1:] = m + m.transpose(0, 2, 1)
    k[:, (1, 2, 3), (1, 2, 3)] -= k[:, :1, 0]
    k[:, 0, 1] = k[:, 1, 0] = m[:, 2, 1] - m[:, 1, 2]
    k[:, 0, 2] = k[:, 2, 0] = m[:, 0, 2] - m[:, 2, 0]
    k[:, 0, 3] = k[:, 3, 0] = m[:, 1, 0] - m[:, 0, 1]
    lost = ~np.isfinite(k).all(axis=(1, 2))
    k[lost] = 0.0
    found: Array = np.linalg.eigh(k)[1][:, :, 3]
    found[lost] = np.nan
    return found
