"""Robots that drive to a charging station before their battery is empty."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from unibody.errors import InvalidArgumentError
from unibody.fleet.controllers.deciding import DecidingController
from unibody.fleet.plugins.agent_plugin import AgentPlugin
from unibody.fleet.plugins.battery_plugin import BatteryPlugin
from unibody.fleet.spatial.geometry import Pose

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent


class RechargePlugin(AgentPlugin):
    """Sends an agent with a low battery to a free charging station, and back once it is charged.

    It leaves from a stop, drives straight to the nearest station that nobody else uses, and comes
    back to the stop; meanwhile controllers that decide where it goes are held. Without a free
    station in reach it tries again at its next stop. The original has no such plugin.

    Args:
        agent: An agent with the plugin ``battery``.
        stations: What the names of the stations begin with; they are objects of any type.
        low: State of charge at which it goes there, 0 to 1.
        high: State of charge at which it leaves.
        reach: How far away a station may be [m].
    """

    _registry_name = "recharge"

    def __init__(
        self,
        agent: Agent,
        stations: str = "charger",
        low: float = 0.3,
        high: float = 0.9,
        reach: float = 10.0,
    ) -> None:
        super().__init__(agent)
        self._robot: Any = agent
        if not 0.0 <= low < high <= 1.0:
            raise InvalidArgumentError("low, high", (low, high), "0 <= low < high <= 1")
        if not 0.0 < reach < math.inf:
            raise InvalidArgumentError("reach", reach, "a length above 0 m")
        self._stations, self._reach = str(stations), float(reach)
        self._low, self._high = float(low), float(high)
        self._back: Pose | None = None  # where it came from
        self.station: Any = None

    def on_reset(self) -> None:
        """Leave the station."""
        if self.station is not None:
            self._leave()

    def on_update(self, dt: float) -> None:
        """Go there, charge, or come back."""
        agent, battery = self._robot, self._robot.get_plugin(BatteryPlugin)
        if battery is None:
            raise InvalidArgumentError("plugins", "recharge", "recharge together with battery")
        if agent.is_moving or not agent.is_action_queue_empty():
            return
        if self.station is None:
            if battery.soc < self._low:
                self._set_out()
        elif self._back is None:  # it is at its stop again, and out of the way
            self.station = None
            self._hold(False)
        elif battery.soc < self._high:
            battery.set_charging(True)
        else:
            self._leave()

    def _set_out(self) -> None:
        self.station = self._nearest_free()
        if self.station is None:
            return
        back: Pose = self._robot.get_pose()
        self._back = back
        self._hold(True)
        x, y, _ = self.station.get_pose().position
        goal = Pose.from_xyz(x, y, back.position[2])
        self._robot.set_path([goal], final_orientation_align=False)

    def _leave(self) -> None:
        self._robot.set_charging(False)
        if self._back is not None:
            self._robot.set_path([self._back], final_orientation_align=False)
            self._back = None

    def _hold(self, held: bool) -> None:
        for controller in self._robot.controllers:
            if isinstance(controller, DecidingController):
                controller.held = held

    def _nearest_free(self) -> Any:
        core = self._robot.sim_core
        others = [other.get_plugin(RechargePlugin) for other in core.agents]
        taken = {id(other.station) for other in others if other is not None}
        x, y, _ = self._robot.get_pose().position
        found: list[tuple[float, int, Any]] = []
        for obj in core.sim_objects:
            if (obj.name or "").startswith(self._stations) and id(obj) not in taken:
                place = obj.get_pose().position
                found.append((math.hypot(place[0] - x, place[1] - y), obj.object_id, obj))
        near = [each for each in found if each[0] <= self._reach]
        return min(near)[2] if near else None
