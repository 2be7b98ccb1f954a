"""PPO of stable-baselines3 for the worlds of a task."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize

from unibody.envs.stable_baselines import StableBaselinesEnv
from unibody.envs.training import Policy, Told
from unibody.envs.training_settings import Settings
from unibody.errors import InvalidArgumentError

_ALGORITHMS: dict[str, Any] = {"ppo": PPO}
_SCALES = ".scales.pkl"


def make_worlds_of(task: str, count: int, **options: Any) -> StableBaselinesEnv:
    """Worlds of a task for stable-baselines3."""
    vector: Any = gymnasium.make_vec(task, num_envs=count, autoreset_mode="SameStep", **options)
    return StableBaselinesEnv(vector)


class StableBaselinesLearner:
    """See ``Learner``.

    Attributes:
        worlds: Of the task.
        scaled: They, with observations and rewards normalised.
        model: Of stable-baselines3.
    """

    def __init__(self, settings: Settings, folder: Path, start: Path | None) -> None:
        """Begin, or go on from a checkpoint.

        Raises:
            InvalidArgumentError: The scales of the checkpoint are not beside it.
        """
        self._settings = settings
        self.worlds: StableBaselinesEnv = make_worlds_of(settings.task, settings.num_envs)
        if start is None:
            self.scaled = VecNormalize(
                self.worlds, gamma=settings.gamma, clip_reward=settings.clip_reward
            )
            self.model = self._fresh(folder)
        else:
            self.scaled: VecNormalize = VecNormalize.load(str(_scales_of(start)), self.worlds)
            self.model: Any = _ALGORITHMS[settings.algo].load(start, self.scaled, device="cpu")
            self.model.tensorboard_log = str(folder)

    def _fresh(self, folder: Path) -> Any:
        s = self._settings
        return _ALGORITHMS[s.algo](
            "MlpPolicy",
            self.scaled,
            n_steps=s.rollout,
            batch_size=max(s.rollout * s.num_envs // s.minibatches, 2),
            n_epochs=s.epochs,
            learning_rate=s.learning_rate,
            gamma=s.gamma,
            ent_coef=s.entropy,
            policy_kwargs={"net_arch": list(s.layers), "log_std_init": math.log(s.spread)},
            seed=s.seed,
            device="cpu",
            tensorboard_log=str(folder),
        )

    @property
    def steps(self) -> int:  # noqa: D102 - see Learner
        return self.model.num_timesteps

    def learn(self, steps: int, told: Told) -> None:  # noqa: D102 - see Learner
        watch = _Watch(self.worlds, told)
        fresh = self.model.num_timesteps == 0
        self.model.learn(steps, watch, 1, self._settings.algo, reset_num_timesteps=fresh)

    def save(self, policy: Path) -> None:  # noqa: D102 - see Learner
        self.model.save(policy)
        self.scaled.save(str(policy.with_suffix(_SCALES)))

    def close(self) -> None:  # noqa: D102 - see Learner
        self.worlds.close()


class _Watch(BaseCallback):
    """Tells of steps, and logs terms of the reward."""

    def __init__(self, worlds: StableBaselinesEnv, told: Told) -> None:
        super().__init__()
        self._worlds, self._told = worlds, told

    def _on_step(self) -> bool:
        self._told(self.num_timesteps, None)
        return True

    def _on_rollout_end(self) -> None:
        for name, mean in self._worlds.take_terms().items():
            self.logger.record(f"reward/{name}", mean)
        episodes = list(self.model.ep_info_buffer or [])
        if episodes:
            mean = sum(episode["r"] for episode in episodes) / len(episodes)
            self._told(self.num_timesteps, mean)


def _scales_of(policy: Path) -> Path:
    """The scales of the observations of a policy.

    Raises:
        InvalidArgumentError: They are not beside it.
    """
    scales = policy.with_suffix(_SCALES)
    if not scales.is_file():
        raise InvalidArgumentError("checkpoint", str(policy), f"one with {scales.name} beside it")
    return scales


def load_policy(policy: Path) -> tuple[Policy, tuple[int, ...]]:
    """A function from observations, of one world or many, to actions, and an observation's shape.

    Raises:
        InvalidArgumentError: The scales of the checkpoint are not beside it.
    """
    with _scales_of(policy).open("rb") as file:
        scaled: VecNormalize = pickle.load(file)  # of stable-baselines3, as its own ``load`` does
    model = PPO.load(policy, device="cpu")

    def act(seen: Any) -> Any:
        return model.predict(scaled.normalize_obs(seen), deterministic=True)[0]

    return act, tuple(model.observation_space.shape or ())
