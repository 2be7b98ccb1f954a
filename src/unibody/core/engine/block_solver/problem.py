"""The constraint problem of a step as blocks: degrees of freedom, groups of rows, islands."""

from __future__ import annotations

from typing import NamedTuple

from unibody.core.engine.block_solver.arena import doubles, filled, integers, zeros
from unibody.core.engine.block_solver.vectors import LANES, WIDTH
from unibody.core.engine.library.jacobian import ELLIPTIC, PYRAMIDAL, rows_together
from unibody.core.engine.library.layout import Layout
from unibody.machine_code.jit import inlined, kernel
from unibody.machine_code.pointers import (
    Pointer,
    address_at,
    address_of,
    f64_array,
    i32_array,
    int_at,
    pointer_f64,
    pointer_i32,
)

EQUALITY, FRICTION, LIMIT, CONE, PYRAMID = 0, 1, 2, 3, 4  # kinds of groups
MOST_ROWS = 6  # of a group


class Rows(NamedTuple):
    """What MuJoCo says of each row, and the mass matrix: views of its memory.

    Attributes:
        force: Of the constraint, written; (nefc,).
        stiffness: ``efc_D``, (nefc,).
        softness: ``efc_R``, (nefc,).
        limit: ``efc_frictionloss``, (nefc,).
        target: ``efc_aref``, (nefc,).
        warm: The acceleration of the last step, (nv,).
        mass: Rows of the lower triangle of the mass matrix.
        mass_start: Where each begins, (nv,).
        mass_length: How long it is, (nv,).
        mass_column: The column of each number.
        parent: The degree of freedom that each one hangs on, or -1; (nv,).
    """

    force: Pointer
    stiffness: Pointer
    softness: Pointer
    limit: Pointer
    target: Pointer
    warm: Pointer
    mass: Pointer
    mass_start: Pointer
    mass_length: Pointer
    mass_column: Pointer
    parent: Pointer


class Blocks(NamedTuple):
    """Degrees of freedom, up to six of one chain a block.

    Attributes:
        number: How many blocks.
        trees: How many kinematic trees.
        place: Where each degree of freedom is in a vector of all blocks, (nv,).
        block: The block of each degree of freedom, (nv,).
        tree: The kinematic tree of each block, (blocks,).
        first: The first degree of freedom of each block, (blocks,).
        size: How many it has, (blocks,).
        start: First block of each tree, (trees + 1,).
    """

    number: int
    trees: int
    place: Pointer
    block: Pointer
    tree: Pointer
    first: Pointer
    size: Pointer
    start: Pointer


class Groups(NamedTuple):
    """Rows that belong together: those of a contact, or a single one.

    Attributes:
        number: How many groups.
        row: The first, (groups,).
        dim: How many, (groups,).
        kind: EQUALITY, FRICTION, LIMIT, CONE or PYRAMID, (groups,).
        mu: Of the normal direction of a cone, (groups,).
        friction: Of the others, (groups * 5,).
        segment: First of the blocks that a group acts on, (groups + 1,).
        block: Those blocks, (segments,).
        jacobian: Of each segment, lane vectors of its rows one after the other.
        entry: Where each segment's begin in ``jacobian``, (segments,).
    """

    number: int
    row: Pointer
    dim: Pointer
    kind: Pointer
    mu: Pointer
    friction: Pointer
    segment: Pointer
    block: Pointer
    jacobian: Pointer
    entry: Pointer


class Problem(NamedTuple):
    """All that does not change while it is solved."""

    rows: Rows
    blocks: Blocks
    groups: Groups


class Islands(NamedTuple):
    """Trees that act on one another, through the groups.

    Attributes:
        number: How many islands.
        block: The blocks of their trees, by island.
        block_start: Where those of each island begin, (number + 1,).
        group: The groups, by island.
        group_start: Where those of each island begin, (number + 1,).
    """

    number: int
    block: Pointer
    block_start: Pointer
    group: Pointer
    group_start: Pointer


class Island(NamedTuple):
    """Blocks and groups of one island.

    Attributes:
        blocks: How many blocks.
        block: Which, (blocks,).
        groups: How many groups.
        group: Which, (groups,).
    """

    blocks: int
    block: Pointer
    groups: int
    group: Pointer


