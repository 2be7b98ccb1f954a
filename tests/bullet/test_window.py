"""connect(GUI): the page follows the world, and what people do on it reaches the script."""

from __future__ import annotations

import json
import time

import numpy as np
import pybullet as oracle
import pytest

pytest.importorskip("viser")

from websockets.sync.client import connect

import unibody.bullet as p
from unibody.bullet.client import find_client
from unibody.bullet.window.camera import angles_of, eye_of
from unibody.bullet.window_options import parse_options
from unibody.viewer.guard import COOKIE, INPUT_PATH


@pytest.fixture
def window(monkeypatch):
    monkeypatch.setenv("UNIBODY_VIEWER", "on")
    client = p.connect(p.GUI)
    yield find_client(client).window
    p.disconnect(client)


def shown(window):
    """Positions of everything on the page, once it is up to date."""
    window._paint_frame()
    groups = window.viewer._stage._groups.values()
    return np.concatenate([group._sent[0] for group in groups])


def send(window, message):
    """What a page would send."""
    address = window.viewer.url.split("://")[1]
    host, token = address.split("/?token=")
    headers = {"Cookie": f"{COOKIE}={token}", "Origin": f"http://{host}"}
    with connect(f"ws://{host}{INPUT_PATH}", additional_headers=headers) as socket:
        socket.send(json.dumps(message))
        time.sleep(0.2)


def test_bodies_on_the_page_are_where_they_are_in_the_world(window):
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1])
    p.createMultiBody(1.0, box, basePosition=[1.0, 2.0, 3.0])
    p.setGravity(0, 0, -10)
    p.stepSimulation()
    np.testing.assert_allclose(shown(window)[0], p.getBasePositionAndOrientation(0)[0], atol=1e-6)
    p.resetBasePositionAndOrientation(0, [0, 0, 5], [0, 0, 0, 1])
    np.testing.assert_allclose(shown(window)[0], [0, 0, 5], atol=1e-6)


def test_a_slider_is_read_where_it_stands_and_a_button_counts(window):
    slider = p.addUserDebugParameter("speed", -2.0, 2.0, 0.5)
    button = p.addUserDebugParameter("go", 1.0, 0.0, 0.0)
    assert p.readUserDebugParameter(slider) == 0.5
    handle = window._sliders[slider]
    handle.value = 1.5
    time.sleep(0.2)
    assert p.readUserDebugParameter(slider) == 1.5
    assert p.readUserDebugParameter(button) == 0.0
    p.removeAllUserParameters()
    assert window._sliders == {}


def test_keys_of_the_page_have_pybullets_codes_and_states(window):
    send(window, {"type": "keydown", "key": "ArrowLeft"})
    events = p.getKeyboardEvents()
    # the page is gone again: the key was let go with it
    assert events[p.B3G_LEFT_ARROW] & p.KEY_WAS_TRIGGERED
    send(window, {"type": "keydown", "key": "A"})
    assert p.getKeyboardEvents()[ord("a")] & p.KEY_WAS_TRIGGERED


def test_mouse_buttons_of_the_page_are_events(window):
    send(window, {"type": "mousedown", "button": 2, "at": [10, 20, 800, 600]})
    assert p.getMouseEvents() == ((2, 10.0, 20.0, 2, p.KEY_WAS_TRIGGERED | p.KEY_IS_DOWN),)


def test_a_body_held_with_the_mouse_comes_along(window):
    from unibody.viewer.viewer import Grip

    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1])
    body = p.createMultiBody(2.0, box)
    window._take_grip(Grip("start", (body, -1), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    window._take_grip(Grip("update", (body, -1), (0.0, 0.0, 0.0), (0.5, 0.0, 0.2)))
    for _ in range(480):  # twenty times the spring's time constant
        p.stepSimulation()
    np.testing.assert_allclose(p.getBasePositionAndOrientation(body)[0], [0.5, 0, 0.2], atol=0.01)
    window._take_grip(Grip("end", (body, -1), (0.0, 0.0, 0.0), (0.5, 0.0, 0.2)))
    assert window._grip is None


def test_lines_on_a_link_move_with_it_and_expire(window):
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1])
    body = p.createMultiBody(0.0, box, basePosition=[0, 0, 1])
    p.addUserDebugLine([0, 0, 0], [1, 0, 0], lifeTime=0.3, parentObjectUniqueId=body)
    p.stepSimulation()
    shown(window)
    assert window.viewer._overlay._lines[0].end == pytest.approx((1.0, 0.0, 1.0))
    time.sleep(0.4)
    shown(window)
    assert window.viewer._overlay._lines == []


def test_a_recording_is_a_page_of_its_own(window):
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1])
    p.createMultiBody(1.0, box)
    p.stepSimulation()
    window.viewer.start_recording()
    for _ in range(3):
        p.stepSimulation()
        shown(window)
    page = window.viewer.stop_recording()
    assert "__VISER_EMBED_DATA__" in page


@pytest.mark.parametrize(("yaw", "pitch"), [(50.0, -35.0), (0.0, 0.0), (-120.0, 80.0)])
def test_the_camera_stands_where_pybullets_stands(yaw, pitch):
    target, distance = [0.3, -0.2, 0.5], 2.5
    view = oracle.computeViewMatrixFromYawPitchRoll(target, distance, yaw, pitch, 0.0, 2)
    matrix = np.array(view).reshape(4, 4).T
    eye = -matrix[:3, :3].T @ matrix[:3, 3]
    # PyBullet's matrices are in single precision
    np.testing.assert_allclose(eye_of(distance, yaw, pitch, target), eye, atol=1e-5)
    np.testing.assert_allclose(angles_of(eye, target), (distance, yaw, pitch), atol=1e-3)


def test_options_are_read_and_the_unknown_ones_named():
    options = parse_options(
        "--width=640 --background_color_red=0.1 --mp4=a.mp4 --opengl2 --width=x"
    )
    assert (options.width, options.mp4) == (640, "a.mp4")
    assert options.background[0] == 0.1
    assert options.ignored == ["--opengl2", "--width=x"]


def test_without_a_window_the_script_runs_all_the_same(monkeypatch):
    monkeypatch.setenv("UNIBODY_VIEWER", "off")
    client = p.connect(p.GUI)
    assert find_client(client).window is None
    assert p.getKeyboardEvents(physicsClientId=client) == {}
    p.disconnect(client)
