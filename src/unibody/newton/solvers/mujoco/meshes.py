"""Shapes that MuJoCo holds as meshes."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.newton.enums import GeoType

_MESHES = (GeoType.MESH, GeoType.CONVEX_MESH, GeoType.CONE)


def are_meshes(kinds: Any, scale: Any) -> Any:
    """Which shapes MuJoCo holds as meshes, whose sizes are compiled.

    Args:
        kinds: Of the shapes, (...).
        scale: Their scales, (..., 3); a cylinder with a third number is a barrel.
    """
    kinds = np.asarray(kinds)
    barrels = (kinds == GeoType.CYLINDER) & (np.asarray(scale)[..., 2] > 0.0)
    return np.isin(kinds, [int(kind) for kind in _MESHES]) | barrels
