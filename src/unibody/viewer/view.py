"""Where a camera stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vec3 = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class View:
    """Where a camera stands and what it looks at [m], and its vertical field of view [rad].

    ``width`` and ``height`` are those of its picture [pixels]; ``up`` is the axis of the world that
    is up in it.
    """

    position: Vec3
    target: Vec3
    fov: float
    width: int
    height: int
    up: Vec3 = (0.0, 0.0, 1.0)

    @property
    def aside(self) -> Vec3:
        """Another axis, for what is up in a picture that is taken straight up or down."""
        return (0.0, 1.0, 0.0) if self.up[2] else (0.0, 0.0, 1.0)


def quat_of_axes(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quaternion wxyz of a rotation matrix: an eigenvector of a matrix made of its entries."""
    m = axes
    k = np.array(
        [
            [m.trace(), m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [0.0, 2 * m[0, 0] - m.trace(), m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [0.0, 0.0, 2 * m[1, 1] - m.trace(), m[1, 2] + m[2, 1]],
            [0.0, 0.0, 0.0, 2 * m[2, 2] - m.trace()],
        ]
    )
    return np.linalg.eigh(k, UPLO="U").eigenvectors[:, -1]
