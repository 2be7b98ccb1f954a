"""Traffic metrics on traffic whose figures are known."""

from __future__ import annotations

import pytest

from unibody import bullet, fleet
from unibody.fleet.recording.traffic_metrics import TrafficMetrics

DT = 0.1  # s


@pytest.fixture
def core():
    made = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, timestep=DT, physics=False)
    )
    yield made
    bullet.disconnect(made.client)


def robot(core, x, y):
    box = fleet.ShapeParams(shape_type="box", half_extents=[0.2, 0.2, 0.2])
    return fleet.Agent.from_params(
        fleet.AgentSpawnParams(
            visual_shape=box,
            collision_shape=box,
            initial_pose=fleet.Pose.from_xyz(x, y, 0.3),
            mass=0.0,
            controller={"max_linear_vel": 1.0},
        ),
        sim_core=core,
    )


def watch(core, steps, **options):
    metrics = TrafficMetrics(core, **options)
    for _ in range(steps):
        core.step_once()
        metrics.step()
    return metrics.summary()


def test_distance_arrivals_and_throughput_are_counted(core):
    for row, length in enumerate((2.0, 3.0, 4.0)):
        robot(core, 0.0, 5.0 * row).set_goal_pose(fleet.Pose.from_xyz(length, 5.0 * row, 0.3))
    found = watch(core, 100)
    assert found["distance_m"] == pytest.approx(9.0, abs=1e-6)
    assert found["arrivals"] == 3
    assert found["throughput_per_min"] == pytest.approx(3 * 60.0 / 10.0)
    assert (found["collisions"], found["near_misses"], found["deadlocks"]) == (0, 0, 0)


def test_passing_closely_is_one_near_miss_and_passing_through_one_collision(core):
    robot(core, 0.0, 0.0).set_goal_pose(fleet.Pose.from_xyz(4.0, 0.0, 0.3))
    robot(core, 4.0, 0.6).set_goal_pose(fleet.Pose.from_xyz(0.0, 0.6, 0.3))  # 0.2 m between them
    found = watch(core, 80, near=0.3)
    assert (found["near_misses"], found["collisions"]) == (1, 0)


def test_farther_than_the_limit_is_no_near_miss(core):
    robot(core, 0.0, 0.0).set_goal_pose(fleet.Pose.from_xyz(4.0, 0.0, 0.3))
    robot(core, 4.0, 0.6).set_goal_pose(fleet.Pose.from_xyz(0.0, 0.6, 0.3))
    assert watch(core, 80, near=0.15)["near_misses"] == 0


def test_who_is_held_on_the_way_waits_and_is_deadlocked_once(core):
    held = robot(core, 0.0, 0.0)
    held.set_goal_pose(fleet.Pose.from_xyz(50.0, 0.0, 0.3))
    place = fleet.Pose.from_xyz(0.0, 0.0, 0.3)
    core.register_callback(lambda _core, _dt: held.set_pose(place))
    found = watch(core, 100, stuck_after=2.0)
    assert found["deadlocks"] == 1
    assert found["waiting_share"] == pytest.approx(1.0)


def test_a_robot_that_turns_on_the_spot_does_not_wait(core):
    box = fleet.ShapeParams(shape_type="box", half_extents=[0.2, 0.2, 0.2])
    params = fleet.AgentSpawnParams(
        visual_shape=box,
        collision_shape=box,
        mass=0.0,
        motion_mode="differential",
        controller={"max_angular_vel": 0.2, "max_linear_vel": 1.0},
    )
    agent = fleet.Agent.from_params(params, sim_core=core)
    agent.set_path([fleet.Pose.from_yaw(-2.0, 0.0, 0.0, 0.0)])
    found = watch(core, 450, stuck_after=5.0)
    assert not agent.is_moving
    busy = 33.0  # s: at least 2 pi/0.2 s for two turns by 180 degrees, and 2 s for the way
    assert found["deadlocks"] == 0
    # a profile begins with a step in which nothing moves: the first place, two turns, two drives
    assert found["waiting_share"] <= 6 * DT / busy


def test_doors_and_other_agents_that_stay_where_they_are_are_no_traffic(core):
    robot(core, 0.0, 0.0).set_goal_pose(fleet.Pose.from_xyz(2.0, 0.0, 0.3))
    fleet.Agent.from_urdf(
        "arm_robot", pose=fleet.Pose.from_xyz(1.0, 0.7, 0.0), use_fixed_base=True, sim_core=core
    )
    found = watch(core, 40)
    assert (found["agents"], found["arrivals"], found["near_misses"]) == (1, 1, 0)
