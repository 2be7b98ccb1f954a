"""A robot that is put somewhere while it has a path, as in the original.

There the waypoint that `set_path` puts in front of a path, and the place where a robot turns at the
end, are the robot's own pose, not a copy of it: whoever puts the robot elsewhere moves them along.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from unibody import bullet, fleet

DT = 0.05
AWAY = (10.0, 10.0, 0.3)
KINDS = ("omnidirectional", "differential")


@pytest.fixture
def core():
    made = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, target_rtf=0, timestep=DT, physics=False)
    )
    made.set_collision_check_frequency(0)
    yield made
    bullet.disconnect(made.client)


def robot(core, kind, batched):
    params = fleet.AgentSpawnParams(
        collision_shape=fleet.ShapeParams(shape_type="box", half_extents=[0.1, 0.1, 0.1]),
        initial_pose=fleet.Pose.from_yaw(0.0, 0.0, 0.3, 0.5),
        mass=0.0,
        motion_mode=kind,
    )
    agent = fleet.Agent.from_params(params, sim_core=core)
    if batched:
        name = "batch_omni" if kind == KINDS[0] else "batch_differential"
        fleet.AgentManager(sim_core=core, fleet_controller={"type": name}).add_object(agent)
    return agent


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_robot_that_is_put_elsewhere_before_it_sets_out_sets_out_from_there(core, kind, batched):
    agent = robot(core, kind, batched)
    agent.set_path([fleet.Pose.from_yaw(4.0, 0.0, 0.3, 2.0)])
    agent.set_pose(fleet.Pose.from_yaw(*AWAY, 1.0))
    core.step_once()
    assert agent.get_pose().position == pytest.approx(AWAY, abs=1e-12)
    farthest = 0.0
    before = np.array(agent.get_pose().position)
    for _ in range(500):
        core.step_once()
        now = np.array(agent.get_pose().position)
        farthest = max(farthest, float(np.linalg.norm(now - before)))
        before = now
    # the default speed limit is 2 m/s
    assert 0.0 < farthest <= 2.0 * DT + 1e-9
    assert before.tolist() == pytest.approx([4.0, 0.0, 0.3], abs=1e-6)


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_robot_that_is_put_elsewhere_in_its_last_turn_stays_there(core, kind, batched):
    agent = robot(core, kind, batched)
    goal = fleet.Pose.from_yaw(4.0, 0.0, 0.3, 2.0)
    agent.set_path([goal])
    for _ in range(500):
        core.step_once()
        arrived = math.dist(agent.get_pose().position, goal.position) < 1e-9
        if arrived and agent.angular_velocity > 0.1:
            break
    assert agent.is_moving
    agent.set_pose(fleet.Pose(list(AWAY), agent.get_pose().orientation))
    assert agent.goal_pose.position == pytest.approx(AWAY)
    for _ in range(200):
        core.step_once()
    assert not agent.is_moving
    assert agent.get_pose().position == pytest.approx(AWAY, abs=1e-12)
    assert agent.get_pose().yaw == pytest.approx(2.0, abs=1e-9)
