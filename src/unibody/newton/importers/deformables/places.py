"""Where deformable bodies of a stage are, and how they are without load."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton import convert
from unibody.newton.importers.deformables.reading import read


def world_matrix(prim: Any, pose: Any) -> np.ndarray:
    """What takes points of a prim to the world, (4, 4), float64; vectors are columns.

    Args:
        prim: The prim.
        pose: Of the stage in the world.
    """
    from pxr import UsdGeom

    local = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(prim), dtype=float).T
    turned = np.eye(4)
    turned[:3, :3] = convert.rotation(wp.transform_get_rotation(pose))
    turned[:3, 3] = [float(v) for v in wp.transform_get_translation(pose)]
    return turned @ local


def reflects(matrix: np.ndarray) -> bool:
    """Whether a matrix turns left into right."""
    return bool(np.linalg.det(matrix[:3, :3]) < 0.0)


def placed(points: Any, matrix: np.ndarray) -> np.ndarray:
    """Points in the world, (n, 3), float64."""
    return turned(points, matrix) + matrix[:3, 3]


def turned(points: Any, matrix: np.ndarray) -> np.ndarray:
    """Points without the place of their prim, whose differences keep their precision, (n, 3)."""
    return np.asarray(points, dtype=float).reshape(-1, 3) @ matrix[:3, :3].T


def rounded(points: np.ndarray) -> np.ndarray:
    """Points as a builder has them: float64 of float32."""
    return points.astype(np.float32).astype(float)


def whole_numbers(values: Any, width: int, name: str) -> np.ndarray:
    """Rows of indices, (n, width).

    Raises:
        ValueError: They are no integers.
    """
    found = np.asarray([] if values is None else values)
    if not found.size:
        return np.empty((0, width), dtype=np.int64)
    if found.dtype.kind not in "iu":
        raise ValueError(f"{name} has to have integer indices")
    return found.reshape(-1, width)


def rest_shape(prim: Any, topology: str) -> tuple[Any, Any]:
    """Points and elements without load as a prim states them; None for those it does not."""
    points, corners = read(prim, "restShapePoints"), read(prim, topology)
    stated = [None if value is None or not np.size(value) else value for value in (points, corners)]
    return stated[0], stated[1]


def rest_points(points: Any, matrix: np.ndarray) -> np.ndarray:
    """Points without load, (n, 3).

    Raises:
        ValueError: Some are not finite.
    """
    found = np.asarray(points, dtype=float).reshape(-1, 3)
    if not np.isfinite(found).all():
        raise ValueError("restShapePoints has non-finite coordinates")
    return turned(found, matrix)


def rest_corners(
    stated: Any, simulated: np.ndarray, counts: tuple[int, int], name: str
) -> np.ndarray:
    """Corners of elements without load, one row for each that is simulated.

    Args:
        stated: What the prim states, or None.
        simulated: Those that are simulated, (n, k).
        counts: How many points there are, and how many without load.
        name: Of the attribute.

    Raises:
        ValueError: They do not fit.
    """
    if stated is None:
        if counts[0] != counts[1]:
            raise ValueError(f"restShapePoints has to match points where {name} is omitted")
        return simulated
    found = whole_numbers(stated, simulated.shape[1], name)
    if len(found) != len(simulated):
        raise ValueError(
            f"{name} has {len(found)} elements, not {len(simulated)} as the simulation topology"
        )
    if (found < 0).any() or (found >= counts[1]).any():
        raise ValueError(f"{name} has an out-of-range point index")
    return found


def same_corners(stated: Any, simulated: Any, width: int) -> bool:
    """Whether elements that are stated without points are those that are simulated."""
    try:
        found = whole_numbers(stated, width, "rest topology")
        return np.array_equal(found, np.asarray(simulated, dtype=np.int64).reshape(-1, width))
    except (TypeError, ValueError):
        return False
