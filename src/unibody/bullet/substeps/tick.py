"""What takes part in substeps, and what it sees of a client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from unibody.core.assets.description import Pose, Quat, Vec3
    from unibody.core.engine.records.body import BodyRecord
    from unibody.core.engine.scene.scene import Scene
    from unibody.core.engine.world.world import World


class Tick(Protocol):
    """Something that takes part in every substep of a client."""

    def before_tick(self, client: Any) -> None:
        """Act before a substep."""
        ...

    def after_tick(self, client: Any) -> None:
        """Act after a substep, while the forces applied for it are still there."""
        ...


class SteppedBody(Protocol):
    """What those in this room ask of a body; ``handles.body`` says what it means."""

    @property
    def record(self) -> BodyRecord:
        """The body in the engine."""
        ...

    @property
    def joint_count(self) -> int:
        """How many joints it has."""
        ...

    def joint_coordinates(self) -> tuple[list[float], list[float]]:
        """Positions and velocities by joint."""
        ...

    def add_torque(self, joint: int, torque: float) -> None:
        """Add a joint force for the next step [N or Nm]."""
        ...

    def base_com_pose(self) -> Pose:
        """``T_world_com`` of the base."""
        ...

    def move_base(self, pos: Vec3, quat: Quat) -> None:
        """Put the base's centre of mass to a pose, (w, x, y, z)."""
        ...


class SteppedClient(Protocol):
    """What those in this room ask of a client."""

    @property
    def soft_cell(self) -> float:
        """Width of lattices that distances from soft bodies are sampled on [m]; 0: exact."""
        ...

    @property
    def scene(self) -> Scene:
        """Its scene."""
        ...

    @property
    def world(self) -> World:
        """The running world of the scene."""
        ...

    @property
    def bodies(self) -> Mapping[int, SteppedBody]:
        """Its bodies by id."""
        ...
