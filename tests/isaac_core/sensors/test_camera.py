"""Camera and lidar: what they see of a known scene."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pxr")

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.objects.cuboid import DynamicCuboid, FixedCuboid
from unibody.isaac_core.objects.sphere import VisualSphere
from unibody.isaac_core.sensors.camera import Camera
from unibody.isaac_core.sensors.lidar import RotatingLidarPhysX
from unibody.isaac_core.world.world import World

DOWN = np.array([np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])  # x forward becomes -z


@pytest.fixture
def world() -> World:
    World.clear_instance()
    world = World()
    world.scene.add_default_ground_plane()
    return world


def camera_above(world: World, **options: object) -> Camera:
    """A camera 5 m above the ground, over a red cube of 0.4 m."""
    red = np.array([1.0, 0.0, 0.0])
    cube = DynamicCuboid("/World/cube", "cube", position=[0, 0, 0.2], size=0.4, color=red)
    world.scene.add(cube)
    camera = Camera("/World/camera", position=[0.0, 0.0, 5.0], orientation=DOWN, **options)
    world.reset()
    camera.initialize()
    return camera


def test_a_camera_sees_colours_and_distances_where_its_lens_says(world: World) -> None:
    camera = camera_above(world, resolution=(200, 100))
    camera.add_distance_to_image_plane_to_frame()
    camera.add_distance_to_camera_to_frame()
    assert camera.get_rgba().shape == (100, 200, 4)
    red, green, blue = (int(value) for value in camera.get_rgb()[50, 100])
    assert red > 150
    assert max(green, blue) < 30
    depth = camera.get_depth()
    # depth of 24 bits between 1 and 1e6 m: its step at 5 m is 25 / 1 / 2^24
    assert depth[50, 100] == pytest.approx(4.6, abs=1e-3)
    assert depth[5, 5] == pytest.approx(5.0, abs=1e-3)
    ((column, row),) = camera.get_image_coords_from_world_points([[0.2, 0.2, 0.4]])
    # x of the world is up in the picture, y is left
    assert (column < 100, row < 50) == (True, True)
    edge = depth[:, 100] < 4.8
    assert np.flatnonzero(edge)[0] == pytest.approx(row, abs=1.0)  # a pixel
    frame = camera.get_current_frame()
    matrix = camera.get_intrinsics_matrix()
    slant = np.hypot((5.5 - matrix[0, 2]) / matrix[0, 0], (5.5 - matrix[1, 2]) / matrix[1, 1])
    expected = 5.0 * np.hypot(1.0, slant)
    assert frame["distance_to_camera"][5, 5] == pytest.approx(expected, abs=2e-3)


def test_points_of_pixels_are_where_the_world_has_them(world: World) -> None:
    camera = camera_above(world, resolution=(64, 64))
    points = np.array([[0.3, -0.2, 0.0], [0.1, 0.1, 0.4]])
    pixels = camera.get_image_coords_from_world_points(points)
    found = camera.get_world_points_from_image_coords(pixels, 5.0 - points[:, 2])
    assert found == pytest.approx(points, abs=1e-5)  # single precision of the intrinsics
    cloud = camera.get_pointcloud()
    assert cloud.shape == (64 * 64, 3)
    assert cloud[:, 2].max() == pytest.approx(0.4, abs=1e-3)


def test_labels_name_prims_and_motion_is_that_of_what_moves(world: World) -> None:
    camera = camera_above(world, resolution=(64, 64))
    ball = VisualSphere("/World/ball", "ball", position=[0.5, 0.5, 0.3], radius=0.1)
    camera.add_instance_id_segmentation_to_frame()
    camera.add_motion_vectors_to_frame()
    seen = camera.get_current_frame()["instance_id_segmentation"]
    meanings = seen["info"]["idToLabels"]
    assert meanings[int(seen["data"][32, 32])] == "/World/cube"
    world.step(render=False)
    (before,) = camera.get_image_coords_from_world_points([[0.5, 0.5, 0.4]])
    camera.get_current_frame()
    ball.set_world_pose([0.5, 0.3, 0.3])
    world.step(render=False)
    motion = camera.get_current_frame()["motion_vectors"]
    (after,) = camera.get_image_coords_from_world_points([[0.5, 0.3, 0.4]])
    assert after[0] > before[0]  # to the right
    column, row = (int(value) for value in after)
    # positive to the left: where it was, from where it is
    assert motion[row, column, 0] == pytest.approx(before[0] - after[0], abs=0.1)
    assert motion[32, 32, :2] == pytest.approx([0.0, 0.0], abs=1e-2)


def test_poses_of_a_camera_are_kept_in_each_convention(world: World) -> None:
    camera = camera_above(world)
    assert camera.get_world_pose()[1] == pytest.approx(DOWN, abs=1e-6)
    # looking down with x of the world up in the picture: x of USD's camera is -y of the world
    across = camera.get_view_matrix_ros()[0, :3]
    assert across == pytest.approx([0.0, -1.0, 0.0], abs=1e-6)
    for axes in ("world", "ros", "usd"):
        position, orientation = camera.get_world_pose(axes)
        camera.set_world_pose(position, orientation, axes)
        assert camera.get_world_pose()[1] == pytest.approx(DOWN, abs=1e-6)
    with pytest.raises(InvalidArgumentError, match="camera_axes"):
        camera.get_world_pose("up")


def test_what_a_camera_lacks_is_refused_by_name(world: World) -> None:
    camera = camera_above(world)
    with pytest.raises(NotSupportedError, match="normals"):
        camera.add_normals_to_frame()
    with pytest.raises(NotSupportedError, match="cuda"):
        camera.get_rgba(device="cuda")
    with pytest.raises(InvalidArgumentError, match="annotator_name"):
        camera.attach_annotator("colour")


def test_a_lidar_measures_walls_around_it(world: World) -> None:
    size = np.array([0.2, 20.0, 4.0])
    world.scene.add(FixedCuboid("/World/wall", "wall", position=[3.1, 0, 1], scale=size))
    world.scene.add(DynamicCuboid("/World/box", "box", position=[-2.5, 0, 0.5], size=1.0))
    lidar = RotatingLidarPhysX(
        "/World/lidar", position=[0.0, 0.0, 0.5], rotation_frequency=0, fov=(360.0, 1.0),
        resolution=(1.0, 1.0), valid_range=(0.4, 50.0),
    )  # fmt: skip
    lidar.add_linear_depth_data_to_frame()
    lidar.add_azimuth_data_to_frame()
    lidar.add_point_cloud_data_to_frame()
    world.reset()
    world.step(render=False)
    frame = lidar.get_current_frame()
    depth, azimuth = frame["linear_depth"][:, 0], frame["azimuth"]
    assert len(depth) == lidar.get_num_cols() == 360
    ahead = np.abs(azimuth) < np.radians(60.0)
    assert depth[ahead] == pytest.approx(3.0 / np.cos(azimuth[ahead]), abs=1e-4)
    assert depth[0] == pytest.approx(-2.0 / np.cos(azimuth[0]), abs=1e-4)  # the box behind
    assert frame["point_cloud"][ahead][:, 0, 0] == pytest.approx(3.0, abs=1e-4)
    assert depth[90] == pytest.approx(50.0)  # aside there is nothing


def test_a_lidar_that_turns_reads_a_part_of_the_circle_in_each_step(world: World) -> None:
    lidar = RotatingLidarPhysX("/World/lidar", position=[0, 0, 0.5], rotation_frequency=20)
    world.scene.add(DynamicCuboid("/World/box", "box", position=[-2.5, 0, 0.5], size=1.0))
    lidar.add_linear_depth_data_to_frame()
    world.reset()
    world.step(render=False)
    assert lidar.get_num_cols_in_last_step() == 120  # 20 turns a second, 60 steps
    assert lidar.get_current_frame()["linear_depth"].shape == (120, 10)


def test_a_lidar_says_that_no_window_shows_its_beams_and_goes_on(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unibody.notices._told", set())
    lidar = RotatingLidarPhysX("/World/lidar", position=[0.0, 0.0, 1.0])
    lidar.enable_visualization(draw_lines=False)
    assert "no window to see beams in" in capsys.readouterr().err


@pytest.mark.parametrize("backend", ["numpy", "torch", "warp"])
def test_a_lidar_turns_in_worlds_of_every_backend(backend: str) -> None:
    pytest.importorskip(backend)
    World.clear_instance()
    world = World(backend=backend)
    world.scene.add_default_ground_plane()
    lidar = RotatingLidarPhysX("/World/lidar", position=[0.0, 0.0, 0.5], rotation_frequency=0)
    lidar.add_linear_depth_data_to_frame()
    world.reset()
    world.step(render=False)
    assert lidar.get_current_frame()["physics_step"] > 0
    assert lidar.get_current_frame()["linear_depth"].min() > 0.0


def test_a_sensor_that_nobody_holds_is_read_no_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    monkeypatch.setattr(RotatingLidarPhysX, "_measured", lambda *_: read.append(1) or {})
    lidar = RotatingLidarPhysX("/World/lidar", rotation_frequency=0)
    world.reset()
    world.step(render=False)
    before = len(read)
    del lidar
    world.step(render=False)
    assert len(read) == before > 0
