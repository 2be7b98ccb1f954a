"""Where the method is, and what it costs to be there."""

from __future__ import annotations

import math
from typing import NamedTuple

from unibody.core.engine.block_solver import vectors as v
from unibody.core.engine.block_solver.arena import doubles, integers, zeros
from unibody.core.engine.block_solver.line_search import LINE
from unibody.core.engine.block_solver.problem import MOST_ROWS, Blocks, Groups, Island, Problem
from unibody.core.engine.block_solver.row_costs import FREE, forces
from unibody.core.engine.library.layout import Layout
from unibody.machine_code.jit import inlined, kernel
from unibody.machine_code.pointers import Pointer, address_of, f64_array, int_at


class State(NamedTuple):
    """Vectors over all blocks, eight numbers each, over all rows, and over all groups.

    Attributes:
        accel: The acceleration.
        push: Mass matrix times that.
        smooth: The forces without those of constraints.
        smooth_accel: The acceleration that they give.
        gradient: Of the cost.
        search: The direction.
        search_push: Mass matrix times that.
        lack: What each row lacks of its target acceleration.
        slope: How that changes along the direction.
        state: FREE, HELD or SLIDING of each group.
        built: The same, of the curvature that is in the matrix.
        curvature: Of the cost of each group that is in the matrix, 36 numbers each.
        lines: What the search along the direction needs of each group.
        now: Room for the curvature of one.
    """

    accel: Pointer
    push: Pointer
    smooth: Pointer
    smooth_accel: Pointer
    gradient: Pointer
    search: Pointer
    search_push: Pointer
    lack: Pointer
    slope: Pointer
    state: Pointer
    built: Pointer
    curvature: Pointer
    lines: Pointer
    now: Pointer


@kernel
def new_state(m: int, d: int, lay: Layout, blocks: Blocks, groups: Groups, arena: int) -> State:
    """A state in which nothing touches."""
    size, rows = v.WIDTH * blocks.number, int_at(d, lay.d_nefc)
    s = State(
        zeros(arena, size),
        zeros(arena, size),
        zeros(arena, size),
        zeros(arena, size),
        zeros(arena, size),
        zeros(arena, size),
        zeros(arena, size),
        doubles(arena, rows),
        doubles(arena, rows),
        integers(arena, groups.number),
        integers(arena, groups.number),
        doubles(arena, MOST_ROWS * MOST_ROWS * groups.number),
        doubles(arena, LINE * groups.number),
        doubles(arena, MOST_ROWS * MOST_ROWS),
    )
    force = f64_array(d, lay.d_qfrc_smooth)
    accel = f64_array(d, lay.d_qacc_smooth)
    for dof in range(int_at(m, lay.m_nv)):
        at = blocks.place[dof]
        s.smooth[at] = s.push[at] = force[dof]
        s.smooth_accel[at] = s.accel[at] = accel[dof]
    return s


@kernel
def multiply_mass(p: Problem, island: Island, x: Pointer, out: Pointer) -> None:
    """``out = M x`` on the blocks of an island."""
    place, column, mass = p.blocks.place, p.rows.mass_column, p.rows.mass
    for i in range(island.blocks):
        for k in range(v.WIDTH * island.block[i], v.WIDTH * (island.block[i] + 1)):
            out[k] = 0.0
    for i in range(island.blocks):
        first = p.blocks.first[island.block[i]]
        for dof in range(first, first + p.blocks.size[island.block[i]]):
            here = place[dof]
            end = p.rows.mass_start[dof] + p.rows.mass_length[dof] - 1
            total = mass[end] * x[here]
            for k in range(p.rows.mass_start[dof], end):
                other = place[column[k]]
                total += mass[k] * x[other]
                out[other] += mass[k] * x[here]
            out[here] += total


@kernel
def multiply_jacobian(groups: Groups, island: Island, x: Pointer, out: Pointer) -> None:
    """``out = J x`` on the rows of an island."""
    jacobian, vector = address_of(groups.jacobian), address_of(x)
    for i in range(island.groups):
        g = island.group[i]
        for j in range(groups.dim[g]):
            total = 0.0
            for k in range(groups.segment[g], groups.segment[g + 1]):
                row = jacobian + 8 * groups.entry[k] + v.BYTES * j
                total += v.dot(row, vector + v.BYTES * groups.block[k])
            out[groups.row[g] + j] = total


