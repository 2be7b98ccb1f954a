"""The environments of panda-gym, stepped with whatever `pybullet` is.

Run under `python -m unibody run -m pytest` they judge unibody, without it PyBullet: `make clients`
does both. Where panda-gym is not installed they are skipped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
panda_gym = pytest.importorskip("panda_gym")

# PandaFlip needs a picture that the package on the index does not contain.
ENVIRONMENTS = [
    f"Panda{task}{control}{reward}-v3"
    for task in ("Reach", "Push", "Slide", "PickAndPlace", "Stack")
    for control in ("", "Joints")
    for reward in ("", "Dense")
]
STEPS = 50


def trajectory(name: str, seed: int, steps: int) -> tuple[Any, list[dict[str, Any]], list[float]]:
    """The environment's spaces, what it showed, and its rewards, under seeded random actions."""
    environment = gymnasium.make(name)
    try:
        shown = [environment.reset(seed=seed)[0]]
        environment.action_space.seed(seed)
        rewards: list[float] = []
        for _ in range(steps):
            observation, reward, terminated, truncated, _ = environment.step(
                environment.action_space.sample()
            )
            shown.append(observation)
            rewards.append(float(reward))
            if terminated or truncated:
                environment.reset()
        return environment.observation_space, shown, rewards
    finally:
        environment.close()


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_environment_shows_finite_observations_of_the_shape_of_its_space(name: str) -> None:
    space, shown, rewards = trajectory(name, seed=1, steps=STEPS)
    for observation in shown:
        for key, values in observation.items():
            assert values.shape == space[key].shape
            assert np.isfinite(values).all()
    assert np.isfinite(rewards).all()


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_robot_moves_under_random_actions(name: str) -> None:
    _, shown, _ = trajectory(name, seed=2, steps=5)
    assert np.abs(shown[-1]["observation"][:3] - shown[0]["observation"][:3]).max() > 1e-3


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_same_seed_gives_the_same_trajectory(name: str) -> None:
    _, first, first_rewards = trajectory(name, seed=3, steps=10)
    _, second, second_rewards = trajectory(name, seed=3, steps=10)
    assert first_rewards == second_rewards
    for one, other in zip(first, second, strict=True):
        for key in one:
            np.testing.assert_array_equal(one[key], other[key])


def test_resetting_in_one_environment_gives_the_same_trajectory_again() -> None:
    environment = gymnasium.make("PandaPush-v3")
    runs: list[Any] = []
    for _ in range(2):
        environment.reset(seed=4)
        environment.action_space.seed(4)
        runs.append([environment.step(environment.action_space.sample())[0] for _ in range(20)])
    environment.close()
    for one, other in zip(*runs, strict=True):
        np.testing.assert_array_equal(one["observation"], other["observation"])
