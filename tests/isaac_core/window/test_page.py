"""An app that is not headless shows its stage on a page."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from unibody.isaac_core.functions.viewports import set_camera_view
from unibody.isaac_core.kit import app, settings, viewports
from unibody.isaac_core.kit.debug_draw import DebugDraw, acquire_debug_draw_interface
from unibody.isaac_core.launch import SimulationApp
from unibody.isaac_core.objects import DynamicCuboid, VisualCuboid
from unibody.isaac_core.sensors.lidar import RotatingLidarPhysX
from unibody.isaac_core.window import sight
from unibody.isaac_core.world.world import World
from unibody.viewer import closing
from unibody.viewer.items import Line, Points
from unibody.viewer.view import View

pytest.importorskip("viser")
from unibody.isaac_core.window import page as pages
from unibody.isaac_core.window.drawn import curve_through, items_of

WIDTH, HEIGHT = 160, 90  # of pictures, in the shape of the viewport
RED = (1.0, 0.0, 0.0, 1.0)
FRAME = 1.0 / 60.0


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimulationApp]:
    """An app with a page that nobody has opened, whatever the environment of the tests says."""
    monkeypatch.setenv("UNIBODY_VIEWER", "on")
    World.clear_instance()
    found = SimulationApp({"headless": False})
    yield found
    World.clear_instance()
    found.close()


def _page() -> Any:
    return app.get_app().window


def _world_with_a_cube() -> World:
    world = World()
    VisualCuboid("/World/cube", position=[0.0, 0.0, 0.5], size=1.0, color=np.array(RED[:3]))
    return world


def _reddish() -> np.ndarray:
    """Rows and columns of the page's pixels that are red."""
    _page().draw()
    seen = _page().viewer.picture(WIDTH, HEIGHT).astype(int)
    return np.argwhere(seen[..., 0] > 2 * seen[..., 1] + 20)


# --- whether there is one -------------------------------------------------------------------------


