"""Forces between surfaces that touch, and how far their particles may go.

The energy of a pair at distance d, within a radius r, is k/2 (r - d)^2 down to half the radius, and
goes on as a logarithm below, so that nothing passes (Chen et al. 2025, offset geometric contact,
section 3). Friction is that of `touch`; of second derivatives the parts along the normal and of
friction are kept.

At the time of a search a pair has a gap, along the way between its closest points. No particle goes
on where it would leave less than a part of the gap to where the other side is by then, and none
moves by half of how near pairs are found: until the next search nothing passes, what slides along
is not held up, and what gives way is followed.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from unibody.core.deform.surface_contact.closest import shares, way
from unibody.core.deform.vbd.lanes import WIDTH, float32
from unibody.core.deform.vbd.touch import add_stiffness
from unibody.machine_code import numba

_W = WIDTH
_HALF = float32(0.5)
_ONE = float32(1.0)
_ZERO: Any = float32(0.0)
_TWO = float32(2.0)
_LEAST = float32(1e-9)  # m: below, there is no direction
_SLACK = float32(1e-6)  # m: beyond rounding, within what the share leaves
_LESS = float32(1.0 - 1e-5)  # beyond rounding, of a way that is free
_PASSES = 3  # over the pairs of a particle
_TURNS = 4  # in which all go to where the step's guess has them
_FAR = float32(1e30)

_compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")


class SurfaceTouch(NamedTuple):
    """Pairs that may touch, and how.

    Attributes:
        pairs: See `surface_contact.surface.Near`.
        triangles: Likewise.
        first: Likewise.
        sides: Likewise.
        planes: Likewise.
        start: Places at the time of the search, flat [m].
        free: How far each particle may go whatever the direction, (p,) [m]; see `free_ways`.
        bound: How far a particle may move [m].
        share: Of its gap that a pair may close.
        radii: How near each pair pushes, (n,) [m].
        stiffness: Of each pair, (n,) [N/m].
        friction: Of each pair, (n,).
        damping: N s/m.
        growth: Way over which friction grows [m].
        crossed: Whether a particle has been farther than `free` since the search, (1,).
        granted: Gets the share of its way that each particle has gone in the last sweep, (p,).
    """

    pairs: Any
    triangles: int
    first: Any
    sides: Any
    planes: Any
    start: Any
    free: Any
    bound: float
    share: float
    radii: Any
    stiffness: Any
    friction: Any
    damping: float
    growth: float
    crossed: Any
    granted: Any


@_compiled
def apart_along(x: Any, pair: Any, plane: Any, edges: bool) -> float:
    """How far apart the two sides of a pair are along the normal of its plane, at least [m].

    They are no nearer than that, which is known without their closest points.

    Args:
        x: Places of all particles, flat [m].
        pair: A vertex and the corners of a triangle, or the ends of two edges.
        plane: Between them when they were found; see `SurfaceTouch`.
        edges: Which of the two.
    """
    a, b, c, d = 3 * pair[0], 3 * pair[1], 3 * pair[2], 3 * pair[3]
    nx, ny, nz = plane[0], plane[1], plane[2]
    second = nx * (x[a] - x[b]) + ny * (x[a + 1] - x[b + 1]) + nz * (x[a + 2] - x[b + 2])
    third = nx * (x[a] - x[c]) + ny * (x[a + 1] - x[c + 1]) + nz * (x[a + 2] - x[c + 2])
    fourth = nx * (x[a] - x[d]) + ny * (x[a + 1] - x[d + 1]) + nz * (x[a + 2] - x[d + 2])
    if edges:
        return min(third, fourth) - max(second, _ZERO)
    return min(second, third, fourth)


@_compiled
def free_ways(
    start: Any, planes: Any, first: Any, sides: Any, triangles: int, share: float, bound: float
) -> Any:
    """How far particles may go whatever the direction, as long as no other goes farther, (p,) [m].

    Args:
        start: See `SurfaceTouch`, as the following ones.
        planes: See `SurfaceTouch`.
        first: See `SurfaceTouch`.
        sides: See `SurfaceTouch`.
        triangles: See `SurfaceTouch`.
        share: See `SurfaceTouch`.
        bound: See `SurfaceTouch`.
    """
    free = np.empty(len(first) - 1, dtype=np.float32)
    for v in range(len(free)):
        least = bound
        for entry in range(first[v], first[v + 1]):
            nx, ny, nz, offset = _facing(sides[entry], planes, triangles)
            began = nx * start[3 * v] + ny * start[3 * v + 1] + nz * start[3 * v + 2] - offset
            least = min(least, share * max(began, _ZERO))
        free[v] = _LESS * least
    return free


@_compiled
def _push(stiffness: float, radius: float, distance: float) -> Any:
    """Force along the normal, and the second derivative of the energy."""
    half = _HALF * radius
    if distance >= half:
        return stiffness * (radius - distance), stiffness
    k = stiffness * half * half
    return k / distance, k / (distance * distance)


@_compiled
def _grip(touch: SurfaceTouch, number: int, load: float, slid: float) -> float:
    """Friction over the way slid [N/m]."""
    bound = touch.friction[number] * load
    if slid < touch.growth:
        return bound * (_TWO - slid / touch.growth) / touch.growth
    return bound / slid if slid > _ZERO else _ZERO


@_compiled
def add_surface_touch(
    x: Any, before: Any, v: int, lane: int, touch: SurfaceTouch, rate: float, sums: Any
) -> None:
    """Add gradient and second derivative of a particle's pairs.

    Args:
        x: Places of all particles, flat [m].
        before: The same at the start of the step.
        v: The particle.
        lane: Where it is in its tile.
        touch: All pairs.
        rate: One over the time step [1/s].
        sums: What is added to, 9 rows.
    """
    for n in range(touch.first[v], touch.first[v + 1]):
        number, side = touch.sides[n] // 4, touch.sides[n] % 4
        pair, radius = touch.pairs[number], touch.radii[number]
        if apart_along(x, pair, touch.planes[number], number >= touch.triangles) >= radius:
            continue
        share = shares(x, pair, number >= touch.triangles)
        apart = way(x, pair, share)
        distance = math.sqrt(apart[0] ** 2 + apart[1] ** 2 + apart[2] ** 2)
        if distance >= radius or distance < _LEAST:
            continue
        nx, ny, nz = apart[0] / distance, apart[1] / distance, apart[2] / distance
        own = share[0]
        own = share[1] if side == 1 else own
        own = share[2] if side == 2 else own
        own = share[3] if side == 3 else own
        push, stiff = _push(touch.stiffness[number], radius, distance)
        old = way(before, pair, share)
        ux, uy, uz = apart[0] - old[0], apart[1] - old[1], apart[2] - old[2]
        along = nx * ux + ny * uy + nz * uz
        load = push
        if along < _ZERO:  # only what comes nearer is damped
            push -= touch.damping * rate * along
            stiff += touch.damping * rate
        ux, uy, uz = ux - along * nx, uy - along * ny, uz - along * nz
        grip = _grip(touch, number, load, math.sqrt(ux * ux + uy * uy + uz * uz))
        sums[lane] -= own * (push * nx - grip * ux)
        sums[_W + lane] -= own * (push * ny - grip * uy)
        sums[2 * _W + lane] -= own * (push * nz - grip * uz)
        weight = _TWO * abs(own)  # times the sum of all shares: others of the pair move meanwhile
        grip *= weight
        add_stiffness(sums, lane, weight * stiff - grip, grip, nx, ny, nz)


@_compiled
def _facing(entry: int, planes: Any, triangles: int) -> Any:
    """The plane of an entry of `sides`, its normal towards the entry's particle."""
    number, side = entry // 4, entry % 4
    plane = planes[number]
    if side == 0 or (side == 1 and number >= triangles):
        return plane[0], plane[1], plane[2], plane[3]
    return -plane[0], -plane[1], -plane[2], -plane[3]


