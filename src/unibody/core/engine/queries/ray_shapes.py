# ruff: noqa: PLR0913, PLR0917 - kernels take their state as plain arguments
"""Where a ray enters one shape, compiled by numba.

All in the shape's own frame. A ray is ``o + t d`` with ``0 <= t < 1``. The answer is ``t`` and the
outward normal there; ``t`` is ``MISS`` where the ray does not enter the shape. Planes and height
fields are surfaces, and are hit from both sides.

A convex shape is Bullet's: a core, and a skin around it whose outside is the surface. The core of
a ball is its centre, that of a capsule its axis, those of the others end ``SKIN`` below the
surface. A ray that starts in the skin and comes nearer to the core hits at ``t = 0``, with the
direction from the core; one that starts in the core or leaves does not see the shape.
"""

from __future__ import annotations

import math
from typing import Any

from unibody.machine_code.jit import rule

MISS = 2.0  # any t from 1 on
ON_SURFACE = -1e-9  # a ray that starts on a surface and goes in hits it at t = 0
PARALLEL = 1e-300
SKIN = 1e-3  # m: the collision margin of PyBullet's boxes, cylinders and hulls


@rule
def _past(value: float, size: float) -> float:
    """How far a coordinate is beyond a core that ends at ``size`` on both sides, with its sign."""
    return math.copysign(max(abs(value) - max(size, 0.0), 0.0), value)


@rule
def _in_skin(d: Any, x: float, y: float, z: float) -> Any:
    """What a ray along ``d`` hits that starts in a skin, at ``x``, ``y``, ``z`` from the core."""
    length = math.sqrt(x * x + y * y + z * z)
    if length < PARALLEL or x * d[0] + y * d[1] + z * d[2] >= 0.0:
        return MISS, 0.0, 0.0, 0.0
    return 0.0, x / length, y / length, z / length


@rule
def enter_box(o: Any, d: Any, sx: float, sy: float, sz: float) -> Any:
    """A box of half sizes ``sx``, ``sy``, ``sz``."""
    size = (sx, sy, sz)
    enter, leave, axis = -math.inf, math.inf, 0
    for i in range(3):
        if abs(d[i]) < PARALLEL:
            if abs(o[i]) >= size[i]:
                return MISS, 0.0, 0.0, 0.0
            continue
        near = (-math.copysign(size[i], d[i]) - o[i]) / d[i]
        far = (math.copysign(size[i], d[i]) - o[i]) / d[i]
        if near > enter:
            enter, axis = near, i
        leave = min(leave, far)
    if enter > leave or leave < 0.0:
        return MISS, 0.0, 0.0, 0.0
    if enter < ON_SURFACE:
        return _in_skin(d, _past(o[0], sx - SKIN), _past(o[1], sy - SKIN), _past(o[2], sz - SKIN))
    side = -math.copysign(1.0, d[axis])
    return (
        abs(max(enter, 0.0)),
        side if axis == 0 else 0.0,
        side if axis == 1 else 0.0,
        side if axis == 2 else 0.0,
    )


@rule
def _first_root(a: float, b: float, c: float) -> float:
    """Smaller root of ``a t^2 + 2 b t + c``; MISS where there is none or ``a`` is zero."""
    discriminant = b * b - a * c
    if a < PARALLEL or discriminant < 0.0:
        return MISS
    # the form that does not subtract nearly equal numbers
    if b > 0.0:
        return (-b - math.sqrt(discriminant)) / a
    below = -b + math.sqrt(discriminant)
    return c / below if below > 0.0 else MISS


@rule
def _entered(t: float) -> float:
    if t < ON_SURFACE or t >= 1.0:
        return MISS
    return abs(max(t, 0.0))  # never minus zero


@rule
def enter_ellipsoid(o: Any, d: Any, sx: float, sy: float, sz: float) -> Any:
    """An ellipsoid of semi-axes ``sx``, ``sy``, ``sz``; equal ones make a sphere."""
    ox, oy, oz = o[0] / sx, o[1] / sy, o[2] / sz
    dx, dy, dz = d[0] / sx, d[1] / sy, d[2] / sz
    if ox * ox + oy * oy + oz * oz < 1.0:
        return _in_skin(d, ox / sx, oy / sy, oz / sz)
    a = dx * dx + dy * dy + dz * dz
    if a < PARALLEL:
        return MISS, 0.0, 0.0, 0.0
    nearest = -(ox * dx + oy * dy + oz * dz) / a
    # the point of the line that is nearest to the centre: its distance keeps its digits where the
    # ball is far smaller than the ray is long, which those of a quadratic equation do not
    px, py, pz = ox + nearest * dx, oy + nearest * dy, oz + nearest * dz
    within = 1.0 - (px * px + py * py + pz * pz)
    if not within >= 0.0:
        return MISS, 0.0, 0.0, 0.0
    back = math.sqrt(within / a)
    t = _entered(nearest - back)
    if t >= 1.0:
        return MISS, 0.0, 0.0, 0.0
    nx, ny, nz = (px - back * dx) / sx, (py - back * dy) / sy, (pz - back * dz) / sz
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    return t, nx / length, ny / length, nz / length


