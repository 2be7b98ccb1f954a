"""Keys and mouse move the camera of a simulation."""

from __future__ import annotations

import math

import pytest

from unibody.fleet.monitoring.camera_controller import Camera, CameraController

MOVE, BUTTON, LEFT, RIGHT, DOWN, RELEASED = 1, 2, 0, 2, 3, 4
PIXEL = 0.01 * 10.0  # m a pixel at ten metres


@pytest.fixture
def controller():
    return CameraController(Camera(distance=10.0, yaw=0.0, pitch=-45.0, target=[0.0, 0.0, 0.0]))


def drag(controller, button=RIGHT, to=(150, 160)):
    controller.update({}, [(BUTTON, 100, 200, button, DOWN)])
    return controller.update({}, [(MOVE, *to, -1, 0)])


def test_the_right_button_pans_in_the_plane_of_the_picture(controller):
    assert drag(controller)
    up = -40 * PIXEL
    half = math.sqrt(0.5)
    assert controller.camera.target == pytest.approx([-50 * PIXEL, up * half, up * half])


def test_a_drag_in_pieces_ends_where_one_in_one_piece_ends(controller):
    drag(controller, to=(120, 190))
    controller.update({}, [(MOVE, 150, 160, -1, 0)])
    other = CameraController(Camera(distance=10.0, yaw=0.0, pitch=-45.0))
    drag(other)
    assert controller.camera.target == pytest.approx(other.camera.target)


def test_neither_the_left_button_nor_a_released_one_pans(controller):
    assert not drag(controller, button=LEFT)
    controller.update({}, [(BUTTON, 100, 200, RIGHT, DOWN), (BUTTON, 100, 200, RIGHT, RELEASED)])
    assert not controller.update({}, [(MOVE, 300, 300, -1, 0)])
    assert controller.camera.target == [0.0, 0.0, 0.0]


def test_keys_zoom_and_near_the_target_go_on_ahead(controller):
    controller.update({ord("-"): 1})
    assert controller.camera.distance == pytest.approx(11.0)
    for _ in range(40):
        controller.update({ord("="): 1})
    assert controller.camera.distance == pytest.approx(2.0)
    assert controller.camera.target[1] > 0.0 > controller.camera.target[2]


def test_a_key_looks_from_above(controller):
    assert controller.update({ord("o"): 2})
    assert (controller.camera.pitch, controller.camera.yaw) == (-89.9, 0.0)
    assert not controller.update({})


def test_controllers_of_one_client_move_one_camera():
    first, second = CameraController(client_id=901), CameraController(client_id=901)
    first.follow_target([1.0, 2.0, 3.0])
    assert second.camera.target == [1.0, 2.0, 3.0]
