"""What particles touched in a step, and with which forces, as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from unibody.core.deform.contacts import FRICTION, HEIGHT, HELD, NORMAL, STIFFNESS
from unibody.core.engine.soft.contact_rows import Rows


class Touches(NamedTuple):
    """Particles that push rigid bodies.

    Attributes:
        particles: Numbers in the world, (n,).
        bodies: Of MuJoCo, (n,).
        points: Where, (n, 3) [m].
        normals: Of the rigid surfaces, outwards, (n, 3).
        forces: Along them, (n,) [N].
    """

    particles: NDArray[np.int64]
    bodies: NDArray[np.int64]
    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    forces: NDArray[np.float64]

    @classmethod
    def none(cls) -> Self:
        """Nothing is touched."""
        numbers = np.zeros(0, dtype=np.int64)
        return cls(numbers, numbers, np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))


def touches_of(positions: Any, found: Rows) -> Touches:
    """Those of rows that push, with the force along their normals (see `vbd.touch`).

    Args:
        positions: Of all particles after the step, (p, 3) [m].
        found: Its rows.
    """
    count = int(found.first[-1])
    particles = np.repeat(np.arange(len(positions)), np.diff(found.first))
    rows = found.rows[:count].astype(np.float64)
    normals = rows[:, NORMAL : NORMAL + 3]
    places = np.asarray(positions, dtype=np.float64)[particles]
    depth = rows[:, HEIGHT] - np.einsum("ni,ni->n", normals, places)
    forces = rows[:, STIFFNESS] * depth
    pushes = (rows[:, FRICTION] != HELD) & (depth > 0.0) & (forces > 0.0)
    return Touches(
        particles[pushes], found.bodies[:count][pushes].copy(), found.points[:count][pushes].copy(),
        normals[pushes], forces[pushes],
    )  # fmt: skip
