"""Quick answers for two shapes: balls inside of them, and separating axes of two boxes.

For a cylinder, the box around it says whether it is apart, and one inside whether it touches.
"""

from __future__ import annotations

import math
from typing import Any

from unibody.machine_code import numba

_compiled = numba.njit(cache=True, error_model="numpy")

APART, UNSURE, TOUCHING = -1, 0, 1
_PARALLEL = 1e-6  # squared sine of an angle at which edges give no direction of their own
_INSIDE = math.sqrt(0.5)  # half an edge of a square in a circle of radius 1
_SURE = 4e-3  # share of the size: deeper overlaps do not hang on such edges


@_compiled
def inner_radius(kind: int, shapes: Any, i: int) -> float:
    """Radius of a ball about the origin of a shape that lies inside of it; 0: not known [m].

    Args:
        kind: As `body_kernels` numbers them: box, ball, cylinder, capsule, ellipsoid.
        shapes: Of all shapes, see `contact_kernels.touch`.
        i: Its row.
    """
    if kind in (0, 4):
        return min(shapes[i, 7], shapes[i, 8], shapes[i, 9])
    if kind in (1, 3):
        return shapes[i, 7]
    if kind == 2:
        return min(shapes[i, 7], shapes[i, 8])
    return 0.0


@_compiled
def ball_and_box(at_a: Any, p: int, at_b: Any, q: int, turns_b: Any, shapes: Any, j: int) -> float:
    """Distance of a point from a box, squared; 0 inside of it [m^2].

    Args:
        at_a: The point, in row ``p`` [m].
        p: See there.
        at_b: Centre of the box, in row ``q`` [m].
        q: See there.
        turns_b: Its axes, as columns of ``turns_b[q]``.
        shapes: Of all shapes, see `contact_kernels.touch`.
        j: Row of the box.
    """
    x, y, z = at_a[p, 0] - at_b[q, 0], at_a[p, 1] - at_b[q, 1], at_a[p, 2] - at_b[q, 2]
    total = 0.0
    for k in range(3):
        along = turns_b[q, 0, k] * x + turns_b[q, 1, k] * y + turns_b[q, 2, k] * z
        out = abs(along) - shapes[j, 7 + k]
        if out > 0.0:
            total += out * out
    return total


@_compiled
def _boxes(
    at_a: Any, p: int, turns_a: Any, at_b: Any, q: int, turns_b: Any, reach: float, work: Any
) -> int:
    """Whether two boxes are farther apart than a distance, or overlap (Gottschalk et al. 1996).

    Args:
        at_a: Centre of the first, in row ``p`` [m].
        p: See there.
        turns_a: Its axes, as columns of ``turns_a[p]``.
        at_b: Centre of the second, in row ``q`` [m].
        q: See there.
        turns_b: Its axes, as columns of ``turns_b[q]``.
        reach: The distance [m].
        work: (6, 3): axes of the second and its centre in the frame of the first are written here,
            into the first four rows; half the edges of both stand in the others [m].

    Returns:
        `APART` if they are farther apart, `TOUCHING` if they overlap, `UNSURE` in between.
    """
    x, y, z = at_b[q, 0] - at_a[p, 0], at_b[q, 1] - at_a[p, 1], at_b[q, 2] - at_a[p, 2]
    depth = math.inf
    size = 0.0
    along_both = False  # an axis of one is one of the other, as of two that stand upright
    for i in range(3):
        ux, uy, uz = turns_a[p, 0, i], turns_a[p, 1, i], turns_a[p, 2, i]
        work[3, i] = ux * x + uy * y + uz * z
        far = work[4, i]
        for j in range(3):
            cosine = ux * turns_b[q, 0, j] + uy * turns_b[q, 1, j] + uz * turns_b[q, 2, j]
            work[i, j] = cosine
            far += work[5, j] * abs(cosine)
            along_both = along_both or cosine * cosine > 1.0 - _PARALLEL
        depth = min(depth, far - abs(work[3, i]))
        size += work[4, i] + work[5, i]
    for j in range(3):
        along, far = 0.0, work[5, j]
        for i in range(3):
            along += work[3, i] * work[i, j]
            far += work[4, i] * abs(work[i, j])
        depth = min(depth, far - abs(along))
    if -depth > reach:
        return APART
    sure = depth > _SURE * size
    if sure and along_both:
        return TOUCHING  # their edges' directions are those of their faces, or along that axis
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            square = 1.0 - work[i, j] * work[i, j]
            if square < _PARALLEL:
                continue
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            far = work[4, i1] * abs(work[i2, j]) + work[4, i2] * abs(work[i1, j])
            far += work[5, j1] * abs(work[i, j2]) + work[5, j2] * abs(work[i, j1])
            gap = abs(work[3, i2] * work[i1, j] - work[3, i1] * work[i2, j]) - far
            if gap > 0.0 and gap * gap > reach * reach * square:
                return APART
            sure = sure and gap < -1e-9
    return TOUCHING if sure else UNSURE


@_compiled
def _block(kind: int, shapes: Any, i: int, share: float, work: Any, row: int) -> None:
    """Half the edges of a box, or of one that has a share of a cylinder's radius."""
    if kind == 0:
        for k in range(3):
            work[row, k] = shapes[i, 7 + k]
    else:
        work[row, 0] = work[row, 1] = share * shapes[i, 7]
        work[row, 2] = shapes[i, 8]


@_compiled
def blocks(
    kind: int, at_a: Any, p: int, turns_a: Any, i: int, other: int, at_b: Any, q: int, turns_b: Any,
    j: int, shapes: Any, reach: float, work: Any,
) -> int:  # fmt: skip
    """Whether two boxes, or cylinders about their z axes, are farther apart, or overlap.

    No argument is a part of an array: numba counts the users of each of those, at the cost of
    all that is done here.

    Args:
        kind: Of the first, see `inner_radius`: 0 or 2.
        at_a: Its centre, in row ``p`` [m].
        p: See there.
        turns_a: Its axes, as columns of ``turns_a[p]``.
        i: Its row in ``shapes``.
        other: Kind of the second.
        at_b: Its centre, in row ``q`` [m].
        q: See there.
        turns_b: Its axes, as columns of ``turns_b[q]``.
        j: Its row in ``shapes``.
        shapes: Of all shapes, see `contact_kernels.touch`.
        reach: The distance [m].
        work: (6, 3) or more.

    Returns:
        `APART` if they are farther apart than ``reach``, `TOUCHING` if they overlap, else `UNSURE`.
    """
    _block(kind, shapes, i, 1.0, work, 4)
    _block(other, shapes, j, 1.0, work, 5)
    verdict = _boxes(at_a, p, turns_a, at_b, q, turns_b, reach, work)
    if verdict != TOUCHING or (kind == 0 and other == 0):
        return verdict
    _block(kind, shapes, i, _INSIDE, work, 4)
    _block(other, shapes, j, _INSIDE, work, 5)
    inside = _boxes(at_a, p, turns_a, at_b, q, turns_b, reach, work)
    return TOUCHING if inside == TOUCHING else UNSURE
