"""Actions of agents that use elevators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unibody.fleet.actions.action_base import Action


@dataclass
class ElevatorAction(Action):
    """Have an elevator come to a floor, with whatever stands on it, and wait until it is there.

    The original has no such action.

    Attributes:
        elevator: Its name.
        floor: Name of the floor.
    """

    elevator: str
    floor: str

    def __post_init__(self) -> None:
        super().__init__()

    def execute(self, agent: Any, dt: float) -> bool:
        """Do one step."""
        self._begin(agent)
        known = [other for other in agent.sim_core.agents if hasattr(other, "request_floor")]
        lift = next((each for each in known if each.name == self.elevator), None)
        if lift is None:
            return self._fail(agent, f"no elevator {self.elevator!r}: {[x.name for x in known]}")
        if self.floor not in lift.available_floors:
            return self._fail(agent, f"no floor {self.floor!r}: one of {lift.available_floors}")
        if lift.is_moving:
            return False
        if lift.current_floor == self.floor:
            return self._complete(agent)
        lift.request_floor(self.floor)
        return False
