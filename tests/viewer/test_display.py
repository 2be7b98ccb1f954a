"""The viewer from code: worlds from arrays, lines, keys and mouse."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("viser")

from tests.viewer.videos import frames_of
from unibody.core.assets.description import MeshSource, Shape, ShapeKind
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import load_urdf
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.scene.scene import Scene
from unibody.core.render.mesh import make_mesh
from unibody.core.render.visual_shapes import VisualShape
from unibody.errors import InvalidArgumentError
from unibody.viewer.display import ActionEvent, Display
from unibody.viewer.groups import grid_offsets

UP = (1.0, 0.0, 0.0, 0.0)
BOX = VisualShape(0, Shape(ShapeKind.BOX, (0.5, 0.5, 0.5)), (1.0, 0.0, 0.0, 1.0))
URDF = """<robot name="two"><link name="base">
<visual><geometry><box size="1 1 1"/></geometry></visual>
<collision><geometry><sphere radius="0.5"/></geometry></collision>
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link></robot>"""


@pytest.fixture
def display():
    display = Display(port=0)
    yield display
    display.close()


def shown(display):
    """Positions of all instances on the page."""
    display.viewer.start_recording()  # as good as a page
    display.draw(0.1)
    groups = display.viewer._stage._groups.values()
    return np.concatenate([group._sent[0] for group in groups])


def test_worlds_stand_at_their_offsets(display):
    offsets = grid_offsets(4, 2.0)
    group = display.add_parts([BOX], 1, offsets)
    display.update(group, np.full((4, 1, 3), 0.25), np.tile(UP, (4, 1, 1)))
    np.testing.assert_allclose(shown(display), offsets + 0.25)
    assert sorted(map(tuple, offsets[:, :2])) == [(-1, -1), (-1, 1), (1, -1), (1, 1)]


def test_poses_may_come_as_positions_and_xyzw(display):
    part = VisualShape(0, Shape(ShapeKind.BOX, (1.0, 1.0, 1.0)))
    group = display.add_parts([part], 2, np.zeros((2, 3)))
    poses = np.zeros((4, 7))
    poses[:, 0] = [1.0, 2.0, 3.0, 4.0]
    poses[:, 3:] = (0.0, 0.0, 1.0, 0.0)  # half a turn about z
    display.update_poses(group, poses)
    np.testing.assert_allclose(shown(display)[:, 0], [1.0, 3.0])  # frame 0 of either world
    (sent,) = display.viewer._stage._groups.values()
    np.testing.assert_allclose(sent._sent[1], [(0.0, 0.0, 0.0, 1.0)] * 2)


def test_a_scene_is_shown_with_its_visual_or_its_collision_shapes(display, tmp_path):
    (tmp_path / "two.urdf").write_text(URDF)
    scene = Scene()
    search = SearchPath((), confined=False)
    asset = load_urdf(str(tmp_path / "two.urdf"), search_path=search)
    scene.add(7, asset, BodyOptions(fixed=True))
    group = display.add_scene(scene)
    solid = display.add_scene(scene, [[3.0, 0.0, 0.0]], collisions=True)
    assert [part.shape.kind for part in group.parts] == [ShapeKind.BOX]
    assert [part.shape.kind for part in solid.parts] == [ShapeKind.SPHERE]
    assert group.parts[0].owner == (7, 0)
    data = scene.world.data
    display.update(group, data.xpos, data.xquat)
    display.update(solid, data.xpos, data.xquat)
    assert sorted(shown(display)[:, 0]) == [0.0, 3.0]


def test_a_group_that_is_removed_leaves_the_others_in_place(display):
    first = display.add_parts([BOX], 1)
    second = display.add_parts([BOX], 1)
    display.update(second, [[5.0, 0.0, 0.0]], [UP])
    display.remove(first)
    np.testing.assert_allclose(shown(display), [[5.0, 0.0, 0.0]])
    display.update(second, [[6.0, 0.0, 0.0]], [UP])
    np.testing.assert_allclose(shown(display), [[6.0, 0.0, 0.0]])


def test_one_world_can_have_a_colour_of_its_own(display, tmp_path):
    group = display.add_parts([BOX], 1, [[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]])
    display.set_color(group, (0.0, 1.0, 0.0), world=1)
    display.look_at((0.0, -3.0, 0.0), (0.0, 0.0, 0.0))
    display.write_image(tmp_path / "boxes.png", 160, 120)
    image = np.asarray(Image.open(tmp_path / "boxes.png")).astype(int)
    red = np.argwhere((image[..., 0] > 100) & (image[..., 1] < 60))
    green = np.argwhere((image[..., 1] > 100) & (image[..., 0] < 60))
    assert len(red) > 200
    assert len(green) > 200
    assert red[:, 1].max() < green[:, 1].min()


def test_lines_stay_until_they_are_cleared(display, tmp_path):
    display.look_at((0.0, -3.0, 0.0), (0.0, 0.0, 0.0))
    display.draw_lines([[-1, 0, 0]], [[1, 0, 0]], [1, 0, 0], width=3, owner="a")
    display.draw_lines(np.zeros((2, 3)), [[0, 0, 1], [0, 0, -1]], [[0, 1, 0], [0, 0, 1]], owner="b")

    def colors():
        display.write_image(tmp_path / "lines.png", 120, 90)
        image = np.asarray(Image.open(tmp_path / "lines.png")).astype(int)
        return [bool(np.any(np.abs(image - 255 * np.eye(3, dtype=int)[k]).max(axis=-1) < 10))
                for k in range(3)]  # fmt: skip

    assert colors() == [True, True, True]
    display.clear_lines("b")
    assert colors() == [True, False, False]
    display.clear_lines()
    assert colors() == [False, False, False]


def test_events_come_under_the_names_they_were_subscribed_with(display):
    display.subscribe_key("Escape", "quit")
    display.subscribe_key("W", "forward")
    display.subscribe_mouse("left", "shoot")
    display.subscribe_mouse("wheel", "zoom")
    display.subscribe_mouse("move", "aim")
    take = display.viewer.inputs.take
    take({"type": "keydown", "key": "w", "page": "1"})
    take({"type": "keydown", "key": "q", "page": "1"})
    assert display.poll_events() == [("forward", 1.0)]
    assert display.poll_events() == []
    take({"type": "keyup", "key": "w", "page": "1"})
    take({"type": "mousemove", "at": [100, 50, 400, 200]})
    take({"type": "mousemove", "at": [140, 50, 400, 200]})
    take({"type": "mousedown", "button": 0, "at": [200, 50, 400, 200]})
    take({"type": "mouseup", "button": 0, "at": [200, 50, 400, 200]})
    take({"type": "mousewheel", "turn": -2, "at": [200, 50, 400, 200]})
    assert display.poll_events() == [
        ActionEvent("forward", 0.0),
        ("aim", 0.0),
        ("aim", pytest.approx(0.1)),
        ("shoot", 1.0),
        ("shoot", 0.0),
        ("zoom", -2.0),
    ]
    assert display.mouse_position == (0.5, 0.25)


def test_a_display_is_closed_when_its_server_is(display):
    assert not display.closed
    display.close()
    assert display.closed


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda d, g: d.update(g, np.zeros((2, 3)), [UP]), "positions"),
        (lambda d, g: d.update(g, np.zeros((1, 3)), [UP, UP]), "quats"),
        (lambda d, g: d.update_poses(g, np.zeros(7 * 2)), "poses"),
        (lambda d, _g: d.add_parts([BOX], 0), "frames"),
        (lambda d, _g: d.add_parts([BOX], 1, np.zeros(3)), "offsets"),
        (lambda d, _g: d.draw_lines(np.zeros((2, 3)), np.zeros((1, 3)), [1, 0, 0]), "ends"),
        (lambda d, _g: d.draw_lines(np.zeros((2, 3)), np.ones((2, 3)), np.ones((3, 3))), "colors"),
        (lambda d, _g: d.subscribe_mouse("pen", "draw"), "what"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(display, call, name):
    group = display.add_parts([BOX], 1)
    with pytest.raises(InvalidArgumentError, match=rf"^{name}="):
        call(display, group)


def test_only_see_through_bodies_are_blended(display):
    """The browser sorts and blends whatever has opacities."""
    glass = VisualShape(0, BOX.shape, (1.0, 0.0, 0.0, 0.5))
    display.add_parts([BOX, glass], 1)
    shown(display)
    handles = [group.handle for group in display.viewer._stage._groups.values()]
    opaque, blended = sorted(handles, key=lambda handle: handle.batched_opacities is not None)
    assert opaque.batched_opacities is None
    np.testing.assert_allclose(blended.batched_opacities, [0.5])


def test_a_video_shows_each_frame_as_long_as_it_is_told(display, tmp_path):
    pytest.importorskip("av")
    display.look_at((0.0, -3.0, 0.0), (0.0, 0.0, 0.0))
    group = display.add_parts([BOX], 1)
    display.viewer.start_video(tmp_path / "drive.mp4", fps=10, width=96, height=64)
    for step in range(20):
        display.update(group, [[-0.5 + step / 20, 0.0, 0.0]], [UP])
        display.draw(0.05)
    display.viewer.stop_video()
    pictures, rate, duration = frames_of(tmp_path / "drive.mp4")
    assert (len(pictures), rate) == (10, 10.0)
    assert duration == pytest.approx(1.0, abs=0.001)
    red = (pictures[..., 0] > 120) & (pictures[..., 1] < 90)
    columns = [np.argwhere(image)[:, 1].mean() for image in red]
    assert np.all(np.diff(columns) > 0.0)


def test_what_deforms_is_drawn_as_it_is_now(display):
    faces = ((0, 1, 2), (0, 2, 3))
    corners = np.array([[-1.0, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]])
    source = MeshSource(vertices=tuple(map(tuple, corners.tolist())), faces=faces)
    sheet = VisualShape(
        0,
        Shape(ShapeKind.MESH, (), mesh=source),
        rgba=(1.0, 0.0, 0.0, 1.0),
        owner=(-1, -1),
        deforms=True,
    )
    display.add_parts([sheet], 1)
    display.look_at((0.0, -5.0, 0.0), (0.0, 0.0, 0.0))

    def seen():
        image = display.picture(80, 60).astype(int)
        return ((image[..., 0] > 90) & (image[..., 1] < 60)).sum()

    whole = seen()
    display.deform({(-1, -1): make_mesh(0.5 * corners, np.array(faces))})
    # half as wide and half as high; the outline is a pixel at most
    assert seen() == pytest.approx(0.25 * whole, rel=0.15)
