"""One world of a task as a Gymnasium environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from unibody.envs.observations import of_world
from unibody.envs.task import Task
from unibody.envs.vector import TaskVectorEnv
from unibody.errors import InvalidArgumentError

if TYPE_CHECKING:
    from gymnasium import spaces


class TaskEnv(gymnasium.Env[Any, Any]):
    """The vector environment with one world, and the same bits."""

    def __init__(self, task: Task, **options: Any) -> None:
        """Make one.

        Args:
            task: The task.
            options: Of ``TaskVectorEnv``.
        """
        self.vector: TaskVectorEnv = TaskVectorEnv(
            task, 1, autoreset_mode=AutoresetMode.DISABLED, **options
        )
        self.render_mode: str | None = self.vector.render_mode
        names = ("render_modes", "render_fps")
        self.metadata: dict[str, Any] = {name: self.vector.metadata[name] for name in names}
        self.action_space: spaces.Space[Any] = task.action_space
        self.observation_space: spaces.Space[Any] = self.vector.single_observation_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        observations, infos = self.vector.reset(seed=seed, options=options)
        return of_world(observations, 0), _own(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Step the world.

        Raises:
            InvalidArgumentError: The action has another shape, or is not finite.
        """
        given = np.asarray(action)
        if given.shape != self.action_space.shape:
            raise InvalidArgumentError("action", given.shape, f"shape {self.action_space.shape}")
        observations, rewards, ends, cuts, infos = self.vector.step(given[None])
        seen, reward = of_world(observations, 0), float(rewards[0])
        return seen, reward, bool(ends[0]), bool(cuts[0]), _own(infos)

    def render(self) -> Any:
        """A picture, (height, width, 3) of uint8."""
        found = self.vector.render()
        return None if found is None else found[0]

    def close(self) -> None:
        """End what takes pictures."""
        self.vector.close()


def _own(infos: dict[str, Any]) -> dict[str, Any]:
    return {name: values[0].item() for name, values in infos.items() if name[0] != "_"}
