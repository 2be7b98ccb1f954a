"""A round of corrections in compiled code that Python calls once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unibody.core.deform.vbd import bending, lanes, threads
from unibody.core.deform.vbd.lanes import WIDTH
from unibody.core.deform.vbd.sweep import Share, part_of
from unibody.core.deform.vbd.threads import meet
from unibody.core.deform.xpbd import elements, neighbors
from unibody.core.deform.xpbd.elements import pull_bends, pull_springs, pull_tetrahedra
from unibody.core.deform.xpbd.neighbors import Grid, Touching, add_pushes, pack, sort_into_cells
from unibody.machine_code.array_calls import array_function
from unibody.machine_code.jit import inlined_kernel, kernel

_W = WIDTH
_SOURCES = (bending, elements, lanes, neighbors, threads)


class Particles(NamedTuple):
    """Particles in a round.

    Attributes:
        x: Places, (p, 3) [m].
        v: Velocities, (p, 3) [m/s].
        inverse: Inverse masses, (p,) [1/kg].
        deltas: Get how far each particle is to go, (p, 3) [m].
    """

    x: Any
    v: Any
    inverse: Any
    deltas: Any


class SpringTable(NamedTuple):
    """Springs.

    Attributes:
        corners: Particles, two each, (2 n,).
        rest: Lengths, (n,) [m].
        stiffness: (n,) [N/m].
        damping: (n,) [N s/m].
        pulls: What earlier rounds of the step have done, (n,).
    """

    corners: Any
    rest: Any
    stiffness: Any
    damping: Any
    pulls: Any


class BendTable(NamedTuple):
    """Angles between two triangles.

    Attributes:
        corners: Particles: opposite the edge on either side, ends of the edge, (n, 4); a side that
            is not there is below zero.
        rest: Angles, (n,) [rad].
        properties: Stiffness [N m/rad] and damping [N m s/rad], (n, 2).
        pulls: See `SpringTable`.
    """

    corners: Any
    rest: Any
    properties: Any
    pulls: Any


class TetrahedronTable(NamedTuple):
    """Tetrahedra.

    Attributes:
        corners: Particles, (n, 4).
        inverse: Of the edges at rest, (n, 3, 3) [1/m].
        activation: (n,).
        materials: Shear and bulk modulus [Pa], and damping [Pa s], (n, 3).
        pulls: See `SpringTable`; two each, (2 n,).
    """

    corners: Any
    inverse: Any
    activation: Any
    materials: Any
    pulls: Any


class Asked(NamedTuple):
    """What elements ask of their particles, and of which.

    Attributes:
        rows: One for a spring, four for another element, (r, 3).
        first: The first entry of each particle, and the number of all, (p + 1,).
        middle: Its first entry that asks for the opposite of a row, (p,).
        entries: Rows.
    """

    rows: Any
    first: Any
    middle: Any
    entries: Any


@inlined_kernel
def _corner(corners: Any, element: int, number: int) -> Any:
    """A particle of an element; the first one where there is none."""
    return np.uint32(max(corners[np.uint32(element), number], 0))


@kernel
def _ask_springs(
    m: Particles, t: SpringTable, d: Any, rows: Any, s: int, n: int, dt: float, damped: int
) -> None:
    for j in range(n):
        a, b = np.uint32(t.corners[2 * (s + j)]), np.uint32(t.corners[2 * (s + j) + 1])
        for k in range(3):
            d[k * _W + j] = m.x[a, k] - m.x[b, k]
        d[6 * _W + j], d[7 * _W + j] = m.inverse[a] + m.inverse[b], t.rest[s + j]
        d[8 * _W + j], d[9 * _W + j] = t.stiffness[s + j], t.damping[s + j]
        d[10 * _W + j] = t.pulls[s + j]
    if damped:
        for j in range(n):
            a, b = np.uint32(t.corners[2 * (s + j)]), np.uint32(t.corners[2 * (s + j) + 1])
            for k in range(3):
                d[(3 + k) * _W + j] = m.v[a, k] - m.v[b, k]
    pull_springs(d, n, dt, damped)
    for j in range(n):
        t.pulls[s + j] = d[10 * _W + j]
        for k in range(3):
            rows[s + j, k] = d[k * _W + j]


@kernel
def _ask_bends(
    m: Particles, t: BendTable, d: Any, rows: Any, at: int, e: int, n: int, dt: float, damped: int
) -> None:
    for j in range(n):
        a, b = _corner(t.corners, e + j, 0), _corner(t.corners, e + j, 1)
        c, f = _corner(t.corners, e + j, 2), _corner(t.corners, e + j, 3)
        for k in range(3):
            at_edge = m.x[c, k]
            d[k * _W + j] = m.x[a, k] - at_edge
            d[(3 + k) * _W + j] = m.x[b, k] - at_edge
            d[(6 + k) * _W + j] = m.x[f, k] - at_edge
        d[21 * _W + j], d[22 * _W + j] = m.inverse[a], m.inverse[b]
        d[23 * _W + j], d[24 * _W + j] = m.inverse[c], m.inverse[f]
        d[25 * _W + j], d[27 * _W + j] = t.rest[e + j], t.properties[e + j, 1]
        sides = min(t.corners[e + j, 0], t.corners[e + j, 1])
        d[26 * _W + j] = t.properties[e + j, 0] if sides >= 0 else np.float32(0.0)
        d[28 * _W + j] = t.pulls[e + j]
    if damped:
        for j in range(n):
            a, b = _corner(t.corners, e + j, 0), _corner(t.corners, e + j, 1)
            c, f = _corner(t.corners, e + j, 2), _corner(t.corners, e + j, 3)
            for k in range(3):
                d[(9 + k) * _W + j], d[(12 + k) * _W + j] = m.v[a, k], m.v[b, k]
                d[(15 + k) * _W + j], d[(18 + k) * _W + j] = m.v[c, k], m.v[f, k]
    pull_bends(d, n, dt, damped)
    for j in range(n):
        t.pulls[e + j] = d[28 * _W + j]
        first = np.uint32(at + 4 * (e + j))
        for k in range(3):
            rows[first, k], rows[first + 1, k] = d[k * _W + j], d[(3 + k) * _W + j]
            rows[first + 2, k], rows[first + 3, k] = d[(6 + k) * _W + j], d[(9 + k) * _W + j]


@kernel
def _ask_tetrahedra(
    m: Particles, t: TetrahedronTable, d: Any, rows: Any, at: int, e: int, n: int, dt: float,
    relaxation: float, damped: int,
) -> None:  # fmt: skip
    for j in range(n):
        a, b = _corner(t.corners, e + j, 0), _corner(t.corners, e + j, 1)
        c, f = _corner(t.corners, e + j, 2), _corner(t.corners, e + j, 3)
        for k in range(3):
            d[k * _W + j] = m.x[b, k] - m.x[a, k]
            d[(3 + k) * _W + j] = m.x[c, k] - m.x[a, k]
            d[(6 + k) * _W + j] = m.x[f, k] - m.x[a, k]
        d[9 * _W + j], d[10 * _W + j] = m.inverse[a], m.inverse[b]
        d[11 * _W + j], d[12 * _W + j] = m.inverse[c], m.inverse[f]
        for k in range(9):
            d[(13 + k) * _W + j] = t.inverse[e + j, k // 3, k % 3]
        d[22 * _W + j], d[23 * _W + j] = t.materials[e + j, 0], t.materials[e + j, 1]
        d[24 * _W + j] = t.activation[e + j]
        d[25 * _W + j], d[26 * _W + j] = t.pulls[2 * (e + j)], t.pulls[2 * (e + j) + 1]
        d[36 * _W + j] = t.materials[e + j, 2]
    if damped:
        for j in range(n):
            a, b = _corner(t.corners, e + j, 0), _corner(t.corners, e + j, 1)
            c, f = _corner(t.corners, e + j, 2), _corner(t.corners, e + j, 3)
            for k in range(3):
                d[(27 + k) * _W + j] = m.v[b, k] - m.v[a, k]
                d[(30 + k) * _W + j] = m.v[c, k] - m.v[a, k]
                d[(33 + k) * _W + j] = m.v[f, k] - m.v[a, k]
    pull_tetrahedra(d, n, dt, relaxation, damped)
    for j in range(n):
        t.pulls[2 * (e + j)], t.pulls[2 * (e + j) + 1] = d[25 * _W + j], d[26 * _W + j]
        first = at + 4 * (e + j)
        for k in range(3):
            x, y, z = d[k * _W + j], d[(3 + k) * _W + j], d[(6 + k) * _W + j]
            rows[first, k] = -(x + y + z)
            rows[first + 1, k], rows[first + 2, k], rows[first + 3, k] = x, y, z


@kernel
def _answer(m: Particles, asked: Asked, begin: int, end: int) -> None:
    """Add up what a part of the particles is asked for."""
    for p in range(begin, end):
        x, y, z = np.float32(0.0), np.float32(0.0), np.float32(0.0)
        u, v, w = np.float32(0.0), np.float32(0.0), np.float32(0.0)
        first, middle, last = asked.first[p], asked.middle[p], asked.first[p + 1]
        for n in range(first, middle):
            row = np.uint32(asked.entries[n])
            x += asked.rows[row, 0]
            y += asked.rows[row, 1]
            z += asked.rows[row, 2]
        for n in range(middle, last):
            row = np.uint32(asked.entries[n])
            u += asked.rows[row, 0]
            v += asked.rows[row, 1]
            w += asked.rows[row, 2]
        m.deltas[p, 0], m.deltas[p, 1], m.deltas[p, 2] = (
            m.inverse[p] * (x - u), m.inverse[p] * (y - v), m.inverse[p] * (z - w),
        )  # fmt: skip


@kernel
def _blocks(count: int) -> int:
    return (count + _W - 1) // _W


@array_function(*_SOURCES)
def correct(
    m: Particles, springs: SpringTable, bends: BendTable, tetrahedra: TetrahedronTable,
    asked: Asked, touching: Touching, grid: Grid, share: Share, d: Any, dt: float,
    relaxation: float, damped: int, touch: int,
) -> None:  # fmt: skip
    """Find out how far particles are to go.

    Args:
        m: Its `deltas` are written.
        springs: See `SpringTable`.
        bends: See `BendTable`.
        tetrahedra: See `TetrahedronTable`.
        asked: See `Asked`; its rows are written.
        touching: See `Touching`.
        grid: As `sort` filled it.
        share: Of the calling thread.
        d: Its room, (elements.ROWS * WIDTH,).
        dt: Time step [s].
        relaxation: Share of the pulls of tetrahedra that is done.
        damped: 1 if an element is damped.
        touch: 1 if particles touch one another.
    """
    step = np.float32(dt)
    count = len(springs.rest)
    begin, end = part_of(0, _blocks(count), share)
    for block in range(begin, end):
        s = block * _W
        _ask_springs(m, springs, d, asked.rows, s, min(_W, count - s), step, damped)
    at, count = count, len(bends.rest)
    begin, end = part_of(0, _blocks(count), share)
    for block in range(begin, end):
        e = block * _W
        _ask_bends(m, bends, d, asked.rows, at, e, min(_W, count - e), step, damped)
    at, count = at + 4 * count, len(tetrahedra.corners)
    begin, end = part_of(0, _blocks(count), share)
    for block in range(begin, end):
        e = block * _W
        n = min(_W, count - e)
        share_done = np.float32(relaxation)
        _ask_tetrahedra(m, tetrahedra, d, asked.rows, at, e, n, step, share_done, damped)
    begin, end = part_of(0, len(m.x), share)
    moved = np.float32(0.0)
    if touch:
        share.moves[0, share.part] = pack(m.x, m.v, m.inverse, touching, grid, begin, end)
    meet(share.counters, share.parts)
    _answer(m, asked, begin, end)
    if touch:
        for part in range(share.parts):
            moved = max(moved, share.moves[0, part])
        meet(share.counters, share.parts)  # the order of the grid is another
        add_pushes(m.inverse, touching, grid, begin, end, step, moved, m.deltas)
        meet(share.counters, share.parts)
        if share.part == 0:
            grid.round[0] += 1


@array_function(*_SOURCES)
def sort(x: Any, touching: Touching, grid: Grid) -> None:
    """Put particles into the grid.

    Args:
        x: Places, (p, 3) [m].
        touching: See `Touching`.
        grid: Changed.
    """
    sort_into_cells(x, touching, grid)
