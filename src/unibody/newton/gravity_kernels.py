# pyright: basic, reportInvalidTypeForm=false
"""Gravity of worlds, for kernels of Warp."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

from typing import Any

import warp as wp


@wp.struct
class Gravity:
    """Gravity of each world, and the row of what belongs to all worlds."""

    rows: wp.array(dtype=wp.vec3)
    shared: int


@wp.func
def gravity_of(world: int, gravity: Gravity):
    """Gravity of a world; -1: of what belongs to all worlds."""
    if world < 0:
        return gravity.rows[gravity.shared]
    return gravity.rows[world]


@wp.kernel(enable_backward=False)
def accelerations(
    worlds: wp.array(dtype=int),
    gravity: Gravity,
    compensated: wp.array(dtype=float),
    found: wp.array(dtype=wp.vec3),
):
    """One thread a body or particle: gravity of its world, less the share that is compensated."""
    i = wp.tid()
    share = float(1.0)
    if compensated:
        share = 1.0 - compensated[i]
    found[i] = gravity_of(worlds[i], gravity) * share


def shared_row(model: Any) -> int:
    """The row of gravity of what belongs to all worlds: the first; in 1.x it has the last one."""
    rows = len(model.gravity)
    return rows - 1 if rows > model.num_worlds else 0


def gravity_of_worlds(model: Any) -> Gravity:
    """The gravity of a model, as an argument of kernels."""
    gravity: Any = Gravity()
    gravity.rows, gravity.shared = model.gravity, shared_row(model)
    return gravity
