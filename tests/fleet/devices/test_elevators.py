"""Elevators take along what stands with its base on the platform, as in the original."""

from __future__ import annotations

from pathlib import Path

import pytest

import unibody.fleet as package
from unibody import bullet, fleet
from unibody.fleet.devices.door import Door, DoorParams
from unibody.fleet.devices.elevator import Elevator, ElevatorParams

ROBOTS = Path(package.__file__).parent / "robots"
DT = 0.05
FLOOR = 3.0  # m: the second one
EDGE = 1.5  # m: half an edge of the platform


@pytest.fixture
def core():
    made = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, target_rtf=0, timestep=DT, physics=False)
    )
    yield made
    bullet.disconnect(made.client)


def lift(core, x=0.0):
    params = ElevatorParams(
        urdf_path=str(ROBOTS / "elevator.urdf"),
        initial_pose=fleet.Pose.from_xyz(x, 0.0, 0.0),
        mass=0.0,
        use_fixed_base=True,
        floors={"low": 0.0, "high": FLOOR},
    )
    return Elevator.from_params(params, sim_core=core)


def cube(core, x, z, half=0.2):
    shape = fleet.ShapeParams(shape_type="box", half_extents=[half] * 3)
    params = fleet.AgentSpawnParams(
        visual_shape=shape,
        collision_shape=shape,
        initial_pose=fleet.Pose.from_xyz(x, 0.0, z),
        mass=0.0,
    )
    return fleet.Agent.from_params(params, sim_core=core)


def run(core, steps=80):
    """Step, and give all pairs that ever collided."""
    seen = set()
    for _ in range(steps):
        core.step_once()
        seen.update(core.get_active_collision_pairs())
    return seen


def height(obj):
    return obj.get_pose().position[2]


def test_an_elevator_beside_another_one_stays_and_both_can_be_asked(core):
    first, second = lift(core), lift(core, 2.0 * EDGE)
    passenger = cube(core, 0.0, 0.3)
    first.request_floor("high")
    assert first.passengers == [passenger]
    run(core)
    assert height(second) == 0.0
    assert height(passenger) == pytest.approx(FLOOR + 0.3, abs=1e-6)
    first.request_floor("low")
    second.request_floor("high")
    run(core)
    assert [first.current_floor, second.current_floor] == ["low", "high"]


def test_a_door_that_only_reaches_over_a_platform_stays(core):
    elevator = lift(core)
    params = DoorParams(
        urdf_path=str(ROBOTS / "door_slide.urdf"),
        initial_pose=fleet.Pose.from_xyz(EDGE + 0.1, -0.9, 0.0),
        mass=0.0,
        use_fixed_base=True,
        open_positions={"slide": 1.5},
    )
    door = Door.from_params(params, sim_core=core)
    low, high = door.get_aabb()
    assert low[0] < EDGE
    assert high[0] > EDGE
    elevator.request_floor("high")
    assert elevator.passengers == []
    run(core)
    assert height(door) == 0.0


def test_an_arm_over_a_platform_does_not_lift_the_robot_beside_it(core):
    elevator = lift(core)
    robot = fleet.Agent.from_params(
        fleet.AgentSpawnParams(
            urdf_path=str(ROBOTS / "rail_arm_robot.urdf"),
            initial_pose=fleet.Pose.from_yaw(EDGE + 0.1, 0.0, 0.3, 3.14159),
            mass=0.0,
            use_fixed_base=True,
        ),
        sim_core=core,
    )
    before = height(robot)
    assert robot.get_aabb()[0][0] < EDGE
    elevator.request_floor("high")
    run(core)
    assert height(robot) == before


def test_what_carries_an_object_cannot_be_attached_to_it(core):
    bottom, middle, top = (cube(core, 0.0, 1.0 + z) for z in range(3))
    for obj in (bottom, middle, top):
        obj.pickable = True
    assert bottom.attach_object(middle)
    assert middle.attach_object(top)
    assert not top.attach_object(bottom)
    assert not top.attach_object(top)
    bottom.set_pose(fleet.Pose.from_xyz(5.0, 0.0, 1.0))
    assert top.get_pose().position[0] == pytest.approx(5.0)


# 0.3: on the platform, whose top is at 0.1; 0.25: 5 cm in it, as wheels of robots may be
@pytest.mark.parametrize("start", [0.25, 0.3, 0.32])
def test_a_robot_on_a_platform_does_not_collide_with_it(core, start):
    elevator = lift(core)
    robot = cube(core, 0.0, start)
    robot.set_goal_pose(fleet.Pose.from_xyz(0.8, 0.0, start))
    assert run(core) == set()
    elevator.request_floor("high")
    assert run(core) == set()
    assert height(robot) == pytest.approx(FLOOR + start, abs=1e-6)


def test_a_robot_under_a_platform_or_beside_it_still_collides(core):
    elevator = lift(core)
    beside, above = cube(core, EDGE + 0.19, 0.0), cube(core, 0.0, 2.0)
    core.step_once()
    pair = (elevator.object_id, beside.object_id)
    assert core.get_active_collision_pairs() == [pair]
    beside.set_pose(fleet.Pose.from_xyz(9.0, 0.0, 0.0))
    elevator.request_floor("high")
    assert (elevator.object_id, above.object_id) in run(core)


def test_an_elevator_without_a_platform_lifts_by_its_base(core):
    one = Elevator.from_urdf("simple_cube", sim_core=core)
    assert (one.get_platform_aabb()[0] == one.get_link_aabb(-1)[0]).all()


def test_devices_made_from_a_file_alone_step_and_are_asked_for_nothing(core):
    one = Elevator.from_urdf(str(ROBOTS / "elevator.urdf"), mass=0.0, sim_core=core)
    door = Door.from_urdf("simple_cube", sim_core=core)
    core.step_once()
    assert (one.current_floor, one.available_floors, one.is_moving) == ("0", ["0"], False)
    door.request_open()
    core.step_once()
    assert door.door_state.value == "closed"
