"""Observations by camera, of single and many worlds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

import unibody.envs  # noqa: E402, F401
from unibody.envs.observations import together  # noqa: E402
from unibody.envs.task import View  # noqa: E402
from unibody.errors import InvalidArgumentError  # noqa: E402

_SMALL = View(eye=(1.2, -1.0, 0.9), target=(0.2, 0.0, 0.3), width=40, height=30)
_EVERYTHING = ("state", "camera", "depth")


def test_pixels_show_an_arm_that_moves_and_a_still_one_that_does_not() -> None:
    env = gymnasium.make_vec("unibody/Reach-v0", num_envs=2, observation="camera", camera=_SMALL)
    env.reset(seed=0)
    actions = np.zeros((2, 6), np.float32)
    for _ in range(12):  # the arms come to rest
        before, *_ = env.step(actions)
    assert before.shape == (2, 30, 40, 3) and before.dtype == np.uint8
    actions[0, 0] = 1.0  # turns the arm of the first world
    for _ in range(10):
        after, *_ = env.step(actions)
    env.close()
    changed = (np.abs(after.astype(int) - before.astype(int)).max(axis=3) > 20).sum(axis=(1, 2))
    # the arm turns by 0.8 rad
    assert changed[0] > 30 and changed[1] == 0


def test_depth_is_the_distance_along_the_view() -> None:
    above = View(eye=(1.5, 0.001, 2.0), target=(1.5, 0.0, 0.0), width=8, height=6)
    env = gymnasium.make("unibody/Reach-v0", observation="depth", camera=above)
    seen, _ = env.reset(seed=0)
    env.close()
    assert seen.shape == (6, 8) and seen.dtype == np.float32
    # the ground is 2 m below; its sheet lies 2 mm deep, and a depth has 24 bits of 60 m over 5 cm
    assert seen == pytest.approx(2.002, abs=2e-3)


@pytest.mark.parametrize("name", ["unibody/PickAndPlace-v0", "unibody/Cloth-v0"])
def test_a_world_among_many_sees_the_pixels_of_a_single_one(name: str) -> None:
    many = gymnasium.make_vec(name, num_envs=3, observation=_EVERYTHING, camera=_SMALL)
    one = gymnasium.make(name, observation=_EVERYTHING, camera=_SMALL)
    seen, _ = many.reset(seed=1)
    own, _ = one.reset(seed=3)
    assert seen in many.observation_space and own in one.observation_space
    many.action_space.seed(0)
    for _ in range(3):
        for kind in _EVERYTHING:
            assert np.array_equal(seen[kind][2], own[kind]), kind
        action = many.action_space.sample()
        seen, own = many.step(action)[0], one.step(action[2])[0]
    many.close()
    one.close()


def test_an_environment_that_is_seen_passes_the_check_of_gymnasium() -> None:
    env = gymnasium.make("unibody/Reach-v0", observation=("state", "camera")).unwrapped
    assert env.observation_space["camera"].shape == (84, 84, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # advice on bounds of spaces
        check_env(env, skip_render_check=True)
    env.close()


def test_the_last_pictures_of_an_episode_are_kept_for_the_infos() -> None:
    env = gymnasium.make_vec(
        "unibody/Reach-v0", num_envs=2, observation=("camera",), camera=_SMALL,
        max_episode_steps=2, autoreset_mode=AutoresetMode.SAME_STEP,
    )  # fmt: skip
    env.reset(seed=0)
    actions = np.ones((2, 6), np.float32)
    env.step(actions)
    fresh, *_, infos = env.step(actions)
    env.close()
    assert not np.array_equal(infos["final_obs"][1]["camera"], fresh["camera"][1])


@pytest.mark.parametrize("wrong", ["pixels", (), ("camera", "camera")])
def test_observations_that_do_not_exist_are_named(wrong: object) -> None:
    with pytest.raises(InvalidArgumentError, match="observation"):
        gymnasium.make_vec("unibody/Reach-v0", num_envs=1, observation=wrong)


def test_observations_of_shared_out_worlds_are_put_together_kind_by_kind() -> None:
    parts = [gymnasium.make_vec("unibody/CartPole-v0", num_envs=n, observation=k)
             for n in (1, 2) for k in (("state", "camera"), "state")]  # fmt: skip
    seen = [env.reset(seed=0)[0] for env in parts]
    dictionaries, arrays = together(seen[::2]), together(seen[1::2])
    for env in parts:
        env.close()
    assert dictionaries["camera"].shape == (3, 84, 84, 3)
    assert np.array_equal(dictionaries["state"], arrays) and arrays.shape == (3, 4)
