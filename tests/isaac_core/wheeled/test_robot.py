"""Robots on wheels go where they are told to."""

from __future__ import annotations

import numpy as np
import pytest

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions.nucleus import get_assets_root_path
from unibody.isaac_core.functions.rotations import quat_to_euler_angles
from unibody.isaac_core.wheeled import WheeledRobot
from unibody.isaac_core.wheeled.controllers import DifferentialController
from unibody.isaac_core.world.world import World

WHEELS = ["left_wheel_joint", "right_wheel_joint"]


def test_wheels_turn_by_the_closed_form_within_their_limits() -> None:
    controller = DifferentialController("c", 0.03, 0.1125)
    wheels = controller.forward([0.3, 1.0]).joint_velocities
    assert wheels == pytest.approx([(0.3 - 0.05625) / 0.03, (0.3 + 0.05625) / 0.03])
    slow = DifferentialController("c", 0.03, 0.1125, 0.1, 0.5, 3.5)
    assert slow.forward([0.3, -1.0]).joint_velocities == pytest.approx(
        [3.5, (0.1 - 0.028125) / 0.03]
    )
    with pytest.raises(InvalidArgumentError, match="command"):
        controller.forward([1.0, 2.0, 3.0])
    with pytest.raises(InvalidArgumentError, match="wheel_radius"):
        DifferentialController("c", 0.0, 0.1)


@pytest.fixture
def jetbot(asset_cache: None) -> tuple[World, WheeledRobot]:
    world = World()
    world.scene.add_default_ground_plane()
    file = get_assets_root_path() + "/Isaac/Robots/NVIDIA/Jetbot/jetbot.usd"
    robot = WheeledRobot(
        "/World/Jetbot", "jetbot", wheel_dof_names=WHEELS, create_robot=True, usd_path=file
    )
    world.scene.add(robot)
    world.reset()
    return world, robot


@pytest.mark.parametrize("command", [(0.2, 0.0), (0.0, 1.0)])
def test_a_robot_on_two_wheels_drives_and_turns(
    jetbot: tuple[World, WheeledRobot], command: tuple[float, float]
) -> None:
    world, robot = jetbot
    controller = DifferentialController("c", 0.03, 0.1125)
    for _ in range(120):
        robot.apply_wheel_actions(controller.forward(command))
        world.step(render=False)
    position, turn = robot.get_world_pose()
    speed, rate = command
    # Two seconds; drives that start from rest and wheels that slip cost a few hundredths.
    assert position[0] == pytest.approx(2.0 * speed, abs=0.02)
    assert quat_to_euler_angles(turn)[2] == pytest.approx(2.0 * rate, abs=0.1)
    wheels = controller.forward(command).joint_velocities
    assert np.asarray(robot.get_wheel_velocities()) == pytest.approx(wheels, abs=0.3)
