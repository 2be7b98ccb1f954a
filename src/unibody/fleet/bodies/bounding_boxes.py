"""Bounding boxes and frames of links of rows of objects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.bodies.tables import Tables
from unibody.fleet.bodies.templates import BodyTemplate, templates
from unibody.fleet.foundation import thread_pool

Rows = NDArray[np.int64]
_SHARE = 2048  # rows that are worth a thread's time


def renew_bounds(tables: Tables, rows: Rows) -> None:
    """Renew the bounding boxes of those rows whose boxes are out of date."""
    from unibody.fleet.bodies.body_kernels import bounds, new_scratch

    state = (tables.bodies.data, *templates.arrays(), tables.joints.data)
    thread_pool.run(
        thread_pool.ranges(len(rows), _SHARE),
        lambda first, last: bounds(rows[first:last], *state, new_scratch(templates.most_links)),
    )


def link_frames(tables: Tables, row: int, links: int) -> NDArray[np.float64]:
    """Frames of an object's links in the world, (links, 7): position, (x, y, z, w)."""
    from unibody.fleet.bodies.body_kernels import link_poses

    out = np.empty((links, 7))
    body: Any = tables.bodies.data[row]
    link_poses(
        body,
        templates.table.data[body["template"]],
        templates.links.data,
        templates.origins.data,
        tables.joints.data,
        out,
    )
    return out


def box_at(template: BodyTemplate, frame: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Bounding box of a template whose base is at a pose (7,): lower and upper corner [m]."""
    tables = Tables(1)
    row, body = tables.bodies.take(), tables.bodies.data
    body["pos"][row], body["quat"][row] = frame[:3], frame[3:]
    body["com"][row, 6] = 1.0
    body["template"][row] = template.row
    body["stale"][row] = 1
    renew_bounds(tables, np.array([row]))
    return body["low"][row].copy(), body["high"][row].copy()