@inlined
def find_rows(m: int, d: int, lay: Layout) -> Rows:
    """Where MuJoCo keeps them."""
    return Rows(
        f64_array(d, lay.d_efc_force),
        f64_array(d, lay.d_efc_D),
        f64_array(d, lay.d_efc_R),
        f64_array(d, lay.d_efc_frictionloss),
        f64_array(d, lay.d_efc_aref),
        f64_array(d, lay.d_qacc_warmstart),
        f64_array(d, lay.d_M),
        i32_array(m, lay.m_M_rowadr),
        i32_array(m, lay.m_M_rownnz),
        i32_array(m, lay.m_M_colind),
        i32_array(m, lay.m_dof_parentid),
    )


@kernel
def find_blocks(m: int, lay: Layout, arena: int) -> Blocks:
    """Cut the degrees of freedom of a model into blocks."""
    nv = int_at(m, lay.m_nv)
    trees = int_at(m, lay.m_ntree)
    parent = i32_array(m, lay.m_dof_parentid)
    tree_of = i32_array(m, lay.m_dof_treeid)
    place, block = integers(arena, nv), integers(arena, nv)
    tree, first, sizes = integers(arena, nv), integers(arena, nv), integers(arena, nv)
    start = filled(arena, trees + 1, 0)
    count, size = 0, LANES
    for dof in range(nv):
        if size == LANES or parent[dof] != dof - 1:
            tree[count] = tree_of[dof]
            first[count] = dof
            start[tree_of[dof] + 1] = count + 1
            count += 1
            size = 0
        block[dof] = count - 1
        place[dof] = WIDTH * (count - 1) + size
        size += 1
        sizes[count - 1] = size
    return Blocks(count, trees, place, block, tree, first, sizes, start)


@inlined
def _group_size(d: int, lay: Layout, row: int) -> int:
    """How many rows the group has that begins at ``row``; edges of a large pyramid are apart."""
    if i32_array(d, lay.d_efc_type)[row] != PYRAMIDAL:
        return rows_together(d, lay, row)
    contact = i32_array(d, lay.d_efc_id)[row]
    edges = 2 * (int_at(address_at(d, lay.d_contact) + contact * lay.c_size, lay.c_dim) - 1)
    return edges if edges <= MOST_ROWS else 1


@kernel
def _measure(d: int, lay: Layout, blocks: Blocks) -> tuple[int, int, int]:
    """How many groups, segments and lane vectors there are."""
    start = i32_array(d, lay.d_efc_J_rowadr)
    length = i32_array(d, lay.d_efc_J_rownnz)
    column = i32_array(d, lay.d_efc_J_colind)
    groups, segments, vectors = 0, 0, 0
    row, count = 0, int_at(d, lay.d_nefc)
    while row < count:
        dim = _group_size(d, lay, row)
        last = -1
        for k in range(start[row], start[row] + length[row]):
            if blocks.block[column[k]] != last:
                last = blocks.block[column[k]]
                segments += 1
                vectors += dim
        groups += 1
        row += dim
    return groups, segments, vectors


@kernel
def find_groups(d: int, lay: Layout, blocks: Blocks, arena: int) -> Groups:
    """Gather the rows of a step."""
    count, segments, vectors = _measure(d, lay, blocks)
    groups = Groups(
        count,
        integers(arena, count),
        integers(arena, count),
        integers(arena, count),
        doubles(arena, count),
        doubles(arena, (MOST_ROWS - 1) * count),
        filled(arena, count + 1, 0),
        integers(arena, segments),
        zeros(arena, WIDTH * vectors),
        integers(arena, segments),
    )
    start = i32_array(d, lay.d_efc_J_rowadr)
    length = i32_array(d, lay.d_efc_J_rownnz)
    column = i32_array(d, lay.d_efc_J_colind)
    value = f64_array(d, lay.d_efc_J)
    kind = i32_array(d, lay.d_efc_type)
    index = i32_array(d, lay.d_efc_id)
    contacts = address_at(d, lay.d_contact)
    equalities = int_at(d, lay.d_ne)
    frictions = equalities + int_at(d, lay.d_nf)
    segment, entry, row = 0, 0, 0
    for g in range(count):
        dim = _group_size(d, lay, row)
        groups.row[g] = row
        groups.dim[g] = dim
        if kind[row] == ELLIPTIC:
            con = contacts + index[row] * lay.c_size
            groups.kind[g] = CONE
            groups.mu[g] = pointer_f64(con + lay.c_mu)[0]
            for j in range(dim - 1):
                groups.friction[(MOST_ROWS - 1) * g + j] = pointer_f64(con + lay.c_friction)[j]
        elif row < equalities:
            groups.kind[g] = EQUALITY
        else:
            groups.kind[g] = FRICTION if row < frictions else LIMIT
            if dim > 1:
                groups.kind[g] = PYRAMID
        last, size = -1, length[row]
        for k in range(size):
            dof = column[start[row] + k]
            if blocks.block[dof] != last:
                last = blocks.block[dof]
                groups.block[segment] = last
                groups.entry[segment] = entry
                segment += 1
                entry += WIDTH * dim
            lane = blocks.place[dof] % WIDTH
            for j in range(dim):
                groups.jacobian[entry - WIDTH * (dim - j) + lane] = value[start[row] + j * size + k]
        groups.segment[g + 1] = segment
        row += dim
    return groups


