"""Visual and collision shape data, textures and shape arrays, against PyBullet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pybullet_data
import pytest

import unibody.bullet as p
from tests.bullet.paired import both, connected
from unibody.bullet.clients.registry import get_client
from unibody.core.assets.images import image_size
from unibody.core.assets.limits import Limits
from unibody.errors import AssetError

DATA = pybullet_data.getDataPath()
# Frames go through Bullet's conversions between quaternions and matrices, in float64.
FRAME_TOLERANCE = 1e-9
IN_FILES = (
    "plane.urdf", "r2d2.urdf", "cube.urdf", "table/table.urdf", "kuka_iiwa/model.urdf",
    "laikago/laikago.urdf", "racecar/racecar.urdf", "duck_vhacd.urdf", "samurai.urdf",
    "franka_panda/panda.urdf", "a1/a1.urdf", "differential/diff_ring.urdf", "husky/husky.urdf",
    "quadruped/minitaur.urdf", "tray/tray.urdf",
)  # fmt: skip
FLAGS = {
    "kuka_iiwa/model.urdf": p.URDF_USE_INERTIA_FROM_FILE,
    "r2d2.urdf": p.URDF_USE_IMPLICIT_CYLINDER,
    "sphere2.urdf": p.URDF_IGNORE_VISUAL_SHAPES,
    "duck_vhacd.urdf": p.URDF_USE_MATERIAL_COLORS_FROM_MTL
    | p.URDF_USE_MATERIAL_TRANSPARANCY_FROM_MTL,
    "table/table.urdf": p.URDF_USE_MATERIAL_COLORS_FROM_MTL,
    "cube.urdf": p.URDF_GOOGLEY_UNDEFINED_COLORS,
}
TETRAHEDRON = {
    "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "indices": [0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3],
}
SHAPES: dict[str, dict[str, Any]] = {
    "sphere": {"shapeType": p.GEOM_SPHERE, "radius": 0.3},
    "box": {"shapeType": p.GEOM_BOX, "halfExtents": [0.1, 0.2, 0.3]},
    "capsule": {"shapeType": p.GEOM_CAPSULE, "radius": 0.1, "height": 0.4},
    "cylinder": {"shapeType": p.GEOM_CYLINDER, "radius": 0.1, "height": 0.4},
    "plane": {"shapeType": p.GEOM_PLANE},
    "mesh": {"shapeType": p.GEOM_MESH, "fileName": "duck.obj", "meshScale": [0.1, 0.2, 0.3]},
    "vertices": {"shapeType": p.GEOM_MESH, **TETRAHEDRON},
}


@pytest.fixture
def client() -> Iterator[int]:
    number = p.connect(p.DIRECT)
    p.setAdditionalSearchPath(DATA, physicsClientId=number)
    yield number
    p.disconnect(number)


def assert_rows_equal(ours: Any, theirs: Any) -> None:
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert len(mine) == len(other)
        for one, two in zip(mine, other, strict=True):
            if isinstance(two, tuple):
                assert one == pytest.approx(two, abs=FRAME_TOLERANCE)
            else:
                assert one == two


def collision_rows(side: Any, body: int) -> list[Any]:
    """All links' rows; PyBullet fills in the ids of the first shape of a link alone."""
    return [
        (link, *row[2:])
        for link in range(-1, side.getNumJoints(body))
        for row in side.getCollisionShapeData(body, link)
    ]


def load(name: str, flags: int) -> Callable[[Any], tuple[Any, Any]]:
    def play(side: Any) -> tuple[Any, Any]:
        side.setAdditionalSearchPath(DATA)
        body = side.loadURDF(name, flags=flags)
        return side.getVisualShapeData(body, 1), collision_rows(side, body)

    return play


@pytest.mark.parametrize("name", IN_FILES)
def test_the_shapes_of_a_file_are_described_as_pybullet_describes_them(name: str) -> None:
    theirs, ours = both(load(name, 0))
    assert_rows_equal(ours[0], theirs[0])
    assert_rows_equal(ours[1], theirs[1])


@pytest.mark.parametrize("name", FLAGS)
def test_flags_change_the_description_as_in_pybullet(name: str) -> None:
    theirs, ours = both(load(name, FLAGS[name]))
    assert_rows_equal(ours[0], theirs[0])
    assert_rows_equal(ours[1], theirs[1])


