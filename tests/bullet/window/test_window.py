"""connect(GUI): the page follows the world, and what people do on it reaches the script."""

from __future__ import annotations

import json
import math
import sys
import time
import types

import numpy as np
import pybullet as oracle
import pytest

pytest.importorskip("viser")

from websockets.sync.client import connect

import unibody.bullet as p
from unibody.bullet.clients.registry import find_client
from unibody.bullet.window.camera import angles_of, eye_of
from unibody.bullet.window.options import parse_options
from unibody.viewer.guard import COOKIE, INPUT_PATH
from unibody.viewer.view import View


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
    headers = {"Cookie": f"{COOKIE}_{host.rpartition(':')[2]}={token}", "Origin": f"http://{host}"}
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


def test_rays_are_drawn_where_they_went_if_the_page_asks_for_them(window):
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.5, 0.5, 0.5])
    p.createMultiBody(0.0, box)
    p.stepSimulation()
    p.rayTest([0, 0, 3], [0, 0, -3])
    shown(window)
    assert window.viewer._overlay._lines == []
    window.viewer.controls._layers["Rays"].value = True
    shown(window)
    p.rayTestBatch([[0, 0, 3], [2, 0, 3]], [[0, 0, -3], [2, 0, -3]])
    shown(window)
    hit, miss = window.viewer._overlay._lines
    assert (hit.start, hit.end) == ((0, 0, 3), pytest.approx((0.0, 0.0, 0.5)))
    assert miss.end == (2, 0, -3)
    assert hit.color != miss.color
    time.sleep(0.3)
    shown(window)
    assert window.viewer._overlay._lines == []


def test_settings_reach_the_page(window):
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.5, 0.5, 0.5])
    body = p.createMultiBody(0.0, box)
    p.stepSimulation()
    p.configureDebugVisualizer(p.COV_ENABLE_WIREFRAME, 1)
    p.configureDebugVisualizer(p.COV_ENABLE_SHADOWS, 0)
    p.configureDebugVisualizer(p.COV_ENABLE_GUI, 0, rgbBackground=[0.1, 0.2, 0.3])
    p.setDebugObjectColor(body, -1, [0, 0, 1])
    shown(window)
    (part,) = window.viewer._parts
    assert part.wireframe
    assert part.rgba == (0.0, 0.0, 1.0, 1.0)
    assert not window.viewer.lights.sun.shadows
    assert window.viewer._background == (0.1, 0.2, 0.3)
    assert not any(handle.visible for handle in window.viewer.controls._all)


def press_key(window, key):
    """Press a key on a page and let it go."""
    for kind in ("keydown", "keyup"):
        window.viewer.inputs.take({"type": kind, "key": key, "code": key, "page": "1"})


def test_keys_change_the_page_as_in_pybullets_window(window):
    p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.5, 0.5, 0.5]))
    p.stepSimulation()
    press_key(window, "w")
    shown(window)
    assert window.viewer._parts[0].wireframe
    for key in "sgvcji":
        press_key(window, key)
    window._seen = (-1, -1)  # looks are read every few frames
    shown(window)
    assert window.viewer._parts[0].rgba[3] < 1.0  # a collision shape
    assert not window.viewer.lights.sun.shadows
    assert window.viewer._grid is None
    layers = window.viewer.controls.layers()
    assert {"Collision shapes", "Contacts", "Frames"} <= layers
    assert window.viewer.controls.paused
    assert window.viewer.controls._run.options[0] == "Play"
    for key in "wsgvcji":
        press_key(window, key)
    window._seen = (-1, -1)
    shown(window)
    assert window.viewer._parts[0].rgba[3] == 1.0
    assert not window.viewer._parts[0].wireframe
    assert window.viewer.lights.sun.shadows
    assert window.viewer._grid is not None
    assert not window.viewer.controls.paused
    assert ord("w") in p.getKeyboardEvents()  # the script hears of them all the same


