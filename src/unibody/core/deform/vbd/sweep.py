"""One time over all colors: every vertex goes to the minimum of what it sees."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from unibody.core.deform.contacts import FRICTION, HELD
from unibody.core.deform.feature_contacts import FeatureContacts
from unibody.core.deform.vbd import bending, membrane, springs, tetrahedra
from unibody.core.deform.vbd.feature_touch import add_features
from unibody.core.deform.vbd.lanes import SUMS, WIDTH, float32, vectorised
from unibody.core.deform.vbd.surface_touch import (
    SurfaceTouch,
    add_surface_touch,
    beyond_free,
    bounded,
)
from unibody.core.deform.vbd.threads import fresh_counters, meet
from unibody.core.deform.vbd.tiles import Tiles
from unibody.core.deform.vbd.touch import add_contacts
from unibody.machine_code import numba

_W = WIDTH
_SPRING, _SPRING_ROWS = springs.OTHERS * WIDTH, springs.PARAMETERS * WIDTH
_TRIANGLE, _TRIANGLE_ROWS = membrane.OTHERS * WIDTH, membrane.PARAMETERS * WIDTH
_BEND, _BEND_ROWS = bending.OTHERS * WIDTH, bending.PARAMETERS * WIDTH
_TETRAHEDRON, _TETRAHEDRON_ROWS = tetrahedra.OTHERS * WIDTH, tetrahedra.PARAMETERS * WIDTH
_ZERO: Any = float32(0.0)
_ONE = float32(1.0)
_TINY = float32(1e-30)
_ROUNDING = float32(1e-7)  # of a sum, in single precision
_BEYOND = float32(0.5)  # of the way to a minimum further: single vertices are slow to bend a body
_NEVER: Any = float32(1e30)
_THREE = float32(3.0)
_HELD = float32(HELD)

_compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")


class Memory(NamedTuple):
    """Where a sweep keeps the numbers of one tile.

    Attributes:
        d: From vertices to the others of their elements.
        own: Places of the vertices.
        step: How far they go; before that the stiffness of their inertia.
        sums: Derivatives of the energy.
    """

    d: Any
    own: Any
    step: Any
    sums: Any


def memory() -> Memory:
    """Memory for one thread."""
    d, step, sums = (np.zeros(rows * WIDTH, dtype=np.float32) for rows in (9, 3, SUMS))
    return Memory(d, np.zeros(3 * WIDTH), step, sums)


class Share(NamedTuple):
    """Which part of the work a thread does.

    Every vertex is the work of one thread and sees the same of all others, so that results do not
    depend on how many threads there are.

    Attributes:
        part: Its number.
        parts: How many there are.
        counters: Where they meet.
        moves: Room for the largest move of each part, in even and odd sweeps, (2, parts).
    """

    part: int
    parts: int
    counters: Any
    moves: Any


def alone() -> Share:
    """All the work in one thread."""
    return Share(0, 1, fresh_counters(), np.zeros((2, 1), dtype=np.float32))


class Motion(NamedTuple):
    """Particles in a step.

    Attributes:
        x: Places, flat [m].
        before: Places at the start of the step, flat [m].
        goal: Where they would go without elements, flat [m].
        masses: kg.
        contact_first: First contact of each particle, and the number of all.
        contacts: (n, contacts.COLUMNS).
        features: Contacts of edges and triangles.
    """

    x: Any
    before: Any
    goal: Any
    masses: Any
    contact_first: Any
    contacts: Any
    features: FeatureContacts


@_compiled
def _gather(x: Any, own: Any, lanes: int, others: Any, begin: int, end: int, d: Any) -> None:
    """From each lane's vertex to the others of its element [m]."""
    to = 0
    for at in range(begin, end, _W):
        for j in range(lanes):
            o = 3 * others[at + j]
            d[to + j] = x[o] - own[j]
            d[to + _W + j] = x[o + 1] - own[_W + j]
            d[to + 2 * _W + j] = x[o + 2] - own[2 * _W + j]
        to += 3 * _W


@_compiled
def _take(x: Any, vertices: Any, tile: int, lanes: int, own: Any) -> None:
    """Places of a tile's vertices."""
    for j in range(lanes):
        v = 3 * vertices[tile * _W + j]
        own[j], own[_W + j], own[2 * _W + j] = x[v], x[v + 1], x[v + 2]


