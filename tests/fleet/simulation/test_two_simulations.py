"""Simulations of one process do not meet."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from unibody import bullet, fleet
from unibody.fleet.actions.action import WaitAction
from unibody.fleet.controllers.controller import OmniController
from unibody.fleet.monitoring.camera_controller import CameraController

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


def busy(physics):
    """A simulation in which something of every kind happens: arms, decisions, loads, crashes."""
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(
            gui=False, monitor=False, timestep=1 / 60, physics=physics, enable_floor=physics
        )
    )
    here = fleet.Pose.from_xyz
    mass = None if physics else 0.0
    arm = fleet.Agent.from_urdf("arm_robot", here(0.0, 0.0, 0.1), mass, sim_core=core)
    arm.move_end_effector([0.3, 0.2, 0.4])
    load = fleet.SimObject.from_mesh(BOX, BOX, here(0.0, 0.0, 1.0), 0.0, sim_core=core)
    arm.attach_object(load, parent_link_index=2)
    patrol = {"type": "patrol", "waypoints": [[3.0, 0.0, 0.0], [3.0, 2.0, 0.0]], "wait_time": 0.1}
    for number, above in enumerate(([patrol], [], [])):
        agent = fleet.Agent.from_mesh(
            BOX, BOX, here(2.0, float(number), 0.1), sim_core=core, mass=0.0,
            controller=[{"type": "omni", "max_linear_vel": 1.0}, *above],
        )  # fmt: skip
        agent.path_visualize = True
        if number:
            agent.set_goal_pose(here(2.0, 3.0 - number, 0.1))  # the two run into each other
            agent.add_action(WaitAction(duration=0.2))
    if physics:
        fleet.SimObject.from_mesh(BOX, BOX, here(2.0, 1.5, 1.0), 1.0, sim_core=core)
    return core


def state(core):
    """All there is to see: poses, joints, pairs that collide, numbers of lines that are drawn."""
    numbers = [obj.object_id for obj in core.sim_objects]
    return (
        *(part.tobytes() for part in core.get_poses(numbers)),
        core.agents[0].get_all_joints_state(),
        core.get_active_collision_pairs(),
        core.collision_count,
        [list(agent._path_items) for agent in core.agents],
    )


@pytest.mark.parametrize("physics", [False, True])
def test_simulations_that_step_in_turns_do_what_each_does_alone(physics):
    alone = busy(physics)
    wanted = []
    for _ in range(STEPS):
        alone.step_once()
        wanted.append(state(alone))
    assert alone.collision_count > 0
    first, second = busy(physics), busy(physics)
    for step, expected in enumerate(wanted):
        for core in (first, second):
            core.step_once()
            assert state(core) == expected, step
    for core in (alone, first, second):
        bullet.disconnect(core.client)


def test_the_camera_of_a_simulation_is_not_that_of_one_before_it():
    first = simulation()
    client = first.client
    CameraController(client).follow_target([1.0, 2.0, 3.0])
    assert CameraController(client).camera.target == [1.0, 2.0, 3.0]
    bullet.disconnect(client)
    second = simulation()
    assert second.client == client  # numbers of clients are used again
    assert CameraController(client).camera.target == [0.0, 0.0, 0.0]
    bullet.disconnect(client)


def test_lines_of_a_path_belong_to_the_simulation_they_are_drawn_into():
    first, second = simulation(), simulation()
    for core in (first, second):
        robots(core, 1)
        core.agents[0].path_visualize = True
        core.agents[0].set_goal_pose(fleet.Pose.from_xyz(5.0, 0.0, 0.0))
        assert [item.end for item in core._physics_world.drawings.items.values()] == [
            (5.0, 0.0, 0.0)
        ]
    first.agents[0].stop()
    assert not first._physics_world.drawings.items
    assert len(second._physics_world.drawings.items) == 1
    bullet.disconnect(first.client)
    bullet.disconnect(second.client)
