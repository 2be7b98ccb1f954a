"""What all environments stand on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets import description as core
from unibody.core.assets.terrain.grids import grid_of_mesh, shape_of_grid
from unibody.core.assets.transforms import quat_between
from unibody.core.batch import ground as batch_ground
from unibody.errors import InvalidArgumentError
from unibody.isaacgym.convert import to_pose
from unibody.isaacgym.types.terrain_params import (
    HeightFieldParams,
    PlaneParams,
    TriangleMeshParams,
)
from unibody.notices import tell_once

_MOST_SAMPLES = 50_000_000
_UPRIGHT = 0.01  # cells: more than rounding


@dataclass(slots=True)
class Ground(batch_ground.Ground):
    """A part of the ground, see ``core.batch.ground``.

    Attributes:
        segmentation: Number in segmentation images.
    """

    segmentation: int = 0


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
    return _ground(shape_of_grid(grid, spacing), _pose(params), params)


def triangle_mesh(
    vertices: npt.NDArray[np.float32], triangles: npt.NDArray[np.uint32], params: TriangleMeshParams
) -> Ground:
    """A mesh. One that is a grid of heights, as ``terrain_utils`` makes it, becomes a height field.

    ``terrain_utils`` pulls the corners of steep cells upright, by one cell: here these stay
    slopes of one cell, which one line says.

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
    found = grid_of_mesh(points, corners)
    if found is not None:
        if found.offset > _UPRIGHT:
            tell_once("the ground is taken as a height field: its upright faces are one cell wide")
        ground = _ground(shape_of_grid(found.heights, found.spacing), _pose(params), params)
        x, y, z = ground.pose.pos
        ground.pose = core.Pose((x + found.start[0], y + found.start[1], z), ground.pose.quat)
        return ground
    source = core.MeshSource(
        name="ground",
        vertices=tuple((x, y, z) for x, y, z in points.tolist()),
        faces=tuple((a, b, c) for a, b, c in corners.tolist()),
    )
    shape = core.Shape(core.ShapeKind.MESH, mesh=source, concave=True)
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
        level,
        int(params.segmentation_id),
    )
