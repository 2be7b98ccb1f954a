"""Jacobians and mass matrices of actors, in the coordinates of a batch.

The engine's free base has the velocity of its frame's origin in the world's axes and the angular
velocity in its own axes; here it has the velocity of the mass centre and both in the world's.
"""

from __future__ import annotations

import abc
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.rotations import rotations
from unibody.core.batch.exchange import Exchange
from unibody.core.batch.kind import Kind

Ints = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]
BASE = 6  # columns of a base that moves


def matrix_columns(kind: Kind, *, fixed: bool) -> int:
    """Columns of the Jacobians of an actor of a kind."""
    return len(kind.dofs) + (0 if fixed else BASE)


def jacobian_rows(kind: Kind, *, fixed: bool) -> int:
    """Bodies in the Jacobians of an actor of a kind: a base that is held has no row."""
    return len(kind.body_links) - int(fixed)


class Part(abc.ABC):
    """Rows of an array that are worlds of one group, for one actor of its environments.

    Attributes:
        exchange: Of the group.
        local: Number of the actor in its environment.
        rows: Of the array.
        worlds: The world of each row.
        links, columns: Of the engine's matrices, in the order of the batch.
        base: Columns of the base: 6, or 0.
    """

    def __init__(self, exchange: Exchange, actor: Any, rows: Ints, worlds: Ints) -> None:
        self.exchange: Exchange = exchange
        self.rows: Ints = rows
        self.worlds: Ints = worlds
        self.local: int = actor.handle
        kind = actor.kind
        self.base = 0 if actor.fixed else BASE
        self.links: list[Any] = list(kind.body_links[1:] if actor.fixed else kind.body_links)
        first = exchange.record(self.local).dof
        qvel = exchange.places.actors[self.local].qvel
        self.columns: list[int] = [*range(self.base), *(int(place) - first for place in qvel)]

    @abc.abstractmethod
    def read_jacobians(self, out: Any) -> None:
        """Write Jacobians (rows, bodies, 6, columns), as of the last ``kinematics``."""

    @abc.abstractmethod
    def read_mass_matrices(self, out: Any) -> None:
        """Write mass matrices (rows, columns, columns), as of the last ``kinematics``."""


class CpuPart(Part):
    """See ``Part``; arrays are NumPy's."""

    def read_jacobians(self, out: Any) -> None:  # noqa: D102
        found = self.exchange.worlds.jacobians(self.exchange.record(self.local))
        turned = to_base_columns(found, self.base, *self._root_frames())
        out[self.rows] = turned[:, self.links][..., self.columns][self.worlds]

    def read_mass_matrices(self, out: Any) -> None:  # noqa: D102
        found = self.exchange.worlds.mass_matrices(self.exchange.record(self.local))
        if self.base:
            frames = self._root_frames()
            found = to_base_columns(found, self.base, *frames)
            found = to_base_columns(found.swapaxes(-1, -2), self.base, *frames)
        rows, columns = np.ix_(self.columns, self.columns)
        out[self.rows] = found[self.worlds[:, None, None], rows, columns]

    def _root_frames(self) -> tuple[F64, F64]:
        """Rotation of the actor's first body, and its mass centre's place from it.

        (worlds, 3, 3), and in the world's axes (worlds, 3).
        """
        body = self.exchange.record(self.local).body
        w = self.exchange.worlds
        return rotations(w.xquat[:, body]), w.xipos[:, body] - w.xpos[:, body]


def to_base_columns(matrix: Any, base: int, turn: Any, arm: Any) -> Any:
    """Columns of the base, for the base's velocity instead of the engine's coordinates.

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
