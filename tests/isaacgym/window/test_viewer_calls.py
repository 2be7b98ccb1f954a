"""Viewers are usable without a page, and tell scripts what happens on one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from unibody.errors import InvalidArgumentError
from unibody.isaacgym import gymapi, gymutil
from unibody.isaacgym.cameras import viewer as viewers
from unibody.isaacgym.errors import ArgumentTypeError

WIDTH, HEIGHT = 64, 48


@pytest.fixture
def gym() -> Any:
    return gymapi.acquire_gym()


@pytest.fixture
def sim(gym: Any) -> Iterator[Any]:
    params = gymapi.SimParams()
    params.up_axis = gymapi.UP_AXIS_Z
    params.gravity = gymapi.Vec3(0.0, 0.0, -10.0)
    params.use_gpu_pipeline = False
    found = gym.create_sim(0, 0, gymapi.SIM_PHYSX, params)
    yield found
    gym.destroy_sim(found)


@pytest.fixture
def viewer(gym: Any, sim: Any) -> Any:
    return gym.create_viewer(sim, properties())


@pytest.fixture
def paged(gym: Any, sim: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A viewer with a page that nobody has opened."""
    pytest.importorskip("viser")
    monkeypatch.delenv("UNIBODY_VIEWER")
    return gym.create_viewer(sim, properties())


def properties() -> Any:
    found = gymapi.CameraProperties()
    found.width, found.height = WIDTH, HEIGHT
    return found


def new_env(gym: Any, sim: Any) -> Any:
    return gym.create_env(sim, gymapi.Vec3(-2, -2, 0), gymapi.Vec3(2, 2, 2), 4)


def add_box(gym: Any, sim: Any, env: Any, height: float = 0.0) -> int:
    asset = gym.create_box(sim, 1.0, 1.0, 1.0, gymapi.AssetOptions())
    pose = gymapi.Transform(gymapi.Vec3(0, 0, height))
    actor = gym.create_actor(env, asset, pose, "box", 0, 0, 7)
    gym.set_rigid_body_color(env, actor, 0, gymapi.MESH_VISUAL, gymapi.Vec3(1, 0, 0))
    return actor


def press(viewer: Any, *messages: dict[str, Any]) -> None:
    for message in messages:
        viewer.page._display.viewer.inputs.take(message)


def picture(gym: Any, viewer: Any, folder: Path) -> Any:
    gym.write_viewer_image_to_file(viewer, str(folder / "seen.png"))
    return np.asarray(Image.open(folder / "seen.png")).astype(int)


def reddish(pixels: Any) -> Any:
    return pixels[..., 0] > 2 * pixels[..., 1] + 20


# --- without a page -------------------------------------------------------------------------------


def test_a_viewer_without_a_page_answers_every_call(gym: Any, sim: Any, viewer: Any) -> None:
    env = new_env(gym, sim)
    add_box(gym, sim, env)
    gym.subscribe_viewer_keyboard_event(viewer, gymapi.KEY_ESCAPE, "QUIT")
    gym.subscribe_viewer_mouse_event(viewer, gymapi.MOUSE_LEFT_BUTTON, "shoot")
    gym.simulate(sim)
    gym.step_graphics(sim)
    gym.draw_viewer(viewer, sim, True)
    gym.poll_viewer_events(viewer)
    assert gym.query_viewer_action_events(viewer) == []
    assert gym.query_viewer_has_closed(viewer) is False
    size, mouse = gym.get_viewer_size(viewer), gym.get_viewer_mouse_position(viewer)
    assert ((size.x, size.y), (mouse.x, mouse.y)) == ((WIDTH, HEIGHT), (0.0, 0.0))
    gym.draw_env_soft_contacts(viewer, env, gymapi.Vec3(1, 0, 0), 1.0, False, False)