@rule
def enter_cylinder(o: Any, d: Any, radius: float, half: float) -> Any:
    """A cylinder about z."""
    a = d[0] * d[0] + d[1] * d[1]
    b = o[0] * d[0] + o[1] * d[1]
    c = o[0] * o[0] + o[1] * o[1] - radius * radius
    enter, leave, wall = -math.inf, math.inf, False
    if a < PARALLEL:
        if c >= 0.0:
            return MISS, 0.0, 0.0, 0.0
    else:
        discriminant = b * b - a * c
        if discriminant < 0.0:
            return MISS, 0.0, 0.0, 0.0
        root = math.sqrt(discriminant)
        enter, leave, wall = (-b - root) / a, (-b + root) / a, True
    if abs(d[2]) < PARALLEL:
        if abs(o[2]) >= half:
            return MISS, 0.0, 0.0, 0.0
    else:
        near = (-math.copysign(half, d[2]) - o[2]) / d[2]
        far = (math.copysign(half, d[2]) - o[2]) / d[2]
        if near > enter:
            enter, wall = near, False
        leave = min(leave, far)
    if enter > leave or leave < 0.0 or enter >= 1.0:
        return MISS, 0.0, 0.0, 0.0
    if enter < ON_SURFACE:
        distance = math.sqrt(o[0] * o[0] + o[1] * o[1])
        out = _past(distance, radius - SKIN) / max(distance, PARALLEL)
        return _in_skin(d, out * o[0], out * o[1], _past(o[2], half - SKIN))
    enter = abs(max(enter, 0.0))
    if wall:
        return enter, (o[0] + enter * d[0]) / radius, (o[1] + enter * d[1]) / radius, 0.0
    return enter, 0.0, 0.0, -math.copysign(1.0, d[2])


@rule
def enter_capsule(o: Any, d: Any, radius: float, half: float) -> Any:
    """A capsule about z: a cylinder of half length ``half`` with round ends."""
    axial = min(max(o[2], -half), half)
    best, bx, by, bz = MISS, 0.0, 0.0, 0.0
    gap = o[2] - axial
    # inside by more than rounding: the surfaces ahead are left, not entered
    if o[0] * o[0] + o[1] * o[1] + gap * gap < radius * radius * (1.0 - 1e-12):
        return _in_skin(d, o[0], o[1], gap)
    t = _entered(
        _first_root(
            d[0] * d[0] + d[1] * d[1],
            o[0] * d[0] + o[1] * d[1],
            o[0] * o[0] + o[1] * o[1] - radius * radius,
        )
    )
    if t < 1.0 and abs(o[2] + t * d[2]) <= half:
        best, bx, by, bz = t, (o[0] + t * d[0]) / radius, (o[1] + t * d[1]) / radius, 0.0
    for end in (-half, half):
        t, nx, ny, nz = enter_ellipsoid((o[0], o[1], o[2] - end), d, radius, radius, radius)
        if t < best:
            best, bx, by, bz = t, nx, ny, nz
    return best, bx, by, bz


@rule
def enter_hull(o: Any, d: Any, planes: Any, start: int, count: int) -> Any:
    """A convex solid given by its faces: unit normal and offset, four numbers each."""
    enter, leave, face = -math.inf, math.inf, -1
    top, closest = -math.inf, start
    for i in range(start, start + count):
        nx, ny, nz = planes[4 * i], planes[4 * i + 1], planes[4 * i + 2]
        gap = nx * o[0] + ny * o[1] + nz * o[2] - planes[4 * i + 3]
        speed = nx * d[0] + ny * d[1] + nz * d[2]
        if gap > top:
            top, closest = gap, i
        if abs(speed) < PARALLEL:
            if gap >= 0.0:
                return MISS, 0.0, 0.0, 0.0
        elif speed < 0.0:
            if -gap / speed > enter:
                enter, face = -gap / speed, i
        else:
            leave = min(leave, -gap / speed)
        if enter > leave:
            return MISS, 0.0, 0.0, 0.0
    if face < 0 or leave < 0.0:
        return MISS, 0.0, 0.0, 0.0
    if enter < ON_SURFACE:
        depth = max(top + SKIN, 0.0)
        nx, ny, nz = planes[4 * closest], planes[4 * closest + 1], planes[4 * closest + 2]
        return _in_skin(d, depth * nx, depth * ny, depth * nz)
    return abs(max(enter, 0.0)), planes[4 * face], planes[4 * face + 1], planes[4 * face + 2]


