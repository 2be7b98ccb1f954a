"""A vector environment as stable-baselines3 wants it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from unibody.envs.vector import TaskVectorEnv
from unibody.errors import NotSupportedError

Array = NDArray[Any]


class StableBaselinesEnv(VecEnv):
    """Worlds for stable-baselines3, with one dict of infos a world only where something ended.

    Attributes:
        vector: The vector environment, with the autoreset mode "SameStep".
    """

    def __init__(self, vector: TaskVectorEnv) -> None:
        self.vector = vector
        self.render_mode: str | None = vector.render_mode
        self._returns = np.zeros(vector.num_envs)
        self._lengths = np.zeros(vector.num_envs, np.int64)
        self._actions: Any = None
        self._sums: dict[str, float] = {}
        self._counted = 0
        super().__init__(
            vector.num_envs, vector.single_observation_space, vector.single_action_space
        )

    def reset(self) -> Array:
        """Begin an episode in all worlds, with the seed that was set, if one was."""
        self._returns[:], self._lengths[:] = 0.0, 0
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        observations, _ = self.vector.reset(seed=seeds)
        self._reset_seeds()
        return observations

    def step_async(self, actions: Array) -> None:
        """Take note of actions."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Step all worlds."""
        observations, rewards, ends, cuts, infos = self.vector.step(self._actions)
        done = ends | cuts
        self._returns += rewards
        self._lengths += 1
        self._add_terms(infos)
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for world in np.flatnonzero(done).tolist():
            told[world] = {
                "terminal_observation": infos["final_obs"][world],
                "TimeLimit.truncated": bool(cuts[world] and not ends[world]),
                "episode": {"r": float(self._returns[world]), "l": int(self._lengths[world])},
            }
            if "is_success" in infos["final_info"]:
                told[world]["is_success"] = bool(infos["final_info"]["is_success"][world])
        self._returns[done], self._lengths[done] = 0.0, 0
        return observations, rewards.astype(np.float32), done, told

    def _add_terms(self, infos: dict[str, Any]) -> None:
        for name, values in infos.items():
            if name.startswith("reward_"):
                short = name.removeprefix("reward_")
                self._sums[short] = self._sums.get(short, 0.0) + float(values.mean())
        self._counted += 1

    def take_terms(self) -> dict[str, float]:
        """Means of the terms of the reward, of a step since the last call."""
        means = {name: total / max(self._counted, 1) for name, total in self._sums.items()}
        self._sums, self._counted = {}, 0
        return means

    def close(self) -> None:
        """Close the vector environment."""
        self.vector.close()

    def get_images(self) -> Sequence[Array | None]:
        """Pictures of all worlds."""
        return self.vector.render() or [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the vector environment, once for each world asked for."""
        return [getattr(self.vector, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: worlds have no attributes of their own."""
        raise NotSupportedError("attributes of single worlds", "set them on the task")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Refused: worlds have no methods of their own."""
        raise NotSupportedError("methods of single worlds", "call those of the vector environment")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No world is wrapped."""
        return [False] * len(list(self._get_indices(indices)))
