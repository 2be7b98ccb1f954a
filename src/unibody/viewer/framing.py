"""How much room things take, and where a camera stands that sees all of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import ShapeKind
from unibody.core.render.camera import Frames
from unibody.core.render.parts import parts_of
from unibody.core.render.visual_shapes import VisualShape
from unibody.viewer.items import Vec3
from unibody.viewer.stage import offsets, product, turned

F64 = NDArray[np.float64]
Box = tuple[F64, F64]
TOWARDS = {2: (0.75, -0.9, 0.5), 1: (0.75, 0.5, 0.9)}
"""From what is looked at to the camera, by the axis that is up."""

_LARGEST = 10.0  # times as long as most: a rail, a wall, a floor need not be seen as a whole
_NEVER_LARGE = 2.0  # m: a table is seen, however small what lies on it
_HALVINGS = 40
_UP = (0.0, 0.0, 1.0)
_AROUND = 0.25  # of what is seen, for what moves
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


def box_of_things(parts: Sequence[VisualShape], positions: F64, quats: F64, axis: int = 2) -> Box:
    """The box around all shapes but the ground, and but what is far larger than most.

    It reaches down to height 0 where anything is left out, as things fall there.

    Args:
        parts: The shapes.
        positions: Of their frames, (n, 3) [m].
        quats: Of their frames, wxyz, (n, 4).
        axis: The one that is up.

    Returns:
        Its least and greatest corners [m]; of 2 m about the origin, if there is nothing to see.
    """
    boxes = [
        box
        for part in parts
        if part.shape.kind != ShapeKind.PLANE
        and (box := box_of([part], positions, quats)) is not None
    ]
    lengths = [float((box[1] - box[0]).max()) for box in boxes]
    most = max(_NEVER_LARGE, _LARGEST * float(np.median(lengths))) if lengths else 0.0
    boxes = [box for box, length in zip(boxes, lengths, strict=True) if length <= most]
    low = np.min([box[0] for box in boxes], axis=0) if boxes else -np.ones(3)
    high = np.max([box[1] for box in boxes], axis=0) if boxes else np.ones(3)
    if len(boxes) < len(parts):
        low[axis] = min(low[axis], 0.0)
    return low, high


def camera_for_things(
    parts: Sequence[VisualShape],
    frames: Frames,
    fov: float,
    aspect: float = 1.0,
    up: Vec3 = _UP,
) -> tuple[Vec3, Vec3]:
    """Where a camera stands that sees all things but the ground, and what it looks at [m].

    There is room for what moves: on all sides, and above it.

    Args:
        parts: The shapes.
        frames: Those they follow.
        fov: Vertical field of view [rad].
        aspect: Width of the picture by its height, at least.
        up: y or z.
    """
    axis = 1 if up[1] else 2
    low, high = box_of_things(parts, frames.positions, frames.quats, axis)
    margin = _AROUND * float((high - low).max())
    low, high = low - margin, high + margin
    low[axis] += margin
    return camera_for((low, high), fov, TOWARDS[axis], aspect, up)


def camera_for(
    box: Box, fov: float, towards: Vec3 = TOWARDS[2], aspect: float = 1.0, up: Vec3 = _UP
) -> tuple[Vec3, Vec3]:
    """Where a camera stands that sees a box as a whole from near, and what it looks at [m].

    What is near is larger than what is far, so the middle of the picture is not that of the box:
    there is as much room to its left as to its right, and above it as below it.

    Args:
        box: From `box_of`.
        fov: Vertical field of view [rad].
        towards: From what is looked at to the camera; not along ``up``.
        aspect: Width of the picture by its height, at least.
        up: What is up in the picture.
    """
    low, high = box
    middle = 0.5 * (low + high)
    half = np.maximum(0.5 * (high - low), _SMALLEST)
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * half
    ahead = -np.array(towards) / np.linalg.norm(towards)
    right = np.cross(ahead, up)
    right /= np.linalg.norm(right)
    depth = corners @ ahead
    sides = (right, aspect), (np.cross(right, ahead), 1.0)
    slope = math.tan(0.5 * fov) / _ROOM
    back = max(_fit(corners @ side, depth, share * slope)[1] for side, share in sides)
    for side, share in sides:  # the looser pair of sides comes as near as it may
        low, high = 0.0, share * slope
        for _ in range(_HALVINGS):
            half_way = 0.5 * (low + high)
            fits = _fit(corners @ side, depth, half_way)[1] <= back
            low, high = (low, half_way) if fits else (half_way, high)
        middle = middle + _fit(corners @ side, depth, high)[0] * side
    eye = middle - ahead * back
    return (
        (float(eye[0]), float(eye[1]), float(eye[2])),
        (float(middle[0]), float(middle[1]), float(middle[2])),
    )


def _fit(along: F64, depth: F64, slope: float) -> tuple[float, float]:
    """Where a camera stands between two sides of its picture that both touch what is seen.

    Args:
        along: Of points, from one side of the picture to the other [m].
        depth: Of points, away from the camera [m].
        slope: Of both sides against the line of sight.

    Returns:
        Its place along ``along``, and how far it is before depth 0 [m].
    """
    most = float((along - slope * depth).max())
    least = float((-along - slope * depth).max())
    return 0.5 * (most - least), (most + least) / (2.0 * slope)
