"""Elevators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, Self

import numpy as np

from unibody.errors import NotSupportedError
from unibody.fleet.actions.action import JointAction
from unibody.fleet.agents.agent import Agent
from unibody.fleet.agents.agent_params import AgentSpawnParams, agent_fields
from unibody.fleet.devices.elevator_state_machine import (
    ElevatorRequestPolicy,
    ElevatorRequestResult,
    ElevatorState,
    ElevatorStateMachine,
)
from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger
from unibody.fleet.foundation.types import ActionStatus
from unibody.fleet.objects.sim_object import SimObject

logger: LazyLogger = get_lazy_logger("pybullet_fleet.devices.elevator")
_HEADROOM = 1.0  # m: above the platform, where passengers are looked for


@dataclass
class ElevatorParams(AgentSpawnParams):
    """What an `Elevator` is spawned from.

    Attributes:
        floors: Positions of the joint by name of the floor [m].
        initial_floor: Where it is; the first one by default.
        joint_name: The joint that lifts.
        platform_link: The link passengers stand on.
        request_policy: What becomes of requests on the way.
    """

    floors: dict[str, float] | None = None
    initial_floor: str = ""
    joint_name: str = "lift"
    platform_link: str = "platform"
    request_policy: ElevatorRequestPolicy | str = ElevatorRequestPolicy.REJECT

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.floors is None:
            raise TypeError("ElevatorParams requires floors (Dict[str, float])")
        if not self.initial_floor:
            self.initial_floor = next(iter(self.floors), "")

    @classmethod
    def from_dict(cls, config: dict[str, Any]) -> Any:
        """Make one from a dictionary."""
        return cls(
            **agent_fields(config),
            floors=config.get("floors"),
            initial_floor=config.get("initial_floor", ""),
            joint_name=config.get("joint_name", "lift"),
            platform_link=config.get("platform_link", "platform"),
            request_policy=config.get("request_policy", ElevatorRequestPolicy.REJECT),
        )


class Elevator(Agent):
    """An elevator: a platform that takes along what stands on it."""

    _spawn_params_cls = ElevatorParams
    _entity_type_name = "elevator"
    _floors: dict[str, float]
    _joint_name: str
    _platform_link: str
    _passengers: list[SimObject]
    _state_machine: ElevatorStateMachine

    def __init__(self, *args: Any, **named: Any) -> None:
        """One of one floor, "0", where its joint is at 0; see `Agent`."""
        super().__init__(*args, **named)
        self._serve(ElevatorParams(floors={"0": 0.0}, urdf_path=self.urdf_path))

    @classmethod
    def from_mesh(cls, *_: Any, **__: Any) -> NoReturn:
        """An elevator is not made of shapes alone.

        Raises:
            NotSupportedError: Always: its floors are stated in `ElevatorParams`.
        """
        raise NotSupportedError(f"{cls.__name__}.from_mesh", "from_params(ElevatorParams(...))")

    @classmethod
    def from_params(cls, spawn_params: Any, sim_core: Any = None) -> Self:
        """Make an elevator.

        Raises:
            TypeError: The parameters are not `ElevatorParams`.
        """
        if not isinstance(spawn_params, ElevatorParams):
            raise TypeError(
                f"Elevator.from_params requires ElevatorParams, got {type(spawn_params).__name__}"
            )
        lift = super().from_params(spawn_params, sim_core)
        lift._serve(spawn_params)
        return lift

    def _serve(self, params: ElevatorParams) -> None:
        self._tables.bodies.data["lifts"][self._row] = 1
        self._floors = dict(params.floors or {})
        self._joint_name = params.joint_name
        self._platform_link = params.platform_link
        self._passengers = []
        self._state_machine = ElevatorStateMachine(
            self._floors, params.initial_floor, self, params.request_policy
        )

    @property
    def current_floor(self) -> str:
        """The floor it was at last."""
        return self._state_machine.current_floor

    @property
    def target_floor(self) -> str:
        """The floor it goes to."""
        return self._state_machine.target_floor

    @property
    def available_floors(self) -> list[str]:
        """All floors."""
        return list(self._floors)

    @property
    def is_moving(self) -> bool:
        """Whether it is on its way."""
        return self._state_machine.is_moving

    @property
    def state(self) -> ElevatorState:
        """What it does."""
        return self._state_machine.state

    @property
    def request_policy(self) -> ElevatorRequestPolicy:
        """What becomes of requests on the way."""
        return self._state_machine.request_policy

    @property
    def pending_floors(self) -> tuple[str, ...]:
        """Floors that are served later."""
        return self._state_machine.pending_floors

    @property
    def passengers(self) -> list[SimObject]:
        """What it takes along."""
        return list(self._passengers)

    def request_floor(self, floor_name: str) -> ElevatorRequestResult:
        """Ask for a floor."""
        if floor_name not in self._floors:
            logger.warning("Unknown floor: %s (available: %s)", floor_name, list(self._floors))
        return self._state_machine.request_floor(floor_name)

    def update(self, dt: float) -> bool:
        """Do one step of ``dt`` seconds."""
        moved = super().update(dt)
        if self._state_machine.update():
            logger.info("Elevator '%s': arrived at '%s'", self.name, self.current_floor)
        return moved

    def begin_motion(self, target_height: float) -> None:
        """Send the platform to a position of its joint [m]."""
        self.clear_actions()
        self.add_action(JointAction(target_joint_positions={self._joint_name: target_height}))

    def motion_in_progress(self) -> bool:
        """Whether the platform is on its way."""
        action = self.get_current_action()
        return isinstance(action, JointAction) and action.status is ActionStatus.IN_PROGRESS

    def attach_platform_passengers(self) -> int:
        """Take along what stands on the platform; how many that is."""
        link = self._platform()
        for obj in self._find_objects_on_platform():
            pickable, obj.pickable = obj.pickable, True
            if self.attach_object(obj, parent_link_index=link, keep_world_pose=True):
                self._passengers.append(obj)
            obj.pickable = pickable
        return len(self._passengers)

    def detach_passengers(self) -> int:
        """Let them go; how many there were."""
        count = len(self._passengers)
        for obj in self._passengers:
            self.detach_object(obj)
        self._passengers.clear()
        return count

    def _platform(self) -> int:
        found = self._template.link_index(self._platform_link)
        if found is None:
            first = min(self.get_num_joints() - 1, 0)
            logger.warning(
                "Platform link '%s' not found, using link %d", self._platform_link, first
            )
            return first
        return found

    def get_platform_aabb(self) -> tuple[Any, Any]:
        """The bounding box of the platform, lower and upper corner [m]."""
        return self.get_link_aabb(self._platform())

    def _find_objects_on_platform(self) -> list[SimObject]:
        """What stands with its base on the platform; what only reaches over it does not."""
        if self.sim_core is None:
            return []
        low, high = self.get_platform_aabb()
        high += np.array((0.0, 0.0, _HEADROOM))
        found: list[SimObject] = []
        for obj in self.sim_core.sim_objects:
            if obj is self or obj.is_attached():
                continue
            base_low, base_high = obj.get_link_aabb(-1)
            if np.all(base_low <= high) and np.all(base_high >= low):
                found.append(obj)
        return found
