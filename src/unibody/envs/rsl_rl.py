"""A vector environment as rsl-rl wants it."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.utils import RunningMeanStd
from numpy.typing import NDArray
from rsl_rl.env import VecEnv
from tensordict import TensorDict

from unibody.envs.vector import TaskVectorEnv
from unibody.errors import InvalidArgumentError, NotSupportedError

Array = NDArray[Any]
_KEPT = 100  # episodes that the mean return is of


class RslRlEnv(VecEnv):
    """Worlds for rsl-rl: one group of observations, "policy"; actions are clipped to their space.

    Rewards are divided by the spread of the discounted return, as it has been so far: rsl-rl takes
    them as they come, and its steps suit returns of about 1.

    Attributes:
        vector: The vector environment, with the autoreset mode "SameStep".
        spread: What rewards are divided by, and how it was found.
        returns: Of the last episodes, as the task pays.
    """

    def __init__(
        self,
        vector: Any,
        most_steps: int,
        *,
        gamma: float = 0.99,
        clip_reward: float = 10.0,
    ) -> None:
        """Make one.

        Args:
            vector: ``TaskVectorEnv`` or ``RayVectorEnv``.
            most_steps: Of an episode.
            gamma: Discount of a step, of the return that rewards are divided by the spread of.
            clip_reward: Largest reward after that.

        Raises:
            InvalidArgumentError: The autoreset mode is another.
            NotSupportedError: Actions are no numbers within bounds.
        """
        if vector.metadata["autoreset_mode"] is not AutoresetMode.SAME_STEP:
            mode = vector.metadata["autoreset_mode"].value
            raise InvalidArgumentError("autoreset_mode", mode, "'SameStep'")
        space = vector.single_action_space
        if not isinstance(space, Box):
            raise NotSupportedError(
                f"actions of {type(space).__name__} with rsl-rl",
                "--library stable-baselines3 has policies for them",
            )
        self.vector = vector
        self.num_envs: int = vector.num_envs
        self.num_actions: int = int(np.prod(space.shape))
        self.max_episode_length = most_steps
        self.device = torch.device("cpu")
        self.cfg = {"num_envs": vector.num_envs}
        self.spread: RunningMeanStd = RunningMeanStd(shape=())
        self.returns: deque[float] = deque(maxlen=_KEPT)
        self._gamma, self._clip = gamma, clip_reward
        self._low, self._high = space.low, space.high
        self._discounted, self._sums = np.zeros(self.num_envs), np.zeros(self.num_envs)
        self._lengths = torch.zeros(self.num_envs, dtype=torch.long)
        self._seen: Array | None = None

    @property
    def episode_length_buf(self) -> Any:
        """Steps since each episode began, (N,); those of ``TaskVectorEnv`` can be set."""
        return self._lengths

    @episode_length_buf.setter
    def episode_length_buf(self, lengths: Any) -> None:  # type: ignore[override]
        if not isinstance(self.vector, TaskVectorEnv):
            raise NotSupportedError(
                "lengths of episodes on workers", "learn with init_at_random_ep_len=False"
            )
        self._lengths = lengths.clone()
        self.vector.sim.steps[:] = lengths.numpy()

    def reset(self, seed: int | None = None) -> TensorDict:
        """Begin an episode in all worlds; world i gets the seed ``seed`` + i."""
        self._seen = self.vector.reset(seed=seed)[0]
        self._lengths[:] = 0
        self._discounted[:] = self._sums[:] = 0.0
        return self.get_observations()

    def get_observations(self) -> TensorDict:
        """The present observations."""
        if self._seen is None:
            return self.reset()
        return self._named(self._seen)

    def _named(self, seen: Array) -> TensorDict:
        return TensorDict(
            {"policy": torch.from_numpy(np.array(seen, np.float32))}, batch_size=[self.num_envs]
        )

    def step(self, actions: Any) -> tuple[TensorDict, Any, Any, dict[str, Any]]:
        """Step all worlds.

        Args:
            actions: (N, numbers).

        Returns:
            Observations, rewards, where an episode ended, and "time_outs" and "log": terms of the
            reward.
        """
        shape = self.vector.action_space.shape
        given = np.clip(actions.detach().numpy().reshape(shape), self._low, self._high)
        self._seen, rewards, ends, cuts, infos = self.vector.step(given)
        done = ends | cuts
        self._sums += rewards
        self._discounted = self._gamma * self._discounted + rewards
        self.spread.update(self._discounted)
        scaled = np.clip(rewards / np.sqrt(self.spread.var + 1e-8), -self._clip, self._clip)
        self.returns.extend(self._sums[done].tolist())
        self._sums[done] = self._discounted[done] = 0.0
        self._lengths += 1
        self._lengths[torch.from_numpy(done)] = 0
        terms = {
            f"reward/{name.removeprefix('reward_')}": float(values.mean())
            for name, values in infos.items()
            if name.startswith("reward_")
        }
        extras = {"time_outs": torch.from_numpy(cuts & ~ends).float(), "log": terms}
        return (
            self.get_observations(),
            torch.from_numpy(scaled.astype(np.float32)),
            torch.from_numpy(done).long(),
            extras,
        )
