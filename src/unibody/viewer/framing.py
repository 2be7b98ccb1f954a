"""How much room things take, and where a camera stands that sees all of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.parts import parts_of
from unibody.core.render.visual_shapes import VisualShape
from unibody.viewer.items import Vec3
from unibody.viewer.stage import offsets, product, turned

F64 = NDArray[np.float64]
Box = tuple[F64, F64]
_TOWARDS = (0.75, -0.9, 0.5)  # from what is looked at to the camera
_ROOM = 1.15  # of the picture, around what is seen
_SMALLEST = 0.05  # m: half of what is seen at least


def box_of(parts: Iterable[VisualShape], positions: F64, quats: F64) -> Box | None:
    """The box around shapes, along the axes of the world.

    Args:
        parts: The shapes.
        positions: Of their frames, (n, 3) [m].
        quats: Of their frames, wxyz, (n, 4).

    Returns:
        Its least and greatest corners [m]; None if there is nothing to see.
    """
    lows: list[F64] = []
    highs: list[F64] = []
    for part in parts:
        at, quat = offsets([part.shape.pose])
        frame = quats[[part.frame]]
        origin = positions[[part.frame]] + turned(frame, at)
        for drawn in parts_of(part):
            points = drawn.mesh.vertices.astype(np.float64)
            if len(points):
                spun = np.repeat(product(frame, quat), len(points), axis=0)
                placed = origin + turned(spun, points)
                lows.append(placed.min(axis=0))
                highs.append(placed.max(axis=0))
    if not lows:
        return None
    return np.min(lows, axis=0), np.max(highs, axis=0)


def camera_for(
    box: Box, fov: float, towards: Vec3 = _TOWARDS, aspect: float = 1.0
) -> tuple[Vec3, Vec3]:
    """Where a camera stands that sees a box as a whole, and what it looks at [m].

    Args:
        box: From `box_of`.
        fov: Vertical field of view [rad].
        towards: From what is looked at to the camera; not straight up or down.
        aspect: Width of the picture by its height, at least.
    """
    low, high = box
    middle = 0.5 * (low + high)
    half = np.maximum(0.5 * (high - low), _SMALLEST)
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * half
    ahead = -np.array(towards) / np.linalg.norm(towards)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    sides = np.stack([corners @ right / aspect, corners @ np.cross(right, ahead)])
    slope = math.tan(0.5 * fov) / _ROOM
    back = float((np.abs(sides).max(axis=0) / slope - corners @ ahead).max())
    eye = middle - ahead * back
    return (
        (float(eye[0]), float(eye[1]), float(eye[2])),
        (float(middle[0]), float(middle[1]), float(middle[2])),
    )
