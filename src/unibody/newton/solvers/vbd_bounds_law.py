"""The law of bounds of motion: planes between pairs, and how far both sides may go.

A pair has a direction from the rigid side to the soft one, and a gap along it where contacts were
looked for. A plane across the gap lies nearer to the side that has come less near, and leaves both
at least a twentieth. A side that would cross it goes a share of its way up to the plane, all its
way since the search taken together (divide and truncate).
"""

from __future__ import annotations

import math
from typing import Any

from unibody.machine_code import numba

_LEAST = 0.05  # of a gap that each side keeps
_LOOKS = 8  # at where a point is that turns
_HALVINGS = 16  # of the span in which it crosses a plane
_BACK = 1e-3  # of a way that a point that turns goes back, at least

_compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")


@_compiled
def body_ways(start: Any, end: Any, com: Any, ways: Any) -> None:
    """Write how bodies have moved.

    Args:
        start: Their poses, (b, 7).
        end: Likewise, later.
        com: Their centres of mass in their frames, (b, 3) [m].
        ways: Gets where the centre was, its way, the axis of the turn about it and its angle,
            (b, 10) [m, rad].
    """
    for b in range(len(start)):
        for i in range(3):
            ways[b, i] = start[b, i] + _turned(start, b, com[b], i)
            ways[b, 3 + i] = end[b, i] + _turned(end, b, com[b], i) - ways[b, i]
        ax, ay, az, aw = end[b, 3], end[b, 4], end[b, 5], end[b, 6]
        bx, by, bz, bw = -start[b, 3], -start[b, 4], -start[b, 5], start[b, 6]
        x = aw * bx + ax * bw + ay * bz - az * by
        y = aw * by - ax * bz + ay * bw + az * bx
        z = aw * bz + ax * by - ay * bx + az * bw
        w = aw * bw - ax * bx - ay * by - az * bz
        size = math.sqrt(x * x + y * y + z * z)
        sign = 1.0 if w >= 0.0 else -1.0
        share = sign / size if size > 0.0 else 0.0
        ways[b, 6], ways[b, 7], ways[b, 8] = share * x, share * y, share * z
        ways[b, 9] = 2.0 * math.atan2(size, abs(w))


@_compiled
def _turned(poses: Any, b: int, point: Any, i: int) -> float:
    """A part of a point of a body's frame, turned as the body is."""
    x, y, z, w = poses[b, 3], poses[b, 4], poses[b, 5], poses[b, 6]
    tx = 2.0 * (y * point[2] - z * point[1])
    ty = 2.0 * (z * point[0] - x * point[2])
    tz = 2.0 * (x * point[1] - y * point[0])
    if i == 0:
        return point[0] + w * tx + y * tz - z * ty
    if i == 1:
        return point[1] + w * ty + z * tx - x * tz
    return point[2] + w * tz + x * ty - y * tx


@_compiled
def _course(point: Any, way: Any, n: Any) -> Any:
    """Height of a point of a body along a direction, as ``a + b t + c cos(u t) + s sin(u t)``."""
    ox, oy, oz = point[0] - way[0], point[1] - way[1], point[2] - way[2]
    kx, ky, kz = way[6], way[7], way[8]
    along = (kx * ox + ky * oy + kz * oz) * (kx * n[0] + ky * n[1] + kz * n[2])
    level = ox * n[0] + oy * n[1] + oz * n[2]
    a = way[0] * n[0] + way[1] * n[1] + way[2] * n[2] + along
    b = way[3] * n[0] + way[4] * n[1] + way[5] * n[2]
    s = (ky * oz - kz * oy) * n[0] + (kz * ox - kx * oz) * n[1] + (kx * oy - ky * ox) * n[2]
    return a, b, level - along, s, way[9]


@_compiled
def _height(course: Any, t: float) -> float:
    a, b, c, s, angle = course
    return a + b * t + c * math.cos(angle * t) + s * math.sin(angle * t)


@_compiled
def _always_sinks(course: Any) -> bool:
    """Whether a point nowhere rises."""
    _, b, c, s, angle = course
    first = math.atan2(c, s)
    last = first + angle
    steepest = max(math.cos(first), math.cos(last))
    if first <= 0.0 <= last or last >= 2.0 * math.pi:
        steepest = 1.0
    return b + angle * math.hypot(c, s) * steepest <= 0.0


@_compiled
def _rigid_share(course: Any, limit: float, share: float) -> float:
    """Of its way that a point of a body goes which is to stay below a height."""
    start = _height(course, 0.0)
    if start > limit:
        return 1.0 if _height(course, 1.0) <= start and _always_sinks(course) else 0.0
    low, high = 0.0, -1.0
    for k in range(_LOOKS):
        if _height(course, (k + 1) / _LOOKS) > limit:
            low, high = k / _LOOKS, (k + 1) / _LOOKS
            break
    if high < 0.0:
        return 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if _height(course, middle) <= limit:
            low = middle
        else:
            high = middle
    return max(min(share * low, low - _BACK), 0.0)


@_compiled
def _soft_share(above: float, way: float, share: float) -> float:
    """Of its way that a particle goes which is so far above its side's end, and is to stay so."""
    after = above + way
    if above < 0.0:
        return 1.0 if way >= 0.0 else 0.0
    if after >= 0.0:
        return 1.0
    return share * above / (above - after)


