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

from unibody.fleet.collisions.collision_system import MovedSet, Pair
from unibody.fleet.foundation.types import CollisionMode
from unibody.fleet.simulation.monitored import WatchedCore

Cell = tuple[int, int, int]


class CellsOfObjects(Mapping[int, list[Cell]]):
    """The cells of the grid each object belongs to, by its number; worked out when asked for.

    An object that is larger than a cell times the parameter `multi_cell_threshold` belongs to all
    cells it touches, another one to the cell of its middle.

    Args:
        core: The simulation.
    """

    def __init__(self, core: ViewedCore) -> None:
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


class ViewedCore(WatchedCore):
    """A simulation whose arrays can be seen as sets and dictionaries."""

    def _numbers(self, *modes: CollisionMode) -> set[int]:
        objects = self._sim_objects_dict.items()
        return {number for number, obj in objects if obj.collision_mode in modes}

    @property
    def _kinematic_objects(self) -> set[int]:
        objects = self._sim_objects_dict.items()
        return {n for n, obj in objects if not obj.is_static and not obj.mass > 0}

    @property
    def _physics_objects(self) -> set[int]:
        objects = self._sim_objects_dict.items()
        return {n for n, obj in objects if not obj.is_static and obj.mass > 0}

    @property
    def _static_collision_objects(self) -> set[int]:
        return self._numbers(CollisionMode.STATIC)

    @property
    def _disabled_collision_objects(self) -> set[int]:
        return self._numbers(CollisionMode.DISABLED)

    @property
    def _dynamic_collision_objects(self) -> set[int]:
        return self._numbers(CollisionMode.NORMAL_2D, CollisionMode.NORMAL_3D)

    @property
    def _cached_collision_modes(self) -> dict[int, CollisionMode]:
        return {n: obj.collision_mode for n, obj in self._sim_objects_dict.items()}

    @property
    def _cached_aabbs_dict(self) -> dict[int, Any]:
        objects = self._sim_objects_dict.items()
        return {
            n: obj.get_aabb()
            for n, obj in objects
            if obj.collision_mode is not CollisionMode.DISABLED
        }

    @property
    def _cached_cell_size(self) -> float | None:
        return self._collisions.cell

    @property
    def _cached_object_to_cell(self) -> Mapping[int, list[Cell]]:
        return CellsOfObjects(self)

    @property
    def _cached_spatial_grid(self) -> dict[Cell, set[int]]:
        grid: dict[Cell, set[int]] = {}
        for number, cells in self._cached_object_to_cell.items():
            for cell in cells:
                grid.setdefault(cell, set()).add(number)
        return grid

    @property
    def _pending_pose_ids(self) -> set[int]:
        if not self._in_step:
            return set()
        rows = self._collisions.all_rows_now()
        bodies = self._tables.bodies.data
        return set(bodies["user"][rows[bodies["stale"][rows] != 0]].tolist())

    @property
    def _moved_this_step(self) -> MovedSet:
        return self._collisions.moved

    @_moved_this_step.setter
    def _moved_this_step(self, numbers: set[int]) -> None:
        wanted = set(numbers)
        self._collisions.moved.clear()
        for number in wanted:
            self._collisions.moved.add(number)

    @property
    def _active_collision_pairs(self) -> set[Pair]:
        return self._collisions.active

    @_active_collision_pairs.setter
    def _active_collision_pairs(self, pairs: set[Pair]) -> None:
        self._collisions.active = pairs

    @property
    def _collision_count(self) -> int:
        return self._collisions.count

    @_collision_count.setter
    def _collision_count(self, count: int) -> None:
        self._collisions.count = count
