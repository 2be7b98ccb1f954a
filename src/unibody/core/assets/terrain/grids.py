"""Height fields as points and triangles, and meshes that are height fields."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import HeightfieldData, Pose, Shape, ShapeKind

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]
_OFF = 1.01  # cells that a corner of a mesh may lie beside its place in the grid


def shape_of_grid(heights: Floats, spacing: tuple[float, float]) -> Shape:
    """A height field whose first sample is at the origin of the frame.

    Args:
        heights: (rows, columns) [m]; rows run along x, columns along y.
        spacing: Distance of rows and of columns [m].
    """
    rows, columns = heights.shape
    data = HeightfieldData(  # its columns run along x
        rows=columns,
        columns=rows,
        heights=tuple(np.ascontiguousarray(heights.T).ravel().tolist()),
        spacing=spacing,
    )
    middle = (0.5 * spacing[0] * (rows - 1), 0.5 * spacing[1] * (columns - 1), 0.0)
    return Shape(ShapeKind.HEIGHTFIELD, pose=Pose(middle), heightfield=data)


def points_of(data: HeightfieldData) -> Floats:
    """The samples in the frame of the shape, row by row, (rows * columns, 3) [m]."""
    x = (np.arange(data.columns) - 0.5 * (data.columns - 1)) * data.spacing[0]
    y = (np.arange(data.rows) - 0.5 * (data.rows - 1)) * data.spacing[1]
    across, along = np.meshgrid(x, y)
    heights = np.asarray(data.heights, dtype=np.float64)
    return np.column_stack([across.ravel(), along.ravel(), heights]).astype(np.float64)


def triangles_of(data: HeightfieldData) -> npt.NDArray[np.int32]:
    """Two triangles a cell, counter-clockwise from above, rows of ``points_of``, (n, 3).

    They are cut as those that bodies collide with.
    """
    number = np.arange(data.rows * data.columns, dtype=np.int32).reshape(data.rows, data.columns)
    a, b = number[:-1, :-1].ravel(), number[:-1, 1:].ravel()
    c, d = number[1:, :-1].ravel(), number[1:, 1:].ravel()
    halves = ([b, c, a], [d, c, b]) if data.falling else ([b, d, a], [d, c, a])
    return np.concatenate([np.column_stack(half) for half in halves])


class HeightGrid(NamedTuple):
    """The height field that a mesh is.

    Attributes:
        heights: (rows, columns) [m]; rows run along x, columns along y.
        spacing: Distance of rows and of columns [m].
        start: Place of the first sample in x and y [m].
        offset: How far a corner lies beside its place in the grid at most, in cells.
    """

    heights: Floats
    spacing: tuple[float, float]
    start: tuple[float, float]
    offset: float


def grid_of_mesh(points: Floats, corners: Ints) -> HeightGrid | None:
    """The height field that a mesh over a regular grid is; None for other meshes.

    Corners of steep cells may be pulled upright, by one cell, as ``surface.mesh_of_heights`` does.

    Args:
        points: (V, 3) [m], a row of the grid after the other.
        corners: (F, 3), two triangles a cell.
    """
    low = corners.min(axis=1)
    steps = np.sort(corners - low[:, None], axis=1)
    for columns in (int(corners[0].max()) - 1, int(corners[0].max())):  # of the first cell
        rows, left = divmod(len(points), max(columns, 1))
        if min(rows, columns) < 2 or left or len(corners) != 2 * (rows - 1) * (columns - 1):
            continue
        across = (1, columns + 1), (columns, columns + 1), (1, columns), (columns - 1, columns)
        codes = {second * (columns + 2) + third for second, third in across}
        if set(np.unique(steps[:, 1] * (columns + 2) + steps[:, 2]).tolist()) <= codes:
            return _regular(points, rows, columns)
    return None


def _regular(points: Floats, rows: int, columns: int) -> HeightGrid | None:
    x, y, z = points.reshape(rows, columns, 3).transpose(2, 0, 1)
    start = (float(np.median(x[0])), float(np.median(y[:, 0])))
    ends = (float(np.median(x[-1])), float(np.median(y[:, -1])))
    # Across the whole grid: the difference of two neighbours in float32 is off by a cell in 1000.
    spacing = ((ends[0] - start[0]) / (rows - 1), (ends[1] - start[1]) / (columns - 1))
    if not min(spacing) > 0.0:
        return None
    off_x = np.abs(x - start[0] - spacing[0] * np.arange(rows)[:, None])
    off_y = np.abs(y - start[1] - spacing[1] * np.arange(columns))
    if off_x.max() > _OFF * spacing[0] or off_y.max() > _OFF * spacing[1]:
        return None
    offset = max(float(off_x.max()), float(off_y.max())) / min(spacing)
    return HeightGrid(z.copy(), spacing, start, offset)