@_compiled
def _top(x: Any, entry: int, touch: SurfaceTouch, nx: float, ny: float, nz: float) -> Any:
    """How far the other side of an entry's pair reaches along a direction [m]."""
    number, side = entry // 4, entry % 4
    begin, end = (1, 4) if side == 0 else (0, 1)
    if number >= touch.triangles:
        begin, end = (2, 4) if side < 2 else (0, 2)
    top = -_FAR
    for k in range(begin, end):
        w = 3 * touch.pairs[number, k]
        top = max(top, nx * x[w] + ny * x[w + 1] + nz * x[w + 2])
    return top


@_compiled
def _lack(x: float, y: float, z: float, v: int, entry: int, touch: SurfaceTouch, now: Any) -> Any:
    """How much less than its part of the gap a place leaves [m], the normal, and what it leaves."""
    nx, ny, nz, _ = _facing(touch.sides[entry], touch.planes, touch.triangles)
    start = touch.start
    began = nx * start[3 * v] + ny * start[3 * v + 1] + nz * start[3 * v + 2]
    began -= _top(start, touch.sides[entry], touch, nx, ny, nz)
    left = nx * x + ny * y + nz * z - _top(now, touch.sides[entry], touch, nx, ny, nz)
    least = (_ONE - touch.share) * began if began > _ZERO else began
    return least - left, nx, ny, nz, left


