"""Forces and curvatures of the rows of one group, as MuJoCo defines them.

Cost, force and second derivative of each kind of constraint over what its rows lack of their target
acceleration: https://mujoco.readthedocs.io/en/stable/computation/index.html (Constraint model).
"""

from __future__ import annotations

import math

from unibody.core.engine.block_solver.problem import (
    CONE,
    EQUALITY,
    FRICTION,
    MOST_ROWS,
    PYRAMID,
    Groups,
    Rows,
)
from unibody.machine_code.jit import inlined
from unibody.machine_code.pointers import Pointer

FREE, HELD, SLIDING = 0, 1, 2  # states: without curvature, with that of all rows, of the cone
_OTHERS = MOST_ROWS - 1  # rows of a contact but the first


@inlined
def _tangential(groups: Groups, g: int, row: int, dim: int, lack: Pointer) -> float:
    """Length of the tangential part, in the space where the cone is round."""
    total = 0.0
    for j in range(1, dim):
        part = lack[row + j] * groups.friction[_OTHERS * g + j - 1]
        total += part * part
    return math.sqrt(total)


@inlined
def _cone_forces(rows: Rows, groups: Groups, g: int, lack: Pointer) -> tuple[int, float]:
    row, dim, mu = groups.row[g], groups.dim[g], groups.mu[g]
    normal = lack[row] * mu
    tangent = _tangential(groups, g, row, dim, lack)
    if normal >= mu * tangent:
        for j in range(dim):
            rows.force[row + j] = 0.0
        return FREE, 0.0
    if mu * normal + tangent <= 0.0:
        cost = 0.0
        for j in range(row, row + dim):
            rows.force[j] = -rows.stiffness[j] * lack[j]
            cost -= rows.force[j] * lack[j]
        return HELD, 0.5 * cost
    scale = rows.stiffness[row] / (mu * mu * (1.0 + mu * mu))
    over = normal - mu * tangent
    rows.force[row] = -scale * over * mu
    for j in range(1, dim):
        friction = groups.friction[_OTHERS * g + j - 1]
        rows.force[row + j] = scale * over * mu / tangent * lack[row + j] * friction * friction
    return SLIDING, 0.5 * scale * over * over


@inlined
def _row_forces(rows: Rows, kind: int, row: int, value: float) -> tuple[int, float]:
    stiffness = rows.stiffness[row]
    if kind == FRICTION:
        limit = rows.limit[row]
        bound = rows.softness[row] * limit
        if value <= -bound:
            rows.force[row] = limit
            return FREE, -limit * (0.5 * bound + value)
        if value >= bound:
            rows.force[row] = -limit
            return FREE, limit * (value - 0.5 * bound)
    elif kind != EQUALITY and value >= 0.0:
        rows.force[row] = 0.0
        return FREE, 0.0
    rows.force[row] = -stiffness * value
    return HELD, 0.5 * stiffness * value * value


@inlined
def _pyramid_forces(rows: Rows, groups: Groups, g: int, lack: Pointer) -> tuple[int, float]:
    """Each edge pushes on its own; some of them: SLIDING."""
    row, dim = groups.row[g], groups.dim[g]
    pushing, cost = 0, 0.0
    for j in range(row, row + dim):
        rows.force[j] = 0.0
        if lack[j] < 0.0:
            rows.force[j] = -rows.stiffness[j] * lack[j]
            cost += 0.5 * rows.stiffness[j] * lack[j] * lack[j]
            pushing += 1
    if pushing == 0:
        return FREE, 0.0
    return (HELD if pushing == dim else SLIDING), cost


@inlined
def forces(rows: Rows, groups: Groups, g: int, lack: Pointer) -> tuple[int, float]:
    """State and cost of a group; its forces are written."""
    if groups.kind[g] == CONE:
        return _cone_forces(rows, groups, g, lack)
    if groups.kind[g] == PYRAMID:
        return _pyramid_forces(rows, groups, g, lack)
    row = groups.row[g]
    return _row_forces(rows, groups.kind[g], row, lack[row])


@inlined
def curvature(rows: Rows, groups: Groups, g: int, state: int, lack: Pointer, out: Pointer) -> None:
    """Second derivative of the cost of a group, (dim, dim)."""
    row, dim = groups.row[g], groups.dim[g]
    for k in range(dim * dim):
        out[k] = 0.0
    if state == HELD:
        for j in range(dim):
            out[j * dim + j] = rows.stiffness[row + j]
    elif state == SLIDING and groups.kind[g] == PYRAMID:
        for j in range(dim):
            if lack[row + j] < 0.0:
                out[j * dim + j] = rows.stiffness[row + j]
    elif state == SLIDING:
        _cone_curvature(rows, groups, g, lack, out)


@inlined
def _cone_curvature(rows: Rows, groups: Groups, g: int, lack: Pointer, out: Pointer) -> None:
    row, dim, mu = groups.row[g], groups.dim[g], groups.mu[g]
    tangent = _tangential(groups, g, row, dim, lack)
    scale = rows.stiffness[row] / (mu * mu * (1.0 + mu * mu))
    ratio = mu * mu * lack[row] / tangent
    out[0] = scale * mu * mu
    for j in range(1, dim):
        friction = groups.friction[_OTHERS * g + j - 1]
        a = lack[row + j] * friction / tangent
        out[j] = -scale * mu * mu * a * friction
        out[j * dim] = out[j]
        for k in range(1, dim):
            b = lack[row + k] * groups.friction[_OTHERS * g + k - 1] / tangent
            value = ratio * a * b
            if j == k:
                value += mu * mu - ratio
            out[j * dim + k] = scale * value * friction * groups.friction[_OTHERS * g + k - 1]