def test_keys_change_nothing_once_the_script_has_switched_that_off(window):
    p.configureDebugVisualizer(p.COV_ENABLE_KEYBOARD_SHORTCUTS, 0)
    before = dict(find_client(0).visualizer), window.viewer.controls.layers()
    for key in "wsgvcjikox":
        press_key(window, key)
    assert (dict(find_client(0).visualizer), window.viewer.controls.layers()) == before
    assert not window.viewer.controls.paused


def test_the_grid_lies_on_the_ground_whichever_axis_is_up(window):
    shown_turn = []
    p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.5, 0.5, 0.5]))
    p.stepSimulation()
    for up in (0, 1, 0):
        p.configureDebugVisualizer(p.COV_ENABLE_Y_AXIS_UP, up)
        shown(window)
        w, x, _, _ = window.viewer._grid.wxyz
        shown_turn.append(math.degrees(2.0 * math.atan2(x, w)))
    assert shown_turn == pytest.approx([0.0, -90.0, 0.0])


@pytest.mark.parametrize(("axis", "y_up"), [(1, True), (2, False)])
def test_angles_of_the_camera_are_pybullets_whichever_axis_is_up(axis, y_up):
    target, distance, yaw, pitch = (0.3, -0.2, 0.5), 2.5, 35.0, -25.0
    matrix = oracle.computeViewMatrixFromYawPitchRoll(target, distance, yaw, pitch, 0, axis)
    view = np.reshape(matrix, (4, 4)).T
    eye = -view[:3, :3].T @ view[:3, 3]
    np.testing.assert_allclose(eye_of(distance, yaw, pitch, target, y_up=y_up), eye, atol=1e-5)
    found = angles_of(eye, target, y_up=y_up)
    np.testing.assert_allclose(found, (distance, yaw, pitch), atol=1e-3)


def test_the_camera_turns_with_the_axis_that_is_up(window):
    p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.5, 0.5, 0.5]))
    p.stepSimulation()
    p.resetDebugVisualizerCamera(2.0, 90.0, 0.0, [0, 0, 0])
    p.configureDebugVisualizer(p.COV_ENABLE_Y_AXIS_UP, 1)
    shown(window)
    start = window.viewer._server.initial_camera
    np.testing.assert_allclose(start.position, [-2, 0, 0], atol=1e-6)
    camera = p.getDebugVisualizerCamera()
    assert camera[4] == (0.0, 1.0, 0.0)
    expected = oracle.computeViewMatrixFromYawPitchRoll([0, 0, 0], 2.0, 90.0, 0.0, 0, 1)
    np.testing.assert_allclose(camera[2], expected, atol=1e-6)


def test_the_window_has_the_field_of_view_of_pybullets(window):
    p.resetDebugVisualizerCamera(5.0, 50.0, -35.0, [0, 0, 0])
    width, height, _, projection, _, _, horizontal, vertical = p.getDebugVisualizerCamera()[:8]
    aspect = width / height
    # What PyBullet's own window says: 90 degrees, and the sides of the window 10 km ahead.
    np.testing.assert_allclose([projection[0], projection[5]], [1.0 / aspect, 1.0], rtol=1e-6)
    np.testing.assert_allclose([projection[10], projection[14]], [-1.00002, -0.0200002], rtol=1e-6)
    lengths = np.linalg.norm([horizontal, vertical], axis=1)
    np.testing.assert_allclose(lengths, [20000.0 * aspect, 20000.0], rtol=1e-6)