@pytest.mark.parametrize("name", SHAPES)
def test_a_made_body_is_described_as_pybullet_describes_it(name: str) -> None:
    sizes = SHAPES[name]
    visual = {"length" if key == "height" else key: value for key, value in sizes.items()}

    def play(side: Any) -> Any:
        side.setAdditionalSearchPath(DATA)
        collision_id = side.createCollisionShape(
            collisionFramePosition=[1, 2, 3], collisionFrameOrientation=[0, 0, 1, 1], **sizes
        )
        visual_id = side.createVisualShape(
            visualFramePosition=[1, 2, 3], visualFrameOrientation=[0, 0, 1, 1],
            rgbaColor=[0.1, 0.2, 0.3, 0.4], **visual,
        )  # fmt: skip
        seen = side.createMultiBody(0, collision_id, visual_id, baseInertialFramePosition=[1, 0, 0])
        unseen = side.createMultiBody(0, collision_id)
        bodies = (seen, unseen)
        looks = [row for body in bodies for row in side.getVisualShapeData(body, 1)]
        return looks, [row for body in bodies for row in collision_rows(side, body)]

    theirs, ours = both(play)
    assert_rows_equal(ours[0], theirs[0])
    assert_rows_equal(ours[1], theirs[1])


@pytest.mark.parametrize("flags", [0, 512])  # MJCF_COLORS_FROM_FILE
def test_colours_of_an_mjcf_file_are_taken_if_a_flag_says_so(flags: int) -> None:
    def play(side: Any) -> Any:
        side.setAdditionalSearchPath(DATA)
        bodies = side.loadMJCF("mjcf/humanoid.xml", flags=flags)
        return [row[7] for body in bodies for row in side.getVisualShapeData(body)]

    theirs, ours = both(play)
    assert ours == theirs
    assert ((1.0, 1.0, 1.0, 1.0) in ours) is (flags == 0)


def test_a_tilted_plane_is_described_by_its_normal(client: int) -> None:
    plane = p.createCollisionShape(p.GEOM_PLANE, planeNormal=[1, 0, 0], physicsClientId=client)
    body = p.createMultiBody(0, plane, physicsClientId=client)
    (row,) = p.getCollisionShapeData(body, -1, physicsClientId=client)
    assert row[3] == pytest.approx((1, 0, 0), abs=FRAME_TOLERANCE)
    assert row[6] == (0.0, 0.0, 0.0, 1.0)


def arrays(side: Any) -> tuple[int, int]:
    kinds = [side.GEOM_SPHERE, side.GEOM_BOX, side.GEOM_CYLINDER, side.GEOM_CAPSULE, side.GEOM_MESH]
    sizes = {
        "radii": [0.1, 0.2, 0.3, 0.4, 0.5],
        "lengths": [0.1, 0.2, 0.3, 0.4, 0.5],
        "halfExtents": [[1, 1, 1], [0.1, 0.2, 0.3], [1, 1, 1], [1, 1, 1], [1, 1, 1]],
        "fileNames": ["", "", "", "", "duck.obj"],
        "meshScales": [[1, 1, 1]] * 4 + [[0.1, 0.1, 0.1]],
    }
    places = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0]]
    turns = [[0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 1], [0, 0, 0, 1]]
    collision = side.createCollisionShapeArray(
        kinds, collisionFramePositions=places, collisionFrameOrientations=turns, **sizes
    )
    colors = [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 1]]
    visual = side.createVisualShapeArray(
        kinds, rgbaColors=colors, visualFramePositions=places, visualFrameOrientations=turns,
        **sizes,
    )  # fmt: skip
    return collision, visual


def test_a_body_of_a_shape_array_has_all_its_shapes() -> None:
    def play(side: Any) -> Any:
        side.setAdditionalSearchPath(DATA)
        body = side.createMultiBody(1, *arrays(side))
        return side.getVisualShapeData(body, 1), collision_rows(side, body)

    theirs, ours = both(play)
    assert_rows_equal(ours[0], theirs[0])
    assert_rows_equal(ours[1], theirs[1])


def test_a_body_of_a_shape_array_has_pybullets_inertia() -> None:
    def play(side: Any) -> Any:
        side.setAdditionalSearchPath(DATA)
        kinds = [side.GEOM_SPHERE, side.GEOM_BOX]
        shape = side.createCollisionShapeArray(
            kinds, radii=[1, 1], halfExtents=[[1, 1, 1], [1, 2, 3]],
            collisionFramePositions=[[0, 0, 0], [1, 0, 0]],
        )  # fmt: skip
        return side.getDynamicsInfo(side.createMultiBody(2.0, shape), -1)[2]

    theirs, ours = both(play)
    assert ours == pytest.approx(theirs, rel=1e-9)  # the same formula in the same precision


