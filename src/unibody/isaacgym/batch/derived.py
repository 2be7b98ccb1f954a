"""Jacobians and mass matrices of actors of one name, in the API's coordinates.

The engine's free base has the velocity of its frame's origin in the world's axes and the angular
velocity in its own axes; the API's has the velocity of the mass centre and both in the world's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError, NotSupportedError

if TYPE_CHECKING:
    from unibody.isaacgym.batch.actor import Actor
    from unibody.isaacgym.batch.group import Group
    from unibody.isaacgym.batch.simulation import Simulation

Ints = npt.NDArray[np.int64]
_BASE = 6


class Part:
    """Rows of a tensor that are worlds of one group, for one actor of its environments.

    Attributes:
        group: Of the worlds.
        local: Number of the actor in its environment.
        rows: Of the tensor.
        worlds: The world of each row.
        links, columns: Of the engine's matrices, in the API's order.
        base: Columns of the base: 6, or 0.
        tables: The same numbers on a Warp device, once they are needed there.
    """

    def __init__(self, group: Group, local: int, rows: Ints, worlds: Ints) -> None:
        self.group, self.local, self.rows, self.worlds = group, local, rows, worlds
        self.links, self.columns, self.base = _selection(group, local)
        self.tables: Any = None


class _Entry:
    """A tensor, and where its rows come from."""

    def __init__(self, actors: list[Actor], array: Any) -> None:
        self.actors = actors
        self.array = array
        self.parts: list[Part] | None = None
        self.groups: list[Group] | None = None


class Derived:
    """The Jacobians and mass matrices that were acquired."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._jacobians: dict[str, _Entry] = {}
        self._masses: dict[str, _Entry] = {}

    def jacobian(self, name: str) -> Any:
        """The tensor of the actors of a name, (actors, bodies, 6, dofs + 6)."""
        if name not in self._jacobians:
            actors, columns = self._find(name)
            rows = len(actors[0].model.body_links) - int(actors[0].fixed)
            shape = (len(actors), rows, 6, columns)
            self._jacobians[name] = _Entry(actors, self._sim.buffers.zeros(shape))
            self.refresh_jacobians()
        return self._jacobians[name].array

    def mass_matrix(self, name: str) -> Any:
        """The tensor of the actors of a name, (actors, dofs + 6, dofs + 6)."""
        if name not in self._masses:
            actors, columns = self._find(name)
            shape = (len(actors), columns, columns)
            self._masses[name] = _Entry(actors, self._sim.buffers.zeros(shape))
            self.refresh_mass_matrices()
        return self._masses[name].array

    def _find(self, name: str) -> tuple[list[Actor], int]:
        everyone = self._sim.actors
        actors = [actor for actor in everyone if actor.name == name]
        if not actors:
            names = sorted({actor.name for actor in everyone})
            raise InvalidArgumentError("actor name", name, f"one of {names}")
        if len({(a.model, len(a.model.dofs)) for a in actors}) > 1:
            raise NotSupportedError(
                f"a tensor of actors {name!r} of different assets", "names that tell them apart"
            )
        return actors, len(actors[0].model.dofs) + (0 if actors[0].fixed else _BASE)

    def refresh_jacobians(self) -> None:
        """Bring the Jacobians up to the state."""
        self._sim.kinematics()
        for entry in self._jacobians.values():
            for part in self._parts(entry):
                part.group.exchange.read_jacobians(part, entry.array)

    def refresh_mass_matrices(self) -> None:
        """Bring the mass matrices up to the state."""
        self._sim.kinematics()
        for entry in self._masses.values():
            for part in self._parts(entry):
                part.group.exchange.read_mass_matrices(part, entry.array)

    def _parts(self, entry: _Entry) -> list[Part]:
        """Where the rows of a tensor come from; looked up anew when the worlds were built anew."""
        if entry.parts is None or entry.groups is not self._sim.groups:
            numbers = np.array([actor.index for actor in entry.actors], np.int64)
            places = self._sim.actor_places[numbers]
            kinds = np.unique(places[:, (0, 2)], axis=0)
            entry.groups, entry.parts = self._sim.groups, []
            for group, local in kinds.tolist():
                rows = np.flatnonzero((places[:, 0] == group) & (places[:, 2] == local))
                worlds = places[rows, 1].astype(np.int64)
                entry.parts.append(Part(self._sim.groups[group], local, rows, worlds))
        return entry.parts


def _selection(group: Group, local: int) -> tuple[list[int], list[int], int]:
    """Links, and columns of the engine's matrices, in the API's order; columns of the base."""
    actor = group.envs[0].actors[local]
    record = group.record(local)
    base = 0 if actor.fixed else _BASE
    first = record.dof
    links = actor.model.body_links[1:] if actor.fixed else actor.model.body_links
    qvel = group.places.actors[local].qvel
    return list(links), [*range(base), *(int(place) - first for place in qvel)], base


def to_api_columns(matrix: Any, base: int, turn: Any, arm: Any) -> Any:
    """Columns of the base for the API's base velocity instead of the engine's.

    With v = v_com - w x r and w_body = R' w: columns of v_com are those of v, columns of w are
    J_w R' + J_v [r]x.

    Args:
        matrix: (worlds, ..., columns).
        base: Columns of the base: 6, or 0.
        turn: R, (worlds, 3, 3).
        arm: r, (worlds, 3) [m].
    """
    if not base:
        return matrix
    cross = cross_matrices(arm)
    while cross.ndim < matrix.ndim:
        turn, cross = turn[:, None], cross[:, None]
    own = matrix + 0.0  # a copy, whatever holds it
    own[..., 3:6] = matrix[..., 3:6] @ turn.swapaxes(-1, -2) + matrix[..., :3] @ cross
    return own


def cross_matrices(vectors: Any) -> Any:
    """Matrices [r]x (n, 3, 3) with [r]x w = r x w, of vectors (n, 3)."""
    zero = np.zeros(len(vectors))
    x, y, z = vectors[:, 0], vectors[:, 1], vectors[:, 2]
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
