"""Boxes around prims: along the axes of the world, and along those of the prim."""

from __future__ import annotations

import itertools

import numpy as np
from pxr import Gf, Usd, UsdGeom

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles


def create_bbox_cache(
    time: Usd.TimeCode = Usd.TimeCode.Default(),  # noqa: B008
    use_extents_hint: bool = True,
) -> UsdGeom.BBoxCache:
    """What finds boxes and remembers them.

    Args:
        time: When.
        use_extents_hint: Whether what models say of their own extent is taken as it is.
    """
    return UsdGeom.BBoxCache(
        time, includedPurposes=[UsdGeom.Tokens.default_], useExtentsHint=use_extents_hint
    )


def compute_aabb(
    bbox_cache: UsdGeom.BBoxCache, prim_path: str, include_children: bool = False
) -> np.ndarray:
    """(6,) smallest x, y, z and largest x, y, z of a prim in the world.

    Args:
        bbox_cache: From `create_bbox_cache`.
        prim_path: The prim.
        include_children: Whether the extents of those below are asked for one by one, too.
    """
    prim = handles.prim_at(prim_path)
    total = Gf.Range3d()
    for one in Usd.PrimRange(prim) if include_children else [prim]:
        found = bbox_cache.ComputeWorldBound(one).ComputeAlignedRange()
        total.UnionWith(found)
    return np.array([*total.GetMin(), *total.GetMax()])


def compute_combined_aabb(bbox_cache: UsdGeom.BBoxCache, prim_paths: list[str]) -> np.ndarray:
    """(6,) smallest x, y, z and largest x, y, z of several prims in the world."""
    total = Gf.Range3d()
    for path in prim_paths:
        prim = handles.prim_at(path, "prim_paths")
        total.UnionWith(bbox_cache.ComputeWorldBound(prim).ComputeAlignedRange())
    return np.array([*total.GetMin(), *total.GetMax()])


def compute_obb(
    bbox_cache: UsdGeom.BBoxCache, prim_path: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Box along the axes of a prim.

    Returns:
        Centre (3,) in the world, the axes as rows (3, 3), which carry the scale, and half of the
        widths (3,), which do not.
    """
    bound = bbox_cache.ComputeWorldBound(handles.prim_at(prim_path))
    matrix = bound.GetMatrix()
    box = bound.GetBox()
    centre = np.array(matrix.Transform(box.GetMidpoint()))
    axes = np.array([list(matrix.GetRow3(i)) for i in range(3)])
    return centre, axes, np.array(box.GetSize()) * 0.5


def get_obb_corners(centroid: np.ndarray, axes: np.ndarray, half_extent: np.ndarray) -> np.ndarray:
    """(8, 3) corners of a box, of which z changes fastest and x slowest."""
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    return np.asarray(centroid) + (signs * np.asarray(half_extent)) @ np.asarray(axes)


def compute_obb_corners(bbox_cache: UsdGeom.BBoxCache, prim_path: str) -> np.ndarray:
    """(8, 3) corners of the box along the axes of a prim."""
    return get_obb_corners(*compute_obb(bbox_cache, prim_path))


def recompute_extents(
    prim: UsdGeom.Boundable,
    time: Usd.TimeCode = Usd.TimeCode.Default(),  # noqa: B008
    include_children: bool = False,
) -> None:
    """Write how far a prim extends, as its shape says.

    Args:
        prim: The prim.
        time: When.
        include_children: Whether those below are written, too.

    Raises:
        ValueError: The prim has no extent.
    """
    root = prim.GetPrim()
    if not include_children and not root.IsA(UsdGeom.Boundable):
        raise InvalidArgumentError("prim", str(root.GetPath()), "a prim that has an extent")
    for one in Usd.PrimRange(root) if include_children else [root]:
        shape = UsdGeom.Boundable(one)
        extent = UsdGeom.Boundable.ComputeExtentFromPlugins(shape, time) if shape else None
        if extent:
            shape.CreateExtentAttr().Set(extent, time)
