"""Small geometry: velocities between frames, grids, poses in front of a target."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError
from unibody.fleet.spatial.geometry import Pose, rotate_vector

if TYPE_CHECKING:
    from unibody.fleet.bodies.templates import BodyTemplate

logger: logging.Logger = logging.getLogger("pybullet_fleet.tools")
_SAME_PLACE = 1e-6  # m


def body_to_world_velocity_2d(vx_body: float, vy_body: float, yaw: float) -> tuple[float, float]:
    """A planar velocity of the body's frame in the world's."""
    if not math.isfinite(yaw):
        raise InvalidArgumentError("yaw", yaw, "a finite angle [rad]")
    c, s = math.cos(yaw), math.sin(yaw)
    return vx_body * c - vy_body * s, vx_body * s + vy_body * c


def body_to_world_velocity_3d(
    vx_body: float, vy_body: float, vz_body: float, orientation: Sequence[float]
) -> tuple[float, float, float]:
    """A velocity of the body's frame in the world's."""
    return rotate_vector((vx_body, vy_body, vz_body), orientation)


def normalize_vector_param(
    value: float | Sequence[float], param_name: str, dim: int = 3
) -> NDArray[np.float64]:
    """One number for all axes, or one each, as one each.

    Raises:
        ValueError: Another number of them.
    """
    if isinstance(value, (int, float)):
        return np.full(dim, float(value))
    axes = np.array(value, dtype=float)
    if axes.ndim == 0:
        return np.full(dim, float(axes))
    if len(axes) != dim:
        raise ValueError(f"{param_name} must be a float or a list of {dim} floats")
    return axes


def resolve_link(template: BodyTemplate, body_id: int, link: int | str) -> int:
    """Number of a link by name; -1, the base, with a warning if there is none."""
    if not isinstance(link, str):
        return int(link)
    if link.lower() == "base_link":
        return -1
    found = template.link_index(link)
    if found is None:
        logger.warning(f"Link '{link}' not found on body {body_id}, using base link (-1)")
        return -1
    return found


def resolve_joint(template: BodyTemplate, body_id: int, joint: int | str) -> int:
    """Number of a joint by name; -1 with a warning if there is none."""
    if not isinstance(joint, str):
        return int(joint)
    found = template.joint_index(joint)
    if found is None:
        logger.warning(f"Joint '{joint}' not found on body {body_id}, returning -1")
        return -1
    return found


def resolve_link_index(body_id: int, link: int | str, physics_client: int = 0) -> int:
    """Number of a link of a body by name; see `resolve_link`."""
    from unibody.fleet.bodies.physics_world import physics_world_of

    if not isinstance(link, str):
        return int(link)
    return resolve_link(physics_world_of(physics_client).template(body_id), body_id, link)


def resolve_joint_index(body_id: int, joint: int | str, physics_client: int = 0) -> int:
    """Number of a joint of a body by name; see `resolve_joint`."""
    from unibody.fleet.bodies.physics_world import physics_world_of

    if not isinstance(joint, str):
        return int(joint)
    return resolve_joint(physics_world_of(physics_client).template(body_id), body_id, joint)


def calculate_offset_pose(
    target_position: Sequence[float],
    current_position: Sequence[float],
    offset: float,
    keep_height: bool = True,
) -> Pose:
    """A pose a distance in front of a target, seen from where one is, facing it.

    Args:
        target_position: The target [m].
        current_position: Where one is [m].
        offset: How far in front, in the plane [m].
        keep_height: Stay at one's own height, else take the target's.
    """
    for name, given in (
        ("target_position", target_position), ("current_position", current_position),
    ):  # fmt: skip
        if len(given) != 3:
            raise InvalidArgumentError(name, given, "three numbers [m]")
    tx, ty, tz = (float(value) for value in target_position)
    cx, cy, cz = (float(value) for value in current_position)
    distance = math.hypot(tx - cx, ty - cy)
    ux = uy = yaw = 0.0
    if distance > _SAME_PLACE:
        ux, uy = (tx - cx) / distance, (ty - cy) / distance
        yaw = math.atan2(uy, ux)
    else:
        logger.warning(
            "calculate_offset_pose: current and target positions are same in XY plane "
            f"(distance={distance:.6f}). Direction is undefined. Defaulting to yaw=0 and ignoring "
            f"offset={offset}."
        )
    return Pose.from_yaw(tx - ux * offset, ty - uy * offset, cz if keep_height else tz, yaw)


def _three(values: Sequence[float] | None, fill: float) -> list[float]:
    given = [] if values is None else list(values)
    return [given[i] if i < len(given) else fill for i in range(3)]


def world_to_grid(
    pos: Sequence[float], spacing: Sequence[float], offset: Sequence[float] | None = None
) -> list[int]:
    """The cell of a grid nearest to a position.

    Raises:
        InvalidArgumentError: There is none: of no width, or out of reach of numbers.
    """
    parts = zip(_three(pos, 0.0), _three(spacing, 1.0), _three(offset, 0.0), strict=True)
    cells = [(p - o) / s if s else math.nan for p, s, o in parts]
    if not all(map(math.isfinite, cells)):
        given = (pos, spacing, offset)
        raise InvalidArgumentError("pos, spacing, offset", given, "finite numbers, no spacing of 0")
    return [round(cell) for cell in cells]


def grid_to_world(
    grid: Sequence[int], spacing: Sequence[float], offset: Sequence[float] | None = None
) -> list[float]:
    """The position of a cell of a grid [m]."""
    parts = zip(_three(grid, 0), _three(spacing, 1.0), _three(offset, 0.0), strict=True)
    return [i * s + o for i, s, o in parts]


def places_of_cells(
    cells: Sequence[Sequence[int]], spacing: Sequence[float], offset: Sequence[float]
) -> NDArray[np.float64]:
    """`grid_to_world` of many cells of three numbers each, (n, 3) [m]."""
    return np.array(cells, dtype=np.float64) * _three(spacing, 1.0) + _three(offset, 0.0)


def world_to_grid_2d(pos: Sequence[float], spacing: Sequence[float]) -> list[int]:
    """`world_to_grid` in the plane."""
    return world_to_grid(pos[:2], spacing[:2])


def grid_to_world_2d(grid: Sequence[int], spacing: Sequence[float]) -> list[float]:
    """`grid_to_world` in the plane."""
    return grid_to_world(grid[:2], spacing[:2])


def grid_execution(
    grid_num: Sequence[int] | None = None,
    spacing: Sequence[float] | None = None,
    offset: Sequence[float] | None = None,
    func: Callable[..., Any] | None = None,
    args: dict[str, Any] | None = None,
) -> None:
    """Call a function for every cell of a grid, z fastest.

    Args:
        grid_num: Number of cells along x, y, z.
        spacing: Between them [m].
        offset: Of the first [m].
        func: Called with the cell, its position, and ``args``.
        args: More arguments by name.

    Raises:
        ValueError: There is no function.
    """
    if func is None:
        raise ValueError("Please specify func (callback function)")
    numbers = (1, 1, 1) if grid_num is None else tuple(grid_num)
    if len(numbers) != 3:
        raise InvalidArgumentError("grid_num", grid_num, "three numbers of cells")
    nx, ny, nz = numbers
    for cell in np.ndindex(nx, ny, nz):
        index = list(cell)
        func(index, grid_to_world(index, spacing or (1.0, 1.0, 1.0), offset), **(args or {}))


def find_nearest(
    objects: Iterable[Any],
    position: Sequence[float],
    search_radius: float,
    predicate: Callable[[Any], bool] | None = None,
    exclude: Any | None = None,
    use_2d: bool = False,
) -> Any | None:
    """The object nearest to a position, closer than a radius.

    Args:
        objects: To choose from.
        position: In the world [m].
        search_radius: Objects at this distance or farther do not count [m].
        predicate: Whether an object counts.
        exclude: One that does not.
        use_2d: Leave heights aside.
    """
    axes = 2 if use_2d else 3
    here = [float(value) for value in position][:axes]
    nearest, best = None, search_radius
    for candidate in objects:
        if candidate is exclude or (predicate is not None and not predicate(candidate)):
            continue
        if not hasattr(candidate, "get_pose"):
            raise InvalidArgumentError("objects", candidate, "objects that have a pose")
        distance = math.dist(here, [float(v) for v in candidate.get_pose().position][:axes])
        if distance < best:
            nearest, best = candidate, distance
    return nearest


def can_be_picked(candidate: Any) -> bool:
    """Whether an object may be picked up, and nobody carries it.

    Raises:
        InvalidArgumentError: It is no object of a simulation.
    """
    if not hasattr(candidate, "pickable"):
        raise InvalidArgumentError("candidate", candidate, "an object of a simulation")
    return bool(candidate.pickable) and not candidate.is_attached()
