"""Devices: doors and elevators."""

from unibody.fleet.devices.automatic_door import AutomaticDoorPlugin
from unibody.fleet.devices.door import Door, DoorParams
from unibody.fleet.devices.elevator import Elevator, ElevatorParams
from unibody.fleet.devices.elevator_state_machine import (
    ElevatorRequestPolicy,
    ElevatorRequestResult,
    ElevatorState,
    ElevatorStateMachine,
)

__all__ = [
    "AutomaticDoorPlugin",
    "Door",
    "DoorParams",
    "Elevator",
    "ElevatorParams",
    "ElevatorRequestPolicy",
    "ElevatorRequestResult",
    "ElevatorState",
    "ElevatorStateMachine",
]
