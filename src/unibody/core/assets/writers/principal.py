"""Inertia as principal moments."""

from __future__ import annotations

import numpy as np

from unibody.core.assets.description import Inertial, Pose, Vec3
from unibody.core.assets.mass.properties import rotation
from unibody.core.assets.usd.geometry import quat_of


def principal_moments(inertial: Inertial) -> tuple[Pose, Vec3]:
    """The pose of the principal axes in the link, at the centre of mass, and the moments."""
    xx, yy, zz, xy, xz, yz = inertial.inertia
    pose = inertial.pose
    if not (xy or xz or yz):
        return pose, (xx, yy, zz)
    found, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    a, b, c = found.tolist()
    return Pose(pose.pos, quat_of(rotation(pose.quat) @ axes)), (a, b, c)
