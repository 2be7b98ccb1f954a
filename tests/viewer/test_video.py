"""MP4 files, and pictures of what a viewer shows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.support.full_disk import full_disk
from tests.viewer.videos import frames_of
from unibody.core.assets.description import Shape, ShapeKind
from unibody.core.render.camera import Frames
from unibody.core.render.visual_shapes import VisualShape
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.viewer.items import Line, Points, Text
from unibody.viewer.lights import Sun
from unibody.viewer.painter import Painter, Sight
from unibody.viewer.video import Pace, Video
from unibody.viewer.view import View

RED, GREEN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
FROM_SOUTH = View((0.0, -4.0, 0.0), (0.0, 0.0, 0.0), math.radians(45.0), 120, 90)
NOWHERE = Frames(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]))


def picture(parts=(), items=(), view=FROM_SOUTH, **settings):
    painter = Painter()
    painter.show(list(parts))
    return painter.picture(Sight(view, NOWHERE, items, **settings))[..., :3].astype(int)


def where(image, color):
    """Rows and columns of the pixels that have a colour."""
    return np.argwhere(np.abs(image - 255 * np.array(color)).max(axis=-1) < 40)


def test_a_video_has_its_frames_rate_duration_and_colours(tmp_path):
    pytest.importorskip("av")
    file = tmp_path / "shades.mp4"
    video = Video(file, 64, 48, 25)
    for shade in range(50):
        video.add(np.full((48, 64, 3), 5 * shade, dtype=np.uint8))
    video.close()
    pictures, rate, duration = frames_of(file)
    assert pictures.shape == (50, 48, 64, 3)
    assert (rate, duration) == (25.0, pytest.approx(2.0, abs=0.001))
    # 8-bit video keeps luma in 219 steps and is compressed: a few shades off
    np.testing.assert_allclose(pictures.mean(axis=(1, 2, 3)), 5.0 * np.arange(50), atol=4.0)


@pytest.mark.parametrize("held", [20, 700])
def test_a_picture_is_shown_for_its_frames_and_a_long_one_is_kept_twice(tmp_path, held):
    av = pytest.importorskip("av")
    file = tmp_path / "held.mp4"
    video = Video(file, 64, 48, 25)
    for shade, count in ((40, 1), (120, held), (200, 1)):
        video.add(np.full((48, 64, 3), shade, dtype=np.uint8), count)
    video.close()
    assert video.frames == held + 2
    with av.open(str(file)) as film:
        shown = [(frame.time, frame.to_ndarray(format="rgb24").mean()) for frame in film.decode()]
        assert film.duration / av.time_base == pytest.approx((held + 2) / 25, abs=0.001)
    times, shades = np.array(shown).T
    expected = range(held + 2) if held <= 25 else (0, 1, held, held + 1)
    np.testing.assert_allclose(times, np.array(expected) / 25, atol=1e-3)
    # 8-bit video keeps luma in 219 steps and is compressed: a few shades off
    np.testing.assert_allclose(shades, [40, *[120] * (len(shades) - 2), 200], atol=4.0)


def noise(count):
    """Frames that no codec makes small."""
    random = np.random.default_rng(0)
    return random.integers(0, 255, (count, 48, 64, 3)).astype(np.uint8)


# The head of the file; some of its pictures; all of them, but not the index
@pytest.mark.parametrize("size", [10, 30_000, 100_000])
def test_a_video_on_a_full_disk_leaves_the_one_before_with_one_line(tmp_path, capsys, size):
    pytest.importorskip("av")
    file = tmp_path / "noise.mp4"
    for limit in (10**9, size):
        video = Video(file, 64, 48, 25)
        with full_disk(limit):
            for picture in noise(60):
                video.add(picture)
            video.close()
            video.add(picture)
            video.close()
    assert file.stat().st_size > 100_000
    assert frames_of(file)[0].shape == (60, 48, 64, 3)
    assert list(tmp_path.iterdir()) == [file]
    (told,) = capsys.readouterr().err.splitlines()
    assert f"the video {file} cannot be written: File too large" in told


def test_odd_sizes_are_made_even(tmp_path):
    pytest.importorskip("av")
    video = Video(tmp_path / "odd.mp4", 33, 21, 10)
    video.add(np.zeros((21, 33, 4), dtype=np.uint8))
    video.close()
    assert frames_of(tmp_path / "odd.mp4")[0].shape == (1, 22, 34, 3)


@pytest.mark.parametrize("change", [{"width": 0}, {"height": 100_000}, {"fps": 0}])
def test_sizes_and_rates_out_of_range_are_refused_and_write_nothing(tmp_path, change):
    settings = {"width": 64, "height": 48, "fps": 25, **change}
    with pytest.raises(InvalidArgumentError, match=f"{next(iter(change))}=.* is not allowed"):
        Video(tmp_path / "a.mp4", **settings)
    assert not (tmp_path / "a.mp4").exists()


def test_without_the_library_an_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(NotSupportedError, match=r"\[viewer\]"):
        Video(tmp_path / "a.mp4", 64, 48, 25)


@pytest.mark.parametrize(("step", "fps"), [(1 / 240, 60), (1 / 240, 240), (1 / 60, 240), (0.01, 7)])
def test_frames_are_due_by_simulated_time(step, fps):
    pace = Pace(fps)
    seconds = 3.0
    due = [pace.due(step) for _ in range(round(seconds / step))]
    assert sum(due) == int(seconds * fps)
    assert max(due) - min(due) <= 1


def test_a_line_is_drawn_where_it_is_and_hidden_by_what_is_in_front_of_it():
    line = Line((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), RED, 1.0)
    box = VisualShape(0, Shape(ShapeKind.BOX, (0.5, 0.5, 0.5)), (0.2, 0.2, 0.9, 1.0))
    alone = where(picture(items=[line]), RED)
    # 2 m at 4 m through a lens of 45 degrees: 90 / (2 tan 22.5 deg) / 4 * 2 pixels
    assert np.ptp(alone[:, 1]) == pytest.approx(90 / math.tan(math.pi / 8) / 4, abs=1.5)
    assert set(alone[:, 0]) <= {44, 45}
    behind = where(picture([box], [line]), RED)
    # the box's front, 0.5 m at 3.75 m
    width = 90 / (2 * math.tan(math.pi / 8)) * 0.5 / 3.75
    assert len(alone) - len(behind) == pytest.approx(width, abs=1.5)
    in_front = Line((-1.0, -0.5, 0.0), (1.0, -0.5, 0.0), RED, 1.0)
    assert len(where(picture([box], [in_front]), RED)) >= len(alone)


def test_a_line_that_begins_behind_the_camera_is_cut_off():
    line = Line((0.1, -9.0, 0.1), (0.1, 3.0, 0.1), RED, 3.0)
    found = where(picture(items=[line]), RED)
    assert len(found) > 20
    assert found[:, 1].min() > 55  # right of the middle


def test_points_are_as_large_as_asked_and_have_their_colours():
    points = Points(((-0.5, 0.0, 0.0), (0.5, 0.0, 0.0)), (RED, GREEN), 5.0)
    image = picture(items=[points])
    red, green = where(image, RED), where(image, GREEN)
    assert len(red) == len(green)
    assert 15 <= len(red) <= 25  # a disc of 5 pixels
    assert red[:, 1].mean() < green[:, 1].mean()


def test_a_text_is_written_to_the_right_of_and_above_its_place():
    found = where(picture(items=[Text("HHH", (0.0, 0.0, 0.0), 1.0, RED)]), RED)
    assert len(found) > 30
    assert found[:, 1].min() >= 59
    assert found[:, 0].max() <= 46
    twice = where(picture(items=[Text("HHH", (0.0, 0.0, 0.0), 2.0, RED)]), RED)
    assert np.ptp(twice[:, 0]) == pytest.approx(2 * np.ptp(found[:, 0]), abs=3)


def test_a_text_with_an_orientation_lies_where_it_is_put():
    flat = Text("HHH", (-0.5, 0.0, 0.0), 0.5, RED, (1.0, 0.0, 0.0, 0.0))
    assert len(where(picture(items=[flat]), RED)) == 0  # seen from its edge
    upright = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)  # its top up
    standing = where(picture(items=[Text("HHH", (-0.5, 0.0, 0.0), 0.5, RED, upright)]), RED)
    assert np.ptp(standing[:, 0]) > 4  # 0.5 m are 14 pixels, of which capitals take half
    from_north = View((0.0, 4.0, 0.0), (0.0, 0.0, 0.0), FROM_SOUTH.fov, 120, 90)
    mirrored = where(picture(items=[Text("L", (0.0, 0.0, 0.0), 0.5, RED, upright)],
                             view=from_north), RED)  # fmt: skip
    assert mirrored[:, 1].max() <= 61  # the x axis points to the left from there


def test_a_wireframe_shows_edges_only():
    box = VisualShape(0, Shape(ShapeKind.BOX, (1.0, 1.0, 1.0)), (1.0, 0.0, 0.0, 1.0))
    full = picture([box], background=(0.0, 0.0, 0.0), sun=Sun(shadows=False))
    edges = picture([box], background=(0.0, 0.0, 0.0), sun=Sun(shadows=False), wireframe=True)
    assert 50 < np.count_nonzero(edges[..., 0]) < 0.5 * np.count_nonzero(full[..., 0])
