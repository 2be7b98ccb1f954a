"""Lines, points and texts over the scene of a page."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.camera import look_at
from unibody.errors import InvalidArgumentError
from unibody.viewer.colors import linear_bytes
from unibody.viewer.items import WHITE, Item, Line, Points, Text
from unibody.viewer.lettering import corners, letter
from unibody.viewer.view import View, quat_of_axes

_POINT = 0.004  # m, of size 1
_REACH = 10  # m: half the width of the grid, a line each metre
_BELOW = 0.03  # m: a plane at the ground hides the grid, half a pixel of its far lines included
_GRID, _X_AXIS, _Y_AXIS = (0.55, 0.55, 0.62), (0.75, 0.35, 0.35), (0.3, 0.6, 0.35)
_START = View((3.0, 3.0, 3.0), (0.0, 0.0, 0.0), math.radians(60.0), 1024, 768)


class Overlay:
    """What is drawn over the scene of a viser server, by id.

    A white text that faces the camera is a label of the page; one with a colour is an image, which
    is turned towards the camera of the page that was opened first. A text with an orientation is an
    image that lies where it is put.
    """

    def __init__(self, server: Any) -> None:
        self._server = server
        self._texts: dict[int, tuple[Any, Any]] = {}
        self._points: dict[int, tuple[Points, Any]] = {}
        self._lines: list[Line] = []
        self._line_handles: list[Any] = []
        self._view = _START

    def show(self, items: dict[int, Item], view: View | None = None) -> None:
        """Replace what is drawn, as seen by a camera; only what differs is sent."""
        lines = [item for item in items.values() if isinstance(item, Line)]
        if lines != self._lines:
            self._lines = lines
            self._draw_lines()
        self._view = view or self._view
        texts = {
            key: (item, self._view if _turns(item) else None)
            for key, item in items.items()
            if isinstance(item, Text)
        }
        points = {key: item for key, item in items.items() if isinstance(item, Points)}
        _update(self._texts, texts, self._add_text, _turn)
        _update(self._points, points, self._add_points)

    def _draw_lines(self) -> None:
        """One node for each width: a thousand lines are one message."""
        for handle in self._line_handles:
            handle.remove()
        self._line_handles = []
        for width in sorted({line.width for line in self._lines}):
            lines = [line for line in self._lines if line.width == width]
            ends = np.array([(line.start, line.end) for line in lines], dtype=np.float32)
            colors = np.array([(line.color, line.color) for line in lines])
            self._line_handles.append(
                self._server.scene.add_line_segments(
                    f"/overlay/lines{len(self._line_handles)}",
                    ends,
                    linear_bytes(colors),
                    thickness=max(width, 1.0),
                    thickness_units="screen",
                )
            )

    def _add_text(self, key: int, wanted: tuple[Text, View | None]) -> Any:
        item, _ = wanted
        if item.quat is None and item.color == WHITE:
            return self._server.scene.add_label(
                f"/overlay/text{key}",
                item.text,
                position=item.position,
                font_size_mode="screen",
                font_screen_scale=item.size,
                anchor="bottom-left",
            )
        center, wxyz, width, height = _plate(item, self._view)
        return self._server.scene.add_image(
            f"/overlay/text{key}",
            letter(item.text, item.color).image,
            width,
            height,
            position=center,
            wxyz=wxyz,
            cast_shadow=False,
            receive_shadow=False,
        )

    def _add_points(self, key: int, item: Points) -> Any:
        colors = np.clip(np.array(item.colors).reshape(-1, 3), 0.0, 1.0)
        return self._server.scene.add_point_cloud(
            f"/overlay/points{key}",
            np.array(item.positions, dtype=np.float32).reshape(-1, 3),
            (255.0 * colors).astype(np.uint8),
            point_size=_POINT * item.size,
            point_shape="circle",
        )


def ground_grid() -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Ends (n, 2, 3) [m] and colours of the lines of a grid at the origin, just below the ground.

    The two lines through the origin are the x axis (red) and the y axis (green). All lines are cut
    into pieces: one that begins behind the camera is drawn over what is in front of it.
    """
    at = np.arange(-_REACH, _REACH + 1)
    across, begin = (grid.ravel() for grid in np.meshgrid(at, at[:-1]))
    low = np.full(across.shape, -_BELOW)
    along_y = np.stack([[across, begin, low], [across, begin + 1, low]]).transpose(2, 0, 1)
    along_x = along_y[:, :, [1, 0, 2]]
    colors = np.full((2, len(across), 2, 3), _GRID)
    colors[0, across == 0], colors[1, across == 0] = _Y_AXIS, _X_AXIS
    ends = np.concatenate([along_y, along_x])
    return ends.astype(np.float32), linear_bytes(colors.reshape(-1, 2, 3))


def _turns(item: Text) -> bool:
    """Whether a text has to follow the camera."""
    return item.quat is None and item.color != WHITE


def _turn(known: tuple[Text, View | None], wanted: tuple[Text, View | None], handle: Any) -> bool:
    """Turn a text that is there towards another camera; False if it is another text."""
    item, view = wanted
    if known[0] != item or view is None:
        return False
    handle.position, handle.wxyz, handle.render_width, handle.render_height = _plate(item, view)
    return True


def _plate(item: Text, view: View) -> tuple[Any, Any, float, float]:
    """Centre [m], orientation wxyz, width and height [m] of the image of a text."""
    try:
        matrix = look_at(view.position, view.target, view.up)
    except InvalidArgumentError:  # straight up or down
        matrix = look_at(view.position, view.target, view.aside)
    at = corners(item, matrix, 1.0 / math.tan(0.5 * view.fov), max(view.height, 1))
    across, down = at[1] - at[0], at[3] - at[0]
    width, height = float(np.linalg.norm(across)), float(np.linalg.norm(down))
    # an image of viser's lies in the x-y plane of its frame, its top along -y
    x, y = across / (width or 1.0), down / (height or 1.0)
    return at.mean(axis=0), quat_of_axes(np.column_stack([x, y, np.cross(x, y)])), width, height


def _update(shown: dict[int, Any], wanted: dict[int, Any], add: Any, change: Any = None) -> None:
    for key in [key for key in shown if key not in wanted]:
        shown.pop(key)[1].remove()
    for key, item in wanted.items():
        if key in shown:
            known, handle = shown[key]
            if known == item:
                continue
            if change is not None and change(known, item, handle):
                shown[key] = item, handle
                continue
            shown.pop(key)[1].remove()
        shown[key] = item, add(key, item)
