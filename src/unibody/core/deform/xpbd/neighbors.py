"""Particles that touch one another: each is pushed by all that are too near to it.

Particles lie in a grid of cells that are as wide as two of them may reach, numbered anew after
each block of cells: distant cells share a list, and the distance tells. Cells lie where they lie
whatever there is besides, so that sums have one order.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from unibody.core.deform.vbd.lanes import float32
from unibody.machine_code.jit import kernel

_ZERO = float32(0.0)
_ONE = float32(1.0)
_SIDE = 4  # least cells on a side: three in a row are not the same
_FAR = 1e9  # cells
_ABSENT = -2  # in place of a world: a particle that takes no part
_WIDER = 1.05  # cells than particles reach: by so much those of distant cells may come nearer
_ROUNDED = float32(1.001)


class Grid(NamedTuple):
    """Which particles are in which cell.

    Attributes:
        sides: Cells on each side of the block, powers of two, and layers from world to world, (4,).
        width: How wide cells are, (1,) [m].
        first: The first particle of each cell in `order`, and the number of all, (cells + 1,).
        order: Particles cell by cell, (p,).
        cells: The cell of each particle, (p,).
        packed: Place and radius of each, in that order, (p, 4).
        motion: Velocity and inverse mass of each, in that order, (p, 4).
        worlds: The world of each, in that order, (p,); -2 where one takes no part.
        start: Places when the grid was filled, in that order, (p, 3) [m].
        gaps: How much nearer others might have come then without touching, in that order (p,) [m].
        round: How many rounds there were since, (1,).
    """

    sides: Any
    width: Any
    first: Any
    order: Any
    cells: Any
    packed: Any
    motion: Any
    worlds: Any
    start: Any
    gaps: Any
    round: Any


class Touching(NamedTuple):
    """How particles touch.

    Attributes:
        radius: Of each, (p,) [m].
        flags: Of each; those with bit 0 take part, (p,).
        world: Of each; those of different worlds, none of them -1, do not touch, (p,).
        numbers: Friction, distance at which they still hold one another [m], the largest radius
            [m], the share of the way apart that is gone, and how many worlds there are; 1 if
            particles of world -1 touch those of all others, (5,).
    """

    radius: Any
    flags: Any
    world: Any
    numbers: Any


def empty_grid(count: int) -> Grid:
    """A grid for so many particles, with room for two to four times as many cells."""
    size = 1 << max(int(2 * count - 1).bit_length(), 3 * (_SIDE - 1).bit_length())
    return Grid(
        np.zeros(4, np.int64),
        np.zeros(1),
        np.zeros(size + 1, np.int32),
        np.zeros(count, np.int32),
        np.zeros(count, np.int32),
        np.zeros((count, 4), np.float32),
        np.zeros((count, 4), np.float32),
        np.zeros(count, np.int32),
        np.zeros((count, 3), np.float32),
        np.zeros(count, np.float32),
        np.zeros(1, np.int64),
    )


@kernel
def _cell(place: float, width: float) -> int:
    """Number of the cell of a coordinate; very far away there is one."""
    at = place / width
    if not abs(at) < _FAR:
        return 0
    return math.floor(at)


@kernel
def _measure(x: Any, width: float, worlds: int, grid: Grid) -> int:
    """Choose sides of the block: about those of what is filled, as long as there is room.

    Returns:
        How many cells there are.
    """
    room = len(grid.first) - 1
    for axis in range(3):
        low, high = np.inf, -np.inf
        for p in range(len(x)):
            at = x[p, axis]
            low = min(low, at)
            high = max(high, at)
        filled = 1.0
        if (high - low) / width < room:
            filled = math.floor((high - low) / width) + 1.0
        elif high > low:
            filled = float(room)
        if axis == 2:
            grid.sides[3] = int(filled) + 2
            filled *= worlds
        side = _SIDE
        while side < room and side < filled:
            side *= 2
        grid.sides[axis] = side
    grid.width[0] = width
    while grid.sides[0] * grid.sides[1] * grid.sides[2] > room:
        longest = 0
        for axis in range(1, 3):
            if grid.sides[axis] > grid.sides[longest]:
                longest = axis
        grid.sides[longest] //= 2
    return int(grid.sides[0] * grid.sides[1] * grid.sides[2])


@kernel
def sort_into_cells(x: Any, touching: Touching, grid: Grid) -> None:
    """Fill the grid.

    Args:
        x: Places, (p, 3) [m].
        touching: See `Touching`.
        grid: Changed, but for what rounds write.
    """
    width = _WIDER * (2.0 * touching.numbers[2] + touching.numbers[1])
    worlds = int(touching.numbers[4])
    cells = _measure(x, width, worlds, grid)
    sides, first = grid.sides, grid.first
    first[: cells + 1] = 0
    for p in range(len(x)):
        layer = _cell(x[p, 2], width)
        if worlds > 1:
            layer += sides[3] * touching.world[p]
        cell = layer & (sides[2] - 1)
        cell = cell * sides[1] + (_cell(x[p, 1], width) & (sides[1] - 1))
        cell = cell * sides[0] + (_cell(x[p, 0], width) & (sides[0] - 1))
        grid.cells[p] = cell
        first[cell + 1] += 1
    for c in range(1, cells + 1):
        first[c] += first[c - 1]
    # Backwards, with the ends of the cells, which come out as their beginnings.
    for p in range(len(x) - 1, -1, -1):
        cell = grid.cells[p] + 1
        first[cell] -= 1
        grid.order[first[cell]] = p
    for c in range(cells):
        first[c] = first[c + 1]
    first[cells] = len(x)
    for n in range(len(x)):
        for axis in range(3):
            grid.start[n, axis] = x[grid.order[n], axis]
    grid.round[0] = 0


@kernel
def pack(
    x: Any, v: Any, inverse: Any, touching: Touching, grid: Grid, begin: int, end: int
) -> float:
    """Note present places and velocities of a part of the particles in the order of the cells.

    Returns:
        How far one of them has gone at most since the grid was filled [m].
    """
    farthest = _ZERO
    for n in range(begin, end):
        p, squared = np.uint32(grid.order[n]), _ZERO
        for axis in range(3):
            grid.packed[n, axis] = x[p, axis]
            way = x[p, axis] - grid.start[n, axis]
            squared += way * way
            grid.motion[n, axis] = v[p, axis]
        grid.packed[n, 3] = touching.radius[p]
        grid.motion[n, 3] = inverse[p]
        grid.worlds[n] = touching.world[p] if touching.flags[p] & 1 else _ABSENT
        farthest = max(farthest, squared)
    return math.sqrt(farthest)


@kernel
def _pushed(
    packed: Any, motion: Any, n: int, m: int, friction: float, dt: float, reach: float
) -> Any:
    """What one particle is pushed by another, by one over the inverse masses of both."""
    dx, dy, dz = (
        packed[n, 0] - packed[m, 0],
        packed[n, 1] - packed[m, 1],
        packed[n, 2] - packed[m, 2],
    )
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    depth = distance - packed[n, 3] - packed[m, 3]
    give = motion[n, 3] + motion[m, 3]
    if not (depth <= reach and give > _ZERO and distance > _ZERO):
        return _ZERO, _ZERO, _ZERO
    scale = _ONE / distance
    dx, dy, dz = dx * scale, dy * scale, dz * scale
    sx, sy, sz = (
        motion[n, 0] - motion[m, 0],
        motion[n, 1] - motion[m, 1],
        motion[n, 2] - motion[m, 2],
    )
    along = dx * sx + dy * sy + dz * sz
    sx, sy, sz = sx - dx * along, sy - dy * along, sz - dz * along
    speed = math.sqrt(sx * sx + sy * sy + sz * sz)
    scale = _ZERO
    if speed > _ZERO:
        scale = max(friction * depth, -speed * dt) / speed
    share = _ONE / give
    return (
        (sx * scale - dx * depth) * share,
        (sy * scale - dy * depth) * share,
        (sz * scale - dz * depth) * share,
    )


@kernel
def add_pushes(
    inverse: Any, touching: Touching, grid: Grid, begin: int, end: int, dt: float, moved: float,
    deltas: Any,
) -> None:  # fmt: skip
    """Add to the ways of a part of the particles, of those in `Grid.order`.

    Args:
        inverse: Inverse masses, (p,) [1/kg].
        touching: See `Touching`.
        grid: Packed.
        begin: The first particle.
        end: The one behind the last.
        dt: Time step [s].
        moved: How far a particle has gone at most since the grid was filled [m].
        deltas: Changed, (p, 3) [m].
    """
    packed, motion, worlds, width = grid.packed, grid.motion, grid.worlds, grid.width[0]
    friction, reach, share = touching.numbers[0], touching.numbers[1], touching.numbers[3]
    mx, my, mz = grid.sides[0] - 1, grid.sides[1] - 1, grid.sides[2] - 1
    is_first = grid.round[0] == 0
    nearer = _ROUNDED * float32(2.0) * float32(moved)
    largest, wide = touching.numbers[2], float32(width)
    for n in range(begin, end):
        p = np.uint32(grid.order[n])
        own = worlds[n]
        if own == _ABSENT or (not is_first and grid.gaps[n] > nearer):
            continue
        px, py, pz = packed[n, 0], packed[n, 1], packed[n, 2]
        least = packed[n, 3] + reach
        i, j, k = _cell(px, width), _cell(py, width), _cell(pz, width)
        if touching.numbers[4] > 1:
            k += grid.sides[3] * own
        tx, ty, tz = _ZERO, _ZERO, _ZERO
        nearest = wide * wide
        for layer in range(k - 1, k + 2):
            for line in range(j - 1, j + 2):
                row = ((layer & mz) * (my + 1) + (line & my)) * (mx + 1)
                left, right = (i - 1) & mx, (i + 1) & mx
                # Three cells of a line are one run, unless the block ends among them.
                runs = 1 if left < right else 3
                for run in range(runs):
                    cell = row + (left if runs == 1 else (i - 1 + run) & mx)
                    last = row + right if runs == 1 else cell
                    for at in range(np.uint32(grid.first[cell]), np.uint32(grid.first[last + 1])):
                        dx, dy, dz = px - packed[at, 0], py - packed[at, 1], pz - packed[at, 2]
                        limit, squared = least + packed[at, 3], dx * dx + dy * dy + dz * dz
                        if at == n or (squared > nearest and squared > limit * limit):
                            continue
                        other = worlds[at]
                        if own != other and own >= 0 and other >= 0:
                            continue
                        nearest = min(nearest, squared)
                        if other != _ABSENT and squared <= limit * limit:
                            ox, oy, oz = _pushed(packed, motion, n, at, friction, dt, reach)
                            tx, ty, tz = tx + ox, ty + oy, tz + oz
        if is_first:
            grid.gaps[n] = math.sqrt(nearest) - least - largest
        scale = inverse[p] * share
        deltas[p, 0] += tx * scale
        deltas[p, 1] += ty * scale
        deltas[p, 2] += tz * scale
