"""A particle goes to the minimum of its inertia and its contacts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unibody.core.deform.vbd.lanes import SUMS, WIDTH, float32
from unibody.core.deform.vbd.sweep import solve
from unibody.core.deform.vbd.touch import add_contacts
from unibody.machine_code.jit import kernel

_W = WIDTH
_ZERO = float32(0.0)
_TRIES = 30


class Bench(NamedTuple):
    """Where a particle's quadratic is put together.

    Attributes:
        sums: Derivatives of the energy; see `vbd.lanes.SUMS`.
        step: How far the particle goes [m].
    """

    sums: Any
    step: Any


def bench() -> Bench:
    """For one particle."""
    return Bench(np.zeros(SUMS * WIDTH, dtype=np.float32), np.zeros(3 * WIDTH, dtype=np.float32))


@kernel
def begin_sums(x: Any, goal: Any, p: int, k: Any, room: Bench) -> None:
    """Start with the energy of inertia.

    Args:
        x: Places, flat [m].
        goal: Where particles would go without contacts, flat [m].
        p: The particle.
        k: Its mass over the square of the step [N/m].
        room: Gets the sums.
    """
    sums = room.sums
    room.step[0], room.step[_W] = k, float32(0.0)
    for axis in range(3):
        sums[axis * _W] = k * float32(x[3 * p + axis] - goal[3 * p + axis])
    sums[3 * _W] = sums[6 * _W] = sums[8 * _W] = k
    sums[4 * _W] = sums[5 * _W] = sums[7 * _W] = _ZERO


@kernel
def go(x: Any, p: int, room: Bench) -> float:
    """Move a particle to the minimum of its quadratic; the largest move along an axis [m]."""
    solve(room.sums, 1, _ZERO, room.step)
    most = 0.0
    for axis in range(3):
        way = float(room.step[axis * _W])
        x[3 * p + axis] += way
        most = max(most, abs(way))
    return most


@kernel
def settle(
    x: Any, before: Any, goal: Any, p: int, k: Any, first: Any, rows: Any, rate: Any, still: float,
    room: Bench,
) -> None:  # fmt: skip
    """Bring a particle that nothing but rows of contacts touches to its place.

    Args:
        x: Places, flat [m].
        before: At the start of the step, flat [m].
        goal: See `begin_sums`.
        p: The particle.
        k: See `begin_sums`.
        first: First contact of each particle.
        rows: Contacts.
        rate: One over the time step [1/s].
        still: What counts as no move [m].
        room: See `Bench`.
    """
    for _ in range(_TRIES):
        begin_sums(x, goal, p, k, room)
        add_contacts(x, before, p, 0, first, rows, rate, room.sums)
        if go(x, p, room) <= still:
            break
