"""Cameras see boxes of known size at known distances."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.isaacgym.boxes import HEIGHT, NEAR, WIDTH, add_box, camera, image, new_env
from unibody.errors import InvalidArgumentError
from unibody.isaacgym import gymapi, gymtorch

SINGLE = 1e-6  # depths are single-precision numbers of a few metres


# --- images ---------------------------------------------------------------------------------------


def test_depth_is_minus_the_distance_along_the_view_and_infinite_where_nothing_is(
    gym: Any, sim: Any
) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    depth = image(gym, sim, env, camera(gym, env), gymapi.IMAGE_DEPTH)
    assert depth.dtype == np.float32
    assert depth.shape == (HEIGHT, WIDTH)
    face = depth[16:32, 24:40]
    np.testing.assert_allclose(face, -NEAR, atol=SINGLE)
    assert np.all(np.isneginf(np.delete(depth, range(24, 40), axis=1)))


def test_a_face_covers_the_pixels_whose_middles_it_covers(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    seen = image(gym, sim, env, camera(gym, env), gymapi.IMAGE_SEGMENTATION) == 7
    # 0.5 m at 2 m with 90 degrees over 32 pixels to a side: 8 pixels
    rows, columns = np.nonzero(seen)
    assert (rows.min(), rows.max()) == (HEIGHT // 2 - 8, HEIGHT // 2 + 7)
    assert (columns.min(), columns.max()) == (WIDTH // 2 - 8, WIDTH // 2 + 7)
    assert seen.sum() == 16 * 16


def test_the_field_of_view_is_that_from_left_to_right(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    fov = 2.0 * math.degrees(math.atan(0.5 / NEAR * WIDTH / 32))  # the face covers 32 pixels
    seen = image(gym, sim, env, camera(gym, env, horizontal_fov=fov), gymapi.IMAGE_SEGMENTATION)
    assert np.nonzero(seen.any(axis=0))[0].size == 32


def test_depth_of_the_ground_is_that_of_the_plane_at_every_pixel(gym: Any, sim: Any) -> None:
    plane = gymapi.PlaneParams()
    plane.normal = gymapi.Vec3(0.0, 0.0, 1.0)
    plane.distance = 2.0  # at z = -2 m
    plane.segmentation_id = 5
    gym.add_ground(sim, plane)
    env = new_env(gym, sim)
    handle = camera(gym, env)
    depth = image(gym, sim, env, handle, gymapi.IMAGE_DEPTH)
    rows = np.arange(HEIGHT // 2 + 2, HEIGHT)
    slopes = (rows + 0.5 - HEIGHT / 2) / (WIDTH / 2)
    expected = np.broadcast_to(-2.0 / slopes[:, None], (len(rows), WIDTH))
    np.testing.assert_allclose(depth[rows], expected, rtol=SINGLE)
    below = gym.get_camera_image(sim, env, handle, gymapi.IMAGE_SEGMENTATION)[rows]
    assert np.all(below == 5)


def test_depth_keeps_its_precision_with_planes_of_a_millimetre_and_thousands_of_kilometres(
    gym: Any, sim: Any
) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env, x=60.5)
    handle = camera(gym, env, horizontal_fov=10.0)
    gym.set_camera_location(handle, env, gymapi.Vec3(0, 0, 0), gymapi.Vec3(1, 0, 0))
    depth = image(gym, sim, env, handle, gymapi.IMAGE_DEPTH)
    assert depth[HEIGHT // 2, WIDTH // 2] == pytest.approx(-60.0, abs=1e-5)


def test_nothing_is_seen_before_the_near_and_behind_the_far_plane(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    for planes in ({"near_plane": 3.1}, {"far_plane": 1.9}):
        depth = image(gym, sim, env, camera(gym, env, **planes), gymapi.IMAGE_DEPTH)
        assert np.all(np.isneginf(depth))
    depth = image(gym, sim, env, camera(gym, env, near_plane=1.9), gymapi.IMAGE_DEPTH)
    assert np.isfinite(depth).sum() == 16 * 16


def test_a_colour_of_a_body_that_an_actor_does_not_have_is_told_and_does_nothing(
    gym: Any, sim: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    env = gym.create_env(sim, gymapi.Vec3(), gymapi.Vec3(), 1)
    box = gym.create_box(sim, 1.0, 1.0, 1.0, gymapi.AssetOptions())
    actor = gym.create_actor(env, box, gymapi.Transform(), "crate", 0)
    before = gym.get_rigid_body_color(env, actor, 0, gymapi.MESH_VISUAL)
    gym.set_rigid_body_color(env, actor, 1, gymapi.MESH_VISUAL, gymapi.Vec3(0.1, 0.2, 0.3))
    assert "'crate' has no body 1, but 1" in capsys.readouterr().err
    after = gym.get_rigid_body_color(env, actor, 0, gymapi.MESH_VISUAL)
    assert (after.x, after.y, after.z) == (before.x, before.y, before.z)


def test_colours_are_packed_rgba_and_follow_set_rigid_body_color(gym: Any, sim: Any) -> None:
    envs = [new_env(gym, sim) for _ in range(2)]
    handles = []
    for env, red in zip(envs, (1.0, 0.0), strict=True):
        actor = add_box(gym, sim, env)
        color = gymapi.Vec3(red, 1.0 - red, 0.0)
        gym.set_rigid_body_color(env, actor, 0, gymapi.MESH_VISUAL, color)
        handles.append(camera(gym, env))
    gym.render_all_camera_sensors(sim)
    for env, handle, red in zip(envs, handles, (True, False), strict=True):
        packed = gym.get_camera_image(sim, env, handle, gymapi.IMAGE_COLOR)
        assert (packed.dtype, packed.shape) == (np.dtype(np.uint8), (HEIGHT, 4 * WIDTH))
        r, g, b, a = packed.reshape(HEIGHT, WIDTH, 4)[HEIGHT // 2, WIDTH // 2]
        assert (r > 50, g > 50, b, a) == (red, not red, 0, 255)


def test_a_texture_replaces_the_colour_of_a_body(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    actor = add_box(gym, sim, env)
    blue = np.tile(np.array([0, 0, 255, 255], np.uint8), 16)
    texture = gym.create_texture_from_buffer(sim, 4, 4, blue)
    handle = camera(gym, env)
    plain = image(gym, sim, env, handle, gymapi.IMAGE_COLOR).reshape(HEIGHT, WIDTH, 4)
    gym.set_rigid_body_texture(env, actor, 0, gymapi.MESH_VISUAL, texture)
    drawn = image(gym, sim, env, handle, gymapi.IMAGE_COLOR).reshape(HEIGHT, WIDTH, 4)
    middle = (HEIGHT // 2, WIDTH // 2)
    assert plain[middle][0] == plain[middle][2] > 0
    assert drawn[middle].tolist() == [0, 0, plain[middle][2], 255]


def test_segmentation_of_a_single_body_can_be_changed(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    actor = add_box(gym, sim, env, segmentation=4)
    handle = camera(gym, env)
    seen = image(gym, sim, env, handle, gymapi.IMAGE_SEGMENTATION)
    assert seen.dtype == np.uint32
    assert set(np.unique(seen)) == {0, 4}
    gym.set_rigid_body_segmentation_id(env, actor, 0, 9)
    assert set(np.unique(image(gym, sim, env, handle, gymapi.IMAGE_SEGMENTATION))) == {0, 9}


def test_supersampling_mixes_the_colours_at_an_edge_and_keeps_the_size(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env, y=0.03)  # its edge runs through pixels
    sharp = image(gym, sim, env, camera(gym, env), gymapi.IMAGE_COLOR)
    soft_camera = camera(gym, env, supersampling_horizontal=3, supersampling_vertical=3)
    soft = image(gym, sim, env, soft_camera, gymapi.IMAGE_COLOR)
    assert soft.shape == sharp.shape
    assert len(np.unique(soft)) > len(np.unique(sharp))
    depth = gym.get_camera_image(sim, env, soft_camera, gymapi.IMAGE_DEPTH)
    assert depth[HEIGHT // 2, WIDTH // 2] == pytest.approx(-NEAR, abs=SINGLE)


def test_collision_geometry_is_drawn_where_it_is_asked_for(
    gym: Any, sim: Any, tmp_path: Path
) -> None:
    (tmp_path / "thin.urdf").write_text(
        """<robot name="thin"><link name="base">
          <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
          </inertial>
          <visual><geometry><box size="1 0.5 1"/></geometry></visual>
          <collision><geometry><box size="1 1 1"/></geometry></collision>
        </link></robot>"""
    )
    env = new_env(gym, sim)
    asset = gym.load_asset(sim, str(tmp_path), "thin.urdf", gymapi.AssetOptions())
    gym.create_actor(env, asset, gymapi.Transform(), "thin", 0, 0, 1)
    handles = [camera(gym, env, use_collision_geometry=flag) for flag in (False, True)]
    widths = [
        np.nonzero(image(gym, sim, env, h, gymapi.IMAGE_SEGMENTATION).any(axis=0))[0].size
        for h in handles
    ]
    assert widths == [8, 16]


def test_images_show_nothing_before_the_first_rendering_and_are_copies(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    handle = camera(gym, env)
    depth = gym.get_camera_image(sim, env, handle, gymapi.IMAGE_DEPTH)
    assert np.all(np.isneginf(depth))
    first = image(gym, sim, env, handle, gymapi.IMAGE_DEPTH)
    first[:] = 1.0
    again = gym.get_camera_image(sim, env, handle, gymapi.IMAGE_DEPTH)
    assert again[HEIGHT // 2, WIDTH // 2] == pytest.approx(-NEAR, abs=SINGLE)


def test_an_image_shows_the_state_of_its_rendering_whenever_it_is_asked_for(
    gym: Any, sim: Any
) -> None:
    env = new_env(gym, sim)
    actor = add_box(gym, sim, env)
    handle = camera(gym, env)
    gym.render_all_camera_sensors(sim)
    gym.set_rigid_transform(
        env,
        gym.get_actor_rigid_body_handle(env, actor, 0),
        gymapi.Transform(gymapi.Vec3(1.0, 0.0, 0.0)),
    )
    depth = gym.get_camera_image(sim, env, handle, gymapi.IMAGE_DEPTH)
    assert depth[HEIGHT // 2, WIDTH // 2] == pytest.approx(-NEAR, abs=SINGLE)
    depth = image(gym, sim, env, handle, gymapi.IMAGE_DEPTH)
    assert depth[HEIGHT // 2, WIDTH // 2] == pytest.approx(-NEAR - 1.0, abs=SINGLE)


def test_optical_flow_is_the_motion_of_the_body_in_widths_and_heights(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    actor = add_box(gym, sim, env)
    handle = camera(gym, env)
    still = image(gym, sim, env, handle, gymapi.IMAGE_OPTICAL_FLOW)
    assert (still.dtype, still.shape) == (np.dtype(np.int16), (HEIGHT, 2 * WIDTH))
    assert not still.any()
    body = gym.get_actor_rigid_body_handle(env, actor, 0)
    moved = gymapi.Transform(gymapi.Vec3(0.0, 0.125, 0.25))  # to the left, and up
    gym.set_rigid_transform(env, body, moved)
    flow = image(gym, sim, env, handle, gymapi.IMAGE_OPTICAL_FLOW).reshape(HEIGHT, WIDTH, 2)
    # the face is 2 m away, where the image is 4 m wide and 3 m high
    right, down = -0.125 / 4.0 * 2**15, -0.25 / 3.0 * 2**15
    np.testing.assert_allclose(flow[20, 28], (right, down), atol=1.0)
    assert not flow[-1, -1].any()


# --- tensors --------------------------------------------------------------------------------------


def test_a_tensor_of_an_image_is_written_anew_by_every_rendering(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    actor = add_box(gym, sim, env)
    handle = camera(gym, env, enable_tensors=True)
    kinds = (gymapi.IMAGE_COLOR, gymapi.IMAGE_DEPTH, gymapi.IMAGE_SEGMENTATION)
    color, depth, numbers = (
        gymtorch.wrap_tensor(gym.get_camera_image_gpu_tensor(sim, env, handle, kind))
        for kind in kinds
    )
    assert (tuple(color.shape), str(color.dtype)) == ((HEIGHT, WIDTH, 4), "torch.uint8")
    assert (tuple(depth.shape), str(depth.dtype)) == ((HEIGHT, WIDTH), "torch.float32")
    assert tuple(numbers.shape) == (HEIGHT, WIDTH)
    middle = (HEIGHT // 2, WIDTH // 2)
    for step in range(2):
        body = gym.get_actor_rigid_body_handle(env, actor, 0)
        place = gymapi.Vec3(float(step), 0.0, 0.0)
        gym.set_rigid_transform(env, body, gymapi.Transform(place))
        gym.render_all_camera_sensors(sim)
        gym.start_access_image_tensors(sim)
        assert float(depth[middle]) == pytest.approx(-NEAR - step, abs=SINGLE)
        assert int(numbers[middle]) == 7
        assert int(color[middle][3]) == 255
        gym.end_access_image_tensors(sim)


def test_a_tensor_asked_for_after_a_rendering_shows_it(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    handle = camera(gym, env, enable_tensors=True)
    gym.render_all_camera_sensors(sim)
    depth = gymtorch.wrap_tensor(
        gym.get_camera_image_gpu_tensor(sim, env, handle, gymapi.IMAGE_DEPTH)
    )
    assert float(depth[HEIGHT // 2, WIDTH // 2]) == pytest.approx(-NEAR, abs=SINGLE)


def test_a_tensor_needs_a_camera_made_for_it(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    handle = camera(gym, env)
    with pytest.raises(InvalidArgumentError, match="enable_tensors"):
        gym.get_camera_image_gpu_tensor(sim, env, handle, gymapi.IMAGE_DEPTH)


def test_many_cameras_give_the_same_images_as_one(gym: Any, sim: Any) -> None:
    envs = [new_env(gym, sim) for _ in range(5)]
    handles = []
    for number, env in enumerate(envs):
        add_box(gym, sim, env, y=0.1 * number)
        handles.append(camera(gym, env))
    gym.render_all_camera_sensors(sim)
    for number, (env, handle) in enumerate(zip(envs, handles, strict=True)):
        seen = gym.get_camera_image(sim, env, handle, gymapi.IMAGE_SEGMENTATION) > 0
        left = np.nonzero(seen.any(axis=0))[0].min()
        # the box's left side, 0.5 m and more to the left at 2 m; a pixel is 1/16 m there
        assert left == math.ceil(32 - 16 * (0.5 + 0.1 * number) - 0.5)
    gym.render_all_camera_sensors(sim)  # now several at once
    again = [
        gym.get_camera_image(sim, env, handle, gymapi.IMAGE_DEPTH)
        for env, handle in zip(envs, handles, strict=True)
    ]
    assert all(np.isfinite(depth).any() for depth in again)


def test_environments_of_different_kinds_have_cameras(gym: Any, sim: Any) -> None:
    one, two, none = (new_env(gym, sim) for _ in range(3))
    add_box(gym, sim, one, segmentation=1)
    add_box(gym, sim, two, segmentation=2, y=1.5)
    add_box(gym, sim, two, segmentation=3, y=-1.5)
    handles = [camera(gym, env) for env in (one, two, none)]
    gym.render_all_camera_sensors(sim)
    seen = [
        set(np.unique(gym.get_camera_image(sim, env, handle, gymapi.IMAGE_SEGMENTATION)).tolist())
        for env, handle in zip((one, two, none), handles, strict=True)
    ]
    assert seen == [{0, 1}, {0, 2, 3}, {0}]


def test_an_actor_added_later_is_seen(gym: Any, sim: Any) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env, segmentation=1, y=1.5)
    handle = camera(gym, env)
    assert 2 not in image(gym, sim, env, handle, gymapi.IMAGE_SEGMENTATION)
    add_box(gym, sim, env, segmentation=2)
    seen = image(gym, sim, env, handle, gymapi.IMAGE_SEGMENTATION)
    assert seen[HEIGHT // 2, WIDTH // 2] == 2
    assert not gym.get_camera_image(sim, env, handle, gymapi.IMAGE_OPTICAL_FLOW).any()


def test_terrain_lies_in_the_frame_of_the_simulation_under_every_camera(gym: Any, sim: Any) -> None:
    field = gymapi.HeightFieldParams()
    field.nbRows = field.nbColumns = 21
    field.row_scale = field.column_scale = 1.0
    field.vertical_scale = 0.1
    field.segmentation_id = 3
    # a slope that rises by 0.1 m a metre along x, from -10 m to 10 m
    heights = np.repeat(np.arange(21, dtype=np.int16), 21)
    field.transform.p = gymapi.Vec3(-10.0, -10.0, 0.0)
    gym.add_heightfield(sim, heights, field)
    first, second, empty = (new_env(gym, sim) for _ in range(3))
    for env in (first, second):
        add_box(gym, sim, env, z=20.0)
    for origin, env in ((0.0, first), (4.0, second), (8.0, empty)):
        handle = camera(gym, env, horizontal_fov=1.0)
        gym.set_camera_location(handle, env, gymapi.Vec3(0, 0, 9), gymapi.Vec3(0, 0, 0))
        depth = image(gym, sim, env, handle, gymapi.IMAGE_DEPTH)
        # the middle is between pixels that are a thousandth of the distance wide
        height = 0.1 * (origin + 10.0)
        assert depth[HEIGHT // 2, WIDTH // 2] == pytest.approx(height - 9.0, abs=1e-3)
        assert (gym.get_camera_image(sim, env, handle, gymapi.IMAGE_SEGMENTATION) == 3).all()


@pytest.mark.parametrize("kind", ["field", "mesh", "mesh seen from behind"])
def test_large_ground_is_drawn_without_gaps(gym: Any, sim: Any, kind: str) -> None:
    count, slope = 121, 0.1  # 28800 triangles, more than one piece has
    rise = np.repeat(np.arange(count), count)
    if kind == "field":
        field = gymapi.HeightFieldParams()
        field.nbRows = field.nbColumns = count
        field.vertical_scale = slope
        field.transform.p = gymapi.Vec3(-60.0, -60.0, -3.0)
        gym.add_heightfield(sim, rise.astype(np.int16), field)
    else:
        y = np.tile(np.arange(count), count)
        points = np.column_stack([rise - 60.0, y - 60.0, slope * rise - 3.0])
        points[-1, 2] -= 1e-3  # no grid of heights
        first = (np.arange(count - 1)[:, None] * count + np.arange(count - 1)).ravel()
        a, b, c, d = first, first + 1, first + count, first + count + 1
        faces = np.concatenate([np.column_stack([a, c, b]), np.column_stack([b, c, d])])
        faces = faces[::-1, ::-1] if kind == "mesh seen from behind" else faces[::-1]
        mesh = gymapi.TriangleMeshParams()
        mesh.nb_vertices, mesh.nb_triangles = len(points), len(faces)
        gym.add_triangle_mesh(
            sim, points.astype(np.float32).ravel(), faces.astype(np.uint32).ravel(), mesh
        )
    env = new_env(gym, sim)
    handle = camera(gym, env, horizontal_fov=60.0)
    gym.set_camera_location(handle, env, gymapi.Vec3(-5, 0, 30), gymapi.Vec3(0, 0, 0))
    depth = image(gym, sim, env, handle, gymapi.IMAGE_DEPTH)
    assert np.isfinite(depth).all()
    back = np.linalg.inv(gym.get_camera_view_matrix(sim, env, handle).astype(float))
    proj = gym.get_camera_proj_matrix(sim, env, handle)
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    x = -depth * (2.0 * (columns + 0.5) / WIDTH - 1.0) / proj[0, 0]
    y = depth * (2.0 * (rows + 0.5) / HEIGHT - 1.0) / proj[1, 1]
    points = np.stack([x, y, depth, np.ones_like(depth)], axis=-1) @ back
    np.testing.assert_allclose(points[..., 2], slope * (points[..., 0] + 60.0) - 3.0, atol=1e-4)


def test_meshes_have_the_colours_of_their_materials(gym: Any, sim: Any, tmp_path: Path) -> None:
    (tmp_path / "wall.mtl").write_text("newmtl green\nKd 0 1 0\nnewmtl blue\nKd 0 0 1\n")
    (tmp_path / "wall.obj").write_text(
        "mtllib wall.mtl\n"
        "v 0 -1 -1\nv 0 -1 1\nv 0 0 1\nv 0 0 -1\nv 0 1 1\nv 0 1 -1\n"
        "g right\nusemtl green\nf 1 2 3 4\ng left\nusemtl blue\nf 4 3 5 6\n"
    )
    (tmp_path / "wall.urdf").write_text(
        """<robot name="wall"><link name="base">
          <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
          </inertial>
          <visual><geometry><mesh filename="wall.obj"/></geometry>
            <material name="red"><color rgba="1 0 0 1"/></material></visual>
        </link></robot>"""
    )
    colors = []
    for from_mesh in (False, True):
        env = new_env(gym, sim)
        options = gymapi.AssetOptions()
        options.use_mesh_materials = from_mesh
        asset = gym.load_asset(sim, str(tmp_path), "wall.urdf", options)
        gym.create_actor(env, asset, gymapi.Transform(), "wall", 0, 0)
        seen = image(gym, sim, env, camera(gym, env), gymapi.IMAGE_COLOR)
        pixels = seen.reshape(HEIGHT, WIDTH, 4)[HEIGHT // 2]
        colors.append([int(np.argmax(pixels[WIDTH // 2 + side, :3])) for side in (-4, 4)])
    assert colors == [[0, 0], [2, 1]]  # red; blue to the left and green to the right


@pytest.mark.gpu
def test_on_a_gpu_images_are_tensors_there(gym: Any) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    params = gymapi.SimParams()
    params.use_gpu_pipeline = True
    params.gravity = gymapi.Vec3(0, 0, 0)
    sim = gym.create_sim(0, 0, gymapi.SIM_PHYSX, params)
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    handle = camera(gym, env, enable_tensors=True)
    found = gym.get_camera_image_gpu_tensor(sim, env, handle, gymapi.IMAGE_DEPTH)
    depth = gymtorch.wrap_tensor(found)
    gym.render_all_camera_sensors(sim)
    assert depth.device.type == "cuda"
    assert float(depth[HEIGHT // 2, WIDTH // 2]) == pytest.approx(-NEAR, abs=1e-5)
    gym.destroy_sim(sim)


def test_a_texture_of_a_file_is_seen_until_it_is_freed(gym: Any, sim: Any, tmp_path: Path) -> None:
    file = tmp_path / "blue.png"
    Image.fromarray(np.full((4, 4, 3), (0, 0, 255), np.uint8)).save(file)
    env = new_env(gym, sim)
    actor = add_box(gym, sim, env)
    handle, middle = camera(gym, env), (HEIGHT // 2, WIDTH // 2)
    plain = image(gym, sim, env, handle, gymapi.IMAGE_COLOR).reshape(HEIGHT, WIDTH, 4)
    texture = gym.create_texture_from_file(sim, str(file))
    gym.set_rigid_body_texture(env, actor, 0, gymapi.MESH_VISUAL, texture)
    assert gym.get_rigid_body_texture(env, actor, 0, gymapi.MESH_VISUAL) == texture
    drawn = image(gym, sim, env, handle, gymapi.IMAGE_COLOR).reshape(HEIGHT, WIDTH, 4)
    assert drawn[middle].tolist() == [0, 0, plain[middle][2], 255]
    gym.free_texture(sim, texture)
    freed = image(gym, sim, env, handle, gymapi.IMAGE_COLOR).reshape(HEIGHT, WIDTH, 4)
    np.testing.assert_array_equal(freed, plain)
    with pytest.raises(InvalidArgumentError, match="texture"):
        gym.free_texture(sim, texture)
    (tmp_path / "no.png").write_text("no image")
    with pytest.raises(InvalidArgumentError, match="image"):
        gym.create_texture_from_file(sim, str(tmp_path / "no.png"))
