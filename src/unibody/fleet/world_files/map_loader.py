"""What stands on a map, as bodies of a simulation."""

from __future__ import annotations

import os
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.fleet.foundation.types import CollisionMode
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.spawn_params import ShapeParams
from unibody.fleet.spatial.geometry import Pose
from unibody.fleet.world_files.occupancy_map import OccupancyMap, read_map

_COLOR = (0.86, 0.84, 0.78, 1.0)
_MOST_BODIES = 20_000


def load_occupancy_map(
    path: str | os.PathLike[str], sim_core: Any, height: float = 1.0
) -> tuple[OccupancyMap, list[SimObject]]:
    """Put boxes where a map of ROS's map_server is occupied.

    Controllers of the type ``route`` plan on the map that was loaded last (`sim_core.map`).

    Args:
        path: The YAML file of the map.
        sim_core: The simulation.
        height: Of the boxes, which stand on the ground [m].

    Returns:
        The map, and the boxes, which do not move.

    Raises:
        FileNotFoundError: There is no such file.
        ConfigError: The map cannot be read.
        InvalidArgumentError: The height is not positive, or there would be more than 20 000 boxes.
    """
    if not 0.0 < height <= 1e3:
        raise InvalidArgumentError("map_height", height, "a height above 0, up to 1000 m")
    read = read_map(path)
    rectangles = read.rectangles()
    if len(rectangles) > _MOST_BODIES:
        allowed = f"a map of at most {_MOST_BODIES} rectangles, this one has {len(rectangles)}"
        raise InvalidArgumentError("map", os.fspath(path), allowed)
    with sim_core.batch_spawn():
        boxes = [_box(read, at, cells, height, sim_core) for at, cells in enumerate(rectangles)]
    sim_core.map = read
    return read, boxes


def _box(read: OccupancyMap, number: int, cells: Any, height: float, sim_core: Any) -> SimObject:
    row, column, last_row, last_column = cells
    x, y = read.world((row + last_row) / 2.0, (column + last_column) / 2.0)
    half = read.resolution / 2.0
    size = [half * (last_column - column), half * (last_row - row), height / 2.0]
    return SimObject.from_mesh(
        visual_shape=ShapeParams("box", half_extents=size, rgba_color=list(_COLOR)),
        collision_shape=ShapeParams("box", half_extents=size),
        pose=Pose.from_euler(x, y, height / 2.0, yaw=read.origin[2]),
        mass=0.0,
        sim_core=sim_core,
        collision_mode=CollisionMode.STATIC,
        name=f"map_{number}",
    )
