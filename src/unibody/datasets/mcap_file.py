"""Recordings as MCAP, with the messages that Foxglove shows, encoded as JSON.

Topics: ``/state`` and ``/action`` (a number for each name), ``/scene`` (what things look like,
once), ``/tf`` (where they are) and ``/camera/NAME`` (JPEG). The schemas are those of
https://docs.foxglove.dev/docs/sdk/schemas.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from unibody.core.assets.description import MeshSource, Pose, Shape, ShapeKind
from unibody.core.assets.whole_file import whole_file
from unibody.core.render.visual_shapes import VisualShape
from unibody.datasets import looks
from unibody.datasets.frames import Floats, Frame, Layout

_SECOND = 1_000_000_000  # nanoseconds
_PLANE = 20.0  # m: half the side of what stands for a plane without end
_BYTES = {"type": "string", "contentEncoding": "base64"}
_SCHEMAS: dict[str, dict[str, Any]] = {
    "foxglove.SceneUpdate": {},
    "foxglove.FrameTransforms": {},
    "foxglove.CompressedImage": {"properties": {"data": _BYTES}},
    "unibody.Numbers": {"additionalProperties": {"type": "number"}},
}


class McapWriter:
    """Writes a run into a file; another episode begins where the one before ended.

    Args:
        path: The file; one that exists is replaced when all is written.
        layout: Of all frames.
    """

    def __init__(self, path: Path, layout: Layout) -> None:
        from mcap.writer import Writer

        self._layout, self._frames = layout, 0
        self._whole = whole_file(path)
        self._file = Writer(self._whole.__enter__())
        self._file.start()
        self._schemas = {
            name: self._file.register_schema(
                name, "jsonschema", json.dumps({"type": "object", **schema}).encode()
            )
            for name, schema in _SCHEMAS.items()
        }
        self._channels: dict[str, int] = {}
        self._open = True

    def add(self, frame: Frame, count: int = 1) -> None:
        """Write a frame that lasts so many."""
        if not self._frames:
            self._tell("/scene", "foxglove.SceneUpdate", _scene(self._layout))
        state = zip(self._layout.state, frame.state.tolist(), strict=True)
        action = zip(self._layout.action, frame.action.tolist(), strict=True)
        self._tell("/state", "unibody.Numbers", dict(state))
        self._tell("/action", "unibody.Numbers", dict(action))
        self._tell("/tf", "foxglove.FrameTransforms", {"transforms": self._transforms(frame.poses)})
        for name, picture in frame.pictures.items():
            message = {
                "timestamp": self._stamp, "frame_id": name, "format": "jpeg",
                "data": _jpeg(picture),
            }  # fmt: skip
            self._tell(f"/camera/{name}", "foxglove.CompressedImage", message)
        self._frames += count

    @property
    def _now(self) -> int:
        return self._frames * _SECOND // self._layout.fps

    @property
    def _stamp(self) -> dict[str, int]:
        return {"sec": self._now // _SECOND, "nsec": self._now % _SECOND}

    def _transforms(self, poses: Floats) -> list[dict[str, Any]]:
        return [
            {
                "timestamp": self._stamp, "parent_frame_id": "world",
                "child_frame_id": f"frame_{number}", "translation": _vector(pose[:3]),
                "rotation": _quaternion(pose[3:]),
            }
            for number, pose in enumerate(poses.tolist())
        ]  # fmt: skip

    def _tell(self, topic: str, schema: str, message: dict[str, Any]) -> None:
        if topic not in self._channels:
            self._channels[topic] = self._file.register_channel(
                topic, "json", self._schemas[schema]
            )
        data = json.dumps(message).encode()
        self._file.add_message(self._channels[topic], self._now, data, self._now)

    def end_episode(self) -> None:
        """Nothing: the next one follows."""

    def close(self) -> None:
        """Complete the file; closing twice does nothing more."""
        if self._open:
            self._open = False
            self._file.finish()
            self._whole.__exit__(None, None, None)


def read(path: Path) -> tuple[list[VisualShape], list[float], NDArray[np.float64]]:
    """What a file shows: parts, times [s] and poses (frames, n, 7), quaternions wxyz."""
    from mcap.reader import make_reader

    parts: list[VisualShape] = []
    times: list[float] = []
    poses: list[list[list[float]]] = []
    with path.open("rb") as stream:
        for _, channel, message in make_reader(stream).iter_messages(topics=["/scene", "/tf"]):
            told = json.loads(message.data)
            if channel.topic == "/scene":
                parts = [part for entity in told["entities"] for part in _parts(entity)]
                continue
            times.append(message.log_time / _SECOND)
            poses.append([_pose(each) for each in told["transforms"]])
    return parts, times, np.array(poses, np.float64).reshape(len(poses), -1, 7)


def _scene(layout: Layout) -> dict[str, Any]:
    told = looks.written(layout.parts)
    nothing = {"sec": 0, "nsec": 0}
    entities = [
        {
            "timestamp": nothing, "lifetime": nothing, "frame_locked": True, "id": f"part_{number}",
            "frame_id": f"frame_{shape['frame']}" if shape["frame"] >= 0 else "world",
            "metadata": [], "triangles": [_triangles(shape, told["meshes"])],
            **{kind: [] for kind in ("arrows", "cubes", "spheres", "cylinders", "lines", "texts",
                                     "models")},
        }
        for number, shape in enumerate(told["shapes"])
    ]  # fmt: skip
    return {"deletions": [], "entities": entities}


def _triangles(shape: dict[str, Any], meshes: dict[str, Any]) -> dict[str, Any]:
    if shape["mesh"] in meshes:
        vertices, faces = looks.arrays(meshes[shape["mesh"]])
    else:
        corners = [(-_PLANE, -_PLANE), (_PLANE, -_PLANE), (_PLANE, _PLANE), (-_PLANE, _PLANE)]
        vertices = np.array([(x, y, 0.0) for x, y in corners], np.float32)
        faces = np.array([(0, 1, 2), (0, 2, 3)], np.int32)
    red, green, blue, opacity = shape["rgba"]
    pose = {
        "position": _vector(shape["position"]),
        "orientation": _quaternion(shape["quat_wxyz"]),
    }
    return {
        "pose": pose, "points": [_vector(point) for point in vertices.tolist()],
        "color": {"r": red, "g": green, "b": blue, "a": opacity}, "colors": [],
        "indices": faces.ravel().tolist(),
    }  # fmt: skip


def _parts(entity: dict[str, Any]) -> list[VisualShape]:
    frame = entity["frame_id"].removeprefix("frame_")
    row = -1 if frame == "world" else int(frame)
    found: list[VisualShape] = []
    for each in entity["triangles"]:
        points: Any = tuple((p["x"], p["y"], p["z"]) for p in each["points"])
        faces: Any = tuple(map(tuple, np.reshape(each["indices"], (-1, 3)).tolist()))
        at, turn = each["pose"]["position"], each["pose"]["orientation"]
        pose = Pose((at["x"], at["y"], at["z"]), (turn["w"], turn["x"], turn["y"], turn["z"]))
        mesh = MeshSource(vertices=points, faces=faces)
        color = each["color"]
        rgba = (color["r"], color["g"], color["b"], color["a"])
        found.append(VisualShape(row, Shape(ShapeKind.MESH, pose=pose, mesh=mesh), rgba))
    return found


def _vector(xyz: Sequence[float]) -> dict[str, float]:
    return dict(zip("xyz", xyz, strict=True))


def _quaternion(wxyz: Sequence[float]) -> dict[str, float]:
    return dict(zip("wxyz", wxyz, strict=True))


def _pose(transform: dict[str, Any]) -> list[float]:
    at, turn = transform["translation"], transform["rotation"]
    return [*(at[axis] for axis in "xyz"), *(turn[axis] for axis in "wxyz")]


def _jpeg(picture: NDArray[np.uint8]) -> str:
    file = io.BytesIO()
    Pillow.fromarray(picture).save(file, "JPEG", quality=90)
    return base64.b64encode(file.getvalue()).decode()
