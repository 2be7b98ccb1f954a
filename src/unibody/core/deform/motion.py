"""Bodies that deform as a whole: where they are, and how to put them elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

_Pose = tuple[Any, Any]
"""Position x, y, z [m] and quaternion w, x, y, z."""


def mean_pose(rest: Any, positions: Any, masses: Any) -> tuple[Any, Any]:
    """The rigid motion that comes nearest to that of particles, by least squares over masses.

    The rotation is that of the polar decomposition of the sum of m x r' (Mueller et al. 2005,
    section 3.3).

    Args:
        rest: Places about the mass centre when they were not turned, (p, 3) [m].
        positions: Where they are, (p, 3) [m].
        masses: (p,); where all are zero, all count alike [kg].

    Returns:
        Position of the mass centre [m]; quaternion w, x, y, z.
    """
    weights = _weights(masses)
    places = np.asarray(positions, dtype=np.float64)
    centre = _average(places, weights)
    about = rest - _average(rest, weights)
    left, _, right = np.linalg.svd((weights[:, None] * (places - centre)).T @ about)
    turn = left @ np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right)) or 1.0]) @ right
    return tuple(centre.tolist()), _quaternion(turn)


def mean_velocity(positions: Any, velocities: Any, masses: Any) -> tuple[Any, Any]:
    """Velocity of the mass centre, and the angular velocity that has the angular momentum.

    Args:
        positions: (p, 3) [m].
        velocities: (p, 3) [m/s].
        masses: (p,); where all are zero, all count alike [kg].

    Returns:
        Linear [m/s] and angular velocity [rad/s].
    """
    weights = _weights(masses)
    places = np.asarray(positions, dtype=np.float64)
    speeds = np.asarray(velocities, dtype=np.float64)
    linear = _average(speeds, weights)
    arms = places - _average(places, weights)
    momentum: FloatArray = (weights[:, None] * np.cross(arms, speeds - linear)).sum(axis=0)
    squares: FloatArray = (weights[:, None] * arms).T @ arms
    inertia: FloatArray = np.trace(squares) * np.eye(3) - squares
    found = np.linalg.lstsq(inertia, momentum, rcond=None)
    x, y, z = found[0].tolist()
    return tuple(linear.tolist()), (x, y, z)


def moved(positions: Any, before: _Pose, after: _Pose) -> FloatArray:
    """Places that go along with a frame, (p, 3) [m].

    Args:
        positions: (p, 3) [m].
        before: Where the frame was.
        after: Where it is.
    """
    turn = _matrix(after[1]) @ _matrix(before[1]).T
    return (np.asarray(positions) - np.array(before[0])) @ turn.T + np.array(after[0])


def _weights(masses: Any) -> FloatArray:
    """Masses, or ones where all are zero."""
    weights = np.asarray(masses, dtype=np.float64)
    return weights if weights.any() else np.ones(len(weights))


def mass_centre(positions: Any, masses: Any) -> FloatArray:
    """Where the mass centre is, (3,) [m].

    Args:
        positions: (p, 3) [m].
        masses: (p,); where all are zero, all count alike [kg].
    """
    return _average(np.asarray(positions, dtype=np.float64), _weights(masses))


def _average(rows: FloatArray, weights: FloatArray) -> FloatArray:
    return weights @ rows / weights.sum()


def _matrix(quat: Any) -> FloatArray:
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _quaternion(turn: FloatArray) -> tuple[float, float, float, float]:
    """Of a rotation: the eigenvector of the largest eigenvalue (Bar-Itzhack 2000)."""
    (a, b, c), (d, e, f), (g, h, i) = turn.tolist()
    k = np.array(
        [
            [a + e + i, h - f, c - g, d - b],
            [h - f, a - e - i, d + b, c + g],
            [c - g, d + b, e - a - i, h + f],
            [d - b, c + g, h + f, i - a - e],
        ]
    )
    vector = np.linalg.eigh(k)[1][:, -1]
    w, x, y, z = (vector if vector[0] >= 0.0 else -vector).tolist()
    return w, x, y, z
