"""Elements of solids from their materials, as stiff as steps of the solver come to their end."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.deform.tables import Tetrahedra

LONGEST_STEP = 1.0 / 240.0
"""In longer steps what meets a soft body comes too far into it [s]."""

# Largest stiffness of a cell over its mass and the step squared: the solver's twenty iterations
# then take back all but a few percent of what a step deforms.
_STIFFEST = 20.0


def substeps_of(dt: float) -> int:
    """Into how many steps a step among soft bodies is divided."""
    return max(math.ceil(dt / LONGEST_STEP - 1e-6), 1)


def particle_masses(density: float, points: Any, tetrahedra: Any) -> NDArray[np.float64]:
    """A quarter of each tetrahedron's mass at each of its corners, (p,) [kg].

    Args:
        density: [kg/m^3].
        points: Of all particles, (p, 3) [m].
        tetrahedra: (n, 4), particles.
    """
    corners = points[tetrahedra]
    volumes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6.0
    masses = np.zeros(len(points))
    np.add.at(masses, tetrahedra, (density * volumes / 4.0)[:, None])
    return masses


def stiffest(masses: Any, points: Any, tetrahedra: Any, dt: float) -> float:
    """The largest Young's modulus at which steps of the solver come to their end [Pa].

    Args:
        masses: Of all particles, (p,) [kg].
        points: Of all particles, (p, 3) [m].
        tetrahedra: (n, 4), particles.
        dt: Time step [s].
    """
    sizes = np.ptp(points[tetrahedra], axis=1).max(axis=1)
    return float(_STIFFEST * masses.mean() / dt**2 / sizes.mean())


def solid(
    points: Any, tetrahedra: Any, *, young: float, poisson: float, damping: float
) -> Tetrahedra:
    """Tetrahedra of a material.

    Args:
        points: At rest, (p, 3) [m].
        tetrahedra: (n, 4), particles.
        young: Young's modulus [Pa].
        poisson: Poisson's ratio, below 0.5.
        damping: Of the rate of strain, over stiffness [s].
    """
    shear = young / (2.0 * (1.0 + poisson))
    stretch = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    return Tetrahedra.at_rest(
        points, tetrahedra, shear=shear, stretch=stretch, damping=damping * shear
    )
