"""Who stands on a platform, which is no collision, and who touches it in another way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.bodies.tables import Tables
from unibody.fleet.collisions import near_pairs

_CLEAR = 1e-3  # m: beyond the margin
Rows = NDArray[np.int64]


def without_platform_contacts(
    tables: Tables,
    pairs: NDArray[np.int64],
    rows: Rows,
    margin: float,
    objects: Mapping[int, Any],
) -> NDArray[np.int64]:
    """Pairs of indices into ``rows``, without those where one only stands on the other's platform.

    The lowest point of who stands there is above the underside of the platform, and once it is
    lifted off the platform it touches nothing of the other one. So walls of a cabin still count,
    and a platform that comes from above or from the side.

    Args:
        tables: Of the simulation.
        pairs: Pairs that touch, (n, 2).
        rows: The objects.
        margin: Distance that counts as touching [m].
        objects: The objects by number.
    """
    bodies = tables.bodies.data
    lifts = bodies["lifts"][rows[pairs]] != 0
    kept = np.ones(len(pairs), dtype=bool)
    for place in np.flatnonzero(lifts.any(axis=1)).tolist():
        lift, other = rows[pairs[place]] if lifts[place, 0] else rows[pairs[place, ::-1]]
        low, high = objects[int(bodies["user"][lift])].get_platform_aabb()
        sunk = float(high[2] - bodies["low"][other, 2])
        if sunk < high[2] - low[2]:
            raised = max(sunk, 0.0) + margin + _CLEAR
            kept[place] = _touches(tables, int(lift), int(other), margin, raised)
    return pairs[kept]


def _touches(tables: Tables, lift: int, other: int, margin: float, raised: float) -> bool:
    """Whether two objects touch, if the second is raised [m]."""
    bodies = tables.bodies.data
    height = bodies["pos"][other, 2]
    bodies["pos"][other, 2] += raised
    pair, rows = np.array([[0, 1]]), np.array([lift, other])
    touching = near_pairs.closer_than(tables, pair, rows, margin)[0]
    bodies["pos"][other, 2] = height
    return bool(touching)