@pytest.mark.parametrize("name", ["createCollisionShapeArray", "createVisualShapeArray"])
@pytest.mark.parametrize(
    ("kinds", "lists", "problem"),
    [
        ([], {}, "shapeTypes is empty"),
        ([p.GEOM_SPHERE], {}, "radii is missing, shape 0 needs one"),
        ([p.GEOM_SPHERE] * 2, {"radii": [1]}, "radii has 1 entries, shape 1 needs one"),
        ([p.GEOM_SPHERE], {"radii": [0]}, "radius 0.0"),
        ([p.GEOM_MESH], {"fileNames": ["nothing.obj"]}, "nothing.obj"),
        ([99], {}, "failed"),
    ],
)
def test_a_shape_array_that_cannot_be_made_is_refused_with_the_reason(
    client: int, name: str, kinds: list[int], lists: dict[str, Any], problem: str
) -> None:
    with pytest.raises(p.error, match=problem):
        getattr(p, name)(kinds, physicsClientId=client, **lists)
    assert get_client(client).collision_shapes.get(0) is None
    assert get_client(client).visual_shapes.get(0) is None


def test_a_changed_colour_is_read_back_as_in_pybullet() -> None:
    def play(side: Any) -> Any:
        side.setAdditionalSearchPath(DATA)
        robot = side.loadURDF("r2d2.urdf")
        side.changeVisualShape(robot, 2, rgbaColor=[0.9, 0.8, 0.7, 0.6])
        side.changeVisualShape(robot, 3, rgbaColor=[1, 1])
        side.changeVisualShape(robot, 99, rgbaColor=[1, 0, 0, 1])
        side.changeVisualShape(77, -1, rgbaColor=[1, 0, 0, 1])
        side.resetVisualShapeData(robot, 4, rgbaColor=[0.1, 0.2, 0.3, 1])
        return side.getVisualShapeData(robot)

    theirs, ours = both(play)
    assert_rows_equal(ours, theirs)


def test_a_shape_index_changes_that_shape_alone(client: int) -> None:
    table = p.loadURDF("table/table.urdf", physicsClientId=client)
    p.changeVisualShape(table, -1, shapeIndex=1, rgbaColor=[1, 0, 0, 1], physicsClientId=client)
    colors = [row[7] for row in p.getVisualShapeData(table, physicsClientId=client)]
    assert [color == (1.0, 0.0, 0.0, 1.0) for color in colors] == [False, True, False, False, False]


def test_gloss_and_sides_of_a_shape_are_kept_for_drawing(client: int) -> None:
    body = p.loadURDF("cube.urdf", physicsClientId=client)
    p.changeVisualShape(
        body, -1, specularColor=[0.1, 0.2, 0.3], flags=p.VISUAL_SHAPE_DOUBLE_SIDED,
        physicsClientId=client,
    )  # fmt: skip
    (look,) = get_client(client).looks[body]
    assert look.specular == (0.1, 0.2, 0.3)
    assert look.double_sided


def test_one_of_two_copies_of_a_robot_changes_its_colour_alone(client: int) -> None:
    first = p.loadURDF("cube.urdf", physicsClientId=client)
    second = p.loadURDF("cube.urdf", physicsClientId=client)
    p.changeVisualShape(first, -1, rgbaColor=[1, 0, 0, 1], physicsClientId=client)
    assert p.getVisualShapeData(second, physicsClientId=client)[0][7] == (1.0, 1.0, 1.0, 1.0)


def test_textures_are_numbered_as_pybullet_numbers_them() -> None:
    def play(side: Any) -> Any:
        side.setAdditionalSearchPath(DATA)
        before = side.loadTexture("tex256.png")
        robot = side.loadURDF("laikago/laikago.urdf")
        after = side.loadTexture("tex256.png")
        side.resetSimulation()
        last = side.loadTexture("tex256.png")
        return before, after, last, robot

    theirs, ours = both(play)
    assert ours == theirs


def test_a_texture_is_put_on_and_taken_off(client: int) -> None:
    body = p.loadURDF("cube.urdf", physicsClientId=client)
    texture = p.loadTexture("tex256.png", physicsClientId=client)
    numbers = []
    for number in (texture, 99, texture, -1):  # 99 does not exist
        p.changeVisualShape(body, -1, textureUniqueId=number, physicsClientId=client)
        numbers.append(p.getVisualShapeData(body, 1, physicsClientId=client)[0][8])
    assert numbers == [texture, -1, texture, -1]


