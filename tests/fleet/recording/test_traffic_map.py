"""Heat maps of traffic: where robots were, and for how long."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from unibody.fleet.recording.traffic_map import CELL, TrafficMap, heat_image


def test_a_map_has_the_time_that_robots_spent_in_each_cell() -> None:
    traffic = TrafficMap()
    for _ in range(10):  # 5 s: one stands at the origin, the other is 10 m east and 5 m south
        traffic.step(np.array([[0.1, 0.1, 0.0], [10.1, -4.9, 0.0]]), 0.5)
    for _ in range(30):  # 3 s, looked at every 0.2 s
        traffic.step(np.array([[10.1, -4.9, 0.0]]), 0.1)
    heat = traffic.heat()
    assert heat is not None
    assert heat.low == (0.0, -5.0) and heat.cell == CELL
    assert heat.seconds.shape == (21, 41)
    assert heat.seconds[20, 0] == pytest.approx(5.0)
    assert heat.seconds[0, 40] == pytest.approx(8.0)
    assert heat.seconds.sum() == pytest.approx(13.0)


def test_a_robot_of_almost_a_cell_a_look_leaves_no_gap() -> None:
    traffic = TrafficMap()
    for step in range(200):  # 10 s at 2.4 m/s
        traffic.step(np.array([[2.4 * 0.05 * step, 0.0]]), 0.05)
    heat = traffic.heat()
    assert heat is not None
    assert heat.seconds.shape == (1, 96)  # the last look is at 2.4 * 0.05 * 199 = 23.88 m
    assert (heat.seconds > 0.0).all()
    assert heat.seconds.sum() == pytest.approx(10.0)


def test_robots_that_are_nowhere_or_beyond_all_cells_are_left_out() -> None:
    traffic = TrafficMap()
    far = CELL * 2.0**30
    traffic.step(np.array([[np.nan, 0.0], [0.0, np.inf], [far, 0.0], [0.0, -far], [1.0, 1.0]]), 0.5)
    heat = traffic.heat()
    assert heat is not None
    assert heat.low == (1.0, 1.0)
    assert heat.seconds.tolist() == [[0.5]]


def test_wide_maps_have_larger_cells_and_lose_no_time() -> None:
    traffic = TrafficMap()
    places = np.random.default_rng(0).uniform(-300.0, 300.0, (5000, 2))
    for _ in range(100):  # more than is kept one by one
        traffic.step(places, 0.25)
    heat = traffic.heat()
    assert heat is not None
    assert max(heat.seconds.shape) <= 240
    assert heat.seconds.sum() == pytest.approx(5000 * 25.0)


def test_a_picture_is_darkest_where_most_drove_and_y_points_up() -> None:
    traffic = TrafficMap()
    for _ in range(4):
        traffic.step(np.array([[0.0, 2.0]]), 0.5)
    traffic.step(np.array([[1.0, 0.0]]), 0.5)
    heat = traffic.heat()
    assert heat is not None
    found = re.search('base64,(.*?)"', heat_image(heat, 300))
    assert found is not None
    pixels = np.array(Image.open(io.BytesIO(base64.b64decode(found[1])))).sum(axis=2)
    assert np.unravel_index(pixels.argmin(), pixels.shape) == (0, 0)
    assert pixels[-1, -1] < 3 * 255 == pixels[0, -1]


def test_where_nothing_drove_there_is_no_map() -> None:
    traffic = TrafficMap()
    traffic.step(np.zeros((0, 3)), 1.0)
    assert traffic.heat() is None
