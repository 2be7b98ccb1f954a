"""Training of policies with stable-baselines3: settings, checkpoints, resuming."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gymnasium
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize
from tqdm import tqdm

from unibody.command_parser import meant
from unibody.envs.stable_baselines import StableBaselinesEnv
from unibody.errors import InvalidArgumentError

ALGORITHMS: dict[str, Any] = {"ppo": PPO}
_SETTINGS = "training.json"
_POLICY, _SCALES = ".zip", ".scales.pkl"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a training is made with.

    Attributes:
        task: The id of the task.
        algo: The algorithm, one of ``ALGORITHMS``.
        num_envs: Number of worlds.
        steps: Of all worlds together.
        seed: Of worlds and policy.
        rollout: Steps of each world between two updates of the policy.
        minibatches: Of an update.
        epochs: Of an update.
        learning_rate: Of the optimiser.
        gamma: Discount of a step.
        entropy: Weight of the entropy bonus.
        clip_reward: Largest normalised reward.
        layers: Widths of the hidden layers.
    """

    task: str
    algo: str = "ppo"
    num_envs: int = 64
    steps: int = 1_000_000
    seed: int = 0
    rollout: int = 32
    minibatches: int = 4
    epochs: int = 8
    learning_rate: float = 5e-4
    gamma: float = 0.99
    entropy: float = 0.0
    clip_reward: float = 10.0
    layers: tuple[int, ...] = (128, 128)


OF_TASKS: dict[str, dict[str, Any]] = {
    "unibody/CartPole-v0": {"num_envs": 32, "steps": 200_000, "layers": (64, 64)},
    "unibody/Pendulum-v0": {"num_envs": 32, "steps": 400_000, "gamma": 0.95, "layers": (64, 64)},
    "unibody/Reach-v0": {"num_envs": 64, "steps": 600_000, "gamma": 0.95},
    "unibody/Ant-v0": {"num_envs": 256, "steps": 4_000_000},
    "unibody/Humanoid-v0": {"num_envs": 256, "steps": 20_000_000},
}
"""What differs from the defaults, by task."""


def settings_of(task: str, **stated: Any) -> Settings:
    """The settings for a task, where those stated are not None.

    Raises:
        InvalidArgumentError: Gymnasium knows no such task, or there is no such algorithm.
    """
    if task not in gymnasium.registry:
        known = [name for name in gymnasium.registry if "unibody." in _entry(name)]
        short = [name.rpartition("/")[2].removesuffix("-v0") for name in known]
        hint = meant(task, [*known, *short])
        raise InvalidArgumentError("task", task, f"one of {sorted(known)}{hint}")
    given = {name: value for name, value in stated.items() if value is not None}
    settings = Settings(task, **{**OF_TASKS.get(task, {}), **given})
    if settings.algo not in ALGORITHMS:
        raise InvalidArgumentError("algo", settings.algo, f"one of {sorted(ALGORITHMS)}")
    return settings


def _entry(name: str) -> str:
    return str(gymnasium.registry[name].entry_point)


def make_worlds_of(task: str, count: int, **options: Any) -> StableBaselinesEnv:
    """Worlds of a task for stable-baselines3."""
    vector: Any = gymnasium.make_vec(task, num_envs=count, autoreset_mode="SameStep", **options)
    return StableBaselinesEnv(vector)


def leave_cores_to_worlds() -> None:
    """Have torch work in one thread: policies are small, and its waiting threads hold cores."""
    torch.set_num_threads(1)


