"""The sets and dictionaries the original keeps, as views onto the arrays.

Scripts that look at who is simulated, static or near whom find them here under the names they know.
They are made anew each time: changing one changes nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from unibody.fleet.foundation.types import CollisionMode

Cell = tuple[int, int, int]


class CellsOfObjects(Mapping[int, list[Cell]]):
    """The cells of the grid each object belongs to, by its number; worked out when asked for.

    An object that is larger than a cell times the parameter `multi_cell_threshold` belongs to all
    cells it touches, another one to the cell of its middle.

    Args:
        core: The simulation.
    """

    def __init__(self, core: Any) -> None:
        self._core = core

    def _has(self, number: object) -> bool:
        obj = self._core._sim_objects_dict.get(number)  # type: ignore[call-overload]
        return obj is not None and obj.collision_mode is not CollisionMode.DISABLED

    def __getitem__(self, key: int) -> list[Cell]:
        size = self._core._collisions.cell
        if size is None or not self._has(key):
            raise KeyError(key)
        low, high = self._core._sim_objects_dict[key].get_aabb()
        if max(np.subtract(high, low)) > size * self._core._params.multi_cell_threshold:
            ends = zip(low, high, strict=True)
            axes = [range(math.floor(a / size), math.floor(b / size) + 1) for a, b in ends]
            return list(itertools.product(*axes))  # type: ignore[arg-type]
        x, y, z = (math.floor(0.5 * (a + b) / size) for a, b in zip(low, high, strict=True))
        return [(x, y, z)]

    def __iter__(self) -> Iterator[int]:
        if self._core._collisions.cell is None:
            return iter(())
        return (number for number in self._core._sim_objects_dict if self._has(number))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _numbers(core: Any, *modes: CollisionMode) -> set[int]:
    objects = core._sim_objects_dict.items()
    return {number for number, obj in objects if obj.collision_mode in modes}


def kinematic_objects(core: Any) -> set[int]:
    """Numbers of objects that only move when they are moved."""
    objects = core._sim_objects_dict.items()
    return {n for n, obj in objects if not obj.is_static and not obj.mass > 0}


def physics_objects(core: Any) -> set[int]:
    """Numbers of objects with mass."""
    objects = core._sim_objects_dict.items()
    return {n for n, obj in objects if not obj.is_static and obj.mass > 0}


def static_collision_objects(core: Any) -> set[int]:
    """Numbers of objects that never move."""
    return _numbers(core, CollisionMode.STATIC)


def disabled_collision_objects(core: Any) -> set[int]:
    """Numbers of objects that collide with nothing."""
    return _numbers(core, CollisionMode.DISABLED)


def dynamic_collision_objects(core: Any) -> set[int]:
    """Numbers of objects that move and collide."""
    return _numbers(core, CollisionMode.NORMAL_2D, CollisionMode.NORMAL_3D)


def collision_modes(core: Any) -> dict[int, CollisionMode]:
    """How each object takes part in collision checks."""
    return {n: obj.collision_mode for n, obj in core._sim_objects_dict.items()}


def aabbs(core: Any) -> dict[int, Any]:
    """Bounding boxes of the objects that collide."""
    objects = core._sim_objects_dict.items()
    return {
        n: obj.get_aabb() for n, obj in objects if obj.collision_mode is not CollisionMode.DISABLED
    }


def spatial_grid(core: Any) -> dict[Cell, set[int]]:
    """Numbers of the objects of each cell."""
    grid: dict[Cell, set[int]] = {}
    for number, cells in CellsOfObjects(core).items():
        for cell in cells:
            grid.setdefault(cell, set()).add(number)
    return grid


def pending_pose_ids(core: Any) -> set[int]:
    """Numbers of objects that moved in the step that is being done."""
    if not core._in_step:
        return set()
    rows = core._collisions.all_rows_now()
    bodies = core._tables.bodies.data
    return set(bodies["user"][rows[bodies["stale"][rows] != 0]].tolist())
