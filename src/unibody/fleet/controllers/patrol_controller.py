"""From waypoint to waypoint, again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unibody.fleet.controllers.deciding import DecidingController
from unibody.fleet.parameters.controller_params import ControllerParams
from unibody.fleet.spatial.geometry import Pose

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent


class PatrolController(DecidingController):
    """Sends an agent from waypoint to waypoint; the controller below it drives.

    Args:
        params: Passed over.
        waypoints: Positions [m].
        wait_time: Seconds between the start of a leg and the next decision.
        loop: Begin again after the last one.
    """

    _registry_name = "patrol"

    def __init__(
        self,
        params: ControllerParams | None = None,
        waypoints: list[Any] | None = None,
        wait_time: float = 0.0,
        loop: bool = True,
    ) -> None:
        super().__init__(params)
        self._waypoints = [] if waypoints is None else list(waypoints)
        self._wait_time = wait_time
        self._loop = loop
        self._current_idx = 0
        self._started = False

    def _has_begun(self) -> bool:
        return self._started

    def compute(self, agent: Agent, dt: float) -> bool:
        """Decide where to go next; never moves the agent itself."""
        if not self._waypoints:
            return False
        if self.held:
            return False
        if self._wait_timer > 0:
            self._wait_timer -= dt
            return False
        if not self._started:
            self._started = True
        elif agent.is_moving:
            return False
        else:
            following = self._current_idx + 1
            if following >= len(self._waypoints) and not self._loop:
                self._current_idx = following
                return False
            self._current_idx = following % len(self._waypoints)
            self._wait_timer = self._wait_time
        agent.set_goal_pose(Pose.from_xyz(*self._waypoints[self._current_idx]))
        return False
