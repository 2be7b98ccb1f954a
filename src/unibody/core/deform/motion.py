"""Bodies that deform as a whole: where they are, and how to put them elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.deform.nearest_motion import nearest_motion

FloatArray = npt.NDArray[np.float64]

_Pose = tuple[Any, Any]
"""Position x, y, z [m] and quaternion w, x, y, z."""


def mean_pose(rest: Any, positions: Any, masses: Any) -> tuple[Any, Any]:
    """The rigid motion that comes nearest to that of particles, by least squares over masses.

    See `nearest_motion`.

    Args:
        rest: Places about the mass centre when they were not turned, (p, 3) [m].
        positions: Where they are, (p, 3) [m].
        masses: (p,); where all are zero, all count alike [kg].

    Returns:
        Position of the mass centre [m]; quaternion w, x, y, z.
    """
    return MeanPose(rest).of(positions, masses)


class MeanPose:
    """`mean_pose` of the same particles again and again.

    Args:
        rest: See `mean_pose`.
    """

    def __init__(self, rest: Any) -> None:
        self._rest = np.asarray(rest, dtype=np.float64)
        self._masses: Any = None
        self._weights = np.zeros(0)
        self._found = np.zeros(7)

    def of(self, positions: Any, masses: Any) -> tuple[Any, Any]:
        """See `mean_pose`; where the masses change they are another array."""
        if masses is not self._masses:
            self._masses, self._weights = masses, _weights(masses)
        places = np.asarray(positions, dtype=np.float64)
        nearest_motion(self._rest, places, self._weights, self._found)
        x, y, z, *quat = self._found.tolist()
        return (x, y, z), tuple(quat)


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
    turn = turn_between(before, after)
    return (np.asarray(positions) - np.array(before[0])) @ turn.T + np.array(after[0])


def turn_between(before: _Pose, after: _Pose) -> FloatArray:
    """How a frame was turned, (3, 3).

    Args:
        before: Where it was.
        after: Where it is.
    """
    return _matrix(after[1]) @ _matrix(before[1]).T


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
