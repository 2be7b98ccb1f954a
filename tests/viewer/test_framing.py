"""Where the camera stands that sees a scene as a whole."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from unibody.viewer.framing import camera_for

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