@_compiled
def _plane(gap: float, soft: float, rigid: float, clear: float) -> float:
    """How far above the rigid side the plane is, by how much nearer each side has come."""
    part = 0.5
    if gap >= 2.0 * clear:
        if soft + rigid > 0.0:
            part = rigid / (soft + rigid)
        least = max(_LEAST, clear / gap)
        part = min(max(part, least), 1.0 - least)
    return part * gap


@_compiled
def divide(
    before: Any,
    x: Any,
    ways: Any,
    pairs: Any,
    share: float,
    clear: float,
    of_particles: Any,
    of_bodies: Any,
) -> None:
    """Lower the shares of their ways that particles and bodies may go.

    Args:
        before: Places of particles where contacts were looked for, (p, 3) [m].
        x: Where they are now, (p, 3) [m].
        ways: Of bodies, see `body_ways`.
        pairs: Corners of the soft sides, or -1, (n, 3); bodies of the others, or -1, (n,); points
            that stand for them, (n, 3, 3) [m], and how many do, (n,); directions, (n, 3); gaps and
            heights of the rigid sides along them, (n,) [m].
        share: Of the way up to a plane that is gone.
        clear: What stays free on each side of it [m].
        of_particles: Shares of particles, (p,).
        of_bodies: Shares of bodies, (b,).
    """
    corners, bodies, points, counts, normals, gaps, heights = pairs
    for c in range(len(bodies)):
        n, body = normals[c], bodies[c]
        soft, rigid = 0.0, 0.0
        for k in range(3):
            v = corners[c, k]
            if v >= 0:
                soft = max(soft, -_along(x, before, v, n))
        moves = body >= 0 and (
            ways[body, 9] != 0.0
            or ways[body, 3] != 0.0
            or ways[body, 4] != 0.0
            or ways[body, 5] != 0.0
        )
        if moves:
            for k in range(counts[c]):
                course = _course(points[c, k], ways[body], n)
                rigid = max(rigid, _height(course, 1.0) - _height(course, 0.0))
        plane = heights[c] + _plane(gaps[c], soft, rigid, clear)
        for k in range(3):
            v = corners[c, k]
            if v >= 0:
                above = n[0] * before[v, 0] + n[1] * before[v, 1] + n[2] * before[v, 2] - plane
                part = _soft_share(above - clear, _along(x, before, v, n), share)
                of_particles[v] = min(of_particles[v], part)
        if moves:
            for k in range(counts[c]):
                course = _course(points[c, k], ways[body], n)
                part = _rigid_share(course, plane - clear, share)
                of_bodies[body] = min(of_bodies[body], part)


@_compiled
def _along(x: Any, before: Any, v: int, n: Any) -> float:
    """How far a particle has gone along a direction."""
    return (
        n[0] * (x[v, 0] - before[v, 0])
        + n[1] * (x[v, 1] - before[v, 1])
        + n[2] * (x[v, 2] - before[v, 2])
    )


@_compiled
def shorten_particles(before: Any, x: Any, of_particles: Any, budget: float) -> None:
    """Take particles back to their shares of their ways, and within a distance.

    Args:
        before: Where they were, (p, 3) [m].
        x: Where they are, changed in place, (p, 3) [m].
        of_particles: The shares, (p,).
        budget: How far from where it was none is [m].
    """
    for v in range(len(x)):
        t, way = of_particles[v], 0.0
        for i in range(3):
            way += (x[v, i] - before[v, i]) ** 2
        way = t * math.sqrt(way)
        if way > budget:
            t *= budget / way
        if t < 1.0:
            for i in range(3):
                x[v, i] = before[v, i] + t * (x[v, i] - before[v, i])


@_compiled
def shorten_bodies(
    start: Any, q: Any, com: Any, ways: Any, radii: Any, of_bodies: Any, budget: float
) -> None:
    """Take bodies back likewise, no point of which is farther from where it was.

    Args:
        start: Their poses where contacts were looked for, (b, 7).
        q: Their poses, changed in place, (b, 7).
        com: Their centres of mass in their frames, (b, 3) [m].
        ways: See `body_ways`.
        radii: How far they reach from there, (b,) [m].
        of_bodies: The shares, (b,).
        budget: The distance [m].
    """
    for b in range(len(q)):
        t, way = of_bodies[b], ways[b]
        reach = math.sqrt(way[3] ** 2 + way[4] ** 2 + way[5] ** 2) + way[9] * radii[b]
        if reach > budget:
            t = min(t, budget / reach)
        if t >= 1.0:
            continue
        half = 0.5 * t * way[9]
        sine, w = math.sin(half), math.cos(half)
        x, y, z = sine * way[6], sine * way[7], sine * way[8]
        bx, by, bz, bw = start[b, 3], start[b, 4], start[b, 5], start[b, 6]
        q[b, 3] = w * bx + x * bw + y * bz - z * by
        q[b, 4] = w * by - x * bz + y * bw + z * bx
        q[b, 5] = w * bz + x * by - y * bx + z * bw
        q[b, 6] = w * bw - x * bx - y * by - z * bz
        for i in range(3):
            q[b, i] = way[i] + t * way[3 + i] - _turned(q, b, com[b], i)
