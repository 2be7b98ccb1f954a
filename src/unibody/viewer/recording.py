"""Recordings of a page: an HTML file that plays without a server, or a video."""

from __future__ import annotations

import dataclasses
import os
import time
from typing import Any

from unibody.core.render.visual_shapes import VisualShape
from unibody.viewer.page import with_true_colors
from unibody.viewer.painter import Painter, Sight
from unibody.viewer.video import Pace, Video

VIDEO_SIZE = (1280, 720)  # pixels
VIDEO_RATE = 30  # frames a second


class Recording:
    """Everything a viser server sends from now on, with the time in between."""

    def __init__(self, server: Any) -> None:
        self._serializer = server.get_scene_serializer()
        self._last: float | None = None

    def frame(self, seconds: float | None = None) -> None:
        """Say that a frame is complete.

        Args:
            seconds: How long it is shown; None: until now, by the clock.
        """
        now = time.monotonic()
        if seconds is None:
            seconds = 0.0 if self._last is None else now - self._last
        self._last = now
        if seconds > 0.0:
            self._serializer.insert_sleep(seconds)

    def serialized(self) -> bytes:
        """What was sent, in the format of viser's files; the recording is over."""
        return self._serializer.serialize()

    def html(self) -> str:
        """The page; the recording is over."""
        return with_true_colors(self._serializer.as_html())


class Filming:
    """A video of what a page shows, drawn without the page.

    Args:
        file: The video.
        fps: Frames a second.
        width: [pixels].
        height: [pixels].
    """

    def __init__(self, file: str | os.PathLike[str], fps: int, width: int, height: int) -> None:
        self._video = Video(file, width, height, fps)
        self._pace = Pace(fps)
        self._painter = Painter()
        self._last: float | None = None

    def frame(self, parts: list[VisualShape], sight: Sight, seconds: float | None = None) -> None:
        """Say what is shown now.

        Args:
            parts: The bodies.
            sight: What is seen of them; the picture has the size of the video.
            seconds: How long it is shown; None: until now, by the clock.
        """
        now = time.monotonic()
        if seconds is None:
            seconds = 0.0 if self._last is None else now - self._last
        self._last = now
        due = self._pace.due(seconds)
        if due < 1:
            return
        view = dataclasses.replace(sight.view, width=self._video.width, height=self._video.height)
        self._painter.show(parts)
        picture = self._painter.picture(dataclasses.replace(sight, view=view))
        self._video.add(picture, due)

    def close(self) -> None:
        """Complete the file."""
        self._video.close()
