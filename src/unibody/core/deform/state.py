"""Where particles are, and how they move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError

FloatArray = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class State:
    """All that a step begins with.

    Attributes:
        positions: In double precision, so that what moves slowly far from the origin does not stop,
            (p, 3) [m].
        velocities: (p, 3) [m/s].
        accelerations: What the last step came to, (p, 3) [m/s^2]; a guess for the next one.
    """

    positions: FloatArray
    velocities: FloatArray
    accelerations: FloatArray

    @classmethod
    def at(cls, positions: Any, velocities: Any = 0.0, accelerations: Any = 0.0) -> Self:
        """A state with copies of what is given.

        Args:
            positions: (p, 3) [m].
            velocities: (3,) or (p, 3) [m/s].
            accelerations: What the particles are expected to begin with, (3,) or (p, 3) [m/s^2].

        Raises:
            InvalidArgumentError: If a position is not three finite numbers.
        """
        places = np.array(positions, dtype=np.float64)
        if places.ndim != 2 or places.shape[1] != 3 or not np.isfinite(places).all():
            raise InvalidArgumentError("positions", places.shape, "finite numbers, (p, 3)")
        motion = (
            np.ascontiguousarray(np.broadcast_to(np.float32(part), places.shape)).copy()
            for part in (velocities, accelerations)
        )
        return cls(places, *motion)
