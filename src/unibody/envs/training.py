"""A training: its folder, its checkpoints, and what happens when somebody interrupts it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import torch
from tqdm import tqdm

from unibody.envs.training_settings import RSL_RL, STABLE_BASELINES, Settings
from unibody.errors import InvalidArgumentError

_SETTINGS = "training.json"
_SUFFIXES = {STABLE_BASELINES: ".zip", RSL_RL: ".pt"}
Told = Callable[[int, float | None], None]
Policy = Callable[[Any], Any]


class Learner(Protocol):
    """A policy that an algorithm of a library improves, and its worlds.

    Attributes:
        steps: That the worlds have made, of all of them together.
    """

    @property
    def steps(self) -> int: ...  # noqa: D102 - above

    def learn(self, steps: int, told: Told) -> None:
        """Make so many steps more; tell of those made, and of the mean return where it changed."""
        ...

    def save(self, policy: Path) -> None:
        """Write a checkpoint."""
        ...

    def close(self) -> None:
        """End the worlds."""
        ...


def leave_cores_to_worlds() -> None:
    """Have torch work in one thread: policies are small, and its waiting threads hold cores."""
    torch.set_num_threads(1)


class Training:
    """A learner and its folder.

    Attributes:
        settings: See ``Settings``.
        folder: Checkpoints, ``training.json`` and what TensorBoard reads.
        learner: See ``Learner``.
    """

    def __init__(self, settings: Settings, folder: Path, resumed: Path | None = None) -> None:
        """Begin a training, or go on with one from a checkpoint.

        Raises:
            InvalidArgumentError: There is no such checkpoint of this library.
            NotSupportedError: The library has no policy for the actions of the task.
        """
        leave_cores_to_worlds()
        start = None if resumed is None else checkpoint_of(resumed, settings.library)
        self.settings: Settings = settings
        self.folder: Path = folder
        self.learner: Learner = _learner(settings, folder, start)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _SETTINGS).write_text(json.dumps(asdict(settings), indent=1))

    def save(self, name: str) -> Path:
        """Write a checkpoint."""
        policy = self.folder / f"{name}{_SUFFIXES[self.settings.library]}"
        self.learner.save(policy)
        return policy

    def run(self, every: int = 100_000, say: Callable[[str], None] = print) -> bool:
        """Train; what is learnt is kept when somebody interrupts.

        Args:
            every: Steps between two checkpoints.
            say: Told what was saved.

        Returns:
            False if it was interrupted.
        """
        done = self.learner.steps
        left = self.settings.steps - done
        complete = True
        if left > 0:
            with tqdm(total=self.settings.steps, initial=done, unit="step") as bar:
                try:
                    self.learner.learn(left, _Progress(self, bar, every))
                except KeyboardInterrupt:
                    complete = False
        say(f"saved {self.save('last')} after {self.learner.steps} steps")
        return complete


class _Progress:
    """Moves the bar, and writes checkpoints."""

    def __init__(self, training: Training, bar: Any, every: int) -> None:
        self._training, self._bar, self._every = training, bar, every
        self._next = training.learner.steps + every

    def __call__(self, steps: int, mean: float | None) -> None:
        self._bar.update(steps - self._bar.n)
        if mean is not None:
            self._bar.set_postfix_str(f"return {mean:.1f}")
        if steps >= self._next:
            self._next += self._every
            self._training.save(f"step_{steps}")


def _learner(settings: Settings, folder: Path, start: Path | None) -> Learner:
    """The algorithm of a library; only this library is imported."""
    if settings.library == RSL_RL:
        from unibody.envs.rsl_rl_learner import RslRlLearner

        return RslRlLearner(settings, folder, start)
    from unibody.envs.stable_baselines_learner import StableBaselinesLearner

    return StableBaselinesLearner(settings, folder, start)


def library_of(checkpoint: Path) -> str:
    """Which library a checkpoint is of.

    Args:
        checkpoint: A file that ``Training.save`` wrote, or the folder of a training.
    """
    if checkpoint.is_dir():
        try:
            return json.loads((checkpoint / _SETTINGS).read_text()).get("library", STABLE_BASELINES)
        except (OSError, ValueError):
            return STABLE_BASELINES
    return RSL_RL if checkpoint.suffix == _SUFFIXES[RSL_RL] else STABLE_BASELINES


def checkpoint_of(checkpoint: Path, library: str) -> Path:
    """The file of a checkpoint.

    Args:
        checkpoint: It, or the folder of a training, of which it is the last.
        library: Of which it has to be.

    Raises:
        InvalidArgumentError: There is none.
    """
    suffix = _SUFFIXES[library]
    policy = checkpoint / f"last{suffix}" if checkpoint.is_dir() else checkpoint
    if policy.suffix != suffix or not policy.is_file():
        allowed = f"a {suffix} of unibody train --library {library} that is there"
        raise InvalidArgumentError("checkpoint", str(checkpoint), allowed)
    return policy


def policy_of_checkpoint(checkpoint: Path, shape: tuple[int, ...] | None = None) -> Policy:
    """What a checkpoint does: a function from observations to actions, without chance.

    Args:
        checkpoint: A file that ``Training.save`` wrote, or the folder of a training.
        shape: Of an observation of the task that it is to act in; None: any.

    Raises:
        InvalidArgumentError: There is no such checkpoint, or it saw observations of another shape.
    """
    leave_cores_to_worlds()
    library = library_of(checkpoint)
    policy = checkpoint_of(checkpoint, library)
    if library == RSL_RL:
        from unibody.envs.rsl_rl_learner import load_policy
    else:
        from unibody.envs.stable_baselines_learner import load_policy
    act, seen = load_policy(policy)
    if shape is not None and seen != shape:
        allowed = f"a policy of this task, of observations of shape {shape}, not {seen}"
        raise InvalidArgumentError("checkpoint", str(checkpoint), allowed)
    return act
