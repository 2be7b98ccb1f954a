"""The page in a real browser: what is seen, and what keys, mouse and sliders do to the script.

Needs a Chromium of the system; skipped without one, but an error where CI is set.
"""

from __future__ import annotations

import functools
import http.server
import io
import os
import shutil
import threading
import time

import numpy as np
import pytest
from PIL import Image
from playwright import sync_api as playwright

import unibody.bullet as p
from tests.viewer.videos import frames_of
from unibody.bullet.clients.registry import find_client
from unibody.bullet.window.film import ReplayLog

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
if CHROMIUM is None and os.environ.get("CI"):
    raise RuntimeError("no Chromium on this machine: install the package chromium of the system")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")]

SOFTWARE_GL = [
    "--no-sandbox",
    "--use-gl=swiftshader",
    "--enable-webgl",
    "--ignore-gpu-blocklist",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
MIDDLE = (400, 300)  # of the page; bodies are put there
GROUND = (178, 178, 204)  # PyBullet's background
BESIDE = (slice(300, 320), slice(60, 80))  # where nothing is
EMPTY = (slice(265, 285), slice(60, 80))  # nor a line of the grid, seen from above too
ABOUT_THE_MIDDLE = (slice(200, 400), slice(200, 600))


class Stepping:
    """Steps a world at real time in this thread while a function acts in another."""

    def __init__(self):
        self.keys, self.mouse = [], []

    def until_done(self, act):
        failure = []

        def run():
            try:
                act()
            except BaseException as error:
                failure.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        while thread.is_alive():
            p.stepSimulation()
            self.keys.append(p.getKeyboardEvents())
            self.mouse += p.getMouseEvents()
            time.sleep(1 / 240)
        if failure:
            raise failure[0]


@pytest.fixture
def window(monkeypatch):
    monkeypatch.setenv("UNIBODY_VIEWER", "on")
    client = p.connect(p.GUI)
    p.resetDebugVisualizerCamera(2.0, 0.0, 0.0, [0, 0, 1])
    yield find_client(client).window
    p.disconnect(client)


def box(position, mass=1.0, color=(1, 0, 0, 1)):
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.15] * 3)
    visual = p.createVisualShape(p.GEOM_BOX, halfExtents=[0.15] * 3, rgbaColor=color)
    return p.createMultiBody(mass, shape, visual, position)


def picture(page):
    """The page as (height, width, 3) numbers."""
    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), dtype=int)


def reddish(image):
    """How many pixels are clearly red."""
    return int(np.sum((image[..., 0] > 120) & (image[..., 1] < 90) & (image[..., 2] < 90)))


def until(page, condition):
    """The first picture of a page that fulfils a condition; the last one if none does in a minute.

    Software rendering takes its time, and more of it where others use the same cores.
    """
    end = time.monotonic() + 60.0
    while True:
        image = picture(page)
        if condition(image) or time.monotonic() > end:
            return image
        time.sleep(0.2)


def has_bodies(image):
    """Whether anything is seen against the ground colour of the page."""
    ground = np.abs(image - np.array(GROUND)).max(axis=-1) < 4
    return ground[EMPTY].all() and not ground[ABOUT_THE_MIDDLE].all()


def open_page(browser, window):
    page = browser.new_page(viewport={"width": 800, "height": 600})
    page.goto(window.viewer.url)
    page.wait_for_selector("canvas")
    until(page, has_bodies)
    return page


def browse(act, window):
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE_GL)
        try:
            act(browser, open_page(browser, window))
        finally:
            browser.close()


def test_a_body_is_seen_moving(window):
    body = box([0, 0, 1])
    p.setGravity(0, 0, 0)
    images = []

    def act(_browser, page):
        images.append(until(page, lambda image: reddish(image) > 500))
        p.resetBasePositionAndOrientation(body, [0.5, 0, 1.2], [0, 0, 0, 1])
        images.append(until(page, lambda image: not reddish(image[:, :430])))

    Stepping().until_done(lambda: browse(act, window))
    first, second = (
        np.argwhere((i[..., 0] > 120) & (i[..., 1] < 90) & (i[..., 2] < 90)) for i in images
    )
    assert len(first) > 500
    # half a metre to the right and up, at two metres' distance
    assert second[:, 1].mean() > first[:, 1].mean() + 50
    assert second[:, 0].mean() < first[:, 0].mean() - 20


