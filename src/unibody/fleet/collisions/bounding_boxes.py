"""Bounding boxes and colliding pairs of rows of objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.bodies.tables import Tables
from unibody.fleet.bodies.templates import Form, forms
from unibody.fleet.foundation import thread_pool

Rows = NDArray[np.int64]
_SHARE = 2048  # rows that are worth a thread's time
_PAIR_SHARE = 256  # pairs


def advance(tables: Tables, rows: Rows, now: float, dt: float) -> None:
    """Advance controllers by one step; no two of them move the same object.

    Args:
        tables: Of the simulation.
        rows: Rows of its ``motions``.
        now: Time at the beginning of the step [s].
        dt: Length of the step [s].
    """
    from unibody.fleet.motion.motion_kernels import advance as kernel

    _advance(kernel, tables, rows, now, dt)


def advance_measured(tables: Tables, rows: Rows, now: float, dt: float) -> None:
    """`advance`, with velocities that are what the step did; none of the rows is idle."""
    from unibody.fleet.motion.motion_kernels import advance_measured as kernel

    _advance(kernel, tables, rows, now, dt)


def _advance(kernel: Callable[..., Any], tables: Tables, rows: Rows, now: float, dt: float) -> None:
    state = (tables.motions.data, tables.bodies.data, tables.waypoints.data, now, dt)
    thread_pool.run(
        thread_pool.ranges(len(rows), _SHARE), lambda first, last: kernel(rows[first:last], *state)
    )


def renew_bounds(tables: Tables, rows: Rows) -> None:
    """Renew the bounding boxes of those rows whose boxes are out of date."""
    from unibody.fleet.collisions.body_kernels import bounds

    state = (tables.bodies.data, *forms.arrays(), tables.joints.data, forms.most_links)
    thread_pool.run(
        thread_pool.ranges(len(rows), _SHARE), lambda first, last: bounds(rows[first:last], *state)
    )


def find_pairs(
    tables: Tables, rows: Rows, cell: float, margin: float, skip_static: bool
) -> NDArray[np.int64]:
    """Pairs of which one moved, and whose bounding boxes are no farther apart than the margin.

    Args:
        tables: Of the simulation.
        rows: The objects that take part.
        cell: Edge of a cell of the grid [m].
        margin: Distance that counts [m].
        skip_static: Leave pairs with static objects out.

    Returns:
        (n, 2), indices into ``rows``, the smaller one first.
    """
    return pairs_among(tables.bodies.data, rows, cell, margin, skip_static)


def pairs_among(
    bodies: NDArray[Any], rows: Rows, cell: float, margin: float, skip_static: bool
) -> NDArray[np.int64]:
    """`find_pairs`, for rows of any array of objects."""
    from unibody.fleet.collisions import grid_kernels as grid

    n = len(rows)
    s = (
        np.empty((n, 3), dtype=np.int64),  # lowest cell
        np.empty((n, 3), dtype=np.int64),  # number of cells
        np.empty((n, 6)),  # box
        np.empty(n, dtype=np.bool_),  # moved
        np.empty(n, dtype=np.bool_),  # static
        np.empty(n, dtype=np.bool_),  # touches too many cells
    )
    parts = thread_pool.ranges(n, _SHARE)
    entries = sum(
        thread_pool.run(
            parts,
            lambda first, last: grid.cover(first, last, rows, bodies, cell, margin, skip_static, s),
        )
    )
    frame = np.empty(6, dtype=np.int64)
    start, owner, keys = grid.enter(s, entries, frame)
    found = thread_pool.run(
        parts,
        lambda first, last: _filled(
            2 * (last - first),
            lambda out: grid.pairs_in_cells(first, last, s, frame, start, owner, keys, out),
        ),
    )
    if s[5].any():
        found.append(_filled(n, lambda out: grid.pairs_of_large(s, skip_static, out)))
    return found[0] if len(found) == 1 else np.concatenate(found)


def _filled(guess: int, fill: Callable[[NDArray[np.int64]], int]) -> NDArray[np.int64]:
    """Pairs that a kernel reports; it says how many there are if there is too little room."""
    out = np.empty((max(256, guess), 2), dtype=np.int64)
    count = fill(out)
    if count > len(out):
        out = np.empty((count, 2), dtype=np.int64)
        fill(out)
    return out[:count]


def closer_than(
    tables: Tables, pairs: NDArray[np.int64], rows: Rows, margin: float
) -> NDArray[np.bool_]:
    """Which pairs of indices into ``rows`` are no farther apart than the margin [m], (n,)."""
    from unibody.fleet.collisions.body_kernels import touch

    hit = np.zeros(len(pairs), dtype=np.uint8)
    state = (
        rows,
        tables.bodies.data,
        *forms.arrays(),
        tables.joints.data,
        forms.most_links,
        margin,
    )
    if len(pairs):
        thread_pool.run(
            thread_pool.ranges(len(pairs), _PAIR_SHARE),
            lambda first, last: touch(pairs[first:last], last - first, *state, hit[first:last]),
        )
    return hit.astype(np.bool_)


def link_frames(tables: Tables, row: int, links: int) -> NDArray[np.float64]:
    """Frames of an object's links in the world, (links, 7): position, (x, y, z, w)."""
    from unibody.fleet.collisions.body_kernels import link_poses

    out = np.empty((links, 7))
    body: Any = tables.bodies.data[row]
    link_poses(
        body,
        forms.table.data[body["form"]],
        forms.links.data,
        forms.origins.data,
        tables.joints.data,
        out,
    )
    return out


def box_at(form: Form, frame: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Bounding box of a form whose base is at a pose (7,): lower and upper corner [m]."""
    tables = Tables(1)
    row, body = tables.bodies.take(), tables.bodies.data
    body["pos"][row], body["quat"][row] = frame[:3], frame[3:]
    body["com"][row, 6] = 1.0
    body["form"][row] = form.row
    body["stale"][row] = 1
    renew_bounds(tables, np.array([row]))
    return body["low"][row].copy(), body["high"][row].copy()
