"""The classic tasks against Gymnasium's, which integrate closed forms of the same bodies."""

from __future__ import annotations

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import unibody.envs  # noqa: E402, F401


def test_a_pole_accelerates_as_in_the_equations_of_gymnasium() -> None:
    ours = gymnasium.make("unibody/CartPole-v0").unwrapped
    theirs = gymnasium.make("CartPole-v1").unwrapped
    theirs.gravity = 9.81
    ours.reset(seed=0)
    theirs.reset(seed=0)
    start = np.array([0.3, -0.4, 0.15, 0.5])
    sim = ours.vector.sim
    sim.qpos[0], sim.qvel[0] = start[[0, 2]], start[[1, 3]]
    theirs.state = tuple(start)
    mine, _, _, _, _ = ours.step(1)
    other, _, _, _, _ = theirs.step(1)
    # both are one step of Euler's method from the same state: the speeds agree. Gymnasium takes a
    # rod without thickness, ours is 5 cm thick: a share of (0.05 / 1)^2 of its inertia
    assert mine[[1, 3]] == pytest.approx(other[[1, 3]], rel=3e-3)


def test_a_pendulum_swings_and_pays_as_that_of_gymnasium() -> None:
    ours = gymnasium.make("unibody/Pendulum-v0").unwrapped
    theirs = gymnasium.make("Pendulum-v1", g=9.81).unwrapped
    ours.reset(seed=0)
    theirs.reset(seed=0)
    sim = ours.vector.sim
    sim.qpos[0], sim.qvel[0] = 2.0, 0.5
    theirs.state = np.array([2.0, 0.5])
    pay, other_pay = 0.0, 0.0
    for _ in range(10):
        _, reward, _, _, _ = ours.step(np.array([1.5], np.float32))
        _, other, _, _, _ = theirs.step(np.array([1.5], np.float32))
        pay, other_pay = pay + reward, other_pay + other
    # half a second of Euler's method of first order, with steps of 25 and of 50 ms: angles differ
    # by half a step's way, 0.025 s of about 4 rad/s, thus rewards by a few hundredths
    assert pay == pytest.approx(other_pay, rel=0.05)


def test_the_links_of_the_acrobot_accelerate_as_in_the_book() -> None:
    ours = gymnasium.make("unibody/Acrobot-v0").unwrapped
    theirs = gymnasium.make("Acrobot-v1").unwrapped
    ours.reset(seed=0)
    theirs.reset(seed=0)
    sim = ours.vector.sim
    state = np.array([0.4, -0.9, 0.0, 0.0])
    sim.qpos[0], sim.qvel[0] = state[:2], 0.0
    ours.vector.task.act(sim, np.array([2]))
    sim.worlds.step(1)
    wanted = np.array(theirs._dsdt(np.append(state, 1.0))[2:4])
    # from rest, one step gives the acceleration, to 0.05 s of its change by the motion itself; the
    # book's gravity is 9.8
    assert sim.qvel[0] / 0.05 == pytest.approx(wanted, rel=2e-2)
