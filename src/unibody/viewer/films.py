"""Films of what a viewer shows, by simulated time: videos, and pages that play by themselves."""

from __future__ import annotations

import os
from typing import Protocol

from unibody.core.render.camera import Frames
from unibody.core.render.visual_shapes import Deformed, VisualShape
from unibody.viewer.items import Vec3
from unibody.viewer.lights import SUN
from unibody.viewer.painter import BACKGROUND, Painter, Sight
from unibody.viewer.recording import VIDEO_RATE
from unibody.viewer.video import Video
from unibody.viewer.view import View
from unibody.viewer.viewer import Viewer

_NOTHING: Deformed = {}


class Film(Protocol):
    """What takes frames; there are ``VIDEO_RATE`` a second."""

    def add(
        self, parts: list[VisualShape], frames: Frames, count: int, deformed: Deformed = _NOTHING
    ) -> None:
        """Add what is shown now.

        Args:
            parts: The bodies; the same list as long as they look the same.
            frames: Where the frames are that they follow.
            count: For so many frames.
            deformed: How parts that deform look.
        """
        ...

    def close(self) -> bool:
        """Complete the file; whether it is written."""
        ...


def open_film(
    file: str | os.PathLike[str],
    view: View,
    *,
    background: Vec3 = BACKGROUND,
    shadows: bool = True,
) -> Film:
    """Begin a film.

    Args:
        file: A name that ends in .mp4 or .html; a file that exists is replaced.
        view: The camera; a page has the size of its browser.
        background: Red, green and blue, 0 to 1.
        shadows: Whether things cast shadows on a page; in a video they do.

    Raises:
        NotSupportedError: PyAV or viser is not installed.
        OSError: The file cannot be written.
    """
    if os.fspath(file).lower().endswith(".mp4"):
        return _Video(file, view, background)
    return _Page(os.fspath(file), view, background, shadows)


class _Video:
    """A video that is drawn here."""

    def __init__(self, file: str | os.PathLike[str], view: View, background: Vec3) -> None:
        self._view, self._background = view, background
        self._video = Video(file, view.width, view.height, VIDEO_RATE)
        self._painter = Painter()

    def add(
        self, parts: list[VisualShape], frames: Frames, count: int, deformed: Deformed = _NOTHING
    ) -> None:
        self._painter.show(parts)
        sight = Sight(self._view, frames, background=self._background, deformed=deformed)
        self._video.add(self._painter.picture(sight), count)

    def close(self) -> bool:
        self._video.close()
        return self._video.is_written


class _Page:
    """A page that can be looked at from all sides."""

    def __init__(self, file: str, view: View, background: Vec3, shadows: bool) -> None:
        self._file = file
        self._viewer = Viewer(port=0)
        self._viewer.set_background(background)
        if shadows:
            self._viewer.lights.show(SUN)
        else:
            self._viewer.set_shadows(False)
        if view.up[1]:
            self._viewer.set_up("y")
        self._viewer.set_fov(view.fov)
        self._viewer.look(view.position, view.target)
        self._viewer.start_recording()
        self._parts: list[VisualShape] | None = None

    def add(
        self, parts: list[VisualShape], frames: Frames, count: int, deformed: Deformed = _NOTHING
    ) -> None:
        if self._parts is not parts:
            self._parts = parts
            self._viewer.show(parts)
        self._viewer.place(frames.positions, frames.quats, count / VIDEO_RATE, deformed)

    def close(self) -> bool:
        return self._viewer.save_recording(self._file)
