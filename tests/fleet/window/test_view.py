"""The pages of running and recorded fleets: what is drawn, when, and what is said."""

from __future__ import annotations

import shutil
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from unibody import bullet, fleet
from unibody.cli import main
from unibody.errors import InvalidArgumentError
from unibody.fleet.actions import action
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.recording.event_reader import EventLog

pytest.importorskip("viser")
from unibody.fleet.window import page as pages
from unibody.fleet.window.page import COLLIDING, IDLE, MOVING, OWN, WAITING
from unibody.fleet.window.replay import ReplayView
from unibody.viewer.colors import linear_bytes
from unibody.viewer.viewer import Viewer

AT = fleet.Pose.from_xyz
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture
def core():
    made = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(
            gui=False, monitor=False, timestep=0.1, physics=False, target_rtf=0, enable_floor=False
        )
    )
    yield made
    made.stop_view()
    bullet.disconnect(made.client)


@pytest.fixture
def watched(monkeypatch):
    """Behave as if a page was open."""
    monkeypatch.setattr(Viewer, "watched", property(lambda _viewer: True))


def box(core, x, y, cls=fleet.Agent, **options):
    shape = fleet.ShapeParams(
        shape_type="box", half_extents=[0.2, 0.2, 0.2], rgba_color=[0.1, 0.6, 0.2, 1.0]
    )
    return cls.from_mesh(shape, shape, pose=AT(x, y, 0.3), mass=0.0, sim_core=core, **options)


def test_a_page_of_a_wide_crowd_begins_where_its_robots_can_be_seen(core):
    for x in (-500.0, 0.0, 500.0):
        box(core, x, 0.0)
    start = core.view(port=0).viewer._server.initial_camera
    away = np.linalg.norm(np.subtract(start.position, start.look_at))
    # 0.4 m are a hundredth of the height of a picture that spans 60 degrees at this distance
    assert away == pytest.approx(0.4 / (0.01 * 2.0 * np.tan(np.pi / 6.0)), rel=1e-6)


def said(view):
    return view.viewer.controls._rate.content


def one_of_each(core):
    """Robots that are idle, on their way, waiting and colliding (two), and a wall."""
    robots = [box(core, 2.0 * number, 0.0, name=f"robot_{number}") for number in range(4)]
    robots.append(box(core, 6.3, 0.0, name="robot_4"))
    robots.append(box(core, 0.0, 5.0, fleet.SimObject, name="wall"))
    robots[1].set_goal_pose(AT(2.0, 3.0, 0.3))
    robots[2].add_action(action.WaitAction(60.0))
    for _ in range(5):
        core.step_once()
    return robots


def test_robots_are_coloured_by_what_they_do_and_obstacles_keep_their_colour(core):
    one_of_each(core)
    view = core.view(port=0)
    view.draw()
    states = view._states().tolist()
    assert states == [IDLE, MOVING, WAITING, COLLIDING, COLLIDING, OWN]
    (group,) = view._crowd._groups  # equal shapes are one mesh
    colors = group._sent[2]
    np.testing.assert_array_equal(colors[:5], linear_bytes(pages._COLORS[states[:5]]))
    np.testing.assert_allclose(colors[5], linear_bytes((0.1, 0.6, 0.2)), atol=1)
    assert "1 idle (grey), 1 moving (blue), 1 waiting (amber), 2 colliding (red)" in said(view)


def test_shapes_are_drawn_where_the_links_of_robots_are(core):
    arm = fleet.Agent.from_urdf("arm_robot", pose=AT(1, 2, 0), use_fixed_base=True, sim_core=core)
    arm.set_all_joints_targets([0.6] * arm.get_num_joints())
    turned = box(core, 3.0, 1.0)
    turned.set_pose(fleet.Pose.from_euler(3.0, 1.0, 0.5, 0.3, 0.2, 1.0))
    view = core.view(port=0)
    for _ in range(10):
        core.step_once()
    positions, quats = view._visuals.frames(core._tables)
    wanted = [
        bounding_boxes.link_frames(core._tables, o._row, len(o._template.asset.links))
        for o in core.sim_objects
    ]
    np.testing.assert_allclose(positions, np.concatenate(wanted)[:, :3], atol=1e-12)
    np.testing.assert_allclose(quats, np.concatenate(wanted)[:, 3:], atol=1e-12)


