"""UR10 with its suction cup: what it holds, and where it brings it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pxr")

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core import physics
from unibody.isaac_core.functions.collisions import ray_cast
from unibody.isaac_core.manipulators.surface_interface import (
    GripperStatus,
    acquire_surface_gripper_interface,
)
from unibody.isaac_core.manipulators.universal_robots.controllers import PickPlaceController
from unibody.isaac_core.manipulators.universal_robots.tasks import PickPlace
from unibody.isaac_core.manipulators.universal_robots.ur10 import UR10
from unibody.isaac_core.objects.cuboid import DynamicCuboid
from unibody.isaac_core.world.world import World

EDGE = 0.0515
CUP = "/World/UR10/ee_link/SurfaceGripper"


@pytest.fixture
def world() -> World:
    World.clear_instance()
    return World()


def arm_over_cube(world: World, gap: float) -> tuple[UR10, DynamicCuboid]:
    """The arm as it begins, and a cube whose top is ``gap`` below its suction cup."""
    world.scene.add_default_ground_plane()
    arm = world.scene.add(UR10("/World/UR10", "arm", attach_gripper=True))
    arm.set_joints_default_state(
        positions=np.array([-np.pi / 2, -np.pi / 2, -np.pi / 2, -np.pi / 2, np.pi / 2, 0.0])
    )
    cube = world.scene.add(DynamicCuboid("/World/cube", "cube", position=[5.0, 0, 1], size=EDGE))
    world.reset()
    point, _ = arm.end_effector.get_world_pose()
    down = np.array(point) - [0.0, 0.0, 0.138 + gap + EDGE / 2]
    cube.set_world_pose(down)
    cube.set_linear_velocity(np.zeros(3))
    return arm, cube


def test_a_suction_cup_holds_the_body_before_it_until_it_is_opened(world: World) -> None:
    arm, cube = arm_over_cube(world, 0.01)
    before = cube.get_world_pose()[0] - arm.end_effector.get_world_pose()[0]
    arm.gripper.close()
    assert arm.gripper.is_closed()
    for _ in range(60):
        world.step(render=False)
    # the weight of 1.3 N turns the wrist by about 1 %: 2 mm at 0.2 m
    held = cube.get_world_pose()[0]
    assert held - arm.end_effector.get_world_pose()[0] == pytest.approx(before, abs=4e-3)
    arm.gripper.open()
    assert arm.gripper.is_open()
    for _ in range(15):
        world.step(render=False)
    fallen = 0.5 * 9.81 * 0.25**2  # in 15 steps; a step more or less is 4 cm
    assert held[2] - cube.get_world_pose()[0][2] == pytest.approx(fallen, abs=0.05)


def test_a_suction_cup_tries_to_close_for_its_retry_interval_only(world: World) -> None:
    arm, _ = arm_over_cube(world, 0.2)  # farther away than it reaches
    cups = acquire_surface_gripper_interface()
    arm.gripper.close()
    assert cups.get_gripper_status(CUP) is GripperStatus.Closing
    for _ in range(62):
        world.step(render=False)
    assert cups.get_gripper_status(CUP) is GripperStatus.Open
    assert cups.get_gripped_objects(CUP) == []


def test_a_stop_lets_go_of_what_a_suction_cup_holds(world: World) -> None:
    arm, _ = arm_over_cube(world, 0.01)
    arm.gripper.close()
    world.stop()
    world.reset()
    assert arm.gripper.is_open()
    assert physics.current() is not None


def test_a_suction_cup_with_a_limit_of_force_is_refused(world: World) -> None:
    arm, _ = arm_over_cube(world, 0.01)
    world.stage.GetPrimAtPath(CUP).GetAttribute("isaac:shearForceLimit").Set(5.0)
    with pytest.raises(NotSupportedError, match="shearForceLimit"):
        arm.gripper.close()
    with pytest.raises(InvalidArgumentError, match="attachmentPoints"):
        acquire_surface_gripper_interface().open_gripper("/World/cube")


def test_a_ray_along_x_finds_the_nearest_body_and_its_distance(world: World) -> None:
    with pytest.raises(NotSupportedError, match="simulated"):
        ray_cast(np.zeros(3), np.array([1.0, 0, 0, 0]), np.zeros(3))
    world.scene.add_default_ground_plane()
    for name, x in (("near", 1.0), ("far", 2.0)):
        world.scene.add(DynamicCuboid(f"/World/{name}", name, position=[x, 0, 0.5], size=0.2))
    world.reset()
    straight = np.array([1.0, 0.0, 0.0, 0.0])
    start = np.array([0.0, 0.0, 0.5])
    path, distance = ray_cast(start, straight, np.array([0.1, 0.0, 0.0]))
    assert (path, distance) == ("/World/near", pytest.approx(0.8, abs=1e-6))
    assert ray_cast(start, straight, np.zeros(3), max_dist=0.5) == (None, 10000.0)
    turned = np.array([0.0, 0.0, 0.0, 1.0])  # half a turn about z
    assert ray_cast(start, turned, np.zeros(3)) == (None, 10000.0)


def test_ur10_brings_a_cube_to_its_place(world: World) -> None:
    task = PickPlace()
    world.add_task(task)
    world.reset()
    names = {key: one["value"] for key, one in task.get_params().items()}
    arm = world.scene.get_object(names["robot_name"])
    controller = PickPlaceController("mover", arm.gripper, arm)
    for _ in range(1300):
        seen = world.get_observations()
        cube = seen[names["cube_name"]]
        action = controller.forward(
            cube["position"], cube["target_position"],
            seen[names["robot_name"]]["joint_positions"], np.array([0.0, 0.0, 0.02]),
        )  # fmt: skip
        arm.get_articulation_controller().apply_action(action)
        world.step(render=False)
        if controller.is_done():
            break
    assert controller.is_done()
    cube = world.get_observations()[names["cube_name"]]
    # the hand follows its path with a lag of some millimetres
    assert cube["position"] == pytest.approx(cube["target_position"], abs=5e-3)
