"""The light of pages and pictures, and the colours they are shown in."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unibody.core.assets.description import Pose, Shape, ShapeKind
from unibody.core.render.camera import Frames
from unibody.core.render.visual_shapes import VisualShape
from unibody.viewer.colors import linear_bytes
from unibody.viewer.lights import Lights, Sun
from unibody.viewer.page import page_with_inputs, with_true_colors
from unibody.viewer.painter import Painter, Sight
from unibody.viewer.view import View

FROM_ABOVE = View((0.0, -0.01, 8.0), (0.0, 0.0, 0.0), math.radians(40.0), 160, 160)
FLOOR = VisualShape(0, Shape(ShapeKind.BOX, (10.0, 10.0, 0.1), pose=Pose((0.0, 0.0, -0.05))))
BALL = VisualShape(
    0, Shape(ShapeKind.SPHERE, (0.3,), pose=Pose((0.0, 0.0, 1.0))), (1.0, 0.0, 0.0, 1.0)
)


class Scene:
    """Notes what lights a server is told to have."""

    def __init__(self):
        self.sent = []

    def configure_default_lights(self, enabled):
        self.sent.append(("default", enabled))

    def configure_environment_map(self, hdri):
        self.sent.append(("environment", hdri))

    def add_light_hemisphere(self, name, **options):
        self.sent.append((name, options))

    def add_light_directional(self, name, **options):
        self.sent.append((name, options))


class Server:
    def __init__(self):
        self.scene = Scene()


def picture(sun):
    painter = Painter()
    painter.show([FLOOR, BALL])
    frames = Frames(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]))
    image = painter.picture(Sight(FROM_ABOVE, frames, sun=sun))[..., :3].astype(int)
    grey = np.ptp(image, axis=2) < 3
    lit = int(image[0, 0].mean())
    return image, grey & (image.mean(axis=2) < lit - 8), lit


@pytest.mark.parametrize(("direction", "axis", "sign"), [
    ((1.0, 0.0, 1.0), 1, -1), ((-1.0, 0.0, 1.0), 1, 1), ((0.0, 1.0, 1.0), 0, 1),
])  # fmt: skip
def test_shadows_fall_away_from_the_light(direction, axis, sign):
    _, shadow, _ = picture(Sun(direction))
    where = np.argwhere(shadow)
    assert len(where) > 50
    assert sign * (where[:, axis].mean() - 79.5) > 10


def test_the_darkness_of_shadows_is_that_of_the_sun():
    darkest = []
    for darkness in (0.2, 0.5, 1.0):
        image, shadow, lit = picture(Sun((1.0, 0.0, 1.0), darkness))
        darkest.append(lit - image[shadow].mean())
    assert darkest == sorted(darkest)
    assert darkest[2] > 3 * darkest[0]
    for none in (Sun((1.0, 0.0, 1.0), 0.0), Sun((1.0, 0.0, 1.0), shadows=False)):
        assert not picture(none)[1].any()


def test_a_map_of_shadows_that_covers_little_leaves_the_rest_lit():
    _, wide, _ = picture(Sun((1.0, 0.0, 0.3), map_width=20.0))
    _, narrow, _ = picture(Sun((1.0, 0.0, 0.3), map_width=1.0))
    assert wide.sum() > 50
    assert narrow.sum() < 0.2 * wide.sum()


@pytest.mark.parametrize("direction", [(0.0, 0.0, 0.0), (math.nan, 0.0, 1.0), (math.inf, 0.0, 0.0)])
def test_a_light_without_a_direction_is_straight_above(direction):
    assert Sun(direction).towards == (0.0, 0.0, 1.0)


def test_lights_are_sent_once_and_what_faces_the_sun_always_has_the_same():
    server = Server()
    lights = Lights(server)
    assert server.scene.sent[:2] == [("default", False), ("environment", None)]
    lights.show(Sun())
    assert len(server.scene.sent) == 4
    totals = []
    for darkness in (0.0, 0.5, 1.0, 7.0):
        lights.show(Sun((0.0, 3.0, 4.0), darkness))
        (_, sky), (_, sun) = server.scene.sent[-2:]
        totals.append(sky["intensity"] + sun["intensity"])
        assert sky["position"] == sun["position"] == pytest.approx((0.0, 0.6, 0.8))
        assert sun["cast_shadow"] is (darkness > 0.0)
    assert totals == pytest.approx([math.pi] * 4)


def test_colours_become_amounts_of_light():
    # IEC 61966-2-1: half grey is 21.4 % of the light, and the ends stay
    assert linear_bytes([0.0, 0.5, 1.0]).tolist() == [0, 55, 255]
    assert linear_bytes([[-1.0, 2.0, 0.04]]).tolist() == [[0, 255, 1]]


def test_the_scripts_of_a_page_come_before_those_of_the_library():
    page = "<html><head><script>theirs</script></head><body></body></html>"
    for made in (with_true_colors(page), page_with_inputs(page, "/in").decode()):
        assert made.index("ACESFilmicToneMapping") < made.index("theirs")
        assert made.endswith("<body></body></html>")
    assert "WebSocket" not in with_true_colors(page)
