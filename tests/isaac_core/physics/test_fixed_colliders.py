"""Colliders that belong to no body stop bodies and rays, and follow their prims."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pxr import Gf, UsdGeom

from unibody.isaac_core import handles
from unibody.isaac_core.functions.collisions import ray_cast
from unibody.isaac_core.materials import PhysicsMaterial
from unibody.isaac_core.objects import DynamicCuboid, FixedCuboid
from unibody.isaac_core.prims.current import RigidPrim
from unibody.isaac_core.sensors.lidar import RotatingLidarPhysX
from unibody.isaac_core.world.world import World

DOWN = np.array([math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0])  # the x axis looks down
HERE = np.zeros(3)
G = 9.81


def _below(x: float, y: float = 0.0) -> tuple[str | None, float]:
    return ray_cast(np.array([x, y, 5.0]), DOWN, HERE)


def _shelf(path: str = "/World/shelf", x: float = 0.0, height: float = 1.0) -> FixedCuboid:
    """A plate of 1 m x 1 m x 0.2 m with its top at a height."""
    return FixedCuboid(
        path, path.rsplit("/", 1)[-1], np.array([x, 0.0, height - 0.1]),
        size=1.0, scale=np.array([1.0, 1.0, 0.2]),
    )  # fmt: skip


def _play(world: World, steps: int) -> None:
    for _ in range(steps):
        world.step(render=False)


def test_rays_meet_colliders_on_a_stage_on_which_nothing_moves() -> None:
    world = World()
    world.scene.add_default_ground_plane()
    _shelf(x=2.0)
    world.reset()
    path, distance = _below(2.0)
    assert path == "/World/shelf"
    assert distance == pytest.approx(4.0, abs=1e-6)
    path, distance = _below(0.0)
    assert path is not None
    assert path.startswith("/World/defaultGroundPlane")
    assert distance == pytest.approx(5.0, abs=1e-6)
    assert ray_cast(np.array([0.0, 0.0, 5.0]), np.array([1.0, 0, 0, 0]), HERE) == (None, 10000.0)


def test_a_lidar_measures_a_wall_on_a_stage_on_which_nothing_moves() -> None:
    world = World()
    wall = FixedCuboid("/World/wall", "wall", np.array([3.0, 0.0, 0.0]), size=2.0)
    lidar = RotatingLidarPhysX(
        "/World/lidar", "lidar", rotation_frequency=0.0, fov=(10.0, 1.0), resolution=(1.0, 1.0),
        valid_range=(0.1, 50.0),
    )  # fmt: skip
    world.reset()
    lidar.initialize()
    lidar.add_linear_depth_data_to_frame()
    _play(world, 2)
    angles = np.radians((np.arange(10) - 4.5) * 1.0)
    depths = np.ravel(lidar.get_current_frame()["linear_depth"])
    assert depths == pytest.approx(2.0 / np.cos(angles), abs=1e-5)
    wall.set_world_pose(position=np.array([4.0, 0.0, 0.0]))
    _play(world, 2)
    depths = np.ravel(lidar.get_current_frame()["linear_depth"])
    assert depths == pytest.approx(3.0 / np.cos(angles), abs=1e-5)


def test_a_box_falls_when_what_it_stands_on_is_moved_away() -> None:
    world = World()
    world.scene.add_default_ground_plane()
    shelf, other = _shelf(), _shelf("/World/other", x=5.0)
    box = DynamicCuboid("/World/box", "box", np.array([0.0, 0.0, 1.1]), size=0.2)
    world.reset()
    _play(world, 30)
    assert box.get_world_pose()[0][2] == pytest.approx(1.1, abs=1e-3)
    shelf.set_world_pose(position=np.array([2.0, 0.0, 0.9]))
    _play(world, 60)
    assert box.get_world_pose()[0][2] == pytest.approx(0.1, abs=1e-3)
    assert _below(2.0) == ("/World/shelf", pytest.approx(4.0, abs=1e-6))
    assert _below(5.0) == ("/World/other", pytest.approx(4.0, abs=1e-6))
    other.set_world_pose(position=np.array([5.0, 0.0, 2.9]))
    _play(world, 1)
    assert _below(5.0) == ("/World/other", pytest.approx(2.0, abs=1e-6))


def test_a_ground_moves_with_the_prim_above_it() -> None:
    world = World()
    world.scene.add_default_ground_plane()
    box = DynamicCuboid("/World/box", "box", np.array([0.0, 0.0, 0.1]), size=0.2)
    world.reset()
    ground = UsdGeom.Xformable(handles.current_stage().GetPrimAtPath("/World/defaultGroundPlane"))
    place = next(op for op in ground.GetOrderedXformOps() if "translate" in op.GetName())
    for height in (-0.5, -0.7):
        place.Set(Gf.Vec3d(0.0, 0.0, height))
        _play(world, 60)
        assert box.get_world_pose()[0][2] == pytest.approx(height + 0.1, abs=1e-3)


def test_of_two_colliders_of_one_name_the_one_that_is_moved_moves() -> None:
    world = World()
    near, _ = _shelf("/World/near/plate"), _shelf("/World/far/plate", x=3.0)
    DynamicCuboid("/World/box", "box", np.array([20.0, 0.0, 1.1]), size=0.2)
    world.reset()
    near.set_world_pose(position=np.array([0.0, 0.0, 1.9]))
    _play(world, 1)
    assert _below(0.0) == ("/World/near/plate", pytest.approx(3.0, abs=1e-6))
    assert _below(3.0) == ("/World/far/plate", pytest.approx(4.0, abs=1e-6))


@pytest.mark.parametrize("moving", [False, True])
def test_a_collider_that_is_turned_is_met_where_its_faces_are_then(moving: bool) -> None:
    world = World()
    shelf = _shelf()
    _shelf("/World/other", x=5.0)
    if moving:
        DynamicCuboid("/World/box", "box", np.array([20.0, 0.0, 1.1]), size=0.2)
    world.reset()
    angle = math.radians(30.0)
    turned = np.array([math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0])
    shelf.set_world_pose(position=np.array([0.5, 0.0, 2.0]), orientation=turned)
    _play(world, 1)
    top = 2.0 + 0.1 / math.cos(angle)  # above the middle of the plate
    for x in (0.3, 0.6):
        expected = 5.0 - top + (x - 0.5) * math.tan(angle)
        assert _below(x) == ("/World/shelf", pytest.approx(expected, abs=1e-6))


def test_a_box_slides_down_a_plate_that_is_tilted_as_gravity_pulls_it() -> None:
    world = World()
    smooth = PhysicsMaterial("/World/smooth", static_friction=0.0, dynamic_friction=0.0)
    shelf = _shelf()
    shelf.set_local_scale(np.array([20.0, 20.0, 0.2]))
    shelf.apply_physics_material(smooth)
    box = DynamicCuboid(
        "/World/box", "box", np.array([0.0, 0.0, 1.1]), size=0.2, physics_material=smooth
    )
    world.reset()
    _play(world, 10)
    angle = math.radians(40.0)
    turned = np.array([math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0])
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    shelf.set_world_pose(np.array([0.0, 0.0, 0.9]), turned)
    box.set_world_pose(np.array([0.0, 0.0, 0.9]) + 0.2 * normal, turned)
    box.set_linear_velocity(np.zeros(3))
    steps, dt = 30, world.get_physics_dt()
    _play(world, steps)
    along = np.array([math.cos(angle), 0.0, -math.sin(angle)])
    speed = box.get_linear_velocity() @ along
    assert speed == pytest.approx(G * math.sin(angle) * steps * dt, rel=0.005)
    assert box.get_linear_velocity() @ normal == pytest.approx(0.0, abs=0.01)


def test_a_body_feels_its_weight_from_the_one_of_several_colliders_it_stands_on() -> None:
    world = World()
    _shelf()
    _shelf("/World/other", x=5.0)
    DynamicCuboid("/World/box", "box", np.array([0.0, 0.0, 1.1]), size=0.2, mass=2.0)
    feeling = RigidPrim(
        "/World/box", contact_filter_prim_paths_expr=["/World/shelf", "/World/other"]
    )
    world.reset()
    feeling.initialize()
    _play(world, 60)
    forces = feeling.get_contact_force_matrix(dt=world.get_physics_dt())
    assert forces[0, 0] == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-2)
    assert forces[0, 1] == pytest.approx([0.0, 0.0, 0.0])


def test_a_fixed_collider_of_an_environment_that_is_moved_says_when_that_acts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    world = World()
    for number in range(2):
        UsdGeom.Xform.Define(handles.current_stage(), f"/World/envs/env_{number}")
        DynamicCuboid(f"/World/envs/env_{number}/box", f"box_{number}", np.array([0.0, 0.0, 5.0]))
    table = _shelf("/World/envs/env_0/table")
    _shelf("/World/envs/env_1/table")
    world.reset()
    table.set_world_pose(np.array([3.0, 0.0, 0.9]))
    _play(world, 1)
    assert "the pose of /World/envs/env_0/table" in capsys.readouterr().err