def test_a_script_that_loads_and_waits_sees_what_it_loaded(window):
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1])
    turned = p.getQuaternionFromEuler([0, 0, math.pi / 2])
    p.createMultiBody(
        1.0, box, -1, [1, 2, 3], turned, linkMasses=[1], linkCollisionShapeIndices=[box],
        linkVisualShapeIndices=[-1], linkPositions=[[0.5, 0, 0]], linkOrientations=[[0, 0, 0, 1]],
        linkInertialFramePositions=[[0, 0, 0]], linkInertialFrameOrientations=[[0, 0, 0, 1]],
        linkParentIndices=[0], linkJointTypes=[p.JOINT_REVOLUTE], linkJointAxis=[[0, 0, 1]],
    )  # fmt: skip
    assert find_client(0).scene.running is None
    loaded = np.sort(shown(window), axis=0)
    np.testing.assert_allclose(loaded, [[1, 2, 3], [1, 2.5, 3]], atol=1e-6)
    assert find_client(0).scene.running is None  # the page changes nothing in the script's world
    p.stepSimulation()
    np.testing.assert_allclose(np.sort(shown(window), axis=0), loaded, atol=1e-6)


def test_a_body_that_comes_late_is_seen_beside_those_that_moved(window):
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1])
    p.createMultiBody(1.0, box, basePosition=[0, 0, 1])
    p.resetBaseVelocity(0, [1, 0, 0])
    for _ in range(24):
        p.stepSimulation()
    moved = p.getBasePositionAndOrientation(0)[0]
    p.createMultiBody(1.0, box, basePosition=[0, 5, 1])
    window._seen = (-1, -1)  # looks are read every few frames
    places = np.sort(shown(window), axis=0)
    np.testing.assert_allclose(places, np.sort([moved, [0, 5, 1]], axis=0), atol=1e-6)


def test_the_light_of_the_page_is_where_the_script_puts_it(window):
    p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.5, 0.5, 0.5]))
    p.stepSimulation()
    p.configureDebugVisualizer(
        lightPosition=[0, -30, 40],
        shadowMapIntensity=0.9,
        shadowMapResolution=512,
        shadowMapWorldSize=6,
    )
    shown(window)
    sun = window.viewer.lights.sun
    assert sun.towards == pytest.approx((0.0, -0.6, 0.8))
    assert (sun.darkness, sun.map_size, sun.map_width) == (0.9, 512, 6.0)
    node = window.viewer._server.scene._handle_from_node_name["/lights/sun"]
    assert tuple(node.position) == pytest.approx((0.0, -0.6, 0.8))


def test_texts_keep_their_colour_size_and_turn_with_their_link(window):
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1])
    half = float(np.sqrt(0.5))
    body = p.createMultiBody(0.0, box, basePosition=[0, 0, 1], baseOrientation=[0, 0, half, half])
    p.addUserDebugText("a", [1, 0, 0], [1, 0, 0], 1.5, parentObjectUniqueId=body)
    p.addUserDebugText("b", [0, 0, 0], textOrientation=[half, 0, 0, half],
                       parentObjectUniqueId=body)  # fmt: skip
    p.stepSimulation()
    shown(window)
    first, second = window.viewer._items.values()
    assert (first.text, first.color, first.size) == ("a", (1.0, 0.0, 0.0), 1.5)
    assert first.position == pytest.approx((0.0, 1.0, 1.0))
    assert first.quat is None
    assert second.quat == pytest.approx((0.5, 0.5, 0.5, 0.5))  # wxyz


def test_pictures_show_on_the_page_as_far_as_they_are_wanted(window):
    p.stepSimulation()
    view = p.computeViewMatrix([1, -1, 1.5], [0, 0, 1], [0, 0, 1])
    projection = p.computeProjectionMatrixFOV(60, 2.0, 0.1, 10)
    p.configureDebugVisualizer(p.COV_ENABLE_DEPTH_BUFFER_PREVIEW, 0)
    p.getCameraImage(32, 16, view, projection)
    window._paint_frame()
    assert list(window.viewer.controls._previews) == ["Colour", "Segmentation"]
    frustum = window.viewer._frustum
    assert frustum.aspect == 2.0
    assert frustum.fov == pytest.approx(np.pi / 3, abs=1e-6)  # matrices are in single precision
    np.testing.assert_allclose(frustum.position, [1, -1, 1.5], atol=1e-6)


