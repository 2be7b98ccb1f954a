"""Episodes of a policy in worlds of its task."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from unibody.envs.training import policy_of_checkpoint
from unibody.envs.vector import TaskVectorEnv


class Player:
    """A policy of a checkpoint that acts in worlds of its task.

    Attributes:
        vector: The worlds.
    """

    def __init__(self, task: str, checkpoint: Path, count: int = 1, **options: Any) -> None:
        """Load a checkpoint.

        Raises:
            InvalidArgumentError: There is none, or it is of another task.
        """
        vector: Any = gymnasium.make_vec(task, num_envs=count, autoreset_mode="SameStep", **options)
        self.vector: TaskVectorEnv = vector
        self._policy = policy_of_checkpoint(checkpoint, vector.single_observation_space.shape)

    def episodes(
        self, count: int, seed: int = 0, after_step: Callable[[], None] | None = None
    ) -> list[dict[str, Any]]:
        """Play so many episodes, without chance in the actions; each world plays as many.

        Returns:
            Of each "return", "length", and "success" where the task has a goal.
        """
        vector = self.vector
        each = -(-count // vector.num_envs)  # short episodes must not crowd out long ones
        played = np.zeros(vector.num_envs, np.int64)
        returns, lengths = np.zeros(vector.num_envs), np.zeros(vector.num_envs, np.int64)
        observations, _ = vector.reset(seed=seed)
        found: list[dict[str, Any]] = []
        while played.min() < each:
            observations, rewards, ends, cuts, infos = vector.step(self._policy(observations))
            if after_step is not None:
                after_step()
            returns += rewards
            lengths += 1
            done = ends | cuts
            for world in np.flatnonzero(done & (played < each)).tolist():
                own = {"return": float(returns[world]), "length": int(lengths[world])}
                if "is_success" in infos["final_info"]:
                    own["success"] = bool(infos["final_info"]["is_success"][world])
                found.append(own)
            played += done
            returns[done], lengths[done] = 0.0, 0
        return found[:count]
