"""Mass properties of shapes, as scripts ask for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton import inertia as mass_properties
from unibody.newton.convert import rotation


def compute_inertia_shape(
    type: int,
    scale: Any,
    src: Any,
    density: float,
    is_solid: bool = True,
    thickness: float = 0.001,
) -> tuple[float, wp.vec3, wp.mat33]:
    """Mass, centre and moments of a shape.

    Args:
        type: Of `GeoType`.
        scale: Its sizes [m].
        src: Its mesh, if it has one.
        density: kg/m^3.
        is_solid: Whether it is filled.
        thickness: Of the wall of one that is not [m].

    Returns:
        Mass [kg], centre [m], and the moments about it [kg m^2].
    """
    sizes = tuple(float(value) for value in scale)
    found = mass_properties.shape(type, sizes, src, density, is_solid, thickness)
    moments = np.asarray(found.inertia, dtype=float).reshape(-1).tolist()
    return float(found.mass), wp.vec3(*np.asarray(found.com).tolist()), wp.mat33(*moments)


def transform_inertia(mass: float, inertia: Any, offset: Any, quat: Any) -> wp.mat33:
    """Moments of a body that is turned and moved, about the point that it was about.

    Args:
        mass: kg.
        inertia: About the centre of mass [kg m^2].
        offset: Of the centre of mass [m].
        quat: The turn, as (x, y, z, w).
    """
    turn = rotation([float(value) for value in quat])
    matrix = turn @ np.array(inertia, dtype=float).reshape(3, 3) @ turn.T
    arm = np.array([float(value) for value in offset])
    matrix += mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return wp.mat33(*matrix.reshape(-1).tolist())
