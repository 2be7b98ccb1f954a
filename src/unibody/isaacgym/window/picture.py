"""A viewer's lines in a picture without a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.render.camera import Camera, perspective
from unibody.isaacgym.cameras import optics
from unibody.isaacgym.cameras.viewer import GymViewer
from unibody.isaacgym.types.enums import ImageType
from unibody.isaacgym.types.viewing import CameraProperties
from unibody.viewer.items import Line
from unibody.viewer.strokes import draw_items

Array = npt.NDArray[np.floating[Any]]
_NEAR, _FAR = 0.05, 2000.0  # m: depths between them tell a line from the surface behind it


def draw_lines(
    color: npt.NDArray[np.uint8],
    distances: Array,
    properties: CameraProperties,
    view: npt.NDArray[np.float64],
    lines: Iterable[tuple[Array, Array]],
) -> None:
    """Draw lines into a picture, hidden by what is in front of them.

    Args:
        color: The picture, (height, width, 4); it is changed.
        distances: What it shows is so far along the axis of view [m], (height, width).
        properties: Of the camera.
        view: From the frame of the lines to that of the image, (4, 4).
        lines: Ends (n, 2, 3) [m] and colours (n, 3), 0 to 1.
    """
    items = [
        Line(tuple(start), tuple(end), tuple(shade), 1.0)
        for ends, colors in lines
        for (start, end), shade in zip(ends.tolist(), colors.tolist(), strict=True)
    ]
    if not items:
        return
    fov = optics.vertical_fov(properties)
    projection = perspective(fov, properties.width / properties.height, _NEAR, _FAR)
    camera = Camera(properties.width, properties.height, view, projection)
    shown = np.clip(distances, _NEAR, _FAR)
    depth = (_FAR / (_FAR - _NEAR)) * (1.0 - _NEAR / shown)
    draw_items(color, depth.astype(np.float32), camera, items)


def picture_of(viewer: GymViewer) -> npt.NDArray[np.uint8]:
    """What there is to see in a viewer now, with the lines, (height, width, 4)."""
    viewer.take()
    kinds = {ImageType.IMAGE_COLOR, ImageType.IMAGE_DEPTH}
    reach = max(1.0, 1.5 * float(np.linalg.norm(viewer.camera.placed.position - viewer.target)))
    x, y, z = (float(value) for value in viewer.target)
    viewer.studio.draw([(viewer.camera, kinds)], ((x, y, z), reach))
    color, depth = (viewer.camera.image(kind) for kind in sorted(kinds))
    found = color.copy()
    pose = viewer.camera.placed
    view = optics.view(*pose)
    draw_lines(found, -depth, viewer.camera.properties, view, viewer.lines)
    return found
