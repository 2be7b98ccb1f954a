"""Goals that are no goals, and limits that let nothing move: refused, and nothing is changed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unibody import bullet, fleet
from unibody.errors import InvalidArgumentError

DT = 0.05
NAN, INF = math.nan, math.inf
KINDS = ("omnidirectional", "differential", "batch_omni", "batch_differential")
BAD = [
    fleet.Pose([NAN, 0.0, 0.3], [0.0, 0.0, 0.0, 1.0]),
    fleet.Pose([0.0, INF, 0.3], [0.0, 0.0, 0.0, 1.0]),
    fleet.Pose([0.0, 1.0, 0.3], [0.0, 0.0, NAN, 1.0]),
    fleet.Pose([0.0, 1.0, 0.3], [0.0, 0.0, 0.0, 0.0]),
]


@pytest.fixture
def core():
    made = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, target_rtf=0, timestep=DT, physics=False)
    )
    yield made
    bullet.disconnect(made.client)


def robot(core, kind="omnidirectional", x=0.0, yaw=0.0, **limits):
    box = fleet.ShapeParams(shape_type="box", half_extents=[0.2, 0.2, 0.2])
    params = fleet.AgentSpawnParams(
        visual_shape=box,
        collision_shape=box,
        initial_pose=fleet.Pose.from_yaw(x, 0.0, 0.3, yaw),
        mass=0.0,
        motion_mode=KINDS[0] if "omni" in kind else KINDS[1],
        controller=limits or None,
    )
    agent = fleet.Agent.from_params(params, sim_core=core)
    if kind.startswith("batch"):
        fleet.AgentManager(sim_core=core, fleet_controller={"type": kind}).add_object(agent)
    return agent


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("goal", BAD)
def test_a_goal_that_is_no_pose_is_refused_and_the_robot_goes_on(core, goal, kind):
    agent, other = robot(core, kind), robot(core, x=0.3)
    core.step_once()
    agent.set_goal_pose(fleet.Pose.from_xyz(2.0, 0.0, 0.3))
    for _ in range(5):
        core.step_once()
    with pytest.raises(InvalidArgumentError, match="waypoint"):
        agent.set_path([fleet.Pose.from_xyz(5.0, 5.0, 0.3), goal])
    with pytest.raises(InvalidArgumentError, match="waypoint"):
        agent.set_goal_pose(goal)
    assert agent.is_moving
    assert (agent.object_id, other.object_id) in core.get_active_collision_pairs()
    for _ in range(200):
        core.step_once()
    assert agent.get_pose().position == pytest.approx([2.0, 0.0, 0.3], abs=1e-9)
    assert not agent.is_moving


@pytest.mark.parametrize("pose", BAD)
def test_a_pose_that_is_none_is_refused_and_the_object_stays(core, pose):
    agent = robot(core)
    others = [robot(core, x=float(x)) for x in (2, 4)]
    calls = [
        lambda: agent.set_pose(pose),
        lambda: core.set_poses(
            [agent.object_id, others[0].object_id],
            np.array([[9.0, 9.0, 9.0], pose.position]),
            np.array([[0.0, 0.0, 0.0, 1.0], pose.orientation]),
        ),
        lambda: others[0].attach_object(others[1], relative_pose=pose),
        lambda: fleet.Agent.from_params(
            fleet.AgentSpawnParams(initial_pose=pose, mass=0.0), sim_core=core
        ),
    ]
    for call in calls:
        with pytest.raises(InvalidArgumentError, match="finite"):
            call()
    assert [obj.get_pose().position for obj in (agent, *others)] == [
        [0.0, 0.0, 0.3], [2.0, 0.0, 0.3], [4.0, 0.0, 0.3],
    ]  # fmt: skip
    assert not others[1].is_attached()
    assert core.sim_objects == [agent, *others]


def test_a_velocity_that_is_no_number_is_refused(core):
    for agent in (robot(core), robot(core, KINDS[1])):
        agent.controller.set_velocity(vx=0.5)
        with pytest.raises(InvalidArgumentError, match="velocity"):
            agent.controller.set_velocity(vx=NAN)
        core.step_once()
        assert agent.get_pose().position == pytest.approx([0.5 * DT, 0.0, 0.3], abs=1e-12)


def ways(kind):
    """Limits with a zero, and the yaw of a robot with a way along x whom they hold."""
    turning = "max_angular_vel", "max_angular_accel"
    for name in ("max_linear_vel", "max_linear_accel"):
        yield name, [0.0, 1.0, 1.0], 0.0
        if "omni" in kind:
            yield name, [1.0, 0.0, 1.0], 0.5 * math.pi
    for name in turning:
        yield name, [0.0, 0.0, 0.0], 1.0


@pytest.mark.parametrize(
    ("kind", "name", "limit", "yaw"), [(kind, *way) for kind in KINDS for way in ways(kind)]
)
def test_a_way_along_an_axis_with_a_limit_of_zero_is_refused(core, kind, name, limit, yaw):
    agent = robot(core, kind, yaw=yaw, **{name: limit})
    with pytest.raises(ValueError, match=name):
        agent.set_path([fleet.Pose.from_xyz(3.0, 0.0, 0.3)])
    assert not agent.is_moving
    for _ in range(3):
        core.step_once()
    assert agent.get_pose().position == pytest.approx([0.0, 0.0, 0.3], abs=1e-12)


def test_a_limit_of_zero_along_an_axis_that_is_not_needed_lets_a_robot_pass(core):
    agent = robot(core, max_linear_vel=[1.0, 1.0, 0.0], max_linear_accel=[2.0, 2.0, 0.0])
    agent.set_path([fleet.Pose.from_xyz(1.0, 1.0, 0.3)], final_orientation_align=False)
    for _ in range(60):
        core.step_once()
    assert agent.get_pose().position == pytest.approx([1.0, 1.0, 0.3], abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_limit_that_becomes_zero_on_the_way_holds_the_robot(core, kind):
    agent = robot(core, kind)
    agent.set_path([fleet.Pose.from_xyz(1.0, 0.0, 0.3), fleet.Pose.from_xyz(9.0, 0.0, 0.3)])
    core.step_once()
    agent.controller_params.max_linear_vel = 0.0
    for _ in range(200):
        core.step_once()
    assert agent.get_pose().position[0] <= 1.0 + 1e-9