def test_a_camera_of_the_script_near_that_of_the_page_is_not_in_the_way(window, monkeypatch):
    page = View((1.4, -1.2, 1.6), (0.0, 0.0, 1.0), np.pi / 3, 640, 480)
    monkeypatch.setattr(window.viewer, "view", lambda: page)
    projection = p.computeProjectionMatrixFOV(60, 2.0, 0.1, 10)
    signs = []
    for eye in ([1.5, -1.0, 1.5], [-1.5, 1.0, 1.5]):  # 0.24 m away, and 3.6 m
        p.getCameraImage(32, 16, p.computeViewMatrix(eye, [0, 0, 1], [0, 0, 1]), projection)
        window._paint_frame()
        signs.append(window.viewer._frustum)
        time.sleep(0.15)  # until images are taken again
    assert signs[0] is None and signs[1] is not None


def test_a_window_is_gone_when_its_client_is(monkeypatch):
    monkeypatch.setenv("UNIBODY_VIEWER", "on")
    client = p.connect(p.GUI)
    window = find_client(client).window
    p.disconnect(client)
    assert window.viewer.closed
    assert not window._thread.is_alive()


def press(window, name):
    """Click a button of the panel's first row."""
    window.viewer.controls.press(name)


def test_the_reset_button_puts_bodies_back_where_they_began(window):
    p.setGravity(0, 0, -10)
    sphere = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)
    ball = p.createMultiBody(1.0, sphere, basePosition=[0, 0, 2])
    arm = p.createMultiBody(
        0, -1, -1, linkMasses=[1], linkCollisionShapeIndices=[sphere],
        linkVisualShapeIndices=[-1], linkPositions=[[1, 0, 0]], linkOrientations=[[0, 0, 0, 1]],
        linkInertialFramePositions=[[0.5, 0, 0]], linkInertialFrameOrientations=[[0, 0, 0, 1]],
        linkParentIndices=[0], linkJointTypes=[p.JOINT_REVOLUTE], linkJointAxis=[[0, 1, 0]],
    )  # fmt: skip
    p.resetJointState(arm, 0, 0.4, 0.1)
    p.resetBaseVelocity(ball, [0.5, 0, 0])
    for _ in range(50):
        p.stepSimulation()
    late = p.createMultiBody(1.0, sphere, basePosition=[3, 0, 5])
    for _ in range(10):
        p.stepSimulation()
    first = {b: p.getBasePositionAndOrientation(b)[0] for b in (ball, late)}
    assert first[ball][2] < 1.9
    press(window, "Reset")
    p.stepSimulation()
    # one step later than at the beginning
    step = p.getPhysicsEngineParameters()["fixedTimeStep"]
    assert p.getBasePositionAndOrientation(ball)[0] == pytest.approx([0.5 * step, 0, 2], abs=1e-3)
    assert p.getBasePositionAndOrientation(late)[0] == pytest.approx([3, 0, 5], abs=1e-3)
    assert p.getJointState(arm, 0)[0] == pytest.approx(0.4, abs=1e-3)
    p.removeBody(late)
    press(window, "Reset")
    p.stepSimulation()
    assert p.getBasePositionAndOrientation(ball)[0][2] == pytest.approx(2.0, abs=1e-3)


class Notebook:
    """Stands for IPython: with a kernel, as in notebooks, or without, as in a terminal."""

    def __init__(self, kernel):
        self.shown = []
        self.display = types.SimpleNamespace(display=self.shown.append, HTML=str)
        self.get_ipython = lambda: types.SimpleNamespace(kernel=kernel)


@pytest.mark.parametrize("kernel", [None, object()])
def test_in_a_notebook_the_page_is_in_the_output_of_the_cell(monkeypatch, kernel):
    notebook = Notebook(kernel)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setenv("UNIBODY_VIEWER", "on")
    client = p.connect(p.GUI)
    address = find_client(client).window.viewer.inline_url
    p.disconnect(client)
    assert len(notebook.shown) == (kernel is not None)
    assert all(f'<iframe src="{address}"' in text for text in notebook.shown)
