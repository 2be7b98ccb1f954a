"""Masses that files state, and those of links without one."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton import inertia as mass_properties
from unibody.newton.enums import JointType


def set_mass(builder: Any, body: int, mass: float, frame: wp.transform, inertia: Any) -> None:
    """Write what a file says of a body's mass; the inertia is about the centre of mass."""
    tensor = wp.mat33(*np.asarray(inertia, dtype=float).reshape(-1).tolist())
    builder.body_mass[body] = float(mass)
    builder.body_inv_mass[body] = 1.0 / mass if mass > 0.0 else 0.0
    builder.body_com[body] = wp.transform_get_translation(frame)
    builder.body_inertia[body] = tensor
    builder.body_inv_inertia[body] = mass_properties.inverse(tensor) if any(tensor) else tensor


def weigh_links(builder: Any, first: int, mass: float) -> None:
    """Give a mass to links without one that nothing heavy hangs on, and whose joints move.

    Args:
        builder: The builder.
        first: The first body of the file.
        mass: The mass [kg], and each moment of inertia [kg m^2].
    """
    for joint, body in enumerate(builder.joint_child):
        fixed = builder.joint_type[joint] == JointType.FIXED
        if body < first or fixed or builder.joint_children.get(body):
            continue
        if builder.body_mass[body] == 0.0:
            set_mass(builder, body, mass, wp.transform(), mass * np.eye(3))
