"""Pictures a script takes, on the page: what they show, and where the camera stood."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.bullet import constants as c
from unibody.viewer.view import quat_of_axes

if TYPE_CHECKING:
    from unibody.core.render.camera import Camera, Picture
    from unibody.viewer.viewer import Viewer

_PERIOD = 0.1  # s between two images
_WIDEST = 320  # pixels
_NEAREST = 0.8  # m: a camera this close to that of the page is not drawn: it would hide the scene
_COLOR, _DEPTH, _SEGMENTATION = "Colour", "Depth", "Segmentation"
_FLAG_OF = {
    _COLOR: c.COV_ENABLE_RGB_BUFFER_PREVIEW,
    _DEPTH: c.COV_ENABLE_DEPTH_BUFFER_PREVIEW,
    _SEGMENTATION: c.COV_ENABLE_SEGMENTATION_MARK_PREVIEW,
}


class Previews:
    """The last picture of a client on its page."""

    def __init__(self) -> None:
        self._last: tuple[Camera, Picture] | None = None
        self._next = 0.0

    def take(self, camera: Camera, picture: Picture) -> None:
        """Take note of a picture."""
        self._last = camera, picture

    def show(self, viewer: Viewer, flags: dict[int, int], *, frustum: bool) -> None:
        """Show the images that the flags ask for, and the camera's place; only what is new."""
        if time.monotonic() < self._next or self._last is None:
            return
        self._next = time.monotonic() + _PERIOD
        camera, picture = self._last
        images = {
            name: _IMAGE_OF[name](picture) if flags.get(flag, 1) else None
            for name, flag in _FLAG_OF.items()
        }
        for name, image in images.items():
            viewer.controls.preview(name, image)
        _draw_camera(viewer, camera, picture, frustum)
        self._last = None if frustum or any(i is not None for i in images.values()) else self._last


def _small(image: NDArray[Any]) -> NDArray[Any]:
    step = -(-image.shape[1] // _WIDEST)
    return image[::step, ::step]


def _color(picture: Picture) -> NDArray[np.uint8] | None:
    return np.ascontiguousarray(_small(picture.color)[..., :3]) if picture.color.size else None


def _depth(picture: Picture) -> NDArray[np.uint8] | None:
    """Near is dark, far is bright; the range is that of the picture."""
    if not picture.depth.size:
        return None
    depth = _small(picture.depth).astype(np.float64)
    low, high = float(depth.min()), float(depth.max())
    grey = (255.0 * (depth - low) / ((high - low) or 1.0)).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)


def _segmentation(picture: Picture) -> NDArray[np.uint8] | None:
    """A colour for each label, black where nothing is."""
    if not picture.segmentation.size:
        return None
    labels = _small(picture.segmentation).astype(np.int64)
    mixed = (labels + 1) * 2654435761  # a multiplicative hash: neighbours differ clearly
    channels = [
        64 + ((mixed >> shift) & 127) + ((mixed >> shift + 3) & 63) for shift in (4, 11, 19)
    ]
    colors = np.stack(channels, axis=-1).astype(np.uint8)
    colors[labels < 0] = 0
    return colors


_IMAGE_OF = {_COLOR: _color, _DEPTH: _depth, _SEGMENTATION: _segmentation}


def _draw_camera(viewer: Viewer, camera: Camera, picture: Picture, wanted: bool) -> None:
    image = _color(picture)
    seen = viewer.view()
    scale = float(camera.projection[1, 1])
    is_perspective = camera.projection[3, 2] != 0.0 and scale > 0.0
    if not (wanted and is_perspective and camera.sees() and image is not None):
        viewer.draw_camera(None, None, 0.0, None)
        return
    eye = camera.eye()[:3]
    if seen is not None and math.dist(eye, seen.position) < _NEAREST:
        viewer.draw_camera(None, None, 0.0, None)
        return
    right, up, back = camera.view[:3, :3]
    quat = quat_of_axes(np.column_stack([right, -up, -back]))
    viewer.draw_camera(eye, quat, 2.0 * math.atan(1.0 / scale), image)