def test_keys_clicks_and_sliders_reach_the_script(window):
    box([0, 0, 1], mass=0.0)
    slider = p.addUserDebugParameter("speed", -1.0, 1.0, 0.0)
    steps = Stepping()

    def act(_browser, page):
        page.keyboard.press("b", delay=200)
        page.mouse.click(*MIDDLE)
        time.sleep(0.3)
        field = page.locator("input").last  # the number beside the slider
        field.fill("0.75")
        field.press("Enter")
        end = time.monotonic() + 30.0
        while p.readUserDebugParameter(slider) != 0.75 and time.monotonic() < end:
            time.sleep(0.1)

    steps.until_done(lambda: browse(act, window))
    seen = [events[ord("b")] for events in steps.keys if ord("b") in events]
    assert seen[0] & p.KEY_WAS_TRIGGERED
    assert seen[-1] & p.KEY_WAS_RELEASED
    assert [event[3:] for event in steps.mouse if event[0] == 2] == [(0, 3), (0, 4)]
    assert p.readUserDebugParameter(slider) == pytest.approx(0.75, abs=0.01)


def test_dragging_a_body_moves_it(window):
    body = box([0, 0, 1])
    p.setGravity(0, 0, 0)

    def act(_browser, page):
        page.mouse.move(*MIDDLE)
        page.mouse.down()
        page.mouse.move(MIDDLE[0] + 120, MIDDLE[1] - 60, steps=12)
        until(page, lambda image: not reddish(image[:, :400]))
        page.mouse.up()

    Stepping().until_done(lambda: browse(act, window))
    position = p.getBasePositionAndOrientation(body)[0]
    assert position[0] > 0.1
    assert position[2] > 1.05


def test_dragging_what_cannot_move_turns_the_view(window):
    plane = p.createVisualShape(
        p.GEOM_BOX, halfExtents=[2.0, 2.0, 0.05], rgbaColor=(0.1, 0.1, 0.9, 1)
    )
    p.createMultiBody(0.0, -1, plane, [0, 0, 0.6])
    p.resetDebugVisualizerCamera(2.0, 0.0, -20.0, [0, 0, 1])
    found = []

    def act(_browser, page):
        until(page, lambda image: image[450, 400, 2] > 150 and image[450, 400, 0] < 90)
        page.mouse.move(400, 450)  # on the floor
        page.mouse.down()
        page.mouse.move(500, 450, steps=10)
        page.mouse.up()
        until(page, lambda image: abs(p.getDebugVisualizerCamera()[8]) > 5.0)
        found.append(p.getDebugVisualizerCamera())

    Stepping().until_done(lambda: browse(act, window))
    assert abs(found[0][8]) > 5.0


def test_a_line_and_a_text_appear_and_expire(window):
    box([0.5, 0, 1.2], color=(0.5, 0.5, 0.5, 1))
    p.setGravity(0, 0, 0)
    counts = []

    def act(_browser, page):
        before = reddish(picture(page))  # the page's own axes have some red too
        p.addUserDebugLine([-0.5, 0, 1], [0.5, 0, 1], [1, 0, 0], 8, lifeTime=15)
        p.addUserDebugText("H H", [-0.2, 0, 0.6], [1, 0, 0], 3, lifeTime=15)
        drawn = until(page, lambda image: reddish(image[320:]) > 200 < reddish(image[:320]))
        after = until(page, lambda image: reddish(image) <= before)
        counts.extend((before, reddish(drawn[:320]), reddish(drawn[320:500]), reddish(after)))

    Stepping().until_done(lambda: browse(act, window))
    before, line, text, expired = counts
    assert line > 200
    assert text > 200
    assert expired <= before


