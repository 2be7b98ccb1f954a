"""Robots with controllers that decide, and with listeners, are moved by the kernels."""

import random

import numpy as np
import pytest

from unibody import bullet, fleet
from unibody.fleet.agents.agent import Agent

COUNT = 12
STEPS = 400
DT = 0.1
BASE = {"type": "omni", "max_linear_vel": 2.0}
PATROL = {"type": "patrol", "waypoints": [[0, 0, 0], [3, 0, 0], [3, 3, 0]], "wait_time": 0.7}
WALK = {"type": "random_walk", "radius": 3.0, "wait_range": [0.5, 2.0]}


def _robots(above):
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(
            gui=False, timestep=DT, target_rtf=0.0, physics=False, monitor=False, log_level="ERROR"
        )
    )
    for number in range(COUNT):
        fleet.Agent.from_mesh(
            collision_shape=fleet.ShapeParams(shape_type="box", half_extents=[0.2, 0.2, 0.2]),
            pose=fleet.Pose.from_xyz(2.0 * number, 0.0, 0.0),
            controller=[BASE, *above],
            sim_core=core,
        )
    return core


class _Everything(Agent):
    """An agent that is updated in Python in every step."""

    def update(self, dt):
        return super().update(dt)


def _tracks(above, slow):
    """Positions of all robots at all steps, and what their timers say at the end."""
    core = _robots(above)
    if slow:
        for agent in core.agents:
            agent.__class__ = _Everything
            agent._changed()
    random.seed(7)
    tracks = []
    for _ in range(STEPS):
        core.step_once()
        tracks.append([agent.get_pose().position for agent in core.agents])
    bullet.disconnect(core.client)
    timers = [c._wait_timer for agent in core.agents for c in agent.controllers[1:]]
    return np.array(tracks), timers


@pytest.mark.parametrize("above", [[PATROL], [WALK], [PATROL, WALK]])
def test_robots_that_decide_move_as_if_all_of_them_were_asked_in_every_step(above):
    """The same numbers from the same seed: who is not asked would only have let a timer run."""
    fast, timers = _tracks(above, slow=False)
    slow, slow_timers = _tracks(above, slow=True)
    assert np.ptp(fast, axis=0).max() > 2.0
    assert np.array_equal(fast, slow)
    assert timers == slow_timers


@pytest.mark.parametrize("above", [PATROL, WALK])
def test_a_controller_is_asked_only_when_it_has_a_decision_to_make(above, monkeypatch):
    """A leg takes a second and more, a step 0.1 s: a robot decides in one step of ten or fewer."""
    core = _robots([above])
    kind = type(core.agents[0].controllers[1])
    asked, inner = [], kind.compute
    monkeypatch.setattr(kind, "compute", lambda *args: asked.append(1) or inner(*args))
    for _ in range(STEPS):
        core.step_once()
    bullet.disconnect(core.client)
    assert COUNT < len(asked) < 0.1 * STEPS * COUNT


def test_listeners_to_updates_hear_in_every_step_whether_their_robot_is_on_its_way(monkeypatch):
    """Robot 0 has a goal 1 m away: with 2 m/s and the default acceleration a second or more."""
    core = _robots([])
    heard = []
    for agent in core.agents:
        agent.events.on("post_update", lambda a=agent, **event: heard.append((a.object_id, event)))
    core.agents[3].set_goal_pose(fleet.Pose.from_xyz(6.0, 1.0, 0.0))
    core.step_once()
    monkeypatch.setattr(Agent, "update", None)  # nobody is updated in Python
    heard.clear()
    core.step_once()
    bullet.disconnect(core.client)
    assert [number for number, _ in heard] == [agent.object_id for agent in core.agents]
    assert [event["moved"] for _, event in heard] == [number == 3 for number in range(COUNT)]
    assert all(event["dt"] == DT for _, event in heard)


def test_a_listener_before_updates_can_stop_its_robot_in_the_same_step():
    """What a listener does then acts at once, also where it came after the first step."""
    core = _robots([])
    agent = core.agents[0]
    agent.set_goal_pose(fleet.Pose.from_xyz(0.0, 5.0, 0.0))
    for _ in range(5):
        core.step_once()
    before = agent.get_pose().position
    agent.events.on("pre_update", lambda **_: agent.stop())
    core.step_once()
    assert agent.get_pose().position == before
    bullet.disconnect(core.client)


def test_a_snapshot_holds_the_timers_of_robots_that_decide():
    """The same way twice; with a listener that came in between it is the same, too."""
    core = _robots([WALK])
    random.seed(3)
    for _ in range(30):
        core.step_once()
    snapshot = core.snapshot()

    def run():
        for _ in range(60):
            core.step_once()
        return [agent.get_pose().position for agent in core.agents]

    first = run()
    heard = []
    core.agents[0].events.on("post_update", lambda **_: heard.append(1))
    core.restore(snapshot)
    assert run() == first
    bullet.disconnect(core.client)
    assert len(heard) == 60
