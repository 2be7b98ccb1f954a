"""Points, turns and stiffness of cables, for `ModelBuilder.add_rod`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton import convert
from unibody.newton.vectors import quat_between_vectors_robust


def create_cable_stiffness_from_elastic_moduli(
    youngs_modulus: float, radius: float
) -> tuple[float, float]:
    """Stiffness of a solid round section.

    Args:
        youngs_modulus: E [Pa].
        radius: r [m].

    Returns:
        E A [N] and E I [N m^2].

    Raises:
        InvalidArgumentError: A number is negative or infinite.
    """
    modulus, r = float(youngs_modulus), float(radius)
    if not 0.0 <= modulus < math.inf:
        raise InvalidArgumentError("youngs_modulus", youngs_modulus, "a finite number >= 0")
    if not 0.0 < r < math.inf:
        raise InvalidArgumentError("radius", radius, "a finite number > 0")
    return modulus * math.pi * r**2, modulus * math.pi * r**4 / 4.0


def create_straight_cable_points(
    start: Any, direction: Any, length: float, num_segments: int
) -> list[wp.vec3]:
    """Points of a straight line at equal distances.

    Args:
        start: The first point [m].
        direction: Whereto, of any length.
        length: From the first to the last point [m].
        num_segments: One less than there are points.

    Raises:
        InvalidArgumentError: There is no segment, direction or length.
    """
    if num_segments < 1:
        raise InvalidArgumentError("num_segments", num_segments, "num_segments must be >= 1")
    if not 0.0 <= float(length) < math.inf:
        raise InvalidArgumentError("length", length, "length must be finite and >= 0")
    begin = np.array(convert.vec3("start", start), float)
    along = np.array(convert.vec3("direction", direction), float)
    size = float(np.linalg.norm(along))
    if not size > 0.0:
        raise InvalidArgumentError("direction", direction, "direction must be non-zero")
    steps = np.linspace(0.0, float(length) / size, int(num_segments) + 1)
    return [wp.vec3(*point) for point in (begin + steps[:, None] * along).tolist()]


def create_parallel_transport_cable_quaternions(
    points: Sequence[Any], *, twist_total: float = 0.0
) -> list[wp.quat]:
    """Turns of z to each segment, each from that of the one before by the shortest way.

    Args:
        points: Two or more [m].
        twist_total: Twist that is spread evenly over the segments [rad].

    Raises:
        InvalidArgumentError: There are too few points, or two that follow one another are one.
    """
    if len(points) < 2:
        raise InvalidArgumentError("points", len(points), "points must have length >= 2")
    places = np.array([convert.vec3("points", point) for point in points], float)
    segments = np.diff(places, axis=0)
    lengths = np.linalg.norm(segments, axis=1)
    if not (lengths > 0.0).all():
        same = int(np.flatnonzero(~(lengths > 0.0))[0])
        raise InvalidArgumentError(
            f"points[{same + 1}]", points[same + 1], "no duplicate consecutive points"
        )
    before, turn = wp.vec3(0.0, 0.0, 1.0), wp.quat_identity()
    found = []
    for direction in (segments / lengths[:, None]).tolist():
        along = wp.vec3(*direction)
        turn = quat_between_vectors_robust(before, along) * turn
        if twist_total:
            turn = wp.quat_from_axis_angle(along, float(twist_total) / len(segments)) * turn
        found.append(turn)
        before = along
    return found


def create_straight_cable_points_and_quaternions(
    start: Any, direction: Any, length: float, num_segments: int, *, twist_total: float = 0.0
) -> tuple[list[wp.vec3], list[wp.quat]]:
    """Points of a straight line, and the turns of its segments.

    See `create_straight_cable_points` and `create_parallel_transport_cable_quaternions`.
    """
    points = create_straight_cable_points(start, direction, length, num_segments)
    return points, create_parallel_transport_cable_quaternions(points, twist_total=twist_total)
