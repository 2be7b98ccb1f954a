"""Functions of shapes: signed distances for Warp kernels, and mass properties."""

from __future__ import annotations

import functools
import importlib
from typing import Any

_DISTANCES = "unibody.newton.geometry.distances"
_NAMES = {
    **dict.fromkeys(
        ("sdf_box", "sdf_capsule", "sdf_cone", "sdf_cylinder", "sdf_mesh", "sdf_plane"), _DISTANCES
    ),
    "sdf_ellipsoid": _DISTANCES,
    "sdf_sphere": _DISTANCES,
    "compute_inertia_shape": "unibody.newton.geometry.mass",
    "transform_inertia": "unibody.newton.geometry.mass",
}
_NEAREST = "CollisionPipeline finds contacts of all kinds of shapes"
_ABSENT = dict.fromkeys(
    (
        *("BroadPhaseAllPairs", "BroadPhaseExplicit", "BroadPhaseSAP", "NarrowPhase"),
        *("collide_box_box", "collide_capsule_box", "collide_capsule_capsule"),
        *("collide_plane_box", "collide_plane_capsule", "collide_plane_cylinder"),
        *("collide_plane_ellipsoid", "collide_plane_sphere", "collide_sphere_box"),
        *("collide_sphere_capsule", "collide_sphere_cylinder", "collide_sphere_sphere"),
        "create_empty_sdf_data",
    ),
    _NEAREST,
)

__all__ = list(_NAMES)


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(_NAMES[name]), name)
    if name == "HydroelasticSDF":
        return _hydroelastic()
    if name in _ABSENT:
        from unibody.errors import NotSupportedError

        raise NotSupportedError(f"newton.geometry.{name}", _ABSENT[name])
    raise AttributeError(f"module 'newton.geometry' has no attribute {name!r}")


@functools.cache
def _hydroelastic() -> type:
    """A class that scripts import for the settings in it, whether or not they make them."""
    from unibody.newton.absent_classes import absent_class

    return absent_class("newton.geometry", "HydroelasticSDF", _NEAREST, nested=("Config",))
