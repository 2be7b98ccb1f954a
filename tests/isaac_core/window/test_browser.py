"""The page of an app in a real browser: the stage is seen, and Pause holds the simulation.

Needs a Chromium of the system; skipped without one, but an error where CI is set.
"""

from __future__ import annotations

import io
import threading
import time
from typing import Any

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("viser")
pytest.importorskip("playwright")
from playwright import sync_api as playwright

from tests.viewer.test_browser import CHROMIUM, SOFTWARE_GL
from unibody.isaac_core.functions.viewports import set_camera_view
from unibody.isaac_core.kit import app
from unibody.isaac_core.launch import SimulationApp
from unibody.isaac_core.objects import VisualCuboid
from unibody.isaac_core.world.world import World

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")]


def _reddish(page: Any) -> np.ndarray:
    image = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), dtype=int)
    return np.argwhere((image[..., 0] > 120) & (image[..., 1] < 90) & (image[..., 2] < 90))


def _until(condition: Any, seconds: float = 60.0) -> bool:
    """Whether a condition comes true; software rendering takes its time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.2)
    return False


def test_a_cube_is_seen_in_the_middle_and_the_buttons_hold_the_simulation_and_let_it_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UNIBODY_VIEWER", "on")
    World.clear_instance()
    running = SimulationApp({"headless": False})
    world = World()
    VisualCuboid("/World/cube", position=[0, 0, 0.5], color=np.array([1.0, 0.0, 0.0]))
    set_camera_view(eye=np.array([5.5, 0.0, 0.5]), target=np.array([0.0, 0.0, 0.5]))
    world.reset()
    window: Any = app.get_app().window
    found: dict[str, Any] = {}

    def act() -> None:
        with playwright.sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE_GL)
            page = browser.new_page(viewport={"width": 800, "height": 600})
            page.goto(window.url)
            page.wait_for_selector("canvas")
            found["seen"] = _until(lambda: len(_reddish(page)) > 1000)
            found["middle"] = _reddish(page).mean(axis=0)
            page.get_by_text("Pause", exact=True).click()
            found["held"] = _until(lambda: not world.is_playing())
            page.get_by_text("Play", exact=True).click()
            found["let go"] = _until(world.is_playing)
            browser.close()

    thread = threading.Thread(target=act)
    thread.start()
    while thread.is_alive():
        world.step()
    World.clear_instance()
    running.close()
    assert found["seen"]
    assert found["middle"] == pytest.approx((299.5, 399.5), abs=3.0)
    assert (found["held"], found["let go"]) == (True, True)
