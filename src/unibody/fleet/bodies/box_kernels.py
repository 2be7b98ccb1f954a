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
def inner_radius(kind: int, size: Any) -> float:
    """Radius of a ball about the origin of a shape that lies inside of it; 0: not known [m].

    Args:
        kind: As `crowd_kernels` numbers them: box, ball, cylinder, capsule, ellipsoid.
        size: Its sizes.
    """
    if kind in (0, 4):
        return min(size[0], size[1], size[2])
    if kind in (1, 3):
        return size[0]
    if kind == 2:
        return min(size[0], size[1])
    return 0.0


@_compiled
def ball_and_box(centre: Any, cb: Any, tb: Any, hb: Any) -> float:
    """Distance of a point from a box, squared; 0 inside of it [m^2].

    Args:
        centre: The point (3,) [m].
        cb: Centre of the box (3,) [m].
        tb: Its axes, as columns (3, 3).
        hb: Half its edges (3,) [m].
    """
    x, y, z = centre[0] - cb[0], centre[1] - cb[1], centre[2] - cb[2]
    total = 0.0
    for k in range(3):
        out = abs(tb[0, k] * x + tb[1, k] * y + tb[2, k] * z) - hb[k]
        if out > 0.0:
            total += out * out
    return total


@_compiled
def boxes(ca: Any, ta: Any, ha: Any, cb: Any, tb: Any, hb: Any, reach: float, work: Any) -> int:
    """Whether two boxes are farther apart than a distance, or overlap (Gottschalk et al. 1996).

    Args:
        ca: Centre of the first (3,) [m].
        ta: Its axes, as columns (3, 3).
        ha: Half its edges (3,) [m].
        cb: Centre of the second.
        tb: Its axes.
        hb: Half its edges.
        reach: The distance [m].
        work: (4, 3): axes of the second and its centre in the frame of the first.

    Returns:
        `APART` if they are farther apart, `TOUCHING` if they overlap, `UNSURE` in between.
    """
    x, y, z = cb[0] - ca[0], cb[1] - ca[1], cb[2] - ca[2]
    depth = math.inf
    for i in range(3):
        ux, uy, uz = ta[0, i], ta[1, i], ta[2, i]
        work[3, i] = ux * x + uy * y + uz * z
        far = ha[i]
        for j in range(3):
            work[i, j] = ux * tb[0, j] + uy * tb[1, j] + uz * tb[2, j]
            far += hb[j] * abs(work[i, j])
        depth = min(depth, far - abs(work[3, i]))
    for j in range(3):
        along, far = 0.0, hb[j]
        for i in range(3):
            along += work[3, i] * work[i, j]
            far += ha[i] * abs(work[i, j])
        depth = min(depth, far - abs(along))
    if -depth > reach:
        return APART
    sure = depth > _SURE * (ha[0] + ha[1] + ha[2] + hb[0] + hb[1] + hb[2])
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            square = 1.0 - work[i, j] * work[i, j]
            if square < _PARALLEL:
                continue
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            far = ha[i1] * abs(work[i2, j]) + ha[i2] * abs(work[i1, j])
            far += hb[j1] * abs(work[i, j2]) + hb[j2] * abs(work[i, j1])
            gap = abs(work[3, i2] * work[i1, j] - work[3, i1] * work[i2, j]) - far
            if gap > 0.0 and gap * gap > reach * reach * square:
                return APART
            sure = sure and gap < -1e-9
    return TOUCHING if sure else UNSURE


@_compiled
def _block(kind: int, size: Any, share: float, out: Any) -> None:
    """Half the edges of a box, or of one that has a share of a cylinder's radius."""
    if kind == 0:
        out[0], out[1], out[2] = size[0], size[1], size[2]
    else:
        out[0] = out[1] = share * size[0]
        out[2] = size[1]


@_compiled
def blocks(
    kind: int, ca: Any, ta: Any, size_a: Any, other: int, cb: Any, tb: Any, size_b: Any,
    reach: float, work: Any,
) -> int:  # fmt: skip
    """`boxes`, where each of the two may be a cylinder about its z axis, too.

    Args:
        kind: Of the first, see `inner_radius`: 0 or 2.
        ca: Its centre (3,) [m].
        ta: Its axes, as columns (3, 3).
        size_a: Its sizes [m].
        other: Kind of the second.
        cb: Its centre.
        tb: Its axes.
        size_b: Its sizes.
        reach: The distance [m].
        work: (6, 3).
    """
    _block(kind, size_a, 1.0, work[4])
    _block(other, size_b, 1.0, work[5])
    verdict = boxes(ca, ta, work[4], cb, tb, work[5], reach, work[:4])
    if verdict != TOUCHING or (kind == 0 and other == 0):
        return verdict
    _block(kind, size_a, _INSIDE, work[4])
    _block(other, size_b, _INSIDE, work[5])
    inside = boxes(ca, ta, work[4], cb, tb, work[5], reach, work[:4])
    return TOUCHING if inside == TOUCHING else UNSURE
