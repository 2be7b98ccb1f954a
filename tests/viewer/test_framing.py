"""Where the camera stands that sees a scene as a whole."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from unibody.core.assets.description import Pose, Shape, ShapeKind
from unibody.core.render.visual_shapes import VisualShape
from unibody.viewer.framing import box_of_things, camera_for

FOV = math.radians(60.0)


@pytest.mark.parametrize("aspect", [1.0, 1.4])
@pytest.mark.parametrize("towards", [(0.75, -0.9, 0.5), (0.0, -0.8, 0.65)], ids=str)
@pytest.mark.parametrize("size", [(40.0, 14.0, 1.0), (70.0, 100.0, 2.0), (0.5, 0.5, 5.0)], ids=str)
def test_the_camera_sees_every_corner_and_stands_as_near_as_that_allows(size, towards, aspect):
    box = np.array(size) * -0.5 + 3.0, np.array(size) * 0.5 + 3.0
    eye, target = camera_for(box, FOV, towards, aspect)
    ahead = np.subtract(target, eye) / np.linalg.norm(np.subtract(target, eye))
    np.testing.assert_allclose(ahead, -np.array(towards) / np.linalg.norm(towards), atol=1e-12)
    right = np.cross(ahead, [0.0, 0.0, 1.0]) / np.linalg.norm(np.cross(ahead, [0.0, 0.0, 1.0]))
    corners = np.array(list(itertools.product(*zip(*box, strict=True)))) - eye
    depth = corners @ ahead
    sides = np.abs([corners @ right / aspect, corners @ np.cross(right, ahead)])
    shares = sides / depth / math.tan(FOV / 2)
    across = np.array([corners @ right, corners @ np.cross(right, ahead)]) / depth
    np.testing.assert_allclose(across.max(axis=1), -across.min(axis=1), atol=1e-9)
    # the outermost corner leaves the same margin, 15 %, whatever the shape of the box
    assert (depth > 0.0).all() and shares.max() == pytest.approx(1.0 / 1.15)


def _box(size: tuple[float, float, float], at: tuple[float, float, float]) -> VisualShape:
    return VisualShape(0, Shape(ShapeKind.BOX, size, Pose(at)))


def test_neither_the_ground_nor_a_hall_moves_the_camera_away_but_a_table_is_seen() -> None:
    cups = [_box((0.1, 0.1, 0.1), (0.1 * n, 0.0, 0.95)) for n in range(5)]
    table = _box((1.5, 1.0, 0.1), (0.0, 0.0, 0.85))
    hall = _box((50.0, 50.0, 10.0), (0.0, 0.0, 0.0))
    ground = VisualShape(0, Shape(ShapeKind.PLANE))
    low, high = box_of_things(
        [*cups, table, hall, ground], np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]])
    )
    np.testing.assert_allclose([low, high], [(-0.75, -0.5, 0.0), (0.75, 0.5, 1.0)], atol=1e-6)