def test_a_click_shows_name_pose_velocity_action_and_goal(core):
    robots = one_of_each(core)
    view = core.view(port=0)
    view.draw()
    assert "Click a robot." in said(view)
    view._crowd._groups[0].on_click((robots[1].object_id, 0))
    view.draw()
    x, y, z = robots[1].get_pose().position
    for text in ("robot_1", f"({x:.2f}, {y:.2f}, {z:.2f})", "(2.00, 3.00, 0.30)", "velocity"):
        assert text in said(view)
    view._crowd._groups[0].on_click((robots[2].object_id, 0))
    view.draw()
    assert "WaitAction, in_progress" in said(view)


def test_names_cannot_bring_code_onto_the_page():
    text = pages.plain("robot_7 {alert(1)}<img src=x>|`*\n" + 100 * "x")
    assert text.startswith("robot_7 -alert(1)--img src-x-")
    assert not set("{}<>|`*\n") & set(text)
    assert len(text) == 60


def test_objects_that_come_and_go_come_and_go_on_the_page(core):
    first = box(core, 0.0, 0.0)
    view = core.view(port=0)
    box(core, 1.0, 0.0)
    view.draw()
    assert len(view._crowd._groups[0]._sent[0]) == 2
    core.remove_object(first)
    view.draw()
    np.testing.assert_allclose(view._crowd._groups[0]._sent[0], [[1.0, 0.0, 0.3]], atol=1e-6)


def test_nothing_is_drawn_while_no_page_is_open(core, monkeypatch):
    box(core, 0.0, 0.0)
    view = core.view(port=0)
    drawn = []
    monkeypatch.setattr(view, "draw", lambda: drawn.append(1))
    for _ in range(20):
        core.step_once()
    assert drawn == []


