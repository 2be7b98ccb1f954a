"""Robots with a low battery charge at a station, one after the other, and go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from unibody import fleet
from unibody.errors import InvalidArgumentError
from unibody.fleet.bodies.physics_world import close_physics_world
from unibody.fleet.plugins.recharge_plugin import RechargePlugin

CIRCUIT = {"type": "circuit", "stops": [[3.0, 0.0], [0.0, 0.0]], "wait_range": [0.5, 0.5]}
BATTERY = {"type": "battery", "config": {"discharge_rate": 0.02, "charge_rate": 0.1}}


def robot(core: Any, y: float, *plugins: dict[str, Any]) -> fleet.Agent:
    box = fleet.ShapeParams(shape_type="box", half_extents=[0.3, 0.2, 0.1])
    return fleet.Agent.from_params(
        fleet.AgentSpawnParams(
            visual_shape=box, collision_shape=box, mass=0.0, plugins=list(plugins),
            initial_pose=fleet.Pose.from_xyz(0.0, y, 0.1), controller=[{"type": "omni"}, CIRCUIT],
        ),
        core,
    )  # fmt: skip


@pytest.fixture
def core() -> Iterator[fleet.MultiRobotSimulationCore]:
    """A world with one station."""
    made = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(
            gui=False, monitor=False, timestep=0.1, physics=False, log_level="ERROR"
        )
    )
    pose = fleet.Pose.from_xyz(3.0, 0.0, 0.0)
    fleet.SimObject.from_mesh(pose=pose, sim_core=made, name="charger_0")
    yield made
    close_physics_world(made._physics_world)


def test_two_robots_share_a_station_one_after_the_other_and_go_on(core: Any) -> None:
    recharge = {"type": "recharge", "config": {"low": 0.9, "high": 0.95, "reach": 2.5}}
    robots = [robot(core, y, BATTERY, recharge) for y in (1.0, -1.0)]
    charged: list[int] = []
    lowest = 1.0
    for _ in range(400):
        core.step_once()
        for number, each in enumerate(robots):
            if each.is_charging:
                x, y, _ = each.get_pose().position
                assert (x, y) == pytest.approx((3.0, 0.0), abs=1e-6)
                charged += [number] if charged[-1:] != [number] else []
            lowest = min(lowest, each.battery_soc)
        users = [each.get_plugin(RechargePlugin).station for each in robots]
        assert None in users or users[0] is not users[1]
    # a leg takes 0.06 of the charge; waiting for the other one takes nothing but a leg or two
    assert {0, 1} == set(charged) and len(charged) > 3 and lowest > 0.6
    assert core.collision_count == 0


def test_a_station_out_of_reach_is_left_alone(core: Any) -> None:
    recharge = {"type": "recharge", "config": {"low": 0.99, "high": 1.0, "reach": 0.5}}
    agent = robot(core, 1.0, BATTERY, recharge)
    for _ in range(100):
        core.step_once()
        assert agent.get_pose().position[1] == pytest.approx(1.0)
    assert agent.battery_soc < 0.99


def test_what_cannot_be_is_refused(core: Any) -> None:
    agent = robot(core, 1.0, {"type": "recharge"})
    with pytest.raises(InvalidArgumentError, match="battery"):
        core.step_once()
    core.remove_object(agent)
    with pytest.raises(InvalidArgumentError, match="low, high"):
        robot(core, 1.0, BATTERY, {"type": "recharge", "config": {"low": 0.9, "high": 0.8}})
    with pytest.raises(InvalidArgumentError, match="reach"):
        robot(core, 1.0, BATTERY, {"type": "recharge", "config": {"reach": -1.0}})
