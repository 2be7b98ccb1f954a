"""PPO of rsl-rl for the worlds of a task."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from rsl_rl.env import VecEnv
from rsl_rl.runners import OnPolicyRunner
from tensordict import TensorDict

from unibody.envs.rsl_rl import RslRlEnv
from unibody.envs.training import Policy, Told
from unibody.envs.training_settings import Settings


class RslRlLearner:
    """See ``Learner``.

    Attributes:
        worlds: Of the task.
        runner: Of rsl-rl.
    """

    def __init__(self, settings: Settings, folder: Path, start: Path | None) -> None:
        """Begin, or go on from a checkpoint.

        Raises:
            NotSupportedError: Actions of the task are no numbers within bounds.
        """
        torch.manual_seed(settings.seed)
        self._settings = settings
        self._each = settings.rollout * settings.num_envs  # steps of an iteration
        vector: Any = gymnasium.make_vec(
            settings.task, num_envs=settings.num_envs, autoreset_mode="SameStep"
        )
        most = gymnasium.spec(settings.task).max_episode_steps or 1000
        self.worlds: RslRlEnv = RslRlEnv(
            vector, most, gamma=settings.gamma, clip_reward=settings.clip_reward
        )
        self.worlds.reset(settings.seed)
        self.runner: _Runner = _Runner(self.worlds, _config(settings), str(folder))
        self.steps = 0
        if start is not None:
            kept = self.runner.load(str(start))
            self.steps = kept["steps"]
            spread = self.worlds.spread
            spread.mean, spread.var, spread.count = kept["spread"]

    def learn(self, steps: int, told: Told) -> None:  # noqa: D102 - see Learner
        self.runner.current_learning_iteration = self.steps // self._each
        self.runner.after = lambda: self._after(told)
        self.runner.learn(-(-steps // self._each), init_at_random_ep_len=True)

    def _after(self, told: Told) -> None:
        """Count and log an iteration."""
        self.steps += self._each
        returns = self.worlds.returns
        mean = sum(returns) / len(returns) if returns else None
        if mean is not None:
            self.runner.write("rollout/ep_rew_mean", mean, self.steps)
        told(self.steps, mean)

    def save(self, policy: Path) -> None:  # noqa: D102 - see Learner
        space, spread = self.worlds.vector.single_action_space, self.worlds.spread
        kept = {
            "steps": self.steps,
            "spread": (spread.mean, spread.var, spread.count),
            "observations": self.worlds.vector.single_observation_space.shape,
            "actions": (space.shape, space.low, space.high),
            "layers": self._settings.layers,
        }
        OnPolicyRunner.save(self.runner, str(policy), kept)
        self.runner.flush()

    def close(self) -> None:  # noqa: D102 - see Learner
        self.worlds.vector.close()


class _Runner(OnPolicyRunner):
    """Without pages on the terminal, the changes of the user's repository, and names of files.

    Attributes:
        after: Called after each iteration.
    """

    after: Callable[[], None]

    def __init__(self, env: VecEnv, config: dict[str, Any], folder: str | None) -> None:
        with contextlib.redirect_stdout(io.StringIO()):  # it prints its networks
            super().__init__(env, config, log_dir=folder, device="cpu")
        self.logger.git_status_repos = []
        self._log: Any = self.logger.log
        self.logger.log = self._quietly

    def _quietly(self, *given: Any, **named: Any) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            self._log(*given, **named)
        self.after()

    def write(self, name: str, value: float, step: int) -> None:
        """Log a number for TensorBoard."""
        writer: Any = self.logger.writer
        writer.add_scalar(name, value, step)

    def flush(self) -> None:
        """Write what was logged so far."""
        writer: Any = self.logger.writer
        if writer is not None:
            writer.flush()

    def save(self, path: str, infos: dict[str, Any] | None = None) -> None:
        """Nothing: ``Training`` says when, and under which name."""


def _config(settings: Settings) -> dict[str, Any]:
    network = {
        "class_name": "MLPModel",
        "hidden_dims": list(settings.layers),
        "activation": "elu",
        "obs_normalization": True,
    }
    spread = {"class_name": "GaussianDistribution", "init_std": settings.spread, "std_type": "log"}
    return {
        "seed": settings.seed,
        "num_steps_per_env": settings.rollout,
        "save_interval": 1,
        "logger": "tensorboard",
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": {**network, "distribution_cfg": spread},
        "critic": dict(network),
        "algorithm": {
            "class_name": "PPO",
            "learning_rate": settings.learning_rate,
            "schedule": "adaptive",
            "desired_kl": settings.divergence,
            "num_learning_epochs": settings.epochs,
            "num_mini_batches": settings.minibatches,
            "gamma": settings.gamma,
            "lam": 0.95,
            "clip_param": 0.2,
            "entropy_coef": settings.entropy,
            "value_loss_coef": 1.0,
            "use_clipped_value_loss": True,
            "max_grad_norm": 1.0,
            "rnd_cfg": None,
            "symmetry_cfg": None,
        },
    }


class _Shapes(VecEnv):
    """Shapes of observations and actions, for a policy that acts in no worlds of its own."""

    def __init__(self, observations: tuple[int, ...], actions: int) -> None:
        self.num_envs, self.num_actions, self.max_episode_length = 1, actions, 1
        self.episode_length_buf = torch.zeros(1, dtype=torch.long)
        self.device, self.cfg = torch.device("cpu"), {}
        self._zeros = torch.zeros(1, *observations)

    def get_observations(self) -> TensorDict:
        return TensorDict({"policy": self._zeros}, batch_size=[1])

    def step(self, actions: Any) -> Any:
        raise NotImplementedError("these are no worlds")


def load_policy(policy: Path) -> tuple[Policy, tuple[int, ...]]:
    """A function from observations, of one world or many, to actions, and their shape."""
    kept = torch.load(policy, map_location="cpu", weights_only=False)["infos"]
    observed = tuple(kept["observations"])
    shape, low, high = kept["actions"]
    settings = Settings("", layers=tuple(kept["layers"]))
    runner = _Runner(_Shapes(observed, int(np.prod(shape))), _config(settings), None)
    runner.load(str(policy), load_cfg={"actor": True})
    network = runner.get_inference_policy("cpu")

    def act(seen: Any) -> Any:
        given = np.asarray(seen, np.float32)
        many = given.reshape(-1, *observed)
        with torch.inference_mode():
            named = TensorDict({"policy": torch.from_numpy(many)}, batch_size=[len(many)])
            found = network(named).numpy().reshape(len(many), *shape)
        own = np.clip(found, low, high)
        return own if given.ndim > len(observed) else own[0]

    return act, observed
