"""The arm of Franka follows targets, and brings a cube elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unibody.isaac_core.manipulators.franka import KinematicsSolver
from unibody.isaac_core.manipulators.franka.controllers import PickPlaceController
from unibody.isaac_core.manipulators.franka.tasks import FollowTarget, PickPlace
from unibody.isaac_core.world.world import World

pytest.importorskip("pybullet_data")


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("UNIBODY_ISAAC_ASSETS", raising=False)


def test_the_hand_follows_a_target_by_inverse_kinematics() -> None:
    world = World()
    world.add_task(FollowTarget())
    world.reset()
    parameters = world.get_task("franka_follow_target").get_params()
    robot = world.scene.get_object(parameters["robot_name"]["value"])
    solver = KinematicsSolver(robot)
    target = world.get_observations()[parameters["target_name"]["value"]]
    action, reached = solver.compute_inverse_kinematics(target["position"], target["orientation"])
    assert reached
    for _ in range(120):
        robot.apply_action(action)
        world.step(render=False)
    # Gravity bends a drive of 3600 /s^2 by about 9.81/0.5 m/3600 = 0.005 rad, at 0.7 m twice.
    assert solver.compute_end_effector_pose()[0] == pytest.approx(target["position"], abs=0.01)


@pytest.mark.slow
def test_the_arm_brings_a_cube_elsewhere() -> None:
    world = World()
    task = PickPlace()
    world.add_task(task)
    world.reset()
    names = {key: one["value"] for key, one in task.get_params().items()}
    robot = world.scene.get_object(names["robot_name"])
    controller = PickPlaceController("controller", robot.gripper, robot)
    cube = {}
    for _ in range(3000):
        world.step(render=False)
        seen = world.get_observations()
        cube, joints = seen[names["cube_name"]], seen[names["robot_name"]]["joint_positions"]
        robot.apply_action(
            controller.forward(
                cube["position"], cube["target_position"], joints, np.array([0.0, 0.005, 0.0])
            )
        )
        if controller.is_done():
            break
    assert controller.is_done()
    # The cube turns a little in the hand, which is told of its middle only.
    assert cube["position"] == pytest.approx(cube["target_position"], abs=0.06)
