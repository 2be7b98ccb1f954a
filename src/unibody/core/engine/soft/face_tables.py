"""Tables that contacts inside of faces are found in: the faces, and rows of their points."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from unibody.core.deform.contacts import COLUMNS
from unibody.core.deform.feature_contacts import CORNERS, FeatureContacts


class Faces(NamedTuple):
    """Triangles whose insides touch rigid bodies.

    Attributes:
        corners: Particles, (f, 3).
        sides: 1 where a side is not one of an earlier face too, else 0; side k is between corners
            k and k + 1, (f, 3).
    """

    corners: Any
    sides: Any

    @classmethod
    def of(cls, corners: Any) -> Self:
        """Of their corners, (f, 3)."""
        corners = np.ascontiguousarray(corners, dtype=np.int64).reshape(-1, CORNERS)
        ends = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2)
        _, firsts = np.unique(np.sort(ends, axis=1), axis=0, return_index=True)
        sides = np.zeros(len(ends), dtype=np.int64)
        sides[firsts] = 1
        return cls(corners, sides.reshape(-1, CORNERS))


class FaceRows(NamedTuple):
    """Room for what points inside of faces touch, beside their `FeatureContacts`.

    Attributes:
        bodies: What each row's point touches, (n,).
        points: Where, (n, 3) [m].
        keys: Of face and geom, (n,); see `contact_tables.Slid`.
        masses: What a point resists as a particle of that mass does, (n,) [kg].
        gaps: From the point to the surface, less how far the soft surface is from the point, (n,)
            [m].
        forces: On the points, of the step after which they are read, (n, 3) [N].
        number: How many rows there are, (1,).
    """

    bodies: Any
    points: Any
    keys: Any
    masses: Any
    gaps: Any
    forces: Any
    number: Any

    @classmethod
    def room(cls, rows: int) -> Self:
        """For so many."""
        return cls(
            np.zeros(rows, dtype=np.int64),
            np.zeros((rows, 3)),
            np.zeros(rows, dtype=np.int64),
            np.zeros(rows),
            np.zeros(rows),
            np.zeros((rows, 3)),
            np.zeros(1, dtype=np.int64),
        )


def feature_room(particles: int, rows: int) -> FeatureContacts:
    """Room for contacts of so many points."""
    return FeatureContacts(
        np.zeros(particles + 1, dtype=np.int64),
        np.zeros(CORNERS * rows, dtype=np.int64),
        np.zeros((rows, COLUMNS), dtype=np.float32),
        np.zeros((rows, CORNERS), dtype=np.int64),
        np.zeros((rows, CORNERS), dtype=np.float32),
    )
