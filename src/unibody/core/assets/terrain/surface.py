"""Meshes of grids of heights whose steep steps may be walls."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError

Floats = npt.NDArray[np.floating[Any]]


def mesh_of_heights(
    heights: npt.NDArray[Any],
    horizontal_scale: float,
    vertical_scale: float,
    slope_threshold: float | None = None,
    *,
    name: str = "heights",
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32]]:
    """Make a mesh of a field of heights, with two triangles a cell.

    Args:
        heights: (rows, columns), in units of ``vertical_scale``; rows run along x, columns along y.
        horizontal_scale: Distance of samples [m].
        vertical_scale: Height of one unit [m].
        slope_threshold: Steps steeper than this become vertical: their foot moves under their top.
        name: Of the heights, in errors.

    Returns:
        Vertices float32 (rows * columns, 3) [m], triangles uint32 (n, 3), counter-clockwise from
        above.

    Raises:
        InvalidArgumentError: There are not two samples along each axis.
    """
    field = np.asarray(heights)
    if field.ndim != 2 or min(field.shape) < 2:
        raise InvalidArgumentError(name, field.shape, "at least 2 x 2 samples")
    rows, columns = field.shape
    x, y = np.meshgrid(np.arange(rows, dtype=float), np.arange(columns, dtype=float), indexing="ij")
    if slope_threshold is not None:
        _move_feet(field.astype(float), slope_threshold * horizontal_scale / vertical_scale, x, y)
    vertices = np.empty((rows * columns, 3), np.float32)
    vertices[:, 0] = x.ravel() * horizontal_scale
    vertices[:, 1] = y.ravel() * horizontal_scale
    vertices[:, 2] = field.ravel() * vertical_scale
    index = np.arange(rows * columns, dtype=np.uint32).reshape(rows, columns)
    a, b = index[:-1, :-1].ravel(), index[:-1, 1:].ravel()
    c, d = index[1:, :-1].ravel(), index[1:, 1:].ravel()
    triangles = np.stack((a, d, b, a, c, d), axis=1).reshape(-1, 3)
    return vertices, triangles


def _move_feet(field: Floats, threshold: float, x: Floats, y: Floats) -> None:
    """Move the lower sample of every steep step by one cell, in samples, in place."""
    move_x, move_y, corner = (np.zeros(field.shape) for _ in range(3))
    steep = field[1:] - field[:-1]
    move_x[:-1] += steep > threshold
    move_x[1:] -= steep < -threshold
    steep = field[:, 1:] - field[:, :-1]
    move_y[:, :-1] += steep > threshold
    move_y[:, 1:] -= steep < -threshold
    steep = field[1:, 1:] - field[:-1, :-1]
    corner[:-1, :-1] += steep > threshold
    corner[1:, 1:] -= steep < -threshold
    x += move_x + corner * (move_x == 0)
    y += move_y + corner * (move_y == 0)
