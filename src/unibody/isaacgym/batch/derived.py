"""Jacobians and mass matrices of actors of one name."""

from __future__ import annotations

from typing import Any

from unibody.core.batch.batch import Batch
from unibody.core.batch.dynamics import Part, jacobian_rows, matrix_columns
from unibody.errors import InvalidArgumentError


class _Entry:
    """A tensor, and where its rows come from."""

    def __init__(self, actors: list[Any], parts: list[Part], array: Any, groups: Any) -> None:
        self.actors = actors
        self.parts = parts
        self.array = array
        self.groups = groups


class Derived:
    """The Jacobians and mass matrices that were acquired."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._jacobians: dict[str, _Entry] = {}
        self._masses: dict[str, _Entry] = {}

    def jacobian(self, name: str) -> Any:
        """The tensor of the actors of a name, (actors, bodies, 6, dofs + 6)."""
        if name not in self._jacobians:
            actors = self._find(name)
            kind, fixed = actors[0].kind, actors[0].fixed
            rows = jacobian_rows(kind, fixed=fixed)
            self._jacobians[name] = self._entry(
                actors, (rows, 6, matrix_columns(kind, fixed=fixed))
            )
            self.refresh_jacobians()
        return self._jacobians[name].array

    def mass_matrix(self, name: str) -> Any:
        """The tensor of the actors of a name, (actors, dofs + 6, dofs + 6)."""
        if name not in self._masses:
            actors = self._find(name)
            columns = matrix_columns(actors[0].kind, fixed=actors[0].fixed)
            self._masses[name] = self._entry(actors, (columns, columns))
            self.refresh_mass_matrices()
        return self._masses[name].array

    def _find(self, name: str) -> list[Any]:
        everyone = self._batch.actors
        actors = [actor for actor in everyone if actor.name == name]
        if not actors:
            names = sorted({actor.name for actor in everyone})
            raise InvalidArgumentError("actor name", name, f"one of {names}")
        return actors

    def _entry(self, actors: list[Any], shape: tuple[int, ...]) -> _Entry:
        parts = self._batch.matrix_parts(actors)
        array = self._batch.buffers.zeros((len(actors), *shape))
        return _Entry(actors, parts, array, self._batch.groups)

    def refresh_jacobians(self) -> None:
        """Bring the Jacobians up to the state."""
        self._batch.kinematics()
        for entry in self._jacobians.values():
            for part in self._parts(entry):
                part.read_jacobians(entry.array)

    def refresh_mass_matrices(self) -> None:
        """Bring the mass matrices up to the state."""
        self._batch.kinematics()
        for entry in self._masses.values():
            for part in self._parts(entry):
                part.read_mass_matrices(entry.array)

    def _parts(self, entry: _Entry) -> list[Part]:
        """Where the rows of a tensor come from; looked up anew when the worlds were built anew."""
        if entry.groups is not self._batch.groups:
            entry.groups = self._batch.groups
            entry.parts = self._batch.matrix_parts(entry.actors)
        return entry.parts
