"""What all environments stand on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets import description as core
from unibody.core.assets.transforms import quat_between
from unibody.errors import InvalidArgumentError
from unibody.isaacgym.convert import to_pose
from unibody.isaacgym.types.terrain_params import (
    HeightFieldParams,
    PlaneParams,
    TriangleMeshParams,
)
from unibody.notices import tell_once

_MOST_SAMPLES = 50_000_000


@dataclass(slots=True)
class Ground:
    """A part of the ground, in the frame of the simulation.

    Attributes:
        asset: Its shape.
        pose: Where it is; a plane is moved along with the environment, the others are not.
        friction: Of its surface.
        restitution: Of its surface.
        segmentation: Number in segmentation images.
        level: It is the same under all environments.
    """

    asset: core.Asset
    pose: core.Pose
    friction: float
    restitution: float
    segmentation: int
    level: bool = False


def plane(params: PlaneParams) -> Ground:
    """The points whose product with the normal is minus the distance.

    Raises:
        InvalidArgumentError: The normal has no length.
    """
    normal = np.array([params.normal.x, params.normal.y, params.normal.z])
    length = float(np.linalg.norm(normal))
    if not length > 0.0:
        raise InvalidArgumentError("params.normal", params.normal, "a vector that is not zero")
    normal /= length
    x, y, z = (float(part) for part in -params.distance * normal)
    quat = quat_between((0.0, 0.0, 1.0), (float(normal[0]), float(normal[1]), float(normal[2])))
    shape = core.Shape(core.ShapeKind.PLANE)
    return _ground(shape, core.Pose((x, y, z), quat), params, level=True)


def height_field(samples: npt.NDArray[np.int16], params: HeightFieldParams) -> Ground:
    """A grid of heights; its first sample is at the origin of ``params.transform``.

    Args:
        samples: nbRows * nbColumns heights in units of ``vertical_scale``, a row after another.
        params: Its measures; rows run along x, columns along y.

    Raises:
        InvalidArgumentError: The number of samples is another, or a measure is not allowed.
    """
    rows, columns = int(params.nbRows), int(params.nbColumns)
    heights = np.asarray(samples)
    if heights.size != rows * columns or not min(rows, columns) > 1 or heights.size > _MOST_SAMPLES:
        raise InvalidArgumentError(
            "heightSamples", heights.shape, f"nbRows * nbColumns = {rows} * {columns} samples"
        )
    spacing = (float(params.row_scale), float(params.column_scale))
    if not min(spacing) > 0.0:
        raise InvalidArgumentError("params.row_scale, column_scale", spacing, "positive lengths")
    grid = heights.reshape(rows, columns).astype(np.float64) * float(params.vertical_scale)
    return _grid(grid, spacing, params)


def triangle_mesh(
    vertices: npt.NDArray[np.float32], triangles: npt.NDArray[np.uint32], params: TriangleMeshParams
) -> Ground:
    """A mesh. One that is a grid of heights, as ``terrain_utils`` makes it, becomes a height field.

    Raises:
        InvalidArgumentError: There are fewer numbers than ``params`` says, or a triangle has a
            corner that does not exist.
    """
    points = np.asarray(vertices, np.float64).ravel()
    corners = np.asarray(triangles).astype(np.int64).ravel()
    count, faces = int(params.nb_vertices), int(params.nb_triangles)
    if points.size < 3 * count or corners.size < 3 * faces or not min(count, faces) > 0:
        sizes = (points.size // 3, corners.size // 3)
        raise InvalidArgumentError("vertices, triangles", sizes, f"at least {count} and {faces}")
    points, corners = points[: 3 * count].reshape(-1, 3), corners[: 3 * faces].reshape(-1, 3)
    if corners.min() < 0 or corners.max() >= count:
        raise InvalidArgumentError(
            "triangles", int(corners.max()), f"corners from 0 to {count - 1}"
        )
    if not np.isfinite(points).all():
        raise InvalidArgumentError("vertices", "a number that is not finite", "finite numbers")
    found = _as_grid(points, corners)
    if found is not None:
        grid, spacing, start = found
        ground = _grid(grid, spacing, params)
        x, y, z = ground.pose.pos
        ground.pose = core.Pose((x + start[0], y + start[1], z), ground.pose.quat)
        return ground
    source = core.MeshSource(
        name="ground",
        vertices=tuple((x, y, z) for x, y, z in points.tolist()),
        faces=tuple((a, b, c) for a, b, c in corners.tolist()),
    )
    shape = core.Shape(core.ShapeKind.MESH, mesh=source, concave=True)
    return _ground(shape, _pose(params), params)


def _as_grid(
    points: npt.NDArray[np.float64], corners: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], tuple[float, float], tuple[float, float]] | None:
    """Heights (rows, columns), spacing and first corner of a mesh over a regular grid.

    ``terrain_utils`` pulls the corners of steep cells upright, by one cell: here these stay
    slopes of one cell, which one line says.
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


def _regular(
    points: npt.NDArray[np.float64], rows: int, columns: int
) -> tuple[npt.NDArray[np.float64], tuple[float, float], tuple[float, float]] | None:
    x, y, z = points.reshape(rows, columns, 3).transpose(2, 0, 1)
    start = (float(np.median(x[0])), float(np.median(y[:, 0])))
    ends = (float(np.median(x[-1])), float(np.median(y[:, -1])))
    # Across the whole grid: the difference of two neighbours in float32 is off by a cell in 1000.
    spacing = ((ends[0] - start[0]) / (rows - 1), (ends[1] - start[1]) / (columns - 1))
    if not min(spacing) > 0.0:
        return None
    off_x = np.abs(x - start[0] - spacing[0] * np.arange(rows)[:, None])
    off_y = np.abs(y - start[1] - spacing[1] * np.arange(columns))
    if off_x.max() > 1.01 * spacing[0] or off_y.max() > 1.01 * spacing[1]:
        return None
    if max(off_x.max(), off_y.max()) > 0.01 * min(spacing):
        tell_once("the ground is taken as a height field: its upright faces are one cell wide")
    return z.copy(), spacing, start


def _grid(grid: npt.NDArray[np.float64], spacing: tuple[float, float], params: Any) -> Ground:
    """A height field whose grid (rows along x, columns along y) starts at a pose."""
    rows, columns = grid.shape
    data = core.HeightfieldData(  # core's columns run along x
        rows=columns,
        columns=rows,
        heights=tuple(np.ascontiguousarray(grid.T).ravel().tolist()),
        spacing=spacing,
    )
    middle = (0.5 * spacing[0] * (rows - 1), 0.5 * spacing[1] * (columns - 1), 0.0)
    shape = core.Shape(core.ShapeKind.HEIGHTFIELD, pose=core.Pose(middle), heightfield=data)
    return _ground(shape, _pose(params), params)


def _pose(params: Any) -> core.Pose:
    pos, quat = to_pose(params.transform)
    return core.Pose(tuple(pos.tolist()), tuple(quat.tolist()))


def _ground(shape: core.Shape, pose: core.Pose, params: Any, *, level: bool = False) -> Ground:
    link = core.Link("ground", collisions=[shape], visuals=[shape])
    friction = 0.5 * (params.static_friction + params.dynamic_friction)
    return Ground(
        core.Asset("ground", [link], fixed_base=True, static=True),
        pose,
        float(friction),
        float(params.restitution),
        int(params.segmentation_id),
        level,
    )
