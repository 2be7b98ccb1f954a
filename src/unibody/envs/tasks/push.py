"""Push: bring a block to a point on the ground with closed fingers."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.envs.simulation import Simulation
from unibody.envs.tasks.handling import SIZE, Handling, length, nearness


class Push(Handling):
    """Push the block."""

    closed = True

    def behind(self, sim: Simulation) -> Any:
        """Where a push towards the goal begins: at the other side of the block, (N, 3) [m]."""
        block = sim.xpos[:, self.block]
        ahead = self.aim(sim) - block
        return block - SIZE * ahead / np.maximum(length(ahead), 1e-6)[:, None]

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:
        """Get behind the block, bring it to its goal, leave it there."""
        there = self.success(sim)
        behind = nearness(self.behind(sim) - self.grip(sim))
        return {
            "approach": 0.5 * np.where(there, 1.0, behind),
            "goal": nearness(self.aim(sim) - sim.xpos[:, self.block]),
            "there": np.where(there, 1.0, 0.0),
        }
