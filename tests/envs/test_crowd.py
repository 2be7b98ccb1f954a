"""A crowd of robots as a parallel environment of PettingZoo."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

from pettingzoo.test import parallel_api_test, parallel_seed_test

from unibody.envs import crowd
from unibody.errors import InvalidArgumentError, NotSupportedError


@pytest.fixture
def crowd_of() -> Iterator[Callable[..., crowd.Crowd]]:
    """Makes crowds, which are closed after the test."""
    made = []

    def make(robots: int, **options: Any) -> crowd.Crowd:
        made.append(crowd.parallel_env(robots=robots, **options))
        return made[-1]

    yield make
    for env in made:
        env.close()


def _towards(seen: np.ndarray) -> np.ndarray:
    """Turn to the goal, drive when it is ahead, and pass whoever is in front on the right."""
    bearing = np.arctan2(seen[1], seen[0])
    others = seen[5:].reshape(-1, 4)[:, :2]
    near = np.hypot(*others.T)
    # who is in front pushes to the right, the more so the nearer
    front = (others[:, 0] > 0.0) & (near < 1.6) & (np.abs(others[:, 1]) < 0.8)
    bearing -= 1.2 * np.max(np.where(front, 1.6 - near, 0.0))
    slow = 0.2 if np.any(front & (near < 0.75)) else 1.0
    return np.array([slow * max(np.cos(bearing), 0.0), np.clip(2.0 * bearing, -1.0, 1.0)])


def _crossed(
    env: crowd.Crowd, act: Callable[[np.ndarray], np.ndarray]
) -> tuple[list[str], float, int]:
    """Who arrived when a crowd crosses, its smallest reward for collisions, and the steps."""
    seen, _ = env.reset(seed=3)
    arrived, touched, steps = [], 0.0, 0
    while env.agents:
        seen, rewards, ends, _, infos = env.step({name: act(seen[name]) for name in env.agents})
        steps += 1
        arrived += [name for name, over in ends.items() if over]
        touched = min(touched, *(info["reward_collision"] for info in infos.values()))
        for name, reward in rewards.items():
            terms = [v for term, v in infos[name].items() if term.startswith("reward_")]
            assert reward == pytest.approx(sum(terms))
    return arrived, touched, steps


def test_a_crowd_passes_the_tests_of_pettingzoo(crowd_of: Callable[..., crowd.Crowd]) -> None:
    env = crowd_of(5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(env, num_cycles=60)
    parallel_seed_test(lambda: crowd_of(3), num_cycles=10)


def test_a_script_brings_every_robot_across_without_a_touch(
    crowd_of: Callable[..., crowd.Crowd],
) -> None:
    arrived, touched, steps = _crossed(crowd_of(6, max_cycles=200), _towards)
    assert sorted(arrived) == [f"robot_{number}" for number in range(6)]
    assert touched == 0.0 and steps < 200


def test_robots_that_see_nobody_meet_in_the_middle(crowd_of: Callable[..., crowd.Crowd]) -> None:
    def blind(seen: np.ndarray) -> np.ndarray:
        return _towards(np.concatenate([seen[:5], np.tile([6.0, 0.0, 0.0, 0.0], 4)]))

    assert _crossed(crowd_of(6, max_cycles=200), blind)[1] == -1.0


def test_others_are_seen_where_they_are(crowd_of: Callable[..., crowd.Crowd]) -> None:
    env = crowd_of(2)
    seen, _ = env.reset(seed=0)
    # they stand opposite one another on a circle of 2.5 m, up to 0.5 rad off their heading
    assert np.hypot(*seen["robot_0"][5:7]) == pytest.approx(5.0, abs=1e-5)
    assert abs(np.arctan2(*seen["robot_0"][[6, 5]])) < 0.5
    assert seen["robot_0"][9:].reshape(-1, 4).tolist() == [[6.0, 0.0, 0.0, 0.0]] * 3


def test_a_picture_shows_the_robots(crowd_of: Callable[..., crowd.Crowd]) -> None:
    env = crowd_of(3, render_mode="rgb_array")
    env.reset(seed=0)
    picture = env.render()
    orange = (picture[..., 0] > 150) & (picture[..., 2] < 100)
    assert picture.shape == (360, 480, 3) and orange.sum() > 50


def test_wrong_arguments_of_a_crowd_are_named(crowd_of: Callable[..., crowd.Crowd]) -> None:
    for options, name in (
        ({"robots": 1}, "robots"),
        ({"max_cycles": 0}, "max_cycles"),
        ({"render_mode": "human"}, "render_mode"),
    ):
        with pytest.raises(InvalidArgumentError, match=name):
            crowd.parallel_env(**options)
    env = crowd_of(2)
    env.reset(seed=0)
    with pytest.raises(InvalidArgumentError, match="robot_1"):
        env.step({"robot_0": np.zeros(2)})
    with pytest.raises(InvalidArgumentError, match="robot_0"):
        env.step({"robot_0": np.array([np.nan, 0.0]), "robot_1": np.zeros(2)})


def test_without_pettingzoo_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "unibody.envs.crowd")
    with pytest.raises(NotSupportedError, match="pettingzoo"):
        importlib.import_module("unibody.envs.crowd")
