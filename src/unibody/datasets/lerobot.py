"""Data sets in LeRobot's layout, version 3.0: Parquet, JSON, and MP4 for cameras.

The layout is that of https://huggingface.co/docs/lerobot/lerobot-dataset-v3; each episode has files
of its own, so that one is there as a whole or not at all. Beside it, ``meta/looks.json`` says what
the columns of ``poses`` move.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unibody.core.assets.whole_file import whole_file, write_whole_text
from unibody.datasets import looks
from unibody.datasets.frames import Frame, Layout
from unibody.datasets.statistics import Statistics
from unibody.errors import InvalidArgumentError

VERSION = "v3.0"
DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
EPISODES = "meta/episodes/chunk-000/file-000.parquet"
INFO, STATS, TASKS, LOOKS = "meta/info.json", "meta/stats.json", "meta/tasks.parquet", "looks.json"
POSES = "poses"
_FILES = 1000  # in a folder
_ROWS = 512  # held before they are written
_OWN = ("timestamp", "frame_index", "episode_index", "index", "task_index")


class LeRobotWriter:
    """Writes episodes, behind those that a folder has already.

    Args:
        folder: It is made if it is not there.
        layout: Of all frames.
        task: What is done, in words.

    Raises:
        InvalidArgumentError: The folder has a data set of another layout.
        NotSupportedError: PyAV is not installed, and there are cameras.
    """

    def __init__(self, folder: Path, layout: Layout, task: str) -> None:
        self.folder: Path = folder
        self.layout: Layout = layout
        self.task: str = task
        self._features: dict[str, Any] = {}
        self._meta = _Meta(folder)
        self._episode: _Episode | None = None
        (folder / "meta").mkdir(parents=True, exist_ok=True)

    @property
    def episodes(self) -> int:
        """How many are complete."""
        return len(self._meta.episodes)

    def add(self, frame: Frame, count: int = 1) -> None:
        """Write a frame that lasts so many."""
        if not self._features:
            self._features = features_of(self.layout, frame)
            self._meta.check(self._features, self.layout.fps)
            if self.layout.parts:
                text = json.dumps(looks.written(self.layout.parts))
                write_whole_text(self.folder / "meta" / LOOKS, text)
        if self._episode is None:
            meta = self._meta
            at = (len(meta.episodes), meta.frames, meta.task_index(self.task))
            self._episode = _Episode(self.folder, self.layout, self._features, at)
        self._episode.add(frame, count)

    def end_episode(self) -> None:
        """Complete an episode; nothing happens if it has no frame."""
        episode, self._episode = self._episode, None
        if episode is not None:
            episode.close()
            self._meta.take(episode, self.task)

    def close(self) -> None:
        """Complete the data set."""
        self.end_episode()
        if self._features:
            self._meta.write(self._features, self.layout.fps)


def features_of(layout: Layout, frame: Frame) -> dict[str, Any]:
    """What the columns are, as ``info.json`` says it."""
    found: dict[str, Any] = {}
    for name, names in (("observation.state", layout.state), ("action", layout.action)):
        if names:
            found[name] = {"dtype": "float32", "shape": [len(names)], "names": list(names)}
    for name, (height, width) in layout.cameras.items():
        about = {
            "video.height": height, "video.width": width, "video.codec": "h264",
            "video.pix_fmt": "yuv420p", "video.is_depth_map": False, "video.fps": layout.fps,
            "video.channels": 3, "has_audio": False,
        }  # fmt: skip
        found[f"observation.images.{name}"] = {
            "dtype": "video", "shape": [height, width, 3],
            "names": ["height", "width", "channels"], "info": about,
        }  # fmt: skip
    if layout.poses:
        found[POSES] = {"dtype": "float32", "shape": [layout.poses * 7], "names": None}
    if frame.reward is not None:
        found["next.reward"] = {"dtype": "float32", "shape": [1], "names": None}
    if frame.done is not None:
        found["next.done"] = {"dtype": "bool", "shape": [1], "names": None}
    for name in _OWN:
        kind = "float32" if name == "timestamp" else "int64"
        found[name] = {"dtype": kind, "shape": [1], "names": None}
    return found


class _Episode:
    """One that is being written.

    Args:
        folder: Of the data set.
        layout: Of its frames.
        features: Of the data set.
        at: Its number, the frames before it, and the number of its task.
    """

    def __init__(
        self, folder: Path, layout: Layout, features: dict[str, Any], at: tuple[int, int, int]
    ) -> None:
        import pyarrow
        from pyarrow.parquet import ParquetWriter

        self.number, self.first, self.task = at
        self.frames = 0
        self.place = {"chunk_index": self.number // _FILES, "file_index": self.number % _FILES}
        self._fps, self._features = layout.fps, features
        self._rows: list[tuple[Frame, int]] = []
        names = [name for name, feature in features.items() if feature["dtype"] != "video"]
        self._schema = pyarrow.schema([(name, _arrow_type(features[name])) for name in names])
        self.statistics = {
            name: Statistics(3 if f["dtype"] == "video" else f["shape"][0])
            for name, f in features.items()
        }
        path = folder / DATA.format(**self.place)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._whole = whole_file(path)
        self._file = ParquetWriter(self._whole.__enter__(), self._schema)
        self._videos = {
            name: _video(folder, f"observation.images.{name}", self.place, size, layout.fps)
            for name, size in layout.cameras.items()
        }

    def add(self, frame: Frame, count: int) -> None:
        for name, video in self._videos.items():
            picture = frame.pictures[name]
            for _ in range(count):  # one by one: each is in the file
                video.add(picture)
            found = self.statistics[f"observation.images.{name}"]
            found.add(picture[::8, ::8].reshape(-1, 3) / 255.0)
        self._rows.append((frame, count))
        if len(self._rows) >= _ROWS:
            self._write()

    def _write(self) -> None:
        import pyarrow

        frames = [frame for frame, count in self._rows for _ in range(count)]
        self._rows = []
        numbers = self.frames + np.arange(len(frames))
        self.frames += len(frames)
        values: dict[str, Any] = {
            "observation.state": [f.state for f in frames],
            "action": [f.action for f in frames],
            POSES: [f.poses.ravel() for f in frames],
            "next.reward": [f.reward for f in frames],
            "next.done": [f.done for f in frames],
            "timestamp": (numbers / self._fps).astype(np.float32),
            "frame_index": numbers,
            "episode_index": np.full(len(frames), self.number),
            "index": self.first + numbers,
            "task_index": np.full(len(frames), self.task),
        }
        arrays: list[Any] = []
        for column in self._schema:
            rows = np.asarray(values[column.name])
            table = rows.reshape(len(frames), -1)
            self.statistics[column.name].add(table.astype(np.float64))
            single = self._features[column.name]["shape"] == [1]  # no list then
            arrays.append(pyarrow.array(list(table[:, 0] if single else table), type=column.type))
        self._file.write_table(pyarrow.Table.from_arrays(arrays, schema=self._schema))

    def close(self) -> None:
        if self._rows:
            self._write()
        self._file.close()
        self._whole.__exit__(None, None, None)
        for video in self._videos.values():
            video.close()

    def row(self, task: str) -> dict[str, Any]:
        """What is said of it in the table of episodes."""
        row: dict[str, Any] = {
            "episode_index": self.number, "tasks": [task], "length": self.frames,
            "data/chunk_index": self.place["chunk_index"],
            "data/file_index": self.place["file_index"],
            "dataset_from_index": self.first, "dataset_to_index": self.first + self.frames,
        }  # fmt: skip
        for name in self._videos:
            key = f"videos/observation.images.{name}"
            row |= {f"{key}/{what}": where for what, where in self.place.items()}
            row[f"{key}/from_timestamp"] = 0.0
            row[f"{key}/to_timestamp"] = self.frames / self._fps
        for name, found in self.statistics.items():
            told = found.told(_shape(self._features[name]))
            row |= {f"stats/{name}/{what}": value for what, value in told.items()}
        return {**row, "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0}


def _video(folder: Path, key: str, place: dict[str, int], size: tuple[int, int], fps: int) -> Any:
    from unibody.viewer.video import Video

    path = folder / VIDEO.format(video_key=key, **place)
    path.parent.mkdir(parents=True, exist_ok=True)
    return Video(path, size[1], size[0], fps)


def _shape(feature: dict[str, Any]) -> tuple[int, ...]:
    """Of statistics: pictures have one number a channel."""
    return (3, 1, 1) if feature["dtype"] == "video" else tuple(feature["shape"])


def _arrow_type(feature: dict[str, Any]) -> Any:
    import pyarrow

    kind = {"float32": pyarrow.float32(), "int64": pyarrow.int64(), "bool": pyarrow.bool_()}[
        feature["dtype"]
    ]
    size = feature["shape"][0]
    return kind if size == 1 else pyarrow.list_(kind, size)


class _Meta:
    """What a folder says of its episodes.

    Args:
        folder: Of the data set.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.episodes: list[dict[str, Any]] = []
        self.tasks: list[str] = []
        self._stats: dict[str, Statistics] = {}
        self._info: dict[str, Any] | None = None
        if not (folder / INFO).exists():
            return
        self._info = json.loads((folder / INFO).read_text(encoding="utf-8"))
        self.episodes = table_of(folder / EPISODES)
        rows = sorted(table_of(folder / TASKS), key=lambda row: row["task_index"])
        self.tasks = [row["__index_level_0__"] for row in rows]
        for name, told in json.loads((folder / STATS).read_text(encoding="utf-8")).items():
            self._stats[name] = Statistics(np.size(told["mean"]))
            self._stats[name].merge(told)

    @property
    def frames(self) -> int:
        """Of all episodes."""
        return self.episodes[-1]["dataset_to_index"] if self.episodes else 0

    def check(self, features: dict[str, Any], fps: int) -> None:
        """Raise if a folder has other columns."""
        info = self._info
        if info is None:
            return
        there = info.get("codebase_version"), info["fps"], info["features"]
        if there != (VERSION, fps, features):
            raise InvalidArgumentError(
                "--dataset", str(self._folder), "a folder without a data set of other columns"
            )

    def task_index(self, task: str) -> int:
        """The number of a task, which it gets if it has none."""
        if task not in self.tasks:
            self.tasks.append(task)
        return self.tasks.index(task)

    def take(self, episode: _Episode, task: str) -> None:
        """Take in an episode that is complete."""
        row = episode.row(task)
        self.episodes.append(row)
        for name, found in episode.statistics.items():
            shape = tuple(np.shape(row[f"stats/{name}/mean"]))
            self._stats.setdefault(name, Statistics(int(np.prod(shape)))).merge(found.told(shape))

    def write(self, features: dict[str, Any], fps: int) -> None:
        """Write it, the file that tells of all others last."""
        import pyarrow
        from pyarrow.parquet import write_table

        folder = self._folder
        tasks = pyarrow.table(
            {"task_index": list(range(len(self.tasks))), "__index_level_0__": self.tasks}
        )
        of_pandas = {"index_columns": ["__index_level_0__"], "columns": [], "column_indexes": []}
        of_pandas["columns"] = [_pandas("task_index", "int64"), _pandas(None, "unicode")]
        tasks = tasks.replace_schema_metadata({"pandas": json.dumps(of_pandas)})
        for path, table in ((TASKS, tasks), (EPISODES, pyarrow.Table.from_pylist(self.episodes))):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            with whole_file(folder / path) as stream:
                write_table(table, stream)
        stats = {name: found.told(_shape(features[name])) for name, found in self._stats.items()}
        write_whole_text(folder / STATS, json.dumps(stats, indent=1))
        info = {
            "codebase_version": VERSION, "robot_type": None,
            "total_episodes": len(self.episodes), "total_frames": self.frames,
            "total_tasks": len(self.tasks), "chunks_size": _FILES,
            "data_files_size_in_mb": 100, "video_files_size_in_mb": 200, "fps": fps,
            "splits": {"train": f"0:{len(self.episodes)}"}, "data_path": DATA,
            "video_path": VIDEO if any(f["dtype"] == "video" for f in features.values()) else None,
            "features": features,
        }  # fmt: skip
        write_whole_text(folder / INFO, json.dumps(info, indent=1))


def _pandas(name: str | None, kind: str) -> dict[str, Any]:
    stored = "object" if kind == "unicode" else kind
    return {
        "name": name, "field_name": name or "__index_level_0__", "pandas_type": kind,
        "numpy_type": stored, "metadata": None,
    }  # fmt: skip


def table_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file."""
    from pyarrow.parquet import read_table

    rows: list[dict[str, Any]] = read_table(path).to_pylist()
    return rows


def poses_of(folder: Path, episode: int) -> tuple[Sequence[float], Any]:
    """Times [s] and poses (frames, n, 7) of an episode."""
    from pyarrow.parquet import read_table

    place = {"chunk_index": episode // _FILES, "file_index": episode % _FILES}
    table = read_table(folder / DATA.format(**place), columns=["timestamp", POSES])
    rows = np.array(table[POSES].to_pylist(), np.float64)
    return table["timestamp"].to_pylist(), rows.reshape(len(rows), -1, 7)
