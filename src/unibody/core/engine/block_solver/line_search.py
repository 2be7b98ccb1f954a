"""The least cost along a direction."""

from __future__ import annotations

import math
from typing import NamedTuple

from unibody.core.engine.block_solver.problem import (
    CONE,
    EQUALITY,
    FRICTION,
    MOST_ROWS,
    PYRAMID,
    Groups,
    Island,
    Rows,
)
from unibody.machine_code.jit import inlined, kernel
from unibody.machine_code.pointers import Pointer

LINE = 9  # numbers that the cost of a group along a direction takes
_MOST = 50  # evaluations
_GROWTH = 4.0  # of a step that did not go far enough, at most


class Way(NamedTuple):
    """Costs along a direction.

    Attributes:
        lines: What `prepare` noted of each group of the island.
        lack: What each row lacks of its target acceleration, at the start.
        slope: How that changes along the direction.
        stiffness: Of each row.
    """

    lines: Pointer
    lack: Pointer
    slope: Pointer
    stiffness: Pointer


@kernel
def prepare(
    rows: Rows, groups: Groups, island: Island, lack: Pointer, slope: Pointer, lines: Pointer
) -> None:
    """Note what `derivatives` needs of each group, in the order of the island's.

    Args:
        rows: What MuJoCo says of the rows.
        groups: All groups.
        island: Whose are meant.
        lack: What each row lacks of its target acceleration.
        slope: How that changes along the direction.
        lines: Written.
    """
    stiffness = rows.stiffness
    for k in range(island.groups):
        g = island.group[k]
        row, dim, kind = groups.row[g], groups.dim[g], groups.kind[g]
        at = LINE * k
        if kind == PYRAMID:
            continue  # its rows say all
        if kind != CONE:
            lines[at] = lack[row]
            lines[at + 1] = slope[row]
            lines[at + 2] = stiffness[row]
            lines[at + 3] = rows.limit[row]
            lines[at + 4] = rows.softness[row] * rows.limit[row]
            continue
        mu = groups.mu[g]
        first = stiffness[row] * lack[row] * slope[row]
        second = stiffness[row] * slope[row] * slope[row]
        uu, uv, vv = 0.0, 0.0, 0.0
        for j in range(1, dim):
            first += stiffness[row + j] * lack[row + j] * slope[row + j]
            second += stiffness[row + j] * slope[row + j] * slope[row + j]
            friction = groups.friction[(MOST_ROWS - 1) * g + j - 1]
            a, b = lack[row + j] * friction, slope[row + j] * friction
            uu += a * a
            uv += a * b
            vv += b * b
        lines[at] = lack[row] * mu
        lines[at + 1] = slope[row] * mu
        lines[at + 2] = uu
        lines[at + 3] = uv
        lines[at + 4] = vv
        lines[at + 5] = mu
        lines[at + 6] = stiffness[row] / (mu * mu * (1.0 + mu * mu))
        lines[at + 7] = first
        lines[at + 8] = second


@inlined
def _of_cone(lines: Pointer, at: int, alpha: float) -> tuple[float, float]:
    mu = lines[at + 5]
    normal = lines[at] + alpha * lines[at + 1]
    square = lines[at + 2] + alpha * (2.0 * lines[at + 3] + alpha * lines[at + 4])
    tangent = math.sqrt(max(square, 0.0))
    if normal >= mu * tangent:
        return 0.0, 0.0
    if mu * normal + tangent <= 0.0:
        return lines[at + 7] + alpha * lines[at + 8], lines[at + 8]
    turn = (lines[at + 3] + alpha * lines[at + 4]) / tangent
    bend = (lines[at + 4] - turn * turn) / tangent
    over = normal - mu * tangent
    change = lines[at + 1] - mu * turn
    scale = lines[at + 6]
    return scale * over * change, scale * (change * change - over * mu * bend)


@inlined
def _of_row(lines: Pointer, at: int, kind: int, alpha: float) -> tuple[float, float]:
    change, stiffness = lines[at + 1], lines[at + 2]
    value = lines[at] + alpha * change
    if kind == FRICTION:
        limit, bound = lines[at + 3], lines[at + 4]
        if value <= -bound:
            return -limit * change, 0.0
        if value >= bound:
            return limit * change, 0.0
    elif kind != EQUALITY and value >= 0.0:
        return 0.0, 0.0
    return stiffness * value * change, stiffness * change * change


@inlined
def _of_pyramid(way: Way, row: int, dim: int, alpha: float) -> tuple[float, float]:
    first, second = 0.0, 0.0
    for j in range(row, row + dim):
        change = way.slope[j]
        value = way.lack[j] + alpha * change
        if value < 0.0:
            first += way.stiffness[j] * value * change
            second += way.stiffness[j] * change * change
    return first, second


@kernel
def derivatives(
    groups: Groups, island: Island, way: Way, alpha: float, first: float, second: float
) -> tuple[float, float]:
    """First and second derivative of the cost at ``alpha``.

    ``first`` and ``second`` are those of the part without constraints, at 0.
    """
    slope, bend = first + alpha * second, second
    for k in range(island.groups):
        g = island.group[k]
        kind = groups.kind[g]
        if kind == CONE:
            a, b = _of_cone(way.lines, LINE * k, alpha)
        elif kind == PYRAMID:
            a, b = _of_pyramid(way, groups.row[g], groups.dim[g], alpha)
        else:
            a, b = _of_row(way.lines, LINE * k, kind, alpha)
        slope += a
        bend += b
    return slope, bend


@kernel
def least(
    groups: Groups, island: Island, way: Way, first: float, second: float, tolerance: float
) -> tuple[float, float]:
    """How far to go, and the slope of the cost at the start.

    Newton's method on the slope, which only rises, within the bracket found so far. ``tolerance``
    is the slope that counts as none.
    """
    slope, bend = derivatives(groups, island, way, 0.0, first, second)
    start = slope
    if not slope < 0.0 or not bend > 0.0:
        return 0.0, start
    low, high = 0.0, math.inf
    alpha = -slope / bend
    for _ in range(_MOST):
        slope, bend = derivatives(groups, island, way, alpha, first, second)
        if abs(slope) <= tolerance:
            return alpha, start
        if slope < 0.0:
            low = alpha
        else:
            high = alpha
        following = alpha - slope / bend if bend > 0.0 else math.inf
        if not low < following < high:
            following = _GROWTH * low if high == math.inf else 0.5 * (low + high)
        if following == alpha:
            return alpha, start
        alpha = following
    return low, start
