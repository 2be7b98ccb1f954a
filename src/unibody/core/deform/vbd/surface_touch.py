"""Forces between surfaces that touch, and how far their particles may go.

The energy of a pair at distance d, within a radius r, is k/2 (r - d)^2 down to half the radius, and
goes on as a logarithm below, so that nothing passes (Chen et al. 2025, offset geometric contact,
section 3). Friction is that of `touch`; of second derivatives the parts along the normal and of
friction are kept.

At the time of a search a plane half-way between the closest points of a pair has its two sides on
either side of it. No particle comes to the planes of its pairs, and none moves by half of how near
pairs are found: until the next search nothing passes, and what slides along is not held up.
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
_PASSES = 3  # over the planes of a particle

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
        share: Of its way to a plane that a particle may go.
        radii: How near each pair pushes, (n,) [m].
        stiffness: Of each pair, (n,) [N/m].
        friction: Of each pair, (n,).
        damping: N s/m.
        growth: Way over which friction grows [m].
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
    """How far particles may go whatever the direction, (p,) [m].

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
def _lack(x: float, y: float, z: float, v: int, entry: int, touch: SurfaceTouch) -> Any:
    """How far beyond its share of the way to a plane a place is, the normal, and the share [m]."""
    nx, ny, nz, offset = _facing(touch.sides[entry], touch.planes, touch.triangles)
    start = touch.start
    began = nx * start[3 * v] + ny * start[3 * v + 1] + nz * start[3 * v + 2] - offset
    gone = began - (nx * x + ny * y + nz * z - offset)
    allowed = touch.share * max(began, _ZERO)
    return gone - allowed, nx, ny, nz, allowed


@_compiled
def beyond_free(x: float, y: float, z: float, v: int, start: Any, free: Any) -> bool:
    """Whether a place is farther than a particle may go whatever the direction; see `bounded`."""
    ux, uy, uz = x - start[3 * v], y - start[3 * v + 1], z - start[3 * v + 2]
    return bool(ux * ux + uy * uy + uz * uz > free[v] * free[v])


@_compiled
def bounded(x: float, y: float, z: float, v: int, touch: SurfaceTouch) -> Any:
    """The place next to one where a particle may go.

    Args:
        x: Where it would go [m].
        y: Likewise.
        z: Likewise.
        v: The particle.
        touch: All pairs.
    """
    for _ in range(_PASSES):
        out = False
        for entry in range(touch.first[v], touch.first[v + 1]):
            lack, nx, ny, nz, _ = _lack(x, y, z, v, entry, touch)
            if lack > _ZERO:
                out = True
                x, y, z = x + lack * nx, y + lack * ny, z + lack * nz
        if not out:
            break
    sx, sy, sz = touch.start[3 * v], touch.start[3 * v + 1], touch.start[3 * v + 2]
    ux, uy, uz = x - sx, y - sy, z - sz
    moved = math.sqrt(ux * ux + uy * uy + uz * uz)
    scale = touch.bound / moved if moved > touch.bound else _ONE
    for entry in range(touch.first[v], touch.first[v + 1]):  # planes that leave no way out
        lack, _, _, _, allowed = _lack(sx + ux, sy + uy, sz + uz, v, entry, touch)
        if lack > _SLACK:
            scale = min(scale, allowed / (allowed + lack))
    if scale < _ONE:
        return sx + scale * ux, sy + scale * uy, sz + scale * uz
    return x, y, z


@_compiled
def all_bounded(x: Any, masses: Any, touch: SurfaceTouch) -> None:
    """Bring all particles but those that are held to where they may go; see `bounded`."""
    for v in range(len(masses)):
        if masses[v] > _ZERO:
            to = bounded(x[3 * v], x[3 * v + 1], x[3 * v + 2], v, touch)
            x[3 * v], x[3 * v + 1], x[3 * v + 2] = to
