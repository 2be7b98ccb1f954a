"""One step of many controllers, shared among threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.bodies.tables import Tables
from unibody.fleet.foundation import thread_pool
from unibody.fleet.motion import motion_kernels

Rows = NDArray[np.int64]
_SHARE = 2048  # rows that are worth a thread's time


def advance(tables: Tables, rows: Rows, now: float, dt: float) -> None:
    """Advance controllers by one step; no two of them move the same object.

    Args:
        tables: Of the simulation.
        rows: Rows of its ``motions``.
        now: Time at the beginning of the step [s].
        dt: Length of the step [s].
    """
    _advance(motion_kernels.advance, tables, rows, now, dt)


def advance_measured(tables: Tables, rows: Rows, now: float, dt: float) -> None:
    """`advance`, with velocities that are what the step did; none of the rows is idle."""
    _advance(motion_kernels.advance_measured, tables, rows, now, dt)


def _advance(kernel: Callable[..., Any], tables: Tables, rows: Rows, now: float, dt: float) -> None:
    state = (tables.motions.data, tables.bodies.data, tables.waypoints.data, now, dt)
    thread_pool.run(
        thread_pool.ranges(len(rows), _SHARE), lambda first, last: kernel(rows[first:last], *state)
    )
