"""RLTaskInterface: what an environment asks of a task that is learned."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from unibody.isaac_core.tasks.base_task import BaseTask


class RLTaskInterface(BaseTask, ABC):
    """A task with many environments, actions, observations and rewards.

    Derived classes set `_num_envs`, `_num_actions`, `_num_observations`, `_num_states` and
    `_num_agents`, and the buffers `states_buf` and `extras`.
    """

    _num_envs: int
    _num_actions: int
    _num_observations: int
    _num_states: int
    _num_agents: int
    states_buf: Any
    extras: dict[str, Any]

    @property
    def num_envs(self) -> int:
        """Environments."""
        return self._num_envs

    @property
    def num_actions(self) -> int:
        """Numbers of an action."""
        return self._num_actions

    @property
    def num_observations(self) -> int:
        """Numbers of an observation."""
        return self._num_observations

    @property
    def num_states(self) -> int:
        """Numbers that only the critic of a training gets."""
        return self._num_states

    @property
    def num_agents(self) -> int:
        """Agents of an environment."""
        return self._num_agents

    def get_states(self) -> Any:
        """What only the critic gets."""
        return self.states_buf

    def get_extras(self) -> dict[str, Any]:
        """What else is told of a step."""
        return self.extras

    @abstractmethod
    def reset(self) -> None:
        """Let all environments begin anew with the next step."""

    @abstractmethod
    def pre_physics_step(self, actions: Any) -> None:
        """Apply actions, before the physics moves on."""

    @abstractmethod
    def post_physics_step(self) -> tuple[Any, Any, Any, Any]:
        """Observations, rewards, which environments ended, and what else is told."""
