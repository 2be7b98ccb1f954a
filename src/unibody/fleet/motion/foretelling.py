"""Where controllers are going to take their objects on the paths that they follow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.bodies.tables import Tables
from unibody.fleet.motion import motion_kernels as kernels
from unibody.machine_code import numba

_compiled = numba.njit(cache=True, error_model="numpy", nogil=True)

_MOST_STEPS = 20_000  # after that an object counts as standing where it is


def places_ahead(tables: Tables, motion: int, now: float, dt: float) -> NDArray[np.float64]:
    """Where an object is going to be, by the kernels that move it, if nobody interferes.

    Args:
        tables: Of the simulation; they stay as they are.
        motion: Row of its controller.
        now: Time at the beginning of this step, in which it was moved [s].
        dt: Length of a step [s].

    Returns:
        (n, 2) [m]: now, then a step later each, up to where it comes to rest.
    """
    motions = tables.motions.data[motion : motion + 1].copy()
    body = int(motions["body"][0])
    bodies = tables.bodies.data[body : body + 1].copy()
    motions["body"] = 0
    ahead = _ahead(motions, bodies, tables.waypoints.data, now + dt, dt, _MOST_STEPS)
    return np.concatenate([tables.bodies.data["pos"][body : body + 1, :2], ahead])


def places_on(
    tables: Tables, motion: int, path: NDArray[np.float64], wanted: int, now: float, dt: float
) -> NDArray[np.float64]:
    """The same for an object that would set out on a path now, and turn as its end says.

    Args:
        tables: Of the simulation; they stay as they are.
        motion: Row of its controller.
        path: Waypoints, (n, 7): position [m], quaternion (x, y, z, w).
        wanted: The number of the direction in which a base goes.
        now: Time at the beginning of this step, in which it has yet to be moved [s].
        dt: Length of a step [s].
    """
    motions = tables.motions.data[motion : motion + 1].copy()
    bodies = tables.bodies.data[motions["body"]].copy()
    motions["body"] = motions["path"] = 0
    motions["count"], motions["align"], motions["wanted"] = len(path), 1, wanted
    kernels.set_path(0, motions, bodies, path, now)
    return _ahead(motions, bodies, path, now, dt, _MOST_STEPS)


@_compiled
def _ahead(motions: Any, bodies: Any, pool: Any, now: float, dt: float, most: int) -> Any:
    """Let time go on until the controller is idle; places after each step, (n, 2)."""
    rows = np.zeros(1, dtype=np.int64)
    places = np.empty((64, 2))
    count = 0
    while count < most:
        if count == len(places):
            grown = np.empty((2 * count, 2))
            grown[:count] = places
            places = grown
        kernels.advance(rows, motions, bodies, pool, now + count * dt, dt)
        places[count, 0] = bodies[0].pos[0]
        places[count, 1] = bodies[0].pos[1]
        count += 1
        if motions[0].mode == kernels.IDLE:
            break
    return places[:count].copy()
