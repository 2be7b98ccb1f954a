"""Doors that open for who comes near."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.fleet.devices.door import Door
from unibody.fleet.plugins.agent_plugin import AgentPlugin

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent


class AutomaticDoorPlugin(AgentPlugin):
    """Opens a door while an agent that can drive is near, and closes it some time later.

    The original has no such plugin.

    Args:
        agent: The door.
        distance: How near, along the floor, from the place of the door [m].
        hold: Seconds that it stays open after the last one is gone.
    """

    _registry_name = "automatic_door"

    def __init__(self, agent: Agent, distance: float = 2.0, hold: float = 2.0) -> None:
        super().__init__(agent)
        if not isinstance(agent, Door):
            raise InvalidArgumentError("agent", agent, "an entity of the type door")
        for name, value in (("distance", distance), ("hold", hold)):
            if not 0.0 <= value < float("inf"):
                raise InvalidArgumentError(name, value, "0 or more")
        self._door = agent
        self._distance, self._hold = float(distance), float(hold)
        self._left = 0.0  # s until it closes

    def on_reset(self) -> None:
        """Close it at the next step with nobody near."""
        self._left = 0.0

    def on_update(self, dt: float) -> None:
        """Open or close it."""
        if self._somebody_is_near():
            self._left = self._hold
            self._door.request_open()
            return
        self._left -= dt
        if self._left <= 0.0:
            self._door.request_close()

    def _somebody_is_near(self) -> bool:
        core = self.agent.sim_core
        rows = [other._row for other in core.agents if not other.use_fixed_base] if core else []
        if not rows:
            return False
        x, y, _ = self.agent.get_pose().position
        places = self._door._tables.bodies.data["pos"][rows, :2]
        return bool((np.hypot(*(places - (x, y)).T) <= self._distance).any())
