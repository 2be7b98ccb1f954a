"""What scripts draw by ``debug_draw``, and beams of lidars, as items of a page."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.isaac_core.kit.debug_draw import DebugDraw
from unibody.isaac_core.sensors.beams import Beams
from unibody.viewer.items import Item, Line, Points, Vec3

_PIECES = 16  # straight ones of a curve between two of its points
_BEAM: Vec3 = (1.0, 0.2, 0.2)  # colour
_PLACE = 4.0  # pixels of where a beam ends


def items_of(drawn: DebugDraw, beams: Iterable[Beams] = ()) -> dict[int, Item]:
    """Lines, curves and points, by numbers.

    Args:
        drawn: What scripts drew.
        beams: Those of lidars.
    """
    lines = [
        Line(_three(start), _three(end), _three(color), float(width))
        for start, end, color, width in drawn.lines
    ]
    for points, color, width, closed in drawn.splines:
        curve = curve_through(points, closed=closed).tolist()
        lines += [
            Line(_three(a), _three(b), _three(color), float(width))
            for a, b in itertools.pairwise(curve)
        ]
    sizes: defaultdict[float, list[tuple[Vec3, Vec3]]] = defaultdict(list)
    for point, color, size in drawn.points:
        sizes[float(size)].append((_three(point), _three(color)))
    dots = [
        Points(tuple(at for at, _ in some), tuple(color for _, color in some), size)
        for size, some in sizes.items()
    ]
    for some in beams:
        starts, ends = some.segments()
        if some.lines:
            pairs = zip(starts, ends, strict=True)
            lines += [Line(_three(start), _three(end), _BEAM) for start, end in pairs]
        if some.points and len(ends):
            dots.append(Points(tuple(map(_three, ends)), (_BEAM,) * len(ends), _PLACE))
    return dict(enumerate([*lines, *dots]))


def curve_through(points: Sequence[Any], *, closed: bool) -> NDArray[np.float64]:
    """Points along the Catmull-Rom spline through some, (n, 3).

    Args:
        points: Those it goes through, three coordinates each.
        closed: Whether it ends where it begins.
    """
    through = np.asarray([_three(point) for point in points], np.float64).reshape(-1, 3)
    if len(through) < 2:
        return through
    if closed:
        padded = np.concatenate([through[-1:], through, through[:2]])
    else:  # a tangent at an end points to its neighbour
        first, last = 2.0 * through[0] - through[1], 2.0 * through[-1] - through[-2]
        padded = np.concatenate([[first], through, [last]])
    before, start, end, after = (padded[k : len(padded) - 3 + k, None] for k in range(4))
    t = np.linspace(0.0, 1.0, _PIECES, endpoint=False)[:, None]
    curve = 0.5 * (
        2.0 * start
        + (end - before) * t
        + (2.0 * before - 5.0 * start + 4.0 * end - after) * t**2
        + (3.0 * (start - end) + after - before) * t**3
    )
    return np.concatenate([curve.reshape(-1, 3), padded[-2:-1]])


def _three(values: Any) -> Vec3:
    x, y, z = (float(value) for value in tuple(values)[:3])
    return x, y, z
