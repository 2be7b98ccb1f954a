"""What controllers, plugins and recorders need of the agents and simulations that have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from unibody.fleet.bodies.physics_world import PhysicsWorld
    from unibody.fleet.bodies.tables import Tables
    from unibody.fleet.foundation.events import EventBus
    from unibody.fleet.spatial.geometry import Pose


class AgentInterface(Protocol):
    """An agent, for what moves it or happens to it."""

    name: str | None
    object_id: int
    sim_core: Any
    controller_params: Any
    _row: int
    _tables: Tables
    _controllers: list[Any]
    _batch_controller: Any

    @property
    def is_moving(self) -> bool:
        """Whether it is on its way to a goal."""
        ...

    def get_pose(self) -> Pose:
        """Where it is."""
        ...

    def add_action(self, action: Any) -> None:
        """Let it do something after what it does now."""
        ...

    def is_action_queue_empty(self) -> bool:
        """Whether it has nothing to do."""
        ...

    def get_attached_objects(self) -> list[Any]:
        """What it carries."""
        ...

    def set_goal_pose(self, goal: Pose, direction: Any = None) -> None:
        """Go to a pose."""
        ...

    def _now(self) -> float: ...

    def _read_world(self) -> None: ...

    def _rest(self) -> None: ...

    def _carry_along(self, preserve_velocity: bool = True) -> None: ...

    def _changed(self) -> None: ...


class SimulationInterface(Protocol):
    """A simulation, for plugins and recorders."""

    @property
    def params(self) -> Any:
        """Its parameters."""
        ...

    @property
    def sim_objects(self) -> Sequence[Any]:
        """All objects."""
        ...

    @property
    def camera(self) -> dict[str, Any]:
        """What the window shows."""
        ...

    events: EventBus
    sim_time: float
    _physics_world: PhysicsWorld
    _tables: Tables
    _collisions: Any
    _sim_objects: list[Any]
    _sim_objects_dict: dict[int, Any]
    _robot_original_colors: dict[int, list[float]]

    def compute_scene_bounds(self) -> tuple[list[float], list[float]]:
        """Mean position of all objects, and how far they extend [m]."""
        ...

    def register_callback(
        self, callback: Callable[..., Any], frequency: float | None = None
    ) -> None:
        """Have a function called."""
        ...

    def unregister_callback(self, callback_func: Callable[..., Any]) -> bool:
        """Undo that."""
        ...