def test_an_image_of_the_viewer_shows_all_environments_at_their_places(
    gym: Any, sim: Any, viewer: Any, tmp_path: Path
) -> None:
    for _ in range(3):  # their origins are 4 m apart along x
        add_box(gym, sim, new_env(gym, sim))
    gym.viewer_camera_look_at(viewer, None, gymapi.Vec3(4, -8.5, 0), gymapi.Vec3(4, 0, 0))
    seen = reddish(picture(gym, viewer, tmp_path))
    assert seen.shape == (HEIGHT, WIDTH)
    # faces 8 m away, where a metre is 4 pixels: 4 wide and 16 apart; the outer boxes show a side
    # as well, up to 9 m away: 3.5 m aside that is 32 * 3.5 / 9 = 12.4 pixels from the middle
    columns = np.nonzero(seen[HEIGHT // 2])[0].tolist()
    assert columns == [*range(14, 20), *range(30, 34), *range(44, 50)]


def test_lines_are_drawn_in_the_frame_of_their_environment_and_hidden_by_what_is_before_them(
    gym: Any, sim: Any, viewer: Any, tmp_path: Path
) -> None:
    new_env(gym, sim)
    env = new_env(gym, sim)  # at (4, 0, 0)
    add_box(gym, sim, env)
    gym.viewer_camera_look_at(viewer, env, gymapi.Vec3(0, -8.5, 0), gymapi.Vec3(0, 0, 0))
    before = picture(gym, viewer, tmp_path)
    line = np.array([[-3.0, 0.0, 0.05, 3.0, 0.0, 0.05]], np.float32)
    gym.add_lines(viewer, env, 1, line, np.array([[0.0, 1.0, 0.0]], np.float32))
    drawn = picture(gym, viewer, tmp_path)
    green = np.all(drawn[..., :3] == (0, 255, 0), axis=-1)
    rows, columns = np.nonzero(green)
    # 8.5 m away a metre is 3.76 pixels; the box hides its middle
    assert set(rows.tolist()) == {HEIGHT // 2 - 1}
    assert (columns.min(), columns.max()) == (20, 43)
    assert not green[:, 30:34].any()
    gym.clear_lines(viewer)
    np.testing.assert_array_equal(picture(gym, viewer, tmp_path), before)


def test_line_geometries_of_gymutil_can_be_drawn(gym: Any, sim: Any, viewer: Any) -> None:
    env = new_env(gym, sim)
    pose = gymapi.Transform(gymapi.Vec3(1, 2, 3))
    gymutil.draw_lines(gymutil.AxesGeometry(2.0), gym, viewer, env, pose)
    ends, colors = viewer.lines[0]
    np.testing.assert_allclose(ends[2], [[1, 2, 3], [1, 2, 5]])
    np.testing.assert_array_equal(colors, np.eye(3))


def test_plain_lists_of_numbers_are_lines_too(gym: Any, sim: Any, viewer: Any) -> None:
    gym.add_lines(viewer, None, 1, [0, 0, 0, 1, 2, 3, 9, 9], [0.5, 0.25, 0])
    np.testing.assert_allclose(viewer.lines[0][0], [[[0, 0, 0], [1, 2, 3]]])
    with pytest.raises(InvalidArgumentError, match=r"vertices.*at least 12"):
        gym.add_lines(viewer, None, 2, [0] * 6, [0] * 6)
    with pytest.raises(ArgumentTypeError, match="colors"):
        gym.add_lines(viewer, None, 1, [0] * 6, ["red"])


def test_the_camera_of_the_viewer_looks_along_its_z_axis(gym: Any, sim: Any, viewer: Any) -> None:
    new_env(gym, sim)
    env = new_env(gym, sim)  # at (4, 0, 0)
    gym.viewer_camera_look_at(viewer, env, gymapi.Vec3(1, 2, 3), gymapi.Vec3(1, 5, 7))
    pose = gym.get_viewer_camera_transform(viewer, env)
    assert (pose.p.x, pose.p.y, pose.p.z) == pytest.approx((1, 2, 3))
    ahead, up = pose.r.rotate(gymapi.Vec3(0, 0, 1)), pose.r.rotate(gymapi.Vec3(0, 1, 0))
    assert (ahead.x, ahead.y, ahead.z) == pytest.approx((0, 0.6, 0.8), abs=1e-6)
    assert (up.x, up.y, up.z) == pytest.approx((0, -0.8, 0.6), abs=1e-6)
    assert gym.get_viewer_camera_transform(viewer, None).p.x == pytest.approx(5.0)


def test_the_camera_of_the_viewer_is_a_camera_like_others(gym: Any, sim: Any, viewer: Any) -> None:
    new_env(gym, sim)
    env = new_env(gym, sim)
    actor = add_box(gym, sim, env, height=1.0)
    handle = gym.get_viewer_camera_handle(viewer)
    gym.set_camera_location(handle, env, gymapi.Vec3(-2.5, 0, 1), gymapi.Vec3(0, 0, 1))
    depth = gym.get_camera_image(sim, env, handle, gymapi.IMAGE_DEPTH)
    assert depth[HEIGHT // 2, WIDTH // 2] == pytest.approx(-2.0, abs=1e-6)
    body = gym.get_actor_rigid_body_handle(env, actor, 0)
    offset = gymapi.Transform(gymapi.Vec3(0, 0, 2))
    gym.attach_camera_to_body(handle, env, body, offset, gymapi.FOLLOW_TRANSFORM)
    gym.prepare_sim(sim)
    place = gym.get_viewer_camera_transform(viewer, None).p
    assert (place.x, place.y, place.z) == pytest.approx((4, 0, 3))
    back = np.linalg.inv(gym.get_camera_view_matrix(sim, env, handle))
    assert back[3, :3] == pytest.approx((4, 0, 3))


def test_contact_forces_are_drawn_as_long_as_they_are_large(
    gym: Any, sim: Any, viewer: Any
) -> None:
    plane = gymapi.PlaneParams()
    plane.normal = gymapi.Vec3(0, 0, 1)
    gym.add_ground(sim, plane)
    new_env(gym, sim)
    env = new_env(gym, sim)
    add_box(gym, sim, env, height=0.5)
    color = gymapi.Vec3(0, 0, 1)
    gym.draw_env_rigid_contacts(viewer, env, color, 1.0, False)  # nothing touches yet
    assert viewer.lines == []
    for _ in range(60):
        gym.simulate(sim)
    gym.draw_env_rigid_contacts(viewer, env, color, 0.001, False)
    (start, end), shade = viewer.lines[0][0][0], viewer.lines[0][1][0]
    weight = 1000.0 * 10.0  # N
    assert start == pytest.approx((4.0, 0.0, 0.5), abs=1e-3)
    assert end - start == pytest.approx((0, 0, 0.001 * weight), abs=0.05)
    assert shade.tolist() == [0, 0, 1]
    gym.clear_lines(viewer)
    gym.draw_env_rigid_contacts(viewer, env, color, 0.001, True)
    start, end = viewer.lines[0][0][0]
    assert end[2] - start[2] == pytest.approx(0.001 * math.sqrt(weight), rel=0.01)


def test_too_many_environments_are_shown_in_part_and_one_line_says_so(
    gym: Any, sim: Any, viewer: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(viewers, "MOST_ENVS", 2)
    envs = [new_env(gym, sim) for _ in range(4)]
    gym.viewer_camera_look_at(viewer, envs[3], gymapi.Vec3(5, 5, 5), gymapi.Vec3(0, 0, 0))
    assert viewer.shown() == envs[2:]
    gym.viewer_camera_look_at(viewer, envs[0], gymapi.Vec3(5, 5, 5), gymapi.Vec3(0, 0, 0))
    assert viewer.shown() == envs[:2]
    assert capsys.readouterr().err.count("shows 2 of 4 environments") == 1


def test_a_destroyed_viewer_is_good_for_nothing(gym: Any, sim: Any, viewer: Any) -> None:
    gym.destroy_viewer(viewer)
    with pytest.raises(InvalidArgumentError, match="not been destroyed"):
        gym.draw_viewer(viewer, sim)
    second = gym.create_viewer(sim, properties())
    third = gym.create_viewer(sim, properties())
    with pytest.raises(InvalidArgumentError, match="not been destroyed"):
        gym.query_viewer_has_closed(second)
    assert gym.query_viewer_has_closed(third) is False


def test_wrong_arguments_are_named(gym: Any, sim: Any, viewer: Any, tmp_path: Path) -> None:
    with pytest.raises(ArgumentTypeError, match="viewer"):
        gym.draw_viewer(None, sim)
    with pytest.raises(InvalidArgumentError, match="key=999"):
        gym.subscribe_viewer_keyboard_event(viewer, 999, "x")
    with pytest.raises(ArgumentTypeError, match="position"):
        gym.viewer_camera_look_at(viewer, None, (1, 2, 3), gymapi.Vec3())
    with pytest.raises(InvalidArgumentError, match="filename"):
        gym.write_viewer_image_to_file(viewer, str(tmp_path / "image.nothing"))


# --- with a page ----------------------------------------------------------------------------------


def test_a_key_gives_one_when_it_goes_down_and_zero_when_it_comes_up(gym: Any, paged: Any) -> None:
    gym.subscribe_viewer_keyboard_event(paged, gymapi.KEY_V, "toggle_viewer_sync")
    gym.subscribe_viewer_keyboard_event(paged, gymapi.KEY_ESCAPE, "QUIT")
    gym.subscribe_viewer_keyboard_event(paged, gymapi.KEY_1, "one")
    press(paged, {"type": "keydown", "key": "v"}, {"type": "keydown", "key": "x"})
    found = [(event.action, event.value) for event in gym.query_viewer_action_events(paged)]
    assert found == [("toggle_viewer_sync", 1.0)]
    press(paged, {"type": "keyup", "key": "v"}, {"type": "keydown", "key": "Escape"})
    gym.poll_viewer_events(paged)
    press(paged, {"type": "keydown", "key": "!"}, {"type": "keyup", "key": "!"})
    found = [(event.action, event.value) for event in gym.query_viewer_action_events(paged)]
    assert found == [("toggle_viewer_sync", 0.0), ("QUIT", 1.0), ("one", 1.0), ("one", 0.0)]
    assert gym.query_viewer_action_events(paged) == []


def test_every_key_has_a_name_in_browsers() -> None:
    from unibody.isaacgym.window.events import key_names

    names = {key: key_names(key) for key in gymapi.KeyboardInput}
    assert names[gymapi.KEY_A] == ("a",)
    assert names[gymapi.KEY_F12] == ("f12",)
    assert names[gymapi.KEY_0] == ("0", ")")
    assert names[gymapi.KEY_NUMPAD_7] == ("7",)
    assert names[gymapi.KEY_SPACE] == (" ",)
    assert all(names.values())
    assert not any("_" in name for found in names.values() for name in found if name != "_")


def test_mouse_buttons_wheel_and_movements_are_told_with_the_place_of_the_mouse(
    gym: Any, paged: Any
) -> None:
    for what in (
        gymapi.MOUSE_LEFT_BUTTON,
        gymapi.MOUSE_SCROLL_DOWN,
        gymapi.MOUSE_MOVE_RIGHT,
        gymapi.MOUSE_MOVE_UP,
    ):
        gym.subscribe_viewer_mouse_event(paged, what, what.name)
    press(
        paged,
        {"type": "mousedown", "button": 0, "at": [100, 200, 400, 400]},
        {"type": "mousemove", "at": [200, 100, 400, 400]},
        {"type": "mouseup", "button": 0, "at": [200, 100, 400, 400]},
        {"type": "mousewheel", "turn": 2, "at": [200, 100, 400, 400]},
    )
    mouse = gym.get_viewer_mouse_position(paged)
    assert (mouse.x, mouse.y) == (0.5, 0.25)
    found = [(event.action, event.value) for event in gym.query_viewer_action_events(paged)]
    assert found == [
        ("MOUSE_LEFT_BUTTON", 1.0),
        ("MOUSE_MOVE_RIGHT", 0.25),
        ("MOUSE_MOVE_UP", 0.25),
        ("MOUSE_LEFT_BUTTON", 0.0),
        ("MOUSE_SCROLL_DOWN", 2.0),
    ]


def test_a_page_that_nobody_has_opened_costs_nothing_and_is_not_closed(
    gym: Any, sim: Any, paged: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_box(gym, sim, new_env(gym, sim))
    monkeypatch.setattr(paged.studio, "frames_of", None)  # would be called to draw
    gym.draw_viewer(paged, sim, True)
    assert gym.query_viewer_has_closed(paged) is False
    assert paged.page.url.startswith("http://127.0.0.1:")


def test_the_page_gets_all_environments_with_their_poses_colours_and_lines(
    gym: Any, sim: Any, paged: Any
) -> None:
    for _ in range(2):
        add_box(gym, sim, new_env(gym, sim), height=0.75)
    gym.add_lines(paged, None, 1, [0, 0, 0, 1, 1, 1], [0, 1, 0])
    display = paged.page._display
    display.viewer.start_recording()  # somebody to show it to
    gym.draw_viewer(paged, sim, True)
    parts = display.viewer._parts
    positions, _ = display.viewer._poses
    assert [part.rgba for part in parts] == [(1.0, 0.0, 0.0, 1.0)] * 2
    places = [positions[part.frame].tolist() for part in parts]
    assert places == [[0.0, 0.0, 0.75], [4.0, 0.0, 0.75]]
    assert [item.color for item in display.viewer._items.values()] == [(0.0, 1.0, 0.0)]


def test_the_page_gets_textures_that_were_made_of_pixels(gym: Any, sim: Any, paged: Any) -> None:
    env = new_env(gym, sim)
    actor = add_box(gym, sim, env)
    pixels = np.arange(24, dtype=np.uint8)
    pixels[3::4] = 255
    texture = gym.create_texture_from_buffer(sim, 3, 2, pixels)
    gym.set_rigid_body_texture(env, actor, 0, gymapi.MESH_VISUAL, texture)
    page = paged.page._display.viewer
    page.start_recording()
    gym.draw_viewer(paged, sim, True)
    (part,) = page._parts
    drawn = part.texture.texels[::-1]  # rows from the bottom
    np.testing.assert_array_equal(drawn, pixels.reshape(2, 3, 4)[..., :3])


def test_the_page_has_the_field_of_view_of_the_properties(paged: Any) -> None:
    # 90 degrees from left to right of a picture that is 4 wide and 3 high
    start = paged.page._display.viewer._server.initial_camera
    assert start.fov == pytest.approx(2.0 * math.atan(0.75))


def test_the_page_shows_what_is_ticked_on_it(
    gym: Any, sim: Any, paged: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plane = gymapi.PlaneParams()
    plane.normal = gymapi.Vec3(0, 0, 1)
    gym.add_ground(sim, plane)
    add_box(gym, sim, new_env(gym, sim), height=0.5)
    page = paged.page._display.viewer
    drawn: list[int] = []
    monkeypatch.setattr(page, "draw_frames", lambda places, _quats: drawn.append(len(places)))
    boxes = page.controls._layers
    assert set(boxes) == {"Collision shapes", "Contacts", "Frames"}
    for box in boxes.values():
        box.value = True
    page.start_recording()  # somebody to show it to
    gym.draw_viewer(paged, sim, True)
    for _ in range(30):
        gym.simulate(sim)
    paged.page._drawn = -math.inf
    paged.page._display._drawn = -math.inf
    gym.draw_viewer(paged, sim, True)
    assert drawn == [1, 1]
    (line,) = page._items.values()
    assert line.end[2] - line.start[2] == pytest.approx(0.005 * 1000.0 * 10.0, rel=0.01)


def test_destroying_the_simulation_ends_the_page(gym: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("viser")
    monkeypatch.delenv("UNIBODY_VIEWER")
    sim = gym.create_sim(0, 0, gymapi.SIM_PHYSX, gymapi.SimParams())
    viewer = gym.create_viewer(sim, properties())
    gym.destroy_sim(sim)
    with pytest.raises(InvalidArgumentError, match="destroyed"):
        gym.query_viewer_has_closed(viewer)


def test_a_camera_is_placed_without_a_viewer_by_scripts_that_run_headless(
    gym: Any, viewer: Any
) -> None:
    before = gym.get_viewer_camera_transform(viewer, None).p
    assert gym.viewer_camera_look_at(None, None, gymapi.Vec3(1, 2, 3), gymapi.Vec3()) is None
    after = gym.get_viewer_camera_transform(viewer, None).p
    assert (before.x, before.y, before.z) == (after.x, after.y, after.z)
    with pytest.raises(ArgumentTypeError, match="viewer"):
        gym.viewer_camera_look_at(5, None, gymapi.Vec3(1, 2, 3), gymapi.Vec3())
