"""Tables that contacts of particles are found in: particles, rigid bodies, and rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from unibody.core.deform.contacts import COLUMNS

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

GEOM_BITS = 32
"""Of a key of particle and geom."""


class Particles(NamedTuple):
    """Particles of a world.

    Attributes:
        positions: (p, 3) [m].
        velocities: (p, 3) [m/s].
        masses: Those of held ones are zero, (p,) [kg].
        radii: (p,) [m].
        friction: Coefficient of each, (p,).
    """

    positions: Any
    velocities: Any
    masses: Any
    radii: Any
    friction: Any


class Rigid(NamedTuple):
    """Live arrays of the rigid bodies of a world, by MuJoCo's names.

    Attributes:
        body_invweight0: (nbody, 2).
        body_inertia: (nbody, 3).
        body_rootid: (nbody,).
        geom_bodyid: (ngeom,).
        geom_friction: (ngeom, 3).
        geom_xpos: (ngeom, 3).
        geom_xmat: (ngeom, 9).
        cvel: (nbody, 6).
        subtree_com: (nbody, 3).
        xpos: (nbody, 3).
        xmat: (nbody, 9).
        xipos: (nbody, 3).
        ximat: (nbody, 9).
        xfrc_applied: (nbody, 6).
    """

    body_invweight0: Any
    body_inertia: Any
    body_rootid: Any
    geom_bodyid: Any
    geom_friction: Any
    geom_xpos: Any
    geom_xmat: Any
    cvel: Any
    subtree_com: Any
    xpos: Any
    xmat: Any
    xipos: Any
    ximat: Any
    xfrc_applied: Any

    @classmethod
    def of(cls, model: Any, data: Any) -> Self:
        """Of a compiled model and its data."""
        return cls(
            *(getattr(model if name.startswith(("body_", "geom_b", "geom_f")) else data, name)
              for name in cls._fields)
        )  # fmt: skip


class Held(NamedTuple):
    """Particles that rigid bodies hold, in ascending order.

    Attributes:
        particles: (a,).
        bodies: (a,).
        locals: Where the body holds it, in its frame, (a, 3) [m].
        masses: Of the particles [kg].
    """

    particles: Any
    bodies: Any
    locals: Any
    masses: Any


class Meets(NamedTuple):
    """Which soft bodies touch which rigid ones.

    Attributes:
        owners: Soft body of each particle, (p,).
        allowed: 0 for a soft and a rigid body that do not touch, (b, nbody).
    """

    owners: Any
    allowed: Any

    @classmethod
    def all(cls, counts: Sequence[int], bodies: int) -> Self:
        """All touch, for the numbers of particles of soft bodies, and the number of rigid ones."""
        owners = np.repeat(np.arange(len(counts)), counts)
        return cls(owners, np.ones((len(counts), bodies), dtype=np.int64))


class Slid(NamedTuple):
    """Ways slid, by particle and geom. No way is long: that of another geom does no harm.

    Attributes:
        keys: Of particle and geom, in ascending order, (n,); see `key_of`. Faces are numbered on
            behind the particles.
        ways: (n, 3) [m].
    """

    keys: IntArray
    ways: FloatArray

    @classmethod
    def none(cls) -> Self:
        """Nothing touches."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros((0, 3)))


class Rows(NamedTuple):
    """Room for what is found.

    Attributes:
        first: First row of each particle, and the number of all, (p + 1,).
        rows: See `contacts.COLUMNS`, (n, COLUMNS).
        bodies: What each row's particle touches or is held by, (n,).
        points: Where, (n, 3) [m].
        keys: Of particle and geom, (n,).
        counts: How many rows each body has, then the number of each among those touched, (nbody,).
        forces: On the particles, of the step after which they are read, (n, 3) [N].
    """

    first: Any
    rows: Any
    bodies: Any
    points: Any
    keys: Any
    counts: Any
    forces: Any

    @classmethod
    def room(cls, particles: int, rows: int, bodies: int) -> Self:
        """For so many."""
        return cls(
            np.zeros(particles + 1, dtype=np.int64),
            np.zeros((rows, COLUMNS), dtype=np.float32),
            np.zeros(rows, dtype=np.int64),
            np.zeros((rows, 3)),
            np.zeros(rows, dtype=np.int64),
            np.zeros(bodies, dtype=np.int64),
            np.zeros((rows, 3)),
        )


def key_of(particle: int) -> int:
    """The least key of a particle; its geoms are added."""
    return particle << GEOM_BITS
