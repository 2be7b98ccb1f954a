"""The software renderer, against traced rays and closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.core.render.tracing import trace
from unibody.core.assets.description import Pose, Shape, ShapeKind
from unibody.core.render import raster, shading
from unibody.core.render.camera import (
    Camera,
    Frames,
    Light,
    Style,
    Wanted,
    look_at,
    parallel,
    perspective,
    sun_shadow,
)
from unibody.core.render.mesh import Mesh, Part, Texture, make_mesh
from unibody.core.render.shapes import mesh_of_shape
from unibody.core.render.software import SoftwareRenderer
from unibody.core.render.stage import Stage
from unibody.errors import InvalidArgumentError

WORLD = Frames(np.zeros((0, 3)), np.zeros((0, 4)))
SQUARE = make_mesh(
    [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)],
    [(0, 1, 2), (0, 2, 3)],
    [(0, 0, 1)] * 4,
    [(0, 0), (1, 0), (1, 1), (0, 1)],
)
# looks straight down on the square of 2 m, which fills the image
ABOVE = Camera(
    64, 64, look_at((0, 0, 5), (0, 0, 0), (0, 1, 0)), parallel(2.0, 2.0, 0.1, 10.0)
)  # fmt: skip
DARK = Light(ambient=0.0, diffuse=1.0, specular=0.0, direction=(0, 0, 1))
RNG = np.random.default_rng(3)


def stage_of(*parts: Part) -> Stage:
    stage = Stage()
    stage.show(parts)
    return stage


def color_at(picture: np.ndarray, row: int, column: int) -> list[int]:
    return picture[row, column, :3].tolist()


@pytest.mark.parametrize("cull", [True, False])
@pytest.mark.parametrize("kind", ["perspective", "parallel"])
def test_each_pixel_shows_what_its_ray_meets_first(kind: str, cull: bool) -> None:
    # some triangles lie across the planes and behind the camera
    triangles = RNG.normal(0.0, 1.5, (60, 1, 3)) + RNG.normal(0.0, 1.0, (60, 3, 3))
    projection = {
        "perspective": perspective(1.1, 1.25, 0.3, 6.0),
        "parallel": parallel(5.0, 4.0, 0.3, 6.0),
    }[kind]
    camera = Camera(75, 60, look_at((2.5, 1.0, 1.5), (0.0, 0.2, 0.1)), projection)
    parts = [
        Part(make_mesh(corners, [(0, 1, 2)]), label=k, double_sided=not cull)
        for k, corners in enumerate(triangles)
    ]
    picture = SoftwareRenderer().render(stage_of(*parts), camera, WORLD)
    number, depth = trace(camera, triangles.astype(np.float32).astype(np.float64), cull=cull)
    # single precision of the stored corners moves an edge over a pixel now and then
    assert np.mean(picture.segmentation == number) > 0.999
    same = picture.segmentation == number
    np.testing.assert_allclose(picture.depth[same], depth[same], atol=2e-6)
    assert len(np.unique(number)) > 15


def test_depth_can_be_turned_into_metres() -> None:
    ramp = make_mesh([(-9, -9, -9), (9, -9, 9), (0, 9, 0)], [(0, 1, 2)])
    for projection in (perspective(1.0, 1.0, 0.2, 50.0), parallel(4.0, 4.0, 0.2, 50.0)):
        camera = Camera(33, 33, look_at((0, 0, 20), (0, 0, 0), (0, 1, 0)), projection)
        picture = SoftwareRenderer().render(stage_of(Part(ramp, double_sided=True)), camera, WORLD)
        # row 16 and column 16 of 33 are at x = y = 16 / 33 * 2 - 1 of the half width
        x = (2 * 16 / 33 - 1) * (2.0 if projection[3, 3] else 20.0 * np.tan(0.5))
        x = x if projection[3, 3] else x / (1.0 + np.tan(0.5) * (2 * 16 / 33 - 1))
        assert camera.distances(picture.depth)[16, 16] == pytest.approx(20.0 - x, abs=1e-3)
        assert np.isinf(camera.distances(np.float32([1.0]))).all()


def test_of_two_surfaces_at_the_same_place_the_later_one_shows() -> None:
    stage = stage_of(Part(SQUARE, label=1), Part(SQUARE, label=2))
    picture = SoftwareRenderer().render(stage, ABOVE, WORLD)
    assert np.unique(picture.segmentation).tolist() == [2]


def test_triangles_that_share_an_edge_leave_no_gap() -> None:
    corners = np.array([(x, y, 0.1 * x) for x in np.linspace(-2, 2, 14) for y in range(-2, 3)])
    faces = []
    for i in range(13):
        for j in range(4):
            a = 5 * i + j
            faces += [(a, a + 5, a + 6), (a, a + 6, a + 1)]
    stage = stage_of(Part(make_mesh(corners, faces)))
    picture = SoftwareRenderer().render(stage, ABOVE, WORLD)
    assert (picture.segmentation == 0).all()


def test_parts_follow_their_frames() -> None:
    quarter = np.sqrt(0.5)
    small = make_mesh([(0.1, 0.1, 0), (0.5, 0.1, 0), (0.1, 0.5, 0)], [(0, 1, 2)])
    part = Part(small, frame=1, pose=Pose((0.0, 0.0, 1.0)))
    # a quarter turn about z, then to the left
    frames = Frames(
        np.array([[9.0, 9, 9], [-0.2, 0, 0]]), np.array([[1.0, 0, 0, 0], [quarter, 0, 0, quarter]])
    )
    picture = SoftwareRenderer().render(stage_of(part), ABOVE, frames)
    rows, columns = np.nonzero(picture.segmentation == 0)
    x, y = columns / 32 - 1, (63 - rows) / 32 - 1
    pixel = 2.0 / 32  # a tip is thinner than a pixel
    assert (x.min(), x.max()) == pytest.approx((-0.7, -0.3), abs=pixel)
    assert (y.min(), y.max()) == pytest.approx((0.1, 0.5), abs=pixel)


def test_a_texture_stands_upright_and_repeats() -> None:
    # rows from the bottom: red and green below, blue and white above
    texels = np.array([[(255, 0, 0), (0, 255, 0)], [(0, 0, 255), (255, 255, 255)]], np.uint8)
    plain = Style((Light(ambient=1.0, diffuse=0.0, specular=0.0),))
    once = SoftwareRenderer().render(
        stage_of(Part(SQUARE, texture=Texture(texels))), ABOVE, WORLD, plain
    )
    assert color_at(once.color, 50, 10) == [255, 0, 0]
    assert color_at(once.color, 50, 50) == [0, 255, 0]
    assert color_at(once.color, 10, 10) == [0, 0, 255]
    assert color_at(once.color, 10, 50) == [255, 255, 255]
    twice = Mesh(SQUARE.vertices, SQUARE.faces, SQUARE.normals, SQUARE.uvs * 2 - 5)
    again = SoftwareRenderer().render(
        stage_of(Part(twice, texture=Texture(texels))), ABOVE, WORLD, plain
    )
    np.testing.assert_array_equal(again.color[:32, :32], once.color[::2, ::2])


def test_colours_are_light_times_surface() -> None:
    lights = (
        Light((0.0, 0.6, 0.8), (1.0, 0.5, 0.0), ambient=0.1, diffuse=0.5, specular=0.2),
        Light((0.0, 0.0, 2.0), (0.0, 0.0, 1.0), ambient=0.05, diffuse=0.25, specular=0.0),
    )
    stage = stage_of(Part(SQUARE, rgba=(0.8, 1.0, 0.6, 1.0)))
    picture = SoftwareRenderer().render(stage, ABOVE, WORLD, Style(lights))
    strength = 0.5 * 0.8 + 0.2 * 0.8**2  # the light mirrored at the ground points up by 0.8
    expected = (
        int(204 * (0.15 + strength)),
        int(255 * (0.15 + 0.5 * strength)),
        int(153 * (0.15 + 0.25)),
    )
    assert color_at(picture.color, 32, 32) == list(expected)
    assert picture.color[..., 3].min() == 255


def test_what_turns_away_from_the_light_gets_none() -> None:
    style = Style((Light((0, 0, -1), ambient=0.0, diffuse=1.0, specular=0.0),))
    picture = SoftwareRenderer().render(stage_of(Part(SQUARE)), ABOVE, WORLD, style)
    assert picture.color[..., :3].max() == 0


def test_a_shadow_falls_where_something_stands_between_ground_and_light() -> None:
    tile = Mesh(SQUARE.vertices * np.float32(0.25), SQUARE.faces, SQUARE.normals, SQUARE.uvs)
    direction = (1.0, 0.0, 1.0)
    shadow = sun_shadow(direction, (0, 0, 0), 3.0)
    light = Light(direction, ambient=0.2, diffuse=0.5, specular=0.0, shadow=shadow)
    stage = stage_of(Part(SQUARE), Part(tile, pose=Pose((0.0, 0.0, 0.5)), rgba=(1, 0, 0, 0)))
    picture = SoftwareRenderer().render(stage, ABOVE, WORLD, Style((light,)))
    full = int(255 * (0.2 + 0.5 * np.sqrt(0.5)))
    dim = int(255 * (0.2 + 0.8 * 0.5 * np.sqrt(0.5)))
    # a hidden tile 0.5 above the ground shades what is 0.5 to the left of it
    assert color_at(picture.color, 32, 16) == [dim] * 3
    assert color_at(picture.color, 32, 32) == [full] * 3
    rows, columns = np.nonzero(picture.color[..., 0] == dim)
    assert (columns.min(), columns.max()) == pytest.approx((8, 24), abs=1.5)
    assert (rows.min(), rows.max()) == pytest.approx((23, 39), abs=1.5)


def test_sides_that_the_light_grazes_far_outside_of_its_map_shade_nothing() -> None:
    """Edges of such triangles cross a row of pixels 1e20 pixels away: no integer holds that."""
    box = mesh_of_shape(Shape(ShapeKind.BOX, (200.0, 200.0, 10.0)))
    assert box is not None
    direction = (0.4, 0.5, 1.0)
    light = Light(direction, diffuse=0.5, specular=0.0, ambient=0.2)
    ground = stage_of(Part(box, pose=Pose((0.0, 0.0, -5.0))))
    for reach in np.linspace(1.0, 5.0, 41):
        shaded = replace(light, shadow=sun_shadow(direction, (0.0, 0.0, 0.3), reach, 256))
        pictures = [
            SoftwareRenderer().render(ground, ABOVE, WORLD, Style((one,)))
            for one in (light, shaded)
        ]
        np.testing.assert_array_equal(pictures[0].color, pictures[1].color)


def test_translucent_parts_are_laid_over_what_is_behind_from_the_back() -> None:
    style = Style((Light(ambient=1.0, diffuse=0.0, specular=0.0),), translucent=True)
    high = Part(SQUARE, pose=Pose((0, 0, 2)), rgba=(1, 0, 0, 0.5), label=1)
    low = Part(SQUARE, pose=Pose((0, 0, 1)), rgba=(0, 1, 0, 0.25), label=2)
    ground = Part(SQUARE, rgba=(0, 0, 1, 1), label=3)
    for parts in ((high, low, ground), (ground, low, high)):
        picture = SoftwareRenderer().render(stage_of(*parts), ABOVE, WORLD, style)
        blue = int(0.75 * 255)
        green = int(0.25 * 255)
        assert color_at(picture.color, 20, 20) == [127, int(0.5 * green), int(0.5 * blue)]
        assert picture.segmentation[20, 20] == 1
    solid = SoftwareRenderer().render(stage_of(ground, low, high), ABOVE, WORLD)
    assert color_at(solid.color, 20, 20)[1:] == [0, 0]


def test_a_wireframe_shows_edges_alone() -> None:
    picture = SoftwareRenderer().render(stage_of(Part(SQUARE)), ABOVE, WORLD, Style(wireframe=True))
    seen = picture.segmentation == 0
    assert seen[63 - 30, 30]  # on the diagonal
    assert seen[30, 0]
    assert not seen[20, 35]
    assert 0.02 < seen.mean() < 0.15


def test_a_projector_replaces_texture_coordinates() -> None:
    texels = np.array([[(255, 0, 0), (0, 255, 0)]], np.uint8)
    half = np.eye(4)
    half[0, 3] = 0.5  # u = x + 0.5
    style = Style((Light(ambient=1.0, diffuse=0.0, specular=0.0),), projector=half)
    picture = SoftwareRenderer().render(
        stage_of(Part(SQUARE, texture=Texture(texels))), ABOVE, WORLD, style
    )
    # x from -1 to 1 gives u from -0.5 to 1.5: green, red, green, red
    row = picture.color[32, :, 0] > 0
    assert row[[4, 20, 36, 60]].tolist() == [False, True, False, True]


def test_triangles_below_the_least_area_are_left_out() -> None:
    pixel = 2.0 / 64
    speck = make_mesh([(0, 0, 0), (pixel, 0, 0), (0, pixel, 0)], [(0, 1, 2)])
    for least, shown in ((0.99, True), (1.01, False)):
        style = Style(least_area=least)
        picture = SoftwareRenderer().render(stage_of(Part(speck)), ABOVE, WORLD, style)
        assert (picture.segmentation == 0).any() == shown


def test_a_part_without_a_finite_pose_is_left_out() -> None:
    broken = Part(SQUARE, frame=0, label=1)
    stage = stage_of(Part(SQUARE, label=2, pose=Pose((0, 0, -1))), broken)
    for bad in (np.nan, np.inf, 1e200):
        frames = Frames(np.array([[bad, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0, 0.0]]))
        picture = SoftwareRenderer().render(stage, ABOVE, frames)
        assert np.unique(picture.segmentation).tolist() == [2]


@pytest.mark.parametrize(
    "view", [np.zeros((4, 4)), np.full((4, 4), np.nan), np.full((4, 4), 1e300)]
)
def test_a_camera_that_cannot_be_sees_nothing(view: np.ndarray) -> None:
    camera = Camera(8, 6, view, perspective(1.0, 1.0, 0.1, 10.0))
    picture = SoftwareRenderer().render(stage_of(Part(SQUARE)), camera, WORLD)
    assert (picture.segmentation == -1).all()
    assert (picture.depth == 1.0).all()
    assert (picture.color == 255).all()


def test_an_empty_stage_gives_the_background() -> None:
    picture = SoftwareRenderer().render(Stage(), ABOVE, WORLD, Style(background=(10, 20.9, 300)))
    assert color_at(picture.color, 5, 5) == [10, 20, 255]


def test_only_the_images_that_are_wanted_are_made() -> None:
    stage = stage_of(Part(SQUARE, label=0x0105))
    wanted = Wanted(color=False, depth=False, label_bits=0xFF)
    picture = SoftwareRenderer().render(stage, ABOVE, WORLD, wanted=wanted)
    assert len(picture.color) == len(picture.depth) == 0
    assert np.unique(picture.segmentation).tolist() == [5]


def test_no_form_of_input_has_the_kernels_compiled_anew() -> None:
    part = Part(SQUARE, frame=0, texture=Texture(np.zeros((2, 2, 3), np.uint8)))
    still = np.broadcast_to(np.float32([1.0, 0.0, 0.0, 0.0]), (1, 4))
    matrix = np.asfortranarray(np.eye(4))
    style = Style((Light(shadow=sun_shadow((0, 0, 1), (0, 0, 0), 1.0)),), projector=matrix)
    camera = Camera(4, 4, matrix, np.asfortranarray(ABOVE.projection))
    renderer, counts = SoftwareRenderer(), []
    for _ in range(2):
        counts.append([len(kernel.signatures) for kernel in (raster.draw, shading.shade)])
        renderer.render(stage_of(part), camera, Frames(still[:, 1:], still), style)
    assert counts[0] == counts[1] == [1, 1]


def test_a_renderer_goes_from_size_to_size() -> None:
    renderer, stage = SoftwareRenderer(), stage_of(Part(SQUARE))
    for width, height in ((64, 64), (3, 2), (100, 40), (1, 1), (64, 64)):
        camera = Camera(width, height, ABOVE.view, ABOVE.projection)
        picture = renderer.render(stage, camera, WORLD)
        assert picture.depth.shape == (height, width)
        assert (picture.segmentation == 0).all()


@pytest.mark.parametrize(("width", "height"), [(0, 5), (5, -1), (20_000, 20_000)])
def test_a_camera_without_or_with_too_many_pixels_is_an_error(width: int, height: int) -> None:
    with pytest.raises(InvalidArgumentError, match=r"width|height"):
        Camera(width, height, np.eye(4), np.eye(4))


def test_a_part_on_a_frame_without_a_pose_is_an_error() -> None:
    with pytest.raises(InvalidArgumentError, match="frame 3"):
        SoftwareRenderer().render(stage_of(Part(SQUARE, frame=3)), ABOVE, WORLD)


def test_shadow_maps_of_different_sizes_are_an_error() -> None:
    lights = tuple(Light(shadow=sun_shadow((0, 0, 1), (0, 0, 0), 1.0, n)) for n in (16, 32))
    with pytest.raises(InvalidArgumentError, match="one size"):
        SoftwareRenderer().render(stage_of(Part(SQUARE)), ABOVE, WORLD, Style(lights))