def test_two_pages_show_the_world_and_closing_them_stops_nothing(window):
    body = box([0, 0, 1])
    p.setGravity(0, 0, 0)
    counts = []

    def act(browser, page):
        other = open_page(browser, window)
        for each in (page, other):
            counts.append(reddish(until(each, lambda image: reddish(image) > 500)))
        page.close()
        other.close()

    Stepping().until_done(lambda: browse(act, window))
    assert min(counts) > 500
    p.resetBaseVelocity(body, [1, 0, 0])
    for _ in range(24):
        p.stepSimulation()
    assert p.getBasePositionAndOrientation(body)[0][0] > 0.05


def test_coloured_texts_are_seen_from_wherever_the_camera_is(window):
    box([0.5, 0, 1.2], color=(0.5, 0.5, 0.5, 1))
    p.setGravity(0, 0, 0)
    counts = []

    def act(_browser, page):
        before = reddish(picture(page))
        p.addUserDebugText("H H H", [0, 0, 1], [1, 0, 0], 3.0)
        counts.append(reddish(until(page, lambda image: reddish(image) > before + 200)) - before)
        p.resetDebugVisualizerCamera(2.0, 90.0, -30.0, [0, 0, 1])
        until(page, lambda image: abs(p.getDebugVisualizerCamera()[8] - 90.0) < 1.0)
        counts.append(reddish(until(page, lambda image: reddish(image) > before + 200)) - before)

    Stepping().until_done(lambda: browse(act, window))
    assert min(counts) > 200


def test_settings_of_the_visualizer_show_on_the_page(window):
    p.resetDebugVisualizerCamera(1.155, 0.0, 0.0, [0, 0, 1])
    box([0, 0, 1])
    p.setGravity(0, 0, 0)
    seen, buttons = {}, {}

    def act(_browser, page):
        def look(name, condition):
            seen[name] = until(page, condition)
            buttons[name] = page.get_by_role("button", name="Pause").count()

        look("plain", lambda image: reddish(image) > 5000)
        p.configureDebugVisualizer(p.COV_ENABLE_WIREFRAME, 1)
        p.configureDebugVisualizer(p.COV_ENABLE_GUI, 0)
        look("wireframe", lambda image: 0 < reddish(image) < 4000)  # it is gone in between
        p.configureDebugVisualizer(p.COV_ENABLE_WIREFRAME, 0)
        p.configureDebugVisualizer(rgbBackground=[0, 0, 0])
        look("black", lambda image: image[BESIDE].max() < 5 and reddish(image) > 5000)
        p.configureDebugVisualizer(p.COV_ENABLE_RENDERING, 0)
        time.sleep(1)  # a frame that was under way
        p.resetBasePositionAndOrientation(0, [1, 0, 1], [0, 0, 0, 1])
        time.sleep(2)
        look("frozen", lambda image: True)
        p.configureDebugVisualizer(p.COV_ENABLE_RENDERING, 1)
        look("moved", lambda image: reddish(image[:, :400]) == 0)

    Stepping().until_done(lambda: browse(act, window))
    assert 0 < reddish(seen["wireframe"]) < 0.5 * reddish(seen["plain"])
    assert buttons == {"plain": 1, "wireframe": 0, "black": 0, "frozen": 0, "moved": 0}
    assert seen["black"][BESIDE].max() < 5
    below = slice(200, None)  # of the note that there is no graphics card, which fades
    np.testing.assert_array_equal(seen["frozen"][below], seen["black"][below])
    assert reddish(seen["moved"][:, :400]) == 0


def test_pictures_the_script_takes_are_on_the_page(window):
    box([0, 0, 1])
    p.setGravity(0, 0, 0)
    view = p.computeViewMatrix([1, -1, 1.5], [0, 0, 1], [0, 0, 1])
    projection = p.computeProjectionMatrixFOV(60, 1.0, 0.1, 10)
    p.configureDebugVisualizer(p.COV_ENABLE_DEPTH_BUFFER_PREVIEW, 0)
    shown = []

    def act(_browser, page):
        p.getCameraImage(64, 64, view, projection)
        page.get_by_text("Colour").wait_for(timeout=60_000)
        shown.append([page.get_by_text(name).count() for name in ("Colour", "Depth")])

    Stepping().until_done(lambda: browse(act, window))
    assert shown == [[1, 0]]


