"""What particles touched in a step, as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from unibody.core.deform.contacts import FRICTION, HELD, MOTION
from unibody.core.engine.soft.contact_tables import Rows


class Touches(NamedTuple):
    """N contacts between a particle and a rigid body, world frame.

    Attributes:
        particles: Numbers in the world of particles, (N,).
        bodies: Numbers of the rigid bodies in the compiled model, (N,).
        points: Where the particles are, (N, 3) [m].
        normals: Of the rigid surface towards the particle, (N, 3).
        gaps: Between both surfaces, negative where they overlap, (N,) [m].
        heights: Of the particles above the rigid surface, (N,) [m].
        forces: On the particles, (N, 3) [N].
    """

    particles: Any
    bodies: Any
    points: Any
    normals: Any
    gaps: Any
    heights: Any
    forces: Any

    @classmethod
    def none(cls) -> Self:
        """Nothing touches."""
        ids, numbers, vectors = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 3))
        return cls(ids, ids, vectors, vectors, numbers, numbers, vectors)

    @property
    def surface_points(self) -> Any:
        """The nearest points of the rigid surfaces, (N, 3) [m]."""
        return self.points - self.heights[:, None] * self.normals

    @property
    def pushes(self) -> Any:
        """Forces along the normals, (N,) [N]."""
        return np.einsum("ij,ij->i", self.forces, self.normals)


def touches_of(found: Rows, positions: Any, radii: Any) -> Touches:
    """Those of the rows that pushed.

    Args:
        found: Rows of the step, with forces.
        positions: Of particles after it, (p, 3) [m].
        radii: How far the surface of each is from what it touches, (p,) [m].
    """
    count = int(found.first[-1])
    pushed = (found.rows[:count, FRICTION] != HELD) & found.forces[:count].any(axis=1)
    chosen = np.flatnonzero(pushed)
    particles = np.repeat(np.arange(len(positions)), np.diff(found.first))[chosen]
    rows = found.rows[chosen].astype(np.float64)
    normals, moved = rows[:, :3], rows[:, MOTION : MOTION + 3]
    points = positions[particles].astype(np.float64)
    # the point of the surface that was nearest moved with the rigid body during the step
    heights = np.einsum("ij,ij->i", normals, points - found.points[chosen] - moved)
    return Touches(
        particles, found.bodies[chosen], points, normals, heights - radii[particles], heights,
        found.forces[chosen].copy(),
    )  # fmt: skip