def test_an_app_that_is_not_headless_tells_the_address_of_its_page(
    running: SimulationApp, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _page().url.startswith("http://127.0.0.1:")
    running.close()
    assert _page() is None
    SimulationApp({"headless": False})
    assert f"the simulation is shown at {_page().url}" in capsys.readouterr().err


@pytest.mark.parametrize(("switch", "headless"), [("on", True), ("off", False)])
def test_a_headless_app_and_one_that_is_told_so_have_no_page(
    monkeypatch: pytest.MonkeyPatch, switch: str, headless: bool
) -> None:
    monkeypatch.setenv("UNIBODY_VIEWER", switch)
    SimulationApp({"headless": headless})
    assert _page() is None


def test_an_app_is_headless_unless_it_is_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNIBODY_VIEWER", "on")
    SimulationApp()
    assert _page() is None


# --- what it shows --------------------------------------------------------------------------------


@pytest.mark.usefixtures("running")
def test_the_page_shows_the_stage_as_the_camera_of_the_viewport_sees_it() -> None:
    _world_with_a_cube()
    set_camera_view(eye=np.array([5.5, 0.0, 0.5]), target=np.array([0.0, 0.0, 0.5]))
    red = _reddish()
    # A face of 1 m, 5 m away. Kit's perspective has a lens of 18.14756 behind 20.955, in a picture
    # of 16:9: the face is as large a share of the width as 18.14756 / 20.955 / 5, of which a pixel
    # is more or less at each edge.
    wide = WIDTH * 18.14756 / 20.955 / 5.0
    assert np.ptp(red, axis=0) + 1 == pytest.approx((wide, wide), abs=2.0)
    assert red.mean(axis=0) == pytest.approx((0.5 * (HEIGHT - 1), 0.5 * (WIDTH - 1)), abs=1.0)


@pytest.mark.usefixtures("running")
def test_the_page_follows_a_cube_that_was_moved() -> None:
    world = _world_with_a_cube()
    set_camera_view(eye=np.array([5.5, 0.0, 0.5]), target=np.array([0.0, 0.0, 0.5]))
    before = _reddish().mean(axis=0)
    world.stage.GetPrimAtPath("/World/cube").GetAttribute("xformOp:translate").Set((0.0, 1.0, 0.5))
    after = _reddish().mean(axis=0)
    # Along y, which is to the right of who looks along -x; 1 m as above.
    assert after[1] - before[1] == pytest.approx(WIDTH * 18.14756 / 20.955 / 5.0, abs=2.0)


@pytest.mark.usefixtures("running")
def test_without_a_camera_of_the_script_the_page_has_everything_in_sight() -> None:
    _world_with_a_cube()
    assert sight.look() is None
    rows, columns = _reddish().T
    assert rows.min() > 0 and rows.max() < HEIGHT - 1  # nothing of it is cut off
    assert columns.min() > 0 and columns.max() < WIDTH - 1
    assert np.ptp(rows) > HEIGHT / 4


@pytest.mark.usefixtures("running")
def test_the_page_looks_through_the_camera_that_a_script_chose() -> None:
    from pxr import UsdGeom

    world = _world_with_a_cube()
    camera = UsdGeom.Camera.Define(world.stage, "/World/eye")
    camera.CreateFocalLengthAttr(10.0)
    camera.CreateHorizontalApertureAttr(20.0)
    UsdGeom.XformCommonAPI(camera).SetTranslate((0.0, 0.0, 7.0))  # it looks down
    viewports.windows()[0].viewport_api.set_active_camera("/World/eye")
    try:
        found = sight.look()
    finally:
        viewports.windows()[0].viewport_api.set_active_camera("/OmniverseKit_Persp")
    assert found is not None
    assert (found.eye, found.target) == ((0.0, 0.0, 7.0), (0.0, 0.0, 6.0))
    assert math.tan(0.5 * found.fov) == pytest.approx(10.0 / 10.0 * 720 / 1280)


@pytest.mark.usefixtures("running")
def test_who_moves_the_view_of_the_page_moves_the_camera_of_the_viewport(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _world_with_a_cube()
    set_camera_view(eye=np.array([5.5, 0.0, 0.5]), target=np.array([0.0, 0.0, 0.5]))
    monkeypatch.setattr(pages, "_SETTLE", 0.0)
    turned = View((0.0, -4.0, 2.5), (0.0, 0.0, 0.5), 0.8, WIDTH, HEIGHT)
    looks = []
    monkeypatch.setattr(_page().viewer, "look", lambda *place: looks.append(place))
    for view in (dataclasses.replace(turned, position=(5.5, 0.0, 0.5)), turned, turned):
        monkeypatch.setattr(_page().viewer, "view", lambda view=view: view)
        for _ in range(2):
            _page().draw()
    found = sight.look()
    assert found is not None
    assert found.eye == pytest.approx(turned.position)
    ahead = np.subtract(turned.target, turned.position)
    assert np.subtract(found.target, found.eye) == pytest.approx(ahead / np.linalg.norm(ahead))
    assert len(looks) == 1  # that of the script; the page is not told where it stands
    set_camera_view(eye=np.array([0.0, 3.0, 0.5]), target=np.array([0.0, 0.0, 0.5]))
    _page().draw()
    assert len(looks) == 2  # a script still moves it
    # A view turns about what the script's camera looks at, and does not lose it.
    assert np.array([about for _, about in looks]) == pytest.approx(np.full((2, 3), (0, 0, 0.5)))


# --- what scripts draw ----------------------------------------------------------------------------


def test_points_and_lines_of_a_script_are_items_of_the_page() -> None:
    draw = DebugDraw()
    draw.draw_points([(0, 0, 1), (0, 0, 2), (0, 0, 3)], [RED] * 3, [5, 5, 9])
    draw.draw_lines([(0, 0, 0)], [(1, 0, 0)], [RED], [2])
    found = list(items_of(draw).values())
    assert found == [
        Line((0, 0, 0), (1, 0, 0), RED[:3], 2.0),
        Points(((0, 0, 1), (0, 0, 2)), (RED[:3],) * 2, 5.0),
        Points(((0, 0, 3),), (RED[:3],), 9.0),
    ]


@pytest.mark.usefixtures("running")
def test_a_lidar_that_is_asked_to_has_its_beams_of_a_turn_drawn_as_far_as_what_they_meet() -> None:
    world = World()
    lidar = RotatingLidarPhysX("/World/lidar", position=[0, 0, 0.5], rotation_frequency=20)
    world.scene.add(DynamicCuboid("/World/box", "box", position=[2.5, 0, 0.5], size=1.0))
    lidar.enable_visualization(high_lod=False, draw_points=True, draw_lines=True)
    world.reset()
    for _ in range(3):  # a third of a turn each
        world.step(render=False)
    found = list(items_of(DebugDraw(), sight.beams()).values())
    lines = [item for item in found if isinstance(item, Line)]
    (points,) = (item for item in found if isinstance(item, Points))
    # The face at x = 2 is seen below atan(0.5 / 2), 14 degrees either way: a beam each degree.
    assert len(lines) == len(points.positions) == pytest.approx(28, abs=1)
    # Beams begin at the least distance, 0.4 m.
    starts = np.array([line.start for line in lines])
    assert np.linalg.norm(starts - (0.0, 0.0, 0.5), axis=1) == pytest.approx(0.4)
    assert [line.end[0] for line in lines] == pytest.approx([2.0] * len(lines), abs=1e-3)
    lidar.enable_visualization(high_lod=True, draw_points=False, draw_lines=True)
    for _ in range(3):
        world.step(render=False)
    assert len(items_of(DebugDraw(), sight.beams())) == pytest.approx(10 * len(lines), abs=5)
    lidar.disable_visualization()
    assert items_of(DebugDraw(), sight.beams()) == {}


@pytest.mark.parametrize("closed", [False, True])
def test_a_curve_goes_through_its_points_and_ends_where_it_should(closed: bool) -> None:
    points = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 2.0, 0.0), (0.0, 1.0, 1.0)])
    curve = curve_through(points.tolist(), closed=closed)
    gaps = np.linalg.norm(curve[:, None] - points[None], axis=-1).min(axis=0)
    assert gaps == pytest.approx(0.0, abs=1e-12)
    assert curve[0] == pytest.approx(points[0])
    assert curve[-1] == pytest.approx(points[0 if closed else -1])


