"""Domain randomisation and curricula of tasks."""

from __future__ import annotations

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from unibody.core.batch.sampling import Rule  # noqa: E402
from unibody.envs import registry  # noqa: E402
from unibody.envs.randomization import (  # noqa: E402
    GROWING,
    STANDARD,
    Curriculum,
    Randomization,
)
from unibody.errors import InvalidArgumentError  # noqa: E402

HEAVIER = Randomization("body_mass", Rule("uniform", (2.0, 3.0), "scaling"), links=("pole",))


def test_every_episode_of_every_world_has_a_mass_of_its_own() -> None:
    env = gymnasium.make_vec("unibody/CartPole-v0", num_envs=3, randomization=[HEAVIER])
    env.reset(seed=0)
    sim = env.sim
    masses = sim.worlds.parameter("body_mass")
    first = masses[:, sim.link("pole")].copy()
    assert len(set(first)) == 3 and (first >= 0.2).all() and (first <= 0.3).all()
    assert np.array_equal(masses[:, sim.link("cart")], np.ones(3))
    env.reset(options={"reset_mask": np.array([False, True, False])})
    again = masses[:, sim.link("pole")]
    assert (again == first).tolist() == [True, False, True]
    assert 0.2 <= again[1] <= 0.3  # from the mass of the model, not from the last one


def test_a_heavier_pole_pushes_the_cart_more() -> None:
    speeds = []
    for chosen in ([], [HEAVIER]):
        env = gymnasium.make("unibody/CartPole-v0", randomization=chosen).unwrapped
        env.reset(seed=0)
        sim = env.vector.sim
        sim.qpos[:], sim.qvel[:] = (0.0, 0.2), 0.0
        speeds.append(float(env.step(1)[0][1]))
    assert speeds[1] < speeds[0] - 1e-3


def test_worlds_draw_the_same_parameters_alone_and_among_others() -> None:
    many = gymnasium.make_vec("unibody/CartPole-v0", num_envs=4, randomization=[HEAVIER])
    one = gymnasium.make("unibody/CartPole-v0", randomization=[HEAVIER])
    many.reset(seed=0)
    one.reset(seed=3)
    actions = np.ones((8, 4), np.int64)
    for action in actions:
        of_many, of_one = many.step(action)[0], one.step(action[3])[0]
        assert np.array_equal(of_many[3], of_one)


def test_a_parameter_without_rows_of_bodies_takes_no_links() -> None:
    chosen = Randomization("dof_damping", Rule("uniform", (0.0, 1.0), "additive"), links=("pole",))
    with pytest.raises(InvalidArgumentError, match="row a body"):
        gymnasium.make_vec("unibody/CartPole-v0", num_envs=2, randomization=[chosen])


def test_levels_rise_after_good_episodes_and_fall_after_bad_ones() -> None:
    curriculum = Curriculum(3, rise=0.8, fall=0.3)
    moved = curriculum.moved(np.array([0, 1, 1, 2, 0]), np.array([0.9, 0.9, 0.5, 0.9, 0.1]))
    assert moved.tolist() == [1, 2, 1, 2, 0]


@pytest.mark.parametrize("name", registry.TASKS)
def test_every_task_bears_the_standard_randomisation(name: str) -> None:
    env = gymnasium.make_vec(name, num_envs=3, randomization=STANDARD)
    original = env.sim.worlds.parameter("body_mass")[0].copy()
    env.reset(seed=0)
    factors = env.sim.worlds.parameter("body_mass")[:, original > 0.0] / original[original > 0.0]
    assert len(np.unique(factors.round(9))) == 3 and factors.min() >= 0.8 and factors.max() <= 1.25
    env.action_space.seed(0)
    for _ in range(2):
        observations, rewards, *_ = env.step(env.action_space.sample())
    assert np.isfinite(observations).all() and np.isfinite(rewards).all()


def test_a_change_grows_with_the_level_of_a_world() -> None:
    levels = Curriculum(5)
    env = gymnasium.make_vec(
        "unibody/CartPole-v0", num_envs=3, randomization=GROWING, curriculum=levels
    )
    whole = gymnasium.make_vec("unibody/CartPole-v0", num_envs=3, randomization=STANDARD)
    env.sim.level[:] = 0, 2, 4
    _, infos = env.reset(seed=0)
    whole.reset(seed=0)
    assert infos["level"].tolist() == [0, 2, 4]
    cart = env.sim.link("cart")
    grown, full = (each.sim.worlds.parameter("body_mass")[:, cart] for each in (env, whole))
    assert grown - 1.0 == pytest.approx(np.array([0.0, 0.5, 1.0]) * (full - 1.0), abs=1e-12)


def test_a_curriculum_of_ones_own_lets_worlds_rise_that_were_not_ended() -> None:
    env = gymnasium.make_vec(
        "unibody/CartPole-v0", num_envs=2, curriculum=Curriculum(3), max_episode_steps=5
    )
    env.reset(seed=0)
    env.sim.level[:] = 1
    for step in range(5):
        env.sim.qpos[0, 1] = env.sim.qvel[0, 1] = 0.0  # held upright
        if step == 4:
            env.sim.qpos[1, 1] = 0.5  # falls
        _, _, ends, cuts, _ = env.step(np.ones(2, np.int64))
    assert ends.tolist() == [False, True] and cuts.all()
    assert env.sim.level.tolist() == [2, 0]


def test_a_change_that_grows_needs_a_curriculum() -> None:
    with pytest.raises(InvalidArgumentError, match="curriculum"):
        gymnasium.make_vec("unibody/CartPole-v0", num_envs=1, randomization=GROWING)
