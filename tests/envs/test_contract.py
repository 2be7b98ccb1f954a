"""Every registered task keeps Gymnasium's contract, and ours."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

from unibody.envs import registry  # noqa: E402
from unibody.errors import InvalidArgumentError  # noqa: E402

ALL = pytest.mark.parametrize("name", registry.TASKS)
MODES = pytest.mark.parametrize("mode", AutoresetMode)


def _actions(env, seed: int, steps: int) -> list[np.ndarray]:
    env.action_space.seed(seed)
    return [env.action_space.sample() for _ in range(steps)]


@ALL
def test_a_task_passes_the_check_of_gymnasium(name: str) -> None:
    env = gymnasium.make(name, render_mode="rgb_array").unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # advice on bounds of spaces
        check_env(env)
    env.close()


@ALL
def test_many_worlds_are_native_and_their_observations_are_of_the_space(name: str) -> None:
    env = gymnasium.make_vec(name, num_envs=3)
    assert type(env).__name__ == "TaskVectorEnv"
    observations, _ = env.reset(seed=4)
    assert observations in env.observation_space
    for action in _actions(env, 0, 5):
        observations, rewards, terminations, truncations, infos = env.step(action)
        assert observations in env.observation_space
        assert rewards.shape == terminations.shape == truncations.shape == (3,)
        terms = [v for k, v in infos.items() if k.startswith("reward_")]
        running = infos[next(f"_{k}" for k in infos if k.startswith("reward_"))]
        assert np.allclose(np.sum(terms, axis=0)[running], rewards[running], atol=1e-12)


@ALL
def test_a_world_among_many_has_the_bits_of_a_single_one(name: str) -> None:
    many = gymnasium.make_vec(name, num_envs=5, max_episode_steps=9)
    actions = _actions(many, 1, 24)
    seen = [many.reset(seed=11)[0]]
    rewards = []
    for action in actions:
        observations, reward, *_ = many.step(action)
        seen.append(observations)
        rewards.append(reward)
    for world in (0, 3, 4):
        single = gymnasium.make(name, max_episode_steps=9)
        assert np.array_equal(single.reset(seed=11 + world)[0], seen[0][world])
        over = False
        for number, action in enumerate(actions):
            if over:
                observation, reward, over = single.reset()[0], 0.0, False
            else:
                observation, reward, end, cut, _ = single.step(action[world])
                over = end or cut
            assert np.array_equal(observation, seen[number + 1][world]), (world, number)
            assert reward == rewards[number][world]


@ALL
def test_the_number_of_threads_changes_no_bit(name: str) -> None:
    runs = []
    for threads in (1, 2):
        env = gymnasium.make_vec(name, num_envs=130, threads=threads)
        env.reset(seed=3)
        steps = 6 if env.sim.soft is None else 1  # cloths take a thousand times as long
        runs.append([env.step(action)[0] for action in _actions(env, 2, steps)])
    assert np.array_equal(*runs)


@ALL
@MODES
def test_an_episode_that_is_over_begins_again_as_the_mode_says(
    name: str, mode: AutoresetMode
) -> None:
    env = gymnasium.make_vec(name, num_envs=2, max_episode_steps=4, autoreset_mode=mode)
    assert env.metadata["autoreset_mode"] is mode
    env.reset(seed=0)
    actions = _actions(env, 3, 6)
    for action in actions[:3]:
        env.step(action)
    before, _, terminations, truncations, infos = env.step(actions[3])
    assert truncations.all()
    if mode is AutoresetMode.SAME_STEP:
        assert infos["_final_obs"].all()
        assert not np.array_equal(infos["final_obs"][0], before[0])
        assert env.sim.steps.tolist() == [0, 0]
    elif mode is AutoresetMode.NEXT_STEP:
        after, rewards, terminations, truncations, _ = env.step(actions[4])
        assert not terminations.any() and not truncations.any() and not rewards.any()
        assert not np.array_equal(after, before)
        assert env.sim.steps.tolist() == [0, 0]
    else:
        env.reset(options={"reset_mask": np.array([True, False])})
        assert env.sim.steps.tolist() == [0, 4]


@ALL
def test_a_seed_begins_the_same_episodes_and_no_seed_goes_on(name: str) -> None:
    env = gymnasium.make_vec(name, num_envs=2)
    first = env.reset(seed=5)[0]
    second = env.reset()[0]
    assert not np.array_equal(first, second)
    assert np.array_equal(env.reset(seed=5)[0], first)
    assert np.array_equal(env.reset()[0], second)
    assert np.array_equal(env.reset(seed=[6, 5])[0][1], first[0])


@ALL
def test_a_task_is_a_file_of_less_than_200_lines(name: str) -> None:
    entry = registry.TASKS[name]
    file = Path(inspect.getfile(registry.task_class(entry.task)))
    assert file.read_text(encoding="utf-8").count("\n") < 200


@ALL
def test_a_picture_of_a_task_shows_more_than_the_sky(name: str) -> None:
    env = gymnasium.make_vec(name, num_envs=2, render_mode="rgb_array")
    env.reset(seed=0)
    pictures = env.render()
    env.close()
    assert len(pictures) == 2
    for picture in pictures:
        assert picture.dtype == np.uint8 and picture.shape[2] == 3
        colors = np.unique(picture.reshape(-1, 3), axis=0)
        assert len(colors) > 3


def test_wrong_arguments_are_named() -> None:
    env = gymnasium.make_vec("unibody/CartPole-v0", num_envs=2)
    with pytest.raises(InvalidArgumentError, match="reset_mask"):
        env.reset(options={"reset_mask": np.array([True])})
    with pytest.raises(InvalidArgumentError, match="one a world"):
        env.reset(seed=[1])
    with pytest.raises(InvalidArgumentError, match="actions"):
        env.step(np.zeros(3))
    state = env.sim.qpos.copy()
    with pytest.raises(InvalidArgumentError, match="reset_masks"):
        env.reset(options={"reset_masks": np.array([True, True])})
    pendulum = gymnasium.make("unibody/Pendulum-v0")
    pendulum.reset(seed=0)
    with pytest.raises(InvalidArgumentError, match="finite"):
        pendulum.step(np.array([np.nan]))
    with pytest.raises(InvalidArgumentError, match=r"action=\(2,\) .* shape \(1,\)"):
        pendulum.step(np.zeros(2))
    assert (env.sim.qpos == state).all()
    with pytest.raises(InvalidArgumentError, match="slider"):
        env.sim.joints(["slidr"])
    with pytest.raises(InvalidArgumentError, match="rgb_array"):
        gymnasium.make_vec("unibody/CartPole-v0", num_envs=2, render_mode="ansi")
