"""Recordings of a simulation by simulated time: videos, and pages that play by themselves."""

from __future__ import annotations

from typing import Any

from unibody.core.engine.world import step_observers
from unibody.core.render.camera import Frames
from unibody.fleet.window.picture import SKY, Scenery
from unibody.viewer.items import Vec3
from unibody.viewer.painter import Painter, Sight
from unibody.viewer.recording import VIDEO_RATE, VIDEO_SIZE
from unibody.viewer.video import Pace, Video
from unibody.viewer.view import View
from unibody.viewer.viewer import FOV, Viewer


class FleetFilm:
    """A recording of a simulation from now on, which it is told of as an observer of steps.

    The camera stands where it sees all objects that there are at the beginning.

    Args:
        core: The simulation.
        file: A name that ends in .mp4 or .html; a file that exists is replaced.

    Attributes:
        is_written: The file is complete.

    Raises:
        NotSupportedError: PyAV or viser is not installed.
        OSError: The file cannot be written.
    """

    def __init__(self, core: Any, file: str) -> None:
        self._core = core
        self._scenery = Scenery(core)
        self._scenery.frames()
        look = self._scenery.look(VIDEO_SIZE[0] / VIDEO_SIZE[1])
        self._target = (_Film if file.lower().endswith(".mp4") else _Page)(file, look)
        self._pace = Pace(VIDEO_RATE)
        self._frames = 0
        self.is_written = False
        step_observers.add_observer(self)

    def on_step(self, timestep: float, _contacts: int | None, stepped: Any) -> None:
        """Take the frames that are due after a step."""
        if stepped is not self._core:
            return
        due = self._pace.due(timestep)
        if due > 0:
            self._take(due)

    def _take(self, count: int) -> None:
        self._target.add(self._scenery, self._scenery.frames(), count)
        self._frames += count

    def close(self) -> None:
        """Complete the file; a simulation that was never stepped is in it with one frame."""
        step_observers.remove_observer(self)
        try:
            if self._frames == 0:
                self._take(1)
        finally:
            self.is_written: bool = self._target.close()


class _Film:
    """A video that is drawn here."""

    def __init__(self, file: str, look: tuple[Vec3, Vec3]) -> None:
        self._view = View(*look, FOV, *VIDEO_SIZE)
        self._video = Video(file, *VIDEO_SIZE, VIDEO_RATE)
        self._painter = Painter()

    def add(self, scenery: Scenery, frames: Frames, count: int) -> None:
        self._painter.show(scenery.parts)
        picture = self._painter.picture(Sight(self._view, frames, background=SKY))
        self._video.add(picture, count)

    def close(self) -> bool:
        self._video.close()
        return self._video.is_written


class _Page:
    """A page that can be looked at from all sides."""

    def __init__(self, file: str, look: tuple[Vec3, Vec3]) -> None:
        self._file = file
        self._viewer = Viewer(port=0)
        self._viewer.set_shadows(False)
        self._viewer.set_background(SKY)
        self._viewer.look(*look)
        self._viewer.start_recording()
        self._parts: list[Any] | None = None

    def add(self, scenery: Scenery, frames: Frames, count: int) -> None:
        if self._parts is not scenery.parts:
            self._parts = scenery.parts
            self._viewer.show(self._parts)
        self._viewer.place(frames.positions, frames.quats, count / VIDEO_RATE)

    def close(self) -> bool:
        return self._viewer.save_recording(self._file)
