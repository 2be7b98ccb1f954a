"""Pick and place: grip a block and bring it to a point in the air."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from unibody.core.assets.description import Vec3
from unibody.envs.simulation import Simulation
from unibody.envs.tasks.handling import SIZE, Handling, length, nearness


class PickAndPlace(Handling):
    """Grip the block, lift it, and hold it at the goal."""

    goals: ClassVar[tuple[Vec3, Vec3]] = ((-0.2, -0.2, 0.08), (0.2, 0.2, 0.25))

    def prepare(self, sim: Simulation) -> None:  # noqa: D102
        super().prepare(sim)
        self.left: int = sim.link("left_finger")
        self.right: int = sim.link("right_finger")

    def gripped(self, sim: Simulation) -> Any:
        """Both fingers press on the block between them, (N,) of bool."""
        across = sim.worlds.contact_wrench[:, :, 1]
        pressed = (across[:, self.left] > 0.2) & (across[:, self.right] < -0.2)  # N
        return pressed & (length(sim.xpos[:, self.block] - self.grip(sim)) < SIZE)

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:
        """Stages, each paid beside those before it: reach, grip, lift, bring, hold."""
        block = sim.xpos[:, self.block]
        gripped = np.where(self.gripped(sim), 1.0, 0.0)
        lifted = gripped * np.clip((block[:, 2] - 0.5 * SIZE) / SIZE, 0.0, 1.0)
        return {
            "approach": 0.5 * nearness(block - self.grip(sim)),
            "grip": 0.5 * gripped,
            "lift": 0.5 * lifted,
            "goal": lifted * (nearness(self.aim(sim) - block)),
            "there": np.where(self.success(sim), 1.0, 0.0),
        }