def test_the_camera_of_the_page_can_be_read(window):
    box([0, 0, 1])
    found = []

    def act(_browser, page):
        found.append(p.getDebugVisualizerCamera())
        page.mouse.move(200, 500)
        page.mouse.down()
        page.mouse.move(300, 500, steps=10)
        page.mouse.up()
        until(page, lambda image: abs(p.getDebugVisualizerCamera()[8]) > 5.0)
        found.append(p.getDebugVisualizerCamera())

    Stepping().until_done(lambda: browse(act, window))
    before, after = found
    assert before[:2] == (800, 600)
    assert before[8:11] == pytest.approx((0.0, 0.0, 2.0), abs=0.01)
    assert before[11] == pytest.approx((0.0, 0.0, 1.0), abs=0.01)
    assert abs(after[8]) > 5.0  # turned by the mouse
    assert after[10] == pytest.approx(2.0, abs=0.05)


def red_boxes(image) -> int:
    """How many red things stand side by side in the middle row of a picture."""
    row = (image[300, :, 0] > 120) & (image[300, :, 1] < 90)
    return np.count_nonzero(np.diff(row.astype(int)) == 1)


def test_a_display_made_in_code_is_seen_and_tells_of_keys():
    from unibody.core.assets.description import Shape, ShapeKind
    from unibody.core.render.visual_shapes import VisualShape
    from unibody.viewer.display import Display
    from unibody.viewer.groups import grid_offsets

    display = Display(port=0)
    part = VisualShape(0, Shape(ShapeKind.BOX, (0.3, 0.3, 0.3)), (1.0, 0.0, 0.0, 1.0))
    group = display.add_parts([part], 1, grid_offsets(4, 1.0, columns=4))
    display.look_at((0.0, -4.0, 0.0), (0.0, 0.0, 0.0))
    display.subscribe_key("q", "quit")
    images, events = [], []

    def act():
        with playwright.sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE_GL)
            page = browser.new_page(viewport={"width": 800, "height": 600})
            page.goto(display.url)
            page.wait_for_selector("canvas")
            images.append(until(page, lambda image: red_boxes(image) == 4))
            page.keyboard.press("q")
            time.sleep(0.5)
            browser.close()

    thread = threading.Thread(target=act)
    thread.start()
    while thread.is_alive():
        display.update(group, np.zeros((4, 1, 3)), np.tile((1.0, 0.0, 0.0, 0.0), (4, 1, 1)))
        display.draw()
        events += display.poll_events()
        time.sleep(0.02)
    end = time.monotonic() + 30.0
    while not display.closed and time.monotonic() < end:
        time.sleep(0.1)
    assert display.closed
    display.close()
    (image,) = images
    assert red_boxes(image) == 4
    assert ("quit", 1.0) in events


def test_the_buttons_record_and_hand_out_a_page_and_a_video(window, tmp_path):
    pytest.importorskip("av")
    body = box([0, 0, 1])
    p.setGravity(0, 0, 0)
    p.resetBaseVelocity(body, [0.1, 0, 0])
    files = []

    def act(_browser, page):
        for kind in ("Page", "Video"):
            page.get_by_role("button", name=kind, exact=True).click()
            time.sleep(4)
            with page.expect_download(timeout=60_000) as waiting:
                page.get_by_role("button", name="Stop and save").click()
            files.append(tmp_path / waiting.value.suggested_filename)
            waiting.value.save_as(files[-1])

    Stepping().until_done(lambda: browse(act, window))
    assert [file.name for file in files] == ["recording.html", "recording.mp4"]
    assert "__VISER_EMBED_DATA__" in files[0].read_text()
    pictures, rate, duration = frames_of(files[1])
    assert rate == 30.0
    assert duration > 1.0
    assert all(reddish(image.astype(int)) > 500 for image in pictures)


