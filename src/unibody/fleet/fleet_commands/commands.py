"""Commands to a fleet, apart from how they come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from unibody.fleet.spatial.geometry import Pose

FLEET_COMMAND_EVENT = "fleet_command"
"""Name of the event of every command."""
DEFAULT_ATTACH_SEARCH_RADIUS = 0.5
"""How far something to attach is looked for [m]."""
Vec2 = tuple[float, float]
Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]


@dataclass(frozen=True)
class RobotGoalCommand2D:
    """Go to a place on the ground."""

    name: str
    position: Vec2
    yaw: float = 0.0
    z: float = 0.0
    command_id: str | None = None

    def to_pose(self) -> Pose:
        """The goal as a pose."""
        return Pose.from_yaw(self.position[0], self.position[1], self.z, self.yaw)


@dataclass(frozen=True)
class RobotGoalCommand3D:
    """Go to a pose."""

    name: str
    position: Vec3
    orientation: Quat = (0.0, 0.0, 0.0, 1.0)
    command_id: str | None = None

    def to_pose(self) -> Pose:
        """The goal as a pose."""
        return Pose(list(self.position), list(self.orientation))


@dataclass(frozen=True)
class RobotJointPositionsCommand:
    """Send all joints to positions."""

    name: str
    positions: tuple[float, ...]


@dataclass(frozen=True)
class RobotNamedJointPositionsCommand:
    """Send some joints to positions."""

    name: str
    positions: Mapping[str, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "positions", MappingProxyType(dict(self.positions)))


@dataclass(frozen=True)
class RobotAttachCommand:
    """Attach something, or let it go."""

    name: str
    attach: bool
    object_name: str = ""
    parent_link: str = "base_link"
    offset: Pose = field(default_factory=lambda: Pose.from_xyz(0.0, 0.0, 0.0))
    search_radius: float = DEFAULT_ATTACH_SEARCH_RADIUS


@dataclass(frozen=True)
class RobotActionCommand:
    """Put an action at the end of the queue."""

    name: str
    action_type: str
    action_params_json: str = ""
    command_id: str | None = None


@dataclass(frozen=True)
class CommandAck:
    """What became of a command: who does it, and why others do not."""

    command_id: str
    source: str
    sim_time: float
    accepted_names: tuple[str, ...] = ()
    rejected: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rejected", MappingProxyType(dict(self.rejected)))

    @property
    def ok(self) -> bool:
        """Somebody does it, and nobody does not."""
        return bool(self.accepted_names) and not self.rejected


@dataclass(frozen=True)
class CommandEvent:
    """A command that came."""

    command_id: str
    source: str
    sim_time: float
    command_type: str
    target_names: tuple[str, ...]
    accepted_names: tuple[str, ...]
    rejected: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rejected", MappingProxyType(dict(self.rejected)))