def test_a_curve_through_points_of_a_line_stays_on_it() -> None:
    curve = curve_through([(0, 0, 0), (1, 1, 0), (2, 2, 0)], closed=False)
    assert curve[:, 0] == pytest.approx(curve[:, 1])
    assert (np.diff(curve[:, 0]) > 0.0).all()


@pytest.mark.usefixtures("running")
def test_nothing_is_said_of_a_missing_window_while_there_is_a_page(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unibody.notices._told", set())
    draw = acquire_debug_draw_interface()
    draw.draw_points([(0, 0, 0)], [RED], [5])
    draw.clear_points()
    assert "no window" not in capsys.readouterr().err


# --- buttons and time -----------------------------------------------------------------------------


def _press(name: str) -> None:
    controls = _page().viewer.controls
    assert name in controls._run.options
    controls.press(name)


@pytest.mark.usefixtures("running")
def test_the_buttons_of_the_page_play_pause_and_stop_the_simulation() -> None:
    world = _world_with_a_cube()
    world.reset()
    world.step()
    _press("Pause")
    world.step()
    assert not world.is_playing()
    assert not world.is_stopped()
    time_then = world.current_time
    _press("Step")
    world.step()
    assert world.current_time - time_then == pytest.approx(FRAME)
    world.step()
    assert world.current_time - time_then == pytest.approx(FRAME)
    _press("Play")
    world.step()
    assert world.is_playing()
    _press("Stop")
    world.step()
    assert world.is_stopped()
    assert _page().viewer.controls._run.options == ("Play",)


def test_the_app_ends_when_its_page_has_been_closed_for_a_while(
    running: SimulationApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.update()
    assert running.is_running()
    _page().viewer._visited = True  # it was open, and is no more
    running.update()
    assert running.is_running()  # it may be being loaded again
    monkeypatch.setattr(closing, "MOMENT", 0.0)
    running.update()
    assert not running.is_running()


def test_frames_take_their_time_while_somebody_watches_unless_the_setting_says_otherwise(
    running: SimulationApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slept(frames: int) -> float:
        spans: list[float] = []
        monkeypatch.setattr(time, "sleep", spans.append)
        for _ in range(frames):
            running.update()
        monkeypatch.undo()
        return sum(spans)

    kind = type(_page().viewer)
    assert slept(10) == 0.0
    monkeypatch.setattr(kind, "watched", True)
    app.get_app().frame_time = 1.0  # far longer than such a frame takes
    assert slept(3) > 2.0
    monkeypatch.setattr(kind, "watched", True)
    settings.get_settings().set(pages.RATE_LIMIT, False)
    try:
        assert slept(3) == 0.0
    finally:
        settings.get_settings().destroy_item(pages.RATE_LIMIT)
        app.get_app().frame_time = FRAME


def test_a_script_that_waits_for_somebody_is_told_which_page_has_the_button(
    running: SimulationApp, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unibody.notices._told", set())
    monkeypatch.setattr(app.get_app(), "_idle_frames", 599)
    running.update()
    assert f"nobody pressed Play on the page {_page().url}" in capsys.readouterr().err
