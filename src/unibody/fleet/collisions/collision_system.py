"""Which objects of a simulation collide."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, MutableSet
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.collisions import near_pairs, pair_kernels
from unibody.fleet.collisions.platforms import without_platform_contacts
from unibody.fleet.foundation.types import CollisionDetectionMethod, SpatialHashCellSizeMode

if TYPE_CHECKING:
    from unibody.fleet.bodies.physics_world import PhysicsWorld
    from unibody.fleet.bodies.tables import Tables
    from unibody.fleet.objects.sim_object import SimObject
    from unibody.fleet.parameters.simulation_params import SimulationParams

Pair = tuple[int, int]
_LEAST_CELL = 0.5  # m
_NO_KEYS = np.zeros(0, dtype=np.int64)
_HIGH = 32


class MovedSet(MutableSet[int]):
    """Objects that moved since the last check, by number: a view onto the arrays."""

    def __init__(self, system: CollisionSystem) -> None:
        self._system = system

    def _rows(self) -> NDArray[np.int64]:
        return self._system.all_rows_now()

    def __contains__(self, object_id: object) -> bool:
        obj = self._system.objects.get(object_id)  # type: ignore[call-overload]
        return obj is not None and bool(self._system.tables.bodies.data["moved"][obj._row])

    def __iter__(self) -> Iterator[int]:
        rows = self._rows()
        moved = rows[self._system.tables.bodies.data["moved"][rows] != 0]
        return iter(self._system.tables.bodies.data["user"][moved].tolist())

    def __len__(self) -> int:
        return int(np.count_nonzero(self._system.tables.bodies.data["moved"][self._rows()]))

    def add(self, value: int) -> None:
        """Take an object for moved."""
        obj = self._system.objects.get(value)
        if obj is not None:
            self._system.tables.bodies.data["moved"][obj._row] = 1

    def discard(self, value: int) -> None:
        """Take an object for not moved."""
        obj = self._system.objects.get(value)
        if obj is not None:
            self._system.tables.bodies.data["moved"][obj._row] = 0

    def clear(self) -> None:
        """Take all objects for not moved."""
        self._system.tables.bodies.data["moved"][self._rows()] = 0


class CollisionSystem:
    """Finds out which objects collide, and which of that is new.

    Attributes:
        objects: The objects by number.
        cell: Edge of a cell of the grid [m]; None before it is known.
        count: Collisions that began so far.
    """

    def __init__(self, params: SimulationParams, physics_world: PhysicsWorld) -> None:
        self.params = params
        self.physics_world = physics_world
        self.tables: Tables = physics_world.tables
        self.objects: dict[int, SimObject] = {}
        self.cell: float | None = None
        self.count: int = 0
        self.moved: MovedSet = MovedSet(self)
        self.all_rows = _NO_KEYS
        self._rows = _NO_KEYS
        self._row_of = _NO_KEYS  # by object number; -1 where there is none
        self._stale = False
        self._keys = _NO_KEYS
        self._last_ignore: bool | None = None

    def changed(self) -> None:
        """Say that objects came, went, or take part in another way."""
        self._stale = True

    def _collect(self) -> None:
        rows = (obj._row for obj in self.objects.values())
        self.all_rows: NDArray[np.int64] = np.fromiter(
            rows, dtype=np.int64, count=len(self.objects)
        )
        self._rows = self.all_rows[self.tables.bodies.data["role"][self.all_rows] != 0]
        numbers = self.tables.bodies.data["user"][self.all_rows]
        self._row_of = np.full(int(numbers.max(initial=-1)) + 1, -1, dtype=np.int64)
        self._row_of[numbers] = self.all_rows
        self._stale = False

    def all_rows_now(self) -> NDArray[np.int64]:
        """Rows of all objects."""
        if self._stale:
            self._collect()
        return self.all_rows

    @property
    def rows(self) -> NDArray[np.int64]:
        """Rows of the objects that take part."""
        if self._stale:
            self._collect()
        return self._rows

    # --- cells ---------------------------------------------------------------------------------

    def extents(self) -> NDArray[np.float64]:
        """Longest edge of each bounding box [m]."""
        rows = self.rows
        bounding_boxes.renew_bounds(self.tables, rows)
        bodies = self.tables.bodies.data
        return (
            (bodies["high"][rows] - bodies["low"][rows]).max(axis=1) if len(rows) else np.zeros(0)
        )

    def automatic_cell(self) -> float | None:
        """Twice the middle one of the extents; None without objects."""
        extents = self.extents()
        if not len(extents):
            return None
        middle = float(np.sort(extents)[len(extents) // 2])
        return max(2.0 * middle, _LEAST_CELL)

    def find_cell(self) -> float:
        """Set the cell size from the parameters, and return it."""
        if self.params.spatial_hash_cell_size_mode is SpatialHashCellSizeMode.CONSTANT:
            self.cell = self.params.spatial_hash_cell_size or 1.0
        else:
            self.cell = self.automatic_cell() or 1.0
        return self.cell

    # --- pairs ---------------------------------------------------------------------------------

    @property
    def active(self) -> set[Pair]:
        """Pairs that collide."""
        return set(pairs_of_keys(self._keys))

    @active.setter
    def active(self, pairs: Iterable[Pair]) -> None:
        keys = [(min(p) << _HIGH) | max(p) for p in pairs]
        self._keys = np.unique(np.array(keys, dtype=np.int64))

    def active_list(self) -> list[Pair]:
        """Pairs that collide, in the order of their numbers."""
        return pairs_of_keys(self._keys)

    @property
    def active_count(self) -> int:
        """How many pairs collide."""
        return len(self._keys)

    def forget(self, object_id: int) -> None:
        """Forget the pairs of an object."""
        a, b = self._keys >> _HIGH, self._keys & 0xFFFFFFFF
        self._keys = self._keys[(a != object_id) & (b != object_id)]

    def reset(self) -> None:
        """Forget all pairs."""
        self._keys = _NO_KEYS
        self._last_ignore = None

    def candidates(self, ignore_static: bool, timings: dict[str, float]) -> NDArray[np.int64]:
        """Pairs whose bounding boxes are closer than the margin, and of which one moved.

        Returns:
            (n, 2), indices into `rows`.
        """
        rows = self.rows
        bodies = self.tables.bodies.data
        if self._last_ignore is not None and self._last_ignore != ignore_static:
            bodies["moved"][rows] = 1
            self._keys = _NO_KEYS
        self._last_ignore = ignore_static
        begin = time.perf_counter()
        bounding_boxes.renew_bounds(self.tables, rows)
        timings["get_aabbs"] = (time.perf_counter() - begin) * 1000
        begin = time.perf_counter()
        cell = self.find_cell() if self.cell is None else self.cell
        timings["spatial_hashing"] = (time.perf_counter() - begin) * 1000
        begin = time.perf_counter()
        if not pair_kernels.any_moved(rows, bodies):
            found = np.zeros((0, 2), dtype=np.int64)
        else:
            found = near_pairs.find_pairs(self.tables, rows, cell, self._margin(), ignore_static)
        timings["aabb_filtering"] = (time.perf_counter() - begin) * 1000
        return found

    def _margin(self) -> float:
        contacts = CollisionDetectionMethod.CONTACT_POINTS
        only_contacts = self.params.collision_detection_method is contacts
        return 0.0 if only_contacts else max(0.0, self.params.collision_margin)

    def check(
        self, ignore_static: bool, timings: dict[str, float]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Check all objects that moved; keys of pairs whose collision began, and whose ended."""
        pairs = self.candidates(ignore_static, timings)
        begin = time.perf_counter()
        rows = self.rows
        bodies = self.tables.bodies.data
        found = _NO_KEYS
        if len(pairs):
            hits = pairs[self._hits(pairs, rows)]
            hits = without_platform_contacts(self.tables, hits, rows, self._margin(), self.objects)
            found = pair_kernels.keys_of(hits, rows, bodies)
        kept = self._keys
        if len(kept):
            kept = pair_kernels.at_rest(kept, self._row_of, bodies)
        pair_kernels.all_seen(self.all_rows, bodies)
        timings["contact_points"] = (time.perf_counter() - begin) * 1000
        if not len(found) and len(kept) == len(self._keys):
            return _NO_KEYS, _NO_KEYS
        now, started, ended = pair_kernels.changes(self._keys, kept, found)
        self._keys = now
        self.count += len(started)
        return started, ended

    def _hits(self, pairs: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        method = self.params.collision_detection_method
        if method is CollisionDetectionMethod.CLOSEST_POINTS or not self.params.physics:
            return near_pairs.closer_than(self.tables, pairs, rows, self._margin())
        bodies = self.tables.bodies.data
        touching = self.physics_world.contact_pairs()
        numbers = np.sort(bodies["body"][rows[pairs]], axis=1).tolist()
        contact = np.array([(a, b) in touching for a, b in numbers], dtype=bool)
        if method is CollisionDetectionMethod.CONTACT_POINTS:
            return contact
        simulated = bodies["simulated"][rows[pairs]].any(axis=1)
        near = near_pairs.closer_than(self.tables, pairs, rows, self._margin())
        return np.where(simulated, contact, near)

    def ids(self, pairs: NDArray[np.int64]) -> list[Pair]:
        """Pairs of indices into `rows` as pairs of object numbers, the smaller first."""
        return pairs_of_keys(pair_kernels.keys_of(pairs, self.rows, self.tables.bodies.data))

    def boxes(self, ids: Iterable[int]) -> list[Any]:
        """Bounding boxes of objects by number: lower and upper corner [m]."""
        return [self.objects[number].get_aabb() for number in ids]


def pairs_of_keys(keys: NDArray[np.int64]) -> list[Pair]:
    """Pairs of object numbers, the smaller first; see `pair_kernels` for the keys."""
    return list(zip((keys >> _HIGH).tolist(), (keys & 0xFFFFFFFF).tolist(), strict=True))