@_compiled
def _add_elements(p: Tiles, x: Any, own: Any, tile: int, rate: float, d: Any, sums: Any) -> None:
    n = p.lanes[tile]
    for r in range(p.springs.first[tile], p.springs.first[tile + 1]):
        _gather(x, own, n, p.springs.others, r * _SPRING, (r + 1) * _SPRING, d)
        springs.add(d, p.springs.parameters, r * _SPRING_ROWS, n, rate, sums)
    for r in range(p.triangles.first[tile], p.triangles.first[tile + 1]):
        _gather(x, own, n, p.triangles.others, r * _TRIANGLE, (r + 1) * _TRIANGLE, d)
        membrane.add(d, p.triangles.parameters, r * _TRIANGLE_ROWS, n, rate, sums)
    for r in range(p.green.first[tile], p.green.first[tile + 1]):
        _gather(x, own, n, p.green.others, r * _TRIANGLE, (r + 1) * _TRIANGLE, d)
        membrane.add_green(d, p.green.parameters, r * _TRIANGLE_ROWS, n, rate, sums)
    for r in range(p.opposites.first[tile], p.opposites.first[tile + 1]):
        _gather(x, own, n, p.opposites.others, r * _BEND, (r + 1) * _BEND, d)
        bending.add_opposite(d, p.opposites.parameters, r * _BEND_ROWS, n, rate, sums)
    for r in range(p.edges.first[tile], p.edges.first[tile + 1]):
        _gather(x, own, n, p.edges.others, r * _BEND, (r + 1) * _BEND, d)
        bending.add_edge(d, p.edges.parameters, r * _BEND_ROWS, n, rate, sums)
    for r in range(p.tetrahedra.first[tile], p.tetrahedra.first[tile + 1]):
        _gather(x, own, n, p.tetrahedra.others, r * _TETRAHEDRON, (r + 1) * _TETRAHEDRON, d)
        tetrahedra.add(d, p.tetrahedra.parameters, r * _TETRAHEDRON_ROWS, n, rate, sums)


@_compiled
def part_of(begin: int, end: int, share: Share) -> tuple[int, int]:
    """A thread's part of a range."""
    count = end - begin
    return (
        begin + count * share.part // share.parts,
        begin + count * (share.part + 1) // share.parts,
    )


@_compiled
def measure(p: Tiles, x: Any, share: Share, space: Memory) -> None:
    """Write what damping compares with: elements as they are now.

    Args:
        p: All elements.
        x: Places of all particles, flat [m].
        share: Which part of the tiles.
        space: See `memory`.
    """
    d, own = space.d, space.own
    begin, end = part_of(0, p.colors[-1], share)
    for tile in range(begin, end):
        n = p.lanes[tile]
        _take(x, p.vertices, tile, n, own)
        for r in range(p.springs.first[tile], p.springs.first[tile + 1]):
            _gather(x, own, n, p.springs.others, r * _SPRING, (r + 1) * _SPRING, d)
            springs.measure(d, p.springs.parameters, r * _SPRING_ROWS, n)
        for r in range(p.triangles.first[tile], p.triangles.first[tile + 1]):
            _gather(x, own, n, p.triangles.others, r * _TRIANGLE, (r + 1) * _TRIANGLE, d)
            membrane.measure(d, p.triangles.parameters, r * _TRIANGLE_ROWS, n)
        for r in range(p.green.first[tile], p.green.first[tile + 1]):
            _gather(x, own, n, p.green.others, r * _TRIANGLE, (r + 1) * _TRIANGLE, d)
            membrane.measure(d, p.green.parameters, r * _TRIANGLE_ROWS, n)
        for r in range(p.opposites.first[tile], p.opposites.first[tile + 1]):
            _gather(x, own, n, p.opposites.others, r * _BEND, (r + 1) * _BEND, d)
            bending.measure_opposite(d, p.opposites.parameters, r * _BEND_ROWS, n)
        for r in range(p.edges.first[tile], p.edges.first[tile + 1]):
            _gather(x, own, n, p.edges.others, r * _BEND, (r + 1) * _BEND, d)
            bending.measure_edge(d, p.edges.parameters, r * _BEND_ROWS, n)
        for r in range(p.tetrahedra.first[tile], p.tetrahedra.first[tile + 1]):
            _gather(x, own, n, p.tetrahedra.others, r * _TETRAHEDRON, (r + 1) * _TETRAHEDRON, d)
            tetrahedra.measure(d, p.tetrahedra.parameters, r * _TETRAHEDRON_ROWS, n)
    meet(share.counters, share.parts)


@_compiled
def _begin(m: Motion, vertices: Any, tile: int, lanes: int, rate: float, space: Memory) -> None:
    """Start the sums of a tile with the energy of inertia, and note its stiffness."""
    own, sums, noted = space.own, space.sums, space.step
    for j in range(lanes):
        v = vertices[tile * _W + j]
        k = m.masses[v] * rate * rate
        noted[j] = k
        noted[_W + j] = _THREE * k
        sums[j] = k * (own[j] - m.goal[3 * v])
        sums[_W + j] = k * (own[_W + j] - m.goal[3 * v + 1])
        sums[2 * _W + j] = k * (own[2 * _W + j] - m.goal[3 * v + 2])
        sums[3 * _W + j] = sums[6 * _W + j] = sums[8 * _W + j] = k
        sums[4 * _W + j] = sums[5 * _W + j] = sums[7 * _W + j] = _ZERO


