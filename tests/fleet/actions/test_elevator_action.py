"""Robots ride elevators to a floor and leave them there."""

from __future__ import annotations

import pytest

from unibody import fleet
from unibody.fleet.actions.action_parser import action_from
from unibody.fleet.bodies.physics_world import close_physics_world
from unibody.fleet.devices.elevator import Elevator, ElevatorParams
from unibody.fleet.foundation.types import ActionStatus


def test_a_robot_calls_an_elevator_rides_it_and_leaves_it_at_the_floor() -> None:
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(
            gui=False, monitor=False, timestep=0.1, physics=False, log_level="CRITICAL"
        )
    )
    lift = Elevator.from_params(
        ElevatorParams(
            urdf_path="robots/elevator.urdf", name="lift",
            floors={"ground": 0.0, "deck": 3.0}, initial_floor="deck",
            use_fixed_base=True, initial_pose=fleet.Pose.from_xyz(0.0, 0.0, -0.1),
        ),
        core,
    )  # fmt: skip
    robot = fleet.Agent.from_params(
        fleet.AgentSpawnParams(
            urdf_path="mobile_robot", initial_pose=fleet.Pose.from_xyz(-3.0, 0.0, 0.15), mass=0.0
        ),
        core,
    )
    moves = [{"path": [[0.0, 0.0, 0.15]]}, {"path": [[3.0, 0.0, 3.15]]}]
    rides = [action_from("elevator", {"elevator": "lift", "floor": n}) for n in ("ground", "deck")]
    board, leave = [action_from("move", each) for each in moves]
    robot.add_action_sequence([rides[0], board, rides[1], leave])
    for _ in range(300):
        core.step_once()
    assert [each.status for each in (*rides, leave)] == [ActionStatus.COMPLETED] * 3
    assert robot.get_pose().position == pytest.approx([3.0, 0.0, 3.15], abs=1e-3)
    assert lift.current_floor == "deck" and not lift.passengers

    for lacking in ({"elevator": "none", "floor": "deck"}, {"elevator": "lift", "floor": "roof"}):
        action = action_from("elevator", lacking)
        robot.add_action(action)
        core.step_once()
        assert action.status is ActionStatus.FAILED
        assert "'lift'" in str(action.error_message) or "'deck'" in str(action.error_message)
    close_physics_world(core._physics_world)
