"""Recordings of a simulation by simulated time: videos, and pages that play by themselves."""

from __future__ import annotations

from typing import Any

from unibody.core.engine.world import step_observers
from unibody.fleet.window.picture import SKY, Scenery
from unibody.viewer.films import open_film
from unibody.viewer.recording import VIDEO_RATE, VIDEO_SIZE
from unibody.viewer.video import Pace
from unibody.viewer.view import View
from unibody.viewer.viewer import FOV

_AROUND = 0.1  # of what is seen at the beginning, for what moves


class FleetFilm:
    """A recording of a simulation from now on, which it is told of as an observer of steps.

    The camera stands where it sees all objects that there are at the beginning.

    Args:
        core: The simulation.
        file: A name that ends in .mp4 or .html; a file that exists is replaced.

    Attributes:
        frames: How many there are.
        is_written: The file is complete.

    Raises:
        NotSupportedError: PyAV or viser is not installed.
        OSError: The file cannot be written.
    """

    def __init__(self, core: Any, file: str) -> None:
        self._core = core
        self._scenery = Scenery(core)
        look = self._scenery.look(VIDEO_SIZE[0] / VIDEO_SIZE[1], _AROUND)
        view = View(*look, FOV, *VIDEO_SIZE)
        self._film = open_film(file, view, background=SKY, shadows=False)
        self._pace = Pace(VIDEO_RATE)
        self.frames: int = 0
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
        frames = self._scenery.frames()
        self._film.add(self._scenery.parts, frames, count)
        self.frames += count

    def close(self) -> None:
        """Complete the file; a simulation that was never stepped is in it with one frame."""
        step_observers.remove_observer(self)
        try:
            if self.frames == 0:
                self._take(1)
        finally:
            self.is_written: bool = self._film.close()