@inlined
def _root(parent: Pointer, tree: int) -> int:
    while parent[tree] != tree:
        parent[tree] = parent[parent[tree]]
        tree = parent[tree]
    return tree


@inlined
def _tree_of(blocks: Blocks, groups: Groups, g: int) -> int:
    """A tree that a group acts on; -1 if there is none."""
    first = groups.segment[g]
    return blocks.tree[groups.block[first]] if first < groups.segment[g + 1] else -1


@kernel
def find_islands(blocks: Blocks, groups: Groups, arena: int) -> Islands:
    """Trees that groups join, and the groups of each."""
    trees = blocks.trees
    parent, island = integers(arena, trees), filled(arena, trees, -1)
    for tree in range(trees):
        parent[tree] = tree
    for g in range(groups.number):
        first = _tree_of(blocks, groups, g)
        if first < 0:
            continue
        island[first] = 0
        for k in range(groups.segment[g] + 1, groups.segment[g + 1]):
            other = blocks.tree[groups.block[k]]
            if other != first:
                island[other] = 0
                a, b = _root(parent, first), _root(parent, other)
                parent[max(a, b)] = min(a, b)
    count = 0
    for tree in range(trees):
        if island[tree] < 0:
            continue
        root = _root(parent, tree)
        if root == tree:
            island[tree] = count
            count += 1
        else:
            island[tree] = island[root]  # the root has the least number
    return _sort(blocks, groups, island, count, arena)


@kernel
def _sort(blocks: Blocks, groups: Groups, island: Pointer, count: int, arena: int) -> Islands:
    """List blocks and groups by the island they are in."""
    block_start = filled(arena, count + 2, 0)
    group_start = filled(arena, count + 2, 0)
    for tree in range(blocks.trees):
        if island[tree] >= 0:
            block_start[island[tree] + 2] += blocks.start[tree + 1] - blocks.start[tree]
    for g in range(groups.number):
        tree = _tree_of(blocks, groups, g)
        if tree >= 0:
            group_start[island[tree] + 2] += 1
    for k in range(2, count + 2):
        block_start[k] += block_start[k - 1]
        group_start[k] += group_start[k - 1]
    block = integers(arena, block_start[count + 1])
    group = integers(arena, group_start[count + 1])
    for tree in range(blocks.trees):
        if island[tree] >= 0:
            k = island[tree] + 1
            for member in range(blocks.start[tree], blocks.start[tree + 1]):
                block[block_start[k]] = member
                block_start[k] += 1
    for g in range(groups.number):
        tree = _tree_of(blocks, groups, g)
        if tree >= 0:
            k = island[tree] + 1
            group[group_start[k]] = g
            group_start[k] += 1
    return Islands(count, block, block_start, group, group_start)


@inlined
def island_of(islands: Islands, k: int) -> Island:
    """One of the islands."""
    blocks, groups = islands.block_start[k], islands.group_start[k]
    return Island(
        islands.block_start[k + 1] - blocks,
        pointer_i32(address_of(islands.block) + 4 * blocks),
        islands.group_start[k + 1] - groups,
        pointer_i32(address_of(islands.group) + 4 * groups),
    )