@_compiled
def is_free(x: float, y: float, z: float, v: int, touch: SurfaceTouch) -> bool:
    """Whether a particle may go to a place, as no particle has gone far; see `bounded`."""
    start = touch.start
    ux, uy, uz = x - start[3 * v], y - start[3 * v + 1], z - start[3 * v + 2]
    if ux * ux + uy * uy + uz * uz > touch.free[v] * touch.free[v]:
        touch.crossed[0] = True
    return not touch.crossed[0]


@_compiled
def bounded(x: float, y: float, z: float, v: int, touch: SurfaceTouch, now: Any) -> Any:
    """The place next to one where a particle may go.

    Args:
        x: Where it would go [m].
        y: Likewise.
        z: Likewise.
        v: The particle.
        touch: All pairs.
        now: Where all particles are, this one too, flat [m].
    """
    for _ in range(_PASSES):
        out = False
        for entry in range(touch.first[v], touch.first[v + 1]):
            lack, nx, ny, nz, _ = _lack(x, y, z, v, entry, touch, now)
            if lack > _ZERO:
                out = True
                x, y, z = x + lack * nx, y + lack * ny, z + lack * nz
        if not out:
            break
    sx, sy, sz = touch.start[3 * v], touch.start[3 * v + 1], touch.start[3 * v + 2]
    ux, uy, uz = x - sx, y - sy, z - sz
    moved = math.sqrt(ux * ux + uy * uy + uz * uz)
    if moved > touch.bound:
        scale = touch.bound / moved
        x, y, z = sx + scale * ux, sy + scale * uy, sz + scale * uz
    ox, oy, oz = now[3 * v], now[3 * v + 1], now[3 * v + 2]
    scale = _ONE
    for entry in range(touch.first[v], touch.first[v + 1]):  # gaps that leave no way out
        lack, nx, ny, nz, _ = _lack(x, y, z, v, entry, touch, now)
        if lack > _SLACK:
            came = nx * (ox - x) + ny * (oy - y) + nz * (oz - z)
            scale = min(scale, max(_ONE - lack / came, _ZERO) if came > lack else _ZERO)
    if scale < _ONE:
        return ox + scale * (x - ox), oy + scale * (y - oy), oz + scale * (z - oz)
    return x, y, z


@_compiled
def all_bounded(x: Any, masses: Any, touch: SurfaceTouch) -> None:
    """Bring all particles but those that are held to where they may go; see `bounded`.

    They go a part of their ways in turn, so that both sides of a pair have a share of its gap.
    """
    goal = x.copy()
    for v in range(len(masses)):
        if masses[v] > _ZERO:
            for axis in range(3 * v, 3 * v + 3):
                x[axis] = touch.start[axis]
    for turn in range(_TURNS):
        part = 1.0 / (_TURNS - turn)
        for v in range(len(masses)):
            if masses[v] > _ZERO:
                ax, ay, az = x[3 * v], x[3 * v + 1], x[3 * v + 2]
                bx = ax + part * (goal[3 * v] - ax)
                by = ay + part * (goal[3 * v + 1] - ay)
                bz = az + part * (goal[3 * v + 2] - az)
                if not is_free(bx, by, bz, v, touch):
                    bx, by, bz = bounded(bx, by, bz, v, touch, x)
                x[3 * v], x[3 * v + 1], x[3 * v + 2] = bx, by, bz
