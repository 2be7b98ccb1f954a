"""Closest points of triangle meshes and convex geoms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.mesh_contacts.install import contacts_within

_FIRST, _WIDER = 0.2, 4.0  # of the size: how far is looked at first, and how much farther then
_AS_CLOSE = 0.02  # of the size: points that are so much farther than the closest are given too


def closest_points(
    model: Any, data: Any, mesh: int, geom: int, limit: float
) -> NDArray[np.float64]:
    """Where a mesh of triangles and a convex geom are closest, and where almost.

    Args:
        model: The compiled model.
        data: Its MjData, with the poses of geoms.
        mesh: A geom that stands for a mesh.
        geom: A convex geom.
        limit: Points that are farther apart are not found [m].

    Returns:
        (N, 7): distance [m], negative where they overlap; middle of the gap [m]; unit normal
        towards the convex geom. The closest comes first.
    """
    size = float(np.linalg.norm(model.geom_aabb[geom, 3:]))
    most = max(limit, 0.0)
    far = min(_FIRST * size, most)
    while True:
        found = contacts_within(model, data, mesh, geom, far)
        if len(found) or far >= most:
            break
        far = min(_WIDER * far, most)
    found = found[np.argsort(found[:, 0], kind="stable")]
    return found[found[:, 0] <= min(limit, found[0, 0] + _AS_CLOSE * size)] if len(found) else found