def test_a_recording_plays_without_a_server(window, tmp_path):
    body = box([-0.5, 0, 1])
    p.setGravity(0, 0, 0)
    log = ReplayLog(window._client, str(tmp_path / "recording.html"))
    window._client.ticks.append(log)
    p.resetBaseVelocity(body, [0.25, 0, 0])
    for _ in range(4 * 240):
        p.stepSimulation()
    log.close()
    places = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE_GL)
        context = browser.new_context(viewport={"width": 800, "height": 600}, offline=True)
        page = context.new_page()
        page.goto((tmp_path / "recording.html").as_uri())
        page.wait_for_selector("canvas")
        end = time.monotonic() + 60.0  # it plays again and again
        while time.monotonic() < end and (len(places) < 4 or np.ptp(places) < 60):
            image = picture(page)
            if reddish(image) > 500:
                red = (image[..., 0] > 120) & (image[..., 1] < 90) & (image[..., 2] < 90)
                places.append(np.argwhere(red)[:, 1].mean())
        browser.close()
    assert np.ptp(places) >= 60  # a metre at two metres' distance is 260 pixels


def test_on_a_phone_the_panel_begins_folded_and_opens_as_wide_as_the_window(window):
    box([0, 0, 1])
    boxes = []

    def panel(page):
        return page.locator('.mantine-Paper-root[style*="max-height: 60%"]').bounding_box()

    def act(browser, _page):
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(window.viewer.url)
        page.wait_for_selector("canvas")
        page.get_by_text("unibody", exact=True).wait_for()
        time.sleep(2.0)  # it folds in 0.3 s
        boxes.append(panel(page))
        page.get_by_text("unibody", exact=True).click()
        time.sleep(2.0)
        boxes.append(panel(page))

    browse(act, window)
    folded, opened = boxes
    assert folded["width"] == opened["width"] == 390
    assert folded["height"] < 0.1 * 844 < 0.2 * 844 < opened["height"] <= 0.46 * 844


def test_a_page_of_another_site_such_as_a_notebook_shows_it_in_a_frame(window, tmp_path):
    box([0, 0, 1])
    p.setGravity(0, 0, 0)
    (tmp_path / "notebook.html").write_text(window.viewer._repr_html_())
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    images = []

    def act():
        with playwright.sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE_GL)
            page = browser.new_page(viewport={"width": 800, "height": 600})
            page.goto(f"http://localhost:{server.server_port}/notebook.html")
            images.append(until(page, lambda image: reddish(image) > 1000))
            page.mouse.click(400, 250)  # keys go where was clicked last
            page.keyboard.press("n", delay=200)
            time.sleep(0.5)
            browser.close()

    steps = Stepping()
    steps.until_done(act)
    server.shutdown()
    assert reddish(images[0]) > 1000
    assert any(ord("n") in events for events in steps.keys)


def test_the_reset_button_puts_a_body_back(window):
    body = box([0, 0, 1])
    p.setGravity(0, 0, 0)
    p.stepSimulation()
    p.resetBasePositionAndOrientation(body, [0.5, 0, 1], [0, 0, 0, 1])

    def act(_browser, page):
        until(page, lambda image: not reddish(image[:, :400]))
        page.get_by_role("button", name="Reset").click()
        until(page, lambda image: reddish(image[:, :400]) > 500)

    Stepping().until_done(lambda: browse(act, window))
    assert p.getBasePositionAndOrientation(body)[0] == pytest.approx((0, 0, 1), abs=1e-6)


