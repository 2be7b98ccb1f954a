"""Rounds of corrections, as a solver holds them: who is asked by which element, and threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.deform.vbd.lanes import WIDTH
from unibody.core.deform.vbd.sweep import Share, alone
from unibody.core.deform.vbd.threads import fresh_counters, together
from unibody.core.deform.xpbd.elements import ROWS
from unibody.core.deform.xpbd.neighbors import Grid, Touching, empty_grid
from unibody.core.deform.xpbd.rounds import (
    Asked,
    BendTable,
    Particles,
    SpringTable,
    TetrahedronTable,
    correct,
    sort,
)
from unibody.mechanisms import cores, is_plain

_WORTH = 2000  # particles of a thread


class Corrections:
    """What particles are asked for in each round of a step.

    Args:
        count: How many particles there are.
        springs: Particles of springs, (n, 2).
        bends: Of angles, (n, 4).
        tetrahedra: (n, 4).
        threads: At most; None: as many as there are cores. Results do not depend on it.
    """

    def __init__(
        self, count: int, springs: Any, bends: Any, tetrahedra: Any, *, threads: int | None = None
    ) -> None:
        self._count = count
        self.follow(springs, bends, tetrahedra)
        self._grid: Grid | None = None
        self._damped = True
        wanted = cores() if is_plain("threads") else threads or cores()
        self.threads: int
        self.threads = parts = max(min(wanted, count // _WORTH), 1)
        counters, moves = fresh_counters(), np.zeros((2, parts), dtype=np.float32)
        self._alone = alone()
        self._shares = [Share(part, parts, counters, moves) for part in range(parts)]
        self._rooms = [np.zeros(ROWS * WIDTH, np.float32) for _ in range(parts)]

    def follow(self, springs: Any, bends: Any, tetrahedra: Any) -> None:
        """Take other elements between the same particles; see the class."""
        rows = len(springs) + 4 * (len(bends) + len(tetrahedra))
        self._asked = Asked(
            np.zeros((rows, 3), np.float32), *_entries(self._count, springs, bends, tetrahedra)
        )

    def begin(
        self,
        particles: Particles,
        springs: SpringTable,
        bends: BendTable,
        tetrahedra: TetrahedronTable,
        touching: Touching | None,
    ) -> None:
        """Begin the rounds of a step: nothing was pulled yet.

        Args:
            particles: Where they are expected to go.
            springs: Its `pulls` change, as those of the following ones.
            bends: See `BendTable`.
            tetrahedra: See `TetrahedronTable`.
            touching: How particles touch; None: they do not.
        """
        for table in (springs, bends, tetrahedra):
            table.pulls[:] = 0.0
        dampings = springs.damping, bends.properties[:, 1], tetrahedra.materials[:, 2]
        self._damped = any(bool(damping.any()) for damping in dampings)
        if touching is not None:
            if self._grid is None:
                self._grid = empty_grid(self._count)
            sort(particles.x, touching, self._grid)

    def round(
        self,
        particles: Particles,
        springs: SpringTable,
        bends: BendTable,
        tetrahedra: TetrahedronTable,
        touching: Touching,
        time_step: float,
        *,
        relaxation: float,
        touch: bool,
    ) -> None:
        """Find out how far particles are to go.

        Args:
            particles: Their `deltas` are written.
            springs: Those of the beginning, as the following ones; their `pulls` change.
            bends: See `BendTable`.
            tetrahedra: See `TetrahedronTable`.
            touching: How particles touch.
            time_step: s.
            relaxation: Share of the pulls of tetrahedra that is done.
            touch: Whether particles touch; `begin` was called with them.
        """
        grid = self._grid if touch and self._grid is not None else _NO_GRID

        def part(share: Share, room: Any) -> int:
            return correct(
                particles, springs, bends, tetrahedra, self._asked, touching, grid, share, room,
                float(time_step), float(relaxation), int(self._damped), int(touch),
            )  # fmt: skip

        if self.threads > 1:
            done = together(self.threads, lambda k: part(self._shares[k], self._rooms[k]))
            if done is not None:
                return
        part(self._alone, self._rooms[0])


_NO_GRID = empty_grid(0)


def _entries(count: int, springs: Any, bends: Any, tetrahedra: Any) -> tuple[Any, Any, Any]:
    """First entry of each particle, its first for an opposite, and entries; see `Asked`."""
    corners = [np.asarray(c).reshape(-1, n) for c, n in ((springs, 2), (bends, 4), (tetrahedra, 4))]
    ends, fours = corners[0].reshape(-1), np.concatenate(corners[1:]).reshape(-1)
    owners = np.concatenate([ends, fours]).astype(np.int64)
    # Both ends of a spring have one row, whose opposite the second end is asked for.
    rows = np.concatenate([np.arange(len(ends)) // 2, len(ends) // 2 + np.arange(len(fours))])
    opposite = np.zeros(len(owners), dtype=bool)
    opposite[1 : len(ends) : 2] = True
    rows, opposite, owners = rows[owners >= 0], opposite[owners >= 0], owners[owners >= 0]
    order = np.lexsort((opposite, owners))
    first = np.searchsorted(owners[order], np.arange(count + 1))
    middle = first[:-1] + np.bincount(owners[~opposite], minlength=count)
    return first.astype(np.int32), middle.astype(np.int32), rows[order].astype(np.int32)
