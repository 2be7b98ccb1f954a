"""Pictures by tracing one ray a pixel, to compare a rasteriser with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.camera import Camera

Array = NDArray[np.float64]


def trace(camera: Camera, triangles: Array, *, cull: bool = True) -> tuple[Array, Array]:
    """The nearest of some triangles in each pixel.

    Args:
        camera: The camera.
        triangles: Corners in the world, (n, 3, 3).
        cull: Triangles that show their back are not seen.

    Returns:
        Its number, -1 without one, and the depth of OpenGL's buffer, rows from the top.
    """
    matrix = camera.projection @ camera.view
    x = 2.0 * np.arange(camera.width) / camera.width - 1.0
    y = 2.0 * np.arange(camera.height)[::-1] / camera.height - 1.0  # the top row is the last
    grid_x, grid_y = np.meshgrid(x, y)
    ends = (np.stack([grid_x, grid_y, np.full_like(grid_x, z)], axis=-1) for z in (-1.0, 1.0))
    start, end = (_mapped(np.linalg.inv(matrix), points) for points in ends)
    ray = end - start
    best, number = np.full(grid_x.shape, np.inf), np.full(grid_x.shape, -1)
    for k, (a, b, c) in enumerate(triangles):
        normal = np.cross(b - a, c - a)
        facing = ray @ normal
        t = ((a - start) @ normal) / facing
        point = start + t[..., None] * ray
        sides = [np.cross(q - p, point - p) @ normal for p, q in ((a, b), (b, c), (c, a))]
        hit = (np.min(sides, axis=0) >= 0.0) & (t >= 0.0) & (t <= 1.0) & (t < best)
        if cull:
            hit &= facing < 0.0
        best[hit], number[hit] = t[hit], k
    nearest = start + np.minimum(best, 1.0)[..., None] * ray
    return number, np.where(number < 0, 1.0, 0.5 * _mapped(matrix, nearest)[..., 2] + 0.5)


def _mapped(matrix: Array, points: Array) -> Array:
    """Points (..., 3) through a matrix (4, 4)."""
    mapped = points @ matrix[:, :3].T + matrix[:, 3]
    return mapped[..., :3] / mapped[..., 3:]
