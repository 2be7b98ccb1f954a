"""Batteries."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from unibody.fleet.plugins.agent_plugin import AgentPlugin

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent

logger: logging.Logger = logging.getLogger("pybullet_fleet.plugins.battery_plugin")


class BatteryPlugin(AgentPlugin):
    """A battery, discharged on the way and while idle, and charged.

    Args:
        agent: The agent.
        initial_soc: State of charge at the beginning, 0 to 1.
        discharge_rate: Share of the charge a second on the way.
        charge_rate: Share of the charge a second while charging.
        idle_rate: Share of the charge a second while idle.

    Attributes:
        soc: State of charge, 0 to 1.
        is_charging: Whether it is charging.
    """

    _registry_name = "battery"

    def __init__(
        self,
        agent: Agent,
        initial_soc: float = 1.0,
        discharge_rate: float = 0.001,
        charge_rate: float = 0.005,
        idle_rate: float = 0.0,
    ) -> None:
        super().__init__(agent)
        self.discharge_rate = discharge_rate
        self.charge_rate = charge_rate
        self.idle_rate = idle_rate
        self.soc = initial_soc
        self.is_charging = False

    def set_charging(self, charging: bool) -> None:
        """Begin or end charging."""
        if self.is_charging != charging:
            state = "started" if charging else "stopped"
            logger.info("'%s': charging %s", self.agent.name, state)
        self.is_charging: bool = charging

    def on_update(self, dt: float) -> None:
        """One step of ``dt`` seconds."""
        rate = -self.idle_rate
        if self.is_charging:
            rate = self.charge_rate
        elif self.agent.is_moving:
            rate = -self.discharge_rate
        self.soc: float = min(1.0, max(0.0, self.soc + rate * dt))
