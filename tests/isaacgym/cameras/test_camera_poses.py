"""Cameras are where they were put, and their calls say what is wrong."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.isaacgym.boxes import FAR_BOX, HEIGHT, NEAR, WIDTH, add_box, camera, image, new_env
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaacgym import gymapi
from unibody.isaacgym.errors import ArgumentTypeError

# --- poses and matrices ---------------------------------------------------------------------------


def test_pixels_go_back_to_points_of_the_simulation_through_the_matrices(
    gym: Any, sim: Any
) -> None:
    new_env(gym, sim)
    env = new_env(gym, sim)  # its origin is at (4, 0, 0)
    add_box(gym, sim, env)
    handle = camera(gym, env)
    gym.set_camera_location(handle, env, gymapi.Vec3(-2, -1.5, 1.2), gymapi.Vec3(0, 0, 0))
    depth = image(gym, sim, env, handle, gymapi.IMAGE_DEPTH)
    back = np.linalg.inv(gym.get_camera_view_matrix(sim, env, handle))
    proj = gym.get_camera_proj_matrix(sim, env, handle)
    rows, columns = np.nonzero(np.isfinite(depth))
    u = -(columns + 0.5 - WIDTH / 2) / WIDTH
    v = (rows + 0.5 - HEIGHT / 2) / HEIGHT
    d = depth[rows, columns]
    seen = np.column_stack([d * 2 / proj[0, 0] * u, d * 2 / proj[1, 1] * v, d, np.ones_like(d)])
    points = (seen @ back)[:, :3] - (4.0, 0.0, 0.0)
    # every point is on the surface of a box with half an edge of 0.5 m
    np.testing.assert_allclose(np.abs(points).max(axis=1), 0.5, atol=1e-5)


def test_a_point_goes_to_its_pixel_through_the_matrices(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    handle = camera(gym, env)
    view = gym.get_camera_view_matrix(sim, env, handle)
    proj = gym.get_camera_proj_matrix(sim, env, handle)
    assert (view.shape, view.dtype) == ((4, 4), np.dtype(np.float32))
    x, y, _, w = np.array([-FAR_BOX + 2.0, 1.0, 0.5, 1.0]) @ view @ proj
    # 1 m to the left and 0.5 m up at 2 m, where half of the image is 2 m wide and 1.5 m high
    assert (x / w, y / w) == (pytest.approx(-0.5), pytest.approx(0.5 / 1.5))


def test_a_camera_looks_along_x_with_z_up(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    handle = camera(gym, env)
    pose = gymapi.Transform(gymapi.Vec3(0, -FAR_BOX, 0.25))
    pose.r = gymapi.Quat.from_axis_angle(gymapi.Vec3(0, 0, 1), math.pi / 2)
    gym.set_camera_transform(handle, env, pose)
    seen = image(gym, sim, env, handle, gymapi.IMAGE_SEGMENTATION) > 0
    rows = np.nonzero(seen.any(axis=1))[0]
    assert (rows.min(), rows.max()) == (HEIGHT // 2 - 4, HEIGHT // 2 + 11)  # 4 pixels lower
    found = gym.get_camera_transform(sim, env, handle)
    ahead = found.r.rotate(gymapi.Vec3(1, 0, 0))
    assert (ahead.x, ahead.y, ahead.z) == pytest.approx((0, 1, 0), abs=1e-6)


def test_a_camera_can_look_straight_down(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    handle = camera(gym, env)
    gym.set_camera_location(handle, env, gymapi.Vec3(0, 0, FAR_BOX), gymapi.Vec3(0, 0, 0))
    seen = image(gym, sim, env, handle, gymapi.IMAGE_SEGMENTATION) > 0
    assert seen.sum() == 16 * 16


def test_in_a_simulation_with_y_up_the_top_of_the_image_is_along_y(gym: Any) -> None:
    params = gymapi.SimParams()
    params.up_axis = gymapi.UP_AXIS_Y
    sim = gym.create_sim(0, 0, gymapi.SIM_PHYSX, params)
    env = new_env(gym, sim)
    handle = camera(gym, env)
    up = gym.get_camera_transform(sim, env, handle).r.rotate(gymapi.Vec3(0, 0, 1))
    assert (up.x, up.y, up.z) == pytest.approx((0, 1, 0), abs=1e-6)
    gym.destroy_sim(sim)


@pytest.mark.parametrize("turns", [True, False])
def test_a_camera_on_a_body_goes_with_it_and_turns_if_it_is_to(
    gym: Any, sim: Any, turns: bool
) -> None:
    env = new_env(gym, sim)
    actor = add_box(gym, sim, env)
    body = gym.get_actor_rigid_body_handle(env, actor, 0)
    handle = camera(gym, env)
    offset = gymapi.Transform(gymapi.Vec3(1.0, 0.0, 0.5))
    mode = gymapi.FOLLOW_TRANSFORM if turns else gymapi.FOLLOW_POSITION
    gym.attach_camera_to_body(handle, env, body, offset, mode)
    pose = gymapi.Transform(gymapi.Vec3(3.0, 0.0, 0.0))
    pose.r = gymapi.Quat.from_axis_angle(gymapi.Vec3(0, 0, 1), math.pi / 2)
    gym.set_rigid_transform(env, body, pose)
    gym.render_all_camera_sensors(sim)
    found = gym.get_camera_transform(sim, env, handle)
    ahead = found.r.rotate(gymapi.Vec3(1, 0, 0))
    expected = ((3, 1, 0.5), (0, 1, 0)) if turns else ((4, 0, 0.5), (1, 0, 0))
    assert (found.p.x, found.p.y, found.p.z) == pytest.approx(expected[0], abs=1e-6)
    assert (ahead.x, ahead.y, ahead.z) == pytest.approx(expected[1], abs=1e-6)
    view = np.linalg.inv(gym.get_camera_view_matrix(sim, env, handle))
    assert view[3, :3] == pytest.approx(expected[0], abs=1e-6)


@pytest.mark.usefixtures("device")  # on every device that a machine without a GPU has
def test_what_a_camera_on_a_body_sees_is_the_same_on_every_device(gym: Any, sim: Any) -> None:
    envs = [new_env(gym, sim) for _ in range(2)]
    handles = []
    for env in envs:
        actor = add_box(gym, sim, env)
        add_box(gym, sim, env, x=4.0)
        body = gym.get_actor_rigid_body_handle(env, actor, 0)
        handles.append(camera(gym, env))
        offset = gymapi.Transform(gymapi.Vec3(0.5, 0.0, 0.0))
        gym.attach_camera_to_body(handles[-1], env, body, offset, gymapi.FOLLOW_TRANSFORM)
    gym.simulate(sim)
    for env, handle in zip(envs, handles, strict=True):
        depth = image(gym, sim, env, handle, gymapi.IMAGE_DEPTH)
        assert depth[HEIGHT // 2, WIDTH // 2] == pytest.approx(-3.0, abs=1e-5)
        assert gym.get_camera_transform(sim, env, handle).p.x == pytest.approx(0.5, abs=1e-5)


def test_placing_an_attached_camera_detaches_it(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    actor = add_box(gym, sim, env)
    body = gym.get_actor_rigid_body_handle(env, actor, 0)
    handle = camera(gym, env)
    gym.attach_camera_to_body(handle, env, body, gymapi.Transform(), gymapi.FOLLOW_TRANSFORM)
    gym.set_camera_location(handle, env, gymapi.Vec3(0, 0, 5), gymapi.Vec3(1, 0, 5))
    gym.simulate(sim)
    found = gym.get_camera_transform(sim, env, handle)
    assert (found.p.x, found.p.y, found.p.z) == (0, 0, 5)


# --- handles, files, lights and mistakes ----------------------------------------------------------


def test_handles_count_from_zero_in_every_environment(gym: Any, sim: Any) -> None:
    first, second = new_env(gym, sim), new_env(gym, sim)
    assert [camera(gym, first), camera(gym, first), camera(gym, second)] == [0, 1, 0]
    gym.destroy_camera_sensor(sim, first, 0)
    assert gym.get_sensor(first, 0) == 1
    with pytest.raises(InvalidArgumentError, match=r"camera=0.*\[1\]"):
        gym.get_camera_image(sim, first, 0, gymapi.IMAGE_COLOR)


def test_images_are_written_to_files(gym: Any, sim: Any, tmp_path: Path) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    handle = camera(gym, env)
    color = image(gym, sim, env, handle, gymapi.IMAGE_COLOR)
    for kind, name in (
        (gymapi.IMAGE_COLOR, "color.png"),
        (gymapi.IMAGE_DEPTH, "depth.png"),
        (gymapi.IMAGE_SEGMENTATION, "numbers.png"),
    ):
        gym.write_camera_image_to_file(sim, env, handle, kind, str(tmp_path / name))
    written = np.asarray(Image.open(tmp_path / "color.png"))
    np.testing.assert_array_equal(written.reshape(HEIGHT, -1), color)
    middle = (WIDTH // 2, HEIGHT // 2)
    assert Image.open(tmp_path / "depth.png").getpixel(middle) == 1000 * NEAR
    assert Image.open(tmp_path / "numbers.png").getpixel(middle) == 7
    with pytest.raises(InvalidArgumentError, match="filename"):
        missing = str(tmp_path / "no" / "folder.png")
        gym.write_camera_image_to_file(sim, env, handle, gymapi.IMAGE_COLOR, missing)
    with pytest.raises(NotSupportedError, match="optical flow"):
        flow = gymapi.IMAGE_OPTICAL_FLOW
        gym.write_camera_image_to_file(sim, env, handle, flow, str(tmp_path / "flow.png"))


def test_light_from_everywhere_has_the_colour_it_is_given(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    handle = camera(gym, env)
    none = gymapi.Vec3(0, 0, 0)
    gym.set_light_parameters(sim, 0, none, gymapi.Vec3(0.2, 0.4, 0.6), none)
    pixels = image(gym, sim, env, handle, gymapi.IMAGE_COLOR).reshape(HEIGHT, WIDTH, 4)
    assert pixels[HEIGHT // 2, WIDTH // 2].tolist() == [51, 102, 153, 255]
    with pytest.raises(InvalidArgumentError, match="light index"):
        gym.set_light_parameters(sim, 4, none, none, none)


def test_light_shines_from_its_direction(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    handle = camera(gym, env)
    none, white = gymapi.Vec3(0, 0, 0), gymapi.Vec3(1, 1, 1)
    levels = []
    for direction in (gymapi.Vec3(-1, 0, 0), gymapi.Vec3(-1, 1, 0), gymapi.Vec3(1, 0, 0)):
        gym.set_light_parameters(sim, 0, white, none, direction)
        pixels = image(gym, sim, env, handle, gymapi.IMAGE_COLOR).reshape(HEIGHT, WIDTH, 4)
        levels.append(int(pixels[HEIGHT // 2, WIDTH // 2, 0]))
    assert levels == [255, int(255 * math.sqrt(0.5)), 0]  # the cosine of the angle


@pytest.mark.parametrize(
    ("name", "value"),
    [("width", 0), ("horizontal_fov", 180.0), ("near_plane", 0.0), ("far_plane", 0.0005),
     ("width", 100_000_000), ("supersampling_vertical", 0)],
)  # fmt: skip
def test_a_camera_that_cannot_be_is_refused(gym: Any, sim: Any, name: str, value: Any) -> None:
    env = new_env(gym, sim)
    properties = gymapi.CameraProperties()
    setattr(properties, name, value)
    with pytest.raises(InvalidArgumentError, match=name):
        gym.create_camera_sensor(env, properties)


def test_wrong_arguments_are_named(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    handle = camera(gym, env)
    with pytest.raises(ArgumentTypeError, match="camera properties"):
        gym.create_camera_sensor(env, 3)
    with pytest.raises(InvalidArgumentError, match="image type"):
        gym.get_camera_image(sim, env, handle, 17)
    with pytest.raises(InvalidArgumentError, match="position"):
        nowhere = gymapi.Vec3(math.nan, 0, 0)
        gym.set_camera_location(handle, env, nowhere, gymapi.Vec3(0, 0, 0))
    with pytest.raises(InvalidArgumentError, match="camera=5"):
        gym.set_camera_transform(5, env, gymapi.Transform())
    with pytest.raises(InvalidArgumentError, match="rigid body handle"):
        gym.attach_camera_to_body(handle, env, 3, gymapi.Transform(), gymapi.FOLLOW_TRANSFORM)
