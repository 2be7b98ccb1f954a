"""Functions of boxes around prims."""

from __future__ import annotations

import numpy as np
from pxr import Usd, UsdGeom

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.experimental.prim_functions import get_prim_path
from unibody.isaac_core.functions import bounds
from unibody.isaac_core.functions.bounds import get_obb_corners

__all__ = [
    "compute_aabb", "compute_combined_aabb", "compute_obb", "compute_obb_corners",
    "create_bbox_cache", "get_obb_corners",
]  # fmt: skip


def create_bbox_cache(
    time: Usd.TimeCode = Usd.TimeCode.Default(),  # noqa: B008
    *,
    use_extents_hint: bool = True,
) -> UsdGeom.BBoxCache:
    """What keeps boxes that were computed."""
    return bounds.create_bbox_cache(time, use_extents_hint)


def compute_aabb(
    prim: str | Usd.Prim,
    *,
    bbox_cache: UsdGeom.BBoxCache | None = None,
    include_children: bool = False,
) -> np.ndarray:
    """(6,) smallest x, y, z and largest x, y, z of a prim in the world."""
    return bounds.compute_aabb(_cache(bbox_cache), get_prim_path(prim), include_children)


def compute_combined_aabb(
    prims: list[str | Usd.Prim], *, bbox_cache: UsdGeom.BBoxCache | None = None
) -> np.ndarray:
    """(6,) smallest x, y, z and largest x, y, z of several prims in the world.

    Raises:
        InvalidArgumentError: There are no prims.
    """
    if not prims:
        raise InvalidArgumentError("prims", prims, "at least one prim")
    return bounds.compute_combined_aabb(_cache(bbox_cache), [get_prim_path(one) for one in prims])


def compute_obb(
    prim: str | Usd.Prim, *, bbox_cache: UsdGeom.BBoxCache | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre, axes and half extents of the box along the axes of a prim."""
    return bounds.compute_obb(_cache(bbox_cache), get_prim_path(prim))


def compute_obb_corners(
    prim: str | Usd.Prim, *, bbox_cache: UsdGeom.BBoxCache | None = None
) -> np.ndarray:
    """(8, 3) corners of the box along the axes of a prim."""
    return bounds.compute_obb_corners(_cache(bbox_cache), get_prim_path(prim))


def _cache(given: UsdGeom.BBoxCache | None) -> UsdGeom.BBoxCache:
    return create_bbox_cache() if given is None else given
