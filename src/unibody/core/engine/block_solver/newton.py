"""Newton's method on the constraint problem of a step, island by island."""

from __future__ import annotations

import math
from typing import NamedTuple

from unibody.core.engine.block_solver import vectors as v
from unibody.core.engine.block_solver.arena import integers, mark, release
from unibody.core.engine.block_solver.factor import (
    Matrix,
    add_group,
    factorise,
    make_matrix,
    solve_factored,
)
from unibody.core.engine.block_solver.line_search import Way, least, prepare
from unibody.core.engine.block_solver.problem import (
    MOST_ROWS,
    Blocks,
    Island,
    Problem,
    find_blocks,
    find_groups,
    find_islands,
    find_rows,
    island_of,
)
from unibody.core.engine.block_solver.row_costs import SLIDING, curvature, forces
from unibody.core.engine.block_solver.state import (
    State,
    dot,
    move,
    multiply_jacobian,
    multiply_mass,
    new_state,
    start,
    update_forces,
    update_gradient,
)
from unibody.core.engine.library.layout import Layout
from unibody.machine_code.jit import inlined, kernel
from unibody.machine_code.pointers import (
    Pointer,
    address_of,
    f64_array,
    int_at,
    pointer_f64,
)


class Limits(NamedTuple):
    """When to stop: MuJoCo's options of these names.

    Attributes:
        tolerance: Of cost and gradient, relative to the inertia of the island.
        line_tolerance: Of the slope along a direction, relative to that.
        iterations: At most.
    """

    tolerance: float
    line_tolerance: float
    iterations: int


@kernel
def _update_matrix(p: Problem, island: Island, matrix: Matrix, s: State, fresh: bool) -> bool:
    """Add what has changed of the curvature of groups; says whether anything has."""
    changed = fresh
    for i in range(island.groups):
        g = island.group[i]
        if not fresh and s.state[g] == s.built[g] and s.state[g] != SLIDING:
            continue
        s.built[g] = s.state[g]
        curvature(p.rows, p.groups, g, s.state[g], s.lack, s.now)
        at, differs = MOST_ROWS * MOST_ROWS * g, False
        for k in range(p.groups.dim[g] * p.groups.dim[g]):
            before = 0.0 if fresh else s.curvature[at + k]
            s.curvature[at + k] = s.now[k]
            s.now[k] -= before
            differs = differs or s.now[k] != 0.0
        if differs:
            add_group(p.groups, matrix, g, i, address_of(s.now))
            changed = True
    return changed


@inlined
def _inertia(p: Problem, island: Island) -> float:
    """Trace of the mass matrix of an island."""
    total = 0.0
    for i in range(island.blocks):
        first = p.blocks.first[island.block[i]]
        for dof in range(first, first + p.blocks.size[island.block[i]]):
            total += p.rows.mass[p.rows.mass_start[dof] + p.rows.mass_length[dof] - 1]
    return total


@inlined
def _turn_back(island: Island, s: State) -> None:
    for i in range(island.blocks):
        for k in range(v.WIDTH * island.block[i], v.WIDTH * (island.block[i] + 1)):
            s.search[k] = -s.search[k]


@kernel
def _step(p: Problem, island: Island, s: State, tolerance: float) -> float:
    """Go along the direction as far as it pays; returns about what that gains, 0: nothing."""
    multiply_mass(p, island, s.search, s.search_push)
    multiply_jacobian(p.groups, island, s.search, s.slope)
    prepare(p.rows, p.groups, island, s.lack, s.slope, s.lines)
    way = Way(s.lines, s.lack, s.slope, p.rows.stiffness)
    first = dot(island, s.search, s.push) - dot(island, s.search, s.smooth)
    second = dot(island, s.search, s.search_push)
    length = math.sqrt(dot(island, s.search, s.search))
    alpha, slope = least(p.groups, island, way, first, second, tolerance * length)
    if alpha == 0.0:
        return 0.0
    move(p.groups, island, s, alpha)
    update_forces(p, island, s)
    return -0.5 * alpha * slope


@kernel
def _solve_island(
    p: Problem, island: Island, place: Pointer, limits: Limits, s: State, arena: int
) -> int:
    """Solve for the blocks and groups of one island; returns the number of iterations."""
    inertia = _inertia(p, island)
    enough = limits.tolerance * inertia
    start(p, island, s)
    if update_gradient(p, island, s) < enough:
        return 0
    matrix = make_matrix(p, island, place, arena)
    for iteration in range(limits.iterations):
        changed = _update_matrix(p, island, matrix, s, iteration == 0)
        if changed and not factorise(matrix):
            return iteration
        solve_factored(matrix, s.gradient, s.search)
        if iteration and 0.5 * dot(island, s.gradient, s.search) < enough:
            return iteration
        _turn_back(island, s)
        gain = _step(p, island, s, limits.line_tolerance * enough)
        if gain == 0.0:
            return iteration
        if update_gradient(p, island, s) < enough or gain < enough:
            return iteration + 1
    return limits.iterations


@inlined
def _limits(m: int, lay: Layout) -> Limits:
    option = m + lay.m_opt
    return Limits(
        pointer_f64(option + lay.o_tolerance)[0],
        pointer_f64(option + lay.o_ls_tolerance)[0],
        int_at(option, lay.o_iterations),
    )


@inlined
def _settle_idle(p: Problem, s: State) -> None:
    """Forces of the rows that act on nothing."""
    groups = p.groups
    for g in range(groups.number):
        if groups.segment[g] == groups.segment[g + 1]:
            for row in range(groups.row[g], groups.row[g] + groups.dim[g]):
                s.lack[row] = -p.rows.target[row]
            s.state[g], _ = forces(p.rows, groups, g, s.lack)


@inlined
def _write(m: int, d: int, lay: Layout, blocks: Blocks, s: State) -> None:
    """Write the accelerations, and the forces of constraints on the degrees of freedom."""
    accel = f64_array(d, lay.d_qacc)
    force = f64_array(d, lay.d_qfrc_constraint)
    for dof in range(int_at(m, lay.m_nv)):
        at = blocks.place[dof]
        accel[dof] = s.accel[at]
        force[dof] = s.push[at] - s.smooth[at] - s.gradient[at]


@kernel
def solve(m: int, d: int, lay: Layout, arena: int) -> int:
    """What ``mj_fwdConstraint`` does: accelerations and forces of constraints of a step.

    Writes ``qacc``, ``efc_force`` and ``qfrc_constraint``; returns the most iterations that an
    island took. ``arena`` is one that has begun.
    """
    blocks = find_blocks(m, lay, arena)
    groups = find_groups(d, lay, blocks, arena)
    islands = find_islands(blocks, groups, arena)
    p = Problem(find_rows(m, d, lay), blocks, groups)
    limits = _limits(m, lay)
    s = new_state(m, d, lay, blocks, groups, arena)
    place = integers(arena, blocks.number)
    most = 0
    for k in range(islands.number):
        marked = mark(arena)
        taken = _solve_island(p, island_of(islands, k), place, limits, s, arena)
        most = max(most, taken)
        release(arena, marked)
    _settle_idle(p, s)
    _write(m, d, lay, blocks, s)
    return most