def test_pictures_are_bounded_in_rate_and_in_their_share_of_the_time(core, watched, monkeypatch):
    box(core, 0.0, 0.0)
    view = core.view(port=0, rate=20.0)
    clock = [0.0]
    monkeypatch.setattr(pages, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    costs = []
    for cost in (0.0, 0.1):  # s a picture
        drawn = []

        def draw(cost=cost, drawn=drawn):
            drawn.append(clock[0])
            begin, clock[0] = clock[0], clock[0] + cost
            view.drawn(begin)

        monkeypatch.setattr(view, "draw", draw)
        end = clock[0] + 10.0
        while clock[0] < end:
            core.step_once()
            clock[0] += 0.01
        costs.append(len(drawn))
    assert 160 <= costs[0] <= 200
    assert 20 <= costs[1] <= 26  # a tenth of a second each, a quarter of the time


def test_pause_on_the_page_holds_the_program_that_steps(core, watched):
    box(core, 0.0, 0.0)
    view = core.view(port=0)
    view.viewer.controls.paused = True
    thread = threading.Thread(target=core.step_once)
    thread.start()
    thread.join(0.3)
    assert thread.is_alive()
    assert core.step_count == 0
    view.viewer.controls.paused = False
    thread.join(20.0)
    assert core.step_count == 1


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan")])
def test_a_rate_that_is_none_is_refused(core, rate):
    with pytest.raises(InvalidArgumentError, match="rate"):
        core.view(port=0, rate=rate)
    assert core._recordings.page is None


@pytest.fixture
def log(core, tmp_path):
    path = str(tmp_path / "run.log")
    robots = [box(core, 2.0 * number, 0.0, name=f"robot_{number}") for number in range(3)]
    core.start_event_log(path)
    robots[0].set_goal_pose(AT(9.0, 0.0, 0.3))  # through the others
    robots[2].add_action(action.WaitAction(2.0))
    for _ in range(80):
        core.step_once()
    core.stop_event_log()
    return EventLog(path)


def test_a_replay_shows_any_step_forwards_and_backwards(log):
    view = ReplayView(log, port=0)
    try:
        seen = {}
        for step in (0, 1, 40, 12, 79, 12, 40, 0):
            view.show_step(step)
            state = log.state(step)
            np.testing.assert_array_equal(
                view._crowd._groups[0]._sent[0], state.positions.astype(np.float32)
            )
            told = (said(view), view._crowd._groups[0]._sent[2].tolist())
            assert seen.setdefault(step, told) == told
        assert "1 moving (blue), 1 waiting (amber)" in seen[1][0]
        assert "2 colliding (red)" in "".join(text for text, _ in seen.values())
    finally:
        view.close()


def test_the_timeline_follows_the_run_and_the_run_the_timeline(log):
    view = ReplayView(log, port=0)
    try:
        for _ in range(10):
            view.play(0.2)
        assert view.time == pytest.approx(log.times[0] + 2.0)
        assert float(view._slider.value) == pytest.approx(view.time, abs=0.01)
        assert view.step == view.step_at(view.time)
        view._slider.value = 0.9
        view.play(5.0)
        assert (view.step, view.time) == (8, 0.9)
        view.step_on()
        assert view.step == 9
        view._speed.value = 20.0
        view.play(1.0)
        assert view.step == len(log) - 1
    finally:
        view.close()


def test_a_click_in_a_replay_shows_the_robot_at_that_time(log):
    view = ReplayView(log, port=0)
    try:
        number = next(iter(log.objects))
        view._crowd._groups[0].on_click((number, 0))
        view.show_step(10)
        before, now = log.state(9).positions[0], log.state(10).positions[0]
        for text in ("robot_0", f"{now[0]:.2f}", f"{(now[0] - before[0]) / 0.1:.2f}", "not in"):
            assert text in said(view)
    finally:
        view.close()


def test_events_of_a_stranger_do_no_harm_to_a_replay(log, monkeypatch):
    strange = [1, None, {"event": "collision_started"}, {"ids": "x"}, {"event": [], "ids": [{}]}]
    monkeypatch.setattr(log, "events", lambda _step: strange)
    view = ReplayView(log, port=0)
    view.show_step(5)
    view.close()


@pytest.mark.parametrize("port", ["-1", "70000"])
def test_a_port_that_is_none_is_refused(tmp_path, port, capsys):
    assert main(["fleet", "run", str(tmp_path / "no.yaml"), "--view", "--port", port]) == 1
    assert "0 to 65535" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_browser_sees_the_fleet_and_a_click_names_a_robot(core):
    playwright = pytest.importorskip("playwright.sync_api")
    robot = box(core, 0.0, 0.0, name="the one in the middle")
    robot.set_goal_pose(AT(0.0, 0.0, 100.0))
    view = core.view(port=0)
    view.viewer.look((0.0, -1.5, 0.3), (0.0, 0.0, 0.3))
    texts = []

    def act():
        with playwright.sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=CHROMIUM,
                args=["--no-sandbox", "--use-gl=swiftshader", "--enable-webgl",
                      "--ignore-gpu-blocklist", "--enable-unsafe-swiftshader"],
            )  # fmt: skip
            tab = browser.new_page(viewport={"width": 800, "height": 600})
            tab.goto(view.url)
            tab.wait_for_selector("canvas")
            tab.get_by_text("Click a robot.").wait_for(timeout=60_000)
            end = time.monotonic() + 60.0
            while view.selected is None and time.monotonic() < end:
                tab.mouse.click(400, 300)
                time.sleep(0.5)
            tab.get_by_text("the one in the middle").wait_for(timeout=60_000)
            texts.append(tab.inner_text("body"))
            browser.close()

    thread = threading.Thread(target=act)
    thread.start()
    while thread.is_alive():
        view.follow()
        time.sleep(0.02)
    assert view.selected == robot.object_id
    assert "(0.00, 0.00, 100.00)" in texts[0]