def test_a_texture_takes_new_pixels(client: int) -> None:
    texture = p.loadTexture("tex256.png", physicsClientId=client)
    p.changeTexture(texture, [0, 128, 255] * 6, 3, 2, physicsClientId=client)
    kept = get_client(client).textures[texture]
    assert (kept.width, kept.height, kept.pixels) == (3, 2, bytes([0, 128, 255] * 6))


@pytest.mark.parametrize(
    ("texture", "pixels", "width", "message"),
    [
        (99, [0] * 12, 2, "Error processing changeTexture."),
        (-1, [0] * 12, 2, "Error: invalid arguments in changeTexture."),
        (0, [0] * 12, -2, "Error: invalid arguments in changeTexture."),
    ],
)
def test_pixels_that_cannot_be_taken_are_refused_as_in_pybullet(
    texture: int, pixels: list[int], width: int, message: str
) -> None:
    def play(side: Any) -> str:
        side.setAdditionalSearchPath(DATA)
        side.loadTexture("tex256.png")
        with pytest.raises((pybullet.error, p.error)) as raised:
            side.changeTexture(texture, pixels, width, 2)
        return str(raised.value)

    theirs, ours = both(play)
    assert ours == theirs == message


def test_too_few_pixels_are_refused(client: int) -> None:
    texture = p.loadTexture("tex256.png", physicsClientId=client)
    with pytest.raises(p.error, match="11 values, 12 needed"):
        p.changeTexture(texture, [0] * 11, 2, 2, physicsClientId=client)


@pytest.mark.parametrize("name", ["nothing.png", "plane.urdf"])
def test_a_file_that_is_no_image_is_no_texture(client: int, name: str) -> None:
    with pytest.raises(p.error, match=r"^Error loading texture\."):
        p.loadTexture(name, physicsClientId=client)
    assert get_client(client).textures == []


def test_every_image_of_pybullet_data_has_the_size_that_its_pixels_have() -> None:
    image = pytest.importorskip("PIL.Image")
    files = [file for file in Path(DATA).rglob("*") if file.suffix in (".png", ".jpg", ".tga")]
    assert len(files) > 20
    for file in files:
        with image.open(file) as opened:
            assert image_size(str(file)) == opened.size, file


def test_an_image_with_too_many_pixels_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "large.pgm"
    file.write_bytes(b"P5 100 100 255\n")
    with pytest.raises(AssetError, match="100 x 100 pixels, the limit is 9999 in all"):
        image_size(str(file), Limits(texture_pixels=9999))


def test_an_image_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "large.pgm"
    file.write_bytes(b"P5 100 100 255\n")
    with pytest.raises(AssetError, match="15 bytes, larger than the limit of 14 bytes"):
        image_size(str(file), Limits(texture_bytes=14))


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"BM", b"GIF89a"])
def test_a_cut_off_image_is_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "image.png"
    file.write_bytes(data)
    with pytest.raises(AssetError, match="is not a PNG, JPEG, BMP, GIF, TGA, PPM or PGM image"):
        image_size(str(file))


def test_no_body_has_no_visual_shapes_and_no_collision_shapes() -> None:
    def play(side: Any) -> Any:
        with pytest.raises((pybullet.error, p.error)) as raised:
            side.getCollisionShapeData(3, -1)
        return side.getVisualShapeData(3), str(raised.value)

    theirs, ours = both(play)
    assert ours == theirs


def test_a_world_of_thousands_of_bodies_that_do_not_move_steps(client: int) -> None:
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1] * 3, physicsClientId=client)
    places = [[x * 0.5, y * 0.5, z * 0.5] for x in range(32) for y in range(32) for z in range(4)]
    p.createMultiBody(0, box, batchPositions=places, physicsClientId=client)
    p.stepSimulation(physicsClientId=client)
    assert get_client(client).world.data.time > 0.0


@pytest.mark.parametrize("file", ["missing.obj", "plane.urdf"])
def test_a_visual_shape_without_a_usable_mesh_is_there_and_shows_nothing(file: str) -> None:
    def rows(side: Any) -> Any:
        side.setAdditionalSearchPath(pybullet_data.getDataPath())
        shape = side.createVisualShape(side.GEOM_MESH, fileName=file, rgbaColor=[1, 0, 0, 1])
        return side.getVisualShapeData(side.createMultiBody(0, -1, shape))

    theirs, ours = both(rows)
    assert ours == theirs
    with connected(p):
        rows(p)
        view = p.computeViewMatrix([0, -3, 0], [0, 0, 0], [0, 0, 1])
        lens = p.computeProjectionMatrixFOV(60, 1, 0.1, 10)
        assert (np.array(p.getCameraImage(32, 32, view, lens)[4]) == -1).all()
