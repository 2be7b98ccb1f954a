"""Simulations of one process do not meet."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from unibody import bullet, fleet
from unibody.fleet.controllers.controller import OmniController

STEPS = 60
BOX = fleet.ShapeParams(shape_type="box", half_extents=[0.1, 0.1, 0.1])


def simulation():
    return fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, timestep=0.05, physics=False)
    )


def robots(core, count):
    for number in range(count):
        params = fleet.AgentSpawnParams(
            visual_shape=BOX,
            collision_shape=BOX,
            initial_pose=fleet.Pose.from_xyz(float(number % 20), float(number // 20), 0.0),
            mass=0.0,
        )
        fleet.Agent.from_params(params, sim_core=core)


def run(core):
    for agent in core.agents:
        x, y, _ = agent.get_pose().position
        agent.set_path([fleet.Pose.from_xyz(x + 0.5, y, 0.0), fleet.Pose.from_yaw(x, y, 0.0, 1.0)])
    found = []
    for _ in range(STEPS):
        core.step_once()
        found.append(core.get_poses([agent.object_id for agent in core.agents]))
    return [np.array(part) for part in zip(*found, strict=True)]


def test_the_arrays_of_a_simulation_are_its_own():
    first, second = simulation(), simulation()
    robots(first, 3)
    before = first._tables.bodies.data
    robots(second, 500)
    assert first._tables.bodies.data is before
    assert [agent._row for agent in second.agents[:3]] == [0, 1, 2]
    for name in ("bodies", "motions", "waypoints", "joints"):
        one, other = (getattr(core._tables, name).data for core in (first, second))
        assert not np.shares_memory(one, other)
    bullet.disconnect(first.client)
    bullet.disconnect(second.client)


def test_a_simulation_runs_the_same_while_another_thread_fills_one():
    alone, first, second = simulation(), simulation(), simulation()
    robots(alone, 40)
    robots(first, 40)
    wanted = run(alone)
    other = threading.Thread(target=robots, args=(second, 800))
    other.start()
    found = run(first)
    other.join()
    for one, expected in zip(found, wanted, strict=True):
        assert np.array_equal(one, expected)
    for core in (alone, first, second):
        bullet.disconnect(core.client)


def test_a_controller_keeps_its_limits_and_path_when_it_changes_the_simulation():
    first, second = simulation(), simulation()
    controller = OmniController.from_config({"max_linear_vel": 0.5, "max_linear_accel": 1e9})
    controller.set_velocity(vx=9.0)
    for core in (first, second):
        robots(core, 1)
        core.agents[0].set_controller(controller)
        core.step_once()
    # the first step of either: 0.05 s at 0.5 m/s
    for core in (first, second):
        assert core.agents[0].get_pose().position[0] == 0.5 * 0.05
    controller.params.max_linear_vel = 0.25
    second.agents[0].set_goal_pose(fleet.Pose.from_xyz(1.0, 0.0, 0.0))
    for _ in range(20):
        second.step_once()
    assert second.agents[0].velocity[0] == pytest.approx(0.25, abs=1e-6)
    bullet.disconnect(first.client)
    bullet.disconnect(second.client)
