"""getCameraImage and renderImage, against PyBullet's TinyRenderer."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pybullet_data
import pytest
from PIL import Image

import unibody.bullet as p
from tests.bullet.camera_scenes import PICTURES, PictureOf, visual
from tests.bullet.paired import both

DATA = pybullet_data.getDataPath()
# TinyRenderer rounds positions in the image to single precision: a pixel whose centre is within
# 1e-5 of an edge may fall to the other side. Measured on these scenes: 1e-4 of the pixels.
EDGE_PIXELS = 1e-3
# Bullet turns the polygon of a capsule that a file states by its two ends about its axis.
TURNED = {"links": 4, "mjcf": 6}
# of 255: where a chequered pattern meets an edge or the horizon, such a pixel has another colour
COLOR = 0.1
CENTIMETRE = 0.01
VIEW = p.computeViewMatrix((0, 0, 3), (0, 0, 0), (0, 1, 0))
ASIDE = p.computeViewMatrix((1.0, 1.3, 1.1), (0, 0, 0.4), (0, 0, 1))
NARROW = p.computeProjectionMatrixFOV(30, 1, 0.1, 10)
SQUARE = {"vertices": [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)],
          "indices": [0, 1, 2, 0, 2, 3], "uvs": [(0, 0), (1, 0), (1, 1), (0, 1)],
          "normals": [(0, 0, 1)] * 4}  # fmt: skip


@pytest.fixture
def client() -> Iterator[int]:
    number = p.connect(p.DIRECT)
    p.setAdditionalSearchPath(DATA, physicsClientId=number)
    yield number
    p.disconnect(number)


def down(**more: Any) -> Any:
    """A picture of 32 x 32 pixels from above the origin."""
    return p.getCameraImage(32, 32, VIEW, NARROW, **more)


def distances(depth: Any, near: float, far: float) -> Any:
    return far * near / (far - (far - near) * depth.astype(np.float64))


def assert_alike(ours: Any, theirs: Any, near: float, far: float, factor: int = 1) -> None:
    assert ours[:2] == theirs[:2]
    assert np.mean(ours[4] != theirs[4]) <= factor * EDGE_PIXELS
    error = np.abs(distances(ours[3], near, far) - distances(theirs[3], near, far))
    assert np.mean(error > CENTIMETRE) <= factor * EDGE_PIXELS
    assert np.mean(np.abs(ours[2].astype(int) - theirs[2])) <= factor * COLOR


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_tinyrenderers(name: str) -> None:
    picture = PICTURES[name]
    theirs, ours = both(picture.take)
    assert_alike(ours, theirs, picture.near, picture.far, TURNED.get(name, 1))
    assert len(np.unique(theirs[4])) > 1


def test_arrays_have_pybullets_types_and_are_new_each_time() -> None:
    def play(side: Any) -> Any:
        first = side.getCameraImage(7, 5)
        second = side.getCameraImage(7, 5)
        assert not any(np.shares_memory(a, b) for a, b in zip(first[2:], second[2:], strict=True))
        return first

    theirs, ours = both(play)
    assert type(ours) is type(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert type(one) is type(other)
        np.testing.assert_array_equal(one, other)
    for one, other in zip(ours[2:], theirs[2:], strict=True):
        assert (one.dtype, one.shape, one.strides) == (other.dtype, other.shape, other.strides)
        assert one.flags.writeable


def test_light_settings_hold_until_they_are_stated_anew() -> None:
    sun = {"lightDirection": (1, 2, 3), "lightColor": (1, 0.6, 0.3), "lightDistance": 4.0}
    gloss = {"lightAmbientCoeff": 0.3, "lightDiffuseCoeff": 0.5, "lightSpecularCoeff": 0.4}
    calls = [{}, {"shadow": 1}, {}, sun, gloss, {"shadow": -1, "lightAmbientCoeff": -2.0},
             {"shadow": 0}, {"lightDirection": (0, 0, 1), "shadow": 1}]  # fmt: skip

    def play(side: Any) -> Any:
        side.setAdditionalSearchPath(DATA)
        side.loadURDF("plane.urdf")
        side.loadURDF("r2d2.urdf", (0, 0, 0.5))
        view = side.computeViewMatrix((1.5, 1.2, 1.0), (0, 0, 0.4), (0, 0, 1))
        projection = side.computeProjectionMatrixFOV(60, 4 / 3, 0.01, 20)
        pictures = [side.getCameraImage(80, 60, view, projection, **call) for call in calls]
        side.resetSimulation()
        side.loadURDF("plane.urdf")
        return [*pictures, side.getCameraImage(80, 60, view, projection)]

    theirs, ours = both(play)
    for one, other in zip(ours, theirs, strict=True):
        # 80 pixels wide, the checkered plane has more than 1 % of its pixels on an edge
        assert np.mean(np.abs(one[2].astype(int) - other[2])) < 4 * COLOR
    assert np.mean(ours[0][2] != ours[1][2]) > 0.01
    np.testing.assert_array_equal(ours[1][2], ours[2][2])


def test_without_matrices_the_camera_is_tinyrenderers_own() -> None:
    def play(side: Any) -> Any:
        side.setAdditionalSearchPath(DATA)
        side.loadURDF("plane.urdf")
        side.loadURDF("r2d2.urdf", (0, 0, 0.5))
        near = side.computeProjectionMatrixFOV(60, 4 / 3, 0.3, 20)
        first = side.getCameraImage(64, 48)
        second = side.getCameraImage(64, 48, viewMatrix=VIEW)
        side.getCameraImage(64, 48, VIEW, near)
        return first, second, side.getCameraImage(64, 48)  # with the planes of the last picture

    theirs, ours = both(play)
    for one, other, planes in zip(
        ours, theirs, [(0.01, 1000), (0.01, 1000), (0.3, 20)], strict=True
    ):
        assert_alike(one, other, *planes)


@pytest.mark.parametrize(
    "arguments",
    [
        (64, 48),
        (64, 48, ASIDE, p.computeProjectionMatrixFOV(60, 1, 0.1, 10)),
        (90, 48, (2, 2, 1), (0, 0, 0), (0, 0, 1), 0.1, 20),
        (120, 48, (2, 2, 1), (0, 0, 0), (0, 0, 1), 0.1, 20, 50),
        (64, 48, (0, 0, 0.3), 2, 30, -20, 5, 2, 0.1, 20, 60),
    ],
    ids=len,
)
def test_every_form_of_renderimage_gives_pybullets_colours(arguments: tuple[Any, ...]) -> None:
    def play(side: Any) -> Any:
        side.setAdditionalSearchPath(DATA)
        side.loadURDF("r2d2.urdf", (0, 0, 0.5))
        side.loadURDF("table/table.urdf", (1, 0, 0))
        return side.renderImage(*arguments)[2]  # PyBullet leaves the rest uninitialised

    theirs, ours = both(play)
    assert np.mean(np.abs(ours.astype(int) - theirs)) <= COLOR
    assert len(np.unique(theirs)) > 2


@pytest.mark.parametrize("arguments", [(), (3,), (3, 3, 3), (9, 9, *"abcdefgh")])
def test_another_number_of_arguments_for_renderimage_is_an_error(
    client: int, arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(p.error, match="number of args"):
        p.renderImage(*arguments)


def test_the_segmentation_shows_bodies_or_bodies_and_links_or_nothing(client: int) -> None:
    p.createMultiBody(0)
    arm = p.loadURDF("kuka_iiwa/model.urdf")
    view = p.computeViewMatrix((2, 2, 1), (0, 0, 0.6), (0, 0, 1))
    projection = p.computeProjectionMatrixFOV(60, 1, 0.1, 10)
    plain = p.getCameraImage(64, 64, view, projection)[4]
    assert np.unique(plain).tolist() == [-1, arm]
    flag = p.ER_SEGMENTATION_MASK_OBJECT_AND_LINKINDEX
    links = p.getCameraImage(64, 64, view, projection, flags=flag)[4]
    found = np.unique(links[links >= 0])
    assert (found & 0xFFFFFF == arm).all()
    assert set((found >> 24) - 1) == set(range(-1, p.getNumJoints(arm)))
    np.testing.assert_array_equal(plain >= 0, links >= 0)
    without = p.getCameraImage(64, 64, view, projection, flags=p.ER_NO_SEGMENTATION_MASK | flag)
    assert not without[4].any()


def test_pictures_follow_what_happens_to_bodies(client: int) -> None:
    shape = p.createVisualShape(p.GEOM_BOX, halfExtents=(0.2, 0.2, 0.2), rgbaColor=(1, 0, 0, 1))
    box = p.createMultiBody(1, -1, shape)
    assert down()[4][16, 16] == box
    p.resetBasePositionAndOrientation(box, (0.5, 0, 0), (0, 0, 0, 1))
    assert down()[4][16, 16] == -1
    p.resetBasePositionAndOrientation(box, (0, 0, 0), (0, 0, 0, 1))
    p.setGravity(0, -10, 0)
    for _ in range(120):
        p.stepSimulation()
    assert down()[4][16, 16] == -1
    other = p.createMultiBody(0, -1, shape)
    assert down()[4][16, 16] == other
    p.changeVisualShape(other, -1, rgbaColor=(0, 0, 1, 1))
    assert down()[2][16, 16, 0] == 0
    p.removeBody(other)
    assert down()[4][16, 16] == -1
    p.resetSimulation()
    assert (down()[4] == -1).all()
    again = p.createMultiBody(0, -1, p.createVisualShape(p.GEOM_SPHERE, radius=0.3))
    assert down()[4][16, 16] == again


def test_a_body_is_drawn_where_its_link_is_and_not_its_mass_centre() -> None:
    def play(side: Any) -> Any:
        shape = side.createVisualShape(side.GEOM_BOX, halfExtents=(0.2, 0.1, 0.1))
        side.createMultiBody(
            1, -1, shape, (0.1, 0, 0), baseInertialFramePosition=(0.2, 0.1, 0),
            baseInertialFrameOrientation=side.getQuaternionFromEuler((0, 0, 0.4)),
        )  # fmt: skip
        return side.getCameraImage(32, 32, VIEW, NARROW)

    theirs, ours = both(play)
    assert_alike(ours, theirs, 0.1, 10)
    assert (theirs[4] == 0).sum() > 20


def test_textures_of_files_and_of_scripts_show(client: int, tmp_path: Path) -> None:
    file = tmp_path / "tile.png"
    Image.fromarray(np.array([[[255, 0, 0]], [[0, 255, 0]]], np.uint8)).save(file)
    body = visual(p, (0, 0, 0), shapeType=p.GEOM_MESH, **SQUARE)
    p.changeVisualShape(body, -1, textureUniqueId=p.loadTexture(str(file)))
    seen = down()[2]
    assert (seen[8, 16, :3] > 0).tolist() == [True, False, False]  # the image's top is at v = 1
    assert (seen[24, 16, :3] > 0).tolist() == [False, True, False]
    p.changeTexture(0, [0, 0, 255] * 6, 3, 2)
    assert (down()[2][8, 16, :3] > 0).tolist() == [False, False, True]
    p.changeTexture(0, [], 0, 0)
    assert (down()[2][8, 16, :3] > 0).all()
    p.changeVisualShape(body, -1, textureUniqueId=-1, rgbaColor=(0, 1, 0, 1))
    assert (down()[2][8, 16, :3] > 0).tolist() == [False, True, False]


def test_a_texture_that_cannot_be_read_is_left_out_and_named(
    client: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "torn.png"
    Image.new("RGB", (64, 64)).save(file)
    file.write_bytes(file.read_bytes()[:70])
    body = visual(p, (0, 0, 0), shapeType=p.GEOM_MESH, **SQUARE)
    p.changeVisualShape(body, -1, textureUniqueId=p.loadTexture(str(file)))
    assert (down()[2][16, 16, :3] > 0).all()
    down()
    assert capfd.readouterr().err.count("torn.png") == 1


def test_double_sided_shapes_show_from_behind(client: int) -> None:
    body = visual(p, (0, 0, 0), (math.pi, 0, 0), shapeType=p.GEOM_MESH, **SQUARE)
    assert down()[4][16, 16] == -1
    p.changeVisualShape(body, -1, flags=p.VISUAL_SHAPE_DOUBLE_SIDED)
    assert down()[4][16, 16] == body
    p.changeVisualShape(body, -1, flags=0)
    assert down()[4][16, 16] == -1


def test_a_projective_texture_lies_on_everything_as_seen_from_the_projector(client: int) -> None:
    body = visual(p, (0, 0, 0), (0, 0.8, 0), shapeType=p.GEOM_MESH, **SQUARE)
    p.changeVisualShape(body, -1, textureUniqueId=p.loadTexture("checker_huge.gif"))
    flag = p.ER_USE_PROJECTIVE_TEXTURE
    seen = down(flags=flag)[2][:, :, 0].astype(int)
    # from the camera itself the pattern repeats in the image, whatever the surface
    inside = down()[4] == body
    halves = np.abs(seen[:, :16] - seen[:, 16:])[inside[:, :16] & inside[:, 16:]]
    assert np.mean(halves <= 1) > 0.8  # all but those on the edge of a square
    assert np.ptp(seen[inside]) > 50
    away = p.computeViewMatrix((1, 2, 3), (0, 0, 0), (0, 1, 0))
    moved = down(flags=flag, projectiveTextureView=away, projectiveTextureProj=NARROW)[2]
    assert np.mean(moved[:, :, 0] != seen) > 0.1


def test_with_the_window_transparent_colours_let_through_what_is_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UNIBODY_VIEWER", "off")
    window = p.connect(p.GUI)
    try:
        visual(p, (0, 0, 0.5), shapeType=p.GEOM_MESH, rgbaColor=(1, 0, 0, 0.5), **SQUARE)
        visual(p, (0, 0, 0), shapeType=p.GEOM_MESH, rgbaColor=(0, 0, 1, 1), **SQUARE)
        p.configureDebugVisualizer(rgbBackground=(0, 1, 0))
        solid, mixed = down(), down(renderer=p.ER_BULLET_HARDWARE_OPENGL)
        assert solid[2][16, 16, 2] == 0
        assert mixed[2][16, 16, 0] == pytest.approx(mixed[2][16, 16, 2], abs=1)
        p.resetSimulation()
        empty = down(renderer=p.ER_BULLET_HARDWARE_OPENGL)
        assert empty[2][0, 0].tolist() == [0, 255, 0, 255]
    finally:
        p.disconnect(window)


def test_an_image_without_pixels_is_empty(client: int) -> None:
    assert [array.shape for array in p.getCameraImage(0, 5)[2:]] == [(5, 0, 4), (5, 0), (5, 0)]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"width": -1}, "width"),
        ({"height": 1 << 20, "width": 1 << 20}, "pixels"),
        ({"physicsClientId": 5}, "Not connected"),
    ],
)
def test_an_argument_that_does_not_fit_is_named(
    client: int, arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(p.error, match=named):
        p.getCameraImage(**{"width": 4, "height": 4, **arguments})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("viewMatrix", [1.0] * 15),
        ("projectionMatrix", np.eye(4)),
        ("viewMatrix", "sixteen letters!"),
        ("lightDirection", (1, 2)),
        ("lightColor", 3),
        ("projectiveTextureView", ()),
    ],
)
def test_numbers_that_cannot_be_read_are_named_and_passed_over(
    client: int, name: str, value: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    plain, found = p.getCameraImage(4, 4), p.getCameraImage(4, 4, **{name: value})
    assert np.array_equal(plain[4], found[4])
    assert f"getCameraImage passes over {name}=" in capfd.readouterr().err


def test_what_is_no_renderer_is_named_and_passed_over(
    client: int, capfd: pytest.CaptureFixture[str]
) -> None:
    visual(p, (0, 0, 0), shapeType=p.GEOM_SPHERE, radius=0.4)
    np.testing.assert_array_equal(down(renderer=p.COV_ENABLE_TINY_RENDERER)[2], down()[2])
    down(renderer=0)
    said = capfd.readouterr().err
    assert said.count("passes over renderer=12") == 1
    assert "renderer=0" not in said


def test_numbers_of_another_type_are_a_type_error(client: int) -> None:
    for wrong in ({"width": 4.5}, {"shadow": "yes"}, {"lightDistance": "far"}):
        with pytest.raises(TypeError):
            p.getCameraImage(**{"width": 4, "height": 4, **wrong})


def test_a_refused_picture_changes_no_light(client: int) -> None:
    visual(p, (0, 0, 0), shapeType=p.GEOM_SPHERE, radius=0.4)
    before = down()[2]
    with pytest.raises(p.error):
        p.getCameraImage(1 << 20, 1 << 20, lightAmbientCoeff=0.1)
    np.testing.assert_array_equal(down()[2], before)


def test_matrices_that_are_no_cameras_give_an_empty_picture(client: int) -> None:
    visual(p, (0, 0, 0), shapeType=p.GEOM_SPHERE, radius=0.4)
    for value in (0.0, 1e30, float("nan"), float("inf")):
        picture = p.getCameraImage(9, 9, [value] * 16, [value] * 16, shadow=1)
        assert (picture[4] == -1).all()
        assert (picture[2] == 255).all()


def test_no_graphics_library_is_loaded() -> None:
    code = (
        "import unibody.bullet as p; p.connect(p.DIRECT)\n"
        "p.createMultiBody(0, p.createCollisionShape(p.GEOM_BOX, halfExtents=(1, 1, 1)))\n"
        "p.getCameraImage(16, 16, shadow=1)\n"
        "print(open('/proc/self/maps').read().lower())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    for library in ("libgl.", "libegl", "libopengl", "osmesa", "libvulkan"):
        assert library not in done.stdout


def test_a_picture_of_two_hundred_links_keeps_them_apart(client: int) -> None:
    # the link's number wraps around in the 8 bits above the body's, as in PyBullet
    count = 160
    shape = p.createVisualShape(p.GEOM_SPHERE, radius=0.05)
    chain = p.createMultiBody(
        0, -1, -1, (-1, 0, 0), linkMasses=[1] * count, linkCollisionShapeIndices=[-1] * count,
        linkVisualShapeIndices=[shape] * count, linkPositions=[(0.012, 0, 0)] * count,
        linkOrientations=[(0, 0, 0, 1)] * count, linkInertialFramePositions=[(0, 0, 0)] * count,
        linkInertialFrameOrientations=[(0, 0, 0, 1)] * count,
        linkParentIndices=list(range(count)), linkJointTypes=[p.JOINT_FIXED] * count,
        linkJointAxis=[(0, 0, 1)] * count,
    )  # fmt: skip
    flag = p.ER_SEGMENTATION_MASK_OBJECT_AND_LINKINDEX
    wide = p.computeProjectionMatrixFOV(50, 1, 0.1, 10)
    picture = p.getCameraImage(200, 200, VIEW, wide, flags=flag)[4]
    assert (np.unique(picture) < -1).any()
    assert np.unique(p.getCameraImage(200, 200, VIEW, wide)[4]).tolist() == [-1, chain]


def test_a_mirrored_mesh_is_drawn_as_tinyrenderer_draws_it() -> None:
    scene = PictureOf(
        lambda side: visual(side, (0, 0, 0), shapeType=side.GEOM_MESH, fileName="duck.obj",
                            meshScale=(0.6, -0.6, 0.6)),
        (120, 90),
    )  # fmt: skip
    theirs, ours = both(scene.take)
    assert_alike(ours, theirs, scene.near, scene.far)


def test_a_light_from_nowhere_leaves_everything_black_as_in_pybullet() -> None:
    def play(side: Any) -> Any:
        side.setAdditionalSearchPath(DATA)
        side.loadURDF("r2d2.urdf")
        return side.getCameraImage(32, 32, ASIDE, NARROW, lightDirection=(0, 0, 0), shadow=1)

    theirs, ours = both(play)
    np.testing.assert_array_equal(ours[2], theirs[2])
    assert not ours[2][ours[4] >= 0][:, :3].any()


HEIGHTS = [[0.0, 0.3, 0.1, 0.6], [0.2, 0.0, 0.5, 0.1], [0.4, 0.1, 0.2, 0.0]]


@pytest.mark.parametrize("form", ["in memory", "text", "square text", "image"])
def test_a_height_field_that_is_longer_one_way_lies_as_in_pybullet(
    form: str, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"fileName": str(tmp_path / "heights.txt")}
    # PyBullet cuts off the last character of a line
    lines = [",".join(map(str, row)) + "," for row in HEIGHTS]
    if form == "square text":
        lines.append("0.1,0.5,0.3,0.2,")
    (tmp_path / "heights.txt").write_text("\n".join(lines) + "\n")
    if form == "in memory":
        flat = [height for row in HEIGHTS for height in row]
        given = {"heightfieldData": flat, "numHeightfieldRows": 4, "numHeightfieldColumns": 3}
    elif form == "image":
        given = {"fileName": str(tmp_path / "heights.png")}
        grey = np.round(255 * np.array(HEIGHTS)).astype(np.uint8)
        Image.fromarray(np.repeat(grey[..., None], 3, axis=2)).save(tmp_path / "heights.png")

    def play(side: Any) -> Any:
        shape = side.createCollisionShape(side.GEOM_HEIGHTFIELD, meshScale=(0.3, 0.4, 1), **given)
        body = side.createMultiBody(0, shape)
        return side.getCameraImage(48, 48, ASIDE, NARROW), side.getAABB(body)

    theirs, ours = both(play)
    assert_alike(ours[0], theirs[0], 0.1, 10)
    assert np.array(ours[1]) == pytest.approx(np.array(theirs[1]), abs=1e-6)


def test_with_the_egl_plugin_opengl_draws_where_it_is_asked_for(
    client: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unibody.core.render.gl import GLRenderer
    from unibody.errors import NotSupportedError

    try:
        GLRenderer().close()
    except NotSupportedError as problem:
        pytest.skip(str(problem))
    monkeypatch.setenv("UNIBODY_RENDERER", "gl")
    p.loadURDF("r2d2.urdf")
    plain = p.getCameraImage(64, 64, ASIDE, NARROW)
    p.loadPlugin("eglRendererPlugin")
    same = p.getCameraImage(64, 64, ASIDE, NARROW, renderer=p.ER_TINY_RENDERER)
    other = p.getCameraImage(64, 64, ASIDE, NARROW)
    np.testing.assert_array_equal(same[2], plain[2])
    assert np.mean(other[4] != plain[4]) <= 10 * EDGE_PIXELS
    assert np.mean(np.abs(other[3] - plain[3]) > 1e-4) <= 10 * EDGE_PIXELS
    assert (other[2] != plain[2]).any()  # the gloss of OpenGL follows the viewer
