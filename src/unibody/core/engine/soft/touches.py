"""What particles touched in a step, as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from unibody.core.deform.contacts import FRICTION, HELD, MOTION
from unibody.core.deform.feature_contacts import FeatureContacts
from unibody.core.engine.soft.contact_tables import Rows
from unibody.core.engine.soft.face_tables import FaceRows


class Touches(NamedTuple):
    """N contacts between a particle, or a point of a face, and a rigid body, world frame.

    Attributes:
        particles: Numbers in the world of particles; inside of faces the nearest corner, (N,).
        bodies: Numbers of the rigid bodies in the compiled model, (N,).
        points: Where the particles are, or the points inside of faces, (N, 3) [m].
        normals: Of the rigid surface towards the particle, (N, 3).
        gaps: Between both surfaces, negative where they overlap, (N,) [m].
        heights: Of these points above the rigid surface, (N,) [m].
        forces: On these points, (N, 3) [N].
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


def touches_of(
    found: Rows, features: FeatureContacts, points: FaceRows, positions: Any, radii: Any
) -> Touches:
    """Those of the rows that pushed.

    Args:
        found: Rows of the step, with forces.
        features: What points inside of faces touched.
        points: The rest of that, with forces.
        positions: Of particles after the step, (p, 3) [m].
        radii: How far the surface of each is from what it touches, (p,) [m].
    """
    count = int(found.first[-1])
    pushed = (found.rows[:count, FRICTION] != HELD) & found.forces[:count].any(axis=1)
    chosen = np.flatnonzero(pushed)
    particles = np.repeat(np.arange(len(positions)), np.diff(found.first))[chosen]
    places = positions[particles].astype(np.float64)
    touches = _touches(particles, places, found.rows, found, chosen, radii)
    inside = np.flatnonzero(points.forces[: points.number[0]].any(axis=1))
    if not len(inside):
        return touches
    corners, weights = features.corners[inside], features.weights[inside].astype(np.float64)
    places = np.einsum("nk,nka->na", weights, positions[corners].astype(np.float64))
    nearest = np.take_along_axis(corners, weights.argmax(axis=1)[:, None], axis=1)[:, 0]
    more = _touches(nearest, places, features.rows, points, inside, radii)
    return Touches(*(np.concatenate(both) for both in zip(touches, more, strict=True)))


def _touches(  # noqa: PLR0913, PLR0917
    particles: Any, places: Any, rows: Any, found: Rows | FaceRows, chosen: Any, radii: Any, /
) -> Touches:
    """Contacts of given particles at given places, of the chosen rows."""
    rows = rows[chosen].astype(np.float64)
    normals, moved = rows[:, :3], rows[:, MOTION : MOTION + 3]
    # the point of the surface that was nearest moved with the rigid body during the step
    heights = np.einsum("ij,ij->i", normals, places - found.points[chosen] - moved)
    return Touches(
        particles, found.bodies[chosen], places, normals, heights - radii[particles], heights,
        found.forces[chosen].copy(),
    )  # fmt: skip
