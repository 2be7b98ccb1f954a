"""The controller that sends agents round a circuit from where they began."""

from __future__ import annotations

import random

import numpy as np
import pytest

from unibody import bullet
from unibody.errors import InvalidArgumentError
from unibody.fleet import Agent, MultiRobotSimulationCore, SimulationParams
from unibody.fleet.controllers import CircuitController
from unibody.fleet.foundation.types import MotionMode
from unibody.fleet.spatial.geometry import Pose

SQUARE = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]


@pytest.fixture
def core():
    made = MultiRobotSimulationCore(SimulationParams(gui=False, monitor=False, physics=False))
    yield made
    bullet.disconnect(made.client)


def walker(core, x, **options):
    agent = Agent.from_urdf(
        "robots/mobile_robot.urdf",
        pose=Pose.from_xyz(x, 0.0, 0.15),
        motion_mode=MotionMode.OMNIDIRECTIONAL,
        sim_core=core,
    )
    agent.add_controller(CircuitController(**options))
    return agent


def test_agents_go_round_the_same_circuit_each_from_its_own_place(core):
    agents = [walker(core, x, stops=SQUARE) for x in (0.0, 10.0)]
    paths = []
    for _ in range(200):
        core.step_once()
        paths.append([agent.get_pose().position for agent in agents])
    first, second = np.array(paths).transpose(1, 0, 2)
    np.testing.assert_allclose(second - first, [[10.0, 0.0, 0.0]] * 200, atol=1e-9)
    for x, y in SQUARE:  # it stops there, so it is there in a step
        assert np.abs(first[:, :2] - (x, y)).max(axis=1).min() < 0.02


def test_an_agent_waits_at_its_stops(core):
    random.seed(0)
    still, quick = (
        walker(core, 0.0, stops=SQUARE, wait_range=(5.0, 5.0)),
        walker(core, 10.0, stops=SQUARE),
    )
    ways = {still: 0.0, quick: 0.0}
    for _ in range(200):
        before = {agent: np.array(agent.get_pose().position) for agent in ways}
        core.step_once()
        for agent in ways:
            ways[agent] += float(np.linalg.norm(agent.get_pose().position - before[agent]))
    assert 0.5 < ways[still] < 0.8 * ways[quick]


@pytest.mark.parametrize(
    "options", [{"stops": [[1.0]]}, {"wait_range": (2.0, 1.0)}, {"wait_range": (-1.0, 1.0)}]
)
def test_what_is_no_circuit_is_refused(options):
    with pytest.raises(InvalidArgumentError):
        CircuitController(**options)


def test_an_agent_stands_at_each_stop_for_as_long_as_is_stated(core):
    agent = walker(core, 0.0, stops=SQUARE, wait_range=(1.0, 1.0))
    standing, runs = 0, []
    for _ in range(300):
        core.step_once()
        if not agent.is_moving:
            standing += 1
        elif standing:
            runs.append(standing)
            standing = 0
    # a step is 0.1 s; arriving, starting and rounding of the timer take up to one each
    assert len(runs) > 4 and all(10 <= run <= 13 for run in runs)
