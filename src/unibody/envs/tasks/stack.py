"""Stack: put a block on another one, and let go."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.simulation import Simulation
from unibody.envs.task import Worlds
from unibody.envs.tasks.handling import SIZE, Handling, length, put, turned

_APART = 0.04  # m: the gripper has let go
_LIFTED = 0.03  # m above the ground: the block hangs in the fingers


class Stack(Handling):
    """Put the block on the other one; wherever that is pushed, the goal is on top of it."""

    near = 0.015

    def add_objects(self, scene: TaskScene) -> None:  # noqa: D102
        size, place, friction = (SIZE, SIZE, SIZE), (0.0, 0.0, SIZE / 2), (1.0, 0.005, 0.0)
        blue = (0.25, 0.45, 0.75, 1.0)
        scene.add_box("block", size, place, mass=0.1, friction=friction)
        scene.add_box("base", size, place, mass=0.2, friction=friction, color=blue)

    def prepare(self, sim: Simulation) -> None:  # noqa: D102
        super().prepare(sim)
        self.base: int = sim.link("base")
        # home states are apart, too
        sim.qpos[:, sim.records["base"].qpos] = 0.1

    def place(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:
        """One block at the left and one at the right, or the other way round."""
        count = len(worlds)
        side = np.where(draws.uniform(0.0, 1.0, (count,)) < 0.5, -1.0, 1.0)
        for name, sign in (("block", side), ("base", -side)):
            place = draws.uniform(np.array([0.05, -0.15]), np.array([0.15, 0.15]), (count, 2))
            place[:, 0] *= sign
            put(sim, worlds, name, place)
            turned(sim, worlds, name, draws.uniform(-0.3, 0.3, (count,)))

    def aim(self, sim: Simulation) -> Any:
        """On top of the other block."""
        return sim.xpos[:, self.base] + np.array([0.0, 0.0, SIZE])

    def success(self, sim: Simulation) -> Any:
        """The block stands on the other one, and the gripper is away from it."""
        block = sim.xpos[:, self.block]
        return super().success(sim) & (length(block - self.grip(sim)) > _APART)

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        terms = super().reward_terms(sim, actions)
        terms["lift"] = np.where(sim.xpos[:, self.block, 2] > _LIFTED, 0.5, 0.0)
        return terms
