"""Settings of a training, and what differs from the defaults by task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unibody.envs.registry import full_name
from unibody.errors import InvalidArgumentError

ALGORITHMS = ("ppo",)
STABLE_BASELINES, RSL_RL = "stable-baselines3", "rsl-rl"
LIBRARIES = (STABLE_BASELINES, RSL_RL)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a training is made with.

    Attributes:
        task: The id of the task.
        algo: The algorithm, one of ``ALGORITHMS``.
        library: Whose algorithm, one of ``LIBRARIES``.
        num_envs: Number of worlds.
        steps: Of all worlds together.
        seed: Of worlds and policy.
        rollout: Steps of each world between two updates of the policy.
        minibatches: Of an update.
        epochs: Of an update.
        learning_rate: Of the optimiser; rsl-rl begins with it.
        gamma: Discount of a step.
        entropy: Weight of the entropy bonus.
        clip_reward: Largest normalised reward.
        layers: Widths of the hidden layers.
        spread: Standard deviation of actions at first.
        divergence: Of the policy in an update, which rsl-rl fits its learning rate to.
    """

    task: str
    algo: str = "ppo"
    library: str = STABLE_BASELINES
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
    spread: float = 1.0
    divergence: float = 0.01


_LOCOMOTION: dict[str, Any] = {
    "library": RSL_RL,
    "num_envs": 128,
    "rollout": 32,
    "epochs": 5,
    "learning_rate": 1e-3,
    "entropy": 0.0,
    "spread": 0.4,
    "divergence": 0.03,
}
_HANDLING: dict[str, Any] = {
    "library": RSL_RL,
    "num_envs": 128,
    "rollout": 32,
    "epochs": 5,
    "learning_rate": 1e-3,
    "gamma": 0.95,
    "entropy": 0.002,
    "spread": 0.7,
    "divergence": 0.02,
}
OF_TASKS: dict[str, dict[str, Any]] = {
    "unibody/CartPole-v0": {"num_envs": 32, "steps": 200_000, "layers": (64, 64)},
    "unibody/Pendulum-v0": {"num_envs": 32, "steps": 400_000, "gamma": 0.95, "layers": (64, 64)},
    "unibody/Reach-v0": {"num_envs": 64, "steps": 600_000, "gamma": 0.95},
    "unibody/Hopper-v0": {"steps": 500_000},
    "unibody/Ant-v0": {"num_envs": 256},
    "unibody/QuadrupedFlat-v0": {**_LOCOMOTION, "steps": 1_500_000},
    "unibody/QuadrupedRough-v0": {**_LOCOMOTION, "steps": 10_000_000},
    "unibody/Push-v0": {**_HANDLING, "steps": 2_000_000},
    "unibody/PickAndPlace-v0": {**_HANDLING, "steps": 1_000_000},
    "unibody/Humanoid-v0": {"num_envs": 256, "steps": 20_000_000},
}
"""What differs from the defaults, by task."""


def settings_of(task: str, **stated: Any) -> Settings:
    """The settings for a task, where those stated are not None.

    Raises:
        InvalidArgumentError: Gymnasium knows no such task, or there is no such algorithm or
            library.
    """
    task = full_name(task)
    given = {name: value for name, value in stated.items() if value is not None}
    settings = Settings(task, **{**OF_TASKS.get(task, {}), **given})
    if settings.algo not in ALGORITHMS:
        raise InvalidArgumentError("algo", settings.algo, f"one of {sorted(ALGORITHMS)}")
    if settings.library not in LIBRARIES:
        raise InvalidArgumentError("library", settings.library, f"one of {sorted(LIBRARIES)}")
    return settings
