"""Quadruped on rough ground: the same commands on lanes, each rougher than the one before."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from unibody.core.assets.description import HeightfieldData
from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.randomization import Curriculum
from unibody.envs.simulation import Simulation
from unibody.envs.task import Worlds
from unibody.envs.tasks.quadruped import QuadrupedFlat

_LEVELS = 6
_LANE = 4.0  # m: a lane a level, along x
_LENGTH = 28.0  # m: two commands of 5 s take a robot 13 m away, whichever way it turns
_CELL = 0.1  # m
_ROUGHEST = 0.10  # m


class QuadrupedRough(QuadrupedFlat):
    """The same on lanes of rough ground: a world moves to a rougher one when it gets far.

    The first and the last lane go on beside them, as far as a robot gets.
    """

    curriculum: ClassVar[Curriculum | None] = Curriculum(_LEVELS, rise=0.8, fall=0.4)

    def add_floor(self, scene: TaskScene) -> None:  # noqa: D102
        width = (_LEVELS - 1) * _LANE + _LENGTH
        columns, rows = round(_LENGTH / _CELL) + 1, round(width / _CELL) + 1
        y = (np.arange(rows) - (rows - 1) / 2.0) * _CELL
        level = np.clip((y + 0.5 * _LEVELS * _LANE) // _LANE, 0, _LEVELS - 1)
        bumps = np.random.default_rng(7).uniform(0.0, 1.0, (rows, columns))
        heights = np.round(bumps * (level / (_LEVELS - 1))[:, None] * _ROUGHEST, 4)
        field = HeightfieldData(rows, columns, tuple(heights.ravel().tolist()), (_CELL, _CELL))
        scene.add_terrain(field)

    def place(self, sim: Simulation, worlds: Worlds, draws: Draws) -> Any:
        """In the middle of the lane of the level."""
        near = draws.uniform(-0.5, 0.5, (len(worlds), 2))
        near[:, 1] += (sim.level[worlds] + 0.5) * _LANE - 0.5 * _LEVELS * _LANE
        sim.qpos[worlds, self.root + 2] += _ROUGHEST * sim.level[worlds] / (_LEVELS - 1)
        return near

    def terminated(self, sim: Simulation) -> Any:
        """Likewise, or the trunk is below all ground."""
        return super().terminated(sim) | (sim.xpos[:, self.base, 2] < 0.0)

    def progress(self, sim: Simulation) -> Any:
        """The way that was gone as a share of the commanded one; to stand changes no level."""
        gone, wanted = self.ways.T
        middle = 0.5 * (self.curriculum.rise + self.curriculum.fall) if self.curriculum else 0.5
        return np.where(wanted > 0.0, gone / np.maximum(wanted, 1e-3), middle)
