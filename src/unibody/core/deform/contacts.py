"""Contacts of particles with planes that stand for what they touch, for the length of a step."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

NORMAL, HEIGHT, STIFFNESS, DAMPING, FRICTION, GROWTH, MOTION = 0, 3, 4, 5, 6, 7, 8
"""Columns of a contact: normal x, y, z; height of the plane along it [m]; stiffness [N/m]; damping
[N s/m]; friction; way over which friction grows [m]; what is touched moves in the step, x, y, z
[m]."""

COLUMNS = 11

HELD = -1.0
"""Friction of a row that is no contact but a spring, as stiff in all directions, which holds the
particle where the row's motion takes it."""


class Contacts(NamedTuple):
    """Contacts, ordered by particle.

    Attributes:
        first: The first contact of each particle, and the number of all, (p + 1,).
        rows: See `COLUMNS`, (n, COLUMNS).
        order: Which of the given contacts each row is, (n,).
    """

    first: npt.NDArray[np.int64]
    rows: npt.NDArray[np.float32]
    order: npt.NDArray[np.int64]

    @classmethod
    def of(cls, count: int, particles: Any, rows: Any) -> Self:
        """Order contacts by particle.

        Args:
            count: Of all particles.
            particles: Of each contact, (n,).
            rows: See `COLUMNS`, (n, COLUMNS).
        """
        particles = np.asarray(particles, dtype=np.int64)
        order = np.argsort(particles, kind="stable")
        first = np.searchsorted(particles[order], np.arange(count + 1))
        return cls(first, np.ascontiguousarray(rows, dtype=np.float32)[order], order)

    @classmethod
    def none(cls, count: int) -> Self:
        """No contacts of so many particles."""
        return cls.of(count, [], np.zeros((0, COLUMNS)))
