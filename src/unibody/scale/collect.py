"""Episodes of a policy as a data set: `unibody collect`."""

from __future__ import annotations

import functools
import importlib
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from numpy.typing import NDArray

from unibody.datasets.frames import Frame, Layout
from unibody.datasets.lerobot import LeRobotWriter
from unibody.errors import InvalidArgumentError
from unibody.scale.cluster import start_ray

RANDOM = "random"
_AHEAD = 2  # episodes for each worker that may be done and not yet written
_RETRIES = 100  # of an episode whose worker was killed
_EVERY = 50  # episodes between two writings of what a folder says of them
Floats = NDArray[np.float32]
Policy = Callable[[NDArray[Any]], Any]


class Episode(NamedTuple):
    """One, as a worker hands it over.

    Attributes:
        states: What the policy saw, (n, ...).
        actions: What it did, (n, ...).
        rewards: (n,).
        ended: Whether it ended by itself; False: it was cut after the most steps.
    """

    states: Floats
    actions: Floats
    rewards: Floats
    ended: bool


def play(task: str, policy: str, seed: int) -> Episode:
    """Play an episode; it depends on its seed alone.

    Args:
        task: The id under which Gymnasium knows the task.
        policy: "random", a checkpoint of `unibody train`, or MODULE:NAME, a function from an
            observation to an action.
        seed: Of the world, and of random actions.
    """
    env, act = _made(task, policy)
    env.action_space.seed(seed)
    states: list[Any] = []
    actions: list[Any] = []
    rewards: list[float] = []
    observation, _ = env.reset(seed=seed)
    ended = cut = False
    while not (ended or cut):
        action = act(observation)
        states.append(np.ravel(observation))
        actions.append(np.ravel(action))
        observation, reward, ended, cut, _ = env.step(action)
        rewards.append(float(reward))
    f32 = np.float32
    return Episode(
        np.asarray(states, f32), np.asarray(actions, f32), np.asarray(rewards, f32), bool(ended)
    )


@functools.lru_cache(maxsize=1)
def _made(task: str, policy: str) -> tuple[gymnasium.Env[Any, Any], Policy]:
    """What a worker needs for each of its episodes."""
    import unibody.envs  # noqa: F401 - Gymnasium knows the tasks then

    env = gymnasium.make(task)
    return env, policy_of(policy, env)


def policy_of(name: str, env: gymnasium.Env[Any, Any]) -> Policy:
    """What acts.

    Raises:
        InvalidArgumentError: There is no such policy.
    """
    if name == RANDOM:
        return lambda _: env.action_space.sample()
    if Path(name).exists():
        from unibody.envs.training import policy_of_checkpoint

        return policy_of_checkpoint(Path(name), env.observation_space.shape)
    module, colon, function = name.partition(":")
    found = getattr(importlib.import_module(module), function, None) if colon else None
    if not callable(found):
        raise InvalidArgumentError("--policy", name, "random, a checkpoint, or MODULE:FUNCTION")
    return found


class Collection(NamedTuple):
    """What is collected.

    Attributes:
        task: The id of the task.
        policy: See ``play``.
        episodes: How many the folder has at the end.
        seed: Of the first episode; others follow.
        folder: Of the data set.
    """

    task: str
    policy: str
    episodes: int
    seed: int
    folder: Path


def collect(
    wanted: Collection,
    workers: int | None,
    address: str | None,
    watch: Callable[[int, Episode], None],
) -> None:
    """Play episodes on workers of Ray, and write them in their order.

    Episodes that a folder has already are not played again. No more of them are under way than two
    a worker, counted from the next to be written: a writer or a worker that is slow holds the
    others up, and memory stays bounded.

    Args:
        wanted: What.
        workers: At most so many at a time; None: as many as there are cores.
        address: Of a cluster of Ray; None: this machine.
        watch: Called with each number and episode that was written.

    Raises:
        InvalidArgumentError: There is no such policy, or it is of another task.
        ImportError: The module of a policy, or what a checkpoint needs, is not there.
    """
    import ray

    started = not ray.is_initialized()
    if started:
        start_ray(workers, address)
    remote = ray.remote(num_cpus=1, max_retries=_RETRIES)(play)
    most = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    writer = _writer(wanted)
    left = range(writer.episodes, wanted.episodes)

    def submit(number: int) -> Any:
        return remote.remote(wanted.task, wanted.policy, wanted.seed + number)

    try:
        played = in_order(left, submit, _result, _AHEAD * most)
        for number, episode in zip(left, played, strict=True):
            _write(writer, episode)
            watch(number, episode)
            if (number + 1) % _EVERY == 0:
                writer.close()
    finally:
        writer.close()
        if started:
            ray.shutdown()


def _result(reference: Any) -> Any:
    """An episode; what a worker says of a policy is raised as it was there, without its trace."""
    import ray
    from ray.exceptions import RayTaskError

    try:
        return ray.get(reference)
    except RayTaskError as problem:
        if isinstance(problem.cause, InvalidArgumentError | ImportError):
            raise problem.cause from None
        raise


def in_order(
    numbers: Iterable[int],
    submit: Callable[[int], Any],
    get: Callable[[Any], Any],
    most: int,
) -> Iterator[Any]:
    """Results of work that runs ahead of who takes them, by no more than so many.

    Args:
        numbers: Of the pieces of work.
        submit: Begins one, and gives a reference.
        get: Waits for what a reference stands for.
        most: How many are begun and not yet taken.
    """
    waiting = iter(numbers)
    flying: deque[Any] = deque(submit(number) for number in itertools.islice(waiting, most))
    while flying:
        yield get(flying.popleft())
        flying.extend(submit(number) for number in itertools.islice(waiting, 1))


def _writer(wanted: Collection) -> LeRobotWriter:
    import unibody.envs  # noqa: F401 - Gymnasium knows the tasks then

    env = gymnasium.make(wanted.task)
    observed, acted = (
        gymnasium.spaces.flatdim(space) if isinstance(space, gymnasium.spaces.Box) else 1
        for space in (env.observation_space, env.action_space)
    )
    fps = round(env.metadata["render_fps"])
    env.close()
    state, action = ([f"{word}_{k}" for k in range(size)]
                     for word, size in (("observation", observed), ("action", acted)))  # fmt: skip
    return LeRobotWriter(wanted.folder, Layout(state, action, fps), wanted.task)


def _write(writer: LeRobotWriter, episode: Episode) -> None:
    last = len(episode.rewards) - 1
    nothing = np.zeros((0, 7), np.float32)
    for row, (state, action) in enumerate(zip(episode.states, episode.actions, strict=True)):
        done = row == last and episode.ended
        reward = float(episode.rewards[row])
        writer.add(Frame(state, action, nothing, reward=reward, done=done))
    writer.end_episode()
