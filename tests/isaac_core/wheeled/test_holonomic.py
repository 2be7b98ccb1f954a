"""Robots on wheels that roll sideways go in any direction."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions.nucleus import get_assets_root_path
from unibody.isaac_core.functions.rotations import quat_to_euler_angles
from unibody.isaac_core.wheeled import HolonomicRobotUsdSetup, WheeledRobot
from unibody.isaac_core.wheeled.controllers import HolonomicController
from unibody.isaac_core.world.world import World

RADIUS, ARM = 0.04, 0.1
COMMAND = (0.6, 0.3, 0.0)


def _three(**options: float) -> HolonomicController:
    """Three wheels around a circle, whose axes point outwards."""
    angles = np.radians([0.0, 120.0, 240.0])
    along = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)
    quats = [(math.cos(a / 2.0), 0.0, 0.0, math.sin(a / 2.0)) for a in angles]
    return HolonomicController("c", [RADIUS], ARM * along, quats, [90.0], **options)


def test_pushes_of_three_wheels_add_up_to_the_command() -> None:
    # Each pushes along the circle, (-sin a, cos a): by symmetry the speeds are 2/3 of the shares.
    angles = np.radians([0.0, 120.0, 240.0])
    pushes = np.stack([-np.sin(angles), np.cos(angles)])
    wheels = _three().forward(COMMAND).joint_velocities
    shares = 2.0 / 3.0 * (np.array(COMMAND[:2]) @ pushes) / RADIUS
    np.testing.assert_allclose(wheels, shares, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(RADIUS * pushes @ wheels, COMMAND[:2], rtol=1e-12)
    turned = _three().forward((0.0, 0.0, 0.5)).joint_velocities
    np.testing.assert_allclose(turned, -0.5 / (3.0 * ARM * RADIUS), rtol=1e-12)


def test_limits_keep_the_direction_of_a_command() -> None:
    plain = _three().forward(COMMAND).joint_velocities
    slow = _three(max_wheel_speed=2.0).forward(COMMAND).joint_velocities
    np.testing.assert_allclose(slow, plain * 2.0 / np.abs(plain).max(), rtol=1e-12)
    speed = math.hypot(*COMMAND)
    half = _three(max_linear_speed=0.5 * speed).forward(COMMAND).joint_velocities
    np.testing.assert_allclose(half, 0.5 * plain, rtol=1e-12)
    np.testing.assert_allclose(
        _three(linear_gain=3.0).forward(COMMAND).joint_velocities, 3.0 * plain, rtol=1e-12
    )


def test_wheels_that_do_not_push_everywhere_are_refused() -> None:
    quats = [(1.0, 0.0, 0.0, 0.0)] * 2
    places = [(0.0, 0.1, 0.0), (0.0, -0.1, 0.0)]
    with pytest.raises(InvalidArgumentError, match="push in all directions"):
        HolonomicController("c", [0.1], places, quats, [90.0])
    with pytest.raises(InvalidArgumentError, match="mecanum_angles"):
        HolonomicController("c", [0.1], places, quats)
    with pytest.raises(InvalidArgumentError, match="wheel_radius"):
        HolonomicController("c", [0.1, 0.1, 0.1], places, quats, [90.0])
    with pytest.raises(InvalidArgumentError, match="command"):
        _three().forward((1.0, 2.0))


@pytest.mark.usefixtures("asset_cache")
def test_robot_on_rolling_rims_drives_obliquely() -> None:
    world = World()
    world.scene.add_default_ground_plane()
    file = get_assets_root_path() + "/Isaac/Robots/NVIDIA/Kaya/kaya.usd"
    names = [f"axle_{wheel}_joint" for wheel in range(3)]
    robot = WheeledRobot(
        "/World/Kaya", "kaya", wheel_dof_names=names, create_robot=True, usd_path=file
    )
    world.scene.add(robot)
    world.reset()
    found = HolonomicRobotUsdSetup("/World/Kaya", "/World/Kaya/base_link/control_offset")
    assert found.wheel_dof_names == names
    assert found.wheel_radius == pytest.approx([RADIUS] * 3)
    # The frame of commands looks backwards, as wheels that turn forwards about axes that point
    # outwards push back.
    np.testing.assert_allclose(found.wheel_positions[0], (-ARM, 0.0, -0.05), atol=1e-6)
    controller = HolonomicController("c", *found.get_holonomic_controller_params())
    steps = 90
    for _ in range(steps):
        robot.apply_wheel_actions(controller.forward(COMMAND))
        world.step(render=False)
    position, turn = robot.get_world_pose()
    wanted = 2.0 / 3.0 * np.array(COMMAND[:2]) * steps / 60.0
    # The start from rest, and twelve balls a rim in place of a circle, cost a tenth.
    np.testing.assert_allclose(position[:2], wanted, atol=0.1 * np.linalg.norm(wanted))
    assert abs(quat_to_euler_angles(turn)[2]) < 0.15
