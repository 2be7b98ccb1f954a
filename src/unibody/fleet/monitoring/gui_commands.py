"""What a monitor window asks for, and what it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

Vec3 = tuple[float, float, float]


class GuiCommandType(str, Enum):  # noqa: UP042
    """What can be asked for."""

    PAUSE = "pause"
    RESUME = "resume"
    SINGLE_STEP = "single_step"
    SELECT_ENTITY = "select_entity"
    SET_FOLLOW = "set_follow"
    SET_SIMULATION_PACING = "set_simulation_pacing"
    SET_ENTITY_POSE = "set_entity_pose"


@dataclass(frozen=True)
class GuiCommand:
    """One request; fields that do not belong to it are None."""

    command: GuiCommandType
    source: str = "monitor"
    entity_id: int | None = None
    enabled: bool | None = None
    target_rtf: float | None = None
    timestep: float | None = None
    position: Vec3 | None = None
    yaw_radians: float | None = None
    rpy_radians: Vec3 | None = None


@dataclass(frozen=True)
class MonitorEntity:
    """An object as it stands in a list."""

    object_id: int
    name: str
    kind: str


@dataclass(frozen=True)
class SelectedEntityMonitorState:
    """The object that is looked at."""

    entity: MonitorEntity
    position: Vec3
    orientation: tuple[float, float, float, float]
    action_type: str | None
    action_status: str | None
    queued_actions: int
    attached_objects: int
    active_collisions: int


@dataclass(frozen=True)
class MonitorFrame:
    """The state of a simulation at one moment."""

    sim_time: float
    real_time: float
    target_rtf: float
    actual_rtf: float
    timestep: float
    physics_enabled: bool
    agents: int
    objects: int
    active_collisions: int
    collisions: int
    steps: int
    paused: bool
    entities: tuple[MonitorEntity, ...] = ()
    selected_entity: SelectedEntityMonitorState | None = None
    follow_enabled: bool = False