class Training:
    """A policy, its worlds and its folder.

    Attributes:
        settings: See ``Settings``.
        folder: Checkpoints, ``training.json`` and what TensorBoard reads.
        model: Of stable-baselines3.
    """

    def __init__(self, settings: Settings, folder: Path, resumed: Path | None = None) -> None:
        """Begin a training, or go on with one from a checkpoint.

        Raises:
            InvalidArgumentError: There is no such checkpoint.
        """
        leave_cores_to_worlds()
        self.settings, self.folder = settings, folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _SETTINGS).write_text(json.dumps(asdict(settings), indent=1))
        self.worlds = make_worlds_of(settings.task, settings.num_envs)
        if resumed is None:
            self.scaled = VecNormalize(
                self.worlds, gamma=settings.gamma, clip_reward=settings.clip_reward
            )
            self.model = self._fresh()
        else:
            policy, scales = files_of(resumed)
            self.scaled = VecNormalize.load(str(scales), self.worlds)
            self.model = ALGORITHMS[settings.algo].load(policy, self.scaled, device="cpu")
            self.model.tensorboard_log = str(folder)

    def _fresh(self) -> Any:
        s = self.settings
        return ALGORITHMS[s.algo](
            "MlpPolicy",
            self.scaled,
            n_steps=s.rollout,
            batch_size=max(s.rollout * s.num_envs // s.minibatches, 2),
            n_epochs=s.epochs,
            learning_rate=s.learning_rate,
            gamma=s.gamma,
            ent_coef=s.entropy,
            policy_kwargs={"net_arch": list(s.layers)},
            seed=s.seed,
            device="cpu",
            tensorboard_log=str(self.folder),
        )

    def save(self, name: str) -> Path:
        """Write a checkpoint."""
        policy = self.folder / f"{name}{_POLICY}"
        self.model.save(policy)
        self.scaled.save(str(policy.with_suffix(_SCALES)))
        return policy

    def run(self, every: int = 100_000, say: Callable[[str], None] = print) -> bool:
        """Train; what is learnt is kept when somebody interrupts.

        Args:
            every: Steps between two checkpoints.
            say: Told what was saved.

        Returns:
            False if it was interrupted.
        """
        done = self.model.num_timesteps
        left = self.settings.steps - done
        complete = True
        if left > 0:
            with tqdm(total=self.settings.steps, initial=done, unit="step") as bar:
                try:
                    watch = _Watch(self, bar, every)
                    name = self.settings.algo
                    self.model.learn(left, watch, 1, name, reset_num_timesteps=done == 0)
                except KeyboardInterrupt:
                    complete = False
        say(f"saved {self.save('last')} after {self.model.num_timesteps} steps")
        return complete


class _Watch(BaseCallback):
    """Moves the bar, logs terms of the reward, and writes checkpoints."""

    def __init__(self, training: Training, bar: Any, every: int) -> None:
        super().__init__()
        self._training, self._bar, self._every = training, bar, every
        self._next = training.model.num_timesteps + every

    def _on_step(self) -> bool:
        self._bar.update(self.num_timesteps - self._bar.n)
        if self.num_timesteps >= self._next:
            self._next += self._every
            self._training.save(f"step_{self.num_timesteps}")
        return True

    def _on_rollout_end(self) -> None:
        for name, mean in self._training.worlds.take_terms().items():
            self.logger.record(f"reward/{name}", mean)
        episodes = list(self.model.ep_info_buffer or [])
        if episodes:
            mean = sum(episode["r"] for episode in episodes) / len(episodes)
            self._bar.set_postfix_str(f"return {mean:.1f}")


def files_of(checkpoint: Path) -> tuple[Path, Path]:
    """The policy of a checkpoint, and the scales of its observations.

    Args:
        checkpoint: A file that ``Training.save`` wrote, or a folder with a ``last.zip``.

    Raises:
        InvalidArgumentError: There is none.
    """
    policy = checkpoint / f"last{_POLICY}" if checkpoint.is_dir() else checkpoint
    scales = policy.with_suffix(_SCALES)
    if not (policy.is_file() and scales.is_file()):
        raise InvalidArgumentError("checkpoint", str(checkpoint), "a .zip of unibody train")
    return policy, scales


def policy_of_checkpoint(checkpoint: Path) -> Callable[[Any], Any]:
    """What a checkpoint does: a function from an observation to an action, without chance.

    Raises:
        InvalidArgumentError: There is no such checkpoint.
    """
    leave_cores_to_worlds()
    policy, scales = files_of(checkpoint)
    with scales.open("rb") as file:
        scaled: VecNormalize = pickle.load(file)  # of stable-baselines3, as its own ``load`` does
    model = PPO.load(policy, device="cpu")
    return lambda seen: model.predict(scaled.normalize_obs(seen), deterministic=True)[0]


class Player:
    """A policy of a checkpoint that acts in worlds of its task."""

    def __init__(self, task: str, checkpoint: Path, count: int = 1, **options: Any) -> None:
        """Load a checkpoint.

        Raises:
            InvalidArgumentError: There is none.
        """
        leave_cores_to_worlds()
        policy, scales = files_of(checkpoint)
        self.worlds = make_worlds_of(task, count, **options)
        self._scaled = VecNormalize.load(str(scales), self.worlds)
        self._scaled.training = False
        self.model = PPO.load(policy, device="cpu")

    def episodes(
        self, count: int, seed: int = 0, after_step: Callable[[], None] | None = None
    ) -> list[dict[str, Any]]:
        """Play so many episodes, without chance in the actions.

        Returns:
            Of each "return", "length", and "success" where the task has a goal.
        """
        self.worlds.seed(seed)
        observations: Any = self.worlds.reset()
        found: list[dict[str, Any]] = []
        while len(found) < count:
            scaled = self._scaled.normalize_obs(observations)
            actions, _ = self.model.predict(scaled, deterministic=True)
            observations, _, _, infos = self.worlds.step(actions)
            if after_step is not None:
                after_step()
            for info in infos:
                if "episode" in info:
                    own = {"return": info["episode"]["r"], "length": info["episode"]["l"]}
                    if "is_success" in info:
                        own["success"] = info["is_success"]
                    found.append(own)
        return found[:count]