@vectorised
def solve(sums: Any, lanes: int, beyond: float, step: Any) -> None:
    """To the minimum of each lane's quadratic, by its factors L D L', or beyond it.

    No pivot is below the stiffness of inertia, as elements only add to it, nor below what rounding
    leaves of the sum: elements without area pull by up to 1e12 times as much along one direction as
    along the others, where a determinant would be the difference of numbers beyond all range.

    Args:
        sums: Derivatives of the energy.
        lanes: How many lanes have a vertex.
        beyond: How much further a vertex goes that only elements hold, and by its inertia less.
        step: Has the stiffness of inertia in each direction, and from which on a vertex goes no
            further than to the minimum; gets how far vertices go.
    """
    for j in range(lanes):
        gx, gy, gz = sums[j], sums[_W + j], sums[2 * _W + j]
        xx, xy, xz = sums[3 * _W + j], sums[4 * _W + j], sums[5 * _W + j]
        yy, yz, zz = sums[6 * _W + j], sums[7 * _W + j], sums[8 * _W + j]
        all_directions = xx + yy + zz
        least = max(step[j], _ROUNDING * all_directions, _TINY)
        further = _ONE + beyond * max(_ONE - step[_W + j] / max(all_directions, _TINY), _ZERO)
        ix = _ONE / max(xx, least)
        ly, lz = xy * ix, xz * ix
        iy = _ONE / max(yy - ly * xy, least)
        across = yz - lz * xy
        lyz = across * iy
        z = -(gz - lz * gx - lyz * (gy - ly * gx)) / max(zz - lz * xz - lyz * across, least)
        y = -(gy - ly * gx) * iy - lyz * z
        step[j] = further * (-gx * ix - ly * y - lz * z)
        step[_W + j] = further * y
        step[2 * _W + j] = further * z


@_compiled
def _go(m: Motion, vertices: Any, tile: int, lanes: int, step: Any) -> float:
    """Move a tile's vertices; the largest of their moves [m]."""
    most = _ZERO
    for j in range(lanes):
        v = vertices[tile * _W + j]
        for axis in range(3):
            way = step[axis * _W + j]
            most = max(most, abs(way))
            m.x[3 * v + axis] += way
    return most


@_compiled
def _sum_tile(p: Tiles, m: Motion, tile: int, rate: float, space: Memory) -> None:
    """Sum what a tile's vertices see, but for what their surfaces touch."""
    lanes = p.lanes[tile]
    _take(m.x, p.vertices, tile, lanes, space.own)
    _begin(m, p.vertices, tile, lanes, rate, space)
    _add_elements(p, m.x, space.own, tile, rate, space.d, space.sums)
    for j in range(lanes):
        v = p.vertices[tile * _W + j]
        if m.contact_first[v] < m.contact_first[v + 1]:
            add_contacts(m.x, m.before, v, j, m.contact_first, m.contacts, rate, space.sums)
            if m.contacts[m.contact_first[v], FRICTION] != _HELD:
                space.step[_W + j] = _NEVER  # beyond the minimum there may be no contact
        if m.features.first[v] < m.features.first[v + 1]:
            add_features(m.x, m.before, v, j, m.features, rate, space.sums)
            space.step[_W + j] = _NEVER


@_compiled
def sweep(p: Tiles, m: Motion, rate: float, beyond: float, share: Share, space: Memory) -> float:
    """Move every vertex once, color after color.

    Args:
        p: All elements.
        m: Particles; ``x`` is changed.
        rate: One over the time step [1/s].
        beyond: Of its way to the minimum a vertex that elements hold goes further; below 1 the
            energy does not grow.
        share: Which vertices of each color.
        space: See `memory`.

    Returns:
        The largest of all moves of these vertices along an axis [m].
    """
    most = _ZERO
    for color in range(len(p.colors) - 1):
        begin, end = part_of(p.colors[color], p.colors[color + 1], share)
        for tile in range(begin, end):
            _sum_tile(p, m, tile, rate, space)
            solve(space.sums, p.lanes[tile], beyond, space.step)
            most = max(most, _go(m, p.vertices, tile, p.lanes[tile], space.step))
        meet(share.counters, share.parts)
    return most


