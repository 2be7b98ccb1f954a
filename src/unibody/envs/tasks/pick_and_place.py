"""Pick and place: grip a block and bring it to a point in the air."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from unibody.core.assets.description import Vec3
from unibody.envs.simulation import Simulation
from unibody.envs.tasks.handling import Handling

_LIFTED = 0.03  # m above the ground: the block hangs in the fingers


class PickAndPlace(Handling):
    """Grip the block, lift it, and hold it at the goal."""

    goals: ClassVar[tuple[Vec3, Vec3]] = ((-0.2, -0.2, 0.08), (0.2, 0.2, 0.25))

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        terms = super().reward_terms(sim, actions)
        height = sim.xpos[:, self.block, 2]
        terms["lift"] = np.where(height > _LIFTED, 0.5, 0.0)
        return terms