@rule
def cross_plane(o: Any, d: Any) -> Any:
    """The plane z = 0; the normal is on the side the ray comes from."""
    if abs(d[2]) < PARALLEL:
        return MISS, 0.0, 0.0, 0.0
    return _entered(-o[2] / d[2]), 0.0, 0.0, -math.copysign(1.0, d[2])


@rule
def cross_triangle(
    o: Any, d: Any, ax: float, ay: float, az: float, bx: float, by: float, bz: float,
    cx: float, cy: float, cz: float,
) -> float:  # fmt: skip
    """Moeller and Trumbore's test, both sides."""
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    px, py, pz = d[1] * vz - d[2] * vy, d[2] * vx - d[0] * vz, d[0] * vy - d[1] * vx
    det = ux * px + uy * py + uz * pz
    if abs(det) < PARALLEL:
        return MISS
    sx, sy, sz = o[0] - ax, o[1] - ay, o[2] - az
    u = (sx * px + sy * py + sz * pz) / det
    qx, qy, qz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
    v = (d[0] * qx + d[1] * qy + d[2] * qz) / det
    if u < -1e-12 or v < -1e-12 or u + v > 1.0 + 1e-12:
        return MISS
    return _entered((vx * qx + vy * qy + vz * qz) / det)


@rule
def cross_heightfield(
    o: Any, d: Any, heights: Any, start: int, rows: int, columns: int,
    sx: float, sy: float, sz: float,
) -> Any:  # fmt: skip
    """A grid of heights (0 to 1, times ``sz``) over ``-sx..sx`` and ``-sy..sy``.

    Cells are split along the diagonal that MuJoCo's collision uses.
    """
    best, bx, by, bz = MISS, 0.0, 0.0, 0.0
    begin, end = 0.0, 1.0
    for i, low, high in ((0, -sx, sx), (1, -sy, sy), (2, 0.0, sz)):
        if abs(d[i]) < PARALLEL:
            if o[i] < low or o[i] > high:
                return best, bx, by, bz
        else:
            t1, t2 = (low - o[i]) / d[i], (high - o[i]) / d[i]
            begin, end = max(begin, min(t1, t2)), min(end, max(t1, t2))
    if begin > end:
        return best, bx, by, bz
    wx, wy = 2.0 * sx / (columns - 1), 2.0 * sy / (rows - 1)
    x1, x2 = (o[0] + begin * d[0] + sx) / wx, (o[0] + end * d[0] + sx) / wx
    first, last = _cells(min(x1, x2), max(x1, x2), columns)
    for column in range(first, last):
        t1, t2 = begin, end
        if abs(d[0]) > PARALLEL:  # the part of the ray above this column
            ta, tb = (wx * column - sx - o[0]) / d[0], (wx * (column + 1) - sx - o[0]) / d[0]
            t1, t2 = max(t1, min(ta, tb) - 1e-9), min(t2, max(ta, tb) + 1e-9)
        y1, y2 = (o[1] + t1 * d[1] + sy) / wy, (o[1] + t2 * d[1] + sy) / wy
        low_row, high_row = _cells(min(y1, y2), max(y1, y2), rows)
        for row in range(low_row, high_row):
            x, y = wx * column - sx, wy * row - sy
            at = start + row * columns + column
            z00, z10 = heights[at] * sz, heights[at + 1] * sz
            z01, z11 = heights[at + columns] * sz, heights[at + columns + 1] * sz
            t = cross_triangle(o, d, x, y, z00, x + wx, y, z10, x + wx, y + wy, z11)
            if t < best:
                best, bx, by = t, -(z10 - z00) / wx, -(z11 - z10) / wy
            t = cross_triangle(o, d, x, y, z00, x + wx, y + wy, z11, x, y + wy, z01)
            if t < best:
                best, bx, by = t, -(z11 - z01) / wx, -(z01 - z00) / wy
    scale = 1.0 / math.sqrt(bx * bx + by * by + 1.0)
    if bx * d[0] + by * d[1] + d[2] > 0.0:
        scale = -scale
    return best, bx * scale, by * scale, scale


@rule
def _cells(low: float, high: float, points: int) -> tuple[int, int]:
    """First and one past the last cell that the range of a grid coordinate touches."""
    first = max(0, math.floor(low - 1e-9))
    last = min(points - 1, math.floor(high + 1e-9) + 1)
    return first, last
