"""What frames of a camera have: colours, distances, labels, points and motion."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, UsdGeom

from unibody.core.render.camera import Picture
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core import handles
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions.semantics import get_semantics
from unibody.isaac_core.kit.pictures import pictures_of
from unibody.isaac_core.sensors.lens import centers
from unibody.isaac_core.simulation.manager import simulation

_KNOWN = (
    "rgb", "distance_to_image_plane", "distance_to_camera", "semantic_segmentation",
    "instance_segmentation", "instance_id_segmentation", "pointcloud", "motion_vectors",
)  # fmt: skip
_ABSENT = ("normals", "occlusion", "bounding_box_2d_tight", "bounding_box_2d_loose",
           "bounding_box_3d")  # fmt: skip
_UNLABELLED = {0: "BACKGROUND", 1: "UNLABELLED"}


class FrameMixin:
    """What is read of the pictures of a camera."""

    _resolution: tuple[int, int]

    def _begin_frames(self, *, keep: bool = False) -> None:
        self._wanted: list[str] = self._wanted if keep else []
        self._count = 0
        self._before: tuple[Any, dict[str, Gf.Matrix4d]] | None = None
        self._motion_of: tuple[Any, np.ndarray] | None = None

    @property
    def supported_annotators(self) -> list[str]:
        """Names of what frames can have."""
        return list(_KNOWN)

    def attach_annotator(self, annotator_name: str, **kwargs: Any) -> None:
        """Let frames have something.

        Raises:
            NotSupportedError: It is not there here, or has options.
            InvalidArgumentError: There is nothing of the name.
        """
        if annotator_name in _ABSENT:
            raise NotSupportedError(f"{annotator_name} of a camera", f"one of {list(_KNOWN)}")
        if annotator_name not in _KNOWN:
            raise InvalidArgumentError("annotator_name", annotator_name, f"one of {list(_KNOWN)}")
        if any(value is not None for value in kwargs.values()):
            raise NotSupportedError(f"options of {annotator_name}: {sorted(kwargs)}", "none")
        if annotator_name not in self._wanted:
            self._wanted.append(annotator_name)

    def detach_annotator(self, annotator_name: str) -> None:
        """Let frames not have it any more."""
        if annotator_name not in self._wanted:
            raise InvalidArgumentError("annotator_name", annotator_name, f"one of {self._wanted}")
        self._wanted.remove(annotator_name)

    def get_current_frame(self, clone: bool = False) -> dict[str, Any]:
        """All that was attached, with the time of the simulation.

        Args:
            clone: Whether arrays are copies.
        """
        taken = self._picture()  # type: ignore[attr-defined]
        frame: dict[str, Any] = {"rendering_time": simulation.time, "rendering_frame": self._count}
        self._count += 1
        for name in self._wanted:
            value = self._data(name, taken)
            frame[name] = value.copy() if clone and isinstance(value, np.ndarray) else value
        return frame

    def get_rgba(self, device: str | None = None) -> np.ndarray | None:
        """Colours, (height, width, 4), 0 to 255; None where "rgb" is not attached."""
        _on_cpu(device)
        return self._picture().color if "rgb" in self._wanted else None  # type: ignore[attr-defined]

    def get_rgb(self, device: str | None = None) -> np.ndarray | None:
        """Colours, (height, width, 3), 0 to 255; None where "rgb" is not attached."""
        found = self.get_rgba(device)
        return None if found is None else found[:, :, :3]

    def get_depth(self, device: str | None = None) -> np.ndarray | None:
        """Distances from the plane of the camera, (height, width); None where not attached."""
        _on_cpu(device)
        if "distance_to_image_plane" not in self._wanted:
            return None
        return self._depth(self._picture())  # type: ignore[attr-defined]

    def get_pointcloud(self, device: str | None = None, world_frame: bool = True) -> np.ndarray:
        """Points that are seen, (n, 3).

        Args:
            device: "cpu".
            world_frame: Whether they are in the world; else in the axes z forward and y down.
        """
        _on_cpu(device)
        depth = self._depth(self._picture())  # type: ignore[attr-defined]
        rows, columns = np.nonzero(np.isfinite(depth))
        pixels = np.column_stack([columns + 0.5, rows + 0.5])
        change: Any = (
            self.get_world_points_from_image_coords  # type: ignore[attr-defined]
            if world_frame
            else self.get_camera_points_from_image_coords  # type: ignore[attr-defined]
        )
        return np.asarray(change(pixels, depth[rows, columns]), np.float32)

    def _data(self, name: str, taken: Picture) -> Any:
        if name == "rgb":
            return taken.color
        if name == "distance_to_image_plane":
            return self._depth(taken)
        if name == "distance_to_camera":
            return self._distance(taken)
        if name == "pointcloud":
            return {"data": self.get_pointcloud(), "info": {}}
        if name == "motion_vectors":
            return self._motion(taken)
        return self._labels(name, taken)

    def _depth(self, taken: Picture) -> np.ndarray:
        meters = UsdGeom.GetStageMetersPerUnit(handles.current_stage())
        depth = self._seen_by().distances(taken.depth) / meters  # type: ignore[attr-defined]
        return depth.astype(np.float32)

    def _distance(self, taken: Picture) -> np.ndarray:
        depth = self._depth(taken)
        rays = self._lens().rays(centers(*self._resolution))  # type: ignore[attr-defined]
        slant = np.sqrt(1.0 + (np.nan_to_num(rays) ** 2).sum(axis=-1))
        return (depth * slant).astype(np.float32)

    def _labels(self, name: str, taken: Picture) -> dict[str, Any]:
        """Numbers of pixels, and what they mean: 0 is the background, 1 what has no label."""
        paths = pictures_of(handles.current_stage()).paths
        own: dict[str, int] = {}
        numbers = np.zeros(len(paths) + 1, np.uint32)  # the last is the background
        for place, path in enumerate(paths):
            text = path if name == "instance_id_segmentation" else _label_of(path, name)
            numbers[place] = 1 if text is None else own.setdefault(text, len(own) + 2)
        meanings: dict[int, Any] = {
            key: {"class": value} if name == "semantic_segmentation" else value
            for key, value in {**_UNLABELLED, **{v: k for k, v in own.items()}}.items()
        }
        data = numbers[np.where(taken.segmentation < 0, len(paths), taken.segmentation)]
        return {"data": data, "info": {"idToLabels": meanings}}

    def _motion(self, taken: Picture) -> np.ndarray:
        """By how much what a pixel shows moved since the last frame.

        Returns:
            Pixels to the left and up, change of the distance, and 1, (height, width, 4).
        """
        if self._motion_of is not None and self._motion_of[0] is taken:
            return self._motion_of[1]
        stage = handles.current_stage()
        cache = UsdGeom.XformCache()
        paths = pictures_of(stage).paths
        now = {path: cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path)) for path in paths}
        view: np.ndarray = self.get_view_matrix_ros()  # type: ignore[attr-defined]
        before_view, before = self._before or (view, now)
        width, height = self._resolution
        found = np.zeros((height, width, 4), np.float32)
        found[..., 3] = 1.0
        depth = self._depth(taken)
        lens = self._lens()  # type: ignore[attr-defined]
        for place, path in enumerate(paths):
            rows, columns = np.nonzero((taken.segmentation == place) & np.isfinite(depth))
            if not len(rows) or path not in before:
                continue
            pixels = np.column_stack([columns + 0.5, rows + 0.5])
            points = self.get_world_points_from_image_coords(pixels, depth[rows, columns])  # type: ignore[attr-defined]
            back = np.array(now[path].GetInverse() * before[path]).T
            was = (
                before_view[:3, :3] @ (back[:3, :3] @ points.T + back[:3, 3:]) + before_view[:3, 3:]
            )
            found[rows, columns, :2] = lens.pixels(was[0] / was[2], was[1] / was[2]) - pixels
            found[rows, columns, 2] = was[2] - depth[rows, columns]
        self._before = (view, now)
        self._motion_of = (taken, found)
        return found


def _label_of(path: str, name: str) -> str | None:
    """The label of a prim or of the nearest one above it; the path of that for instances."""
    prim = functions.get_prim_at_path(path)
    while prim and not prim.IsPseudoRoot():
        said = get_semantics(prim)
        if said:
            words = ",".join(str(word) for _, word in said.values())
            return words if name == "semantic_segmentation" else str(prim.GetPath())
        prim = prim.GetParent()
    return None


def _on_cpu(device: str | None) -> None:
    if device not in (None, "cpu"):
        raise NotSupportedError(f"pictures on {device!r}", "device='cpu'")


def _adders(name: str) -> tuple[Any, Any]:
    def add(self: FrameMixin, init_params: dict[str, Any] | None = None) -> None:
        self.attach_annotator(name, **(init_params or {}))

    def remove(self: FrameMixin) -> None:
        self.detach_annotator(name)

    add.__doc__ = f"Let frames have {name}."
    remove.__doc__ = f"Let frames not have {name} any more."
    return add, remove


for _name in (*_KNOWN, *_ABSENT):
    for _verb, _function in zip(
        ("add_{}_to_frame", "remove_{}_from_frame"), _adders(_name), strict=True
    ):
        setattr(FrameMixin, _verb.format(_name), _function)
