"""BaseTask: what a world is for."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import UnibodyError
from unibody.isaac_core.scenes.scene import Scene
from unibody.isaac_core.simulation.manager import simulation


class BaseTask:
    """A scene, and what is observed and aimed at in it.

    Args:
        name: By which a world finds it.
        offset: By which all that it places is moved.
    """

    def __init__(self, name: str, offset: np.ndarray | None = None) -> None:
        self._name = name
        self._offset = np.zeros(3) if offset is None else np.asarray(offset)
        self._scene: Scene | None = None
        self._task_objects: dict[str, Any] = {}
        self._device = simulation.device

    @property
    def device(self) -> str:
        """Where arrays are."""
        return self._device

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    @property
    def scene(self) -> Scene:
        """The scene.

        Raises:
            UnibodyError: The task was not set up.
        """
        if self._scene is None:
            raise UnibodyError(f"task {self._name!r} has no scene: set_up_scene first")
        return self._scene

    def set_up_scene(self, scene: Scene) -> None:
        """Add what the task needs; derived classes do so after calling this."""
        self._scene = scene

    def get_task_objects(self) -> dict[str, Any]:
        """What the task placed, by name."""
        return self._task_objects

    def get_observations(self) -> dict[str, Any]:
        """What is observed: of derived classes."""
        raise NotImplementedError

    def calculate_metrics(self) -> dict[str, Any]:
        """How well it goes: of derived classes."""
        raise NotImplementedError

    def is_done(self) -> bool:
        """Whether it is done: of derived classes."""
        raise NotImplementedError

    def pre_step(self, time_step_index: int, simulation_time: float) -> None:
        """Called before each step of the world."""

    def post_reset(self) -> None:
        """Called after each reset of the world."""

    def get_description(self) -> str:
        """What it is."""
        return ""

    def cleanup(self) -> None:
        """Called before each reset of the world, to remove what is not reset."""

    def set_params(self, *args: Any, **kwargs: Any) -> None:
        """Change what can be changed: of derived classes."""
        raise NotImplementedError

    def get_params(self) -> dict[str, Any]:
        """What can be changed: of derived classes."""
        raise NotImplementedError

    def _move_task_objects_to_their_frame(self) -> None:
        """Move what the task placed by its offset."""
        for placed in self._task_objects.values():
            position, orientation = placed.get_world_pose()
            placed.set_world_pose(position + self._offset, orientation)
            state = placed.get_default_state()
            placed.set_default_state(state.position + self._offset, state.orientation)
