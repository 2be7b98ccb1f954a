"""Domain randomisation and curricula of tasks."""

from __future__ import annotations

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from unibody.core.batch.sampling import Rule  # noqa: E402
from unibody.envs.randomization import Curriculum, Randomization  # noqa: E402
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
