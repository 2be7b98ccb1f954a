"""Lenses as OpenCV writes them: what they distort is drawn where the model's closed form says."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pxr")

from unibody.errors import NotSupportedError
from unibody.isaac_core.objects.sphere import VisualSphere
from unibody.isaac_core.sensors.camera import Camera
from unibody.isaac_core.sensors.lens import Lens, centers
from unibody.isaac_core.world.world import World

DOWN = np.array([np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])  # x forward becomes -z
BARREL = [-0.25, 0.06, 0.01, -0.02]


def test_a_lens_without_distortion_is_a_pinhole_and_rays_lead_back_to_their_pixels() -> None:
    pixels = centers(40, 30)
    plain = Lens((30.0, 32.0), (20.0, 14.0))
    assert plain.rays(pixels)[14, 20] == pytest.approx([0.5 / 30.0, 0.5 / 32.0])
    whole = Lens((30.0, 32.0), (20.0, 14.0), (
        -0.2, 0.05, 0.01, -0.01, 0.002, 0.03, 0.01, 0.001, 0.005, -0.002, 0.004, 0.001,
    ))  # fmt: skip
    rays = whole.rays(pixels)
    # Newton's method ends where slopes differ by less than 1e-6, that is 3e-5 pixels
    assert whole.pixels(rays[..., 0], rays[..., 1]) == pytest.approx(pixels, abs=3e-5)


def test_nothing_is_seen_where_no_ray_is_drawn() -> None:
    # r (1 - r^2 / 4) has its maximum 0.7698 at r = sqrt(4 / 3); pixels beyond show no ray
    folded = Lens((100.0, 100.0), (0.0, 0.0), (-0.25, *[0.0] * 11))
    inner, outer = folded.rays(np.array([[76.0, 0.0], [78.0, 0.0]]))
    assert np.isfinite(inner).all()
    assert np.isnan(outer).all()


@pytest.mark.parametrize("place", [(0.9, 1.2), (-1.0, 0.4), (0.0, -1.3)])
def test_a_distorting_lens_draws_a_ball_where_its_closed_form_says(
    place: tuple[float, float],
) -> None:
    World.clear_instance()
    world = World()
    x, y = place
    VisualSphere("/World/ball", "ball", position=[x, y, 3.0], radius=0.05)
    camera = Camera("/World/camera", position=[0.0, 0.0, 5.0], orientation=DOWN)
    camera.set_resolution((320, 240))
    camera.set_opencv_pinhole_properties(150.0, 130.0, 200.0, 210.0, BARREL)
    world.reset()
    camera.initialize()
    camera.attach_annotator("distance_to_image_plane")
    depth = camera.get_depth()
    assert depth is not None
    rows, columns = np.nonzero(np.isfinite(depth))
    # x of the world is up in the picture, y is left
    across, down = -y / 2.0, -x / 2.0
    k1, k2, p1, p2 = BARREL
    r2 = across**2 + down**2
    radial = 1.0 + k1 * r2 + k2 * r2**2
    u = 150.0 + 200.0 * (across * radial + 2 * p1 * across * down + p2 * (r2 + 2 * across**2))
    v = 130.0 + 210.0 * (down * radial + p1 * (r2 + 2 * down**2) + 2 * p2 * across * down)
    # the ball is 5 px large, and a pixel of its edge more or less moves its middle by half a pixel
    assert columns.mean() + 0.5 == pytest.approx(u, abs=0.75)
    assert rows.mean() + 0.5 == pytest.approx(v, abs=0.75)
    assert camera.get_image_coords_from_world_points([[x, y, 3.0]]) == pytest.approx(
        np.array([[u, v]]), abs=1e-3
    )  # the view of the stage is in single precision
    points = camera.get_pointcloud()
    # what is seen is the ball's surface; a pixel is 1 cm wide there
    assert np.linalg.norm(points - [x, y, 3.0], axis=1) == pytest.approx(0.05, abs=0.015)


def test_a_distorted_orthographic_picture_is_refused() -> None:
    World.clear_instance()
    world = World()
    camera = Camera("/World/camera", position=[0.0, 0.0, 5.0], orientation=DOWN)
    camera.set_opencv_pinhole_properties(pinhole=BARREL)
    camera.set_projection_mode("orthographic")
    world.reset()
    camera.initialize()
    with pytest.raises(NotSupportedError, match="orthographic"):
        camera.get_rgba()
