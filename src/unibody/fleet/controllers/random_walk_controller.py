"""To random places around where one began."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unibody.fleet.controllers.deciding import DecidingController
from unibody.fleet.parameters.controller_params import ControllerParams
from unibody.fleet.spatial.geometry import Pose

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent


class RandomWalkController(DecidingController):
    """Sends an agent to random places; the controller below it drives.

    The numbers come from Python's ``random``: seed that for a run that can be repeated.

    Args:
        params: Passed over.
        radius: How far from where it began [m].
        wait_range: Least and most seconds between two decisions.
    """

    _registry_name = "random_walk"

    def __init__(
        self,
        params: ControllerParams | None = None,
        radius: float = 5.0,
        wait_range: Sequence[float] = (1.0, 5.0),
    ) -> None:
        super().__init__(params)
        self._radius = radius
        self._wait_range = tuple(wait_range)
        self._origin: list[float] | None = None

    def _has_begun(self) -> bool:
        return self._origin is not None

    def compute(self, agent: Agent, dt: float) -> bool:
        """Decide where to go next; never moves the agent itself."""
        x, y, z = (float(value) for value in agent.get_pose().position)
        if self._origin is None:
            self._origin = [x, y]
        if self.held:
            return False
        if self._wait_timer > 0:
            self._wait_timer -= dt
            return False
        if not agent.is_moving:
            angle = random.uniform(0, 2 * math.pi)
            distance = random.uniform(0, self._radius)
            goal = (
                self._origin[0] + distance * math.cos(angle),
                self._origin[1] + distance * math.sin(angle),
                z,
            )
            agent.set_goal_pose(Pose.from_xyz(*goal))
            self._wait_timer = random.uniform(*self._wait_range)
        return False