@inlined
def dot(island: Island, a: Pointer, b: Pointer) -> float:
    """Scalar product on the blocks of an island."""
    left, right, total = address_of(a), address_of(b), 0.0
    for i in range(island.blocks):
        at = v.BYTES * island.block[i]
        total += v.dot(left + at, right + at)
    return total


@kernel
def update_forces(p: Problem, island: Island, s: State) -> float:
    """Forces and states of the groups of an island; returns their cost."""
    total = 0.0
    for i in range(island.groups):
        g = island.group[i]
        s.state[g], cost = forces(p.rows, p.groups, g, s.lack)
        total += cost
    return total


@kernel
def update_gradient(p: Problem, island: Island, s: State) -> float:
    """``M a - f_smooth - J^T f`` on the blocks of an island; returns its length."""
    groups = p.groups
    jacobian, vector = address_of(groups.jacobian), address_of(s.gradient)
    for i in range(island.blocks):
        for k in range(v.WIDTH * island.block[i], v.WIDTH * (island.block[i] + 1)):
            s.gradient[k] = s.push[k] - s.smooth[k]
    for i in range(island.groups):
        g = island.group[i]
        if s.state[g] == FREE and groups.dim[g] > 1:
            continue
        for k in range(groups.segment[g], groups.segment[g + 1]):
            target = vector + v.BYTES * groups.block[k]
            for j in range(groups.dim[g]):
                row = jacobian + 8 * groups.entry[k] + v.BYTES * j
                v.add_scaled(target, -p.rows.force[groups.row[g] + j], row)
    return math.sqrt(dot(island, s.gradient, s.gradient))


@kernel
def _evaluate(p: Problem, island: Island, s: State) -> float:
    """Cost at ``s.accel``; what depends on that is brought up to date."""
    multiply_mass(p, island, s.accel, s.push)
    multiply_jacobian(p.groups, island, s.accel, s.lack)
    cost = 0.0
    for i in range(island.blocks):
        for k in range(v.WIDTH * island.block[i], v.WIDTH * (island.block[i] + 1)):
            cost += 0.5 * (s.push[k] - s.smooth[k]) * (s.accel[k] - s.smooth_accel[k])
    for i in range(island.groups):
        row = p.groups.row[island.group[i]]
        for k in range(row, row + p.groups.dim[island.group[i]]):
            s.lack[k] -= p.rows.target[k]
    return cost + update_forces(p, island, s)


@inlined
def _take_smooth(island: Island, s: State) -> None:
    for i in range(island.blocks):
        for k in range(v.WIDTH * island.block[i], v.WIDTH * (island.block[i] + 1)):
            s.accel[k] = s.smooth_accel[k]


@kernel
def start(p: Problem, island: Island, s: State) -> None:
    """Start from the last step's acceleration, or that without constraints if it costs less."""
    _take_smooth(island, s)
    cost = _evaluate(p, island, s)
    for i in range(island.blocks):
        block = island.block[i]
        for lane in range(p.blocks.size[block]):
            s.accel[v.WIDTH * block + lane] = p.rows.warm[p.blocks.first[block] + lane]
    if not _evaluate(p, island, s) < cost:
        _take_smooth(island, s)
        _evaluate(p, island, s)


@kernel
def move(groups: Groups, island: Island, s: State, alpha: float) -> None:
    """Go ``alpha`` along the direction."""
    for i in range(island.blocks):
        for k in range(v.WIDTH * island.block[i], v.WIDTH * (island.block[i] + 1)):
            s.accel[k] += alpha * s.search[k]
            s.push[k] += alpha * s.search_push[k]
    for i in range(island.groups):
        row = groups.row[island.group[i]]
        for k in range(row, row + groups.dim[island.group[i]]):
            s.lack[k] += alpha * s.slope[k]
