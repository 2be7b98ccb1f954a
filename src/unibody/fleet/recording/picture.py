"""A plain picture of a simulation: the boxes of its objects, seen from a point."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.bodies import bounding_boxes

_FIELD_OF_VIEW = math.radians(50.0)
_NEAR = 0.1  # m
_GREY = [0.5, 0.5, 0.5]
_SKY = (235, 240, 245)
_GRID = (205, 210, 215)
_FACES = np.array(
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
)
_SHADES = np.array([0.75, 0.85, 0.7, 0.9, 0.6, 1.0])
_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
_MOST_FACES = 60_000
_LINES = 20


def draw(sim_core: Any, eye: Any, target: Any, width: int, height: int) -> NDArray[np.uint8]:
    """A picture of all objects, (height, width, 3).

    Args:
        sim_core: The simulation.
        eye: Where the camera is [m].
        target: What it looks at [m].
        width: In pixels.
        height: In pixels.
    """
    objects = sim_core.sim_objects
    rows = np.array([obj._row for obj in objects], dtype=np.int64)
    tables = sim_core._tables
    bounding_boxes.renew_bounds(tables, rows)
    low, high = tables.bodies.data["low"][rows], tables.bodies.data["high"][rows]
    original = sim_core._robot_original_colors
    colors = [original.get(obj.body_id, _GREY)[:3] for obj in objects]
    return draw_boxes(low, high, np.array(colors).reshape(-1, 3), eye, target, width, height)


def draw_boxes(
    low: NDArray[Any],
    high: NDArray[Any],
    colors: NDArray[Any],
    eye: Any,
    target: Any,
    width: int,
    height: int,
) -> NDArray[np.uint8]:
    """A picture of boxes along the axes, (height, width, 3).

    Args:
        low: Lower corners [m], (n, 3).
        high: Upper corners [m], (n, 3).
        colors: Red, green, blue, 0 to 1, (n, 3).
        eye: Where the camera is [m].
        target: What it looks at [m].
        width: In pixels.
        height: In pixels.
    """
    from PIL import Image, ImageDraw

    view = _View(eye, target, width, height)
    image = Image.new("RGB", (width, height), _SKY)
    pen = ImageDraw.Draw(image)
    for line in _ground(target):
        seen, depth = view.project(line)
        if (depth > _NEAR).all():
            pen.line([tuple(point) for point in seen.tolist()], fill=_GRID)
    if len(low):
        for polygon, color in _faces(low, high, colors, view):
            pen.polygon([tuple(point) for point in polygon.tolist()], fill=color)
    return np.asarray(image)


class _View:
    def __init__(self, eye: Any, target: Any, width: int, height: int) -> None:
        self.eye = np.asarray(eye, dtype=float)
        ahead = np.asarray(target, dtype=float) - self.eye
        ahead /= np.linalg.norm(ahead) or 1.0
        right = np.cross(ahead, [0.0, 0.0, 1.0])
        length = float(np.linalg.norm(right))
        right = right / length if length > 1e-9 else np.array([1.0, 0.0, 0.0])
        self.axes = np.stack([right, np.cross(right, ahead), ahead])
        self.scale = 0.5 * height / math.tan(0.5 * _FIELD_OF_VIEW)
        self.middle = np.array([0.5 * width, 0.5 * height])

    def project(self, points: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Pixels (..., 2) and depths (...) of points (..., 3)."""
        x, y, depth = np.moveaxis((points - self.eye) @ self.axes.T, -1, 0)
        safe = np.maximum(depth, _NEAR)
        pixels = np.stack([x / safe, -y / safe], axis=-1) * self.scale + self.middle
        return pixels, depth


def _ground(target: Any) -> list[NDArray[Any]]:
    x0, y0 = math.floor(target[0]), math.floor(target[1])
    lines = []
    for k in range(-_LINES, _LINES + 1):
        lines.append(np.array([[x0 + k, y0 - _LINES, 0.0], [x0 + k, y0 + _LINES, 0.0]]))
        lines.append(np.array([[x0 - _LINES, y0 + k, 0.0], [x0 + _LINES, y0 + k, 0.0]]))
    return lines


def _faces(
    low: NDArray[Any], high: NDArray[Any], colors: NDArray[Any], view: _View
) -> list[tuple[NDArray[Any], tuple[int, ...]]]:
    flat = (high - low).max(axis=1) <= 0.0
    low, high = np.where(flat[:, None], low - 0.1, low), np.where(flat[:, None], high + 0.1, high)
    high = np.clip(high, -1e4, 1e4)
    low = np.clip(low, -1e4, 1e4)
    corners = low[:, None] + _CORNERS[None] * (high - low)[:, None]
    pixels, depth = view.project(corners)
    shown: NDArray[np.bool_] = np.all(depth > _NEAR, axis=1)
    order = np.argsort(-depth.mean(axis=1))
    result: list[tuple[NDArray[Any], tuple[int, ...]]] = []
    for i in order[shown[order]][-_MOST_FACES // 6 :].tolist():
        nearest = np.argsort(-depth[i][_FACES].mean(axis=1))
        for face in nearest[3:].tolist():
            shade = tuple(int(v) for v in np.clip(255 * colors[i] * _SHADES[face], 0, 255))
            result.append((pixels[i][_FACES[face]], shade))
    return result
