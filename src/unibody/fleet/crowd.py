"""Bounding boxes and colliding pairs of rows of objects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet import table
from unibody.fleet.forms import Form, forms

Rows = NDArray[np.int64]


def renew_bounds(rows: Rows) -> None:
    """Renew the bounding boxes of those rows whose boxes are out of date."""
    from unibody.fleet.crowd_kernels import bounds

    bounds(rows, table.bodies.data, *forms.arrays(), table.joints.data, forms.most_links)


def find_pairs(rows: Rows, cell: float, margin: float, skip_static: bool) -> NDArray[np.int64]:
    """Pairs of which one moved, and whose bounding boxes are no farther apart than the margin.

    Args:
        rows: The objects that take part.
        cell: Edge of a cell of the grid [m].
        margin: Distance that counts [m].
        skip_static: Leave pairs with static objects out.

    Returns:
        (n, 2), indices into ``rows``, the smaller one first.
    """
    from unibody.fleet.grid_kernels import find_pairs as find

    out = np.empty((max(256, 2 * len(rows)), 2), dtype=np.int64)
    count = find(rows, table.bodies.data, cell, margin, skip_static, out)
    if count > len(out):
        out = np.empty((count, 2), dtype=np.int64)
        count = find(rows, table.bodies.data, cell, margin, skip_static, out)
    return out[:count]


def closer_than(pairs: NDArray[np.int64], rows: Rows, margin: float) -> NDArray[np.bool_]:
    """Which pairs of indices into ``rows`` are no farther apart than the margin [m], (n,)."""
    from unibody.fleet.crowd_kernels import touch

    hit = np.zeros(len(pairs), dtype=np.uint8)
    if len(pairs):
        touch(
            pairs, len(pairs), rows, table.bodies.data, *forms.arrays(), table.joints.data,
            forms.most_links, margin, hit,
        )  # fmt: skip
    return hit.astype(np.bool_)


def link_frames(row: int, links: int) -> NDArray[np.float64]:
    """Frames of an object's links in the world, (links, 7): position, (x, y, z, w)."""
    from unibody.fleet.crowd_kernels import link_poses

    out = np.empty((links, 7))
    body: Any = table.bodies.data[row]
    link_poses(
        body,
        forms.table.data[body["form"]],
        forms.links.data,
        forms.origins.data,
        table.joints.data,
        out,
    )
    return out


def box_at(form: Form, frame: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Bounding box of a form whose base is at a pose (7,): lower and upper corner [m]."""
    row = table.bodies.take()
    body = table.bodies.data
    body["pos"][row], body["quat"][row] = frame[:3], frame[3:]
    body["com"][row, 6] = 1.0
    body["form"][row] = form.row
    body["stale"][row] = 1
    renew_bounds(np.array([row]))
    corners = body["low"][row].copy(), body["high"][row].copy()
    table.bodies.give_back(row)
    return corners
