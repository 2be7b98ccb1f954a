"""Wheeled robots of Isaac Sim 6, and what steers them."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("warp")

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.experimental import app
from unibody.isaac_core.experimental.objects import GroundPlane
from unibody.isaac_core.experimental.wheeled import WheeledRobot
from unibody.isaac_core.experimental.wheeled.controllers import (
    AckermannController,
    DifferentialController,
    HolonomicController,
    QuinticPolynomial,
    State,
    normalize_angle,
    pid_control,
    quintic_polynomials_planner,
    stanley_control,
)
from unibody.isaac_core.functions.nucleus import get_assets_root_path
from unibody.isaac_core.simulation.simulation_manager import SimulationManager
from unibody.isaac_core.wheeled.controllers import HolonomicController as ClassicHolonomic

RADIUS = 0.03  # of the stand-in's wheels
KAYA = {
    "wheel_radius": [0.04] * 3,
    "wheel_positions": [[-0.098, 0.0, -0.05], [0.049, -0.085, -0.05], [0.049, 0.085, -0.05]],
    "wheel_orientations": [[0, 0, 0, 1], [0.866, 0, 0, -0.5], [0.866, 0, 0, 0.5]],
    "mecanum_angles": [90.0] * 3,
}


def test_a_robot_rolls_as_far_as_its_wheels_turn() -> None:
    GroundPlane("/World/ground")
    file = f"{get_assets_root_path()}/Isaac/Robots/NVIDIA/Jetbot/jetbot.usd"
    names = ["left_wheel_joint", "right_wheel_joint"]
    robot = WheeledRobot("/World/jetbot", wheel_dof_names=names, usd_path=file)
    SimulationManager.setup_simulation(dt=1.0 / 60.0)
    app.play()
    robot.apply_wheel_actions([5.0, 5.0])
    app.update_app(steps=30)
    before = robot.get_world_poses()[0].numpy()[0]
    app.update_app(steps=60)
    gone = np.linalg.norm(robot.get_world_poses()[0].numpy()[0] - before)
    assert gone == pytest.approx(5.0 * RADIUS, rel=1e-2)
    with pytest.raises(InvalidArgumentError, match="2 speeds"):
        robot.apply_wheel_actions([1.0])


def test_a_robot_without_wheels_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="wheel_dof_names"):
        WheeledRobot("/World/robot")


def test_two_wheels_differ_by_the_turn() -> None:
    controller = DifferentialController(wheel_radius=0.03, wheel_base=0.1125)
    assert controller.forward([0.3, 1.0]).tolist() == [8.125, 11.875]
    controller.max_wheel_speed = 9.0
    assert controller.forward([0.3, 1.0]).tolist() == [8.125, 9.0]


def test_wheels_that_roll_sideways_turn_as_those_of_the_earlier_controller() -> None:
    command = [1.0, 1.0, 0.1]
    former = ClassicHolonomic("former", **KAYA).forward(command).joint_velocities
    assert HolonomicController(**KAYA).forward(command) == pytest.approx(former)
    with pytest.raises(InvalidArgumentError, match="mecanum_angles"):
        HolonomicController(**{**KAYA, "mecanum_angles": None})


@pytest.mark.parametrize("steering", [0.4, -0.4])
def test_all_wheels_of_a_car_roll_about_one_point(steering: float) -> None:
    base, track, radius, speed = 1.65, 1.25, 0.25, 2.0
    car = AckermannController(wheel_base=base, track_width=track, front_wheel_radius=radius)
    angles, speeds = car.forward([steering, 0.0, speed, 0.0, 0.0])
    assert angles is not None and speeds is not None
    centre = base / np.tan(steering)
    for side, angle in zip((0.5 * track, -0.5 * track), angles, strict=True):
        assert np.tan(angle) == pytest.approx(base / (centre - side))
    turn = speed / abs(centre)
    places = [(base, 0.5 * track), (base, -0.5 * track), (0.0, 0.5 * track), (0.0, -0.5 * track)]
    away = [np.hypot(x, centre - y) for x, y in places]
    assert speeds == pytest.approx([turn * one / radius for one in away])


def test_a_car_speeds_up_and_steers_at_the_rates_of_its_commands() -> None:
    car = AckermannController(wheel_base=1.0, track_width=0.5, back_wheel_radius=0.5)
    for _ in range(3):
        angles, speeds = car.forward([0.0, 0.0, 5.0, 1.0, 0.1])
    assert speeds == pytest.approx([0.3 / 0.5] * 4)
    assert angles == (0.0, 0.0)
    assert car.forward([0.1, 0.5, 0.0, 0.0, 0.0]) == (None, None)  # a rate in no time
    assert car.forward([0.1]) == (None, None)


def test_a_path_begins_and_ends_as_is_wanted_and_keeps_to_its_limits() -> None:
    ends = (1.0, 0.5, 0.1, 4.0, -0.2, 0.3)
    path = QuinticPolynomial(*ends, 5.0)
    for time, (place, speed, gain) in ((0.0, ends[:3]), (5.0, ends[3:])):
        found = (path.calc_point(time), path.calc_first_derivative(time),
                 path.calc_second_derivative(time))  # fmt: skip
        assert found == pytest.approx((place, speed, gain))
    time, x, y, yaw, v, a, j = quintic_polynomials_planner(
        0.0, 0.0, 0.0, 1.0, 0.0, 10.0, 5.0, np.pi / 2, 1.0, 0.0, 1.0, 0.5, 0.1
    )
    last = time.index(pytest.approx(10.0))  # one of 5 s would need more
    assert (x[last], y[last], yaw[last], v[last]) == pytest.approx((10.0, 5.0, np.pi / 2, 1.0))
    assert max(map(abs, a)) <= 1.0
    assert max(map(abs, j)) <= 0.5
    with pytest.raises(InvalidArgumentError, match="less than 100 s"):
        quintic_polynomials_planner(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.0, 0.0, 1.0)


def test_a_car_beside_its_path_steers_onto_it() -> None:
    car = State(0.5, y=1.0, v=1.0, max_steering_angle=np.radians(30.0))
    along = np.linspace(0.0, 30.0, 301)
    point = 0
    for _ in range(400):
        steering, point = stanley_control(car, along, 0.0 * along, 0.0 * along, point, k=1.0)
        car.update(pid_control(1.0, car.v), steering, 0.05)
    assert car.y == pytest.approx(0.0, abs=1e-2)
    assert car.yaw == pytest.approx(0.0, abs=1e-2)
    assert normalize_angle(5.0 * np.pi) == pytest.approx(np.pi)
    with pytest.raises(InvalidArgumentError, match="finite"):
        normalize_angle(np.inf)
