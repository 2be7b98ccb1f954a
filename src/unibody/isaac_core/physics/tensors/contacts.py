"""The view of contacts: what touches bodies, all together or pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unibody.core.batch.pair_contacts import PairContacts, pair_contacts
from unibody.core.batch.selection import Selection
from unibody.errors import InvalidArgumentError
from unibody.isaac_core.physics.tensors.base import Array, Shared, View


class RigidContactView(View):
    """Bodies that feel contacts (sensors), and what they may touch (filters).

    Forces of pairs are those along the normals; the whole force on a body is with friction. All
    are those of the last step.

    Args:
        shared: Of the simulation view.
        sensors: Paths of bodies, or of prims at or above a fixed collider.
        filters: Paths of bodies or of fixed colliders, for each sensor as many.
        max_contact_data_count: Most contacts that are given one by one.
    """

    def __init__(
        self,
        shared: Shared,
        sensors: Sequence[str],
        filters: Sequence[Sequence[str]],
        max_contact_data_count: int,
    ) -> None:
        super().__init__(shared, sensors)
        self.filter_paths: list[list[str]] = [list(paths) for paths in filters]
        self.filter_count: int = len(filters[0]) if filters else 0
        self.max_contact_data_count: int = int(max_contact_data_count)
        owners = [self._scene.body_of(path) for path in sensors]
        known = [owner for owner in owners if owner is not None]
        self._moving = np.array([owner is not None for owner in owners], bool)
        self._numbers = np.array([self._number(path) for path in sensors], np.int64)
        self._bodies = Selection(
            self._batch,
            "body",
            [body.actor for body, _ in known],
            np.array([number for _, number in known], np.int64),
            self.sensor_names,
        )
        self._others = np.array(
            [[self._scene.contact_number(path) for path in paths] for paths in filters], np.int64
        ).reshape(len(self._paths), -1)

    def _number(self, path: str) -> int:
        found = self._scene.body_of(path)
        own = path if found is not None else self._scene.fixed_collider(path)
        return self._scene.contact_number(path if own is None else own)

    @property
    def sensor_count(self) -> int:
        """Number of sensors."""
        return self.count

    @property
    def sensor_paths(self) -> list[str]:
        """Paths of the sensors."""
        return self.prim_paths

    @property
    def sensor_names(self) -> list[str]:
        """Names of the sensors' prims."""
        return [path.rsplit("/", 1)[-1] for path in self._paths]

    @property
    def filter_names(self) -> list[list[str]]:
        """Names of the filters' prims."""
        return [[path.rsplit("/", 1)[-1] for path in paths] for paths in self.filter_paths]

    # --- forces --------------------------------------------------------------------------------

    def _ratio(self, dt: float) -> float:
        """Impulse of a force in a step, over ``dt``."""
        if not dt > 0.0:
            raise InvalidArgumentError("dt", dt, "a positive time in seconds")
        return self._scene.dt / float(dt)

    def get_net_contact_forces(self, dt: float) -> Any:
        """Impulses of contacts in the last step over a time [s], (sensors, 3)."""
        found = np.zeros((self.count, 3))
        if self._moving.any():
            found[self._moving] = self._read(self._bodies, "contact_forces")
        if not self._moving.all() and self._scene.steps:
            self._usable()
            fixed = np.flatnonzero(~self._moving)
            bodies = np.arange(len(self._batch.index.body_places))
            others = np.tile(bodies, (len(fixed), 1))
            pairs = pair_contacts(self._batch, self._numbers[fixed], others)
            pushes = pairs.normals * pairs.forces[:, None] + pairs.frictions
            np.add.at(found, fixed[pairs.bodies], pushes)
        return self._give(found * self._ratio(dt))

    def _pairs(self) -> PairContacts:
        self._usable()
        if not self.filter_count:
            raise InvalidArgumentError("filter_patterns", [], "filters, for contacts of pairs")
        if not self._scene.steps:  # nothing has touched anything
            return pair_contacts(self._batch, np.zeros(0, np.int64), self._others[:0])
        return pair_contacts(self._batch, self._numbers, self._others)

    def get_contact_force_matrix(self, dt: float) -> Any:
        """Impulses along the normals over a time [s], (sensors, filters, 3)."""
        pairs, ratio = self._pairs(), self._ratio(dt)
        found = np.zeros((self.count, self.filter_count, 3))
        pushes = pairs.normals * pairs.forces[:, None] * ratio
        np.add.at(found, (pairs.bodies, pairs.others), pushes)
        return self._give(found)

    def get_contact_data(self, dt: float) -> tuple[Any, ...]:
        """Contacts one by one.

        Returns:
            Forces (most, 1), points and normals (most, 3), distances (most, 1), and number of
            contacts and place of the first for each pair, (sensors, filters), uint32.
        """
        if not self.max_contact_data_count:
            raise InvalidArgumentError("max_contact_data_count", 0, "a positive number, for data")
        pairs, ratio = self._pairs(), self._ratio(dt)
        values = (pairs.forces[:, None] * ratio, self._points(pairs), pairs.normals)
        return self._one_by_one(pairs, (*values, pairs.distances[:, None]))

    def _points(self, pairs: PairContacts) -> Array:
        return pairs.points - self._origins[pairs.bodies]

    def _one_by_one(self, pairs: PairContacts, values: tuple[Array, ...]) -> tuple[Any, ...]:
        """Values of contacts, and how many each pair has and where they begin."""
        most = self.max_contact_data_count
        count = min(most, len(pairs.forces))
        columns: list[Array] = [np.zeros((most, own.shape[1])) for own in values]
        for column, own in zip(columns, values, strict=True):
            column[:count] = own[:count]
        counts = np.zeros((self.count, self.filter_count), np.uint32)
        np.add.at(counts, (pairs.bodies[:count], pairs.others[:count]), 1)
        ends = np.cumsum(counts.reshape(-1)).reshape(counts.shape)
        given = [self._give(column) for column in columns]
        return (*given, self._give(counts, np.uint32), self._give(ends - counts, np.uint32))

    def get_friction_data(self, dt: float) -> tuple[Any, ...]:
        """Friction contact by contact.

        Returns:
            Impulses of friction over a time [s] (most, 3), points (most, 3), and number of
            contacts and place of the first for each pair, (sensors, filters), uint32.
        """
        if not self.max_contact_data_count:
            raise InvalidArgumentError("max_contact_data_count", 0, "a positive number, for data")
        pairs, ratio = self._pairs(), self._ratio(dt)
        return self._one_by_one(pairs, (pairs.frictions * ratio, self._points(pairs)))
