"""The page in a real browser: what is seen, and what keys, mouse and sliders do to the script.

Needs Chromium and Playwright's Python package (`pip install playwright`); skipped without them.
"""

from __future__ import annotations

import io
import shutil
import threading
import time

import numpy as np
import pytest
from PIL import Image

import unibody.bullet as p
from unibody.bullet.client import find_client

pytest.importorskip("viser")
playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
]

SOFTWARE_GL = [
    "--no-sandbox",
    "--use-gl=swiftshader",
    "--enable-webgl",
    "--ignore-gpu-blocklist",
    "--enable-unsafe-swiftshader",
]
MIDDLE = (400, 300)  # of the page; bodies are put there


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


def open_page(browser, window):
    page = browser.new_page(viewport={"width": 800, "height": 600})
    page.goto(window.viewer.url)
    page.wait_for_selector("canvas")
    time.sleep(4)  # software rendering takes its time to show the first frame
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
        images.append(picture(page))
        p.resetBasePositionAndOrientation(body, [0.5, 0, 1.2], [0, 0, 0, 1])
        time.sleep(2)
        images.append(picture(page))

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
        time.sleep(1)

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
        time.sleep(2)
        page.mouse.up()

    Stepping().until_done(lambda: browse(act, window))
    position = p.getBasePositionAndOrientation(body)[0]
    assert position[0] > 0.1
    assert position[2] > 1.05


def test_a_line_and_a_text_appear_and_expire(window):
    box([5, 0, 1], color=(0.5, 0.5, 0.5, 1))
    counts = []

    def act(_browser, page):
        counts.append(reddish(picture(page)))
        p.addUserDebugLine([-0.5, 0, 1], [0.5, 0, 1], [1, 0, 0], 8, lifeTime=3)
        p.addUserDebugText("here", [0, 0, 1.2], lifeTime=3)
        time.sleep(1.5)
        counts.append(reddish(picture(page)))
        time.sleep(3)
        counts.append(reddish(picture(page)))

    Stepping().until_done(lambda: browse(act, window))
    before, drawn, expired = counts  # the page's own axes have some red too
    assert drawn > before + 200
    assert expired < before + 20


def test_two_pages_show_the_world_and_closing_them_stops_nothing(window):
    body = box([0, 0, 1])
    p.setGravity(0, 0, 0)
    counts = []

    def act(browser, page):
        other = open_page(browser, window)
        counts.extend(reddish(picture(each)) for each in (page, other))
        page.close()
        other.close()

    Stepping().until_done(lambda: browse(act, window))
    assert min(counts) > 500
    p.resetBaseVelocity(body, [1, 0, 0])
    for _ in range(24):
        p.stepSimulation()
    assert p.getBasePositionAndOrientation(body)[0][0] > 0.05


def test_a_recording_plays_without_a_server(window, tmp_path):
    body = box([0, 0, 1])
    p.setGravity(0, 0, 0)
    p.stepSimulation()
    window._paint_frame()
    recording = window.viewer.start_recording()
    for frame in range(30):
        p.resetBasePositionAndOrientation(body, [frame / 60, 0, 1], [0, 0, 0, 1])
        window._paint_frame()
        recording.frame(0.1)
    file = tmp_path / "recording.html"
    file.write_text(window.viewer.stop_recording())
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE_GL)
        page = browser.new_page(viewport={"width": 800, "height": 600})
        page.goto(file.as_uri())
        page.wait_for_selector("canvas")
        time.sleep(5)
        assert reddish(picture(page)) > 500
        browser.close()
