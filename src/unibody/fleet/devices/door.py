"""Doors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from unibody.fleet.actions.action import JointAction
from unibody.fleet.agents.agent import Agent
from unibody.fleet.agents.agent_params import AgentSpawnParams, agent_fields
from unibody.fleet.foundation.types import ActionStatus, DoorState


@dataclass
class DoorParams(AgentSpawnParams):
    """What a `Door` is spawned from.

    Attributes:
        open_positions: Joint positions of the open door, by name.
        close_positions: Joint positions of the closed door, by name.
    """

    open_positions: dict[str, float] | None = None
    close_positions: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.open_positions is None:
            raise TypeError("DoorParams requires open_positions (Dict[str, float])")

    @classmethod
    def from_dict(cls, config: dict[str, Any]) -> Any:
        """Make one from a dictionary."""
        return cls(
            **agent_fields(config),
            open_positions=config.get("open_positions"),
            close_positions=config.get("close_positions", {}),
        )


class Door(Agent):
    """A door: joints with an open and a closed position."""

    _spawn_params_cls = DoorParams
    _entity_type_name = "door"
    _open_positions: dict[str, float]
    _close_positions: dict[str, float]

    def __init__(self, *args: Any, **named: Any) -> None:
        """One without positions, which `DoorParams` have; see `Agent`."""
        super().__init__(*args, **named)
        self._open_positions, self._close_positions = {}, {}

    @classmethod
    def from_params(cls, spawn_params: Any, sim_core: Any = None) -> Self:
        """Make a door.

        Raises:
            TypeError: The parameters are not `DoorParams`.
        """
        if not isinstance(spawn_params, DoorParams):
            raise TypeError(
                f"Door.from_params requires DoorParams, got {type(spawn_params).__name__}"
            )
        door = super().from_params(spawn_params, sim_core)
        door._open_positions = dict(spawn_params.open_positions or {})
        door._close_positions = dict(spawn_params.close_positions)
        return door

    @property
    def door_state(self) -> DoorState:
        """Where it stands."""
        action = self.get_current_action()
        if isinstance(action, JointAction) and action.status is ActionStatus.IN_PROGRESS:
            opening = action.target_joint_positions == self._open_positions
            return DoorState.OPENING if opening else DoorState.CLOSING
        is_open = self._open_positions and self.are_joints_at_targets(self._open_positions)
        return DoorState.OPEN if is_open else DoorState.CLOSED

    def request_open(self) -> None:
        """Open it, if it is not open or about to be."""
        if self.door_state in (DoorState.CLOSED, DoorState.CLOSING):
            self._move_to(self._open_positions)

    def request_close(self) -> None:
        """Close it, if it is not closed or about to be."""
        if self.door_state in (DoorState.OPEN, DoorState.OPENING):
            self._move_to(self._close_positions)

    def _move_to(self, positions: dict[str, float]) -> None:
        self.clear_actions()
        self.add_action(JointAction(target_joint_positions=positions))
