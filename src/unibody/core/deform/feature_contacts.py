"""Contacts of points inside of edges and triangles, for the length of a step."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from unibody.core.deform.contacts import COLUMNS

CORNERS = 3


class FeatureContacts(NamedTuple):
    """Contacts of points that are means of particles, which share the forces by their weights.

    Attributes:
        first: The first entry of each particle in `of`, and the number of all, (p + 1,).
        of: The contact of each entry, (m,).
        rows: What the points touch, see `contacts.COLUMNS`, (n, COLUMNS).
        corners: Particles of each point; the first one again where it is of an edge, (n, 3).
        weights: Of the corners; they sum to one, (n, 3).
    """

    first: npt.NDArray[np.int64]
    of: npt.NDArray[np.int64]
    rows: npt.NDArray[np.float32]
    corners: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float32]

    @classmethod
    def at(cls, count: int, corners: Any, weights: Any, rows: Any) -> Self:
        """List the contacts of each particle.

        Args:
            count: Of all particles.
            corners: Particles of each point, -1 where there is none, (n, 3).
            weights: Of the corners, (n, 3).
            rows: See `contacts.COLUMNS`, (n, COLUMNS).
        """
        corners = np.asarray(corners, dtype=np.int64).reshape(-1, CORNERS)
        missing = corners < 0
        weights = np.where(missing, 0.0, np.asarray(weights).reshape(-1, CORNERS))
        acts = np.flatnonzero(weights.reshape(-1) > 0.0)
        particles = corners.reshape(-1)[acts]
        order = np.argsort(particles, kind="stable")
        first = np.searchsorted(particles[order], np.arange(count + 1))
        return cls(
            first,
            acts[order] // CORNERS,
            np.ascontiguousarray(rows, dtype=np.float32).reshape(-1, COLUMNS),
            np.where(missing, corners[:, :1], corners),
            weights.astype(np.float32),
        )

    @classmethod
    def none(cls, count: int) -> Self:
        """No contacts of so many particles."""
        return cls(
            np.zeros(count + 1, np.int64),
            np.zeros(0, np.int64),
            np.zeros((0, COLUMNS), np.float32),
            np.zeros((0, CORNERS), np.int64),
            np.zeros((0, CORNERS), np.float32),
        )
