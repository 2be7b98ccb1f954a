"""Lines, points and texts over the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Vec3 = tuple[float, float, float]
_TEXT_HEIGHT = 0.1  # m, of size 1


@dataclass(frozen=True, slots=True)
class Line:
    """A segment in the world frame [m]; width [pixels]."""

    start: Vec3
    end: Vec3
    color: Vec3
    width: float = 1.0


@dataclass(frozen=True, slots=True)
class Points:
    """Points in the world frame (n, 3) [m] with colours (n, 3), 0 to 1; size [pixels]."""

    positions: tuple[Vec3, ...]
    colors: tuple[Vec3, ...]
    size: float = 1.0


@dataclass(frozen=True, slots=True)
class Text:
    """A text in the world frame; size 1 is 0.1 m."""

    text: str
    position: Vec3
    size: float = 1.0


Item = Line | Points | Text


class Overlay:
    """What is drawn over the scene of a viser server, by id."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._texts: dict[int, tuple[Text, Any]] = {}
        self._points: dict[int, tuple[Points, Any]] = {}
        self._lines: list[Line] = []
        self._line_handles: list[Any] = []

    def show(self, items: dict[int, Item]) -> None:
        """Replace what is drawn; only what differs is sent."""
        lines = [item for item in items.values() if isinstance(item, Line)]
        if lines != self._lines:
            self._lines = lines
            self._draw_lines()
        texts = {key: item for key, item in items.items() if isinstance(item, Text)}
        points = {key: item for key, item in items.items() if isinstance(item, Points)}
        _update(self._texts, texts, self._add_text)
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
                    (255.0 * np.clip(colors, 0.0, 1.0)).astype(np.uint8),
                    thickness=max(width, 1.0),
                    thickness_units="screen",
                )
            )

    def _add_text(self, key: int, item: Text) -> Any:
        return self._server.scene.add_label(
            f"/overlay/text{key}",
            item.text,
            position=item.position,
            font_size_mode="scene",
            font_scene_height=_TEXT_HEIGHT * item.size,
            anchor="bottom-left",
        )

    def _add_points(self, key: int, item: Points) -> Any:
        colors = np.clip(np.array(item.colors).reshape(-1, 3), 0.0, 1.0)
        return self._server.scene.add_point_cloud(
            f"/overlay/points{key}",
            np.array(item.positions, dtype=np.float32).reshape(-1, 3),
            (255.0 * colors).astype(np.uint8),
            point_size=0.004 * item.size,
            point_shape="circle",
        )


def _update(shown: dict[int, Any], wanted: dict[int, Any], add: Any) -> None:
    for key in [key for key in shown if key not in wanted]:
        shown.pop(key)[1].remove()
    for key, item in wanted.items():
        if key in shown and shown[key][0] == item:
            continue
        if key in shown:
            shown.pop(key)[1].remove()
        shown[key] = item, add(key, item)
