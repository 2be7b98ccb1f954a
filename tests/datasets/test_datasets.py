"""Data sets: what is written is what was seen, in LeRobot's layout and as MCAP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unibody.core.assets.description import Pose, Shape, ShapeKind
from unibody.core.render.visual_shapes import VisualShape
from unibody.datasets import replay
from unibody.datasets.frames import Frame, Layout
from unibody.datasets.lerobot import LeRobotWriter
from unibody.datasets.statistics import Statistics
from unibody.errors import InvalidArgumentError

pyarrow = pytest.importorskip("pyarrow")

PARTS = (
    VisualShape(0, Shape(ShapeKind.BOX, (1.0, 2.0, 3.0), Pose((0.1, 0.0, 0.0)))),
    VisualShape(1, Shape(ShapeKind.PLANE), (1.0, 0.0, 0.0, 1.0)),
)
LAYOUT = Layout(("x", "y"), ("u",), 10, {}, PARTS, 2)


def frame(number: int, pictures: dict[str, Any] | None = None) -> Frame:
    poses = np.tile((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (2, 1)).astype(np.float32)
    poses[0, 0] = number
    state, action = np.array([number, -number], np.float32), np.array([0.5], np.float32)
    return Frame(state, action, poses, pictures or {}, reward=1.0, done=False)


def write(folder: Path, first: int) -> None:
    writer = LeRobotWriter(folder, LAYOUT, "push")
    for number in range(first, first + 3):
        writer.add(frame(number))
    writer.close()


def test_pause_on_the_page_holds_a_replay_and_step_shows_one_more_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("viser")
    from unibody.viewer import viewer as viewers

    shown: list[float] = []

    class Watched(viewers.Viewer):
        watched = True

        def place(self, positions: Any, quats: Any, *_: Any) -> None:
            shown.append(float(positions[0, 0]))
            if len(shown) == 3:
                self.controls.press("Pause")
                self.controls.press("Step")

    monkeypatch.setattr(viewers, "Viewer", Watched)
    box = VisualShape(0, Shape(ShapeKind.BOX, (1.0, 1.0, 1.0)))
    poses = np.zeros((50, 1, 7))
    poses[:, 0, 0], poses[:, 0, 3] = np.arange(50), 1.0
    recording = replay.Replay([box], [0.001 * k for k in range(50)], poses)
    replay.play(recording, 0, 1.0, lambda _url: None)
    assert shown == [0.0, 1.0, 2.0, 3.0]


def test_an_episode_stands_behind_those_that_a_folder_has(tmp_path: Path) -> None:
    from pyarrow.parquet import read_table

    write(tmp_path, 0)
    write(tmp_path, 10)
    info = json.loads((tmp_path / "meta" / "info.json").read_text())
    counts = [info[f"total_{what}"] for what in ("episodes", "frames", "tasks")]
    assert (info["codebase_version"], counts) == ("v3.0", [2, 6, 1])
    table = read_table(tmp_path / "data" / "chunk-000" / "file-001.parquet").to_pydict()
    assert table["observation.state"] == [[10, -10], [11, -11], [12, -12]]
    assert table["action"] == [0.5, 0.5, 0.5]  # one number is no list
    assert table["index"] == [3, 4, 5] and table["frame_index"] == [0, 1, 2]
    assert table["timestamp"] == pytest.approx([0.0, 0.1, 0.2])
    stats = json.loads((tmp_path / "meta" / "stats.json").read_text())["observation.state"]
    seen = np.array([0, 1, 2, 10, 11, 12])
    assert stats["mean"] == pytest.approx([seen.mean(), -seen.mean()])
    assert stats["std"] == pytest.approx([seen.std()] * 2) and stats["count"] == [6]


def test_a_folder_with_other_columns_is_refused(tmp_path: Path) -> None:
    write(tmp_path, 0)
    writer = LeRobotWriter(tmp_path, Layout(("z",), ("u",), 10), "push")
    with pytest.raises(InvalidArgumentError, match="--dataset"):
        writer.add(Frame(np.zeros(1, np.float32), np.zeros(1, np.float32), np.zeros((0, 7))))


def test_a_video_has_the_pictures_that_were_seen(tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    layout = Layout(("x", "y"), ("u",), 10, {"view": (32, 48)}, PARTS, 2)
    pictures = [np.full((32, 48, 3), 40 * n, np.uint8) for n in range(4)]
    writer = LeRobotWriter(tmp_path, layout, "push")
    for number, picture in enumerate(pictures):
        writer.add(frame(number, {"view": picture}))
    writer.close()
    path = tmp_path / "videos" / "observation.images.view" / "chunk-000" / "file-000.mp4"
    with av.open(str(path)) as file:
        found = [each.to_ndarray(format="rgb24") for each in file.decode(video=0)]
    assert len(found) == 4
    # grey in limited range, (235 - 16) / 255 levels, and H.264 at crf 20: a few levels
    assert max(np.abs(a.astype(int) - b).max() for a, b in zip(found, pictures, strict=True)) <= 4


@pytest.mark.parametrize("kind", ["folder", "run.mcap"])
def test_a_recording_is_replayed_as_it_was(tmp_path: Path, kind: str) -> None:
    if kind == "folder":
        write(tmp_path / kind, 0)
    else:
        pytest.importorskip("mcap")
        from unibody.datasets.mcap_file import McapWriter

        writer = McapWriter(tmp_path / kind, LAYOUT)
        for number in range(3):
            writer.add(frame(number))
        writer.close()
    assert replay.is_recording(tmp_path / kind)
    found = replay.read(tmp_path / kind)
    assert found.times == pytest.approx([0.0, 0.1, 0.2])
    np.testing.assert_array_equal(found.poses[:, 0, 0], [0, 1, 2])
    np.testing.assert_array_equal(found.poses[:, 1], [[0, 0, 0, 1, 0, 0, 0]] * 3)
    assert [part.frame for part in found.parts] == [0, 1]
    box = found.parts[0].shape
    assert box.pose.pos == (0.1, 0.0, 0.0) and box.mesh is not None
    np.testing.assert_allclose(np.max(box.mesh.vertices, axis=0), [0.5, 1.0, 1.5])


def test_statistics_of_parts_are_those_of_the_whole() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 2))
    parts, whole = Statistics(2), Statistics(2)
    parts.add(rows[:7])
    other = Statistics(2)
    other.add(rows[7:])
    parts.merge(other.told((2,)))
    whole.add(rows)
    for name, value in whole.told((2,)).items():
        np.testing.assert_allclose(parts.told((2,))[name], value, rtol=1e-12)
