"""Which particles are near the shapes of a rigid body."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.soft.contact_rows import find
from unibody.core.engine.soft.contact_tables import Held, Meets, Particles, Rigid, Rows, Slid
from unibody.core.engine.soft.shapes import shapes_of

_DT = 1e-9  # s: nothing comes nearer within it


def near_body(model: Any, data: Any, body: int, local: Any, distance: float) -> NDArray[np.int64]:
    """Numbers of points that are inside of a body's shapes, or as near to them as stated.

    Args:
        model: The compiled model.
        data: With poses and velocities that are up to date.
        body: Its number.
        local: Points in its frame, (p, 3) [m].
        distance: See above [m].
    """
    count = len(local)
    places = np.asarray(local) @ data.xmat[body].reshape(3, 3).T + data.xpos[body]
    particles = Particles(
        np.ascontiguousarray(places), np.zeros((count, 3), dtype=np.float32), np.ones(count),
        np.full(count, float(distance)), np.zeros(count),
    )  # fmt: skip
    geoms = np.flatnonzero(model.geom_bodyid == body).astype(np.int64)
    nobody = np.zeros(0, dtype=np.int64)
    held = Held(nobody, nobody, np.zeros((0, 3)), np.zeros(0))
    found = Rows.room(count, max(count * len(geoms), 1), model.nbody)
    rigid = Rigid.of(model, data)
    meets = Meets.all([count], model.nbody)
    find(particles, rigid, shapes_of(model), geoms, meets, held, Slid.none(), found, _DT)
    return np.flatnonzero(np.diff(found.first))
