"""Which floor an elevator serves next."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from enum import Enum

from unibody.fleet.devices.elevator_motion_adapter import ElevatorMotionAdapter


class ElevatorState(str, Enum):  # noqa: UP042
    """What an elevator does."""

    IDLE = "idle"
    MOVING = "moving"
    ARRIVED = "arrived"  # for one step


class ElevatorRequestPolicy(str, Enum):  # noqa: UP042
    """What becomes of a request while the elevator is on its way."""

    REJECT = "reject"
    REPLACE_NEXT = "replace_next"  # the last one is served next
    QUEUE = "queue"  # all are served in order


class ElevatorRequestResult(str, Enum):  # noqa: UP042
    """What became of a request."""

    ACCEPTED = "accepted"
    QUEUED = "queued"
    REPLACED = "replaced"
    REJECTED = "rejected"


class ElevatorStateMachine:
    """Serves requests for floors.

    Args:
        floors: Heights by name [m].
        initial_floor: Where it is.
        adapter: What moves the elevator.
        request_policy: What becomes of requests on the way.

    Raises:
        ValueError: There is no floor, or not this one, or no such policy.
    """

    def __init__(
        self,
        floors: Mapping[str, float],
        initial_floor: str,
        adapter: ElevatorMotionAdapter,
        request_policy: ElevatorRequestPolicy | str = ElevatorRequestPolicy.REJECT,
    ) -> None:
        if not floors:
            raise ValueError("ElevatorStateMachine requires at least one floor")
        if initial_floor not in floors:
            raise ValueError(
                f"Unknown initial floor {initial_floor!r}: expected one of {list(floors)}"
            )
        self._floors = dict(floors)
        self._adapter = adapter
        self._pending: deque[str] = deque()
        self.request_policy: ElevatorRequestPolicy = ElevatorRequestPolicy(request_policy)
        self.current_floor = self.target_floor = initial_floor
        self.state = ElevatorState.IDLE

    @property
    def is_moving(self) -> bool:
        """Whether it is on its way."""
        return self.state is ElevatorState.MOVING

    @property
    def pending_floors(self) -> tuple[str, ...]:
        """Floors that are served later."""
        return tuple(self._pending)

    def request_floor(self, floor_name: str) -> ElevatorRequestResult:
        """Ask for a floor."""
        if floor_name not in self._floors:
            return ElevatorRequestResult.REJECTED
        if self.is_moving:
            return self._request_on_the_way(floor_name)
        if floor_name == self.current_floor:
            return ElevatorRequestResult.REJECTED
        self._set_out(floor_name)
        return ElevatorRequestResult.ACCEPTED

    def _request_on_the_way(self, floor_name: str) -> ElevatorRequestResult:
        rejecting = self.request_policy is ElevatorRequestPolicy.REJECT
        if rejecting or floor_name == self.target_floor:
            return ElevatorRequestResult.REJECTED
        replaced = False
        if self.request_policy is ElevatorRequestPolicy.REPLACE_NEXT:
            replaced = bool(self._pending)
            self._pending.clear()
        self._pending.append(floor_name)
        return ElevatorRequestResult.REPLACED if replaced else ElevatorRequestResult.QUEUED

    def _set_out(self, floor_name: str) -> None:
        self._adapter.attach_platform_passengers()
        self.target_floor: str = floor_name
        self._adapter.begin_motion(self._floors[floor_name])
        self.state = ElevatorState.MOVING

    def update(self) -> bool:
        """Do one step; True if it has just arrived."""
        if self.state is ElevatorState.ARRIVED:
            self.state = ElevatorState.IDLE
            if self._pending:
                self._set_out(self._pending.popleft())
            return False
        if not self.is_moving or self._adapter.motion_in_progress():
            return False
        self.current_floor: str = self.target_floor
        self._adapter.detach_passengers()
        self.state: ElevatorState = ElevatorState.ARRIVED
        return True
