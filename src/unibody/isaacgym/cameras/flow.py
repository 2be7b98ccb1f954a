"""How far what a pixel shows has moved in the image."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.rotations import rotations
from unibody.core.render.camera import Camera, Frames
from unibody.isaacgym.cameras import optics
from unibody.isaacgym.cameras.sensor import Taken
from unibody.isaacgym.types.viewing import CameraProperties

Array = npt.NDArray[np.float64]
_ONE = 2**15  # a whole width or height


def between(
    before: Taken | None,
    now: Taken,
    properties: CameraProperties,
    distances: Array,
    labels: npt.NDArray[np.int32],
) -> npt.NDArray[np.int16]:
    """Motion from one rendering to the next, of what the pixels show now.

    Args:
        before: The rendering before; None: nothing moved.
        now: The last rendering.
        properties: Of the camera.
        distances: Along the axis of view [m], inf where nothing is, (height, width).
        labels: Parts that are seen, -1 where nothing is, (height, width).

    Returns:
        To the right in widths and down in heights of the image, times 2^15, (height, width, 2).
    """
    moved = np.zeros((*labels.shape, 2), np.int16)
    if before is None or not _comparable(before, now):
        return moved
    rows, columns = np.nonzero((labels >= 0) & np.isfinite(distances))
    image = _image_points(rows, columns, distances[rows, columns], properties)
    bodies = now.scene.bodies[labels[rows, columns]]
    points = (image - now.camera.view[:3, 3]) @ now.camera.view[:3, :3]
    earlier = _carried(points, bodies, now.frames, before.frames)
    gap = _places(points, now.camera, properties) - _places(earlier, before.camera, properties)
    limits = np.iinfo(np.int16)
    scaled = np.clip(np.rint(_ONE * np.nan_to_num(gap)), limits.min, limits.max)
    moved[rows, columns] = scaled.astype(np.int16)
    return moved


def _comparable(before: Taken, now: Taken) -> bool:
    """Whether both show the same parts: worlds may have been built anew."""
    return (
        np.array_equal(before.scene.bodies, now.scene.bodies)
        and before.frames.positions.shape == now.frames.positions.shape
    )


def _image_points(rows: Any, columns: Any, distances: Array, properties: CameraProperties) -> Array:
    """Points in the frame of the image, (n, 3), that pixels show at their middle."""
    x, y = optics.focal(properties)
    right = (2.0 * (columns + 0.5) / properties.width - 1.0) / x
    up = (1.0 - 2.0 * (rows + 0.5) / properties.height) / y
    return np.column_stack([right * distances, up * distances, -distances])


def _places(points: Array, camera: Camera, properties: CameraProperties) -> Array:
    """Where points are seen, from the left in widths and from the top in heights, (n, 2)."""
    x, y = optics.focal(properties)
    image = points @ camera.view[:3, :3].T + camera.view[:3, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = np.where(image[:, 2] < 0.0, -image[:, 2], np.nan)
        return np.column_stack([0.5 * x * image[:, 0] / depth, -0.5 * y * image[:, 1] / depth])


def _carried(points: Array, bodies: npt.NDArray[np.int32], now: Frames, before: Frames) -> Array:
    """Where points of bodies were before, (n, 3); those of no body stay."""
    turns_now, turns_before = rotations(now.quats), rotations(before.quats)
    own = np.einsum("nji,nj->ni", turns_now[bodies], points - now.positions[bodies])
    earlier = np.einsum("nij,nj->ni", turns_before[bodies], own) + before.positions[bodies]
    return np.where(bodies[:, None] < 0, points, earlier)