def test_a_body_casts_its_shadow_on_what_is_below_it(window):
    ball = p.createVisualShape(p.GEOM_SPHERE, radius=0.15, rgbaColor=(1, 0, 0, 1))
    plate = p.createVisualShape(p.GEOM_BOX, halfExtents=[0.6, 0.6, 0.02], rgbaColor=[1, 1, 1, 1])
    p.createMultiBody(0, -1, plate, [0, 0, 0.8])
    p.createMultiBody(0, -1, ball, [0, 0, 1.3])
    p.resetDebugVisualizerCamera(2.0, 0.0, -40.0, [0, 0, 1])
    shares = []

    def act(_browser, page):
        below = (slice(310, 440), slice(280, 520))  # the plate, but for the ball
        lit = until(page, lambda image: reddish(image) > 500)[below].mean(axis=-1)

        def brighter(image):
            return float(np.mean(image[below].mean(axis=-1) > lit + 5))

        p.configureDebugVisualizer(p.COV_ENABLE_SHADOWS, 0)
        shares.append(brighter(until(page, lambda image: brighter(image) > 0.01)))

    Stepping().until_done(lambda: browse(act, window))
    assert 0.01 < shares[0] < 0.5  # not the whole plate lay in a shadow


def test_a_recorded_page_has_the_light_of_the_live_one(window, tmp_path):
    box([0, 0, 1], color=(1, 0, 0, 1))
    plate = p.createVisualShape(p.GEOM_BOX, halfExtents=[3.0, 3.0, 0.05], rgbaColor=(0, 0.6, 0, 1))
    p.createMultiBody(0.0, -1, plate, [0, 0, 0.5])
    p.setGravity(0, 0, 0)
    p.resetDebugVisualizerCamera(1.155, 30.0, -30.0, [0, 0, 1])
    log = ReplayLog(window._client, str(tmp_path / "recording.html"))
    p.stepSimulation()
    log.close()
    assert log.is_written
    seen = []

    def shades(image):
        """The middle shades of the box and of the plate, of 3000 pixels each at least."""
        about = image[60:520]
        red = about[(about[..., 0] > 90) & (about[..., 1:].max(axis=-1) < 60)]
        green = about[(about[..., 1] > 60) & (about[..., 0] < 40) & (about[..., 2] < 40)]
        return [np.median(found, axis=0) for found in (red, green) if len(found) > 3000]

    def act(browser, page):
        seen.append(shades(until(page, lambda image: len(shades(image)) == 2)))
        page.close()
        page = browser.new_page(viewport={"width": 800, "height": 600})
        page.goto((tmp_path / "recording.html").as_uri())
        page.wait_for_selector("canvas")
        seen.append(shades(until(page, lambda image: len(shades(image)) == 2)))

    Stepping().until_done(lambda: browse(act, window))
    live, recorded = np.array(seen)
    # the bar of the player makes the picture 40 pixels lower: a little less of each side is seen
    np.testing.assert_allclose(recorded, live, atol=6.0)


def test_the_ground_of_a_recorded_page_is_as_bright_as_in_a_picture_of_the_camera(tmp_path):
    p.connect(p.DIRECT)
    p.loadURDF(f"{pytest.importorskip('pybullet_data').getDataPath()}/plane.urdf")
    view = p.computeViewMatrixFromYawPitchRoll([0, 0, 0], 5, 50, -35, 0, 2)
    lens = p.computeProjectionMatrixFOV(60, 4 / 3, 0.1, 100)
    taken = np.reshape(p.getCameraImage(320, 240, view, lens)[2], (240, 320, 4))[..., :3]
    log = ReplayLog(find_client(0), str(tmp_path / "ground.html"))
    find_client(0).ticks.append(log)
    for _ in range(30):
        p.stepSimulation()  # an eighth of a second, after which it plays again
    p.disconnect()
    tiles = np.unique(taken.reshape(-1, 3), axis=0, return_counts=True)
    light, dark = tiles[0][np.argsort(-tiles[1])[:2]].astype(int)
    assert log.is_written

    def share(image, color):
        # of the page; its sun is not the camera's: 2 % of the light of what faces up
        return float(np.mean(np.abs(image[:520] - color).max(axis=-1) <= 5))

    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE_GL)
        page = browser.new_page(viewport={"width": 800, "height": 600})
        page.goto((tmp_path / "ground.html").as_uri())
        page.wait_for_selector("canvas")
        until(page, lambda image: share(image, dark) > 0.2)
        shares = []
        for _ in range(20):
            image = picture(page)
            shares += [share(image, light), share(image, dark)]
        browser.close()
    assert min(shares) > 0.2