@_compiled
def sweep_touching(p: Tiles, m: Motion, touch: SurfaceTouch, rate: float, space: Memory) -> float:
    """`sweep` of surfaces that may touch: no vertex goes where it might pass another surface.

    Args:
        p: All elements.
        m: Particles; ``x`` is changed.
        touch: Pairs that may touch.
        rate: One over the time step [1/s].
        space: See `memory`.

    Returns:
        The largest of all moves along an axis [m].
    """
    own, step = space.own, space.step
    most = _ZERO
    for tile in range(p.colors[-1]):
        lanes = p.lanes[tile]
        _sum_tile(p, m, tile, rate, space)
        for j in range(lanes):
            v = p.vertices[tile * _W + j]
            if touch.first[v] < touch.first[v + 1]:
                add_surface_touch(m.x, m.before, v, j, touch, rate, space.sums)
        solve(space.sums, lanes, _ZERO, step)
        for j in range(lanes):
            v = p.vertices[tile * _W + j]
            x, y, z = (
                own[j] + step[j],
                own[_W + j] + step[_W + j],
                own[2 * _W + j] + step[2 * _W + j],
            )
            touch.granted[v] = _ONE
            if beyond_free(x, y, z, v, touch.start, touch.free):
                to = bounded(x, y, z, v, touch)
                wanted = step[j] ** 2 + step[_W + j] ** 2 + step[2 * _W + j] ** 2
                step[j], step[_W + j] = to[0] - own[j], to[1] - own[_W + j]
                step[2 * _W + j] = to[2] - own[2 * _W + j]
                gone = step[j] ** 2 + step[_W + j] ** 2 + step[2 * _W + j] ** 2
                touch.granted[v] = math.sqrt(min(gone / max(wanted, _TINY), _ONE))
        most = max(most, _go(m, p.vertices, tile, lanes, step))
    return most


@_compiled
def _left(before: float, now: float) -> float:
    """How far the moves of all sweeps to come go together, if each has the same share of the last.

    Args:
        before: The largest move of the last sweep but one [m].
        now: That of the last one [m].
    """
    return now * now / (before - now) if now < before else _NEVER


@_compiled
def descend(
    p: Tiles, m: Motion, rate: float, share: Share, space: Memory, sweeps: int, near: float,
    still: float,
) -> int:  # fmt: skip
    """Sweep until no vertex moves any more, or so many times.

    All but the last sweep go beyond the minima (successive over-relaxation), which leaves errors
    from one vertex to the next. A sweep to the minima takes these away; that is why it is the last
    one, where vertices hardly move any more.

    Args:
        p: All elements.
        m: Particles; ``x`` is changed.
        rate: One over the time step [1/s].
        share: Of the calling thread.
        space: See `memory`; of the thread.
        sweeps: At most.
        near: Where no more than that is left to go there is one more sweep [m]; see `_left`.
        still: What counts as no move [m].

    Returns:
        How many sweeps there were.
    """
    before, last = _ZERO, sweeps == 1
    for done in range(sweeps):
        moves = share.moves[done % 2]
        moves[share.part] = sweep(p, m, rate, _ZERO if last else _BEYOND, share, space)
        meet(share.counters, share.parts)
        most = moves.max()
        if last or most <= still:
            return done + 1
        before, last = most, done + 2 == sweeps or _left(before, most) <= near
    return sweeps


@_compiled
def descend_touching(
    p: Tiles,
    m: Motion,
    touch: SurfaceTouch,
    rate: float,
    space: Memory,
    sweeps: int,
    still: float,
) -> int:
    """Sweep until no vertex moves any more, or so many times; see `sweep_touching`."""
    for done in range(sweeps):
        if sweep_touching(p, m, touch, rate, space) <= still:
            return done + 1
    return sweeps


def vertex_derivatives(p: Tiles, x: Any) -> tuple[Any, Any]:
    """Derivatives of the elastic energy by the place of each particle, the others held.

    Args:
        p: All elements.
        x: Places of all particles, (p, 3) [m].

    Returns:
        The first, (p, 3) [N], and the part of the second that a sweep uses, (p, 3, 3) [N/m]; zero
        for particles that are held.
    """
    flat = np.asarray(x, dtype=np.float64).reshape(-1)
    space = memory()
    first, second = np.zeros((len(x), 3)), np.zeros((len(x), 3, 3))
    measure(p, flat, alone(), space)
    for tile in range(p.colors[-1]):
        space.sums[:] = 0.0
        _take(flat, p.vertices, tile, p.lanes[tile], space.own)
        _add_elements(p, flat, space.own, tile, _ONE, space.d, space.sums)
        lanes = p.vertices[tile * WIDTH : (tile + 1) * WIDTH]
        sums = space.sums.reshape(SUMS, WIDTH)[:, lanes >= 0].T
        first[lanes[lanes >= 0]] = sums[:, :3]
        second[lanes[lanes >= 0]] = sums[:, [3, 4, 5, 4, 6, 7, 5, 7, 8]].reshape(-1, 3, 3)
    return first, second
